"""``==`` and ``!=`` of lists and tuples in a graph: among constants equal numbers of two types are not equal.

``1 == 1.0`` is True, ``(1,) == (1.0,)`` is False. What is `mutable` is compared as Python does.
"""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import is_mutable

_NUMBERS = (bool, int, float, Tensor)


def equal(one, other):
    """``one == other``."""
    found = one == other
    if one.__class__ is tuple or one.__class__ is list:
        return found and _of_one_type(one, other)
    return found


def unequal(one, other):
    """``one != other``."""
    if one.__class__ is tuple or one.__class__ is list:
        return not equal(one, other)
    return one != other


def _of_one_type(one, other) -> bool:
    """Whether the numbers in two equal sequences have the same types; a Tensor is no number."""
    if is_mutable(one) or is_mutable(other):
        return True
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return all(map(_of_one_type, one, other))
    return one.__class__ is other.__class__ or not (one.__class__ in _NUMBERS and other.__class__ in _NUMBERS)
