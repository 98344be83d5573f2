"""EarlyStopping (``mindspore.train.EarlyStopping``)."""

from __future__ import annotations

import copy

from ms2torch._checkparam import check_bool, check_non_negative_int, check_value_type
from ms2torch.train.serialization import load_param_into_net

from ._monitored import Monitored


class EarlyStopping(Monitored):
    """Ends training after ``patience`` epochs in which ``monitor`` did not improve by ``min_delta``.

    ``mode``: "min", "max", or "auto", by the name of what is watched. ``baseline``: a value that has to be
    passed for an epoch to count as better. ``restore_best_weights``: load the best epoch's parameters when
    stopping.
    """

    _purpose = "Early stopping"

    def __init__(
        self,
        monitor="eval_loss",
        min_delta=0,
        patience=0,
        verbose=False,
        mode="auto",
        baseline=None,
        restore_best_weights=False,
    ) -> None:
        super().__init__()
        check_value_type("monitor", monitor, str)
        check_value_type("min_delta", min_delta, [float, int])
        self.patience = check_non_negative_int(patience)
        self.verbose = check_bool(verbose)
        check_value_type("mode", mode, str)
        self.baseline = check_value_type("min_delta", min_delta, [float, int]) if baseline else None
        self.restore_best_weights = check_bool(restore_best_weights)
        self.stopped_epoch = 0
        self.best_weights_param_dict = None
        self._watch(monitor, mode, min_delta)

    def on_train_begin(self, run_context) -> None:
        self._forget()
        self.stopped_epoch = 0
        self.best_weights_param_dict = None

    def on_train_epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        value = self._get_monitor_value(params)
        if value is None:
            return
        if self.restore_best_weights and self.best_weights_param_dict is None:
            self._keep(params)
        self.wait += 1
        if self.is_improvement(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self._keep(params)
            if self.baseline is None or self.is_improvement(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = params.get("cur_epoch_num")
            run_context.request_stop()
            if self.best_weights_param_dict is not None:
                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.")
                load_param_into_net(params.train_network, self.best_weights_param_dict)

    def _keep(self, params) -> None:
        self.best_weights_param_dict = copy.deepcopy(params.train_network.parameters_dict())

    def on_train_end(self, run_context) -> None:
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")
