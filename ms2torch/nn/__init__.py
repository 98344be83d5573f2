"""Cells: layers, losses, optimizers, training steps (``mindspore.nn``)."""

from ms2torch._naming.surface import install_lazy

from .cell import Cell, GraphCell, GraphKernel
from .grad import *  # noqa: F403
from .layer import *  # noqa: F403
from .layer import _from_quant as __getattr__
from .learning_rate_schedule import *  # noqa: F403
from .loss import *  # noqa: F403
from .optim import *  # noqa: F403
from .sparse import *  # noqa: F403
from .wrap import *  # noqa: F403

del globals()["CosineSimilarity"]  # that of nn.layer; under this name nn has the metric, found when asked for

install_lazy(__name__, globals())
