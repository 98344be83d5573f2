"""Normalization with torch's arguments (``mindspore.mint.nn.layer.normalization``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import float32, int64
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer._synced import normalised

from . import functional as F

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "SyncBatchNorm"]


def _filled(shape, value: float, dtype, name: str, trained: bool = True) -> Parameter:
    return Parameter(Tensor(np.full(shape, value), dtype), name=name, requires_grad=trained)


class _NormBase(Cell):
    """Mean 0 and variance 1 for each channel; ``momentum`` is the share of the new figures, as in torch.

    ``momentum`` None gives the mean over all batches. The running variance is the unbiased one.
    """

    _ranks: tuple[int, ...] = ()

    def __init__(self, num_features: int, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True,
                 dtype=None) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.dtype = float32 if dtype is None else dtype
        self.weight = self.bias = self.running_mean = self.running_var = self.num_batches_tracked = None
        if affine:
            self.weight = _filled(num_features, 1, self.dtype, "weight")
            self.bias = _filled(num_features, 0, self.dtype, "bias")
        if track_running_stats:
            self.running_mean = _filled(num_features, 0, self.dtype, "running_mean", False)
            self.running_var = _filled(num_features, 1, self.dtype, "running_var", False)
            self.num_batches_tracked = _filled((), 0, int64, "num_batches_tracked", False)

    def reset_running_stats(self) -> None:
        """Forget the batches: mean 0, variance 1, none counted."""
        if self.track_running_stats:
            for statistic in (self.running_mean, self.running_var, self.num_batches_tracked):
                value = 1 if statistic.name.endswith("running_var") else 0
                statistic._assign(statistic._t.detach().new_full(statistic.shape, value))

    def reset_parameters(self) -> None:
        """Forget the batches and what was learned: weight 1, bias 0."""
        self.reset_running_stats()
        for learned, value in ((self.weight, 1), (self.bias, 0)) if self.affine else ():
            learned._assign(learned._t.detach().new_full(learned.shape, value))

    def construct(self, input):
        self._check_rank(input.ndim)
        share = 0.0 if self.momentum is None else self.momentum
        kept = self.running_mean is not None
        if self.training and kept:
            seen = self.num_batches_tracked
            seen._assign(seen._t.detach() + 1)
            if self.momentum is None:
                share = 1.0 / int(seen)
        mean, variance = (self.running_mean, self.running_var) if kept else (None, None)
        if not (self.training and kept):
            return self._normalised(input, mean, variance, self.training or not kept, share)
        new = wrap(mean._t.detach().clone()), wrap(variance._t.detach().clone())
        output = self._normalised(input, *new, True, share)
        mean._assign(new[0]._t)
        variance._assign(new[1]._t)
        return output

    def _normalised(self, input, mean, variance, training: bool, share: float):
        return F.batch_norm(input, mean, variance, self.weight, self.bias, training, share, self.eps)

    def _check_rank(self, rank: int) -> None:
        if rank not in self._ranks:
            wanted = " or ".join(f"{n}D" for n in self._ranks)
            raise ValueError(f"expected {wanted} input, but got {rank}D input")

    def extend_repr(self) -> str:
        return (f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, track_running_stats={self.track_running_stats}")


class _BatchNorm(_NormBase):
    """What the batch normalisations have in common; packages ask for it by this name."""


class BatchNorm1d(_BatchNorm):
    """Over (N, C) or (N, C, L) (``mindspore.mint.nn.BatchNorm1d``)."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Over (N, C, H, W) (``mindspore.mint.nn.BatchNorm2d``)."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Over (N, C, D, H, W) (``mindspore.mint.nn.BatchNorm3d``)."""

    _ranks = (5,)


class SyncBatchNormInner(Cell):
    """Batch normalisation over the processes of a group."""

    def __init__(self, members) -> None:
        super().__init__()
        self.__dict__["_members"] = members

    def construct(self, input, weights, moving, share, eps):
        return wrap(normalised(input._t, *weights, *moving, share, eps, self._members))


class _SyncBatchNorm(Cell):
    def __init__(self, members) -> None:
        super().__init__()
        self.inner = SyncBatchNormInner(members)

    def construct(self, *args):
        return self.inner(*args)


class SyncBatchNorm(_BatchNorm):
    """Over (N, C, ...) and all processes of a group (``mindspore.mint.nn.SyncBatchNorm``).

    ``process_group`` is a group's name, None for all processes. In one process it is batch normalisation of
    any number of dimensions from 2 on; ValueError for fewer.
    """

    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True,
                 track_running_stats: bool = True, process_group=None, dtype=None) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        from ms2torch.communication.management import GlobalComm, group_of

        self.process_group = process_group or GlobalComm.WORLD_COMM_GROUP
        self.__dict__["_members"] = group_of(self.process_group)
        self.world_size = self._members.size
        self.sync_batch_norm = _SyncBatchNorm(self._members)

    def _check_rank(self, rank: int) -> None:
        if rank < 2:
            raise ValueError(f"expected at least 2D input (got {rank}D input)")

    def _normalised(self, input, mean, variance, training, share):
        if not training or self._members.size == 1:
            return super()._normalised(input, mean, variance, training, share)
        weights = (None, None) if self.weight is None else (self.weight._t, self.bias._t)
        moving = (None, None) if mean is None else (mean._t, variance._t)
        return self.sync_batch_norm(input, weights, moving, share, self.eps)


class GroupNorm(Cell):
    """Mean 0 and variance 1 over groups of channels (``mindspore.mint.nn.GroupNorm``).

    ValueError unless ``num_groups`` divides ``num_channels``. Without ``affine`` the weights stay 1 and 0.
    """

    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True, dtype=None) -> None:
        super().__init__()
        self.num_groups = check.check_positive_int(num_groups, "num_groups", self.cls_name)
        self.num_channels = check.check_positive_int(num_channels, "num_channels", self.cls_name)
        if num_channels % num_groups:
            raise ValueError(f"For '{self.cls_name}', the 'num_channels' must be divided by 'num_groups', "
                             f"but got 'num_channels': {num_channels}, 'num_groups': {num_groups}.")
        self.eps = check.check_value_type("eps", eps, (float,), self.cls_name)
        self.affine = check.check_bool(affine, "affine", self.cls_name)
        dtype = float32 if dtype is None else dtype
        self.weight = _filled(num_channels, 1, dtype, "weight", affine)
        self.bias = _filled(num_channels, 0, dtype, "bias", affine)

    def construct(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return (f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, "
                f"affine={self.affine}")


class LayerNormExt(Cell):
    """Mean 0 and variance 1 over the last dimensions (``mindspore.mint.nn.LayerNorm``).

    Parameters are ``weight`` and ``bias`` (nn.LayerNorm: gamma and beta); ``eps`` is 1e-5.
    """

    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, dtype=None) -> None:
        super().__init__()
        if isinstance(normalized_shape, (int, np.integer)):
            normalized_shape = (normalized_shape,)
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError("For 'LayerNormExt', the type of 'normalized_shape' must be tuple[int] or "
                            f"list[int], but got {normalized_shape} and the type is "
                            f"{type(normalized_shape)}.")
        if not normalized_shape:
            raise ValueError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                             f"least one element, but got normalized_shape = {normalized_shape}")
        self.normalized_shape = tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        dtype = float32 if dtype is None else dtype
        self.weight = _filled(self.normalized_shape, 1, dtype, "weight") if elementwise_affine else None
        self.bias = _filled(self.normalized_shape, 0, dtype, "bias") if elementwise_affine and bias else None

    def construct(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return (f"normalized_shape={self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")


LayerNorm = LayerNormExt
