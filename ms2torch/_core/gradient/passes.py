"""One differentiation, from opening to commit or roll-back: the only place where autograd records.

A `Pass` owns all that a differentiation changes for its time: the weights' slots (each differentiated weight
gets a fresh *alias*), the grad mode, what the body writes, what it stores on Cells, the random streams. The
body runs once. At the end everything is put back; then what was written is *settled*: it becomes the content
of the Parameter or of the Tensor that it was written to. After an exception nothing is.

Why aliases and not ``requires_grad_`` on the stored parameter: an inner differentiation would then see the
outer one's tensor (nested weights give (24, 12) where (12, 6) is right), threads would lose gradients, and a
tensor that survives a call would keep a graph alive.

Why nothing is written in place: autograd has saved the old value (see `copy_on_write`).
"""

from __future__ import annotations

import os
import sys

import torch

from ms2torch._core import mode
from ms2torch._core.random import random_streams, repeating
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import as_subclass, is_transforming, set_grad_enabled

from . import copy_on_write, threads

# What is done before the first gradient of a training, with the train cell where there is one: several
# processes compare their parameters, or take over those of rank 0.
before_training: list = []
# In automatic parallelism every gradient of a weight is one of the whole batch: (gradients, weights) to
# gradients.
reduction = None
# What waits for the end of the outermost differentiation, with what it found and its weights: once.
settling = None


# Inside a train cell: calls that take back what its passes settled so far, and what it wrote itself.
replaced: list | None = None


WRITTEN_INPUT = ("Can not modify tensor id of input tensor from network by assign value, this may caused by "
                 "slice op, please check your code to avoid this error!")
WRITTEN_LEAF = "A leaf tensor that need grad is being used in an inplace operator."


def prepare_training(cell=None) -> None:
    """Do what waits for the first gradient."""
    waiting = before_training[:]
    before_training.clear()
    for prepare in waiting:
        prepare(cell)


