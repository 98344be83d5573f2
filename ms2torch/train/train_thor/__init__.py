"""Models for the optimizer THOR (``mindspore.train.train_thor``)."""

from ms2torch._naming.surface import install_lazy

from .convert_utils import ConvertModelUtils, ConvertNetUtils

__all__ = ["ConvertModelUtils", "ConvertNetUtils"]

install_lazy(__name__, globals())
