"""Records what a MindSpore program computes, step by step, into a trace. One file, to be copied anywhere.

    python recorder.py -o run.trace [options] train.py [arguments of train.py]

It needs numpy and the MindSpore that it runs in (written for what 1.5 to 2.10 share), not ms2torch, whose own
side is recorded by the same code. ``--torch`` records a PyTorch program instead. FORMAT.md describes the
file. The program is not changed: `Cell.__call__` is the only place where calls are seen, gradients pass
through MindSpore's own ``HookBackward``.
"""

from __future__ import annotations

import argparse
import base64
import fnmatch
import hashlib
import json
import os
import platform
import runpy
import signal
import struct
import sys
import time
import traceback
import zlib

import numpy as np

MAGIC = b"MS2TRACE 1\n"
FORMAT = 1
SAMPLES = 16
_PLACES = np.arange(SAMPLES)
LEVELS = ("step", "cell", "op")
# Where an operator stands that is called outside all Cells.
PROGRAM = "program"
# Names of the parameters by which MindSpore's train cells keep their loss scale.
SCALE_NAMES = ("scale_sense", "cur_iter", "last_overflow_iter", "scale_value", "counter", "loss_scale")
# MindSpore's optimizers' numbers -> PyTorch's names.
SETTINGS = {"eps": "eps", "epsilon": "eps", "beta1": "beta1", "beta2": "beta2", "momentum": "momentum",
            "weight_decay": "weight_decay", "decay": "alpha", "dampening": "dampening",
            "use_nesterov": "nesterov", "nesterov": "nesterov", "use_amsgrad": "amsgrad"}


# ---- the file --------------------------------------------------------------------------------------------


class DiskFull(BaseException):
    """The trace could not be written; it is readable up to the last whole frame."""


class Writer:
    """Appends frames to a trace: each is whole or, after a crash, visibly cut off."""

    def __init__(self, path):
        self.path, self.records, self.arrays, self.blobs, self.size = path, [], [], [], 0
        self.file = open(path, "wb")
        self.end = 0
        self._write(MAGIC)

    def add(self, record, array=None):
        """Put one record (and its whole array) into the current frame."""
        if array is not None:
            record["full"] = len(self.arrays)
            self.arrays.append({"dtype": array.dtype.str, "shape": list(array.shape), "offset": self.size})
            self.blobs.append(np.ascontiguousarray(array).tobytes())
            self.size += len(self.blobs[-1])
        self.records.append(record)
        if self.size > 1 << 20 or len(self.records) > 4000:
            self.flush()

    def flush(self):
        """Write the current frame to the file."""
        if not self.records:
            return
        text = json.dumps({"records": self.records, "arrays": self.arrays}, separators=(",", ":")).encode()
        packed = zlib.compress(b"".join([struct.pack("<I", len(text)), text, *self.blobs]), 1)
        self.records, self.arrays, self.blobs, self.size = [], [], [], 0
        self._write(struct.pack("<II", len(packed), zlib.crc32(packed)) + packed)

    def _write(self, data):
        try:
            self.file.write(data)
            self.file.flush()
            self.end += len(data)
        except OSError as error:
            try:  # leave whole frames only
                self.file.truncate(self.end)
            except OSError:
                pass
            raise DiskFull("the trace %s could not be written: %s" % (self.path, error)) from error

    def close(self):
        """Write what is left and close the file."""
        try:
            self.flush()
        finally:
            try:
                self.file.close()
            except OSError:
                pass


def _number(value):
    """A float for JSON, which has no nan and no infinity."""
    return value if np.isfinite(value) else str(float(value))


