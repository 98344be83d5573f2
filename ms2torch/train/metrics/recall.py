"""Recall (``mindspore.train.Recall``)."""

from __future__ import annotations

from ._class_counts import TruePositiveRate

__all__ = ["Recall"]


class Recall(TruePositiveRate):
    """Of what is of a class, the fraction that was found: true positives / actual positives, by class.

    ``update(y_pred, y)`` takes what `Accuracy` takes; ``eval(average=True)`` gives the mean.
    """

    _name, _base, _end = "Recall", "_actual_positives", "."

    # Python's errors for wrong arguments name the class that defines this.
    def __init__(self, eval_type="classification") -> None:
        super().__init__(eval_type)

    @staticmethod
    def _counted(y_pred, y):
        return y
