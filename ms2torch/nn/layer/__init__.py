"""Layers (``mindspore.nn.layer``)."""

from . import (
    activation,
    basic,
    channel_shuffle,
    combined,
    container,
    conv,
    dense,
    embedding,
    image,
    math,
    normalization,
    padding,
    pooling,
    rnn_cells,
    rnns,
    timedistributed,
    transformer,
)
from .activation import *  # noqa: F403
from .basic import *  # noqa: F403
from .channel_shuffle import *  # noqa: F403
from .combined import *  # noqa: F403
from .container import *  # noqa: F403
from .conv import *  # noqa: F403
from .dense import *  # noqa: F403
from .embedding import *  # noqa: F403
from .image import *  # noqa: F403
from .math import *  # noqa: F403
from .normalization import *  # noqa: F403
from .padding import *  # noqa: F403
from .pooling import *  # noqa: F403
from .rnn_cells import *  # noqa: F403
from .rnns import *  # noqa: F403
from .timedistributed import *  # noqa: F403
from .transformer import *  # noqa: F403

__all__ = [name for module in (
    activation, basic, channel_shuffle, combined, container, conv, dense, embedding, image, math,
    normalization, padding, pooling, rnn_cells, rnns, timedistributed, transformer)
    for name in module.__all__]


def _from_quant(name: str):
    """A layer of ``quant``, which is read when first asked for: few programs do, and 2.x has none of them."""
    from importlib import import_module

    quant = import_module(f"{__name__}.quant")
    if name not in quant.__all__:
        raise AttributeError(name)
    return getattr(quant, name)


__getattr__ = _from_quant
