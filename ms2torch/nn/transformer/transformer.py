"""``mindspore.nn.transformer.transformer``: that of ``mindspore.parallel._transformer``."""

import sys

from ms2torch.parallel._transformer import transformer

sys.modules[__name__] = transformer
