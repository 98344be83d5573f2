"""Layers and schedulers that MindSpore has dropped; ``_naming/data/aliases.tsv`` has their paths."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch import ops
from ms2torch.common.dtype import float32
from ms2torch.common.tensor import Tensor
from ms2torch.communication import get_group_size

from ..cell import Cell
from .normalization import SyncBatchNorm


class LinSpace(Cell):
    """``num`` numbers at equal distances from ``start`` to ``stop``, Float32 (``mindspore.nn.LinSpace``,
    1.0); for 1 it is ``start``. Called without arguments."""

    def __init__(self, start, stop, num) -> None:
        super().__init__()
        check.check_value_type("start", start, [int, float], self.cls_name)
        check.check_value_type("stop", stop, [int, float], self.cls_name)
        check.check_value_type("num", num, [int], self.cls_name)
        check.check_int(num, 0, check.GT, "num", self.cls_name)
        self.start, self.stop, self.num = Tensor(start, float32), Tensor(stop, float32), num

    def construct(self):
        return ops.linspace(self.start, self.stop, self.num)


class GlobalBatchNorm(SyncBatchNorm):
    """Batch normalisation over groups of devices (``mindspore.nn.GlobalBatchNorm``, 1.0 to 1.10).

    As SyncBatchNorm, whose groups are ``device_num_each_group`` ranks that follow each other. ValueError for
    groups of one, and where the ranks are not a multiple.
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
                 beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
                 use_batch_statistics=None, device_num_each_group=2) -> None:
        self.group_device_num = check.check_positive_int(device_num_each_group)
        if device_num_each_group <= 1:
            raise ValueError("the number of group must be greater than 1.")
        ranks = get_group_size()
        if ranks > 1 and ranks % device_num_each_group:
            raise ValueError(f"For 'GlobalBatchNorm', the {ranks} ranks cannot be groups of "
                             f"{device_num_each_group}.")
        first = range(0, ranks, device_num_each_group) if ranks > 1 else ()
        groups = [list(range(at, at + device_num_each_group)) for at in first]
        super().__init__(num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
                         moving_var_init, use_batch_statistics, groups or None)
