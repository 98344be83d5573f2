"""Python numbers of a step: inputs of its graph, so that a counter compiles nothing again.

A graph holds numbers as constants. A step that is called with numbers, or reads some that change (`places`),
is traced again with two values of each, as `Live` numbers that note how the program computes with them; what
differs between the two graphs is then one of the noted numbers, and becomes an input. What a program asks of
a number (``if step > 100``) is a guard. A number that decides anything else (a shape, the length of a loop)
stays a constant.
"""

from __future__ import annotations

import operator

import torch

from ms2torch._core.live_numbers import Live, NumberTrace, is_number, plain, through_math

from .places import Place, holding
from .structures import Untraceable, flatten

_FLOATS = (torch.float32, torch.float64)
# By operation: what computes the same with a tensor in the place of a number, and which place that is.
_aten = torch.ops.aten
_TAKES = {
    _aten.mul.Tensor: (_aten.mul.Tensor, 1), _aten.add.Tensor: (_aten.add.Tensor, 1),
    _aten.sub.Tensor: (_aten.sub.Tensor, 1), _aten.div.Tensor: (_aten.div.Tensor, 1),
    _aten.pow.Tensor_Scalar: (_aten.pow.Tensor_Tensor, 1), _aten.pow.Scalar: (_aten.pow.Tensor_Tensor, 0),
    _aten.rsub.Scalar: (_aten.rsub.Tensor, 1), _aten.remainder.Scalar: (_aten.remainder.Tensor, 1),
    _aten.floor_divide.default: (_aten.floor_divide.default, 1),
    _aten.eq.Scalar: (_aten.eq.Tensor, 1), _aten.ne.Scalar: (_aten.ne.Tensor, 1),
    _aten.lt.Scalar: (_aten.lt.Tensor, 1), _aten.le.Scalar: (_aten.le.Tensor, 1),
    _aten.gt.Scalar: (_aten.gt.Tensor, 1), _aten.ge.Scalar: (_aten.ge.Tensor, 1),
    _aten.full.default: (_aten.expand.default, 1),
}
_COMPARING = (_aten.eq.Tensor, _aten.ne.Tensor, _aten.lt.Tensor, _aten.le.Tensor, _aten.gt.Tensor,
              _aten.ge.Tensor)


class Fixed(Exception):
    """A number that has to stay a constant of the graph."""


class Written(Exception):
    """With other numbers a step writes places that it left as they were: which, by their keys."""


# ---- arguments ---------------------------------------------------------------------------------------------


def _with(spec, made):
    """``spec`` with ``made(number)`` in the place of each number."""
    if spec.__class__ in (tuple, list):
        return spec.__class__([_with(v, made) for v in spec])
    if spec.__class__ is dict:
        return {k: _with(v, made) for k, v in spec.items()}
    return made(spec) if is_number(spec) else spec


class Numbers:
    """The numbers of a variant: which are inputs, which constants, and what was asked of them.

    ``values`` are those among the arguments, then those at ``places``; ``written``: pairs of a place and how
    the step computes what it writes there.
    """

    def __init__(self, values: list, live: frozenset = frozenset(), guards=(), places=(), written=()) -> None:
        self.values, self.live, self._guards = values, live, guards
        self.places, self.written = places, written
        self._fixed = [(i, v) for i, v in enumerate(values) if i not in live]
        self._kinds = [place.get().__class__ for place in places]

    def bind(self, values: list) -> bool:
        """Whether the graph holds for the arguments' ``values``; if so they are its inputs from here on."""
        if self.places:
            held = [place.get() for place in self.places]
            if [v.__class__ for v in held] != self._kinds:
                return False
            values = values + held
        for place, value in self._fixed:
            if values[place] != value and (value == value or values[place] == values[place]):
                return False
        try:
            floats = list(map(float, values))
            if any(of(floats) != answer for of, answer in self._guards):
                return False
        except (ArithmeticError, ValueError):
            return False
        if self.live:
            self.values = values
        return True

    def constants(self, values: list) -> tuple:
        """Those of the arguments' ``values`` that are constants of the graph."""
        return tuple([v for i, v in enumerate(values) if i not in self.live])

    def writes(self) -> list[tuple]:
        """What the step writes: pairs of a Place and a number."""
        return [(place, of(self.values)) for place, of in self.written]


