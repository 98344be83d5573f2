"""Re-feeding: one step of ours in which every Cell gets the reference's inputs, forward and backward.

A subclass of the recorder, so both look at the same places under the same keys. Each value that arrives is
compared with the reference's and then replaced by it, so an error stays where it arose: a Cell whose output
differs is wrong itself, a Cell whose *input* differs has a parent whose own operators are wrong. Backward the
same: what a Cell makes of the reference's output gradient is compared and replaced. A pass in float64
("double") gives the truth of the values asked for, one in trembling float64 ("shaken") what rounding
explains.
"""

from __future__ import annotations

import json
import math

import numpy as np
import torch

from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter

from . import double as float64
from . import making, trace
from .compare import is_float, norm_of, other_mask
from .recorder import PROGRAM, Recorder, map_tensors
from .yardstick import CHEAP, UNTOLD, epsilon

# Arrays kept for judging later, in bytes.
_MEMORY = 1 << 30
_LAYERS = ("ms2torch.nn.layer.", "ms2torch.nn.loss.", "ms2torch.nn.probability.", "ms2torch.mint.nn")
# Written by the step; compared as what the step changed.
_WRITTEN = ("parameter", "optimizer", "loss_scale")
# Between two steps: what is this near at the end of one can be asked for at the start of the next, and
# writing may make so many times of it.
_NEAR, _WRITES = 1e-4, 16.0
# Of these a common factor is a cause.
_SHARED = ("backward", "gradient", "parameter")


class _Swap(torch.autograd.Function):
    """``new`` in the place of ``t``; backward, what ``back`` makes of the gradient."""

    @staticmethod
    def forward(ctx, t, new, back):
        ctx.back = back
        return new.clone()

    @staticmethod
    def backward(ctx, gradient):
        return ctx.back(gradient), None, None


