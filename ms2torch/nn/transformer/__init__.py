"""Transformers of MindSpore 1.3 to 1.10 (``mindspore.nn.transformer``); the layers of 2.x are in ``nn``."""

from ms2torch._naming.surface import install_lazy
from ms2torch.parallel._transformer import *  # noqa: F403
from ms2torch.parallel._transformer import __all__

__all__ = list(__all__)

install_lazy(__name__, globals())
