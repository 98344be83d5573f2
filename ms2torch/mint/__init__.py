"""The functions of ``mindspore.mint``: signatures that follow torch's, from the definitions in ``ops``."""

from ms2torch import ops  # registers the definitions
from ms2torch._core import registry as _registry
from ms2torch._core.surface import install_lazy

globals().update(_registry.MINT)


def __getattr__(name):
    """What was registered after this module was loaded."""
    try:
        return _registry.MINT[name]
    except KeyError:
        raise AttributeError(name) from None


install_lazy(__name__, globals())
