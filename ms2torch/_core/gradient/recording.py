"""One forward: a Cell's forward pass is recorded so that the gradient call that follows need not run it
again.

MindSpore programs write ``loss = net(x)`` and then ``grad(net, weights)(x, sens)`` and the network runs once.
A recording is a pass whose graph is kept with its Cell. It is used once, and only for the same Tensor objects
with the same contents and unmoved weights; anything else runs the network again, which is what MindSpore's
graph mode computes. At most two recordings wait; when two in a row went unused the Cell stops recording until
training resumes, so evaluation holds no memory.
"""

from __future__ import annotations

import contextlib
import weakref
from functools import partial

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.random import random_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._core.torch_private import address, is_transforming

from . import integers, passes
from .passes import WHOLE, Pass, is_integral, tensors_of

WAITING = 2

# What differentiates and runs at rest, a train cell's construct or a marked function: the innermost. In a
# graph its networks record without set_grad(), and no others do. It is written under `passes.threads`.
training: Training | None = None
# What is a constant to a graph among its arguments.
_CONSTANTS = frozenset({int, float, bool, str, type(None)})
_SEQUENCES = frozenset({tuple, list, dict})
# All that wait.
_waiting: weakref.WeakSet[Recording] = weakref.WeakSet()


class Recording:
    """One recorded forward: what it was called with, what it gave, and the tensors to differentiate by.

    ``places`` maps the address of each Parameter's alias to the Parameter's id: memory that autograd reads.
    """

    __slots__ = ("__weakref__", "attached", "call", "hooked", "inputs", "output", "places", "received",
                 "recomputes", "sources", "state", "training")

    def leave_training(self) -> bool:
        """Whether it waited inside a train cell's construct, which it leaves."""
        if self.training is None:
            return False
        self.training.waiting.remove(self)
        self.training = None
        return True


class _RecordedPass(Pass):
    """A pass whose aliases have version counters of their own: the recording's state tells what moved.

    Frozen Parameters have aliases too, so that a later write to one does not disturb the kept graph.
    """

    __slots__ = ()

    def _take_all(self) -> None:
        taken, aliases, alone = self._taken, self.aliases, mode.mesh is None
        for w in self.weights:
            if w._share is None and w._home is None and alone:
                t = w._t
                w._t = new = t.data                             # what `alias` does for most
                if w._requires_grad and new.dtype not in WHOLE:
                    new.requires_grad_()
                taken.append((w, t, new))
                aliases.append(new)
            else:
                self._take(w)

    def alias(self, weight) -> torch.Tensor:
        leaf = self.leaf(weight)
        if leaf is not None:
            return leaf if weight.requires_grad else weight._share.kept()
        t = weight._t.data
        if mode.mesh is not None:
            t = mode.mesh.spread(t)
        return t.requires_grad_() if weight._requires_grad and not is_integral(t) else t


class Recorder:
    """The recordings of one Cell."""

    __slots__ = ("off", "unused", "waiting")

    def __init__(self) -> None:
        self.waiting: list[Recording] = []
        self.unused = 0
        self.off = False

    def stop(self) -> None:
        """Drop everything and record no more until training resumes."""
        self.waiting.clear()
        self.unused = 0
        self.off = True

    def forget(self) -> None:
        """Drop everything."""
        for found in self.waiting:
            found.leave_training()
        self.waiting.clear()

    def resume(self) -> None:
        self.off = False
        self.unused = 0

    def __deepcopy__(self, memo) -> Recorder:
        return Recorder()

    def __reduce__(self):
        return (Recorder, ())


def record(cell, run, args: tuple, kwargs: dict):
    """Run ``run(*args, **kwargs)`` for ``cell`` and keep what a gradient call needs; returns its detached
    output."""
    recorder = cell._recorder
    if training is not None and (mode.graph or mode.inside):
        again = recorder in training.met
        training.met.add(recorder)
        if again or are_two_graphs(args, kwargs):
            recorder.forget()
            return run(*args, **kwargs)
    if (recorder.off or any(hasattr(a, "_rest") for a in args)
            or is_transforming()):
        # (A Parameter among the arguments may be assigned to; only values are recorded.)
        return run(*args, **kwargs)
    if len(recorder.waiting) >= WAITING:
        recorder.waiting.pop(0)
        recorder.unused += 1
        if recorder.unused >= WAITING:
            recorder.stop()
            return run(*args, **kwargs)
    found = Recording()
    params = cell._all_parameters()
    found.call = _flatten(args, kwargs)
    found.inputs = {}
    with _RecordedPass(params) as opened:
        call, named = _fresh(args, kwargs, found.inputs)
        found.sources, found.places, trained = {}, {}, []
        for w, t in zip(params, opened.aliases, strict=True):
            found.places[id(w)] = address(t)
            if t.requires_grad:
                found.sources[id(w)] = t
                trained.append(w)
        opened.given = [*call, *named.values()]
        opened.origins = [*args, *kwargs.values()]
        output = run(*call, **named)
        opened.remember(output)
        outs = tensors_of(output)
        found.attached = {id(t): t._t for t in outs}
        found.received, found.hooked = opened.received, opened.hooked
        found.recomputes = trained if opened.recomputes else ()
    if opened.staged:
        found.inputs = {}
    if opened.reaching:     # it is recorded for the arguments as they are now
        found.call = _flatten(args, kwargs)
    if any(integers.tracked(t).requires_grad for t in found.attached.values()):
        found.output = output
        found.state = _state([*trained, *outs])
        found.training = training
        if training is not None:
            training.waiting.append(found)
        recorder.waiting.append(found)
        _waiting.add(found)
    return output


