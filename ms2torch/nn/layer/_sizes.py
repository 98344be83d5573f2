"""Kernel sizes, strides and paddings as tuples, with MindSpore's words where they are no such thing."""

from __future__ import annotations

from ms2torch._core.checks.words import type_name


def pair(value) -> tuple[int, int]:
    """An int or a 2-tuple of ints as a 2-tuple."""
    if isinstance(value, int):
        return value, value
    if not isinstance(value, tuple):
        raise TypeError("When expanding an int number to tuple, input type must be integer or tuple[int], "
                        f"but got {type(value)}")
    if len(value) != 2:
        raise TypeError("When expanding an int number to tuple, input tuple dimension must be 2, but got "
                        f"{value}")
    for n in value:
        if not isinstance(n, int):
            raise TypeError("When expanding an int number to tuple, the type of element in input tuple must "
                            f"be an integer, but got {type(n)}.")
    return value


def triple(value, name: str, cell: str, lowest: int = 1) -> tuple[int, int, int]:
    """An int or a 3-tuple of ints (or its (1, 1, d, h, w) form) as a 3-tuple."""
    given = value
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * 3
    elif not isinstance(value, tuple):
        raise TypeError(f"For '{cell}', the type of '{name}' should be one of '['int', 'tuple']', "
                        f"but got type '{type_name(value)}'.")
    if len(value) == 5:
        value = value[2:]
    if len(value) != 3 or not all(isinstance(v, int) and v >= lowest for v in value):
        sizes = "positive integer" if lowest else "non-negative integer"
        raise ValueError(f"For '{cell}', the parameter '{name}' must be an {sizes} or a tuple of three "
                         f"{sizes}, but got {given}")
    return value
