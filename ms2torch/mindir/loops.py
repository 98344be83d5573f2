"""Loops on values, while torch's exporter traces a graph: torch.while_loop.

Where each turn comes back to the loop's header and the header asks whether to go on, that is a while_loop as
it stands. A loop that is left in the middle (break, return), or whose header asks nothing, carries which of
its ends a turn came to and the arguments of each end; what follows the loop is chosen by that.
"""

from __future__ import annotations

import torch

from ms2torch._core.tensor.tensor import Tensor, wrap

from .branching import (
    KINDS,
    Back,
    Choice,
    Closure,
    Landing,
    Leaf,
    Operands,
    Stops,
    Tail,
    Untold,
    Way,
    condition,
    fitted,
    flat,
    landed,
    lifted,
    lowered,
    reached,
    results,
    same,
    whole,
)
from .graph import Graph

UNKNOWN = "its loops are of a form that is not known"
_NUMBERS = (bool, int, float, torch.SymInt, torch.SymFloat)


def goes_round(run, header: Graph, found: Choice, stops: Stops) -> bool:
    """Whether a branch that a graph ends with may come back to the graph."""
    return header.name in reached(run.program, found, stops)


def looped(run, header: Closure, stops: Stops) -> Closure | Choice:
    """What follows a loop, with the arguments that it has after the last turn."""
    graph, values = header
    around = reached(run.program, graph, stops)
    functions = run.program.functions
    left = {n for n in around if n in stops or graph.name not in reached(run.program, functions[n], stops)}
    ends_at = dict.fromkeys([*stops, graph.name, *sorted(left)])
    for _ in range(len(values) + 1):
        first = run.choice(Closure(graph, _fresh(values)))
        ends = _ends(run, first, ends_at)
        turns = [end.values for end in ends if end.header == graph.name]
        if any(len(turn) != len(values) for turn in turns):
            raise Untold(UNKNOWN)
        moves = tuple(any(not _unmoved(v, turn[i]) for turn in turns) for i, v in enumerate(values))
        numbers = {i for i, v in enumerate(values) if moves[i] and isinstance(v, _NUMBERS)}
        if not numbers:
            break
        values = tuple(_as_tensor(v) if i in numbers else v for i, v in enumerate(values))
    if not turns:
        return first
    loop = _Loop(run, graph, values, moves, stops, around)
    sides = [isinstance(c, Closure) and c.graph.name in left for c in (first.yes, first.no)]
    if sum(sides) == 1 and len(ends) == len(turns) + 1:
        return loop.plain(sides.index(False))
    return loop.with_ends(ends, left)


