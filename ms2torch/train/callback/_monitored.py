"""What EarlyStopping and ReduceLROnPlateau share: a value to watch, and whether it got better."""

from __future__ import annotations

import numpy as np

from ms2torch import log as logger

from ._callback import Callback, _handle_loss

_SMALLER_IS_BETTER = (
    "hausdorff_distance",
    "mae",
    "mse",
    "loss",
    "perplexity",
    "mean_surface_distance",
    "root_mean_square_distance",
    "eval_loss",
)


class Monitored(Callback):
    """Watches ``monitor``: "loss", or inside ``fit`` "eval_loss" or a metric's name."""

    _purpose = ""

    def _watch(self, monitor: str, mode: str, min_delta) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode should be 'auto', 'min' or 'max', but got {mode}.")
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self._falling = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)
        self._forget()

    def _forget(self) -> None:
        self.wait = 0
        self.best = np.inf if self._falling else -np.inf

    def is_improvement(self, value, than) -> bool:
        """Whether ``value`` is better by more than ``min_delta``."""
        if self._falling:
            return bool(np.less(value, than - self.min_delta))
        return bool(np.greater(value, than + self.min_delta))

    def _get_monitor_value(self, params):
        """The watched value, or None where there is none (MindSpore takes 0 for none too)."""
        available = {} if self.monitor == "loss" else params.get("eval_results", {})
        value = (
            _handle_loss(params.get("net_outputs")) if self.monitor == "loss" else available.get(self.monitor)
        )
        if value is None:
            logger.warning(
                "%s is conditioned on %s, which is not available. Available choices are: %s",
                self._purpose,
                self.monitor,
                {"loss", *available},
            )
        if isinstance(value, np.ndarray) and value.shape != ():
            raise ValueError(f"{type(self).__name__} only supports scalar monitor now.")
        return np.array(value) if value else None