def statistics(array):
    """What a record says about an array without holding it: counts, norm, mean, extremes (over finite
    values; complex numbers as pairs), a hash of all bytes, and 16 evenly spaced values."""
    flat = np.ascontiguousarray(array).reshape(-1)
    stats = {"n": int(flat.size), "hash": "%08x" % zlib.crc32(flat.view(np.uint8))}
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if flat.dtype == np.float16 or flat.dtype.kind not in "fiub":
        flat = flat.astype(np.float32)
    spots = flat if flat.size <= SAMPLES else flat[_PLACES * (flat.size - 1) // (SAMPLES - 1)]
    kind = ("<f%d" % flat.itemsize) if flat.dtype.kind == "f" else "<i8"
    stats["sample"] = kind + base64.b64encode(spots.astype(kind).tobytes()).decode()
    if flat.dtype.kind != "f":
        flat = flat.astype(np.float64)
    total = square = 0.0
    low, high, zeros, finite = np.inf, -np.inf, 0, flat.size
    for start in range(0, flat.size, 1 << 16):
        part = flat[start : start + (1 << 16)] if flat.size > 1 << 16 else flat
        power = float(np.dot(part, part))
        if not 1e-20 < power < np.inf:  # nan, inf, overflow, or too small for float32's squares
            with np.errstate(all="ignore"):
                values = part[np.isfinite(part)].astype(np.float64)
                if values.size != part.size:
                    kinds = (("nan", np.isnan(part)), ("posinf", part == np.inf), ("neginf", part == -np.inf))
                    for key, found in kinds:
                        stats[key] = stats.get(key, 0) + int(np.count_nonzero(found))
                    finite -= part.size - values.size
                part = values
                if not part.size:
                    continue
                power = float(np.dot(part, part))
        total += float(part.sum(dtype=np.float64 if part.size < 4096 else None))
        square += power
        low, high = min(low, float(part.min())), max(high, float(part.max()))
        zeros += int(np.count_nonzero(part == 0))  # of bools: floats take it ten times as long
    stats.update(zeros=zeros, norm=_number(square**0.5), mean=_number(total / finite) if finite else None)
    stats.update(min=low if finite else None, max=high if finite else None)
    return stats


# ---- names and nested arguments ----------------------------------------------------------------------------


def mapped(value, kind, function, counter=None):
    """``value`` with ``function(tensor, index)`` in place of each Tensor of type ``kind``, nested or not."""
    counter = [0] if counter is None else counter
    if isinstance(value, kind):
        counter[0] += 1
        return function(value, counter[0] - 1)
    if type(value) in (tuple, list):
        return type(value)([mapped(v, kind, function, counter) for v in value])
    if type(value) is dict:
        return {k: mapped(v, kind, function, counter) for k, v in value.items()}
    return value


class Names:
    """One name for each Cell and Parameter: its path in the tree of the first root it was seen under. The
    root's class goes in front of a name that another tree has taken, and a number behind that."""

    def __init__(self):
        self.by_id, self.taken, self.kept = {}, set(), []

    def give(self, thing, name, root):
        """The name of ``thing``, and whether it is new."""
        known = self.by_id.get(id(thing))
        # A root by itself until now (called for its output's shape, say) takes its place in the network.
        if known is not None and (known != type(thing).__name__ or name in (known, root)):
            return known, False
        choice, count = name, 1
        if choice in self.taken and root != name:
            choice = root + "." + name
        while choice in self.taken:
            count += 1
            choice = "%s#%d" % (root + "." + name if root != name else name, count)
        self.by_id[id(thing)] = choice
        self.taken.add(choice)
        self.kept.append(thing)
        return choice, True

    def of(self, thing):
        """The name given before, or None."""
        return self.by_id.get(id(thing))


# ---- what is recorded --------------------------------------------------------------------------------------


class Enough(SystemExit):
    """Ends the program after the last step asked for."""


class Recorder:
    """Sees each outermost call, each step's update and, at level cell, every Cell's call forward and
    backward, and hands each tensor to `visit`.

    A step is an outermost call (of a Cell or a compiled function) that holds an optimizer or calls one; an
    optimizer called by itself is one, too.
    """

    def __init__(self, writer, options, frame):
        self.writer, self.options, self.frame = writer, options, frame
        self.names, self.states = Names(), Names()
        self.step = self.order = 0
        self.open = self.inside = self.quiet = self.deep = self.graph = self.done = False
        self.pid = os.getpid()
        self.roots, self.updated, self.optimizers, self.scalers = [], [], [], []
        self.drawn = []  # Tensors of random numbers that were made outside all Cells
        # Cells that are running, inmost last; None for one whose parts are its own affair.
        self.calls, self.made, self.stack = {}, [], []
        self.known_roots, self.shown, self.shown_now = set(), set(), set()
        self.static, self.adaptations, self.extra = {}, [], {}
        self.held = {}  # (what, owner) -> the owner and what it holds
        self.header = None
        self.training = True
        self.tensor, self.parameter, self.cell = frame.tensor, frame.parameter, frame.cell

    # What a subclass may do otherwise.

    def begin(self, step):
        """Called before anything else of a step."""

    def finished(self):
        """Called after the last step that was asked for."""
        raise Enough(0)

    def visit(self, stage, where, role, index, call, value, update=0):
        """Record one Tensor. A subclass may return an array to go on with in its place."""
        if self.silent():
            return None
        array, dtype = self.frame.array(value)
        self.order += 1
        record = {"kind": "tensor", "step": self.step, "stage": stage, "where": where, "role": role,
                  "index": index, "call": call, "order": self.order, "dtype": dtype,
                  "shape": list(array.shape)}
        if update:
            record["update"] = update
        if not self.training:
            record["training"] = False
        record.update(self.extra)
        record["stats"] = statistics(array)
        self.writer.add(record, array if self.whole(stage, where) else None)
        return None

    def incoming(self, value, where, index, call, shown=None):
        """A Cell's input: visited (as ``shown``), and its gradient when that comes."""
        return self._through("input", value, where, index, call, shown)

    def outgoing(self, value, where, index, call):
        """A Cell's output, in the same way."""
        return self._through("output", value, where, index, call)

    # ---- how it works

    def silent(self):
        """Whether the present step is not among those asked for."""
        only = self.options.only_step
        return only is not None and self.step != only

    def whole(self, stage, where):
        """Whether a record keeps its array."""
        if self.step in self.options.refeed:
            return True
        names = (where, stage + "/" + where)
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.options.full for name in names)

    def _through(self, role, value, where, index, call, shown=None):
        new = self.visit("forward", where, role, index, call, value if shown is None else shown)
        if new is not None:
            value = self.frame.tensor_of(new, value)
        if isinstance(value, self.parameter) or not self.frame.differentiable(value):
            return value

        extra = self.extra

        def arrived(gradient):
            if gradient is None:
                return None
            self.extra = extra
            other = self.visit("backward", where, "grad_" + role, index, call, gradient)
            self.extra = {}
            return None if other is None else self.frame.tensor_of(other, gradient)

        return self.frame.watched(value, arrived)

    def call(self, cell, run, args, kwargs):
        """Stands in for ``Cell.__call__``; ``run(args, kwargs)`` is the call itself."""
        if self.quiet or self.done or os.getpid() != self.pid:
            return run(args, kwargs)
        if self.inside and self.graph and not self.deep:  # within one graph nothing is seen
            return run(args, kwargs)
        if self.frame.hidden(cell):
            self.quiet = True
            try:
                return run(args, kwargs)
            finally:
                self.quiet = False
        if not self.inside:
            return self._outermost(cell, run, args, kwargs)
        if isinstance(cell, self.frame.optimizers) and not self.graph:
            return self._update(cell, run, args, kwargs)
        if self.deep and not (self.stack and self.stack[-1] is None):
            return self._watch(cell, run, args, kwargs)
        return run(args, kwargs)

    def _outermost(self, owner, run, args, kwargs):
        optimizers = self._held_by(owner)
        self._begin_step(owner, optimizers)
        where = self._name(owner)
        # Only a network with weights can be in evaluation; a loss is not.
        self.training = bool(optimizers or getattr(owner, "training", True) or not self.frame.trained(owner))
        self.inside = True
        try:
            if isinstance(owner, self.frame.optimizers):
                result = self._update(owner, run, args, kwargs)
            else:
                args, kwargs = mapped((args, kwargs), self.tensor, self._arrives(where))
                if self.graph:
                    for optimizer in optimizers:
                        self._rates(optimizer)
                if self.deep and isinstance(owner, self.cell):
                    result = self._watch(owner, run, args, kwargs)
                else:
                    result = run(args, kwargs)
                mapped(result, self.tensor, self._leaves(where))
        finally:
            self.inside = False
            self.training = True
        if optimizers or self.updated:
            self._end_step(optimizers or self.updated)
        return result

    def _arrives(self, where):
        first, call = not self.made, self._count(("outermost", where))

        def arrives(value, index):
            if isinstance(value, self.parameter):
                return value
            made = any(value is other for other in self.made)
            data = not made and (first or not self.frame.differentiable(value))
            if not data and self.deep:  # a Cell's own record will show it
                return value
            drawn = data and any(value is other for other in self.drawn)
            stage = "random" if drawn else "data" if data else "forward"
            new = self.visit(stage, where, "input", index, call, value)
            return value if new is None else self.frame.tensor_of(new, value)

        return arrives

    def _leaves(self, where):
        call = self._count(("result", where))

        def leaves(value, index):
            self.made.append(value)
            if self.frame.differentiable(value) and int(np.prod(value.shape)) == 1:
                self.visit("loss", where, "output", index, call, value)
            elif not self.deep:
                self.visit("forward", where, "output", index, call, value)
            return value

        return leaves

    def loss(self, value):
        """What a PyTorch program differentiates, where no Module gave it."""
        idle = self.quiet or self.inside or self.done or not self.open
        if not idle and not any(value is other for other in self.made):
            self.visit("loss", "loss", "output", 0, self._count("loss"), value)

    def _count(self, key):
        self.calls[key] = self.calls.get(key, -1) + 1
        return self.calls[key]

    def _watch(self, cell, run, args, kwargs):
        """Call a Cell with its ``construct`` replaced for the time by one that shows what goes in and out:
        MindSpore's own keys for reusing a forward pass are then made from the caller's own Tensors."""
        where = self.names.of(cell) or self.frame.title(cell)
        own = cell.__dict__
        body = self.frame.body
        if body in own or where.endswith("grad_reducer"):
            return run(args, kwargs)
        whole = self.frame.is_layer(cell)
        if self.frame.own_gradient(cell):
            return self._around(cell, run, args, kwargs, where, whole)
        call, inner = self._count(where), getattr(cell, body)
        training, self.training = self.training, self.training

        given = []  # as the caller has them, where the Cell casts them first
        if self.frame.casts(cell):
            mapped((args, kwargs), self.tensor, lambda v, i: given.append(v))

        def construct(*args, **kwargs):
            own.pop(body, None)  # nested calls of the same Cell are calls of their own
            self.stack.append(None if whole else where)
            try:
                args, kwargs = mapped((args, kwargs), self.tensor, lambda v, i: self.incoming(
                    v, where, i, call, given[i] if given else v))
                result = inner(*args, **kwargs)
                if self.training and isinstance(result, self.tensor) and self.frame.drops(cell):
                    self.visit("random", where, "mask", 0, call, self.frame.kept(result))
                return mapped(result, self.tensor, lambda v, i: self.outgoing(v, where, i, call))
            finally:
                self.stack.pop()

        own[body] = construct
        try:
            return run(args, kwargs)
        finally:
            own.pop(body, None)
            self.training = training

    def _around(self, cell, run, args, kwargs, where, whole):
        """Call a Cell with its own ``bprop``: within its ``construct`` no gradient would be seen, so it is
        watched from without."""
        call = self._count(where)
        args, kwargs = mapped((args, kwargs), self.tensor, lambda v, i: self.incoming(v, where, i, call))
        self.stack.append(None if whole else where)
        try:
            result = run(args, kwargs)
        finally:
            self.stack.pop()
        return mapped(result, self.tensor, lambda v, i: self.outgoing(v, where, i, call))

    def operator(self, name, run, args, kwargs, line):
        """An operator that the program's own code calls, outside all Cells or, at level op, inside one."""
        cell, plain = (self.stack or [PROGRAM])[-1], name.rpartition(".")[2].replace("_", "").lower()
        if plain in _NOT_OPERATORS:
            return run(*args, **kwargs)
        # One name for the function, the Primitive and the method: releases make one by the other.
        where, before = cell + "/" + plain, self.extra
        call = self._count(where)
        self.extra = {"op": name, "line": line, "cell": cell}
        try:
            args, kwargs = mapped((args, kwargs), self.tensor,
                                  lambda v, i: self.incoming(v, where, i, call))
            return mapped(run(*args, **kwargs), self.tensor,
                          lambda v, i: self.outgoing(v, where, i, call))
        finally:
            self.extra = before

    def draw(self, name, run, args, kwargs):
        """A random operator that the program's own code calls within a step: what it drew."""
        plain = name.rpartition(".")[2].replace("_", "").lower()
        if not self.inside or not self.deep:
            result = run(*args, **kwargs)
            mapped(result, self.tensor, lambda v, i: self.drawn.append(v))
            return result
        where = "%s/%s" % (next((c for c in reversed(self.stack) if c), PROGRAM), plain)
        call = self._count("random " + where)

        def drawn(value, index):
            new = self.visit("random", where, "output", index, call, value)
            if new is None:
                return value
            if plain.startswith("dropout"):
                return self._dropped(new, value, next(a for a in args if isinstance(a, self.tensor)))
            return self.frame.tensor_of(new, value)

        return mapped(run(*args, **kwargs), self.tensor, drawn)

    def _dropped(self, new, value, given):
        """``given`` without what ``new`` has not, scaled as ``value`` is: the gradient has the mask, too."""
        before, after = self.frame.array(given)[0], self.frame.array(value)[0]
        both = (before != 0) & (after != 0)
        scale = np.median(after[both] / before[both]) if both.any() else 1.0
        return given * self.frame.tensor_of(((new != 0) * scale).astype(after.dtype), value)

    def wants_draws(self):
        """Whether random operators are to be seen where the program is now."""
        return not (self.quiet or self.done) and os.getpid() == self.pid

    def wants_operators(self):
        """Whether operators are to be seen where the program is now."""
        if self.quiet or self.done or not self.deep or os.getpid() != self.pid:
            return False
        place, wanted = (self.stack or [PROGRAM])[-1], self.options.cells
        if place is None or not (self.stack or self.open):
            return False
        if wanted:
            return any(fnmatch.fnmatch(place, pattern) for pattern in wanted)
        return self.options.level == "op" or not self.stack

    def _update(self, optimizer, run, args, kwargs):
        """An optimizer's call, seen from Python: its gradients go in."""
        if not any(optimizer is other for other in self.updated):
            self.updated.append(optimizer)
        update = self._index(optimizer)
        self._rates(optimizer)
        weights = [self._parameter(p, optimizer) for p in self.frame.weights(optimizer)]
        call = self._count(("update", update))

        def gradient(value, index):
            where = weights[index] if index < len(weights) else "gradient %d" % index
            new = self.visit("gradient", where, "value", 0, call, value, update)
            return value if new is None else self.frame.tensor_of(new, value)

        args = mapped(args, self.tensor, gradient)
        self.stack.append(None)
        try:
            return run(args, kwargs)
        finally:
            self.stack.pop()

    def _rates(self, optimizer):
        self.quiet = True
        try:
            rates = self.frame.rates(optimizer)
        finally:
            self.quiet = False
        for index, (name, value) in enumerate(rates):
            self.visit("learning_rate", name, "value", index, 0, value, self._index(optimizer))

    def _index(self, optimizer):
        for index, other in enumerate(self.optimizers):
            if other is optimizer:
                return index
        self.optimizers.append(optimizer)
        index = len(self.optimizers) - 1
        self.writer.add({"kind": "optimizer", "step": self.step, "update": index,
                         "class": type(optimizer).__name__, "settings": self.frame.settings(optimizer)})
        return index

    # ---- names

    def _name(self, owner):
        """The name of an outermost callee. One without parts is known by its class, as programs make losses
        anew in each step."""
        name = self.names.of(owner)
        if name is None and not self.frame.has_parts(owner):
            return self.frame.title(owner)
        return name or self._root(owner)

    def _root(self, owner):
        """Name a new root, its Cells and its Parameters, and say so in the trace."""
        title = self.frame.title(owner)
        cells, parameters = [], []
        for path, cell in self.frame.tree(owner):
            was = self.names.of(cell)
            name, new = self.names.give(cell, path or title, title)
            if new:
                parent = path.rpartition(".")[0]
                cells.append({"name": name, "class": type(cell).__name__, "root": title, "path": path,
                              "parent": parent or (title if path else None), "was": was})
        for parameter in self.frame.parameters(owner):
            name, new = self.states.give(parameter, self.frame.name(parameter), title)
            if new:
                parameters.append({"name": name, "dtype": self.frame.dtype(parameter),
                                   "shape": list(parameter.shape),
                                   "requires_grad": bool(parameter.requires_grad)})
        if cells or parameters:
            self.writer.add({"kind": "cells", "step": self.step, "cells": cells, "parameters": parameters})
        return self.names.of(owner)

    def _parameter(self, parameter, owner):
        return self.states.give(parameter, self.frame.name(parameter), self.frame.title(owner))[0]

    def _held_by(self, owner):
        """The optimizers in a Cell's tree, or in what a function refers to."""
        if not self.frame.has_parts(owner):
            return []
        known = self.static.get(id(owner))
        if known is None:
            known = (owner, self.frame.optimizers_in(owner))
            self.static[id(owner)] = known
        return known[1]

    # ---- steps

    def _begin_step(self, owner, optimizers):
        new = not self.open
        if new:
            if self.header is None:
                self.write_header()
            self.open, self.step, self.order = True, self.step + 1, 0
            self.calls, self.made, self.updated, self.roots, self.shown_now = {}, [], [], [], set()
            refeed = self.options.refeed
            self.deep = self.options.level != "step" or self.step in refeed
            self.writer.add({"kind": "step", "number": self.step, "event": "begin", "time": time.time()})
            self.begin(self.step)
        self.graph = self.frame.compiled(owner)
        self._name(owner)
        if not any(owner is r for r in self.roots):
            self.roots.append(owner)
        if id(owner) not in self.known_roots or self.step in self.options.refeed:
            if self.frame.has_parts(owner):
                self.known_roots.add(id(owner))
            self._initial(owner, optimizers)

    def _initial(self, owner, optimizers):
        """Show what this step starts from, where it is new, or where a step is to be repeated from it."""
        refeed = self.step in self.options.refeed
        seen = self.shown_now if refeed else self.shown
        optimizers = optimizers + [o for o in self.optimizers if not any(o is other for other in optimizers)]
        states = {id(p) for o in optimizers for p in self.frame.state(o)}
        for parameter in self._parameters(owner):
            if id(parameter) not in states and id(parameter) not in seen:
                seen.add(id(parameter))
                name = self._parameter(parameter, owner)
                self._set(parameter, self.visit("initial", name, "value", 0, 0, parameter))
        for optimizer in optimizers if refeed else ():
            for p in self.frame.state(optimizer):
                if id(p) not in seen:
                    seen.add(id(p))
                    name = self.frame.name(p)
                    self._set(p, self.visit("initial", name, "state", 0, 0, p, self._index(optimizer)))

    def _set(self, parameter, array):
        if array is not None:
            self.frame.assign(parameter, self.frame.tensor_of(array, parameter))

    def _end_step(self, optimizers):
        states, seen = set(), set()
        for optimizer in optimizers:
            update = self._index(optimizer)
            for p in self._states(optimizer):
                states.add(id(p))
                name = self.frame.name(p)
                if not name.startswith("learning_rate"):
                    self.visit("optimizer", name, "value", 0, 0, p, update)
        for index, scaler in enumerate(self.scalers):
            for name in ("scale_value", "counter"):
                value = getattr(scaler, name, None)
                if isinstance(value, self.tensor):
                    self.visit("loss_scale", name, "value", index, 0, value)
        for owner in self.roots + list(optimizers):
            for p in self._parameters(owner):
                if id(p) in states or id(p) in seen:
                    continue
                seen.add(id(p))
                scale = self.frame.name(p).rpartition(".")[2] in SCALE_NAMES
                stage = "loss_scale" if scale else "parameter"
                self.visit(stage, self._parameter(p, owner), "value", 0, 0, p)
        self.writer.add({"kind": "step", "number": self.step, "event": "end", "gradients": bool(self.updated),
                         "time": time.time()})
        self.writer.flush()
        self.open = self.deep = False
        self.made, self.roots, self.drawn = [], [], []
        if self.options.steps is not None and self.step >= self.options.steps:
            self.done = True
            self.finished()

    def _parameters(self, owner):
        return self._looked_up("parameters", owner)

    def _states(self, optimizer):
        return self._looked_up("state", optimizer)

    def _looked_up(self, what, owner):
        """What a Cell or an optimizer holds; looked for anew in steps 1, 2, 4, 8, ... and in those that are
        looked into."""
        if self.deep or not isinstance(owner, self.cell) or self.step & (self.step - 1) == 0:
            self.held.pop((what, id(owner)), None)
        if (what, id(owner)) not in self.held:
            self.held[what, id(owner)] = (owner, list(getattr(self.frame, what)(owner)))
        return self.held[what, id(owner)][1]

    def write_header(self):
        """The first record; called when the first step begins, as the mode is settled by then."""
        o = self.options
        self.header = {
            "kind": "header", "format": FORMAT, "side": self.frame.side, "version": self.frame.version,
            "api": self.frame.api, "script": os.path.basename(o.script), "sha256": o.sha256, "argv": o.argv,
            "mode": self.frame.mode(), "mode_forced": o.pynative, "level": o.level,
            "python": platform.python_version(), "numpy": np.__version__, "platform": platform.platform(),
            "adaptations": list(self.adaptations),
            "options": {"steps": o.steps, "only_step": o.only_step, "refeed": sorted(o.refeed),
                        "full": o.full, "cells": o.cells, "seed": o.seed},
        }
        self.writer.add(self.header)

    def adapted(self, name, text):
        """Called by the adapter for each thing that it supplied or changed."""
        self.adaptations.append({"name": name, "text": text})
        if self.header is not None:
            self.writer.add({"kind": "adaptation", "name": name, "text": text})

    def finish(self, status, error=None):
        """Write the last record."""
        if self.header is None:
            self.write_header()
        end = {"kind": "end", "status": status, "steps": self.step - self.open,
               "adaptations": self.adaptations}
        if error is not None:
            trace, script = error.__traceback__, self.options.script
            while trace is not None and trace.tb_frame.f_code.co_filename != script:
                trace = trace.tb_next
            shown = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
            end.update(error=type(error).__name__, message=str(error), traceback=shown)
        self.writer.add(end)
        self.writer.close()


