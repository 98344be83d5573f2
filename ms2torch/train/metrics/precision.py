"""Precision (``mindspore.train.Precision``)."""

from __future__ import annotations

from ._class_counts import TruePositiveRate

__all__ = ["Precision"]


class Precision(TruePositiveRate):
    """Of what was predicted to be a class, the fraction that is: true positives / predicted positives, by
    class.

    ``update(y_pred, y)`` takes what `Accuracy` takes; ``eval(average=True)`` gives the mean.
    """

    _name, _base = "Precision", "_positives"

    # Python's errors for wrong arguments name the class that defines this.
    def __init__(self, eval_type="classification") -> None:
        super().__init__(eval_type)

    @staticmethod
    def _counted(y_pred, y):
        return y_pred