def trace(run, args: tuple, kwargs: dict, entries: tuple, known: tuple = (), moved: tuple = ()):
    """`tracing.trace`, with the numbers among the arguments and at the places ``known`` and ``moved`` as
    inputs where that can be; the trace and its `Numbers`."""
    from .tracing import trace as once

    given: list = []
    _with(flatten((args, kwargs), []), given.append)
    traced = once, run, args, kwargs, entries
    found = once(run, args, kwargs, entries)
    written = {key: place for key, (place, _) in found.watch.written.items()}
    while True:
        try:
            return found, _inputs(found, traced, given, known, moved, written)
        except Written as more:
            written |= more.args[0]


def _inputs(found, traced, given: list, known: tuple, moved: tuple, written: dict) -> Numbers:
    """The `Numbers` of the graph that ``found`` is, which takes as many of them as can be."""
    for held in dict.fromkeys(((*known, *moved), known, ())):
        places = tuple(({place.key: place for place in held} | written).values())
        values = given + [place.get() for place in places]
        exact = frozenset(i for i, v in enumerate(values) if abs(v) <= 2 ** 53)
        floats = frozenset(i for i in exact if values[i].__class__ is float)
        needed = frozenset(i for i, place in enumerate(places, len(given)) if place.key in written)
        for live in dict.fromkeys((exact, floats | needed, needed)):
            if live and needed <= live <= exact:
                try:
                    return _lifted(found, traced, places, values, live, written)
                except (Fixed, Untraceable):
                    continue
    for place in written.values():
        raise Untraceable(f"it sets {place.called}")
    return Numbers(given)


def _lifted(found, traced, places, values, live, known: dict) -> Numbers:
    """Make inputs of the numbers ``live`` of the graph that ``found`` is; ``known``: the places it writes."""
    first, noted = _traced(*traced, places, values, live)
    if _changes(found, first, noted, noted):
        raise Fixed
    for off in (7, 13, -5, 3, 1, 2_520_000):        # (the last leaves a remainder of 10, 64 or 1000 as it is)
        moved = [v + far * off if v.__class__ is int else v * (1 + off / 1024) + far * off / 4096
                 for v, far in zip(values, _apart(values), strict=True)]
        other = [v if i in live else values[i] for i, v in enumerate(moved)]
        second, again = _traced(*traced, places, other, live)
        if [a for _, a in noted.guards] == [a for _, a in again.guards]:
            break
    else:
        raise Fixed
    if len(noted.made) != len(again.made):
        raise Fixed
    for trace in (first, second):
        if more := {key: place for key, (place, _) in trace.watch.written.items() if key not in known}:
            raise Written(more)
    written = [(place, _written(first, second, place, noted, again)) for place in known.values()]
    numbers = Numbers(values, live, [(of, plain(answer)) for of, answer in noted.guards], places, written)
    changes = [(node, place, of, _like(found.gm, node, place))
               for node, place, of in _changes(found, second, noted, again)]
    for change in changes:
        _lift(found, numbers, *change)
    found.gm.graph.lint()
    found.gm.recompile()
    found.watch.release(places)
    return numbers


def _apart(values: list) -> list[int]:
    """For each number how often it has come so far: equal ones are moved to where they differ."""
    return [values[: i + 1].count(v) for i, v in enumerate(values)]


def _traced(once, run, args, kwargs, entries, places, values, live):
    noted, at = NumberTrace(), iter(range(len(values)))
    noted.elsewhere = [v * 1.37 + 2.125 * far for v, far in zip(values, _apart(values), strict=True)]

    def made(_):
        place = next(at)
        if place not in live:
            return values[place]
        return noted.live_number(values[place], operator.itemgetter(place))

    call, named = _with((args, kwargs), made)
    with holding([(place, made(None)) for place in places]), through_math():
        found = once(run, call, named, entries)
    returned: list = []
    _with_live(found.result, returned)
    if returned:
        raise Fixed
    return found, noted


def _written(first, second, place: Place, noted, again):
    """How the step computes what it writes at ``place``."""
    one, two = (traced.watch.written[place.key][1] if place.key in traced.watch.written else None
                for traced in (first, second))
    if isinstance(one, Live) and isinstance(two, Live):
        return _source(noted, again, plain(one), plain(two), None)
    if isinstance(one, Live) or isinstance(two, Live) or one != two or one is None:
        raise Fixed
    return lambda values: one


def _with_live(spec, found: list) -> None:
    if spec.__class__ in (tuple, list):
        for v in spec:
            _with_live(v, found)
    elif spec.__class__ is dict:
        _with_live(list(spec.values()), found)
    elif isinstance(spec, Live):
        found.append(spec)


# ---- graphs ------------------------------------------------------------------------------------------------


