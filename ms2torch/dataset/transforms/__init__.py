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
