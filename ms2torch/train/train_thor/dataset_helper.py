"""``mindspore.train.train_thor.dataset_helper``."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch import context
from ms2torch.train import dataset_helper

__all__ = ["DatasetHelper"]


class _Rows(dataset_helper._Sunk):
    """Batches handed to the caller, over as many passes of the dataset as it asks for."""

    steps_per_call = 1

    def __iter__(self):
        for _ in range(self.size):
            yield self.next_batch()


class DatasetHelper(dataset_helper.DatasetHelper):
    """Feeds a ModelThor in sink mode: one batch a step, as MindSpore's does on a GPU.

    RuntimeError for sink mode on a CPU, TypeError and ValueError for bad arguments. ``iter_first_order``
    tells MindSpore's loop on Ascend how many steps follow one that gathers curvature, and means nothing here.
    """

    def __init__(self, dataset, dataset_sink_mode=True, sink_size=-1, epoch_num=1,
                 iter_first_order=1) -> None:
        check.check_bool(dataset_sink_mode)
        check.check_is_int(sink_size)
        if sink_size < -1 or sink_size == 0:
            raise ValueError(f"The sink_size must be -1 or positive, but got sink_size {sink_size}.")
        self.dataset, self.epoch_num = dataset, epoch_num
        if dataset_sink_mode:
            if context.get_context("device_target") == "CPU":
                raise RuntimeError("Currently dataset sink mode is not supported when the device target is "
                                   "CPU.")
            self.iter = _Rows(dataset, sink_size)