def are_two_graphs(args: tuple, kwargs: dict) -> bool:
    """Whether a graph that calls a network so and differentiates it so makes two graphs of it, each with its
    own effects: by each constant among the arguments. So is what is there before the graph: Tensors that a
    Cell holds, and tuples, lists and dicts among the graph's own arguments unless they are mutable."""
    if not (mode.graph or mode.inside):
        return False
    held = training.held() if training is not None else ()
    return any(x.__class__ in _CONSTANTS or id(x) in held for x in (*args, *kwargs.values()))


def claim_recording(fn, args: tuple, kwargs: dict, places, weights) -> Recording | None:
    """The recording that answers a gradient call on ``fn``, taken out; None where the function has to run."""
    recorder = getattr(fn, "__dict__", {}).get("_records")
    if recorder is None:
        return None
    recorder.resume()
    if not recorder.waiting:
        return None
    call = _flatten(args, kwargs)
    found = next((r for r in reversed(recorder.waiting) if _same(r.call, call)), None)
    if found is None:
        return None
    recorder.waiting.remove(found)
    belongs = found.leave_training()
    if not all(p in found.inputs for p in places):
        return None
    for w in weights:
        if id(w) not in found.sources and (w.requires_grad or mode.graph):
            return None
    if belongs or _unmoved(found.state):
        return found
    return None


@contextlib.contextmanager
def recordings_of_trace(cells):
    """A block whose recordings are its own: traces of a step begin alike, and leave no pass behind."""
    kept = [(cell.__dict__, cell.__dict__.pop("_records", None)) for cell in cells]
    try:
        yield
    finally:
        for attributes, records in kept:
            attributes.pop("_records", None)
            if records is not None:
                attributes["_records"] = records


class Training:
    """One call at rest of a train cell or a marked function that differentiates: a gradient belongs to its
    forward pass. They take turns.

    Where it fails it is taken back: what its passes settled and drew, what it wrote to Parameters itself. (An
    optimizer takes back its own, see `nn.optim._undo`.)
    """

    __slots__ = ("_held", "_journal", "_outer", "_outside", "_replaced", "_several", "met", "waiting")

    def __init__(self, given=(), outside=(), several=()) -> None:
        """``given``: the arguments; ``outside``: what it may read beside them; ``several``: the networks that
        it differentiates in several places."""
        self._outside, self._held, self._several = (given, outside), None, several

    def held(self) -> set[int]:
        """The ids of the Tensors and sequences that are constants to its graph."""
        if self._held is None:
            given, outside = self._outside
            self._held = set() if self._outer is None else set(self._outer.held())
            for value in outside:
                if value.__class__ is Tensor:
                    self._held.add(id(value))
                elif value.__class__ in _SEQUENCES:
                    self._note_parts(value)
            for value in given if self._outer is None else ():
                if value.__class__ in _SEQUENCES:
                    self._note_parts(value)
        return self._held

    def _note_parts(self, sequence) -> None:
        self._held.add(id(sequence))
        for value in sequence.values() if isinstance(sequence, dict) else sequence:
            if value.__class__ is Tensor:
                self._held.add(id(value))
            elif value.__class__ in _SEQUENCES:
                self._note_parts(value)

    def __enter__(self) -> None:
        global training
        passes.threads.acquire()
        self._outer = outer = training
        # The recorders of what this graph called already: one that is called twice shares no forward pass,
        # nor does one that is differentiated twice.
        self.met: set[Recorder] = set() if outer is None else outer.met
        self.met.update(cell._recorder for cell in self._several)
        # Its recordings: MindSpore compiles it to one graph, in which a gradient belongs to its forward pass,
        # whatever an optimizer did to the weights in between.
        self.waiting: list[Recording] = [] if outer is None else outer.waiting
        training = self
        self._replaced = passes.replaced
        passes.replaced = []
        self._journal = random_streams.begin_journal()

    def __exit__(self, kind, value, trace) -> None:
        global training
        training = self._outer
        replaced, passes.replaced = passes.replaced, self._replaced
        try:
            random_streams.end_journal(self._journal, kind is not None)
            if kind is not None:
                for take_back in reversed(replaced):
                    take_back()
            elif self._replaced is not None:
                self._replaced.extend(replaced)
            if training is None:        # what still waits is like any other recording
                for found in self.waiting:
                    found.training = None
        finally:
            passes.threads.release()


