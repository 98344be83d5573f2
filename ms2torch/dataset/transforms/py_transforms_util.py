"""Helpers that programs import from ``mindspore.dataset.transforms.py_transforms_util``."""

from __future__ import annotations

from enum import IntEnum


class Implementation(IntEnum):
    """Which side computes a transform in MindSpore: its C++ library, or Python over PIL."""

    C = 0
    PY = 1


def compose(transforms, *args):
    """Apply callables in order; each gets what the one before gave, a tuple as several arguments."""
    for transform in transforms:
        args = transform(*args)
        args = args if isinstance(args, tuple) else (args,)
    return args