class _Loop:
    """A loop whose header's changing arguments are carried, and the others as they are."""

    def __init__(self, run, header: Graph, values: tuple, moves: tuple, stops: Stops, around: set) -> None:
        self.run, self.header, self.values, self.moves = run, header, values, moves
        self.stops = dict.fromkeys(stops)
        self.state: list = []
        self.structure = flat(tuple(v for v, m in zip(values, moves, strict=True) if m), self.state)
        self.state = list(results(self.state))
        still = tuple(None if m else v for v, m in zip(values, moves, strict=True))
        self.operands = Operands(run, still, around - set(stops))

    def arguments(self, still: tuple, tensors) -> tuple:
        """The header's arguments with these tensors."""
        moved = iter(whole(self.structure, [wrap(t) for t in tensors]))
        return tuple(next(moved) if m else v for m, v in zip(self.moves, still, strict=True))

    def way(self) -> Way:
        """The turns that come back."""
        return Way(self.moves, self.structure, tuple(map(wrap, self.state)))

    def plain(self, body: int) -> Closure:
        """As while_loop has it: ``body`` says which side of the header's branch goes on."""
        count, stops = len(self.state), self.stops | {self.header.name: None}

        def now(given):
            inner, still = self.operands.inside(given[count:])
            return inner, inner.choice(Closure(self.header, self.arguments(still, given[:count])))

        def goes_on(*given):
            asked = condition(now(given)[1])
            return asked if body == 0 else asked.logical_not()

        def step(*given):
            inner, found = now(given)
            after = inner.call(found[1 + body], stops)
            like = self.way()._replace(blanks=tuple(map(wrap, given[:count])))
            return results(fitted(like, after.values))

        operands = tuple(self.operands.given)
        values = torch.ops.higher_order.while_loop(goes_on, step, tuple(self.state), operands)
        last = self.run.choice(Closure(self.header, self.arguments(self.values, values)))
        return last[2 - body]

    def with_ends(self, ends: list[Back], left: set[str]) -> Closure | Choice:
        """With the number of the end that the last turn took, and the arguments of each end."""
        ways, kept = {self.header.name: self.way()}, {}
        for name in dict.fromkeys(end.header for end in ends if end.header != self.header.name):
            ways[name], kept[name] = self._leaves([end.values for end in ends if end.header == name])
        counts = [len(way.blanks) for way in ways.values()]
        blanks = [t._t for way in list(ways.values())[1:] for t in way.blanks]
        start = [torch.zeros((), dtype=torch.int64), *self.state, *blanks]
        stops = {name: None for name in (*self.stops, *left) if name not in ways}

        def goes_on(which, *_):
            return which == 0

        def step(which, *given):
            inner, still = self.operands.inside(given[sum(counts) :])
            slots, at = {}, 0
            for (name, way), count in zip(ways.items(), counts, strict=True):
                slots[name] = way._replace(blanks=tuple(map(wrap, given[at : at + count])))
                at += count
            now = stops | slots
            found = inner.choice(Closure(self.header, self.arguments(still, given[: counts[0]])))
            after = landed(inner.call(found, now), now)
            if not isinstance(after, Landing):
                raise Untold(UNKNOWN)
            return results([after.which, *(t for slot in after.slots for t in slot)])

        which, *values = torch.ops.higher_order.while_loop(
            goes_on, step, tuple(start), tuple(self.operands.given)
        )
        after, at = [], counts[0]
        for (name, way), count in zip(list(ways.items())[1:], counts[1:], strict=True):
            moved = iter(whole(way.structure, [wrap(t) for t in values[at : at + count]]))
            at += count
            given = tuple(next(moved) if m else v for m, v in zip(way.moves, kept[name], strict=True))
            after.append(Closure(self.run.program.functions[name], given))
        found = after[-1]
        for number in range(len(after) - 1, 0, -1):
            found = Choice(wrap(which == number), after[number - 1], found)
        return found

    def _leaves(self, ends: list[tuple]) -> tuple[Way, tuple]:
        """How the arguments of a graph outside are carried, and those that no turn changes."""
        if len({len(values) for values in ends}) > 1:
            raise Untold(KINDS)
        leaves: list = []
        flat(tuple(v for v, m in zip(self.values, self.moves, strict=True) if not m), leaves)
        still = {id(lowered(leaf)) for leaf in leaves}
        moves, forms, blanks = [], [], []
        for several in zip(*ends, strict=True):
            found: list = []
            flat(several[0], found)
            moves.append(any(id(lowered(t)) not in still for t in found) or not all(
                _unmoved(several[0], one) for one in several))
            if moves[-1]:
                forms.append(_form(several, blanks))
        return Way(tuple(moves), tuple(forms), tuple(blanks)), ends[0]


def _form(several: tuple, blanks: list):
    """The structure that some values have in common, with blank tensors for what differs."""
    one = several[0]
    tensor = next((v for v in several if isinstance(v, Tensor)), None)
    if tensor is not None or (isinstance(one, _NUMBERS) and not all(same(one, v) for v in several)) or (
        isinstance(one, (torch.SymInt, torch.SymFloat))):  # fmt: skip
        like = lowered(tensor if tensor is not None else _as_tensor(next(
            (v for v in several if isinstance(v, (float, torch.SymFloat))), one)))
        tensors = [v._t for v in several if isinstance(v, Tensor)]
        if any(t.dtype is not like.dtype or t.ndim != like.ndim for t in tensors):
            raise Untold(KINDS)
        blanks.append(wrap(torch.zeros(like.shape, dtype=like.dtype)))
        return Leaf(len(blanks) - 1)
    if isinstance(one, (tuple, list)):
        if any(type(v) is not type(one) or len(v) != len(one) for v in several):
            raise Untold(KINDS)
        parts = [_form(part, blanks) for part in zip(*several, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
    if not all(same(one, v) for v in several):
        raise Untold(KINDS)
    return one


def _ends(run, called: Closure | Choice, stops: Stops) -> list[Back]:
    """All ends that a turn may come to."""
    found, ahead = [], [called]
    while ahead:
        one = ahead.pop()
        if isinstance(one, Choice):
            ahead += [_fresh(one.no), _fresh(one.yes)]
            continue
        after = run.further(one, stops)
        if isinstance(after, Tail):
            ahead.append(after.closure)
        elif isinstance(after, Back):
            found.append(after)
        else:
            raise Untold(UNKNOWN)
    return found


def _fresh(value):
    """The same values in Tensors that a turn may write to."""
    leaves: list = []
    structure = flat(value, leaves)
    return whole(structure, [lifted(lowered(leaf)) for leaf in leaves])


def _unmoved(before, new) -> bool:
    one: list = []
    other: list = []
    alike = same(flat(before, one), flat(new, other))
    return alike and all(lowered(a) is lowered(b) for a, b in zip(one, other, strict=True))


def _as_tensor(value) -> Tensor:
    dtype = torch.bool if isinstance(value, bool) else (
        torch.float32 if isinstance(value, (float, torch.SymFloat)) else torch.int64)  # fmt: skip
    return wrap(torch.scalar_tensor(value, dtype=dtype))
