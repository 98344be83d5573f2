"""Branches and loops on values, while torch's exporter traces a graph: torch.cond and torch.while_loop.

A graph branches by ``Switch`` between two closures, whose call is the last thing it does, and loops by a call
of itself from one of them. A loop's *header* is the graph that one of its branches comes back to.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from ms2torch._core.tensor.tensor import Tensor, wrap

from .graph import Graph


class Closure(NamedTuple):
    """A graph with its first arguments."""

    graph: Graph
    given: tuple

    def applied(self, values) -> Closure:
        """With further arguments."""
        return Closure(self.graph, (*self.given, *values))


class Choice(NamedTuple):
    """A branch that waits for a value: which of two closures is called."""

    condition: Tensor
    yes: Closure
    no: Closure

    def applied(self, values) -> Choice:
        """With further arguments for both."""
        return Choice(self.condition, self.yes.applied(values), self.no.applied(values))


class Back(NamedTuple):
    """What a turn of a loop ends with: the header's next arguments."""

    header: str
    values: tuple


class Untold(Exception):
    """A branch that cannot be written, and why."""


_LEFT = "it leaves a loop in the middle (break or return), which torch.while_loop has not"


def waits(value) -> bool:
    """Whether a branch by ``value`` has to be written into the program that is being traced."""
    return torch.compiler.is_compiling() and isinstance(value, Tensor)


def choice(condition, one, other):
    """What a Switch by a value that is not known yet gives."""
    if isinstance(one, Closure) and isinstance(other, Closure):
        return Choice(condition, one, other)
    if isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape:
        return wrap(torch.where(condition._t, one._t, other._t))
    raise Untold("it chooses between values of different kinds")


# ---- Tensors of a structure, and the structure without them


class _Leaf(NamedTuple):
    place: int


def _flat(value, found: list):
    """The structure, with its tensors and open sizes (put into ``found``) by their places."""
    if isinstance(value, (Tensor, torch.SymInt)):
        found.append(value)
        return _Leaf(len(found) - 1)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_flat(v, found) for v in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_flat(v, found) for v in value)
    return value


def _whole(structure, leaves):
    if isinstance(structure, _Leaf):
        return leaves[structure.place]
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_whole(v, leaves) for v in structure))
    if isinstance(structure, (tuple, list)):
        return type(structure)(_whole(v, leaves) for v in structure)
    return structure


def _same(one, other) -> bool:
    """Whether two structures are equal; graphs and tokens are by identity."""
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(_same, one, other))
    return one is other or (
        isinstance(one, (int, float, str, bool)) and type(one) is type(other) and one == other)  # fmt: skip


def _lowered(leaf):
    return leaf._t if isinstance(leaf, Tensor) else leaf


def _lifted(leaf):
    return wrap(leaf) if isinstance(leaf, torch.Tensor) else leaf


def _results(leaves) -> tuple:
    """As a branch must give them: memory of its own."""
    return tuple(torch.as_tensor(_lowered(leaf)).clone() for leaf in leaves)


# ---- branches and loops


def reached(program, graph: Graph, stops=frozenset()) -> set[str]:
    """Names of the graphs that a call of ``graph`` may come to, without going through ``stops``."""
    found, ahead = set(), [graph.name]
    while ahead:
        name = ahead.pop()
        if name in found:
            continue
        found.add(name)
        if name not in stops:
            for node in program.functions[name].nodes:
                ahead += [n for n in (*node.inputs, node.callee) if n in program.functions]
    return found


class _Operands:
    """What branches are given: tensors of their closures, parameters and constants that their graphs name."""

    def __init__(self, run, value, graphs) -> None:
        self.run = run
        self.leaves: list = []
        self.structure = _flat(value, self.leaves)
        self.own = len(self.leaves)
        named = {n for g in graphs for node in run.program.functions[g].nodes for n in node.inputs}
        named |= {n for g in graphs for n in run.program.functions[g].outputs}
        constants = {n for n in named if isinstance(run.program.constants.get(n), torch.Tensor)}
        self.names = [sorted(named & run.parameters.keys()), sorted(constants)]
        self.leaves += [run.value(n) for names in self.names for n in names]
        places: dict[int, int] = {}
        self.given: list = []
        self.place: list[int] = []
        for leaf in map(_lowered, self.leaves):
            if id(leaf) not in places:
                places[id(leaf)] = len(self.given)
                self.given.append(leaf)
            self.place.append(places[id(leaf)])

    def inside(self, given):
        """A run on what a branch was given, and its value."""
        leaves = [_lifted(given[at]) for at in self.place]
        rest = iter(leaves[self.own :])
        parameters, constants = ({n: next(rest) for n in names} for names in self.names)
        inner = type(self.run)(self.run.program, self.run.parameters | parameters)
        inner.constants = constants
        return inner, _whole(self.structure, leaves[: self.own])


