"""TimeMonitor (``mindspore.train.TimeMonitor``)."""

from __future__ import annotations

import time

from ms2torch._checkparam import check_bool, check_positive_int

from ._callback import Callback


class TimeMonitor(Callback):
    """Prints how long each epoch and, on average, each step took, in milliseconds.

    ``data_size``: steps in an epoch where the run does not say; ``data_time`` also prints the time that the
    data took.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        super().__init__()
        check_bool(data_time, "data_time")
        self.data_size = data_size
        self.data_time = data_time
        self.epoch_time = time.time()
        self._waited = self._since = 0.0

    def on_train_step_begin(self, run_context) -> None:
        if self.data_time:
            self._waited += time.time() - self._since

    def on_train_step_end(self, run_context) -> None:
        if self.data_time:
            self._since = time.time()

    def epoch_begin(self, run_context) -> None:
        self.epoch_time = self._since = time.time()
        self._waited = 0.0

    def epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        milliseconds = (time.time() - self.epoch_time) * 1000
        steps = params.get("batch_num") or self.data_size
        check_positive_int(steps)
        text = (
            f"{params.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, "
            f"per step time: {milliseconds / steps:5.3f} ms"
        )
        if self.data_time:
            text += f" (data time: {self._waited * 1000 / steps:5.3f} ms)"
        print(text, flush=True)
