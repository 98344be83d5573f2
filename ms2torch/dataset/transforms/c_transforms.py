"""``mindspore.dataset.transforms.c_transforms``: the array half of r1.x's transforms."""

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
    Relational,
    Slice,
    TypeCast,
    Unique,
)

__all__ = ["Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "RandomApply",
           "RandomChoice", "Relational", "Slice", "TypeCast", "Unique"]
