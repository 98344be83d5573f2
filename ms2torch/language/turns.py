"""The turns of a loop that a Tensor ends, as random operators see them.

MindSpore compiles such a loop's body once: what draws there has one stream, which goes on from turn to turn.
Where the first turn changes what a variable is, from a value to what ``i += 1`` writes in place, the body is
compiled twice, for the first turn and for all later ones, and so is what follows the loop, for one that
ended before its second turn. A loop that constants end is written out: each turn draws for itself.
"""

from __future__ import annotations

import ast

from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor


def written(loop: ast.While, before: set) -> list[str]:
    """The names that a loop writes in place, of those that are there ``before`` it."""
    return sorted({n.target.id for n in ast.walk(loop)
                   if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)} & before)


class Turns:
    """One run of the ``number``-th `while` of a function: `go_on` is asked before each turn, `end` is told
    after the last. ``values`` are those of the names that it writes in place.

    Its turns and what follows are ways of the call (`graph_streams.Call.way`), with places of their own.
    """

    __slots__ = ("_asked", "_before", "_differs", "_going", "_number", "_way")

    def __init__(self, number: int, *values) -> None:
        self._number, self._asked, self._going = number, 0, False
        self._differs = any(value.__class__ is Tensor for value in values)
        self._before = self._way = None

    def go_on(self, condition):
        """``condition``; where it is a Tensor its truth, and a turn begins where that is True."""
        if not isinstance(condition, Tensor):
            return condition
        self._going, call = bool(condition), graph_streams.here.call
        self._asked += 1
        if self._going and call is not None:
            self._begin(call)
        return self._going

    def _begin(self, call) -> None:
        if self._asked == 1:
            self._way = call.way_of(self._number)
        if self._asked <= 1 + self._differs:
            self._before = call.places()
        else:                                       # (a turn that shares the places of one before)
            call.go_back_to(self._before)
        first = self._differs and self._asked == 1
        call.way = graph_streams.way(self._way, "first turn" if first else "turn")

    def end(self) -> None:
        """What follows, however many turns there were."""
        call = graph_streams.here.call
        if call is None or not self._asked:
            return
        ended = (self._asked == 1, self._going) if self._differs else ()
        call.way = graph_streams.way(self._way or call.way_of(self._number), "behind", *ended)
