"""One step as one graph: its Python run once on tensors without data.

torch's ``make_fx`` notes every operation below autograd, so the graph holds the forward pass, the gradients
(of any order, by the same code as in an eager step) and the update. A tensor that the step did not make
(a weight, a constant of a Cell, a mask drawn from MindSpore's stream) becomes an input. A Parameter that is
written gets its new value in its slot for the time of the trace; the graph copies it into the Parameter's
memory at its end.
"""

from __future__ import annotations

import contextlib
import threading
import traceback

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ms2torch._core import mode
from ms2torch._core.gradient import overflow, recording, threads
from ms2torch._core.random import random_streams
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import (
    DataDependentOutputException,
    FakeTensor,
    mkldnn_enabled,
    no_constants_of_real_tensors,
    set_mkldnn_enabled,
    without_modes,
)

from . import products, updates
from .effects import Stopped
from .structures import Untraceable, flatten, objects, unflatten
from .watching import Watch, is_users

# A graph of more operations would compile for many minutes: loops over long sequences.
MOST = 10_000


class Tracing:
    """The trace under way (``mode.tracing``): what the step's code tells it."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.written: dict[int, tuple] = {}         # Parameters with another content, and their resting ones
        self.sources: dict[int, tuple] = {}         # by tensor: how each step gets it
        self.updates: list[updates.Update] = []
        self.tails: list[updates.Tail] = []
        self.streams: dict[int, object] = {}        # random streams that the step makes
        self.pairs: dict[tuple, tuple] = {}         # seed pairs that the step drew, and how
        self._kept: list = []

    # ---- Parameters ----------------------------------------------------------------------------------------

    def rebind(self, param, t) -> None:
        """``t`` is the content of ``param`` from here on."""
        if t is not None:
            if t.shape != param._rest.shape or t.dtype is not param._rest.dtype:
                raise Untraceable(f"'{param.name}' gets another shape or dtype")
            t = t.detach()
        self.written.setdefault(id(param), (param, param._rest))
        param._t = t

    def write(self, param, change) -> None:
        """``change(t)`` writes into the content of ``param``."""
        new = param._t.detach().clone()
        change(new)
        self.rebind(param, new)

    def put_back(self) -> list[tuple]:
        """Slots as they were; the Parameters that were written, with their new content."""
        found = []
        for param, rest in self.written.values():
            if param._t is not None:
                found.append((param, param._t))
            param._t = rest
        return found

    # ---- what is an input ----------------------------------------------------------------------------------

    def source(self, t: torch.Tensor, get) -> torch.Tensor:
        """Have ``get()`` give, at each step, what stands where ``t`` stands now."""
        self._kept.append(t)
        self.sources[id(t)] = get
        return t

    def draw(self, stream, draw, args: tuple):
        """A random draw: made again at each step, from the same stream or a new one made the same way."""
        if threading.get_ident() != self.thread:
            return draw(stream, *args)
        with without_modes():
            values = draw(stream, *args)
        if stream.place is not None:
            return self.source(values, lambda: draw(stream.place(), *args))
        made = self.streams.get(id(stream))
        if made is None:
            return self.source(values, lambda: draw(stream, *args))
        return self.source(values, lambda: draw(made(), *args))

    def born(self, stream) -> None:
        """The step makes a random stream, by the seeds that it drew or by its own."""
        if threading.get_ident() != self.thread:
            return
        self._kept.append(stream)
        kind, pair = type(stream), (stream.seed, stream.seed2)
        drawn = self.pairs.get(pair) if pair != (0, 0) else None
        self.streams[id(stream)] = (lambda: kind(*pair)) if drawn is None else (lambda: kind(*drawn()))

    def seeds(self, pair: tuple, draw) -> None:
        if threading.get_ident() == self.thread:
            self.pairs[pair] = draw

    # ---- what cannot be in a graph -------------------------------------------------------------------------

    def read(self, tensor, decides: bool = False) -> None:
        """The program wants a Tensor's numbers on the host; other threads wait for those of a Parameter."""
        if threading.get_ident() != self.thread:
            if hasattr(tensor, "_rest"):
                threads.wait()
        elif mode.planning is not None:         # the host's part of an optimizer, which runs at each step
            return
        elif isinstance(tensor._t, FakeTensor) or hasattr(tensor, "_rest"):
            raise Untraceable(_DECIDES if decides else "the numbers of a Tensor are read")

    def refuse_print(self) -> None:
        """A graph prints at each step."""
        raise Untraceable("it prints")

    def refuse_state(self, kind: str) -> None:
        """The host keeps a list or a buffer, which a graph would change once."""
        raise Untraceable(f"it changes a {kind} of the host")

    def refuse_flag(self) -> None:
        """The program clears the overflow flag: gradients are looked at, and code after the step may ask."""
        raise Untraceable(overflow.READ)

    def refuse_cast(self) -> None:
        """The gradient of an integer is followed beside it (`_core.gradient.integers`)."""
        raise Untraceable("a gradient passes through a cast to integers")

    def update(self, optimizer, gradients, unless=None):
        """The optimizer's step: in the graph, or by the optimizer itself after it."""
        return updates.trace(self, optimizer, gradients, unless)


class Traced:
    """A step's graph, its inputs, and what it gives."""

    __slots__ = ("count", "gm", "inputs", "mutated", "result", "tails", "updates", "watch")


