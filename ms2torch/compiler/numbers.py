"""Python numbers among a step's arguments: inputs of its graph, so that a counter compiles nothing again.

A graph holds numbers as constants. A step that is called with numbers is traced again with two values of
each, as `Live` numbers that note how the program computes with them; what differs between the two graphs is
then one of the noted numbers, and becomes an input. What a program asks of a number (``if step > 100``) is a
guard. A number that decides anything else (a shape, the length of a loop) stays a constant.
"""

from __future__ import annotations

import operator

import torch

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


class Book:
    """What a program did with its numbers in one trace."""

    def __init__(self) -> None:
        self.elsewhere: list = []   # other values, to tell two ways of computing apart
        self.made: list = []        # Live numbers, in the order of the program
        self.guards: list = []      # (what is asked, of the arguments' values; the answer)

    def number(self, value, of):
        """``value`` as a Live number, computed by ``of(values)``."""
        live = Live(value)
        live.book, live.of = self, of
        self.made.append(live)
        return live

    def ask(self, value, of):
        """``value`` is what a program reads of a number: it holds where ``of`` gives it again."""
        self.guards.append((of, value))
        return value


def _of(value):
    """How a number is computed from the arguments' values."""
    return value.of if isinstance(value, Live) else lambda values: value


def _plain(value):
    return float.__float__(value) if isinstance(value, Live) else value


def _binary(compute, swapped: bool = False):
    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        one, two = (other, self) if swapped else (self, other)
        first, second = _of(one), _of(two)
        value = compute(_plain(one), _plain(two))
        if not isinstance(value, (int, float)):
            return self.book.ask(value, lambda values: compute(first(values), second(values)))
        return self.book.number(value, lambda values: compute(first(values), second(values)))

    return method


def _unary(compute):
    def method(self):
        of = self.of
        return self.book.number(compute(_plain(self)), lambda values: compute(of(values)))

    return method


def _compared(compute):
    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        first, second = self.of, _of(other)
        return self.book.ask(compute(_plain(self), _plain(other)),
                             lambda values: compute(first(values), second(values)))

    return method


def _read(compute):
    def method(self, *more):
        of = self.of
        return self.book.ask(compute(_plain(self), *more), lambda values: compute(of(values), *more))

    return method


def _by_ufunc(self, ufunc, method, *inputs, **kwargs):
    """numpy's functions want the number itself."""
    for value in inputs:
        if isinstance(value, Live):
            value.book.ask(_plain(value), value.of)
    return getattr(ufunc, method)(*map(_plain, inputs), **kwargs)


