"""Branches on values, while torch's exporter traces a graph: torch.cond.

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
    yes: Closure | Choice
    no: Closure | Choice

    def applied(self, values) -> Choice:
        """With further arguments for both."""
        return Choice(self.condition, self.yes.applied(values), self.no.applied(values))


class Tail(NamedTuple):
    """A call that is a graph's result: it takes the graph's place."""

    closure: Closure | Choice


class Back(NamedTuple):
    """What a turn of a loop ends with: the next arguments of the loop's header, or of a graph outside."""

    header: str
    values: tuple


class Way(NamedTuple):
    """One end of a loop's turns: which arguments of its graph the loop carries, their structure, tensors of
    their kinds for turns that end otherwise."""

    moves: tuple[bool, ...]
    structure: tuple
    blanks: tuple


class Landing(NamedTuple):
    """What a turn with several ends comes to: the number of the one that it takes, the arguments of each."""

    which: Tensor
    slots: tuple


class Untold(Exception):
    """A branch that cannot be written, and why."""


# The graphs whose calls end a turn, by name: with their `Way` where a turn has several ends.
Stops = dict[str, "Way | None"]
KINDS = "a loop of it changes what kind its values are"


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


class Leaf(NamedTuple):
    place: int


def flat(value, found: list):
    """The structure, with its tensors and open sizes (put into ``found``) by their places."""
    if isinstance(value, (Tensor, torch.SymInt)):
        found.append(value)
        return Leaf(len(found) - 1)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(flat(v, found) for v in value))
    if isinstance(value, (tuple, list)):
        return type(value)(flat(v, found) for v in value)
    return value


def whole(structure, leaves):
    if isinstance(structure, Leaf):
        return leaves[structure.place]
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(whole(v, leaves) for v in structure))
    if isinstance(structure, (tuple, list)):
        return type(structure)(whole(v, leaves) for v in structure)
    return structure


def same(one, other) -> bool:
    """Whether two structures are equal; graphs and tokens are by identity."""
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return one is other or (
        isinstance(one, (int, float, str, bool)) and type(one) is type(other) and one == other)  # fmt: skip


def lowered(leaf):
    return leaf._t if isinstance(leaf, Tensor) else leaf


def lifted(leaf):
    return wrap(leaf) if isinstance(leaf, torch.Tensor) else leaf


def results(leaves) -> tuple:
    """As a branch must give them: memory of its own."""
    return tuple(torch.as_tensor(lowered(leaf)).clone() for leaf in leaves)


# ---- branches and loops


def reached(program, called: Graph | Closure | Choice, stops=()) -> set[str]:
    """Names of the graphs that a call may come to, without going through ``stops``."""
    if isinstance(called, Choice):
        return reached(program, called.yes, stops) | reached(program, called.no, stops)
    found, ahead = set(), [called.graph.name if isinstance(called, Closure) else called.name]
    while ahead:
        name = ahead.pop()
        if name in found:
            continue
        found.add(name)
        if name not in stops:
            for node in program.functions[name].nodes:
                ahead += [n for n in (*node.inputs, node.callee) if n in program.functions]
    return found


class Operands:
    """What branches are given: tensors of their closures, parameters and constants that their graphs name."""

    def __init__(self, run, value, graphs) -> None:
        self.run = run
        self.leaves: list = []
        self.structure = flat(value, self.leaves)
        self.own = len(self.leaves)
        named = {n for g in graphs for node in run.program.functions[g].nodes for n in node.inputs}
        named |= {n for g in graphs for n in run.program.functions[g].outputs}
        constants = {n for n in named if isinstance(run.program.constants.get(n), torch.Tensor)}
        self.names = [sorted(named & run.parameters.keys()), sorted(constants)]
        self.leaves += [run.value(n) for names in self.names for n in names]
        places: dict[int, int] = {}
        self.given: list = []
        self.place: list[int] = []
        for leaf in map(lowered, self.leaves):
            if id(leaf) not in places:
                places[id(leaf)] = len(self.given)
                self.given.append(leaf)
            self.place.append(places[id(leaf)])

    def inside(self, given):
        """A run on what a branch was given, and its value."""
        leaves = [lifted(given[at]) for at in self.place]
        rest = iter(leaves[self.own :])
        parameters, constants = ({n: next(rest) for n in names} for names in self.names)
        inner = type(self.run)(self.run.program, self.run.parameters | parameters)
        inner.constants, inner.inside = constants, True
        return inner, whole(self.structure, leaves[: self.own])


def chosen(run, found: Choice, stops: Stops):
    """The value of a branch: torch.cond."""
    ways = {name: way for name, way in stops.items() if way is not None}
    blank = tuple(way.blanks for way in ways.values())
    operands = Operands(run, (found.yes, found.no, blank), reached(run.program, found, stops))
    structures: list = []

    def branch(at: int):
        def compute(*given):
            inner, (*closures, blanks) = operands.inside(given)
            now = stops | {n: w._replace(blanks=b) for (n, w), b in zip(ways.items(), blanks, strict=True)}
            leaves: list = []
            structures.append(flat(landed(inner.call(closures[at], now), now), leaves))
            return results(leaves)

        return compute

    try:
        values = torch.ops.higher_order.cond(condition(found), branch(0), branch(1), tuple(operands.given))
    except Exception:
        # (torch refuses branches of different kinds with any error; what they are is told below)
        if len(structures) < 2 or same(*structures[:2]):
            raise
    if not same(*structures[:2]):
        raise Untold("its branches give values of different kinds")
    return whole(structures[0], [wrap(t) for t in values])


def landed(value, stops: Stops):
    """The end of a turn as all ends of its loop are told: a `Landing`. Other values are as they are."""
    if not isinstance(value, Back) or stops[value.header] is None:
        return value
    ways = {name: way for name, way in stops.items() if way is not None}
    slots = {name: way.blanks for name, way in ways.items()}
    slots[value.header] = fitted(ways[value.header], value.values)
    which = wrap(torch.scalar_tensor(list(ways).index(value.header), dtype=torch.int64))
    return Landing(which, tuple(slots.values()))


def fitted(way: Way, values: tuple) -> tuple:
    """The tensors of an end's arguments, in the form that all of its turns have."""
    found: list = []

    def fit(form, value) -> None:
        if isinstance(form, Leaf):
            found.append(_of_kind(value, way.blanks[form.place]))
        elif isinstance(form, (tuple, list)):
            if type(form) is not type(value) or len(form) != len(value):
                raise Untold(KINDS)
            for one, other in zip(form, value, strict=True):
                fit(one, other)
        elif not same(form, value):
            raise Untold(KINDS)

    fit(way.structure, tuple(v for v, moved in zip(values, way.moves, strict=True) if moved))
    return tuple(found)


def _of_kind(value, blank: Tensor) -> Tensor:
    if isinstance(value, (bool, int, float, torch.SymInt, torch.SymFloat)):
        return wrap(torch.scalar_tensor(value, dtype=blank._t.dtype))
    if not isinstance(value, Tensor):
        raise Untold(KINDS)
    return value


def condition(found: Choice) -> torch.Tensor:
    return found.condition._t.reshape(()).bool()
