"""Calls of Cells, operators and optimizers, forward and backward, as a program makes them."""

from __future__ import annotations

import fnmatch
import os

import numpy as np

from .mindspore_frame import NOT_OPERATORS
from .naming import map_tensors
from .steps import Steps

# Where an operator stands that is called outside all Cells.
PROGRAM = "program"
# Where what a PyTorch program differentiates stands.
DIFFERENTIATED = "loss"


class Recorder(Steps):
    """Sees each outermost call, each step's update and, at level cell, every Cell's call forward and
    backward, and hands each tensor to `visit`.
    """

    def incoming(self, value, where, index, call, shown=None):
        """A Cell's input: visited (as ``shown``), and its gradient when that comes."""
        return self._through("input", value, where, index, call, shown)

    def outgoing(self, value, where, index, call):
        """A Cell's output, in the same way."""
        return self._through("output", value, where, index, call)

    # ---- how it works

    def _through(self, role, value, where, index, call, shown=None):
        new = self.visit("forward", where, role, index, call, value if shown is None else shown)
        if new is not None:
            value = self.frame.tensor_of(new, value)
        if isinstance(value, self.parameter) or not self.frame.differentiable(value):
            return value

        extra, came = self.extra, []

        def arrived(gradient):
            # What comes again is another `loss`'s, or the gradient of a gradient, which has no place of its
            # own in a trace.
            if gradient is None or (came and (self.passing in came or not all((self.passing, *came)))):
                return None
            came.append(self.passing)
            self.extra = extra
            other = self.visit("backward", where, "grad_" + role, index, call, gradient)
            self.extra = {}
            return None if other is None else self.frame.tensor_of(other, gradient)

        return self.frame.watched(value, arrived)

    def blind(self):
        """Whether calls are not looked at now: nothing is seen within one graph, or in a forked process."""
        within = self.graph and not self.deep if self.inside else self.frame.differentiates()
        return self.quiet or within or self.done or os.getpid() != self.pid

    def call(self, cell, run, args, kwargs):
        """Stands in for ``Cell.__call__``; ``run(args, kwargs)`` is the call itself."""
        if self.blind():
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
        self.settle()
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
                args, kwargs = map_tensors((args, kwargs), self.tensor, self._arrives(where))
                if self.graph:
                    for optimizer in optimizers:
                        self._rates(optimizer)
                if self.deep and isinstance(owner, self.cell):
                    result = self._watch(owner, run, args, kwargs)
                else:
                    result = run(args, kwargs)
                map_tensors(result, self.tensor, self._leaves(where))
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
            # What the program differentiates by stays the Tensor that it gave.
            kept = new is None or self.frame.asked_for(value)
            return value if kept else self.frame.tensor_of(new, value)

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
        """What a PyTorch program differentiates, also where a Module gave it."""
        self.passing = object()
        if not (self.quiet or self.inside or self.done or not self.open):
            self.visit("loss", DIFFERENTIATED, "output", 0, self._count(DIFFERENTIATED), value)

    def passed(self):
        """The backward pass of the latest `loss` is over."""
        self.passing = None

    def differentiated(self, update, pairs):
        """A PyTorch program without optimizers has differentiated: what it does to its weights before it
        calls a Module again is its ``update``. ``pairs(weights)`` has what it differentiated by."""
        if self.quiet or self.inside or self.done or not self.open:
            return
        update.begins(pairs([p for root in self.roots for p in self.frame.parameters(root)]))
        self.own = update

    def settle(self):
        """End the step of a program's own update, where it was made."""
        update, self.own = self.own, None
        if update is not None and update.made():
            self._update(update, lambda *_: None, (update.gradients(),), {})
            self._end_step(self.updated)

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
            map_tensors((args, kwargs), self.tensor, lambda v, i: given.append(v))

        def construct(*args, **kwargs):
            own.pop(body, None)  # nested calls of the same Cell are calls of their own
            self.stack.append(None if whole else where)
            try:
                taken = {}  # what is given at several places is one thing inside, too (attention asks)
                args, kwargs = map_tensors((args, kwargs), self.tensor, lambda v, i: taken.setdefault(
                    id(v), (v, self.incoming(v, where, i, call, given[i] if given else v)))[1])
                result = inner(*args, **kwargs)
                if self.training and isinstance(result, self.tensor) and self.frame.drops(cell):
                    self.visit("random", where, "mask", 0, call, self.frame.kept(result))
                return map_tensors(result, self.tensor, lambda v, i: self.outgoing(v, where, i, call))
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
        args, kwargs = map_tensors((args, kwargs), self.tensor, lambda v, i: self.incoming(v, where, i, call))
        self.stack.append(None if whole else where)
        try:
            result = run(args, kwargs)
        finally:
            self.stack.pop()
        return map_tensors(result, self.tensor, lambda v, i: self.outgoing(v, where, i, call))

    def place(self, owner=None):
        """Where an operator is called: in ``owner``'s bprop, in the Cell that runs, or outside all."""
        return self.names.of(owner) or (self.stack or [PROGRAM])[-1]

    def operator(self, name, run, args, kwargs, line, owner=None):
        """An operator that the program's own code calls, outside all Cells (also in the ``bprop`` of one, its
        ``owner``) or, at level op, inside one."""
        cell, plain = self.place(owner), name.rpartition(".")[2].replace("_", "").lower()
        if plain in NOT_OPERATORS:
            return run(*args, **kwargs)
        # One name for the function, the Primitive and the method: releases make one by the other.
        where, before = cell + "/" + plain, self.extra
        call = self._count(where)
        self.extra = {"op": name, "line": line, "cell": cell}
        if owner is not None:
            self.extra["bprop"] = True
        try:
            args, kwargs = map_tensors((args, kwargs), self.tensor,
                                       lambda v, i: self.incoming(v, where, i, call))
            return map_tensors(run(*args, **kwargs), self.tensor,
                               lambda v, i: self.outgoing(v, where, i, call))
        finally:
            self.extra = before

    def draw(self, name, run, args, kwargs):
        """A random operator that the program's own code calls within a step: what it drew."""
        plain = name.rpartition(".")[2].replace("_", "").lower()
        if not self.inside or not self.deep:
            result = run(*args, **kwargs)
            map_tensors(result, self.tensor, lambda v, i: self.drawn.append(v))
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

        return map_tensors(run(*args, **kwargs), self.tensor, drawn)

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

        args = map_tensors(args, self.tensor, gradient)
        self.stack.append(None)
        try:
            with self.frame.stepping(optimizer):
                return run(args, kwargs)
        finally:
            self.stack.pop()

    def _rates(self, optimizer):
        if self.silent():
            self._index(optimizer)
            return
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
                         "class": type(optimizer).__name__, "cell": self.names.of(optimizer),
                         "settings": self.frame.settings(optimizer)})
        return index