def chosen(run, found: Choice, stops: frozenset):
    """The value of a branch: torch.cond."""
    graphs = reached(run.program, found.yes.graph, stops) | reached(run.program, found.no.graph, stops)
    operands, structures = _Operands(run, (found.yes, found.no), graphs), []

    def branch(at: int):
        def compute(*given):
            inner, closures = operands.inside(given)
            leaves: list = []
            structures.append(_flat(inner.call(closures[at], stops), leaves))
            return _results(leaves)

        return compute

    try:
        results = torch.ops.higher_order.cond(_condition(found), branch(0), branch(1), tuple(operands.given))
    except Exception:
        # (torch refuses branches of different kinds with any error; what they are is told below)
        if len(structures) < 2 or _same(*structures[:2]):
            raise
    if not _same(*structures[:2]):
        left = any(isinstance(s, Back) for s in structures)
        raise Untold(_LEFT if left else "its branches give values of different kinds")
    return _whole(structures[0], [wrap(t) for t in results])


def _condition(found: Choice) -> torch.Tensor:
    return found.condition._t.reshape(()).bool()


def loop_of(run, header: Graph, found: Choice, stops: frozenset) -> int | None:
    """Which of the closures comes back to ``header``: 0, 1 or None."""
    comes = [header.name in reached(run.program, c.graph, stops) for c in (found.yes, found.no)]
    if all(comes):
        raise Untold("both ways of a loop of it go round")
    return comes.index(True) if any(comes) else None


def looped(run, header: Graph, values: tuple, body: int, stops: frozenset):
    """The header's arguments after the last turn: torch.while_loop."""
    stops = stops | {header.name}
    graphs = reached(run.program, header, stops - {header.name})
    for _ in range(len(values) + 1):
        moves, numbers = _dry(run, header, values, body, stops)
        if not numbers:
            break
        values = tuple(_as_tensor(v) if i in numbers else v for i, v in enumerate(values))
    carried = [v for v, moved in zip(values, moves, strict=True) if moved]
    still = tuple(None if moved else v for v, moved in zip(values, moves, strict=True))
    state: list = []
    structure = _flat(tuple(carried), state)
    state = list(_results(state))
    operands = _Operands(run, still, graphs)

    def turn(given):
        inner, kept = operands.inside(given[len(state) :])
        moved = iter(_whole(structure, [wrap(t) for t in given[: len(state)]]))
        return inner, tuple(next(moved) if m else v for m, v in zip(moves, kept, strict=True))

    def goes_on(*given):
        inner, now = turn(given)
        asked = inner.choice(Closure(header, now))
        return _condition(asked) if body == 0 else _condition(asked).logical_not()

    def step(*given):
        inner, now = turn(given)
        after = inner.call(inner.choice(Closure(header, now))[1 + body], stops)
        leaves: list = []
        kept = tuple(v for v, m in zip(after.values, moves, strict=True) if m)
        if not _same(_flat(kept, leaves), structure):
            raise Untold("a loop of it changes what kind its values are")
        return _results(leaves)

    results = torch.ops.higher_order.while_loop(goes_on, step, tuple(state), tuple(operands.given))
    moved = iter(_whole(structure, [wrap(t) for t in results]))
    return tuple(next(moved) if m else v for m, v in zip(moves, values, strict=True))


def _dry(run, header: Graph, values: tuple, body: int, stops: frozenset):
    """Which arguments a turn changes, and which of these are Python's numbers."""
    leaves: list = []
    structure = _flat(values, leaves)
    now = _whole(structure, [_lifted(_lowered(leaf)) for leaf in leaves])
    old = _whole(structure, [_lifted(_lowered(leaf)) for leaf in leaves])  # (a turn may write to ``now``)
    after = run.call(run.choice(Closure(header, now))[1 + body], stops)
    if not isinstance(after, Back) or len(after.values) != len(values):
        raise Untold(_LEFT)
    moves, numbers = [], set()
    for i, (before, new) in enumerate(zip(old, after.values, strict=True)):
        moves.append(not _unmoved(before, new))
        if moves[-1] and isinstance(before, (int, float, torch.SymInt)):
            numbers.add(i)
    return moves, numbers


def _unmoved(before, new) -> bool:
    one: list = []
    other: list = []
    alike = _same(_flat(before, one), _flat(new, other))
    return alike and all(_lowered(a) is _lowered(b) for a, b in zip(one, other, strict=True))


def _as_tensor(value):
    if isinstance(value, (int, float, torch.SymInt)):
        dtype = torch.float32 if isinstance(value, float) else torch.int64
        return wrap(torch.scalar_tensor(value, dtype=dtype))
    return value
