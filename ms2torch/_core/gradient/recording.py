"""One forward: a Cell's forward pass is recorded so that the gradient call that follows need not run it
again.

MindSpore programs write ``loss = net(x)`` and then ``grad(net, weights)(x, sens)`` and the network runs once.
A recording is kept with its Cell, is used once, and only for the same Tensor objects with the same contents
and unmoved weights; anything else runs the network again, which is what MindSpore's graph mode computes. At
most two recordings wait; when two in a row went unused the Cell stops recording until training resumes, so
evaluation holds no memory.
"""

from __future__ import annotations

import torch

from ms2torch._core.gradient import levels
from ms2torch._core.gradient.levels import Level, tensors_of
from ms2torch._core.tensor.tensor import Tensor, wrap

WAITING = 2

# Depth of train cells' constructs that run at level 0. In graph mode their networks record without
# set_grad().
trainers = 0
# The recordings that wait inside a train cell's construct: MindSpore compiles it to one graph, in which a
# gradient belongs to its forward pass, whatever an optimizer did to the weights in between.
_kept: list[Recording] = []


class Recording:
    """One recorded forward: what it was called with, what it gave, and the tensors to differentiate by."""

    __slots__ = ("aliases", "attached", "call", "inputs", "kept", "output", "state", "weights")


class _Apart(Level):
    """A level whose aliases have version counters of their own: the recording's state tells what moved."""

    __slots__ = ()

    def _alias(self, t: torch.Tensor) -> torch.Tensor:
        return t.data.requires_grad_()


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
    if recorder.off or any(hasattr(a, "_rest") for a in args):
        # (A Parameter among the arguments may be assigned to; only values are recorded.)
        return run(*args, **kwargs)
    if len(recorder.waiting) >= WAITING:
        recorder.waiting.pop(0)
        recorder.unused += 1
        if recorder.unused >= WAITING:
            recorder.stop()
            return run(*args, **kwargs)
    found = Recording()
    weights = levels.trainable(cell.get_parameters())
    found.call = _flatten((args, kwargs))
    found.inputs = {}
    found.weights = weights
    with _Apart(weights) as level:
        call = _fresh(args, found.inputs)
        found.aliases = dict(zip(map(id, weights), level.aliases, strict=True))
        output = run(*call, **kwargs)
        outs = tensors_of(output)
        found.attached = {id(t): t._t for t in outs}
    levels.detach_(output)
    if any(t.requires_grad for t in found.attached.values()):
        found.output = output
        found.state = _state([*weights, *outs])
        found.kept = bool(trainers)
        if trainers:
            _kept.append(found)
        recorder.waiting.append(found)
    return output


def take(fn, args: tuple, kwargs: dict, positions, weights) -> Recording | None:
    """The recording that answers a gradient call on ``fn``, taken out; None where the function has to run."""
    recorder = getattr(fn, "__dict__", {}).get("_records")
    if recorder is None:
        return None
    recorder.resume()
    if not recorder.waiting:
        return None
    call = _flatten((args, kwargs))
    found = next((r for r in recorder.waiting if _same(r.call, call)), None)
    if found is None:
        return None
    recorder.waiting.remove(found)
    if found.kept:
        _kept.remove(found)
    known = found.aliases
    if all(id(w) in known for w in levels.trainable(weights)) and (found.kept or _unmoved(found.state)):
        return found
    return None


def leave_trainer() -> None:
    """A train cell's construct has ended: what still waits is like any other recording."""
    if not trainers:
        for found in _kept:
            found.kept = False
        _kept.clear()


def keep_apart(params) -> None:
    """Before ``params`` are written to: those that a waiting recording of a train cell reads move to memory
    of their own."""
    for found in _kept:
        for p in params:
            old = found.aliases.get(id(p))
            if old is not None and old.data_ptr() == p._rest.data_ptr():
                p._rest.data = p._rest.data.clone()


def _state(tensors) -> list:
    return [(w, w._t, w._t.data_ptr(), w._t._version) for w in tensors]


def _unmoved(state) -> bool:
    return all(
        w._t is t and t.data_ptr() == place and t._version == version for w, t, place, version in state
    )


def _flatten(obj) -> list:
    flat: list = []
    _flatten_into(obj, flat)
    return flat


def _flatten_into(obj, flat: list) -> None:
    if isinstance(obj, Tensor):
        t = obj._t
        flat.append((obj, t, t.data_ptr(), t._version))
    elif isinstance(obj, (tuple, list)):
        flat.append((type(obj), len(obj)))
        for x in obj:
            _flatten_into(x, flat)
    elif isinstance(obj, dict):
        flat.append((dict, tuple(obj)))
        for x in obj.values():
            _flatten_into(x, flat)
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


def _fresh(args: tuple, made: dict) -> list:
    """``args`` with a fresh alias for every float Tensor; ``made`` maps positions to aliases.

    One alias a position, also where the same Tensor stands twice: each position has its own gradient.
    """
    call = list(args)
    for i, x in enumerate(args):
        if isinstance(x, Tensor) and (x._t.is_floating_point() or x._t.is_complex()):
            made[i] = new = levels.alias(x._t)
            call[i] = wrap(new)
    return call
