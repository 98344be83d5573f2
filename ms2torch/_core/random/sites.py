"""What a graph draws: MindSpore makes each use of a random operator in a graph a kernel of its own.

A kernel has its own stream, which begins at the operator's seeds when the graph is made and goes on from run
to run of the graph. So two uses of one Dropout in a graph draw equal masks, and so do two graphs that share
it; a seed that an operator asks for in a graph (``ops.dropout``) is drawn once. The graph is that of the
outermost call: a Cell's or a gradient function's in graph mode, a ``jit`` function's in both modes, for one
signature of its arguments. In PyNative mode the uses of an operator share its stream.
"""

from __future__ import annotations

import weakref

from ms2torch._core import mode

# Of each Cell and function that began a graph: its graphs by signature.
_graphs: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Graph:
    """The random kernels of one graph by use, and the seeds that were drawn for them."""

    __slots__ = ("pairs", "streams")

    def __init__(self) -> None:
        self.streams: dict = {}
        self.pairs: dict = {}


class Run:
    """One run of a graph (``mode.run``), which counts the uses of each operator."""

    __slots__ = ("_call", "_counts", "_drawn", "_graph")

    def __init__(self, owner, args: tuple, kwargs: dict) -> None:
        self._call = owner, args, kwargs
        self._graph: Graph | None = None
        self._counts: dict = {}
        self._drawn: list = []          # the uses whose seeds this run drew

    def _used(self, *operator) -> tuple[Graph, tuple]:
        """The graph, and which use of ``operator`` in it this is."""
        if self._graph is None:
            owner, args, kwargs = self._call
            graphs = _graphs.setdefault(owner, {})
            signature = getattr(owner, "training", None), _described(args), _described(kwargs)
            self._graph = graphs.get(signature) or graphs.setdefault(signature, Graph())
        count = self._counts[operator] = self._counts.get(operator, 0) + 1
        return self._graph, (operator, count)

    def stream(self, stream, draw: str, args: tuple):
        """The kernel's stream at this use of an operator, which would draw from ``stream``."""
        graph, use = self._used(type(stream), stream.seed, stream.seed2, draw, _described(args))
        found = graph.streams.get(use)
        if found is None:
            found = graph.streams[use] = stream.anew()
        return found

    def pair(self, draw, op_seed, name: str) -> tuple[int, int]:
        """The seeds at this use of an operator: those of ``draw(op_seed, name)`` when the graph was made."""
        graph, use = self._used(_described(op_seed), name)
        found = graph.pairs.get(use)
        if found is None:
            found = graph.pairs[use] = draw(op_seed, name)
            self._drawn.append(use)
        return found

    def state(self) -> tuple:
        """What `go_back` takes, when what was drawn is taken back."""
        return dict(self._counts), len(self._drawn)

    def go_back(self, state: tuple) -> None:
        self._counts, drawn = dict(state[0]), state[1]
        for use in self._drawn[drawn:]:
            del self._graph.pairs[use]
        del self._drawn[drawn:]


def run(owner, function, args: tuple, kwargs: dict):
    """``function(*args, **kwargs)`` as a run of the graph that ``owner`` begins."""
    mode.run = Run(owner, args, kwargs)
    try:
        return function(*args, **kwargs)
    finally:
        mode.run = None


def _described(value):
    """What of an argument decides which graph it gets."""
    t = getattr(value, "_t", value)
    if hasattr(t, "dtype") and hasattr(t, "shape"):
        return tuple(t.shape), t.dtype
    if isinstance(value, (tuple, list)):
        return tuple(map(_described, value))
    if isinstance(value, dict):
        return tuple((k, _described(v)) for k, v in value.items())
    return (type(value), value) if value.__class__ in (bool, int, float, str) else id(value)
