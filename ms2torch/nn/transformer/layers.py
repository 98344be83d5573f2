"""``mindspore.nn.transformer.layers``: that of ``mindspore.parallel._transformer``."""

import sys

from ms2torch.parallel._transformer import layers

sys.modules[__name__] = layers
