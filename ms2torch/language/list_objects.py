"""Lists as objects: what `insert`, `extend`, `reverse` and `pop` do to a list that others hold too.

In a graph the name they are called on means another list from there on, and every other name reads what it
read before. The list itself is changed when the graph ends: who returns it, holds it or handed it in sees the
change. No gradient passes through what such a list holds afterwards. A list that was written by an index is
a value: nothing but its name changes.
"""

from __future__ import annotations

from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.mutable import LISTS


class _Lists:
    """Of one call of a graph: which list an earlier one became, and what is left to do to them."""

    def __init__(self) -> None:
        self.objects: dict = {}     # by id of a list that was made: (that list, what it stands for)
        self.values: dict = {}      # by id: lists that are values
        self.waiting: list = []     # (an object, what changes it)

    def settled(self, result):
        """``result``, which the graph hands out at its end, with the lists that its own ones stand for."""
        for held, change in self.waiting:
            change(held)
        return _with_objects(result, self.objects) if self.objects else result


def _of_this_call() -> _Lists:
    call = graph_streams.here.call
    if call is None:                # (none to settle them)
        return _Lists()
    if call.lists is None:
        call.lists = _Lists()
        call.leaving.append(call.lists.settled)
    return call.lists


def is_value(items: list) -> None:
    """``items`` was written by an index."""
    _of_this_call().values[id(items)] = items


def changed(items: list, change, written: bool = False):
    """(the list that ``items`` becomes by ``change``, what ``change`` gives). ``written``: its name is
    written by an index."""
    lists, new = _of_this_call(), items.__class__(items)
    given = change(new)
    if written or id(items) in lists.values:
        is_value(new)
        return new, given
    _, held = lists.objects.get(id(items), (None, items))
    lists.waiting.append((held, change))
    new[:] = map(_cut, new)
    lists.objects[id(new)] = new, held
    return new, _cut(given)


def appended(items: list, value) -> list:
    """The list that ``items`` becomes by ``append``."""
    new = items.__class__((*items, value))
    if id(items) in _of_this_call().values:
        is_value(new)
    return new


def _cut(value):
    if isinstance(value, Tensor) and value._t.requires_grad:
        return wrap(value._t.detach())
    return value


def _with_objects(value, objects: dict):
    if id(value) in objects:
        value = objects[id(value)][1]
    kind = value.__class__
    if kind in LISTS:
        value[:] = [_with_objects(v, objects) for v in value]
    elif kind is tuple:
        return tuple([_with_objects(v, objects) for v in value])
    elif kind is dict:
        for key, v in value.items():
            value[key] = _with_objects(v, objects)
    return value
