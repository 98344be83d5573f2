"""Schedulers of 2.1 and 2.2 that MindSpore took back or renamed; ``_naming/data/aliases.tsv`` has their
paths.
"""

from __future__ import annotations

from ms2torch._core.errors import unsupported

from . import lr_scheduler as now


def _quiet(name: str, verbose) -> None:
    if not isinstance(verbose, bool):
        raise TypeError(f"For '{name}', the argument verbose must be bool, but got {type(verbose)}.")
    if verbose:
        raise unsupported(f"mindspore.nn.{name}(verbose=True)", "what it printed is not on record.",
                          "print(scheduler.get_last_lr()).")


class LRScheduler(now.LRScheduler):
    """Base class of schedulers (``mindspore.nn.LRScheduler``, 2.1), as
    ``mindspore.experimental.optim.lr_scheduler.LRScheduler``. NotImplementedError for ``verbose``."""

    def __init__(self, optimizer, last_epoch=-1, verbose=False) -> None:
        _quiet("LRScheduler", verbose)
        super().__init__(optimizer, last_epoch)


class StepLR(now.StepLR):
    """Times ``gamma`` every ``step_size`` epochs (``mindspore.nn.StepLR``, 2.1). NotImplementedError for
    ``verbose``."""

    def __init__(self, optimizer, step_size, gamma=0.5, last_epoch=-1, verbose=False) -> None:
        _quiet("StepLR", verbose)
        super().__init__(optimizer, step_size, gamma, last_epoch)


class LinearLR(now.LinearLR):
    """From ``start_factor`` to ``end_factor`` of the first rate in ``total_iters`` steps
    (``mindspore.nn.LinearLR``, 2.1). NotImplementedError for ``verbose``."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1,
                 verbose=False) -> None:
        _quiet("LinearLR", verbose)
        super().__init__(optimizer, start_factor, end_factor, total_iters, last_epoch)


class ChainedScheduler:
    """Several schedulers of one optimizer, each of which every ``step()`` moves
    (``mindspore.experimental.optim.lr_scheduler.ChainedScheduler``, 2.2). ValueError for two optimizers."""

    def __init__(self, schedulers) -> None:
        schedulers = list(schedulers)
        for place, other in enumerate(schedulers[1:], 1):
            if other.optimizer is not schedulers[0].optimizer:
                raise ValueError("ChainedScheduler expects all schedulers to belong to the same optimizer, "
                                 f"but got schedulers at index 0 and {place} to be different")
        self._schedulers, self.optimizer = schedulers, schedulers[0].optimizer

    def step(self) -> None:
        """Go one epoch on."""
        for scheduler in self._schedulers:
            scheduler.step()

    def get_last_lr(self) -> list:
        """The rates now, as Tensors."""
        return self._schedulers[-1].get_last_lr()
