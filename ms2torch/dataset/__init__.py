"""Data pipelines (``mindspore.dataset``): sources, operations on rows, transforms, and iterators that give
Tensors.

Rows are numpy arrays; Tensors are made where an iterator hands them out. Image transforms take several rows
at once, in threads, with OpenCV's kernels where it is installed; all else, the user's own functions too, runs
in the calling thread. With a seed (`config.set_seed`) the order of rows and the random transforms are
MindSpore's own, for any number of threads.
"""

from . import callback, debug, text, transforms, utils, vision
from .callback import DSCallback, WaitedDSCallback
from .core import config
from .core.config import get_seed, set_seed
from .engine import *  # noqa: F403  the public names are engine's
from .engine import __all__ as _engine
from .utils.line_reader import LineReader

__all__ = [*_engine, "DSCallback", "LineReader", "WaitedDSCallback", "audio",  # noqa: F405  when used
           "callback", "compare", "config", "debug", "deserialize",
           "get_seed", "serialize", "set_seed", "show", "text", "transforms", "utils", "vision"]


def __getattr__(name):
    """What few use: ``audio``, ``from_torch``, what writes pipelines down; and ``context``, which r1.x
    programs found here too."""
    if name == "from_torch":
        from .engine._torch import from_torch
        return from_torch
    if name in ("compare", "deserialize", "serialize", "show"):
        from .engine import serializer_deserializer
        return getattr(serializer_deserializer, name)
    if name in ("audio", "context"):
        from importlib import import_module
        return import_module("ms2torch.context" if name == "context" else "ms2torch.dataset.audio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
