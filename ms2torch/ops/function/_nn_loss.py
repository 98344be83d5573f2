"""Losses: kernels with MindSpore's reductions, weights and gradients."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch._core.checks.enum_words import reduction as meant_reduction
from ms2torch._core.checks.refusals import cannot_broadcast
from ms2torch._core.checks.words import renderings
from ms2torch._core.errors import asked, final
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor.dtype import _FROM_TORCH, _HALVES, UNSIGNED, promote


def _check_reduction(reduction, name: str) -> None:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"For '{name}', the 'reduction' must be str and must be in '['mean', 'none', "
                         f"'sum']', but got '{reduction}'.")


def reduced(loss, reduction: str):
    """``loss`` under "mean", "sum" or "none"."""
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def held(t):
    """``t`` as a constant: MindSpore's gradient of this argument is zero."""
    return t if t is None or not t.requires_grad else t.detach()


def _listed(t) -> str:
    return "[" + "".join(f"{n}," for n in t.shape) + "]"


# ---- binary cross entropy ----------------------------------------------------------------------------------


def _entropy_of_any(x, y):
    """torch's binary cross entropy, which is linear in ``y``, where it refuses a target outside of [0, 1] or
    a probability that is nan."""
    wrong = x[(x < 0) | (x > 1)]
    if wrong.numel():
        raise final(RuntimeError("For 'BinaryCrossEntropy', the value of 'input_x' must be between 0 and 1, "
                                 f"but got value: {float(wrong.flatten()[0]):g}"))
    known = torch.where(x.isnan(), 0.5, x)
    of_one, of_zero = (F.binary_cross_entropy(known, torch.full_like(x, v), reduction="none") for v in (1, 0))
    return torch.where(x.isnan(), x * x, y * of_one + (1 - y) * of_zero)      # nan, as is its gradient


def _covers(shape, weight) -> bool:
    """Whether ``weight`` broadcasts to ``shape``."""
    try:
        return torch.broadcast_shapes(shape, weight) == shape
    except RuntimeError:
        return False


def binary_entropy(x, y, weight, reduction: str):
    """Binary cross entropy of probabilities with MindSpore's bounds: logarithms of at least 1e-12 (torch:
    e^-100)."""
    if x.dtype is not y.dtype:
        raise TypeError("For primitive[BinaryCrossEntorpy], the input and target should have same type, but "
                        f"got: {_FROM_TORCH[x.dtype]} and {_FROM_TORCH[y.dtype]}.")
    if x.shape != y.shape:
        raise ValueError(f"For primitive[BinaryCrossEntropy], the input_shape: {_listed(x)} must be equal to "
                         f"{_listed(y)}")
    weight = held(weight)
    try:
        loss = F.binary_cross_entropy(x, y, weight, reduction="none")
    except RuntimeError:
        if weight is not None and not _covers(x.shape, weight.shape):
            raise
        loss = _entropy_of_any(x, y) if weight is None else weight * _entropy_of_any(x, y)
    with torch.no_grad():
        # torch's gradient is MindSpore's; its value differs where a probability is 0 or 1, and in the
        # roundings of each step, of which Float16 (where 1e-12 is 0) has many.
        bounded = y * (x + 1e-12).log() + (1 - y) * (1 - x + 1e-12).log()
        bounded = -bounded if weight is None else -weight * bounded
    loss = bounded + (loss - loss.detach())
    if reduction == "none" or loss.dtype is not torch.float32:
        return reduced(loss, reduction)
    # MindSpore adds in pairs, which rounds so little that short sums are the nearest number.
    total = loss.sum(dtype=torch.float64).float()
    return total / loss.numel() if reduction == "mean" else total


@op
def binary_cross_entropy(logits, labels, weight=None, reduction="mean"):
    """-(labels * log(logits) + (1 - labels) * log(1 - logits)) * weight
    (``mindspore.ops.binary_cross_entropy``)."""
    return binary_entropy(logits, labels, weight, meant_reduction(reduction, "BinaryCrossEntropy"))


@primitive("BinaryCrossEntropy", init={"reduction": "mean"}, call=("input", "target", "weight"))
def _binary_cross_entropy(logits, labels, weight=None, reduction="mean"):
    """Binary cross entropy of probabilities (``mindspore.ops.BinaryCrossEntropy``)."""
    return binary_entropy(logits, labels, weight, meant_reduction(reduction, "BinaryCrossEntropy"))