class Pass:
    """One differentiation: ``with Pass(weights)`` puts its ``aliases`` into the weights' slots."""

    __slots__ = ("_changed", "_grad_mode", "_homes", "_journal", "_memory", "_owned", "_taken", "aliases",
                 "given", "hooked", "origins", "outer", "reaching", "received", "recomputes",
                 "refusal", "regathering", "staged", "stored", "weights")

    # Whether gradients of some rows of a weight can come out (see `rows`).
    takes_rows = True

    def __init__(self, weights=()) -> None:
        self.weights = weights

    def alias(self, weight) -> torch.Tensor:
        """What stands for ``weight`` while this pass is open."""
        return alias(weight._t)

    def torchs(self, weight) -> torch.Tensor:
        """What stands for a weight over a torch Parameter: that one itself, for Modules read it."""
        weight._of_torch_follows()
        return weight._of_torch if weight._of_torch.requires_grad else self.alias(weight)

    def leaf(self, weight):
        """What stands for a weight whose gradients the ranks share (`processes.zero`); None for others."""
        share = weight._share
        return None if share is None or share.level == 1 or self.outer is not None else share.leaf()

    def __enter__(self) -> Pass:
        threads.acquire()
        self.outer = outer = mode.differentiation
        self._grad_mode = torch.is_grad_enabled()
        self.aliases: list[torch.Tensor] = []
        # Tensors without meaning whose gradient is asked for all the same: what a process received from
        # another hangs on one, so that its gradient travels back.
        self.received: list[torch.Tensor] = []
        self.given: tuple | list = ()
        # What is said where the body writes to one of them.
        self.refusal = WRITTEN_INPUT
        # The caller's Tensors, of which the body was given others, in the same order.
        self.origins: tuple | list = ()
        self.reaching: list[tuple] = []
        # Calls of Cells whose backward hooks wait for the gradients (`custom.backward_hooked`).
        self.hooked: list = []
        self.stored: list = []
        self._taken: list[tuple] = []
        self._homes: list[tuple] = []
        self._changed: dict[int, tuple] = {}
        self._memory: list[tuple] = []
        self._owned: list[torch.Tensor] = []
        self._journal = random_streams.begin_journal() if outer is None else None
        self.regathering = None
        # Whether parts of the body run again for their gradients: then the weights stand for their aliases.
        self.recomputes = False
        # Whether the body went through the stages of a pipeline, which gives no gradients of its inputs.
        self.staged = False
        try:
            if outer is None:
                threads.keep_others_out()
            mode.differentiation = self
            if not self._grad_mode:
                set_grad_enabled(True)
            self._take_all()
            if self.regathering is not None:
                self.regathering.__enter__()
        except BaseException:
            self.__exit__(BaseException, None, None)
            raise
        return self

    def _take_all(self) -> None:
        for w in self.weights:
            self._take(w)

    def _take(self, w) -> None:
        share = w._share
        if share is None or share.level == 1:
            old = w._t
        else:
            old = share.kept()
            if share.level == 3 and self.outer is None and self.regathering is None:
                self.regathering = share.regathering()
        new = self.alias(w) if w._of_torch is None else self.torchs(w)
        self._taken.append((w, old, new))
        w._t = new
        self.aliases.append(new)
        if w._home is not None:
            # The parameter of a plain torch module: the module reads its own dict, not our slot.
            entries, key = w._home
            self._homes.append((entries, key, entries[key]))
            entries[key] = new

    def at_rest(self, holder: Tensor) -> torch.Tensor:
        """The content of a Tensor or a weight without the alias that this pass put there."""
        if hasattr(holder, "_rest"):
            for w, old, _ in self._taken:
                if w is holder:
                    return old
        return holder._t

    def __exit__(self, kind, value, trace) -> None:
        outer, failed = self.outer, True
        try:
            written = self._put_back(kind is None)
            mode.differentiation = outer
            if outer is None:
                for holder in self.stored:
                    detach_(holder)
                # All copies first, for only they can fail; they are not made in the Parameters' own memory,
                # which autograd may still need.
                owned = set(map(id, self._owned))
                settled = [(holder, _settling(content.detach(), id(content) in owned))
                           for holder, content in written]
                for holder, content in settled:
                    holder._rebind(content)
            else:
                outer.stored.extend(self.stored)
                outer._owned.extend(self._owned)
            for origin, content in self.reaching if kind is None else ():
                if outer is None:
                    origin._t = content._t.detach()
                else:
                    outer.rebind(origin, content._t)
            failed = kind is not None
        finally:
            mode.differentiation = outer
            if outer is None:
                random_streams.end_journal(self._journal, failed)
            if not self._grad_mode:
                set_grad_enabled(False)
            if self.regathering is not None:
                self.regathering.__exit__(None, None, None)
            threads.let_others_in(outer)
            threads.release()

    def _put_back(self, commits: bool) -> list[tuple]:
        """Slots as they were; what was written, with whom it was written to, where it is to be settled."""
        outer, written = self.outer, []
        taken = {id(w) for w, _, _ in self._taken} if self._changed else ()
        for w, old in self._changed.values():
            if id(w) in taken:
                continue
            if not commits:
                w._t = old
            elif outer is not None:
                outer._changed.setdefault(id(w), (w, old))
            elif hasattr(w, "_rest"):
                written.append((w, _slot(w)))
                w._t = old
        for w, old, new in reversed(self._taken):
            now = w._t if w._share is None else _slot(w)
            if now is new or not commits:
                w._t = old
            elif outer is not None:
                outer._changed.setdefault(id(w), (w, old))
            else:
                w._t = old
                written.append((w, now))
        for entries, key, old in reversed(self._homes):
            entries[key] = old
        if not commits:
            for w, memory in reversed(self._memory):
                w._rest.data = memory
        elif outer is not None:
            outer._memory.extend(self._memory)
        return written

    # ---- what the body does ----------------------------------------------------------------------------

    def rebind(self, holder: Tensor, new: torch.Tensor, owned: bool = False) -> None:
        """Make ``new`` the content of ``holder``; it settles when the outermost pass ends.

        ``owned``: nobody else has ``new``, nor will anybody write to it or need it.
        """
        self._changed.setdefault(id(holder), (holder, _slot(holder)))
        holder._t = new
        if owned:
            self._owned.append(new)

    def write(self, holder: Tensor, change) -> None:
        """Let ``change(t)`` write into the content of ``holder``."""
        with threads.held():
            opened = mode.differentiation
            if opened is None:        # it was another thread's, and has ended meanwhile
                holder._write(change)
                return
            if hasattr(holder, "_rest"):
                opened._write_parameter(holder, change)
                return
            opened.refuse_given(holder)
            # Nor may another Tensor hold the same tensor: two references are the slot and the question.
            in_place = sys.getrefcount(holder._t) == 2
            t = holder._t
            new = copy_on_write.apply_change(t, change, in_place)
            if new is not t:
                opened.rebind(holder, new)
            if mode.graph:
                opened.reaches_the_caller(holder)
            if new.requires_grad and not t.requires_grad:
                opened.remember(holder)

    def replace(self, holder: Tensor, new: torch.Tensor) -> None:
        """``holder.set_data(new)`` of a Parameter: who reads it from here on differentiates by it."""
        old = holder._t
        content = copy_on_write.overwrite(old, new)
        if old.requires_grad and (old.shape != new.shape or old.dtype is not new.dtype):
            content = self.differ(old, new)
        self.rebind(holder, content)

    def differ(self, old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        """What stands for a weight that stood as ``old`` and got content of another shape or dtype."""
        return new

    def take_over(self, holder: Tensor, value: torch.Tensor) -> None:
        """``holder.assign_value``: from here on it is ``value``, and depends on what that depends on."""
        self.refuse_given(holder)
        self.rebind(holder, value)
        if value.requires_grad:
            self.remember(holder)

    def refuse_given(self, holder: Tensor) -> None:
        if not hasattr(holder, "_rest") and self.was_given(holder):
            raise RuntimeError(self.refusal)

    def _write_parameter(self, holder: Tensor, change) -> None:
        """The write itself is not differentiated: who reads the Parameter afterwards gets the new value with
        the Parameter's gradient (as by `ops.function._writing`)."""
        again = repeating.note_write(holder)
        t = holder._t
        # Its own memory stays as it is until the pass ends well, and for bodies that run again.
        in_place = (id(holder) in self._changed and not t.requires_grad and not repeating.under_way
                    and sys.getrefcount(t) == 3)
        with torch.no_grad():
            new = copy_on_write.apply_change(t.detach() if t.requires_grad else t, change, in_place)
        if new is not t:
            content = copy_on_write.overwrite(t, new) if t.requires_grad else new
            if again:
                holder._t = content
            else:
                self.rebind(holder, content)

    def was_given(self, holder: Tensor) -> bool:
        """Whether ``holder`` is an argument of what is differentiated, which PyNative mode protects."""
        if mode.graph:
            return False
        return any(holder is given for given in self.given) or (
            self.outer is not None and self.outer.was_given(holder))

    def reaches_the_caller(self, holder: Tensor) -> None:
        """A graph's ``x += y`` or ``x.add_(y)`` on an argument, and an Assign in both modes, is one on the
        caller's Tensor, once this pass ends well."""
        for given, origin in zip(self.given, self.origins, strict=False):
            if given is holder and origin is not None:
                self.reaching.append((origin, holder))

    def withhold(self, holder: Tensor) -> None:
        """What a graph writes to ``holder``, an argument, is the graph's own."""
        self.origins = [None if given is holder else origin
                        for given, origin in zip(self.given, self.origins, strict=False)]

    def lend_memory(self, weights) -> None:
        """Let a kernel write into the Parameters' resting tensors: their memory becomes a copy, for autograd
        may have saved the old."""
        for w in weights:
            self._memory.append((w, w._rest.data))
            w._rest.data = w._rest.data.clone()
            torch.autograd.graph.increment_version(w._rest)
            self.rebind(w, w._rest)

    def cast(self, t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """``t`` as ``dtype``, integers too, with its gradient (`integers.cast`)."""
        from .integers import cast

        return cast(t, dtype)

    def remember(self, value) -> None:
        """Called when a Tensor is stored on a Cell: it must not carry the graph out."""
        self.stored.append(value)


class Lent(Pass):
    """A pass whose aliases somebody else owns (torch's optimizers, DDP, tracers)."""

    __slots__ = ("_lent",)
    takes_rows = False

    def __init__(self, weights, tensors) -> None:
        super().__init__(weights)
        self._lent = iter(tensors)

    def alias(self, weight) -> torch.Tensor:
        return next(self._lent)

    def torchs(self, weight) -> torch.Tensor:
        return next(self._lent)


class Discarded(Lent):
    """A pass of which nothing stays: what its body writes and draws is dropped."""

    __slots__ = ()

    def __exit__(self, kind, value, trace) -> None:
        super().__exit__(BaseException, None, None)


WHOLE = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.uint16, torch.uint32, torch.uint64}


def _slot(holder: Tensor) -> torch.Tensor:
    """What is in a Tensor's slot: of a weight that the ranks share, what has not been gathered."""
    return holder._t if holder._share is None else holder._share.kept()


def _settling(content: torch.Tensor, owned: bool) -> torch.Tensor:
    """``content`` as a Parameter's memory; a float64 that goes by float32's name (`difftest.double`) is
    rounded."""
    if hasattr(content, "full_tensor"):
        content = content.full_tensor()
    if hasattr(content, "wide"):
        return torch.from_numpy(content.numpy().copy())
    return content if owned else content.clone()


def is_integral(t: torch.Tensor) -> bool:
    """Whether ``t`` holds integers or bools, which autograd cannot differentiate by."""
    return t.dtype in WHOLE


def is_differentiating() -> bool:
    """Whether a pass is open, or one of torch's function transforms, which `vmap` needs, under way."""
    return mode.differentiation is not None or is_transforming()


def trainable(weights) -> list:
    """Those of ``weights`` that ask for a gradient and that autograd can give one."""
    return [w for w in weights if w.requires_grad and w._t.dtype not in WHOLE]


def alias(t: torch.Tensor) -> torch.Tensor:
    """A fresh tensor over the same storage to differentiate by; connected to an outer pass where there is
    one."""
    if t.requires_grad:
        return t.view_as(t)
    if mode.mesh is not None:
        t = mode.mesh.spread(t)
    return t.detach().requires_grad_()


def wrapped_alias(t: torch.Tensor) -> Tensor:
    return wrap(alias(t))


def standing_for(value: Tensor, alias: torch.Tensor, source: torch.Tensor) -> Tensor:
    """A Tensor around ``alias`` for an argument ``value``, whose hooks see the gradient by ``source``."""
    fresh = wrap(alias)
    if hooks := value.__dict__.get("_grad_hooks"):
        fresh.__dict__["_grad_hooks"] = hooks
        for hook in hooks.values():
            source.register_hook(watching(hook))
    return fresh


def watching(hook):
    """A hook for torch that calls ``hook`` with the gradient as a Tensor; what it returns replaces it, or
    what it wrote into it."""

    def see(gradient):
        shown = wrap(gradient)
        result = hook(shown)
        if result is None and shown._t is not gradient:
            return shown._t
        if result is not None and not isinstance(result, Tensor):
            kind = type(result).__name__
            raise RuntimeError(f"Tensor hook should be return Tensor, but get type: {kind}.")
        return None if result is None else result._t

    return see


def values_of_their_own(args: list, kwargs: dict, apart_from) -> None:
    """Arguments that a graph may write to without the caller's Tensors following, but in some places."""
    for of, places in ((args, range(len(args))), (kwargs, kwargs)):
        for place in places:
            value = of[place]
            if value.__class__ is Tensor and place not in apart_from:
                t = value._t
                of[place] = wrap(t.view_as(t) if t.requires_grad else t.detach())


def detach_(obj) -> None:
    """Take every Tensor in ``obj`` off the graph, in its slot: all holders of that wrapper see it."""
    if isinstance(obj, Tensor):
        t = obj._t
        if t.requires_grad:
            obj._t = t.detach()
        elif t.__class__ is not torch.Tensor and hasattr(t, "shadow"):     # see `integers`
            obj._t = as_subclass(t, torch.Tensor)
    elif isinstance(obj, (tuple, list)):
        for x in obj:
            detach_(x)
    elif isinstance(obj, dict):
        for x in obj.values():
            detach_(x)


class Valued:
    """What is differentiated by the Tensor ``values`` that it holds: a sparse tensor. ``_with`` makes one of
    the same places with other values."""


def tensors_of(obj, found: list | None = None) -> list[Tensor]:
    """All Tensors in nested tuples, lists and dicts, and the values of sparse ones, in order."""
    found = [] if found is None else found
    if isinstance(obj, Tensor):
        found.append(obj)
    elif isinstance(obj, (tuple, list)):
        for x in obj:
            tensors_of(x, found)
    elif isinstance(obj, dict):
        for x in obj.values():
            tensors_of(x, found)
    elif isinstance(obj, Valued):
        found.append(obj.values)
    return found


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.reset)

