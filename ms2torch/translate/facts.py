"""What a run told about the calls of a file."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """What a value was: its type ("Tensor", "Parameter", "ndarray", "int"), and a Tensor's dtype and shape.

    ``value`` is that of a plain number, text, bool or tuple of them where it was the same at every call.
    """

    type: str
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    value: object = None


class Fact(NamedTuple):
    """What stood at one call: the MindSpore name that it resolved to, its arguments' kinds, how often it ran.

    A method's ``arguments`` begin with the object that it belongs to. Kinds that differed between calls are
    None.
    """

    name: str
    arguments: tuple[Kind | None, ...] = ()
    keywords: dict[str, Kind | None] = {}
    calls: int = 1
    result: Kind | None = None


class Facts(dict):
    """Facts of one file by the place of the call's name: see `site_of`."""

    def at(self, line: int, column: int) -> Fact | None:
        """The fact for the call at a line (from 1) and a column (from 0, in characters)."""
        return self.get((line, column))
