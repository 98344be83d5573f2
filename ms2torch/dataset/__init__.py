"""Data pipelines (``mindspore.dataset``): sources, operations on rows, transforms, and iterators that give Tensors.

Everything runs in numpy, in the calling thread; Tensors are made where an iterator hands rows out. With a seed
(`config.set_seed`) the order of rows and the random transforms are MindSpore's own.
"""

from . import transforms, vision
from .core import config
from .core.config import get_seed, set_seed
from .engine import *  # noqa: F403  the public names are engine's
from .engine import __all__ as _engine

# `zip` of this module is `mindspore.dataset.zip`: columns side by side.
__all__ = [*_engine, "config", "get_seed", "set_seed", "transforms", "vision"]
