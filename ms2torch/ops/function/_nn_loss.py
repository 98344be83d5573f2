"""Losses: kernels with MindSpore's reductions, weights and gradients."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch._core.checks.enum_words import reduction as meant_reduction
from ms2torch._core.checks.refusals import cannot_broadcast, wrong_dtype
from ms2torch._core.errors import final
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor.dtype import _FROM_TORCH, _HALVES, UNSIGNED, promote


def _check_reduction(reduction, name: str) -> None:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"For '{name}', the 'reduction' must be str and must be in '['mean', 'none', "
                         f"'sum']', but got '{reduction}'.")


def reduced(loss, reduction: str):
    """``loss`` under "mean", "sum" or "none"."""
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


# ---- softmax cross entropy ---------------------------------------------------------------------------------


def softmax_cross_entropy(logits, labels):
    """Per row of (N, C): -sum(labels * log_softmax(logits)).

    The gradient is softmax - labels, as in MindSpore, also where labels do not sum to one (torch's would be
    softmax * sum(labels) - labels), and none for the labels.
    """
    labels, dtype = labels.detach(), logits.dtype
    if dtype is torch.float16 or dtype is torch.bfloat16:
        logits, labels = logits.float(), labels.float()
    lse = torch.logsumexp(logits, -1)
    rest = (labels.sum(-1) - 1) * lse.detach()
    return (lse - (labels * logits).sum(-1) + rest).to(dtype)


def sparse_softmax_cross_entropy(logits, labels, reduction: str):
    """Softmax cross entropy of (..., C) with class indices; those out of range count nothing where
    ``reduction`` is not "mean", as their one-hot rows are zero."""
    if reduction == "mean":
        if logits.ndim > 2:
            logits, labels = logits.flatten(0, -2), labels.flatten()
        return F.cross_entropy(logits, labels.long())
    inside = (labels >= 0) & (labels < logits.shape[-1])
    loss = F.cross_entropy(logits, torch.where(inside, labels, 0).long(), reduction="none")
    return reduced(torch.where(inside, loss, 0.0), reduction)


def _listed(t) -> str:
    return "[" + "".join(f"{n}," for n in t.shape) + "]"


_LOSS_FLOATS = (torch.float16, torch.float32)
CLASS_DTYPES = (torch.int32, torch.int64)


def check_softmax_pair(logits, labels) -> None:
    """Labels for the dense form: two dimensions, dtype and shape of the logits."""
    name = "SoftmaxCrossEntropyWithLogits"
    _check_softmax_dtypes(logits.dtype, labels.dtype)
    for what, rank in (("logits", logits.ndim), ("labels", labels.ndim)):
        if rank != 2:
            raise ValueError(f"For primitive[{name}], the dimension of {what} must be equal to 2, but got "
                             f"{rank}.")
    if logits.shape != labels.shape:
        raise ValueError(f"For '{name}', evaluator arg 'label' shape must be consistent with 'logits' shape, "
                         f"but got 'label' shape: {tuple(labels.shape)}, 'logits' shape: "
                         f"{tuple(logits.shape)}.")


def _check_softmax_dtypes(logits, labels) -> None:
    name = "SoftmaxCrossEntropyWithLogits"
    if logits is not labels:
        raise TypeError(f"For primitive[{name}], the input type must be same.\nname:[label_type]:"
                        f"Tensor[{_FROM_TORCH[labels]}].\nname:[logits_type]:Tensor[{_FROM_TORCH[logits]}].")
    if logits not in _LOSS_FLOATS:
        raise wrong_dtype(name, "label_type", logits, _LOSS_FLOATS)


def check_softmax_indices(logits, labels, reduction="mean") -> None:
    """What the sparse form refuses: other than (N, C) logits, labels that are no integers or no class.

    MindSpore's mean is an operator of its own; its other reductions are the dense form on float32 one-hot
    labels.
    """
    if reduction != "mean":
        if labels.dtype not in CLASS_DTYPES:
            raise wrong_dtype("OneHot", "indices", labels.dtype, CLASS_DTYPES)
        _check_softmax_dtypes(logits.dtype, torch.float32)
        if logits.ndim != 2 or labels.ndim != 1 or len(logits) != len(labels):
            one_hot = labels.new_empty(1, dtype=torch.float32).expand(*labels.shape, logits.shape[-1])
            check_softmax_pair(logits, one_hot)
    name = "SparseSoftmaxCrossEntropyWithLogits"
    if logits.dtype not in _LOSS_FLOATS:
        raise wrong_dtype(name, "logits_type(features_type)", logits.dtype, _LOSS_FLOATS)
    if labels.dtype not in CLASS_DTYPES:
        raise wrong_dtype(name, "labels_type", labels.dtype, CLASS_DTYPES)
    if logits.ndim < 2:
        raise ValueError("Features shape length must be greater than 1")
    if labels.ndim != logits.ndim - 1:
        raise ValueError("Features shape length must be equal to Labels shape length plus 1")
    if labels.shape != logits.shape[:-1]:
        raise ValueError("Labels shape value must be equal to the Features except the last dimension of "
                         "Features")
    wrong = ((labels < 0) | (labels >= logits.shape[-1])).nonzero()
    if len(wrong):
        at = tuple(wrong[0].tolist())
        label, told = int(labels[at]), f"For '{name}' got error label! label[index] must"
        if label < 0:
            raise final(RuntimeError(f"{told} >= 0, but got  index = {at[-1]} label[index] = {label}"))
        raise final(RuntimeError(f"{told} <= class_num, but got index = {at[-1]} label[index] = {label} and "
                                 f"class_num = {logits.shape[-1]}"))


@primitive("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy(logits, labels):
    """Loss per row and its gradient with respect to the logits
    (``mindspore.ops.SoftmaxCrossEntropyWithLogits``)."""
    check_softmax_pair(logits, labels)
    return softmax_cross_entropy(logits, labels), torch.softmax(logits.detach(), -1) - labels.detach()


@primitive("SparseSoftmaxCrossEntropyWithLogits", init={"is_grad": False, "sens": 1.0})
def _sparse_softmax_cross_entropy(logits, labels, is_grad=False, sens=1.0):
    """Mean loss with class indices, or its gradient (``mindspore.ops.SparseSoftmaxCrossEntropyWithLogits``).
    """
    if is_grad:
        check_softmax_indices(logits, labels)
        chosen = F.one_hot(labels.long(), logits.shape[-1])
        return (torch.softmax(logits, -1) - chosen) * (sens / len(labels))
    try:
        return sparse_softmax_cross_entropy(logits, labels, "mean")
    except (IndexError, RuntimeError):
        check_softmax_indices(logits, labels)
        raise


# ---- cross entropy, negative log likelihood
# ------------------------------------------------------------------


def picked(compute, target, classes: int, ignore_index: int):
    """``compute`` with class indices as torch takes them.

    MindSpore counts negative indices from the end; torch refuses them, so they are only looked for then.
    """
    if target.dtype is not torch.int64:
        target = target.long()
    try:
        return compute(target)
    except IndexError:
        used = target[target != ignore_index]
        wrong = used[(used < -classes) | (used >= classes)]
        if wrong.numel():
            raise final(RuntimeError(f"For 'GatherD', the value of 'index' must be in [{-classes}, "
                                     f"{classes}), "
                                f"but got: {int(wrong.flatten()[0])}")) from None
        return compute(torch.where((target < 0) & (target != ignore_index), target + classes, target))


def cross_entropy_checked(input, target, weight, ignore_index, reduction, label_smoothing):
    """Cross entropy with class indices (one dimension less) or probabilities (the same shape)."""
    if not input.is_floating_point():
        raise TypeError("For cross_entropy, the input dtype should be mstype.float64, mstype.float32 or"
                        f"mstype.float16, but got dtype:{_FROM_TORCH[input.dtype]}.")
    input, weight = _one_dtype(input, weight)
    if input.ndim == target.ndim:
        return F.cross_entropy(input, target, weight, reduction=reduction, label_smoothing=label_smoothing)
    axis = 1 if input.ndim > 1 else 0
    # (torch's allows smoothing of one at most)
    if label_smoothing > 1.0 or (weight is not None and weight.requires_grad):
        return nll_loss.kernel(F.log_softmax(input, axis), target, weight, ignore_index, reduction,
                                    label_smoothing)

    def loss(at):
        return F.cross_entropy(input, at, weight, None, ignore_index, None, reduction, label_smoothing)

    return picked(loss, target, input.shape[axis], ignore_index)


@op
def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Cross entropy of logits (C,), (N, C) or (N, C, ...) and class indices or probabilities, which broadcast
    (``mindspore.ops.cross_entropy``)."""
    if not target.is_floating_point():
        input, target = _in_rows(input, target)
    elif target.shape != input.shape:
        target = target.expand_as(input)
    return cross_entropy_checked(input, target, weight, ignore_index, reduction, label_smoothing)


