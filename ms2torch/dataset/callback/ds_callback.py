"""`DSCallback`, called by ``Dataset.map(callbacks=...)``, and the one that waits for the training
(``mindspore.dataset.callback.ds_callback``)."""

from __future__ import annotations

import threading
from types import SimpleNamespace

from ...train.callback import Callback
from ..core import config
from ..core.validator_helpers import check_pos_int32

__all__ = ["DSCallback", "WaitedDSCallback"]

_EVENTS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


def _runtime(callback, overridden) -> SimpleNamespace:
    """What the pipeline calls, None where nothing is to happen; AttributeError if that is everywhere."""
    if not overridden:
        raise AttributeError("Inheriting Callback class without overriding any methods, check the usage of "
                             "user defined Callback.")
    events = {event: getattr(callback, event) if event in overridden else None for event in _EVENTS}
    return SimpleNamespace(step_size=callback.step_size,
                           waits=isinstance(callback, WaitedDSCallback), **events)


class DSCallback:
    """Base of callbacks for ``map``: override what should happen when (``mindspore.dataset.DSCallback``).

    Every method gets a context with ``cur_epoch_num``, ``cur_step_num_in_epoch`` and ``cur_step_num``, from
    1. A step is a row; every ``step_size``-th, from the first on, is told of.

    The pipeline fetches up to ``config.get_prefetch_size()`` rows before it works on them, so that the
    beginnings of as many steps come before their ends. An exception in a callback raises RuntimeError where
    rows are taken.
    """

    def __init__(self, step_size=1):
        check_pos_int32(step_size, "step_size")
        self.step_size = step_size

    def ds_begin(self, ds_run_context):
        """Before the first row of the pipeline."""

    def ds_epoch_begin(self, ds_run_context):
        """Before each epoch."""

    def ds_epoch_end(self, ds_run_context):
        """After each epoch."""

    def ds_step_begin(self, ds_run_context):
        """Before a row is worked on."""

    def ds_step_end(self, ds_run_context):
        """After a row was worked on."""

    def create_runtime_obj(self):
        """What the pipeline calls; AttributeError if no method is overridden."""
        return _runtime(self, [event for event in _EVENTS
                               if getattr(type(self), event) is not getattr(DSCallback, event)])


class WaitedDSCallback(Callback, DSCallback):
    """A callback of both ``map`` and ``Model.train``: what it does for a row it does after the training step
    before (``mindspore.dataset.WaitedDSCallback``).

    Override `sync_step_begin` or `sync_epoch_begin`, and give the same object to both. ``step_size`` is the
    rows of one training step, the batch size. Nothing is called for the first step and the first epoch.
    RuntimeError where the training does not come within ``config.get_callback_timeout()`` seconds.
    """

    def __init__(self, step_size=1):
        super().__init__()
        self.step_size = step_size
        self.step_event, self.epoch_event = threading.Event(), threading.Event()
        self.step_run_context = self.epoch_run_context = None
        self.training_ended = False

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        """Before an epoch of rows, after the training's epoch before."""

    def sync_step_begin(self, train_run_context, ds_run_context):
        """Before a step of rows, after the training's step before."""

    def epoch_end(self, run_context):
        """Of the training: lets the rows of the next epoch go on.

        Not to be overridden.
        """
        self.epoch_run_context = run_context
        self.epoch_event.set()

    def step_end(self, run_context):
        """Of the training: lets the rows of the next step go on.

        Not to be overridden.
        """
        self.step_run_context = run_context
        self.step_event.set()

    def end(self, run_context):
        """Of the training: lets all rows that are left go on."""
        self.epoch_end(run_context)
        self.step_end(run_context)
        self.training_ended = True

    def _wait(self, event: threading.Event, name: str) -> None:
        if self.training_ended:
            return
        seconds = config.get_callback_timeout()
        came = event.wait(timeout=seconds)
        event.clear()
        if not came:
            raise RuntimeError(f"{name} timed out after {seconds} second(s).")

    def ds_epoch_begin(self, ds_run_context):
        """Of the pipeline: wait, then `sync_epoch_begin`.

        Not to be overridden.
        """
        if ds_run_context.cur_epoch_num > 1:
            self._wait(self.epoch_event, "ds_epoch_begin")
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context):
        """Of the pipeline: wait, then `sync_step_begin`.

        Not to be overridden.
        """
        if ds_run_context.cur_step_num > self.step_size:
            self._wait(self.step_event, "ds_step_begin")
            self.sync_step_begin(self.step_run_context, ds_run_context)

    def create_runtime_obj(self):
        """What the pipeline calls; AttributeError if no method is overridden."""
        return _runtime(self, [f"ds_{event}" for event in ("step_begin", "epoch_begin")
                               if getattr(type(self), f"sync_{event}")
                               is not getattr(WaitedDSCallback, f"sync_{event}")])
