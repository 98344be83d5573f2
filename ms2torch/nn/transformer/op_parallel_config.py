"""``mindspore.nn.transformer.op_parallel_config``: that of ``mindspore.parallel._transformer``."""

import sys

from ms2torch.parallel._transformer import op_parallel_config

sys.modules[__name__] = op_parallel_config
