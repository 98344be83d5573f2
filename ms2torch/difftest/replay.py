"""Re-feeding: one step of ours in which every Cell gets the reference's inputs, forward and backward.

A subclass of the recorder, so both look at the same places under the same keys. Each value that arrives is
compared with the reference's and then replaced by it, so an error stays where it arose: a Cell whose output
differs is wrong itself, a Cell whose *input* differs has a parent whose own operators are wrong. Backward the
same: what a Cell makes of the reference's output gradient is compared and replaced. With ``double`` the pass
is computed in float64 and gives the truth of the values asked for.
"""

from __future__ import annotations

import json
import math

import numpy as np
import torch

from ms2torch._core import levels
from ms2torch._core.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter

from . import trace
from .compare import is_float, norm_of
from .recorder import Recorder
from .yardstick import CHEAP, Double, epsilon

# Arrays kept for judging later, in bytes.
_MEMORY = 1 << 30
# Written by the step; compared as what the step changed.
_WRITTEN = ("parameter", "optimizer", "loss_scale")


class _Swap(torch.autograd.Function):
    """``new`` in the place of ``t``; backward, what ``back`` makes of the gradient."""

    @staticmethod
    def forward(ctx, t, new, back):
        ctx.back = back
        return new.clone()

    @staticmethod
    def backward(ctx, gradient):
        return ctx.back(gradient), None, None


