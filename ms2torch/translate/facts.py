"""What a run told about the calls of a file.

A site's place is where the last name of what is called begins (``view`` in ``x.view(2)``), or, where that has
no name (``f(x)(y)``), where it ends: the calls of a chain all begin at one place. Lines count from 1, columns
from 0, in characters.
"""

from __future__ import annotations

from typing import NamedTuple

# What `Kind.value` keeps, and how long a text may be.
_PLAIN = (bool, int, float, str, type(None))
_LONGEST = 200


class Kind(NamedTuple):
    """What a value was: its type ("Tensor", "Parameter", "ndarray", "int"), and a Tensor's dtype and shape.

    ``value`` is that of a plain number, text, bool or tuple of them where it was the same at every call. A
    length that changed between calls is None in ``shape``, which is None where the rank did. ``type`` is
    "Cell", "Primitive", "function", "class" or "dtype" for these, and ``value`` then their name; a
    Parameter's is its own name.
    """

    type: str
    dtype: str = ""
    shape: tuple[int | None, ...] | None = None
    value: object = None

    def merged(self, other: Kind) -> Kind | None:
        """What is true of both; None where they are of different types."""
        if self == other and repr(self.value) == repr(other.value):
            return self
        if self.type != other.type and {self.type, other.type} != {"Tensor", "Parameter"}:
            return None
        return Kind(
            self.type if self.type == other.type else "Tensor",
            self.dtype if self.dtype == other.dtype else "",
            _shapes(self.shape, other.shape),
            self.value if repr(self.value) == repr(other.value) else None,
        )

    @classmethod
    def from_json(cls, row: list | None) -> Kind | None:
        """The opposite of JSON's lists."""
        return None if row is None else cls(row[0], row[1], _tuple(row[2]), _tuple(row[3]))


def _tuple(value):
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _shapes(one, two):
    if one is None or two is None or len(one) != len(two):
        return None
    return tuple(a if a == b else None for a, b in zip(one, two, strict=True))


def plain(value) -> object:
    """A plain value, or a tuple of them, as `Kind.value` keeps it; None for others."""
    if isinstance(value, (tuple, list)):
        return tuple(value) if len(value) < 9 and all(type(v) in _PLAIN for v in value) else None
    return value if type(value) in _PLAIN and len(str(value)) <= _LONGEST else None


class Fact(NamedTuple):
    """What stood at one call: the MindSpore name that it resolved to, its arguments' kinds, how often it ran.

    A method's ``arguments`` begin with the object that it belongs to. Kinds that differed between calls are
    None. A call of an instance of a MindSpore class is named ``mindspore.ops.Add()``. ``name`` is empty for
    what is not MindSpore's, and where it changed; ``callee`` is then the Python name. An attribute that is
    read, not called, has itself as name (``mindspore.Tensor.shape``) and the object that it belongs to as
    its one argument. ``starred`` says that arguments were unpacked: they are listed as they arrived.
    """

    name: str
    arguments: tuple[Kind | None, ...] = ()
    keywords: dict[str, Kind | None] = {}
    calls: int = 1
    result: Kind | None = None
    callee: str = ""
    starred: bool = False

    def merged(self, other: Fact) -> Fact:
        """What is true of the calls of both."""
        same = len(self.arguments) == len(other.arguments)
        return Fact(
            self.name if self.name == other.name else "",
            tuple(map(_both, self.arguments, other.arguments)) if same else (),
            {k: _both(v, other.keywords[k]) for k, v in self.keywords.items() if k in other.keywords},
            self.calls + other.calls,
            _both(self.result, other.result),
            self.callee if self.callee == other.callee else "",
            self.starred or other.starred,
        )

    @classmethod
    def from_json(cls, row: list) -> Fact:
        """The opposite of JSON's lists."""
        name, arguments, keywords, calls, result, callee, starred = row
        kind = Kind.from_json
        given = {key: kind(value) for key, value in keywords.items()}
        return cls(name, tuple(map(kind, arguments)), given, calls, kind(result), callee, starred)


def _both(one: Kind | None, two: Kind | None) -> Kind | None:
    return None if one is None or two is None else one.merged(two)


class Facts(dict):
    """Facts of one file by the place of the call's name."""

    def at(self, line: int, column: int) -> Fact | None:
        """The fact for the call at a line (from 1) and a column (from 0, in characters)."""
        return self.get((line, column))

    def add(self, place: tuple[int, int], fact: Fact) -> None:
        """Take in one more call."""
        known = self.get(place)
        self[place] = fact if known is None else known.merged(fact)

    def as_json(self) -> list:
        """Rows for a file."""
        return [[*place, fact] for place, fact in sorted(self.items())]

    @classmethod
    def from_json(cls, rows: list) -> Facts:
        """The opposite of `as_json`."""
        return cls({(line, column): Fact.from_json(row) for line, column, row in rows})