def trace(run, args: tuple, kwargs: dict, entries: tuple) -> Traced:
    """The graph of ``run(*args, **kwargs)``; `Untraceable` with the reason where there is none."""
    leaves: list[Tensor] = []
    spec = flatten((args, kwargs), leaves)
    tracing, watch = Tracing(), Watch(*entries, *objects(spec))
    for module in watch.modules():
        if any((module.__dict__.get("_cell_hooks") or {}).values()):
            raise Untraceable(f"{type(module).__name__} has hooks")
    found = Traced()
    out: dict = {}

    def step(*raw):
        call, named = unflatten(spec, [wrap(t) for t in raw])
        watch.__enter__()
        try:
            result = run(*call, **named)
        finally:
            watch.__exit__()
        results: list[Tensor] = []
        out["result"] = flatten(result, results)
        out["count"] = len(results)
        tails = [t for tail in tracing.tails for t in tail.raw]
        flags = [u.unless._t for u in tracing.updates if u.unless is not None]
        for param, new in tracing.put_back():
            rest = param._rest
            rest.copy_(new)
            out.setdefault("mutated", []).append(param)
        return [*[t._t.detach() for t in results], *tails, *flags]

    journal = random_streams.begin_journal()
    try:
        threads.keep_others_out()
        mode.tracing = tracing
        with (_addresses_of_fakes(), no_constants_of_real_tensors(), _step_by_step(),
              recording.recordings_of_trace(watch.modules())):
            gm = make_fx(step, tracing_mode="fake", _allow_non_fake_inputs=True)(*[x._t for x in leaves])
    except Stopped:
        raise Untraceable(watch.effect) from None
    except Exception as error:
        raise Untraceable(watch.effect or _reason(error)) from error
    finally:
        tracing.put_back()
        mode.tracing = None
        threads.let_others_in(None)
        random_streams.end_journal(journal, True)
    if watch.effect is not None:
        raise Untraceable(watch.effect)
    if len(gm.graph.nodes) > MOST:
        raise Untraceable(f"it has {len(gm.graph.nodes)} operations; up to {MOST} are compiled")
    found.gm, found.result, found.count = gm, out["result"], out["count"]
    found.mutated = out.get("mutated", [])
    found.updates, found.tails = tracing.updates, tracing.tails
    found.inputs = _lifted(gm, tracing, len(leaves))
    products.joined(gm)
    found.watch = watch
    watch.settle()
    if watch.effect is not None:
        raise Untraceable(watch.effect)
    return found


@contextlib.contextmanager
def _step_by_step():
    """Without oneDNN's LSTM, one operation whose gradient cannot be traced; step by step it can."""
    before = mkldnn_enabled()
    set_mkldnn_enabled(False)
    try:
        yield
    finally:
        set_mkldnn_enabled(before)


@contextlib.contextmanager
def _addresses_of_fakes():
    """Tensors without data tell what memory they would share."""
    FakeTensor.data_ptr = lambda t: t.untyped_storage()._cdata
    try:
        yield
    finally:
        del FakeTensor.data_ptr


def _lifted(gm: torch.fx.GraphModule, tracing: Tracing, given: int) -> list:
    """Make inputs of the tensors that the graph refers to; for each the function or the tensor to get."""
    graph = gm.graph
    places: dict[int, torch.fx.Node] = {}
    inputs: list = []
    memory: dict[int, int] = {}
    last = [node for node in graph.nodes if node.op == "placeholder"]
    for node in list(graph.nodes):
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise Untraceable(f"{node.target} draws from torch's own generator")
        if node.op != "get_attr":
            continue
        value = getattr(gm, node.target)
        if not isinstance(value, torch.Tensor) or _made_inside(node, value):
            continue
        place = places.get(id(value))
        if place is None:
            get = tracing.sources.get(id(value))
            if get is None and value.layout is torch.strided:
                kept = memory.setdefault(value.untyped_storage()._cdata, id(value))
                if kept != id(value):
                    raise Untraceable("two of its tensors share memory")
            with graph.inserting_after(last[-1]) if last else graph.inserting_before(None):
                place = graph.placeholder(f"lifted_{len(inputs)}")
                place.meta = dict(node.meta)
            places[id(value)] = place
            inputs.append(value if get is None else get)
            last.append(place)
        node.replace_all_uses_with(place)
        graph.erase_node(node)
    graph.eliminate_dead_code(lambda n: n.is_impure() or n.op == "placeholder" or _writes(n))
    graph.lint()
    gm.recompile()
    return inputs


def _writes(node) -> bool:
    return node.op == "call_function" and getattr(getattr(node.target, "_schema", None), "is_mutable", False)


def _made_inside(node, value: torch.Tensor) -> bool:
    """Whether a number in a program became this tensor (``torch.tensor(0.5)``): it stays in the graph."""
    return value.numel() <= 1 and all("lift_fresh" in str(user.target) for user in node.users)


_DECIDES = "the numbers of a Tensor decide what is computed"
_WORDS = {DataDependentOutputException: _DECIDES, GuardOnDataDependentSymNode: _DECIDES}


def _reason(error: BaseException) -> str:
    """Why a trace failed: the cause below other errors, and the program's own line."""
    chain, seen = [error], error
    while (seen := seen.__cause__ or seen.__context__) is not None and seen not in chain:
        chain.append(seen)
    cause = next((e for e in chain if isinstance(e, Untraceable)), None)
    words = str(cause) if cause else next((_WORDS[type(e)] for e in chain if type(e) in _WORDS), None)
    if words is None:
        text = str(error).strip().splitlines()
        words = f"{type(error).__name__}: {text[0] if text else ''}"[:160]
    for e in chain:
        frames = [f for f, _ in traceback.walk_tb(e.__traceback__) if is_users(f.f_code.co_filename)]
        if frames:
            line = next(n for f, n in traceback.walk_tb(e.__traceback__) if f is frames[-1])
            return f"{frames[-1].f_code.co_filename.rpartition('/')[2]}:{line}: {words}"
    return words


