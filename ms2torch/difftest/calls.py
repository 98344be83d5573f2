"""Which call of a port's Module stands for a call of a Cell: of several the one that is given the same.

A port may call two branches in another order or as one batch, give an expert its own samples alone, or take
its arguments in another order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import apart
from .trace import with_array

# More elements than this are not searched for their rows.
_MANY = 1 << 24


@dataclass
class Call:
    """A call of a Module, by its number, and how it is to be read."""

    module: str
    number: int
    # The port's inputs, where they have another number.
    inputs: dict[int, int] = field(default_factory=dict)
    # Other calls that are given the very same: which of them is which their gradients tell.
    same: tuple[int, ...] = ()
    # The rows that both sides have, in order, and how many rows each has, where these are not all.
    rows: tuple[np.ndarray, np.ndarray] | None = None
    whole: tuple[int, int] = (0, 0)

    def index(self, r: dict) -> int:
        """The port's number of a record's input, or of its gradient; outputs keep theirs."""
        return self.inputs.get(r["index"], r["index"]) if r["role"].endswith("input") else r["index"]

    def both(self, r: dict, other: dict) -> tuple[dict, dict]:
        """Two records of the call, of the rows that both sides have."""
        if self.rows is None:
            return r, other
        sides = zip((r, other), self.rows, self.whole, strict=True)
        return tuple(_taken(each, places, whole) for each, places, whole in sides)


class Calls:
    """The calls of one step on both sides."""

    def __init__(self, left: list[dict], right: list[dict], named) -> None:
        """``named`` has the name in MindSpore's tree of what a record names."""
        self._left, self._right = _given(left, named), _given(right, str)
        self._known: dict[tuple[str, int], tuple[Call | None, float]] = {}
        # The rows that stood for a call of so many, by its number and how many both sides have.
        self._taken: dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]] = {}

    def of(self, cell: str, call: int, module: tuple[str, int], tolerance: float) -> Call:
        """What stands for a call of ``cell``, where ``module`` does by its name and number. Inputs may be
        ``tolerance`` of their norm apart."""
        found, looked = self._known.get((cell, call), (None, 0.0))
        if found is None and tolerance > 2 * looked:
            found = self._found(self._left.get((cell, call), {}), *module, tolerance)
            if found is not None and found.rows is not None:
                self._taken.setdefault((call, *found.whole), found.rows)
            self._known[cell, call] = found, tolerance
        return found or self._as_before(cell, call, *module)

    def _as_before(self, cell: str, call: int, module: str, number: int) -> Call:
        """A call that is given something else: of a port that calls its layers once for several batches, the
        rows that stood for this batch in the layers before."""
        mine = self._left.get((cell, call), {}).get(0)
        for n in (number, 0) if mine else ():
            theirs = self._right.get((module, n), {}).get(0)
            whole = tuple(r["shape"][0] if r and r["shape"] else 0 for r in (mine, theirs))
            rows = self._taken.get((call, *whole))
            if rows is not None:
                return Call(module, n, rows=rows, whole=whole)
        return Call(module, number)

    def _found(self, mine: dict[int, dict], module: str, number: int, tolerance: float) -> Call | None:
        others = [n for name, n in self._right if name == module and n != number]
        first = mine.get(0)
        for n in (number, *others) if first else ():
            theirs = self._right.get((module, n), {})
            for index in sorted(theirs, key=bool):
                if _agree(first, theirs[index], tolerance):
                    given = _hashes(theirs)
                    same = tuple(m for m in (number, *others) if m != n
                                 and _hashes(self._right.get((module, m), {})) == given)
                    return Call(module, n, _ordered(mine, theirs, tolerance), same)
                rows = _shared_rows(first, theirs[index], tolerance)
                if rows:
                    whole = first["shape"][0], theirs[index]["shape"][0]
                    return Call(module, n, {0: index}, rows=rows, whole=whole)
        return None


    def left_over(self, cells: dict[str, str]) -> tuple[list[str], list[str]]:
        """The calls on both sides, in words, that nothing on the other side stands for, of paired Cells."""
        found: tuple[list[str], list[str]] = [], []
        for cell, module in cells.items():
            one, two = ([n for name, n in side if name == here]
                        for side, here in ((self._left, cell), (self._right, module)))
            stand = [self._known.get((cell, n), (None,))[0] or Call(module, n) for n in one]
            if two and any(call.number not in two for call in stand):
                found[0].append(f"{cell} ({len(one)} to {len(two)})")
            if one and set(two) - {n for call in stand for n in (call.number, *call.same)}:
                found[1].append(f"{module} ({len(two)} to {len(one)})")
        return found


def _given(records: list[dict], named) -> dict[tuple[str, int], dict[int, dict]]:
    """What each call of each Cell is given, by index."""
    found: dict[tuple[str, int], dict[int, dict]] = {}
    for r in records:
        if (r["stage"], r["role"]) == ("forward", "input"):
            found.setdefault((named(r["where"]), r["call"]), {})[r["index"]] = r
    return found


def _hashes(given: dict[int, dict]) -> dict[int, str]:
    return {index: r["stats"]["hash"] for index, r in given.items()}


def _agree(mine: dict, theirs: dict, tolerance: float) -> bool:
    if not apart.alike(mine, theirs):
        return False
    return apart.gap(mine, theirs) <= (tolerance if apart.kind(mine) == "f" else 0.0)


def _ordered(mine: dict[int, dict], theirs: dict[int, dict], tolerance: float) -> dict[int, int]:
    """The port's numbers of inputs that agree with others than those of their own number."""
    free, found = set(theirs), {}
    for own in (True, False):
        for i, r in mine.items():
            fitting = (j for j in sorted(free) if (j == i) == own and _agree(r, theirs[j], tolerance))
            j = None if i in found else next(fitting, None)
            if j is not None:
                found[i] = j
                free.discard(j)
    return found


def _shared_rows(mine: dict, theirs: dict, tolerance: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The places of the rows of one side, in order, and of the same in the other, where the two have another
    number of rows and each of the fewer is among the more; else None."""
    if not all(r.get("array") is not None and len(r["shape"]) > 1 for r in (mine, theirs)):
        return None
    if mine["shape"][1:] != theirs["shape"][1:] or mine["shape"][0] == theirs["shape"][0]:
        return None
    one, two = (np.asarray(r["array"], np.float64).reshape(r["shape"][0], np.prod(r["shape"][1:], dtype=int))
                for r in (mine, theirs))
    swapped = len(one) > len(two)
    few, many = (two, one) if swapped else (one, two)
    if len(few) * many.size > _MANY:
        return None
    allowed = tolerance * apart.norm(few) / np.sqrt(max(len(few), 1))
    free, places = np.ones(len(many), bool), []
    for row in few:
        gaps = np.where(free, np.linalg.norm(many - row, axis=1), np.inf)
        place = int(gaps.argmin())
        if not gaps[place] <= allowed:
            return None
        free[place] = False
        places.append(place)
    order = np.arange(len(few)), np.asarray(places, int)
    return order[::-1] if swapped else order


def _taken(r: dict, places: np.ndarray, whole: int) -> dict:
    """A record with these rows alone, if it has a row for each of the ``whole``."""
    if r.get("array") is None or not r["shape"] or r["shape"][0] != whole:
        return r
    made = with_array(r, r["array"][places])
    made["stats"]["hash"] = r["stats"]["hash"]  # by which flows.Flow knows it
    return made