class Replay(Recorder):
    """Runs a script to the steps that the reference's trace holds whole, and judges them Cell by Cell."""

    def __init__(self, writer, options, frame, reference: str, out: str, double: bool = False, wanted=None):
        super().__init__(writer, options, frame)
        self.reference = trace.open(reference)
        self.out, self.double = out, double
        self.wanted = {tuple(key) for key in wanted or ()}
        self.events: list[dict] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.room = _MEMORY
        self.seen = 0
        self.known: dict[tuple, dict] = {}
        self.unseen: dict[tuple, None] = {}
        self.before: dict[str, np.ndarray] = {}
        self.mode = Double() if double else None
        if double:
            _double_levels()

    # ---- the recorder's places -------------------------------------------------------------------------

    def begin(self, step):
        """Load the reference's step."""
        self._missing()
        self.known, self.before = {}, {}
        if step not in self.options.refeed:
            return
        for record in self.reference.step(step):
            if record["kind"] == "tensor":
                self.known[_key(record)] = record
                if record["stage"] == "initial":
                    self.before[_named(record)] = record.get("array")
        self.unseen = dict.fromkeys(self.known)

    def visit(self, stage, where, role, index, call, value, update=0):
        """Compare with the reference's record of the same key; its array, to go on with."""
        if not self.known:
            return None
        key = (self.step, update or 0, stage, where, role, index, call)
        record = self.known.get(key)
        self.unseen.pop(key, None)
        t = value._t if isinstance(value, Tensor) else value
        if record is None:
            if stage != "backward":
                self._note(key, "extra", dtype=_dtype(t), shape=list(t.shape))
            return None
        theirs = record.get("array")
        if stage == "initial":
            if self.step == 1:
                self._judge(key, record, t)
            return theirs
        self._judge(key, record, t)
        return None if stage in _WRITTEN or stage in ("loss", "learning_rate") else theirs

    def incoming(self, value, where, index, call):
        """A Cell's input."""
        return self._swapped("input", value, where, index, call)

    def outgoing(self, value, where, index, call):
        """A Cell's output."""
        return self._swapped("output", value, where, index, call)

    def _swapped(self, role, value, where, index, call):
        new = self.visit("forward", where, role, index, call, value)
        if isinstance(value, Parameter):
            return value
        t = value._t
        new = None if new is None else self._like(new, t)
        if not t.requires_grad:
            same = new is None or (new.dtype is t.dtype and new.shape == t.shape and torch.equal(new, t))
            return value if same else wrap(new)
        if new is not None and new.shape != t.shape:
            new = None

        def back(gradient):
            other = self.visit("backward", where, "grad_" + role, index, call, gradient)
            if other is None or tuple(other.shape) != tuple(gradient.shape):
                return gradient
            return self._like(other, gradient)

        return wrap(_Swap.apply(t, t.detach() if new is None else new.to(t.dtype), back))

    def _like(self, array, t):
        new = _torch(array).to(t.device)
        return new.to(t.dtype) if t.is_floating_point() and new.is_floating_point() else new

    def call(self, cell, run, args, kwargs):
        """As the recorder's; a re-fed step of a double pass computes in float64."""
        if self.mode is None or self.inside or self.step + 1 - self.open not in self.options.refeed:
            return super().call(cell, run, args, kwargs)
        with self.mode:
            return super().call(cell, run, args, kwargs)

    def finish(self, status, error=None):
        """Write what was seen."""
        self._missing()
        self.known = {}
        np.savez(self.out + ".npz", **self.arrays)
        with open(self.out + ".events", "w", encoding="utf-8") as file:
            json.dump({"status": status, "error": repr(error) if error else None, "seen": self.seen,
                       "events": self.events}, file)

    # ---- comparing -------------------------------------------------------------------------------------

    def _judge(self, key, record, t) -> None:
        mine = _numpy(t)
        self.seen += 1
        if self.double:
            if key in self.wanted:
                self.arrays["|".join(map(str, key))] = mine
            return
        dtype = _dtype(t)
        if dtype != record["dtype"]:
            return self._note(key, "dtype", reference=record["dtype"], ours=dtype)
        if list(mine.shape) != record["shape"]:
            return self._note(key, "shape", reference=str(tuple(record["shape"])), ours=str(mine.shape))
        theirs = record.get("array")
        if theirs is None:
            return None
        if not is_float(dtype):
            wrong = int(np.count_nonzero(mine != theirs))
            if wrong:
                self._note(key, "value", error=math.inf, ours=f"{wrong} of {mine.size} elements differ")
            return None
        for name, what in (("nan", np.isnan), ("inf", np.isinf)):
            left, right = what(theirs), what(mine)
            if not np.array_equal(left, right):
                return self._note(key, "nan", reference=f"{int(left.sum())} {name}",
                                  ours=f"{int(right.sum())} {name}")
        error, size, floor = norm_of(mine.astype(np.float64) - theirs), norm_of(theirs), 0.0
        if error == 0.0:
            return None
        before = self.before.get(_named(record)) if key[2] in _WRITTEN else None
        if before is not None:
            # The update is what the step computed; the weight under it rounds it.
            changed = norm_of(theirs - before.astype(np.float64))
            floor, size = 2 * epsilon(dtype) * size / (changed or 1.0), changed
        error = error / size if size else math.inf
        if error > CHEAP * epsilon(dtype) + floor:
            self._note(key, "value", error=error, dtype=dtype, size=size, floor=floor, keep=mine)
        return None

    def _note(self, key, kind, keep=None, **more) -> None:
        event = {"key": list(key), "kind": kind, "after": len(self.events), **more}
        if keep is not None and keep.nbytes < self.room:
            self.room -= keep.nbytes
            self.arrays["|".join(map(str, key))] = keep
        self.events.append(event)

    def _missing(self) -> None:
        """What the reference did in this step and ours did not."""
        for key in self.unseen:
            if key[2] != "backward" and not self.double:
                self._note(key, "missing")
        self.unseen = {}


def _key(record: dict) -> tuple:
    return (record["step"], record.get("update", 0), record["stage"], record["where"], record["role"],
            record["index"], record["call"])


def _named(record: dict) -> str:
    state = record["stage"] == "optimizer" or record["role"] == "state"
    return f"{record.get('update', 0)}|{record['where']}" if state else record["where"]


def _dtype(t: torch.Tensor) -> str:
    return str(t.dtype).removeprefix("torch.")


def _numpy(t: torch.Tensor) -> np.ndarray:
    t = t.detach().cpu()
    return (t.float() if t.dtype is torch.bfloat16 else t).numpy().copy()


def _torch(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.array(array))  # a copy that may be written to


def _double_levels() -> None:
    """Leaves of a differentiation are float64: gradients have their leaf's dtype."""
    narrow = levels.alias

    def alias(t):
        if t.requires_grad or t.dtype not in (torch.float32, torch.float16, torch.bfloat16):
            return narrow(t)
        return t.detach().double().requires_grad_()

    levels.alias = alias
    from ms2torch._core import recording

    recording._Apart._alias = lambda self, t: alias(t.data)
