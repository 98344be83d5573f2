"""``map`` with callbacks: the calls that tell them of epochs and steps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from ..core import config
from ..core.errors import UserCodeError
from ._pipeline import Epoch, Run


@dataclass
class Context:
    """What a callback is told of (MindSpore's CallbackParam)."""

    cur_epoch_num: int = 0
    cur_step_num_in_epoch: int = 0
    cur_step_num: int = 0


class Watch:
    """The callbacks of one running ``map``."""

    def __init__(self, callbacks: list, run: Run):
        self.run, self.callbacks = run, [callback.create_runtime_obj() for callback in callbacks]
        self.ahead = 1 if any(one.waits for one in self.callbacks) else config.get_prefetch_size()
        self.epoch = self.step = self.total = 0          # of the rows fetched
        self.begun = False
        run.at_end.append(self.end_epoch)

    def call_callbacks(self, event: str, step: int, total: int) -> None:
        for one in self.callbacks:
            call = getattr(one, event)
            if call is not None and ("step" not in event or (step - 1) % one.step_size == 0):
                try:
                    call(Context(self.epoch, step, total))
                except Exception as error:
                    raise UserCodeError(f"{type(error).__name__}: {error}") from error

    def begin_epoch(self) -> None:
        if not self.begun:
            self.begun = True
            self.call_callbacks("ds_begin", 0, 0)
        if self.epoch <= self.run.epoch:                 # a repeat after the map calls it more often
            self.epoch, self.step = self.run.epoch + 1, 0
            self.call_callbacks("ds_epoch_begin", 0, self.total)

    def end_epoch(self) -> None:
        if self.epoch > self.run.epoch:
            self.call_callbacks("ds_epoch_end", self.step, self.total)

    def epochs_with_calls(self, child: Epoch, rows_of) -> Epoch:
        """The epochs of ``rows_of``, a function that works on rows, with the calls."""

        def begun(group):
            for row in group:
                self.step += 1
                self.total += 1
                self.call_callbacks("ds_step_begin", self.step, self.total)
                yield row

        def epoch():
            self.begin_epoch()
            rows = child()
            while True:
                step, total = self.step, self.total
                group = list(begun(islice(rows, self.ahead)))
                if not group:
                    return
                for count, row in enumerate(rows_of(group), 1):
                    self.call_callbacks("ds_step_end", step + count, total + count)
                    yield row

        return epoch