@mint_form(name="cross_entropy")
def _cross_entropy_mint(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Cross entropy of logits and class indices or probabilities, the mean by default."""
    # The weights get no gradient beside class indices.
    weight = weight if input.ndim == target.ndim else held(weight)
    return cross_entropy_checked(input, target, weight, ignore_index, reduction, label_smoothing)


def _one_dtype(input, weight):
    """Logits and weights of the classes in the wider of their dtypes."""
    return (input, weight) if weight is None or weight.dtype is input.dtype else promote(input, weight)


def _in_rows(inputs, target):
    """MindSpore looks targets up in the logits of one sample as often as there are targets, and takes those
    of a batch as a column too; torch takes a row of logits for each target."""
    if inputs.ndim == target.ndim == 1:
        return (inputs, target[0]) if len(target) == 1 else (inputs.expand(len(target), -1), target)
    if inputs.ndim == 2 and target.shape == (len(inputs), 1):
        return inputs, target[:, 0]
    if inputs.ndim == 2 and target.ndim == 1 and len(inputs) != len(target):
        raise final(_not_as_many(len(inputs), len(target)))
    return inputs, target


def _not_as_many(rows: int, targets: int) -> ValueError:
    """MindSpore's error for a batch with another number of targets. (Of one target it gives the first row's
    loss, with gradients for that row alone; here it is refused like two.)"""
    if targets > rows:
        return ValueError("For primitive[GatherD], the x shape must be greater than or equal to "
                          f"{targets}, but got {rows}.")
    return cannot_broadcast("MaskedFill", (rows, 1), (targets, 1))


def _nll(inputs, at, weight, ignore_index, reduction):
    """F.nll_loss, also where the weights are differentiated, which torch's kernel refuses."""
    inputs = inputs.contiguous()                              # its derivative takes no view of images
    if weight is None or not weight.requires_grad:
        return F.nll_loss(inputs, at, weight, ignore_index=ignore_index, reduction=reduction)
    weights = weight[at.clamp_min(0)].where(at != ignore_index, 0.0)
    loss = weights * F.nll_loss(inputs, at, ignore_index=ignore_index, reduction="none")
    return loss.sum() / weights.sum() if reduction == "mean" else reduced(loss, reduction)