# ---- MindSpore, or what stands in for it -------------------------------------------------------------------


# Level op: Tensor's operators, and methods that compute nothing.
_SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_OPERATORS = {"__" + name + "__" for name in _SIGNS} | {"__r" + name + "__" for name in _SIGNS} | {
    "__neg__", "__invert__", "__abs__", "__getitem__",
    "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"}
_NOT_OPERATORS = ("asnumpy", "numpy", "tolist", "item", "dim", "ndimension", "setdata", "assignvalue",
                  "setdtype", "initdata", "registerhook", "torch", "value", "dtype", "shape", "rank", "size",
                  "depend", "istensor", "isfloatingpoint", "identity")

# Operators that draw random numbers, without underscores.
_RANDOM = {"rand", "randn", "randint", "randperm", "randlike", "randnlike", "randintlike", "standardnormal",
           "standardlaplace", "uniform", "uniformreal", "uniformint", "normal", "gamma", "poisson", "laplace",
           "randompoisson", "randomgamma", "randomcategorical", "multinomial", "bernoulli", "truncatednormal",
           "multinomialwithreplacement", "shuffle", "randomshuffle", "dropout", "dropout1d", "dropout2d",
           "dropout3d", "choicewithmask", "randomchoicewithmask"}

# Modules whose Cells only put a program's own Cells together.
_COMPOSED = (".container", ".wrap", ".train.", ".layer.transformer", ".boost.")