def before_writing(param) -> None:
    """Called before ``param`` is written to in place at rest."""
    keep_apart((param,))
    if passes.replaced is not None and mode.tracing is None:
        memory = param._rest.data
        passes.replaced.append(partial(memory.copy_, memory.clone()))


def before_rebinding(param) -> None:
    """Called before ``param`` gets other memory at rest."""
    if passes.replaced is not None:
        passes.replaced.append(partial(param._rebind, param._rest.data))


def keep_apart(params) -> None:
    """Before ``params`` are written to at rest: those whose memory a waiting recording still reads move to
    memory of their own.

    (A trainable weight that moves ends a recording outside train cells, which need not be kept intact then.)
    """
    if not _waiting or mode.tracing is not None:
        return
    for found in tuple(_waiting):
        for p in params:
            place = found.places.get(id(p))
            if (place is not None and place == address(p._rest)
                    and (found.training is not None or id(p) not in found.sources)):
                p._rest.data = p._rest.data.clone()


class Updating:
    """A block in which a kernel writes into ``params`` in place, as optimizers do."""

    __slots__ = ("params",)

    def __init__(self, params) -> None:
        self.params = params

    def __enter__(self) -> None:
        passes.threads.acquire()
        try:
            if mode.differentiation is None:
                keep_apart(self.params)
            else:
                mode.differentiation.lend_memory(self.params)
        except BaseException:
            passes.threads.release()
            raise

    def __exit__(self, kind, value, trace) -> None:
        passes.threads.release()


def _state(tensors) -> list:
    return [(w, t, address(t), t._version) for w, t in zip(tensors, map(_held, tensors), strict=True)]


def _unmoved(state) -> bool:
    return all(
        _held(w) is t and address(t) == place and t._version == version for w, t, place, version in state
    )


def _held(w) -> torch.Tensor:
    return w._t if w._share is None else w._rest


def _flatten(args: tuple, kwargs: dict) -> list:
    """What tells a call from another: its Tensors and their contents, how they are nested, all else."""
    flat: list = [(tuple, len(args))]
    for x in args:
        _flatten_into(x, flat)
    if kwargs:
        _flatten_into(kwargs, flat)
    return flat


def _flatten_into(obj, flat: list) -> None:
    if isinstance(obj, Tensor):
        t = obj._t
        flat.append((obj, t, address(t), t._version))
    elif isinstance(obj, (tuple, list)):
        # (In a graph a sequence that is written twice is two.)
        flat.append((obj, None, None, None) if mode.graph or mode.inside else (type(obj), len(obj)))
        for x in obj:
            _flatten_into(x, flat)
    elif isinstance(obj, dict):
        flat.append((dict, tuple(obj)))
        for x in obj.values():
            _flatten_into(x, flat)
    elif isinstance(obj, np.ndarray):       # by content: arrays are filled again in place
        flat.append((type(obj), (obj.shape, obj.dtype.str, obj.tobytes())))
    else:
        flat.append((type(obj), obj))


def _same(a: list, b: list) -> bool:
    return len(a) == len(b) and all(map(_equal, a, b))


def _equal(a: tuple, b: tuple) -> bool:
    if len(a) != len(b):
        return False
    if len(a) == 4:
        return a[0] is b[0] and a[1] is b[1] and a[2] == b[2] and a[3] == b[3]
    if a[0] is not b[0]:
        return False
    try:
        return a[1] is b[1] or bool(a[1] == b[1])
    except (TypeError, ValueError, RuntimeError):
        return False


def _fresh(args: tuple, kwargs: dict, made: dict) -> tuple[list, dict]:
    """The arguments with a fresh alias for every float Tensor; ``made`` maps their places to the aliases.

    One alias a place, also where the same Tensor stands twice: each has its own gradient.
    """
    call, named = list(args), dict(kwargs)
    for given, pairs in ((call, enumerate(args)), (named, kwargs.items())):
        for place, x in pairs:
            if isinstance(x, Tensor) and (x._t.is_floating_point() or x._t.is_complex()):
                made[place] = new = passes.alias(x._t)
                given[place] = passes.standing_for(x, new, new)
    if mode.graph:
        passes.values_of_their_own(call, named, made)
    return call, named
