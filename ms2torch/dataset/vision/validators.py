"""Argument checks of the image transforms, with MindSpore's words."""

from __future__ import annotations

import numbers

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    INT32_MAX,
    check_float32,
    check_uint8,
    check_value,
    type_check,
    type_check_list,
)
from .utils import Border, Inter


def check_size(size) -> None:
    """A side, or (height, width)."""
    type_check(size, (int, list, tuple), "size")
    if isinstance(size, int):
        check_value(size, (1, FLOAT_MAX_INTEGER))
    elif len(size) == 2:
        for i, value in enumerate(size):
            type_check(value, (int,), f"size[{i}]")
            check_value(value, (1, FLOAT_MAX_INTEGER))
    else:
        raise TypeError("Size should be a single integer or a list/tuple (h, w) of length 2.")


def check_resized(size) -> None:
    """The size of a transform that resizes: a side, which may be True, or (height, width)."""
    if isinstance(size, int):
        check_value(size, (1, FLOAT_MAX_INTEGER))
    elif isinstance(size, (list, tuple)) and len(size) == 2:
        for i, value in enumerate(size):
            type_check(value, (int,), f"size at dim {i}")
            check_value(value, (1, INT32_MAX), f"size at dim {i}")
    else:
        raise TypeError("Size should be a single integer or a list/tuple (h, w) of length 2.")


def check_interpolation(interpolation) -> None:
    if interpolation is None:
        raise KeyError("Interpolation should not be None")
    type_check(interpolation, (Inter,), "interpolation")


def check_mean_std(mean, std) -> None:
    """Equally many means in [0, 255] and deviations in (0, 255]."""
    type_check(mean, (list, tuple), "mean")
    type_check(std, (list, tuple), "std")
    if len(mean) != len(std):
        raise ValueError("Length of mean and std must be equal.")
    for name, values in (("mean", mean), ("std", std)):
        for i, value in enumerate(values):
            type_check(value, (int, float), f"{name}[{i}]")
            check_value(value, [0, 255], f"{name}[{i}]", left_open_interval=name == "std")


def check_rescale(rescale, shift) -> None:
    for name, value in (("rescale", rescale), ("shift", shift)):
        type_check(value, (numbers.Number,), name)
        check_float32(value, name)


def check_padding(padding) -> None:
    type_check(padding, (tuple, list, numbers.Number), "padding")
    if isinstance(padding, numbers.Number):
        type_check(padding, (int,), "padding")
        check_value(padding, (0, INT32_MAX), "padding")
        return
    if len(padding) not in (2, 4):
        raise ValueError("The size of the padding list or tuple should be 2 or 4.")
    for i, value in enumerate(padding):
        type_check(value, (int,), f"padding[{i}]")
        check_value(value, (0, INT32_MAX), "pad_value")


def check_fill_value(fill_value) -> None:
    if isinstance(fill_value, int):
        check_uint8(fill_value, "fill_value")
    elif isinstance(fill_value, tuple) and len(fill_value) == 3:
        for i, value in enumerate(fill_value):
            check_uint8(value, f"fill_value[{i}]")
    else:
        raise TypeError("fill_value should be a single integer or a 3-tuple.")


def check_border(padding_mode) -> None:
    type_check(padding_mode, (Border,), "padding_mode")


def check_positive_degrees(degrees) -> None:
    """(smallest, largest), neither below 0."""
    if degrees is None:
        return
    if not isinstance(degrees, (list, tuple)):
        raise TypeError("degrees must be either a tuple or a list.")
    type_check_list(degrees, (int, float), "degrees")
    if len(degrees) != 2:
        raise ValueError("degrees must be a sequence with length 2.")
    for degree in degrees:
        check_value(degree, (0, FLOAT_MAX_INTEGER))
    if degrees[0] > degrees[1]:
        raise ValueError("degrees should be in (min,max) format. Got (max,min).")
