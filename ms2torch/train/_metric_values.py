"""What ``Model`` gives of its metrics."""

from __future__ import annotations

import numpy as np


class float64(np.float64):
    """A metric's value: numpy's float64, shown as ``0.5`` where numpy 2 would show ``np.float64(0.5)``."""

    __repr__ = float.__repr__


class float32(np.float32):
    """The same for float32, which a metric of a program's own may give."""

    __repr__ = np.float32.__str__


def shown_plainly(value):
    """A metric's value as MindSpore prints it."""
    plain = {np.float64: float64, np.float32: float32}.get(type(value))
    return value if plain is None else plain(value)


def loss_of(loss):
    """What the metric Loss makes of one loss: MindSpore keeps the last batch's."""
    from .metrics.loss import Loss

    metric = Loss()
    metric.update(loss)
    return metric.eval()