class _Through(torch.autograd.Function):
    """``new`` in the place of a gradient that is differentiated again, as the gradient itself would be."""

    @staticmethod
    def forward(ctx, gradient, new):
        return new.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Replay(Recorder):
    """Runs a script to the steps that the reference's trace holds whole, and judges them Cell by Cell."""

    def __init__(self, writer, options, frame, reference: str, out: str, how: str = "replay", wanted=None):
        super().__init__(writer, options, frame)
        self.reference = trace.open(reference)
        self.out, self.double = out, how != "replay"
        if how == "shaken":
            float64.perturb()
        self.wanted = {tuple(key) for key in wanted or ()}
        self.events: list[dict] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.room = _MEMORY
        self.seen = 0
        self.known: dict[tuple, dict] = {}
        self.unseen: dict[tuple, None] = {}
        self.before: dict[str, np.ndarray] = {}
        # How far apart the two were at the end of the step before, each Parameter as a part of its norm.
        self.left: dict[str, float] = {}
        self.apart: dict[str, float] = {}
        self.leaves: set[str] = set()
        self.in_leaf = False
        # Cells under to_float: we cast before construct, MindSpore within it.
        self.cast: set[str] = set()
        self.failed: str | None = None
        # Inputs of a Cell call that are one Tensor: its places, and the gradients that have come.
        self.shared: dict[tuple, _Shared] = {}
        self.mode = float64.Double() if self.double else None
        self.described: dict[str, dict] = {}
        # A float64 pass: how far the reference's value lies from the truth.
        self.gaps: dict[str, float] = {}
        if not self.double:
            making.install()

    # ---- the recorder's places -------------------------------------------------------------------------

    def begin(self, step):
        """Load the reference's step."""
        self._missing()
        self.known, self.before, self.shared = {}, {}, {}
        self.left, self.apart = self.apart, {}
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
        if role == "mask":  # the output is judged; the real one does not repeat its masks in PyNative mode
            self.unseen.pop((self.step, 0, stage, where, role, index, call), None)
            return None
        key = (self.step, update or 0, stage, where, role, index, call)
        record = self.known.get(key)
        self.unseen.pop(key, None)
        t = value._t if isinstance(value, Tensor) else value
        if record is None:
            inner = _is_inner(where) or self.extra.get("bprop")
            if stage != "backward" and not inner and not self._hidden(stage, where):
                self._note(key, "extra", dtype=_dtype(t), shape=list(t.shape))
            return None
        theirs = record.get("array")
        if stage == "initial":
            if self.step == 1:
                self._judge(key, record, t)
            elif not self.double and theirs is not None:
                self._between(key, record, t)
            # A weight's rounding is judged by the change that the step makes; a state's goes into that.
            return _trembling(theirs) if role == "state" and _several(theirs) else theirs
        self._judge(key, record, t)
        if stage in _WRITTEN and not self.double and self.step + 1 in self.options.refeed:
            self._left(record, t)
        if stage in _WRITTEN or stage in ("loss", "learning_rate"):
            return None
        return theirs if stage == "data" else _trembling(theirs)

    def _hidden(self, stage, where) -> bool:
        """Whether a Cell was made on the fly where MindSpore runs compiled code also in PyNative mode
        (HyperMap of a MultitypeFuncGraph), so that none of its calls was seen there."""
        return (stage == "forward" and where not in self.names.taken
                and not any(key[3] == where for key in self.known))

    def operator(self, name, run, args, kwargs, line, owner=None):
        """An operator; how it is called is remembered for the repro."""
        where = f"{self.place(owner)}/{name.rpartition('.')[2].replace('_', '').lower()}"
        key = f"{where}#{self.calls.get(where, -1) + 1}"
        if self.known and not self.double and key not in self.described:
            named = map_tensors((args, kwargs), Tensor, lambda t, i: making.Word(f"inputs[{i}]"))
            self.described[key] = {"class": name, "code": making.call_expression(name, *named),
                                   "parameters": [], "training": True, "operator": True}
        return super().operator(name, run, args, kwargs, line, owner)

    def incoming(self, value, where, index, call, shown=None):
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

        group = self._group(value, where, index, call) if role == "input" else None

        came = []

        def back(gradient):
            if came:  # the gradient of a gradient, which the recorder does not see either
                return gradient
            came.append(gradient.shape)
            other = theirs(gradient)
            return _Through.apply(gradient, other.detach()) if gradient.requires_grad else other

        def theirs(gradient):
            if group is not None and len(group.places) > 1:
                return self._sum(group, gradient, where, call)
            other = self.visit("backward", where, "grad_" + role, index, call, gradient)
            if other is None or tuple(other.shape) != tuple(gradient.shape):
                return gradient
            return self._like(other, gradient)

        return wrap(_Swap.apply(t, t.detach() if new is None else new.to(t.dtype), back))

    def _group(self, value, where, index, call):
        group = self.shared.setdefault((where, call, id(value)), _Shared(value))
        group.places.append(index)
        return group

    def _sum(self, group, gradient, where, call):
        """The gradient of a Tensor that stands at several places of one call: judged as their sum.

        MindSpore's PyNative mode gives that sum at every place; no defect, and not to be copied.
        """
        group.come.append(gradient)
        if len(group.come) < len(group.places):
            return gradient
        total = sum(group.come[1:], start=group.come[0])
        key = (self.step, 0, "backward", where, "grad_input", group.places[0], call)
        found = [self.known.get((*key[:5], place, call)) for place in group.places]
        for place in group.places:
            self.unseen.pop((*key[:5], place, call), None)
        arrays = [record.get("array") for record in found if record is not None]
        if len(arrays) < len(group.places) or any(a is None or a.shape != tuple(total.shape) for a in arrays):
            return gradient
        whole = np.sum(arrays, axis=0, dtype=np.float64)
        candidates = [whole, arrays[0]] if all(np.array_equal(a, arrays[0]) for a in arrays[1:]) else [whole]
        mine = float64.numpy(total)
        array = min(candidates, key=lambda a: norm_of(a - mine)).astype(arrays[0].dtype)
        self._judge(key, {**found[0], "array": array}, total)
        return self._like(array, gradient) - (total - gradient)

    def _like(self, array, t):
        new = _torch(array).to(t.device)
        if not (t.is_floating_point() and new.is_floating_point()):
            return new
        # The backward pass of a functional step runs outside all Cells, where no mode makes it float64.
        return float64.widened(new, t.dtype) if self.double else new.to(t.dtype)

    def _watch(self, cell, run, args, kwargs):
        """A layer of the library is one thing: what it calls inside is its own affair and need not be what
        MindSpore's layer calls."""
        if self.in_leaf:
            return run(args, kwargs)
        if not self.double and self._name(cell) not in self.described:
            self.described[self._name(cell)] = making.cell_expression(cell)
        if getattr(cell, "_float", None) is not None:
            self.cast.add(self._name(cell))
        if _is_layer(cell):
            self.leaves.add(self._name(cell))
            self.in_leaf = True
        try:
            return super()._watch(cell, run, args, kwargs)
        except Exception:
            self.failed = self.failed or self._name(cell)
            raise
        finally:
            if _is_layer(cell):
                self.in_leaf = False

    def _set(self, parameter, array):
        """In place: the call that begins the step may stand inside a differentiation already, whose alias
        shares the memory."""
        if array is not None:
            with torch.no_grad():
                parameter._rest.copy_(_torch(array).reshape(parameter._rest.shape))

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
            json.dump({"status": status, "steps": self.step - self.open, "failed": self.failed,
                       "step": self.step, "error": repr(error) if error else None, "seen": self.seen,
                       "events": self.events, "made": self.described, "gaps": self.gaps}, file)

    # ---- comparing -------------------------------------------------------------------------------------

    def _judge(self, key, record, t) -> None:
        mine = float64.numpy(t)
        self.seen += 1
        dtype = _dtype(t)
        if dtype != record["dtype"] and key[4].endswith("input") and key[3] in self.cast:
            record = {**record, "dtype": dtype, "array": _cast(record.get("array"), t.dtype)}
        if dtype != record["dtype"] and not self.double:
            return self._note(key, "dtype", reference=record["dtype"], ours=dtype)
        if key[4] == "grad_output" and mine.size == record["stats"]["n"]:  # see compare.difference
            mine = mine.reshape(record["shape"])
        if self.double:
            return self._true(key, record.get("array"), mine)
        if list(mine.shape) != record["shape"]:
            return self._note(key, "shape", reference=str(tuple(record["shape"])), ours=str(mine.shape))
        theirs = record.get("array")
        if theirs is None:
            return None
        if not is_float(dtype):
            wrong = np.argwhere(np.atleast_1d(mine != theirs))
            if len(wrong):
                at, place = tuple(wrong[0]), f" at {wrong[0].tolist()}" if mine.ndim else ""
                left, right = (f"{np.atleast_1d(a)[at]}{place}" for a in (theirs, mine))
                self._note(key, "value", error=math.inf, reference=left,
                           ours=f"{right} ({len(wrong)} of {mine.size} elements differ)")
            return None
        for name, what in (("nan", np.isnan), ("inf", np.isinf)):
            left, right = what(theirs), what(mine)
            if not np.array_equal(left, right):
                return self._note(key, "nan", reference=f"{int(left.sum())} {name}",
                                  ours=f"{int(right.sum())} {name}")
        error, size, floor = norm_of(mine.astype(np.float64) - theirs), norm_of(theirs), 0.0
        if error == 0.0:
            return None
        start, before = 0.0, self.before.get(_named(record)) if key[2] in _WRITTEN else None
        if before is not None:
            # The update is what the step computed; the weight under it rounds it.
            start = before.astype(np.float64)
            changed = norm_of(theirs - start) or norm_of(mine - start)
            floor, size = 2 * epsilon(dtype) * size / changed, changed
        size = size or norm_of(mine)
        error = error / size
        if error > CHEAP * epsilon(dtype) + floor:
            mask = key[2] in ("forward", "random") and key[4] == "output" and other_mask(theirs, mine)
            shown = [f"norm {norm_of(a):.6g}, mean {float(np.mean(a)):.6g}" for a in (theirs, mine)]
            self._note(key, "value", error=error, dtype=dtype, size=size, floor=floor, keep=mine, mask=mask,
                       reference=shown[0], ours=shown[1],
                       factor=_factor(theirs - start, mine - start) if key[2] in _SHARED else None)
        return None

    def _left(self, record, t) -> None:
        """Remember how far apart a step leaves a Parameter."""
        theirs, mine = record.get("array"), float64.numpy(t)
        if theirs is not None and theirs.shape == mine.shape and is_float(record["dtype"]):
            self.apart[_named(record)] = norm_of(mine.astype(np.float64) - theirs) / (norm_of(theirs) or 1.0)

    def _between(self, key, record, t) -> None:
        """What the program itself writes to a Parameter between two re-fed steps. Where the first left
        something far apart (a bias before BatchNorm may be, by rounding) what is made of it tells nothing."""
        theirs, mine, dtype = record["array"], float64.numpy(t), _dtype(t)
        told = _named(record) in self.left and max(self.left.values()) < _NEAR
        if not told or theirs.shape != mine.shape or not is_float(dtype) or dtype != record["dtype"]:
            return
        self.seen += 1
        size = norm_of(theirs) or norm_of(mine) or 1.0
        error = norm_of(mine.astype(np.float64) - theirs) / size
        floor = _WRITES * max(self.left.values())
        if error > UNTOLD * epsilon(dtype) + floor:
            shown = [f"norm {norm_of(a):.6g}, mean {float(np.mean(a)):.6g}" for a in (theirs, mine)]
            self._note(key, "value", error=error, dtype=dtype, size=size, floor=floor, reference=shown[0],
                       ours=shown[1])

    def _true(self, key, theirs, mine) -> None:
        """Keep a value of a float64 pass that was asked for."""
        if key in self.wanted:
            name = "|".join(map(str, key))
            self.arrays[name] = mine
            if theirs is not None and theirs.shape == mine.shape and is_float(str(mine.dtype)):
                self.gaps[name] = norm_of(mine - theirs)

    def _note(self, key, kind, keep=None, **more) -> None:
        event = {"key": list(key), "kind": kind, "after": len(self.events), **more}
        record = self.known.get(key)
        if record is not None and record.get("op"):
            event.update(op=record["op"], line=record["line"], bprop=record.get("bprop", False))
        if keep is not None and keep.nbytes < self.room:
            self.room -= keep.nbytes
            self.arrays["|".join(map(str, key))] = keep
        self.events.append(event)

    def _missing(self) -> None:
        """What the reference did in this step and ours did not."""
        for key in self.unseen:
            inside = any(key[3].startswith(leaf + ".") for leaf in self.leaves) or _is_inner(key[3]) or (
                self.known[key].get("bprop"))
            if key[2] != "backward" and not inside and not self.double:
                self._note(key, "missing")
        self.unseen = {}


