"""Steps of a training: when one begins and ends, what it starts from, what it leaves, who is called what."""

from __future__ import annotations

import fnmatch
import functools
import json
import os
import platform
import time
import traceback

import numpy as np

from .naming import Names, layer_of
from .writing import FORMAT

# Names of the parameters by which MindSpore's train cells keep their loss scale.
SCALE_NAMES = ("scale_sense", "cur_iter", "last_overflow_iter", "scale_value", "counter", "loss_scale")


@functools.lru_cache(maxsize=1 << 14)
def _head(stage, where, role, index, call, update, dtype, shape, training, extra):
    """The part of a tensor's record that is the same in each step, as JSON text without its last brace."""
    record = {"kind": "tensor", "stage": stage, "where": where, "role": role, "index": index, "call": call,
              "dtype": dtype, "shape": list(shape)}
    if update:
        record["update"] = update
    if not training:
        record["training"] = False
    record.update(extra)
    return json.dumps(record, separators=(",", ":"))[:-1]


class Enough(SystemExit):
    """Ends the program after the last step asked for."""


class Steps:
    """Hands each tensor that a step starts from and leaves behind to `visit`.

    A step is an outermost call (of a Cell or a compiled function) that holds an optimizer or calls one; an
    optimizer called by itself is one, too.
    """

    def __init__(self, writer, options, frame):
        self.writer, self.options, self.frame = writer, options, frame
        self.names, self.states = Names(), Names()
        self.step = self.order = 0
        self.passing = None  # the backward pass that a PyTorch program is making
        self.open = self.inside = self.quiet = self.deep = self.graph = self.done = False
        self.ending = False  # what a step leaves behind is being recorded: it stays as it is meanwhile
        self.pid = os.getpid()
        self.roots, self.updated, self.optimizers, self.scalers = [], [], [], []
        self.around = {}  # id of a callee -> the root that holds it, if another
        self.own = None  # the update that a program without optimizers is making
        # Optimizers that the program made, the turn of its loop, and which of them the turn has called.
        self.made_optimizers, self.turn, self.called = [], 0, set()
        self.drawn = []  # Tensors of random numbers that were made outside all Cells
        # Cells that are running, inmost last; None for one whose parts are its own affair.
        self.calls, self.made, self.stack = {}, [], []
        self.known_roots, self.shown, self.shown_now = set(), set(), set()
        self.static, self.adaptations, self.extra = {}, [], {}
        self.held = {}  # ids of optimizers and roots -> these, and what a step with them leaves behind
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
        head = _head(stage, where, role, index, call, update, dtype, array.shape, self.training,
                     tuple(self.extra.items()))
        self.writer.add_described('%s,"step":%d,"order":%d' % (head, self.step, self.order), array,
                                  self.whole(stage, where), stays=self.ending)
        return None

    # ---- how it works

    def silent(self):
        """Whether the present step is not among those asked for."""
        only = self.options.only_step
        if only is not None:
            return self.step != only
        return self.options.refed_alone and self.step not in self.options.refeed

    def whole(self, stage, where):
        """Whether a record keeps its array."""
        if self.step in self.options.refeed:
            return True
        if not self.options.full:
            return False
        names = (where, stage + "/" + where)
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.options.full for name in names)

    # ---- names

    def _name(self, owner):
        """The name of an outermost callee. One without parts is known by its class, as programs make losses
        anew in each step."""
        name = self.names.of(owner)
        if name is None and not self.frame.has_parts(owner):
            return self.frame.title(owner)
        if name is None:
            root = self.frame.around(owner)
            self.around[id(owner)] = root
            self._root(root)
        return self.names.of(owner)

    def _root(self, owner):
        """Name a new root, its Cells and its Parameters, and say so in the trace."""
        title = self.frame.title(owner)
        cells, parameters, renamed, holders = [], [], set(), {}
        for path, cell in self.frame.tree(owner):
            was = self.names.of(cell)
            name, new = self.names.assign(cell, path or title, title)
            for parameter in self.frame.held_by(cell):
                holders.setdefault(id(parameter), {})[path] = name
            if new:
                renamed |= {path} - {name, ""}
                parent = path.rpartition(".")[0]
                cells.append({"name": name, "class": type(cell).__name__, "root": title, "path": path,
                              "parent": parent or (title if path else None), "was": was})
        found = [(p, self.frame.name(p)) for p in self.frame.parameters(owner)]
        known = {layer_of(self.states.of(p)) for p, _ in found if self.states.of(p)}
        apart = self.states.taken_layers(name for p, name in found if not self.states.of(p)) - known | renamed
        for parameter, name in found:
            name, new = self.states.assign(parameter, name, title, layer_of(name) in apart)
            if new:
                parameters.append({"name": name, "dtype": self.frame.dtype(parameter),
                                   "shape": list(parameter.shape),
                                   "requires_grad": bool(parameter.requires_grad)})
                layer = layer_of(self.frame.name(parameter))
                held = holders.get(id(parameter), {})
                told = any(path == layer or (layer and path.endswith("." + layer)) for path in held)
                if held and not (told and (layer or not self.frame.names_are_paths)):
                    # The inmost: a train cell has a list of its network's.
                    parameters[-1]["cell"] = held["" if told else max(held, key=_depth)]
        if cells or parameters:
            self.writer.add({"kind": "cells", "step": self.step, "cells": cells, "parameters": parameters})

    def _parameter(self, parameter, owner):
        return self.states.assign(parameter, self.frame.name(parameter), self.frame.title(owner))[0]

    def _state_name(self, state, optimizer):
        """An optimizer's state by the name that its Parameter has here: two networks may have one name for
        two."""
        kind, weight = self.frame.kept_for(state, optimizer)
        known = None if weight is None else self.states.of(weight)
        return "%s.%s" % (kind, known) if known else self.frame.name(state)

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
            everywhere = self.options.level != "step" and not self.options.refed_alone
            self.deep = everywhere or self.step in self.options.refeed
            self.writer.add({"kind": "step", "number": self.step, "event": "begin", "time": time.time()})
            self.begin(self.step)
        self.graph = self.frame.compiled(owner)
        self._name(owner)
        owner = self.around.get(id(owner), owner)
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
        for parameter in self.frame.parameters(owner):
            if id(parameter) not in states and id(parameter) not in seen:
                seen.add(id(parameter))
                name = self._parameter(parameter, owner)
                self._set(parameter, self.visit("initial", name, "value", 0, 0, parameter))
        for optimizer in optimizers if refeed else ():
            for p in self.frame.state(optimizer):
                if id(p) not in seen:
                    seen.add(id(p))
                    name = self._state_name(p, optimizer)
                    self._set(p, self.visit("initial", name, "state", 0, 0, p, self._index(optimizer)))

    def _set(self, parameter, array):
        if array is not None:
            self.frame.assign(parameter, self.frame.tensor_of(array, parameter))

    def _end_step(self, optimizers):
        self.ending = True
        states, parameters = self._left_behind(optimizers)
        for name, state, update in states:
            self.visit("optimizer", name, "value", 0, 0, state, update)
        for index, scaler in enumerate(self.scalers):
            for name in ("scale_value", "counter"):
                value = getattr(scaler, name, None)
                if isinstance(value, self.tensor):
                    self.visit("loss_scale", name, "value", index, 0, value)
        for name, parameter, stage in parameters:
            self.visit(stage, name, "value", 0, 0, parameter)
        self.writer.add({"kind": "step", "number": self.step, "event": "end", "gradients": bool(self.updated),
                         "time": time.time()})
        self.writer.step_ended()
        self.open = self.deep = self.ending = False
        self.made, self.roots, self.drawn = [], [], []
        if self.options.compiled:
            self.frame.look(self.step + 1 in self.options.refeed)
        if self._is_last(optimizers):
            self.done = True
            self.finished()

    def _is_last(self, optimizers):
        """Whether this step was the last that was asked for. A turn of the program's loop ends before an
        optimizer is called again, or when each that was made has been."""
        updates, turns = self.options.updates, self.options.steps
        now = {self._index(optimizer) for optimizer in optimizers}
        again = not self.turn or self.called & now
        self.turn, self.called = self.turn + bool(again), now if again else self.called | now
        if updates is not None and self.step >= updates:
            return True
        all_called = len(self.called) >= len(self.made_optimizers)
        return turns is not None and (self.turn > turns or (self.turn == turns and all_called))

    def _left_behind(self, optimizers):
        """What a step leaves: (name, state, update) of the optimizers, (name, parameter, stage) of the rest;
        looked for anew in steps 1, 2, 4, 8, ... and in those that are looked into."""
        owners = (*optimizers, *self.roots)
        key = tuple([id(owner) for owner in owners])
        again = self.deep or self.step & (self.step - 1) == 0
        if again or key not in self.held or not all(isinstance(owner, self.cell) for owner in owners):
            if len(self.held) > 16:  # losses that are made for each step, say
                self.held.clear()
            self.held[key] = owners, self._find_left_behind(optimizers)
        return self.held[key][1]

    def _find_left_behind(self, optimizers):
        states, parameters, seen = [], [], set()
        for optimizer in optimizers:
            for p in self.frame.state(optimizer):
                seen.add(id(p))
                if not self.frame.name(p).startswith("learning_rate"):
                    states.append((self._state_name(p, optimizer), p, self._index(optimizer)))
        for owner in self.roots + list(optimizers):
            for p in self.frame.parameters(owner):
                if id(p) not in seen:
                    seen.add(id(p))
                    scale = self.frame.name(p).rpartition(".")[2] in SCALE_NAMES
                    parameters.append((self._parameter(p, owner), p, "loss_scale" if scale else "parameter"))
        return states, parameters

    def write_header(self):
        """The first record; called when the first step begins, as the mode is settled by then."""
        o = self.options
        self.header = {
            "kind": "header", "format": FORMAT, "side": self.frame.side, "version": self.frame.version,
            "api": self.frame.api, "script": os.path.basename(o.script), "sha256": o.sha256, "argv": o.argv,
            "mode": self.frame.mode(), "mode_forced": o.pynative, "level": o.level,
            "python": platform.python_version(), "numpy": np.__version__, "platform": platform.platform(),
            "adaptations": list(self.adaptations),
            "options": {"steps": o.steps, "updates": o.updates, "only_step": o.only_step,
                        "refeed": sorted(o.refeed), "full": o.full, "cells": o.cells, "seed": o.seed},
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


def _depth(path):
    return len(path.split(".")) if path else 0
