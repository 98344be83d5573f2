"""Levels: the only places where autograd records.

At rest no tensor of ours requires grad, so a forward pass records nothing. A level gives every differentiated
weight a fresh alias (swapped into the wrapper's slot) and every differentiated input a fresh wrapper;
whatever the body does, the slots and the level are restored at its end, and what the body stored on Cells is
detached.

Why aliases and not ``requires_grad_`` on the stored parameter: an inner level would then see the outer
level's tensor (nested weights give (24, 12) where (12, 6) is right), threads would lose gradients, and a
tensor that survives a call would keep a graph alive.
"""

from __future__ import annotations

import contextlib
import os
import threading

import torch

from ms2torch._core.tensor.tensor import Tensor, wrap

# One level at a time in the whole process: slots are swapped in objects that all threads share.
lock = threading.RLock()
depth = 0
_stored: list[list] = []
_dry = 0
# Tensors without meaning whose gradient is asked for all the same: what a process received from another
# hangs on one, so that its gradient travels back.
received: list[torch.Tensor] = []
# What is done before the first gradient of a training, with the train cell where there is one: several
# processes compare their parameters, or take over those of rank 0.
beginnings: list = []


# In automatic parallelism every gradient of a weight is one of the whole batch: (gradients, weights) to
# gradients.
reduction = None


def begin(cell=None) -> None:
    """Do what waits for the first gradient."""
    waiting = beginnings[:]
    beginnings.clear()
    for one in waiting:
        one(cell)


@contextlib.contextmanager
def dry():
    """Inside, no write to a parameter lasts: for a run that only asks what the derivative is."""
    global _dry
    _dry += 1
    try:
        yield
    finally:
        _dry -= 1


def writing() -> bool:
    """Whether writes to parameters count now."""
    return not _dry


class Level:
    """One differentiation: ``with Level(weights) as level`` swaps aliases into the weights' slots."""

    __slots__ = ("aliases", "grad_mode", "restore", "saved", "weights")

    def __init__(self, weights=()) -> None:
        self.weights = weights

    def _alias(self, t: torch.Tensor) -> torch.Tensor:
        return alias(t)

    def __enter__(self) -> Level:
        global depth
        lock.acquire()
        self.grad_mode = torch.is_grad_enabled()
        if not self.grad_mode:
            torch._C._set_grad_enabled(True)
        depth += 1
        _stored.append([])
        self.saved = []
        self.aliases = []
        self.restore = []
        try:
            for w in self.weights:
                old = w._t
                new = self._alias(old)
                self.saved.append((w, old))
                w._t = new
                self.aliases.append(new)
                if w._home is not None:
                    # The parameter of a plain torch module: the module reads its own dict, not our slot.
                    entries, key = w._home
                    self.restore.append((entries, key, entries[key]))
                    entries[key] = new
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, value, trace) -> None:
        global depth
        try:
            for (w, old), new in zip(self.saved, self.aliases, strict=False):
                if w._t is not new and not _dry:
                    # Written to inside the level: the value becomes the parameter's when the outermost level
                    # ends.
                    if depth == 1:
                        w._settle(w._t.detach())
                        w._t = old
                    continue
                w._t = old
            for entries, key, old in self.restore:
                entries[key] = old
            stored = _stored.pop()
            if depth == 1:
                for holder in stored:
                    detach_(holder)
            elif _stored:
                _stored[-1].extend(stored)
        finally:
            depth -= 1
            if not self.grad_mode:
                torch._C._set_grad_enabled(False)
            lock.release()


class Lent(Level):
    """A level whose aliases somebody else owns (torch's optimizers and DDP): nothing that they reach is
    detached here."""

    __slots__ = ("_given",)

    def __init__(self, weights, aliases) -> None:
        super().__init__(weights)
        self._given = iter(aliases)

    def _alias(self, t: torch.Tensor) -> torch.Tensor:
        return next(self._given)


def trainable(weights) -> list:
    """Those of ``weights`` that ask for a gradient and that autograd can give one."""
    return [w for w in weights if w.requires_grad and w._t.dtype not in _WHOLE]


_WHOLE = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.uint16, torch.uint32, torch.uint64}


def alias(t: torch.Tensor) -> torch.Tensor:
    """A fresh tensor over the same storage to differentiate by; connected to an outer level where there is
    one."""
    if t.requires_grad:
        return t.view_as(t)
    return t.detach().requires_grad_()


def remember(value) -> None:
    """Called when a Tensor is stored on a Cell inside a level: it must not carry the graph out."""
    if _stored:
        _stored[-1].append(value)


def detach_(obj) -> None:
    """Take every Tensor in ``obj`` off the graph, in its slot: all holders of that wrapper see it."""
    if isinstance(obj, Tensor):
        t = obj._t
        if t.requires_grad:
            obj._t = t.detach()
    elif isinstance(obj, (tuple, list)):
        for x in obj:
            detach_(x)
    elif isinstance(obj, dict):
        for x in obj.values():
            detach_(x)


def tensors_of(obj, found: list | None = None) -> list[Tensor]:
    """All Tensors in nested tuples, lists and dicts, in order."""
    found = [] if found is None else found
    if isinstance(obj, Tensor):
        found.append(obj)
    elif isinstance(obj, (tuple, list)):
        for x in obj:
            tensors_of(x, found)
    elif isinstance(obj, dict):
        for x in obj.values():
            tensors_of(x, found)
    return found


def _reset_in_child() -> None:
    global depth, lock
    depth = 0
    lock = threading.RLock()
    _stored.clear()


def fresh(t: torch.Tensor) -> Tensor:
    return wrap(alias(t))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)
