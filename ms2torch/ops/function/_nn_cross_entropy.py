"""Cross entropy and negative log likelihood: of class indices, of probabilities."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.checks.enum_words import reduction as meant_reduction
from ms2torch._core.checks.refusals import cannot_broadcast, wrong_dtype
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import mint_form, op, primitive
from ms2torch._core.tensor.dtype import _FROM_TORCH, promote

from ._nn_loss import held, reduced

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


# ---- cross entropy, negative log likelihood ----------------------------------------------------------------


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
