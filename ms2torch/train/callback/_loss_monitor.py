"""LossMonitor (``mindspore.train.LossMonitor``)."""

from __future__ import annotations

import math

from ms2torch._checkparam import check_non_negative_int

from ._callback import Callback, _handle_loss


class LossMonitor(Callback):
    """Prints the loss every ``per_print_times`` steps (0: never), and the metrics of ``fit``.

    ValueError for a negative or non-integer argument, and, during training, for a loss that is nan or
    infinite.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        super().__init__()
        check_non_negative_int(per_print_times)
        self._per_print_times = per_print_times
        self._last_print_time = 0

    def step_end(self, run_context) -> None:
        params = run_context.original_args()
        epoch, number = params.get("cur_epoch_num", 1), params["cur_step_num"]
        step = (number - 1) % params["batch_num"] + 1
        every = self._per_print_times
        loss = _handle_loss(params["net_outputs"])
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step}, loss is NAN or INF, training process cannot continue, "
                "terminating training."
            )
        while every and number <= self._last_print_time:
            # A monitor that is used for another training counts back to where that one is.
            self._last_print_time -= max(every, params.batch_num if params.get("dataset_sink_mode") else 1)
        if every and number - self._last_print_time >= every:
            self._last_print_time = number
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        metrics = params.get("metrics")
        if metrics:
            print(f"Eval result: epoch {params.cur_epoch_num}, metrics: {metrics}")
