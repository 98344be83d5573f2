"""Layers (``mindspore.nn.layer``)."""

from . import activation, basic, container, conv, embedding, normalization, pooling, rnn_cells, rnns
from .activation import *  # noqa: F403
from .basic import *  # noqa: F403
from .container import *  # noqa: F403
from .conv import *  # noqa: F403
from .embedding import *  # noqa: F403
from .normalization import *  # noqa: F403
from .pooling import *  # noqa: F403
from .rnn_cells import *  # noqa: F403
from .rnns import *  # noqa: F403

__all__ = [name for module in (activation, basic, container, conv, embedding, normalization, pooling, rnn_cells, rnns)
           for name in module.__all__]