@op
def nll_loss(inputs, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Negative log likelihood of log-probabilities and class indices (``mindspore.ops.nll_loss``)."""
    if reduction not in ("mean", "sum"):                # (it knows no others)
        reduction = "none"
    inputs, weight = _one_dtype(inputs, weight)
    inputs, target = _in_rows(inputs, target)
    if target.dtype is not torch.int32 and target.dtype is not torch.int64:
        raise wrong_dtype("GatherD", "index", target.dtype, (torch.int32, torch.int64))
    if not inputs.is_floating_point():
        inputs = inputs.float()
    classes = inputs.shape[1 if inputs.ndim > 1 else 0]
    loss = picked(lambda at: _nll(inputs, at, weight, ignore_index, reduction), target, classes, ignore_index)
    target = target.long()
    if label_smoothing == 0.0:
        return loss
    axis = 1 if inputs.ndim > 1 else 0
    spread = -(inputs if weight is None else inputs * weight.reshape(-1, *[1] * (inputs.ndim - 2))).sum(axis)
    kept = target != ignore_index
    spread = torch.where(kept, spread, 0.0)
    if reduction == "mean":
        count = kept.sum() if weight is None else weight[target.clamp_min(0)].where(kept, 0.0).sum()
        spread = spread.sum() / count
    elif reduction == "sum":
        spread = spread.sum()
    return (1 - label_smoothing) * loss + label_smoothing / inputs.shape[axis] * spread


@primitive("NLLLoss", init={"reduction": "mean", "ignore_index": -100})
def _nll_loss(logits, labels, weight, reduction="mean", ignore_index=-100):
    """Loss of log-probabilities (N, C) and the total weight (``mindspore.ops.NLLLoss``): no gradient of the
    weights."""
    labels, weight = labels.long(), held(weight).to(logits.dtype)
    kept = labels != ignore_index
    total = weight[labels.clamp_min(0)].where(kept, 0.0).sum()
    reduction = meant_reduction(reduction, "NLLLoss")
    return _nll(logits, labels, weight, ignore_index, reduction), total


# ---- binary cross entropy
# --------------------------------------------------------------------------------------


def held(t):
    """``t`` as a constant: MindSpore's gradient of this argument is zero."""
    return t if t is None or not t.requires_grad else t.detach()


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


# ---- regression
# ------------------------------------------------------------------------------------------------


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


# ---- ranking and embedding
# -----------------------------------------------------------------------------------


@op
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin) (``mindspore.ops.margin_ranking_loss``)."""
    if not isinstance(margin, float):
        raise TypeError("For 'margin_ranking_loss', the type of 'margin' should be 'float', but got type "
                        f"'{type(margin).__name__}'.")
    _check_reduction(reduction, "margin_ranking_loss")
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
    var = var.to(torch.result_type(var, eps))
    # At eps the gradient is one half.
    var = torch.maximum(var, torch.tensor(eps, dtype=var.dtype, device=var.device))
    x, target = (t.to(var.dtype) if t.dtype is torch.bool else t for t in (x, target))
    loss = 0.5 * (torch.log(var) + (x - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)
