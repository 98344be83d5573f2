"""The functions of ``mindspore.mint``: signatures that follow torch's, from the definitions in ``ops``."""

from ms2torch import ops  # registers the definitions
from ms2torch._core.operators import registry as _registry
from ms2torch._naming.surface import install_lazy

globals().update(_registry.MINT)


# Of 2.3 alone: functions of networks, before they moved to nn.functional.
_MOVED = (
    "avg_pool2d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "conv_transpose2d", "dropout", "elu", "fold", "grid_sample", "group_norm", "interpolate", "layer_norm",
    "leaky_relu", "linear", "max_pool2d", "one_hot", "pad", "unfold",
)  # fmt: skip


def __getattr__(name):
    """What was registered after this module was loaded, and what has moved."""
    if name in _MOVED:
        from .nn import functional

        return getattr(functional, name)
    try:
        return _registry.MINT[name]
    except KeyError:
        raise AttributeError(name) from None


install_lazy(__name__, globals())
