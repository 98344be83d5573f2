"""The random streams of graphs: each place that draws has its own, as long as the graph lives.

MindSpore compiles a Cell or a function once for each kind of arguments. A random operator is then a node with
a stream of its own, which goes on from call to call: one Dropout that ``construct`` calls twice draws equal
masks in both places. ``ops.dropout`` and its kind take their seeds when the graph is made, once for each
place in the source of a function or Cell; where that is called twice with the same kinds of arguments, both
calls have these seeds.

Here a place is known by its operator, or its site in the source, by the loops that it is in or behind
(``Call.way``), and by how many times that was used before in the call. Three things are the compiler's
alone: it hands out seeds in the order in which the result needs the draws, here it is that of the source;
what two branches draw has two places, here one operator's are the same; and a ``while True`` that a Tensor
breaks is one place, here one in each turn.
"""

from __future__ import annotations

import sys
import threading
from itertools import count
from weakref import WeakKeyDictionary, ref

import numpy as np

from ms2torch._core.errors import final
from ms2torch._core.random import repeating


class _Here(threading.local):
    """Of this thread: the outermost call of a graph that is under way."""

    call: Call | None = None


here = _Here()
# By what is called (a Cell, a marked function): its graphs by their arguments.
_graphs: WeakKeyDictionary = WeakKeyDictionary()
_ways: dict = {}
_numbers = count(1)


def way(*parts) -> int:
    """A number for a way through a graph, the same in every call; 0 is that before the first loop."""
    return _ways.setdefault(parts, next(_numbers))


class Graph:
    """The streams of one compiled graph by place, the seeds of its sites, and what was used in this call."""

    __slots__ = ("seeds", "streams", "used")

    def __init__(self) -> None:
        self.seeds: dict = {}
        self.streams: dict = {}
        self.used: dict = {}

    def get_state(self) -> tuple:
        """What `set_state` takes to forget what came later."""
        return dict(self.seeds), dict(self.streams), dict(self.used)

    def set_state(self, state: tuple) -> None:
        self.seeds, self.streams, self.used = map(dict, state)


class Call:
    """One call of a graph from outside, for its time."""

    __slots__ = (
        "_arguments",
        "_entered",
        "_graph",
        "_owner",
        "_runs",
        "function",
        "leaving",
        "lists",
        "of_a_gradient",
        "way",
        "withheld",
        "writes",
    )

    def __init__(self, owner, function, arguments: tuple, of_a_gradient: bool = False) -> None:
        self._owner, self.function, self._arguments = owner, function, arguments
        self.of_a_gradient = of_a_gradient      # a gradient function, and no Cell, was called
        self._graph: Graph | None = None
        self.writes: dict = {}          # (id of an object, attribute): the object, what it gets at the end
        self.way = 0                    # in or behind which loops it is, where places are counted anew
        self._runs: dict = {}           # of each loop on a way, how often it was run
        self._entered: dict = {}        # by code: its latest frame, and what it used there
        self.lists = None               # what became of lists (the language's `list_objects`)
        self.withheld: set = set()      # ids of arguments of which the caller sees no write
        self.leaving: list = []         # what makes the caller's results of the graph's, where they differ

    def was_given(self, value) -> bool:
        """Whether an object is what the graph was called with."""
        args, kwargs = self._arguments
        return any(v is value for v in (*args, *kwargs.values()))

    def graph(self) -> Graph | None:
        """The graph of this call; None for what runs again."""
        if repeating.runs_again():
            return None
        if self._graph is None:
            self._graph = self._find()
            self._graph.used = {}
        return self._graph

    def _find(self) -> Graph:
        try:
            graphs = _graphs.setdefault(self._owner, {})
        except TypeError:           # an owner that cannot be hashed, or referred to weakly
            return Graph()
        kind = id(self.function), _kind(self._arguments)
        found = graphs.get(kind)
        if found is None:
            for key in [key for key in graphs if _has_ended(key)]:
                del graphs[key]
            found = graphs[kind] = Graph()
        return found

    def places(self) -> tuple:
        """How often each place was used up to here, for `go_back_to`."""
        sites = {code: (frame, dict(turns)) for code, (frame, turns) in self._entered.items()}
        return {} if self._graph is None else dict(self._graph.used), sites, dict(self._runs)

    def go_back_to(self, places: tuple) -> None:
        """Use from here on the places that were used since ``places`` were told."""
        used, sites, runs = places
        if self._graph is not None:
            self._graph.used = dict(used)
        self._runs = dict(runs)
        self._entered = {code: (frame, dict(turns)) for code, (frame, turns) in sites.items()}

    def way_of(self, loop: int) -> int:
        """The way of one run of a loop, as it comes in every call: where it is, and which one there."""
        key = self.way, loop
        run = self._runs[key] = self._runs.get(key, 0) + 1
        return way(self.way, loop, run)

    def site(self) -> tuple:
        """Where in the source a function draws: the place, who it belongs to, and the turn of a loop."""
        frame = sys._getframe(2)
        while not _is_the_programs(frame):
            frame = frame.f_back
        code, at = frame.f_code, frame.f_lasti
        entered, turns = self._entered.get(code, (None, None))
        if entered is not frame:        # (that it is kept here keeps another from having its address)
            turns = {}
            self._entered[code] = frame, turns
        turns[at] = turn = turns.get(at, 0) + 1
        names = code.co_varnames[:code.co_argcount]         # (".0" is a comprehension's iterator)
        given = [frame.f_locals.get(name) for name in names if name != ".0"]
        return code, at, turn, self.way, _kind(given)


