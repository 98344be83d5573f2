"""Losses of numbers: MSELoss, L1Loss, MAELoss, RMSELoss, SmoothL1Loss, HuberLoss and others."""

from __future__ import annotations

import math

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function import _nn_loss as kernels

from ..layer._parts import primitive
from ._base import LossBase, need_tensor


def _pair(cell, logits, labels, name: str = "labels"):
    need_tensor("logits", logits, cell.cls_name)
    need_tensor(name, labels, cell.cls_name)
    return logits._t, labels._t


class MSELoss(LossBase):
    """(logits - labels)^2, reduced (``mindspore.nn.MSELoss``). The two may broadcast; torch only warns there.
    """

    def construct(self, logits, labels):
        return self.get_loss(wrap(kernels.squared_difference(*_pair(self, logits, labels))))


class _L1(LossBase):
    """|logits - labels|, reduced."""

    def __init__(self, reduction="mean") -> None:
        super().__init__(reduction)
        self.reduction = reduction

    def construct(self, logits, labels):
        return kernels.l1_loss(logits, labels, self.reduction)


class L1Loss(_L1):
    """|logits - labels|, reduced (``mindspore.nn.L1Loss``)."""


class L1LossExt(_L1):
    """|logits - labels|, reduced (``mindspore.nn.L1LossExt``, ``mindspore.mint.nn.L1Loss``)."""


class MAELoss(LossBase):
    """|logits - label|, reduced (``mindspore.nn.MAELoss``)."""

    abs = primitive("Abs")

    def construct(self, logits, label):
        return self.get_loss(wrap(kernels.absolute(kernels.difference(*_pair(self, logits, label)))))


class RMSELoss(LossBase):
    """sqrt(mean((logits - label)^2)) (``mindspore.nn.RMSELoss``). TypeError for unsigned integers."""

    _refused = [_dtype.uint8, _dtype.uint16, _dtype.uint32, _dtype.uint64]

    def __init__(self) -> None:
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label):
        for x in (logits, label):
            if x.dtype in self._refused:
                raise TypeError(f"For 'RMSELoss', the parameters data type must not be in {self._refused}, "
                                f"but got mindspore.{str(x.dtype).lower()}.")
        return wrap(torch.sqrt(self.MSELoss(logits, label)._t))


class SmoothL1Loss(LossBase):
    """d^2 / (2 beta) below ``beta``, |d| - beta / 2 above (``mindspore.nn.SmoothL1Loss``).

    ``reduction`` is "none" by default; torch's is "mean".
    """

    def __init__(self, beta=1.0, reduction="none") -> None:
        super().__init__(reduction)
        self.beta, self.reduction = beta, reduction
        self._beta, self._reduction = beta, reduction           # the operator's, whatever is assigned

    smooth_l1_loss = primitive("SmoothL1Loss", "_beta", "_reduction")

    def construct(self, logits, labels):
        return kernels.smooth_l1_loss(logits, labels, self._beta, self._reduction)


class HuberLoss(LossBase):
    """d^2 / 2 below ``delta``, delta * (|d| - delta / 2) above (``mindspore.nn.HuberLoss``)."""

    def __init__(self, reduction="mean", delta=1.0) -> None:
        super().__init__(reduction)
        self.reduction, self.delta = reduction, delta

    def construct(self, logits, labels):
        return kernels.huber_loss(logits, labels, self.reduction, self.delta)


class PoissonNLLLoss(LossBase):
    """Negative log likelihood of Poisson counts (``mindspore.nn.PoissonNLLLoss``)."""

    def __init__(self, log_input=True, full=False, eps=1e-08, reduction="mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input, target):
        need_tensor("input", input, self.cls_name)
        need_tensor("target", target, self.cls_name)
        x = input._t
        counts = target._t.to(x.dtype)
        loss = x.exp() - counts * x if self.log_input else x - counts * (x + self.eps).log()
        if self.full:
            n = counts.clamp_min(self.eps)
            # MindSpore's Stirling term has n + 0.5 with log(n), and no pi for n at most 1.
            term = (n > 1) * ((n + 0.5) * n.log() - n + 0.5 * math.log(2 * math.pi))
            loss = loss + torch.where(n <= 1, 0.0, term)
        return self.get_loss(wrap(loss))


class GaussianNLLLoss(LossBase):
    """Negative log likelihood of normals with mean logits and variance var
    (``mindspore.nn.GaussianNLLLoss``)."""

    def __init__(self, *, full=False, eps=1e-6, reduction="mean") -> None:
        super().__init__()
        check.check_float_range(eps, 0, float("inf"), check.INC_NEITHER, "eps", self.cls_name)
        check.check_value_type("full", full, [bool], self.cls_name)
        check.check_string(reduction, ["none", "mean", "sum"], "reduction", "gaussian_nll_loss")
        self.full, self.eps, self.reduction = full, eps, reduction

    def construct(self, logits, labels, var):
        return kernels.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class KLDivLoss(LossBase):
    """labels * (log(labels) - logits), logits being log-probabilities (``mindspore.nn.KLDivLoss``)."""

    def __init__(self, reduction="mean") -> None:
        super().__init__()
        self.reduction = reduction

    def construct(self, logits, labels):
        need_tensor("logits", logits, self.cls_name)
        need_tensor("labels", labels, self.cls_name)
        return kernels.kl_div(logits, labels, self.reduction)