def _changes(first, second, noted, again) -> list[tuple]:
    """The numbers by which two graphs differ: (node, place, how it is computed); Fixed for other
    differences."""
    if len(first.inputs) != len(second.inputs) or any(
            isinstance(a, torch.Tensor) and a is not b
            for a, b in zip(first.inputs, second.inputs, strict=True)):
        raise Fixed
    one, two = list(first.gm.graph.nodes), list(second.gm.graph.nodes)
    if len(one) != len(two):
        raise Fixed
    names = dict(zip(two, one, strict=True))
    changes = []
    for a, b in zip(one, two, strict=True):
        if a.op != b.op or (a.op == "call_function" and a.target is not b.target) or _kind(a) != _kind(b):
            raise Fixed
        if a.op == "get_attr":
            x, y = getattr(first.gm, a.target), getattr(second.gm, b.target)
            if isinstance(x, torch.Tensor) and not (x is y or _same(x, y)):
                changes.append((a, None, _source(noted, again, x.item(), y.item(), x.dtype)))
            continue
        differing = _differing(a.args, b.args, names)
        if a.kwargs.keys() != b.kwargs.keys() or any(
                _differing((a.kwargs[k],), (b.kwargs[k],), names) for k in a.kwargs):
            raise Fixed
        for place in differing:
            if _TAKES.get(a.target, (None, None))[1] != place:
                raise Fixed
            changes.append((a, place, _source(noted, again, a.args[place], b.args[place], None)))
    return changes


def _kind(node):
    value = node.meta.get("val")
    return (value.shape, value.dtype) if isinstance(value, torch.Tensor) else None


def _same(x, y) -> bool:
    return x.numel() == 1 == y.numel() and x.dtype is y.dtype and x.item() == y.item()


def _differing(a, b, names) -> list[int]:
    """The places of the numbers that differ; Fixed for any other difference."""
    if len(a) != len(b):
        raise Fixed
    found = []
    for place, (x, y) in enumerate(zip(a, b, strict=True)):
        if isinstance(y, torch.fx.Node):
            if names.get(y) is not x:
                raise Fixed
        elif isinstance(x, (int, float)) and isinstance(y, (int, float)):
            if x != y and not (x != x and y != y):
                found.append(place)
        elif isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
            if _differing(x, y, names):
                raise Fixed
        elif x is not y and x != y:
            raise Fixed
    return found


def _source(noted, again, x, y, dtype):
    """How the number that is ``x`` in one trace and ``y`` in the other is computed: in one way only."""
    found = [live.of for live, other in zip(noted.made, again.made, strict=True)
             if _is(live, x, dtype) and _is(other, y, dtype)]
    try:
        elsewhere = {of(noted.elsewhere) for of in found}
    except (ArithmeticError, ValueError):
        raise Fixed from None
    if len(elsewhere) != 1:
        raise Fixed
    return found[0]


def _is(live, value, dtype) -> bool:
    number = plain(live)
    return number == value or (dtype is not None and torch.tensor(number).to(dtype).item() == value)


def _like(gm, node, place) -> torch.Tensor:
    """A tensor of the dtype that an input in the place of a number has; Fixed where none does the same."""
    if place is None:
        return getattr(gm, node.target)
    like = node.args[1 - place].meta["val"] if _TAKES[node.target][0] in _COMPARING else node.meta["val"]
    whole = like.dtype in (torch.int32, torch.int64) and isinstance(node.args[place], int)
    if like.dtype not in _FLOATS and not whole:
        raise Fixed
    return like


def _lift(found, numbers, node, place, of, like) -> None:
    """An input in the place of a number of ``node``, or of the tensor that it is."""
    graph, dtype, device = found.gm.graph, like.dtype, like.device
    last = [n for n in graph.nodes if n.op == "placeholder"]
    with graph.inserting_after(last[-1]) if last else graph.inserting_before(next(iter(graph.nodes))):
        given = graph.placeholder(f"number_{len(found.inputs)}")
    found.inputs.append(lambda: torch.tensor(of(numbers.values), dtype=dtype, device=device))
    if place is None:
        given.meta = dict(node.meta)
        node.replace_all_uses_with(given)
        graph.erase_node(node)
        return
    operation, _ = _TAKES[node.target]
    if operation is _aten.expand.default:
        with graph.inserting_before(node):
            wide = graph.call_function(operation, (given, node.args[0]))
        wide.meta = dict(node.meta)
        node.target, node.args, node.kwargs = _aten.clone.default, (wide,), {}
        return
    node.target = operation
    node.args = tuple(given if i == place else a for i, a in enumerate(node.args))
