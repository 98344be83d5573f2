"""The data of a training that goes on after a failure: one iterator for the whole program, that is set back
to a step (``mindspore.dataset.engine.datasets._reset_training_dataset``).
"""

from __future__ import annotations

_train_dataset = None


def _set_training_dataset(dataset) -> None:
    """Name the iterator that a later `_reset_training_dataset` sets back; None forgets it."""
    global _train_dataset
    _train_dataset = dataset


def _get_training_dataset():
    """The iterator that was named, or None."""
    return _train_dataset


def _reset_training_dataset(global_step: int, dataset_size: int) -> None:
    """Set the named iterator behind ``global_step`` rows, counted over epochs of ``dataset_size`` rows.

    RuntimeError when none was named, or when there are not so many rows.
    """
    if _train_dataset is None:
        raise RuntimeError("Training dataset is not set.")
    _train_dataset._reset(global_step, dataset_size)
