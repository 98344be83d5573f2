"""Operators that MindSpore computes on other devices than the CPU; its documented examples judge them."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.operators.registry import REQUIRED, primitive
from ms2torch._core.tensor.dtype import to_torch

from ._optimizer_updates import _update


@primitive("ConfusionMatrix", init={"num_classes": REQUIRED, "dtype": "int32"})
def _confusion_matrix(labels, predictions, weights=None, num_classes=None, dtype="int32"):
    """How often each label (row) was predicted as each class (``mindspore.ops.ConfusionMatrix``)."""
    each = torch.ones_like(labels) if weights is None else weights
    found = torch.zeros((num_classes, num_classes), dtype=each.dtype, device=labels.device)
    return found.index_put_((labels.long(), predictions.long()), each, accumulate=True).to(to_torch(dtype))


@primitive("LARSUpdate", init={"epsilon": 1e-05, "hyperpara": 0.001, "use_clip": False})
def _lars_update(weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate, epsilon=1e-05,
                 hyperpara=0.001, use_clip=False):
    """The gradient scaled by how large the weight is beside it (``mindspore.ops.LARSUpdate``).

    The norms are sums of squares.
    """
    of_weight, of_gradient = norm_weight.sqrt(), norm_gradient.sqrt()
    rate = hyperpara * of_weight / (of_gradient + weight_decay * of_weight + epsilon)
    if use_clip:
        rate = (rate / learning_rate).clamp(max=1)
    return rate * (gradient + weight_decay * weight)


@primitive("MultilabelMarginLoss", init={"reduction": "mean"})
def _multilabel_margin_loss(x, target, reduction="mean"):
    """The loss, and which classes are targets, 1 or 0 each (``mindspore.ops.MultilabelMarginLoss``).

    The classes of a sample stand first in its row of ``target``, up to the first -1.
    """
    known = (target < 0).cumsum(-1) == 0
    marked = torch.zeros_like(target).scatter_reduce_(-1, target.clamp_min(0).long(), known.to(target.dtype),
                                                      "amax")
    return F.multilabel_margin_loss(x, target.long(), reduction=reduction), marked


@primitive("Quantile", init={"dim": None, "keep_dims": False, "ignore_nan": False})
def _quantile(input, q, dim=None, keep_dims=False, ignore_nan=False):
    """The q-th quantiles, interpolated, of all elements or along ``dim`` (``mindspore.ops.Quantile``)."""
    q = q if isinstance(q, torch.Tensor) else float(q)
    return (torch.nanquantile if ignore_nan else torch.quantile)(input, q, dim, keep_dims)


@primitive("TripletMarginLoss", init={"p": 2, "swap": False, "eps": 1e-06, "reduction": "mean"})
def _triplet_margin_loss(x, positive, negative, margin, p=2, swap=False, eps=1e-06, reduction="mean"):
    """max(0, d(x, positive) - d(x, negative) + margin) (``mindspore.ops.TripletMarginLoss``)."""
    return F.triplet_margin_loss(x, positive, negative, float(margin), p, eps, swap, reduction=reduction)


@_update("ApplyKerasMomentum", 2, {"use_locking": False, "use_nesterov": False})
def _keras_momentum(var, accum, lr, grad, momentum, use_locking=False, use_nesterov=False):
    """One step of Momentum in which the rate is part of the state (``mindspore.ops.ApplyKerasMomentum``)."""
    moved = accum * momentum - lr * grad
    return var + (moved * momentum - lr * grad if use_nesterov else moved), moved
