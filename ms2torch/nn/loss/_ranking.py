"""Losses that compare: ranking, embedding, triplets."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function import _nn_loss as kernels
from ms2torch.ops.function._nn_loss import cosine_losses, difference

from ._base import LossBase, need_tensor


class MarginRankingLoss(LossBase):
    """max(0, -target * (input1 - input2) + margin) (``mindspore.nn.MarginRankingLoss``)."""

    def __init__(self, margin=0.0, reduction="mean") -> None:
        super().__init__(reduction)
        self.reduction, self.margin = reduction, margin

    def construct(self, input1, input2, target):
        return kernels.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class CosineEmbeddingLoss(LossBase):
    """1 - cosine where labels are 1, max(0, cosine - margin) where -1 (``mindspore.nn.CosineEmbeddingLoss``).
    """

    def __init__(self, margin=0.0, reduction="mean") -> None:
        super().__init__(reduction)
        check.check_value_type("margin", margin, [float], self.cls_name)
        self.margin = check.check_float_range(margin, -1.0, 1.0, check.INC_BOTH, "margin", self.cls_name)

    def construct(self, logits_x1, logits_x2, labels):
        for name, x in (("logits_x1", logits_x1), ("logits_x2", logits_x2), ("labels", labels)):
            need_tensor(name, x, self.cls_name)
        a, b, y = logits_x1._t, logits_x2._t, labels._t
        return self.get_loss(wrap(cosine_losses(a, b, y, self.margin)))


class TripletMarginLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin) (``mindspore.nn.TripletMarginLoss``).

    The arguments stand in another order than torch's. A ``margin`` given to the call counts where the one
    given here is 1.
    """

    def __init__(self, p=2, swap=False, eps=1e-06, reduction="mean", margin=1.0) -> None:
        super().__init__()
        self.p, self.swap, self.eps, self.reduction, self.margin = p, swap, eps, reduction, margin

    def construct(self, x, positive, negative, margin=1.0):
        if self.margin != 1.0:
            margin = self.margin
        return kernels.triplet_margin_loss(x, positive, negative, margin, self.p, self.eps, self.swap,
                                           self.reduction)


class TripletMarginWithDistanceLoss(LossBase):
    """Triplet loss under a distance function of one's own (``mindspore.nn.TripletMarginWithDistanceLoss``).
    """

    def __init__(self, distance_function=None, swap=False, reduction="mean", margin=1.0) -> None:
        super().__init__(reduction)
        check.check_is_float(margin, "margin", self.cls_name)
        check.check_bool(swap, "swap", self.cls_name)
        self.distance_function = _euclidean if distance_function is None else distance_function
        self.swap, self.reduction, self.margin = swap, reduction, margin

    def construct(self, x, positive, negative):
        for name, value in (("x", x), ("positive", positive), ("negative", negative)):
            need_tensor(name, value, self.cls_name)
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = wrap(torch.minimum(far._t, self.distance_function(positive, negative)._t))
        return self.get_loss(wrap(torch.clamp_min(near._t - far._t + self.margin, 0)))


def _euclidean(x, y):
    d = difference(x._t, y._t)
    if d.ndim == 0:
        raise ValueError("For 'pairwise_distance' in 'TripletMarginWithDistanceLoss', 'ndim' of the input "
                         "must be positive, but got 0")
    return wrap(torch.linalg.vector_norm(d, dim=1))


class HingeEmbeddingLoss(LossBase):
    """logits where labels are 1, max(0, margin - logits) where -1 (``mindspore.nn.HingeEmbeddingLoss``)."""

    def __init__(self, margin=1.0, reduction="mean") -> None:
        super().__init__()
        check.check_value_type("margin", margin, [float, int], self.cls_name)
        check.check_string(reduction, ["none", "sum", "mean"], "reduction", self.cls_name)
        self.margin, self.reduction = margin, reduction

    def construct(self, logits, labels):
        return kernels.hinge_embedding_loss(logits, labels, self.margin, self.reduction)