@op
@spelled(logits="input", label="target")
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction="mean"):
    """Binary cross entropy of sigmoid(input) (``mindspore.ops.binary_cross_entropy_with_logits``)."""
    logits, label = input, target
    reduction = meant_reduction(reduction, "BCEWithLogitsLoss")
    if logits.shape != label.shape:
        shapes = [", ".join(map(str, t.shape)) for t in (logits, label)]
        raise ValueError("For 'BCEWithLogitsLoss', two inputs 'input' and 'target' shape are not equal, "
                         f"'input' shape: [const vector]{{{shapes[0]}}}, 'target' shape: [const "
                         f"vector]{{{shapes[1]}}}")
    dtype = label.dtype                              # that of the result, in which MindSpore computes it
    logits, label = promote(logits, label)
    return _bce_with_logits(logits, label, weight, pos_weight, reduction).to(dtype)


def _bce_with_logits(logits, label, weight=None, pos_weight=None, reduction="mean"):
    """Binary cross entropy of sigmoid(logits), weights given (``mindspore.ops.BCEWithLogitsLoss``)."""
    reduction = meant_reduction(reduction, "BCEWithLogitsLoss")
    weight, pos_weight = held(weight), held(pos_weight)
    if (dtype := logits.dtype) in _HALVES:      # what is subtracted is nearly equal: rounded once, at the end
        logits, label, weight, pos_weight = (
            t.float() if isinstance(t, torch.Tensor) else t for t in (logits, label, weight, pos_weight))
    found = F.binary_cross_entropy_with_logits(logits, label, weight, reduction=reduction,
                                               pos_weight=pos_weight)
    return found.to(dtype)


primitive("BCEWithLogitsLoss", init={"reduction": "mean"}, call=("input", "target", "weight", "posWeight"))(
    _bce_with_logits)


@primitive("SigmoidCrossEntropyWithLogits")
def _sigmoid_cross_entropy(logits, label):
    """Binary cross entropy of sigmoid(logits), element by element."""
    return F.binary_cross_entropy_with_logits(logits, held(label), reduction="none")


# ---- regression --------------------------------------------------------------------------------------------


def difference(a, b):
    """a - b in their common dtype. ValueError where they do not broadcast."""
    if a.dtype is not b.dtype:
        a, b = promote(a, b)
    if a.dtype is torch.bool:
        return a ^ b
    try:
        return a - b
    except RuntimeError:
        if a.dtype in UNSIGNED:
            return (a.long() - b.long()).to(a.dtype)
        raise cannot_broadcast("SubExt", tuple(a.shape), tuple(b.shape)) from None


def squared_difference(a, b):
    """(a - b)^2 in their common dtype; TypeError for bools."""
    d = difference(a, b)
    if d.dtype is torch.bool:
        raise TypeError("Select CPU operator[Square] fail! Unsupported data type!")
    return d.long().square().to(d.dtype) if d.dtype in UNSIGNED else d.square()


def absolute(d):
    """|d|; bools as they are, TypeError for the unsigned integers that MindSpore has no kernel for."""
    if d.dtype in UNSIGNED:
        raise TypeError("Select CPU operator[Abs] fail! Unsupported data type!")
    return d if d.dtype is torch.bool else d.abs()


@op
def mse_loss(input, target, reduction="mean"):
    """(input - target)^2, which may broadcast (``mindspore.ops.mse_loss``)."""
    _check_reduction(reduction, "mse_loss")
    if input.dtype is target.dtype is torch.float32 and input.shape == target.shape:
        return F.mse_loss(input, target, reduction=reduction)      # the same digits in fewer steps
    squares = squared_difference(input, target)
    whole = not squares.is_floating_point() and not squares.is_complex()
    return reduced(squares.float() if whole else squares, reduction)


@op
def l1_loss(input, target, reduction="mean"):
    """|input - target| (``mindspore.ops.l1_loss``)."""
    _check_reduction(reduction, "l1_loss")
    signed = difference(input, target)
    loss = absolute(signed)
    if loss.dtype is torch.bool:
        return loss if reduction == "none" else loss.any()
    if reduction == "none" or loss.is_floating_point():
        return reduced(loss, reduction).to(signed.dtype)
    return reduced(loss.double(), reduction).to(loss.dtype)             # a whole number's kind, rounded down


