"""What a step of an optimizer has overwritten, so that one that fails can be taken back.

Counters and powers are saved as numbers, which costs nothing. An *atomic* kernel writes everything with its
last operator, or nothing: the last such call of a step, in most programs the only one, is not saved either.
What is written before it (smaller groups of parameters), and by kernels that are not atomic, is copied.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.gradient import passes
from ms2torch._core.processes import distributed

from ._gradients import not_bound


def atomic(kernel):
    """Marks a kernel that fails before it has written anything: its last operator changes the parameters,
    then `renew` the state."""
    kernel.atomic = True
    return kernel


def is_atomic(kernel) -> bool:
    return getattr(getattr(kernel, "func", kernel), "atomic", False)


def by_rows(step):
    """Marks a step for gradients of rows that writes those rows alone."""
    step.by_rows = True
    return step


def renew(*state) -> None:
    """Pairs of lists, the state and its new values: these become its memory, with neither copy nor
    operator."""
    for old, new in state:
        for t, n in zip(old, new, strict=True):
            # A tensor in parts, and one without memory of its own (difftest's float64), are written into.
            if hasattr(t, "to_local") or hasattr(n, "wide"):
                t.copy_(n)
            else:
                t.data = n


class Undoing:
    """Takes back what a call wrote where it raises; a trace does what it has for a step."""

    # While a call is under way: (tensor, what it held): its content, the number that all of it was, or rows
    # and theirs; (`Gathered`, their content) for small ones.
    _overwritten = None

    def __call__(self, *gradients, **others):
        if mode.tracing is not None:
            return mode.tracing.update(self, *gradients, **others)
        own, outer, around = self.__dict__, passes.replaced, mode.updating
        own["_overwritten"] = saved = []
        passes.replaced, mode.updating = None, True
        try:
            found = super().__call__(*gradients, **others)
            if distributed.staged():        # (a program's own says to nobody that it is done)
                from ms2torch._core.processes import pipeline

                pipeline.publish_all()
            return found
        except BaseException as err:
            for t, before in reversed(saved):
                if isinstance(before, list):
                    t.write(before)
                elif isinstance(before, torch.Tensor):
                    t.copy_(before)
                elif isinstance(before, tuple):
                    t.index_copy_(0, *before)
                else:
                    t.fill_(before)
            self._hosted.clear()
            if err.__class__ is TypeError and self._is_graph() and (
                    told := not_bound(self.construct, gradients, others)):
                raise told from None
            raise
        finally:
            passes.replaced, mode.updating = outer, around
            own["_overwritten"] = None

    def _is_graph(self) -> bool:
        """Whether MindSpore compiles the step: not that of a program's own optimizer, nor Adadelta's."""
        made = type(self).construct
        return made.__module__.startswith("ms2torch.") and not made.__module__.endswith(".adadelta")

    def _save_number(self, t: torch.Tensor, before: float) -> None:
        """``t``, all of whose elements are ``before``, is about to be overwritten."""
        if self._overwritten is not None:
            self._overwritten.append((t, before))

    def _save(self, small, *lists) -> None:
        """The tensors in ``lists`` are about to be overwritten; ``small``: they are seen together."""
        if self._overwritten is None:
            return
        if small:
            self._overwritten.append((small, [torch.cat(small.all)]))
        else:
            self._overwritten += [(t, t.clone()) for tensors in lists for t in tensors]

    def _save_rows(self, rows: torch.Tensor, step, tensors) -> None:
        """``step`` is about to overwrite ``tensors``, in ``rows`` alone where it is marked so."""
        if not getattr(step, "by_rows", False):
            self._save(None, tensors)
        elif self._overwritten is not None:
            self._overwritten += [(t, (rows, t[rows])) for t in tensors]
