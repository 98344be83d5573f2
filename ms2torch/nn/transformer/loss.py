"""``mindspore.nn.transformer.loss``: that of ``mindspore.parallel._transformer``."""

import sys

from ms2torch.parallel._transformer import loss

sys.modules[__name__] = loss