_METHODS = {f"__{name}__": _binary(getattr(operator, name))
            for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
_METHODS |= {f"__r{name}__": _binary(getattr(operator, name), True)
             for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
_METHODS |= {f"__{name}__": _unary(getattr(operator, name)) for name in ("neg", "pos", "abs")}
_METHODS |= {f"__{name}__": _compared(getattr(operator, name))
             for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_METHODS |= {f"__{name}__": _read(read) for name, read in {
    "bool": bool, "int": int, "float": float, "index": int, "hash": hash, "str": str, "repr": repr,
    "format": format, "round": round, "trunc": int, "divmod": divmod, "floor": lambda v: int(v // 1),
    "ceil": lambda v: -int(-v // 1)}.items()}
_METHODS |= {"__array_ufunc__": _by_ufunc, "is_integer": _read(lambda v: float(v).is_integer())}

# (Ints too: `0.9 ** step` tells no int of it, and what can only be an int, a shape or a range, asks.)
Live = type("Live", (float,), _METHODS)


# ---- arguments ---------------------------------------------------------------------------------------------


def _is_number(value) -> bool:
    return value.__class__ is int or value.__class__ is float


def _with(spec, made):
    """``spec`` with ``made(number)`` in the place of each number."""
    if spec.__class__ in (tuple, list):
        return spec.__class__([_with(v, made) for v in spec])
    if spec.__class__ is dict:
        return {k: _with(v, made) for k, v in spec.items()}
    return made(spec) if _is_number(spec) else spec


class Numbers:
    """The numbers of a variant: which are inputs, which constants, and what was asked of them."""

    def __init__(self, values: list, live: frozenset = frozenset(), guards=()) -> None:
        self.values, self.live, self._guards = values, live, guards
        self._fixed = [(i, v) for i, v in enumerate(values) if i not in live]

    def take(self, values: list) -> bool:
        """Whether the graph holds for ``values``; if so they are its inputs from here on."""
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


def trace(run, args: tuple, kwargs: dict, entries: tuple):
    """`tracing.trace`, with the numbers among the arguments as inputs where that can be; the trace and its
    `Numbers`."""
    from .tracing import trace as plain

    values: list = []
    _with(flatten((args, kwargs), []), values.append)
    found = plain(run, args, kwargs, entries)
    exact = frozenset(i for i, v in enumerate(values) if abs(v) <= 2 ** 53)
    floats = frozenset(i for i in exact if values[i].__class__ is float)
    for live in dict.fromkeys((exact, floats)):
        if live:
            try:
                return found, _lifted(found, (plain, run, args, kwargs, entries), values, live)
            except (Fixed, Untraceable):
                continue
    return found, Numbers(values)


def _lifted(found, traced, values, live) -> Numbers:
    """Make inputs of the numbers ``live`` of the graph that ``found`` is."""
    first, book = _traced(*traced, values, live)
    if _changes(found, first, book, book):
        raise Fixed
    for off in (7, 13, -5, 3, 1):
        moved = [v + off if v.__class__ is int else v * (1 + off / 1024) + off / 4096 for v in values]
        other = [v if i in live else values[i] for i, v in enumerate(moved)]
        second, again = _traced(*traced, other, live)
        if [a for _, a in book.guards] == [a for _, a in again.guards]:
            break
    else:
        raise Fixed
    if len(book.made) != len(again.made):
        raise Fixed
    numbers = Numbers(values, live, [(of, _plain(answer)) for of, answer in book.guards])
    changes = [(node, place, of, _like(found.gm, node, place))
               for node, place, of in _changes(found, second, book, again)]
    for change in changes:
        _lift(found, numbers, *change)
    found.gm.graph.lint()
    found.gm.recompile()
    return numbers


def _traced(plain, run, args, kwargs, entries, values, live):
    book, place = Book(), iter(range(len(values)))
    book.elsewhere = [v * 1.37 + 2.125 for v in values]

    def made(_):
        at = next(place)
        return book.number(values[at], operator.itemgetter(at)) if at in live else values[at]

    call, named = _with((args, kwargs), made)
    found = plain(run, call, named, entries)
    returned: list = []
    _with_live(found.result, returned)
    if returned:
        raise Fixed
    return found, book


def _with_live(spec, found: list) -> None:
    if spec.__class__ in (tuple, list):
        for v in spec:
            _with_live(v, found)
    elif spec.__class__ is dict:
        _with_live(list(spec.values()), found)
    elif isinstance(spec, Live):
        found.append(spec)


# ---- graphs ------------------------------------------------------------------------------------------------


def _changes(first, second, book, again) -> list[tuple]:
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
                changes.append((a, None, _source(book, again, x.item(), y.item(), x.dtype)))
            continue
        differing = _differing(a.args, b.args, names)
        if a.kwargs.keys() != b.kwargs.keys() or any(
                _differing((a.kwargs[k],), (b.kwargs[k],), names) for k in a.kwargs):
            raise Fixed
        for place in differing:
            if _TAKES.get(a.target, (None, None))[1] != place:
                raise Fixed
            changes.append((a, place, _source(book, again, a.args[place], b.args[place], None)))
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


def _source(book, again, x, y, dtype):
    """How the number that is ``x`` in one trace and ``y`` in the other is computed: in one way only."""
    found = [live.of for live, other in zip(book.made, again.made, strict=True)
             if _is(live, x, dtype) and _is(other, y, dtype)]
    try:
        elsewhere = {of(book.elsewhere) for of in found}
    except (ArithmeticError, ValueError):
        raise Fixed from None
    if len(elsewhere) != 1:
        raise Fixed
    return found[0]


def _is(live, value, dtype) -> bool:
    plain = _plain(live)
    return plain == value or (dtype is not None and torch.tensor(plain).to(dtype).item() == value)


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