class MindSpore:
    """What the recorder asks of the framework; torch_frame.py answers the same for PyTorch."""

    def __init__(self):
        import mindspore
        from mindspore import context, nn, ops

        self.module, self.context, self.ops = mindspore, context, ops
        ours = mindspore.__name__ == "ms2torch"
        self.side = "ms2torch" if ours else "mindspore"
        self.version = str(mindspore.__version__)
        if ours:
            from ms2torch import _version

            self.api, self.version = self.version, _version.__version__
        else:
            self.api = ".".join(self.version.split(".")[:2])
        self.tensor, self.parameter, self.cell = mindspore.Tensor, mindspore.Parameter, nn.Cell
        places = ("nn", "experimental.optim", "experimental.optim.optimizer", "mint.optim.optimizer")
        self.optimizers = tuple(_found(*[("mindspore." + place, "Optimizer") for place in places]))

    body = "construct"

    def dtype(self, value):
        return str(value.dtype).lower()

    def name(self, parameter):
        return parameter.name

    def assign(self, parameter, value):
        parameter.set_data(value)

    def array(self, value):
        dtype = self.dtype(value)
        if dtype == "bfloat16":
            wide = value.astype(self.module.float32).asnumpy().view(np.uint32)
            return (wide >> 16).astype(np.uint16), dtype
        return np.asarray(value.asnumpy()), dtype

    def tensor_of(self, array, like):
        return self.module.Tensor(array, like.dtype)

    def differentiable(self, value):
        return self.dtype(value).startswith(("float", "bfloat", "complex"))

    def watched(self, value, arrived):
        def hook(gradient):
            return arrived(gradient[0] if isinstance(gradient, tuple) else gradient)

        return self.ops.HookBackward(hook)(value)

    def mode(self):
        return "graph" if self.context.get_context("mode") == self.context.GRAPH_MODE else "pynative"

    def compiled(self, owner):
        if isinstance(owner, self.cell):
            return self.mode() == "graph" and not isinstance(owner, self.optimizers)
        return True

    def title(self, owner):
        return type(owner).__name__ if isinstance(owner, self.cell) else owner.__name__

    def tree(self, owner):
        return list(owner.cells_and_names()) if isinstance(owner, self.cell) else [("", owner)]

    def has_parts(self, owner):
        """Whether there are Cells or Parameters in a Cell. What a function refers to may come later."""
        return not isinstance(owner, self.cell) or any(True for _ in owner.get_parameters()) or any(
            True for _ in owner.cells())

    def is_layer(self, cell):
        """Whether a Cell is a layer of MindSpore's own: what it is made of differs between releases."""
        module = type(cell).__module__
        return module.startswith(("mindspore.", "ms2torch.")) and not any(p in module for p in _COMPOSED)

    def own_gradient(self, cell):
        """Whether a Cell has a ``bprop`` of its own."""
        return bool(getattr(cell, "has_bprop", False))

    def casts(self, cell):
        """Whether a Cell casts its inputs before `construct`: ms2torch's do under ``to_float``, the real ones
        within it."""
        return self.side == "ms2torch" and cell._float is not None

    def drops(self, cell):
        """Whether a Cell is a Dropout layer."""
        return self.is_layer(cell) and type(cell).__name__.startswith("Dropout")

    def kept(self, value):
        """The mask that a Dropout drew, as its output shows it."""
        return self.module.Tensor(self.array(value)[0] != 0)

    def hidden(self, cell):
        """Whether a Cell is how MindSpore wrote an operator (``ops.clip_by_global_norm`` is one)."""
        return type(cell).__module__.startswith(("mindspore.ops", "ms2torch.ops"))

    def trained(self, owner):
        return any(p.requires_grad for p in self.parameters(owner))

    def parameters(self, owner):
        cells = [owner] if isinstance(owner, self.cell) else _referenced(owner, self.cell)
        return [p for cell in cells for p in cell.get_parameters()]

    def optimizers_in(self, owner):
        if isinstance(owner, self.cell):
            return [cell for _, cell in owner.cells_and_names() if isinstance(cell, self.optimizers)]
        return _referenced(owner, self.optimizers)

    def weights(self, optimizer):
        found = getattr(optimizer, "parameters", None)
        return list(found() if callable(found) else found or ())

    def state(self, optimizer):
        weights = {id(p) for p in self.weights(optimizer)}
        return [p for p in optimizer.get_parameters() if id(p) not in weights]

    def settings(self, optimizer):
        """The numbers that an optimizer was made with, under PyTorch's names for them."""
        found = {}
        for name, shown in SETTINGS.items():
            value = getattr(optimizer, name, None)
            if isinstance(value, self.tensor):
                value = value.asnumpy().reshape(-1)[0]
            if isinstance(value, (int, float, np.number, np.bool_)):
                found[shown] = float(value)
        return found

    def rates(self, optimizer):
        """The learning rates that the next update uses, by name."""
        groups = getattr(optimizer, "param_groups", None)
        if groups is not None and not hasattr(optimizer, "learning_rate"):
            return [("learning_rate", g["lr"]) for g in groups if isinstance(g.get("lr"), self.tensor)]
        given = getattr(optimizer, "learning_rate", None)
        distinct = []
        for rate in given if isinstance(given, (tuple, list)) else [given]:
            if rate is not None and not any(rate is other for other in distinct):
                distinct.append(rate)
        shown = []
        for rate in distinct:
            if isinstance(rate, self.cell):
                rate = rate(optimizer.global_step)
            if isinstance(rate, self.tensor):
                shown.append(("learning_rate", rate))
        return shown

    def install(self, recorder):
        """Route calls through ``recorder``."""
        original = self.cell.__call__

        def __call__(cell, *args, **kwargs):
            return recorder.call(cell, lambda a, k: original(cell, *a, **k), args, kwargs)

        self.cell.__call__ = __call__
        if not recorder.options.pynative:
            self._see_compiled(recorder)
        if recorder.options.pynative:
            self._see_operators(recorder)
        for scaler in _found(("mindspore.amp", "DynamicLossScaler"), ("mindspore.amp", "StaticLossScaler")):
            self._see_scalers(scaler, recorder)
        if recorder.options.pynative:
            self.context.set_context(mode=self.context.PYNATIVE_MODE)
            _replace(self.context.set_context, self._pynative_only)

    def _see_operators(self, recorder):
        """Functions, Primitives, and Tensor's methods and operators that the program's own lines call."""
        import importlib

        home = os.path.dirname(os.path.abspath(self.module.__file__)) + os.sep
        helpers = (__file__, recorder.options.adapter)

        def seen(function, name):
            def called(*args, **kwargs):
                frame = sys._getframe(1)
                path = frame.f_code.co_filename
                if path.startswith(home) or path in helpers:
                    return function(*args, **kwargs)
                shown, run = name or args[0].name, function
                if recorder.wants_draws() and is_random(shown):
                    def run(*args, **kwargs):
                        return recorder.draw(shown, function, args, kwargs)
                if not recorder.wants_operators():
                    return run(*args, **kwargs)
                line = "%s:%d" % (os.path.basename(path), frame.f_lineno)
                return recorder.operator(shown, run, args, kwargs, line)

            return called

        def is_random(name):
            return name.rpartition(".")[2].replace("_", "").lower() in _RANDOM

        for place in ("ops", "ops.functional", "mint", "mint.nn.functional", "numpy"):
            try:
                module = importlib.import_module("mindspore." + place)
            except ImportError:
                continue
            for name, value in list(vars(module).items()):
                if name[0] != "_" and not isinstance(value, type) and hasattr(value, "__code__"):
                    shown = place.replace(".functional", "") + "." + name
                    setattr(module, name, seen(value, shown))
        classes = [self.ops.Primitive]
        for kind in classes:
            classes += [c for c in kind.__subclasses__() if c not in classes]
            if "__call__" in vars(kind):
                kind.__call__ = seen(vars(kind)["__call__"], None)
        for name in dir(self.tensor):
            value = getattr(self.tensor, name)
            if callable(value) and (name in _OPERATORS or not name.startswith("_")):
                setattr(self.tensor, name, seen(value, "Tensor." + name))

    def _see_compiled(self, recorder):
        """Compiled functions are outermost calls, too. In MindSpore a class runs them, whatever its name."""
        places = [(m, n) for m in ("mindspore.common.api", "mindspore.graph.api")
                  for n in ("_JitExecutor", "_MindsporeFunctionExecutor")]
        executors = _found(*places)
        for executor in executors:
            self._see_functions(executor, recorder)
        for name in () if executors else ("jit", "ms_function"):
            _replace(getattr(self.module, name, None), lambda old: _seen(old, recorder))

    @staticmethod
    def _see_functions(executor, recorder):
        original = executor.__call__

        def __call__(compiled, *args, **kwargs):
            if (getattr(compiled.fn, "__module__", None) or "").startswith("mindspore."):
                return original(compiled, *args, **kwargs)
            return recorder.call(compiled.fn, lambda a, k: original(compiled, *a, **k), args, kwargs)

        executor.__call__ = __call__

    @staticmethod
    def _see_scalers(scaler, recorder):
        original = scaler.__init__

        def __init__(self, *args, **kwargs):
            original(self, *args, **kwargs)
            if not any(self is other for other in recorder.scalers):
                recorder.scalers.append(self)

        scaler.__init__ = __init__

    @staticmethod
    def _pynative_only(set_context):
        def without_mode(*args, **kwargs):
            kwargs.pop("mode", None)
            return set_context(*args, **kwargs)

        return without_mode

    def seed(self, seed):
        self.module.set_seed(seed)


