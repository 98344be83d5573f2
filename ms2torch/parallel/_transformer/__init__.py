"""Transformers of MindSpore 1.3 to 2.7 (``mindspore.parallel._transformer``)."""

from ms2torch._naming.surface import install_lazy

from .layers import FixedSparseAttention
from .loss import CrossEntropyLoss
from .moe import MoEConfig
from .op_parallel_config import OpParallelConfig
from .transformer import *  # noqa: F403
from .transformer import __all__ as _transformer

__all__ = [*_transformer, "CrossEntropyLoss", "OpParallelConfig", "FixedSparseAttention", "MoEConfig"]

install_lazy(__name__, globals())
