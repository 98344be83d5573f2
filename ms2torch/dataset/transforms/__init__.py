"""Transforms of any data (``mindspore.dataset.transforms``)."""

from .. import vision
from . import py_transforms_util, transforms, validators
from .transforms import (
    Compose,
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    RandomApply,
    RandomChoice,
    RandomOrder,
    Relational,
    Slice,
    TypeCast,
    Unique,
    not_random,
)

__all__ = ["Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "RandomApply",
           "RandomChoice", "RandomOrder", "Relational", "Slice", "TypeCast", "Unique", "not_random",
           "py_transforms_util", "transforms", "validators", "vision"]


def __getattr__(name):
    """The r1.x halves, imported when asked for."""
    if name in ("c_transforms", "py_transforms"):
        from importlib import import_module
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