def _found(*places):
    """The classes that exist among (module, name)."""
    import importlib

    classes = []
    for module, name in places:
        try:
            found = getattr(importlib.import_module(module), name, None)
        except Exception:  # what a release lacks, in whichever way it says so
            continue
        if isinstance(found, type) and found not in classes:
            classes.append(found)
    return classes


def _replace(old, change):
    """Put ``change(old)`` everywhere where MindSpore's modules hold the object ``old``."""
    if old is None:
        return
    new = change(old)
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("mindspore", "ms2torch"):
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


def _seen(jit, recorder):
    """``jit`` whose functions are seen as calls (where it gives the function itself back)."""
    import functools

    def marked(function):
        if not callable(function) or isinstance(function, recorder.cell) or function.__name__ == "construct":
            return function

        @functools.wraps(function)
        def called(*args, **kwargs):
            return recorder.call(function, lambda a, k: function(*a, **k), args, kwargs)

        return called

    @functools.wraps(jit)
    def with_arguments(*args, **kwargs):
        made = jit(*args, **kwargs)
        given = args[0] if args else kwargs.get("function", kwargs.get("fn"))
        return marked(made) if given is not None else (lambda function: marked(made(function)))

    return with_arguments


def _referenced(function, kinds, depth=3, seen=None):
    """Objects of type ``kinds`` that a function reaches by closure, globals, or its ``self``'s attributes."""
    seen = set() if seen is None else seen
    found, values = [], []
    owner = getattr(function, "__self__", None)
    values += list(getattr(owner, "__dict__", {}).values())
    function = getattr(function, "__func__", function)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None or id(code) in seen or depth == 0:
        return found
    seen.add(id(code))
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            pass
    codes = [code]
    while codes:
        code = codes.pop()
        values += [function.__globals__[n] for n in code.co_names if n in function.__globals__]
        codes += [c for c in code.co_consts if hasattr(c, "co_names")]
    for value in values:
        if isinstance(value, kinds):
            new = [value]
        elif hasattr(value, "__code__") or hasattr(value, "__wrapped__") or hasattr(value, "__func__"):
            new = _referenced(value, kinds, depth - 1, seen)
        else:
            continue
        found += [n for n in new if not any(n is f for f in found)]
    return found