def smooth_l1(input, target, beta: float, reduction: str):
    """d^2 / (2 beta) below ``beta``, |d| - beta / 2 above."""
    if beta <= 0:
        raise final(RuntimeError("For 'SmoothL1Loss', the values for beta should greater than 0, but got "
                                 f"{beta:g}."))
    if input.shape != target.shape:
        raise ValueError(f"For primitive[SmoothL1Loss], the prediction_shape: {_listed(input)} must be equal "
                         f"to {_listed(target)}")
    if not (input.is_floating_point() and target.is_floating_point()):
        raise TypeError("Select CPU operator[SmoothL1Loss] fail! Unsupported data type!")
    a, b = promote(input, target)
    return F.smooth_l1_loss(a, b, reduction=meant_reduction(reduction, "smooth_l1_loss"), beta=beta)


@op
def smooth_l1_loss(input, target, beta=1.0, reduction="none"):
    """d^2 / (2 beta) below ``beta``, |d| - beta / 2 above; not reduced by default
    (``mindspore.ops.smooth_l1_loss``)."""
    return smooth_l1(input, target, beta, reduction)


@primitive("SmoothL1Loss", init={"beta": 1.0, "reduction": "none"})
def _smooth_l1_loss(prediction, target, beta=1.0, reduction="none"):
    """Smooth L1 loss (``mindspore.ops.SmoothL1Loss``)."""
    return smooth_l1(prediction, target, beta, reduction)


@op
def huber_loss(input, target, reduction="mean", delta=1.0):
    """d^2 / 2 below ``delta``, delta * (|d| - delta / 2) above (``mindspore.ops.huber_loss``)."""
    _check_reduction(reduction, "huber_loss")
    a, b = promote(input, target)
    if a.shape != b.shape:
        a, b = torch.broadcast_tensors(a, b)
    if not a.is_floating_point():
        a, b = a.float(), b.float()
    if not a.ndim and a.dtype in _HALVES:       # a product of numbers and a tensor without axes is Float32
        d = (a - b).abs()
        return torch.where(d < delta, 0.5 * d.square().float(), delta * (d - 0.5 * delta).float())
    return F.huber_loss(a, b, reduction=reduction, delta=delta)


def _kl(logits, labels, reduction: str):
    labels = held(labels)
    positive = labels > 0
    loss = torch.where(positive, labels * (torch.where(positive, labels, 1.0).log() - logits), 0.0)
    if reduction == "batchmean":
        return loss.sum() / logits.shape[0]
    return reduced(loss, reduction)


@op
def kl_div(logits, labels, reduction="mean"):
    """labels * (log(labels) - logits) (``mindspore.ops.kl_div``): logits are log-probabilities; "batchmean"
    too."""
    if reduction not in ("none", "mean", "batchmean", "sum"):
        raise ValueError("For 'kl_div', the 'reduction' must be str and must be in "
                         f"'['none', 'mean', 'batchmean', 'sum']', but got '{reduction}'.")
    return _kl(logits, labels, reduction)


@primitive("KLDivLoss", init={"reduction": "mean"})
def _kl_div_loss(logits, labels, reduction="mean"):
    """Kullback-Leibler divergence (``mindspore.ops.KLDivLoss``)."""
    return _kl(logits, labels, reduction)


# ---- ranking and embedding ---------------------------------------------------------------------------------


def _no_numpy(name: str, **given) -> None:
    """TypeError for numbers and arrays of numpy's, of which arithmetic would make Tensors."""
    for argument, value in given.items():
        if isinstance(value, (np.generic, np.ndarray)):
            raise asked(TypeError(f"For '{name}', the '{argument}' must be a Tensor, but got "
                                  f"'{renderings(value)['kind']}'"))