class _Shared:
    """One Tensor at several places of a call."""

    __slots__ = ("come", "places", "value")

    def __init__(self, value) -> None:
        self.value, self.places, self.come = value, [], []


def _factor(theirs, mine) -> float | None:
    """The number by which ours is the reference's throughout; None where there is none."""
    left, right = (a.astype(np.float64).ravel() for a in (theirs, mine))
    factor = float(left @ right / (left @ left)) if left.any() else 0.0
    return factor if norm_of(right - factor * left) < 1e-2 * norm_of(right) else None


def _is_inner(where: str) -> bool:
    """Whether a name is that of a Cell by which a library function works inside (_ClipByGlobalNorm), or of an
    operator outside all Cells, of which not each is seen on both sides."""
    inner = where.partition(".")[0].startswith("_") and not where.startswith("_backbone")
    return inner or where.startswith(PROGRAM + "/")


def _is_layer(cell) -> bool:
    """Whether a Cell's class is a layer or loss of the library that is no mere container."""
    home = type(cell).__module__
    return home.startswith(_LAYERS) and not home.endswith(".container")


def _key(record: dict) -> tuple:
    return (record["step"], record.get("update", 0), record["stage"], record["where"], record["role"],
            record["index"], record["call"])


def _named(record: dict) -> str:
    state = record["stage"] == "optimizer" or record["role"] == "state"
    return f"{record.get('update', 0)}|{record['where']}" if state else record["where"]


def _dtype(t: torch.Tensor) -> str:
    return str(t.dtype).removeprefix("torch.")


def _several(array) -> bool:
    return array is not None and array.size > 1


def _trembling(array):
    """A value that goes in, in a shaken pass: as it would be with another rounding."""
    if float64.noise is None or array is None or array.dtype != np.float32:
        return array
    return float64.noise.on(torch.from_numpy(array.astype(np.float64))).numpy()


def _cast(array, dtype: torch.dtype):
    if array is None or array.dtype.kind != "f":
        return array
    return float64.numpy(_torch(array).to(dtype))


def _torch(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.array(array))  # a copy that may be written to
