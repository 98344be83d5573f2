"""History (``mindspore.train.History``)."""

from __future__ import annotations

import numpy as np

from ms2torch._core.tensor.tensor import Tensor

from ._callback import Callback


class History(Callback):
    """Keeps each epoch's network output (``net_output``) and metrics in ``history``, epochs in ``epoch``."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list] = {}
        self.epoch = None

    def begin(self, run_context) -> None:
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        self.epoch["epoch"].append(params.get("cur_epoch_num", 1))
        output = params.net_outputs
        if isinstance(output, (tuple, list)) and isinstance(output[0], Tensor):
            output = output[0]
        if isinstance(output, Tensor):
            output = np.mean(output.asnumpy())
        for name, value in {"net_output": output, **(params.get("metrics") or {})}.items():
            self.history.setdefault(name, []).append(value)