def _is_the_programs(frame) -> bool:
    """Whether a frame runs a function of the program, or a Cell's ``construct``."""
    module = frame.f_globals.get("__name__")            # (what `dispatch` makes has none)
    return frame.f_code.co_name == "construct" or (
        module is not None and module.partition(".")[0] != "ms2torch")


_HOLDING = (list, dict, tuple)


def _refuse_cycles(value, above: tuple) -> None:
    """RuntimeError for a list or a dict that is in itself: a graph takes copies."""
    if id(value) in above:
        raise final(RuntimeError("Detect recursion when converting python object."))
    for item in value.values() if value.__class__ is dict else value:
        if item.__class__ in _HOLDING:
            _refuse_cycles(item, (*above, id(value)))


def call(owner, function, args: tuple, kwargs: dict, of=None):
    """``function(*args, **kwargs)`` as one call of the graph of it (or of ``of``) that ``owner`` keeps."""
    for value in args:
        if value.__class__ in _HOLDING:
            _refuse_cycles(value, ())
    here.call = made = Call(owner, of or function, (args, kwargs), of is not None)
    try:
        result = function(*args, **kwargs)
    finally:
        here.call = None
    for (_, name), (written, value) in made.writes.items():
        setattr(written, name, value)
    for leave in made.leaving:
        result = leave(result)
    return result


class _Same:
    """An object, by which one it is: equal to nothing once that has ended."""

    __slots__ = ("_identity", "_refer")

    def __init__(self, value) -> None:
        self._identity = id(value)
        try:
            self._refer = ref(value)
        except TypeError:           # it cannot be referred to weakly: it is kept
            self._refer = lambda: value

    def __hash__(self) -> int:
        return self._identity

    def __eq__(self, other) -> bool:
        return (other.__class__ is _Same and self._identity == other._identity
                and self._refer() is other._refer() is not None)

    def has_ended(self) -> bool:
        return self._refer() is None


def _has_ended(kind) -> bool:
    """Whether no call can be of this kind any more."""
    if isinstance(kind, tuple):
        return any(map(_has_ended, kind))
    return kind.__class__ is _Same and kind.has_ended()


def _kind(value):
    """What a graph is compiled for: dtypes and shapes of Tensors, numbers and texts by value, all else
    (numpy's arrays) by which object it is."""
    if value is None:
        return None
    t = getattr(value, "_t", None)
    if t is not None:
        return t.dtype, t.shape
    if isinstance(value, (tuple, list)):
        return tuple([_kind(x) for x in value])
    if isinstance(value, dict):
        return tuple([(key, _kind(x)) for key, x in value.items()])
    return (value.__class__, value) if isinstance(value, (int, float, str, np.generic)) else _Same(value)
