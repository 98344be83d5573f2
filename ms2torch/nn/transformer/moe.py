"""``mindspore.nn.transformer.moe``: that of ``mindspore.parallel._transformer``."""

import sys

from ms2torch.parallel._transformer import moe

sys.modules[__name__] = moe