@op
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin) (``mindspore.ops.margin_ranking_loss``)."""
    if not isinstance(margin, float):
        raise TypeError("For 'margin_ranking_loss', the type of 'margin' should be 'float', but got type "
                        f"'{type(margin).__name__}'.")
    _check_reduction(reduction, "margin_ranking_loss")
    _no_numpy("margin_ranking_loss", input1=input1, input2=input2, target=target)
    return reduced(torch.clamp_min(-target * (input1 - input2) + margin, 0), reduction)


@op
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """1 - cosine where target is 1, max(0, cosine - margin) where -1
    (``mindspore.ops.cosine_embedding_loss``)."""
    _check_reduction(reduction, "cosine_embedding_loss")
    if (*input1.shape[:1], *input1.shape[2:]) != target.shape:
        raise ValueError("For 'ops.cosine_embedding_loss', the shape of parameter 'input1' reduce on 'axis': "
                         f"(1,) must be equal to the shape of 'target': {tuple(target.shape)}, but got "
                         f"{tuple(input1.shape)}.")
    return reduced(cosine_losses(input1, input2, target, margin), reduction)


def cosine_losses(a, b, target, margin):
    """1 - cosine where ``target`` is 1, max(0, cosine - margin) where -1; a vector of zeros has none, nan."""
    cosine = (a * b).sum(1) / (a.square().sum(1).sqrt() * b.square().sum(1).sqrt())
    return torch.where(target == 1, 1.0 - cosine, 0.0) + torch.where(
        target == -1, torch.clamp_min(cosine - margin, 0.0), 0.0)


@op
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean"):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) (``mindspore.ops.triplet_margin_loss``)."""
    margin = float(margin)
    return F.triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap,
                                 reduction=reduction)


@op
def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean"):
    """inputs where targets are above 0, max(0, margin - inputs) where below, else 0
    (``mindspore.ops.hinge_embedding_loss``).
    """
    _check_reduction(reduction, "hinge_embedding_loss")
    other = torch.where(targets < 0, (+margin - inputs).clamp(min=0), 0)
    return reduced(torch.where(targets > 0, inputs, other), reduction)


@op
def soft_margin_loss(input, target, reduction="mean"):
    """log(1 + exp(-target * input)) (``mindspore.ops.soft_margin_loss``)."""
    return F.soft_margin_loss(input, target, reduction=meant_reduction(reduction, "soft_margin_loss"))


@op
def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean"):
    """Mean over classes of the binary cross entropy (``mindspore.ops.multilabel_soft_margin_loss``)."""
    _no_numpy("multilabel_soft_margin_loss", input=input, target=target)
    if target.dtype is torch.bool:
        target = target.to(input.dtype)
    return F.multilabel_soft_margin_loss(input, target, weight, reduction=reduction)


@op(alias="multilabel_margin_loss")
def multi_label_margin_loss(input, target, reduction="mean"):
    """Margin loss with several labels per sample, -1 ends the list
    (``mindspore.ops.multilabel_margin_loss``)."""
    return F.multilabel_margin_loss(input, target.long(), reduction=reduction)


@op
def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean"):
    """Mean over classes of max(0, margin - x_y + x_i)^p (``mindspore.ops.multi_margin_loss``)."""
    if not isinstance(margin, int):
        raise final(TypeError("For 'multi_margin_loss', the type of 'margin' must be int, but got "
                              f"{type(margin)}."))
    return _multi_margin(input, target, p, margin, weight, reduction)


def _multi_margin(input, target, p, margin, weight, reduction):
    wide = input.float() if input.dtype in _HALVES else input
    weight = weight if weight is None else weight.to(wide.dtype)
    loss = F.multi_margin_loss(wide, target.long(), p, float(margin), weight, reduction=reduction)
    return loss.to(input.dtype)


multi_margin = lowered(_multi_margin, "multi_margin_loss")       # of any margin, as the layer has it


@op
def gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    """Negative log likelihood of normals with mean x and variance var (``mindspore.ops.gaussian_nll_loss``).
    """
    if x.shape[:-1] == var.shape:           # one variance for each row
        var = var.unsqueeze(-1)
    var = var.to(torch.result_type(var, eps))
    # At eps the gradient is one half.
    var = torch.maximum(var, torch.tensor(eps, dtype=var.dtype, device=var.device))
    x, target = (t.to(var.dtype) if t.dtype is torch.bool else t for t in (x, target))
    loss = 0.5 * (torch.log(var) + (x - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)
