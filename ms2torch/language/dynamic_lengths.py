"""Sequences whose length a graph does not know (``mutable(x, True)``): all of their items are of one type."""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import DYNAMIC, LISTS, VARIABLE_INT
from ms2torch.language.builtin_functions import abstract_text

_NOT_ALIKE = "can not convert to dynamic length sequence."


def check(sequence) -> None:
    """ValueError or TypeError for items that a graph does not take in one such sequence."""
    begin = "In graph mode, the element {} of dynamic length array must be the same.The element "
    for number, item in enumerate(sequence):
        first = sequence[0]
        if _kind(item) != _kind(first):
            raise ValueError(f"{begin.format('type')}type do not match, {_NOT_ALIKE} The 0th element type "
                             f"is: {_kind(first)}. The {number}th element type is: {_kind(item)}")
        if not _alike(first, item, shapes=False):
            raise TypeError(f"{begin.format('shape')}do not match, {_NOT_ALIKE} The 0th element is: "
                            f"{_variable(first)}. The {number}th element shape is: {_variable(item)}")


def check_arguments(args: tuple) -> None:
    """The same of what a graph is called with."""
    for value in args:
        if hasattr(value, "__ms_dynamic_len__"):
            check(value)


def added(one, other, values):
    """``values``, which are ``one + other``, where the items are of one type."""
    begin = "For primitive SequenceAdd, the "
    if one and other and not _alike(one[0], other[0]):
        raise TypeError(f"{begin}element of first input abstract '{_item(one)}' is not same with the element "
                        f"of second input abstract '{_item(other)}'.")
    for part in (one, other):
        for number, item in enumerate(part):
            if not _alike(part[0], item):
                raise TypeError(f"{begin}sequence[0] item abstract '{_item(part)}' is not same with the "
                                f"sequence[{number}] item abstract '{abstract_text(item)}'.")
    return values


def appended(values, item) -> None:
    """TypeError for an item that may not be appended."""
    if values and not _alike(values[0], item):
        raise TypeError(f"For ListAppend, the mutable list existing item abstract '{_item(values)}' is not "
                        f"same with the new added item abstract '{abstract_text(item)}'.")
    if isinstance(item, (tuple, list, dict)):
        raise TypeError("The prim 'ListAppend', the input_data must be list and target must be scalar or "
                        f"tensor, but got {_item(values)} target is {abstract_text(item)}")


def written(values, index, item) -> None:
    """What is wrong with ``values[index] = item``."""
    if isinstance(index, slice):
        check([*values, *item])
        return
    if not values:
        raise RuntimeError("Empty variable len sequence can not setitem.")
    if not _alike(values[0], item):
        raise TypeError(
            "For list_setitem, when the queue is dynamic length, the element within dynamic length sequence "
            f"abstract '{_item(values)}' is not same with the target element abstract "
            f"'{abstract_text(item)}'.")
    if not -len(values) <= index < len(values):
        raise ValueError(f"idx is out of range: {-len(values)} <= idx < {len(values)}, but got {index}.")


def set_variable(values, index, item):
    """The list after ``values[index] = item``, where a graph knows no ``index``, or no length of ``item``."""
    if isinstance(index, slice):
        first, other = _first(values), _first(item)
        if any(map(is_variable, (index.start, index.stop, index.step))):
            check(values)
            check(item)
            if first is not None and other is not None and not _alike(first, other):
                raise TypeError("For SequenceSliceSetItem, the element within origin sequence abstract "
                                f"'{_variable(first)}' is not same with the element within target sequence "
                                f"abstract '{_variable(other)}'.")
        else:
            check(values)
        made = list(values)
        made[index] = item
        return DYNAMIC[1](made)
    begin = "For list_setitem, when the index is variable and the queue is constant length, the "
    for number, one in enumerate(values):
        if not _alike(values[0], one):
            raise TypeError(f"{begin}sequence[0] item abstract '{abstract_text(values[0])}' is not same with "
                            f"the sequence[{number}] item abstract '{abstract_text(one)}'.")
    if values and not _alike(values[0], item):
        first = _variable(values[0]) if values.__class__ is LISTS[1] else abstract_text(values[0])
        raise TypeError(f"{begin}element within constant length sequence abstract '{first}' is not same with "
                        f"the target element abstract '{abstract_text(item)}'.")
    if not -len(values) <= index < len(values):
        raise ValueError(f"idx is out of range: {-len(values)} <= idx < {len(values)}, but got {index}.")
    values[index] = item
    return values


def is_variable(index) -> bool:
    """Whether a graph knows no value of an index."""
    return isinstance(index, VARIABLE_INT)


def unknown(index, item) -> bool:
    """Whether a graph knows neither where ``[index] = item`` writes nor how much."""
    if isinstance(index, slice):
        return isinstance(item, DYNAMIC) or any(map(is_variable, (index.start, index.stop, index.step)))
    return is_variable(index)


def _first(values):
    return values[0] if len(values) else None


def not_mutable(value) -> TypeError:
    """The error of a graph that makes mutable what holds anything but numbers and Tensors."""
    seen: set = set()
    while isinstance(value, (tuple, list, dict)) and id(value) not in seen:
        seen.add(id(value))
        items = value.values() if isinstance(value, dict) else value
        value = next(v for v in items if not isinstance(v, (bool, int, float, Tensor)))
    return TypeError(
        "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or "
        f"their nested structures, but got {abstract_text(value)}")


def _kind(item) -> str:
    for kind, name in ((bool, "Bool"), (int, "int"), (float, "float"), (Tensor, "Tensor"), (tuple, "Tuple"),
                       (str, "String"), (list, "List"), (dict, "Dictionary")):
        if isinstance(item, kind):
            return name
    return type(item).__name__


def _alike(one, other, shapes: bool = True) -> bool:
    if _kind(one) != _kind(other):
        return False
    if isinstance(one, Tensor):
        return one.dtype == other.dtype and (not shapes or one.shape == other.shape)
    if isinstance(one, dict):
        return one.keys() == other.keys() and _alike([*one.values()], [*other.values()], shapes)
    if isinstance(one, (tuple, list)):
        same = len(one) == len(other) or not shapes
        return same and all(_alike(a, b, shapes) for a, b in zip(one, other, strict=False))
    return True


def _item(values) -> str:
    return _variable(values[0]) if hasattr(values, "__ms_dynamic_len__") else abstract_text(values[0])


def _variable(item) -> str:
    """An item of which the compiler knows the type alone."""
    if isinstance(item, (tuple, list)):
        items = ", ".join(f"element[{n}]: {_variable(v)}" for n, v in enumerate(item))
        return f"\nAbstract{_kind(item)}{{\n{items}, dynamic_len:0, is dyn arg:0}}\n"
    text = abstract_text(item)
    known = text.partition(", Value")[0]
    return text if isinstance(item, Tensor) else f"{known}, Value: ValueAny, Shape: NoShape)"
