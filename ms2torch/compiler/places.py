"""Where a program keeps numbers between its steps: attributes, globals, names of the function around.

Such a number is a constant of a step's graph until it changes; from then on it is an input, read at each
step. One that the step itself counts (``self.seen += 1``) is written after it.
"""

from __future__ import annotations

import contextlib
import types

from ms2torch._core.live_numbers import Live, is_number


class Place:
    """A name in the attributes of an object or class or among globals, or a cell of a closure (``name``
    None)."""

    __slots__ = ("called", "holder", "key", "name")

    def __init__(self, holder, name: str | None, called: str) -> None:
        self.holder, self.name, self.called = holder, name, called
        self.key = id(holder), name

    def get(self):
        """What stands there; None where nothing does."""
        if isinstance(self.holder, types.CellType):
            return self.holder.cell_contents
        holder = self.holder.__dict__ if isinstance(self.holder, type) else self.holder
        return holder.get(self.name)

    def set(self, value) -> None:
        """Put ``value`` there."""
        if isinstance(self.holder, types.CellType):
            self.holder.cell_contents = value
        elif isinstance(self.holder, type):
            setattr(self.holder, self.name, value)
        else:
            self.holder[self.name] = value


def can_hold(old, new) -> bool:
    """Whether a place had a number and has another of its kind."""
    if isinstance(old, Live):
        return isinstance(new, (int, float)) and new.__class__ is not bool
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
