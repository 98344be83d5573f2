"""Where a program keeps numbers between its steps: attributes, globals, names of the function around, and
items of lists, dicts and tuples there.

Such a number is a constant of a step's graph until it changes; from then on it is an input, read at each
step. One that the step itself counts (``self.seen += 1``) is written after it.
"""

from __future__ import annotations

import contextlib
import types

from ms2torch._core.live_numbers import Live, is_number


class Place:
    """A name in the attributes of an object or class or among globals, or a cell of a closure (``name``
    None); ``path``: the keys that lead from what stands there to an item in it."""

    __slots__ = ("called", "holder", "key", "name", "path")

    def __init__(self, holder, name: str | None, called: str, path: tuple = ()) -> None:
        self.holder, self.name, self.path = holder, name, path
        self.called = called + "".join([f"[{key!r}]" for key in path])
        self.key = id(holder), name, *path

    def get(self):
        """What stands there; None where nothing does."""
        value = self._root()
        for key in self.path:
            try:
                value = value[key]
            except (LookupError, TypeError):
                return None
        return value

    def _root(self):
        if isinstance(self.holder, types.CellType):
            return self.holder.cell_contents
        holder = self.holder.__dict__ if isinstance(self.holder, type) else self.holder
        return holder.get(self.name)

    def set(self, value) -> None:
        """Put ``value`` there."""
        if self.path:
            root = self._root()
            value = _with(root, self.path, value)
            if value is root:
                return
        if isinstance(self.holder, types.CellType):
            self.holder.cell_contents = value
        elif isinstance(self.holder, type):
            setattr(self.holder, self.name, value)
        else:
            self.holder[self.name] = value


def _with(container, path: tuple, value):
    """``container`` with ``value`` as the item that ``path`` leads to; a tuple is made anew."""
    key, rest = path[0], path[1:]
    if rest:
        value = _with(container[key], rest, value)
    if container.__class__ is tuple:
        return (*container[:key], value, *container[key + 1:])
    container[key] = value
    return container


def can_hold(old, new) -> bool:
    """Whether a place had a number and has another of its kind."""
    if isinstance(old, Live) or isinstance(new, Live):
        return all(isinstance(value, (int, float)) and value.__class__ is not bool for value in (old, new))
    return is_number(old) and new.__class__ is old.__class__


@contextlib.contextmanager
def holding(values: list[tuple]):
    """A block in which other numbers stand in places: pairs of a Place and a value."""
    before = [(place, place.get()) for place, _ in values]
    for place, value in values:
        place.set(value)
    try:
        yield
    finally:
        for place, value in before:
            place.set(value)
