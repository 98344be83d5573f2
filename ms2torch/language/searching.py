"""Looking for values in lists and tuples: ``in``, ``index`` and ``count``.

Among constants a value equals what has its type and its value; where an argument is among them a graph
compares when it runs, as Python does. ``varies`` tells which: whether the source follows from an argument.
"""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.mutable import _OfAnyLength
from ms2torch.common.parameter import Parameter


def contained(item, holder, varies: bool, moved: bool):
    """``item in holder``; ``moved``: a method moved the holder's items before, which makes them variable."""
    if holder.__class__ not in (list, tuple) and not (
            isinstance(holder, (list, tuple)) and hasattr(holder, "__ms_mutable__")):
        return item in holder
    if isinstance(item, Tensor):
        alike = _alike(item, holder)
        found = any((item._t == other._t).all().item() for other in alike)
        return found if isinstance(holder, _OfAnyLength) else wrap(torch.tensor(found))
    tensors = [other for other in holder if isinstance(other, Tensor)]
    of_tensors = tensors and len(_alike(tensors[0], holder)) == len(holder)
    if varies and of_tensors and isinstance(item, (int, float)):
        raise TypeError("For InSequence, the list existing item abstract 'Tensor' is not same with the new "
                        f"added item abstract '{type(item).__name__}'.")
    found = any(_equal(other, item) for other in holder)
    return wrap(torch.tensor(found)) if moved and not tensors else found


def missing(item, holder, varies: bool, moved: bool):
    """``item not in holder``."""
    found = contained(item, holder, varies, moved)
    if not isinstance(found, Tensor):
        decided = (not varies or not isinstance(item, (int, float)) or holder.__class__ not in (list, tuple)
                   or not any(map(holds_tensor, holder)))
        return not found if decided else wrap(torch.tensor(not found))
    return wrap(~found._t) if moved or _alike(item, holder) else True


def _alike(item: Tensor, holder) -> list:
    """The Tensors of a sequence that may equal ``item``: of its shape and dtype."""
    return [other for other in holder if isinstance(other, Tensor)
            and other._t.shape == item._t.shape and other._t.dtype == item._t.dtype]


def index(holder, item, varies: bool, *bounds):
    """``holder.index(item, *bounds)``."""
    if holder.__class__ not in (list, tuple):
        return holder.index(item, *bounds)
    equal = _comparison(holder, item, varies)
    for place in range(*slice(*bounds, *[None] * (2 - len(bounds))).indices(len(holder))):
        if equal(holder[place], item):
            return place
    raise ValueError(f"{item} is not in {'list' if equal is _equal else holder}")


def count(holder, item, varies: bool):
    """``holder.count(item)``."""
    if holder.__class__ not in (list, tuple):
        return holder.count(item)
    equal = _comparison(holder, item, varies)
    return sum(equal(other, item) for other in holder)


def _comparison(holder, item, varies: bool):
    parts = [item, *holder]
    of_the_run = any(isinstance(part, Parameter) or (varies and holds_tensor(part)) for part in parts)
    return _equal if of_the_run else _same


def holds_tensor(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(holds_tensor, value))
    return isinstance(value, Tensor)


def _same(one, other) -> bool:
    """Whether two constants are one: in type, and in all that is in them."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return bool(_alike(one, [other])) and torch.equal(one._t, other._t)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _equal(one, other) -> bool:
    """Whether two values are equal as a graph compares them when it runs."""
    if isinstance(one, (list, tuple)) and type(one) is type(other):
        return len(one) == len(other) and all(map(_equal, one, other))
    found = one == other
    if isinstance(found, Tensor) and found._t.numel() > 1:
        raise final(ValueError(f"The tensor should have only one element, but got {found._t.numel()}, more "
                               "than one element is ambiguous."))
    return bool(found)