# ---- running a program -------------------------------------------------------------------------------------


def record(path, argv, make=Recorder, **options):
    """Run a script under a recorder; the program's own exit code. ``options`` as `parse` gives them."""
    settings = parse(["-o", options.pop("out"), path, *argv])
    vars(settings).update(options)
    return run(settings, make)


def parse(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="recorder.py", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("-o", "--out", required=True, help="the trace to write")
    add("--level", choices=LEVELS, default="step", help="how deep to look (default: step)")
    add("--steps", type=int, help="end the program after this many steps")
    add("--only-step", type=int, help="record this step alone")
    add("--refeed", type=_numbers, default=frozenset(), help="steps (1,2,5) at level cell with whole arrays")
    add("--full", action="append", default=[],
        help="keep whole arrays of what matches this pattern of a name, or of stage/name")
    add("--cells", action="append", default=[],
        help="level op: the Cells (patterns) whose operators are recorded")
    add("--seed", type=int, default=1, help="for programs that set none (default: 1)")
    add("--adapter", help="adapter.py, where the program needs what this MindSpore lacks")
    add("--torch", action="store_true", help="the program is written for PyTorch")
    add("script")
    add("argv", nargs=argparse.REMAINDER)
    return parser.parse_args(argv)


def _numbers(text):
    return frozenset(int(n) for n in text.split(",") if n)


def run(options, make=Recorder):
    """Run ``options.script``; write the trace; the exit code."""
    options.pynative = options.level != "step" or bool(options.refeed)
    try:
        with open(options.script, "rb") as file:
            options.sha256 = hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        print("recorder.py: %s" % error, file=sys.stderr)
        return 2
    if options.pynative:
        os.environ["MS_JIT"] = "0"
    try:
        writer = Writer(options.out)
    except (OSError, DiskFull) as error:
        print("recorder.py: %s" % error, file=sys.stderr)
        return 74
    recorder, early = None, []
    if options.adapter:
        tell = early.append
        _load(options.adapter).install(report=lambda *said: tell(said))
    frame = _torch() if options.torch else MindSpore()
    recorder = make(writer, options, frame)
    for said in early:
        recorder.adapted(*said)
    tell = lambda said: recorder.adapted(*said)  # noqa: E731 - the adapter goes on telling
    frame.install(recorder)
    return _execute(options, recorder)


def _torch():
    """The same for PyTorch, from the file that lies beside this one."""
    return _load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_frame.py")).Torch()


def _load(path):
    import importlib.util

    name = "ms2torch_difftest_" + os.path.basename(path)[:-3]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _execute(options, recorder):
    import random

    random.seed(options.seed)
    np.random.seed(options.seed)
    recorder.frame.seed(options.seed)
    sys.argv = [options.script, *options.argv]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    status, error, code = "ok", None, 0
    try:
        runpy.run_path(options.script, run_name="__main__")
    except Enough:
        pass
    except DiskFull as problem:
        print("recorder.py: %s" % problem, file=sys.stderr)
        return 74
    except KeyboardInterrupt as problem:
        status, error, code = "interrupted", problem, 130
    except SystemExit as problem:
        code = problem.code if isinstance(problem.code, int) else 0 if problem.code is None else 1
        if code:
            status, error = ("interrupted" if code == 143 else "error"), problem
    except BaseException as problem:
        status, error, code = "error", problem, 1
        traceback.print_exc()
    recorder.done = True
    try:
        recorder.finish(status, error)
    except DiskFull as problem:
        print("recorder.py: %s" % problem, file=sys.stderr)
        return code or 74
    return code


def main(argv=None):
    """The command; ends with the program's exit code."""
    sys.stdout.flush()
    raise SystemExit(run(parse(argv)))


if __name__ == "__main__":
    main()
