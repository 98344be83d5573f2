"""Losses of classes: softmax and binary cross entropy, NLLLoss, FocalLoss, Dice, CTC and others."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.checks.refusals import translate
from ms2torch._core.tensor.dtype import float16, float32, int32, int64, uint8
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function import _nn_cross_entropy as cross_entropies
from ms2torch.ops.function import _nn_loss as kernels
from ms2torch.ops.function._nn_ctc import ctc_loss

from ..cell import Cell
from ..layer._parts import primitive
from ..layer.activation import LogSoftmax, get_activation
from ._base import LossBase, need_tensor

_FLOATS = [float16, float32]


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Softmax cross entropy of (N, C) logits (``mindspore.nn.SoftmaxCrossEntropyWithLogits``).

    ``sparse`` takes class indices (N,), else one-hot labels or probabilities (N, C). ``reduction`` is "none"
    by default: one loss per row. The gradient is softmax - labels whatever the labels sum to.
    """

    def __init__(self, sparse=False, reduction="none") -> None:
        super().__init__(reduction)
        self.sparse = check.check_bool(sparse, "sparse", self.cls_name)
        self.reduction = self._made = reduction

    softmax_cross_entropy = primitive("SoftmaxCrossEntropyWithLogits")
    sparse_softmax_cross_entropy = primitive("SparseSoftmaxCrossEntropyWithLogits")
    one_hot = primitive("OneHot")

    def construct(self, logits, labels):
        try:
            x, y = logits._t, labels._t
            if self.sparse:
                if x.ndim != 2 or y.dtype not in cross_entropies.CLASS_DTYPES or x.dtype is not torch.float32:
                    cross_entropies.check_softmax_indices(x, y, self._made)
                return wrap(cross_entropies.sparse_softmax_cross_entropy(x, y, self._made))
            if x.shape != y.shape or x.ndim != 2 or x.dtype is not torch.float32 or y.dtype is not x.dtype:
                cross_entropies.check_softmax_pair(x, y)
            return self.get_loss(wrap(cross_entropies.softmax_cross_entropy(x, y)))
        except (RuntimeError, AttributeError, IndexError, ValueError) as err:
            raise self._explain(err, logits, labels) from None

    def _explain(self, err: Exception, logits, labels) -> Exception:
        try:
            need_tensor("logits", logits, self.cls_name)
            need_tensor("labels", labels, self.cls_name)
        except TypeError as wrong:
            return wrong
        if self.sparse:
            try:
                cross_entropies.check_softmax_indices(logits._t, labels._t, self._made)
            except (RuntimeError, TypeError, ValueError) as wrong:
                return wrong
        if err.__class__ is RuntimeError:
            return translate(err, "SoftmaxCrossEntropyWithLogits", (logits._t, labels._t))
        return err


def _check_weight(cell, weight, ignore_index) -> None:
    check.check_value_type("ignore_index", ignore_index, int, cell.cls_name)
    if weight is not None:
        check.check_value_type("weight", weight, [Tensor], cell.cls_name)
        check.check_type_name("weight", weight.dtype, _FLOATS, cell.cls_name)


class NLLLoss(LossBase):
    """Negative log likelihood of log-probabilities and class indices (``mindspore.nn.NLLLoss``)."""

    def __init__(self, weight=None, ignore_index=-100, reduction="mean") -> None:
        super().__init__(reduction)
        _check_weight(self, weight, ignore_index)
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction

    def construct(self, logits, labels):
        return cross_entropies.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(LossBase):
    """Cross entropy of logits and class indices or probabilities (``mindspore.nn.CrossEntropyLoss``).

    Logits are (C,), (N, C) or (N, C, ...) in float16 or float32; class indices have one dimension less and
    are int32 (TypeError for int64, unlike torch), probabilities have the shape and kind of the logits.
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0) -> None:
        super().__init__(reduction)
        check.check_value_type("label_smoothing", label_smoothing, float, self.cls_name)
        check.check_float_range(label_smoothing, 0.0, 1.0, check.INC_BOTH, "label_smoothing", self.cls_name)
        _check_weight(self, weight, ignore_index)
        self.weight, self.ignore_index = weight, ignore_index
        self.reduction, self.label_smoothing = reduction, label_smoothing

    def construct(self, logits, labels):
        try:
            x, y = logits._t, labels._t
        except AttributeError:
            need_tensor("logits", logits, self.cls_name)
            need_tensor("labels", labels, self.cls_name)
            raise
        usual = x.dtype is torch.float32 and y.dtype is torch.int32
        if not usual or y.shape != x.shape[:1] + x.shape[2:]:
            self._check(logits, labels)
        weight = self.weight
        return wrap(cross_entropies.cross_entropy_checked(x, y, None if weight is None else weight._t,
                                                  self.ignore_index, self.reduction, self.label_smoothing))

    def _check(self, logits, labels) -> None:
        name, shapes = self.cls_name, (logits.shape, labels.shape)
        check.check_type_name("logits", logits.dtype, _FLOATS, name)
        if logits.ndim == labels.ndim:
            check.check_type_name("labels", labels.dtype, _FLOATS, name)
            fits, wanted = shapes[0] == shapes[1], "(N, C, d_0, d_1, ...)"
        elif labels.ndim == logits.ndim - 1:
            check.check_type_name("labels", labels.dtype, [int32], name)
            fits = logits.ndim == 1 or shapes[0][:1] + shapes[0][2:] == shapes[1]
            wanted = "(N, d_0, d_1, ...)"
        else:
            raise ValueError(f"For '{name}', the rank of 'logits' and 'labels' should be:\n"
                             "1. 'logits.ndim == labels.ndim' for probabilities, \n"
                             "2. 'logits.ndim - 1 == labels.ndim' for class indices, \n"
                             f"but get 'logits' rank: {logits.ndim} and 'labels' rank: {labels.ndim}.")
        if not fits:
            raise ValueError(f"For '{name}', the shape of 'logits' should be (N, C, d_0, d_1, ...), and the "
                             f"shape of 'labels' should be {wanted}, but get 'logits' shape: {shapes[0]} and "
                             f"'labels' shape: {shapes[1]}.")


class BCELoss(LossBase):
    """Binary cross entropy of probabilities (``mindspore.nn.BCELoss``).

    ``reduction`` is "mean" by default, before 2.0 "none".
    """

    def __init__(self, weight=None, reduction=None) -> None:
        if reduction is None:
            reduction = "none" if generations.has_old_meaning("mindspore.nn.BCELoss") else "mean"
        super().__init__(reduction)
        self.reduction, self.weight, self.weight_one = reduction, weight, weight is None

    def construct(self, logits, labels):
        return kernels.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy of sigmoid(input) (``mindspore.nn.BCEWithLogitsLoss``); weights are no Parameters.
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None) -> None:
        super().__init__()
        for name, value in (("weight", weight), ("pos_weight", pos_weight)):
            if isinstance(value, Parameter):
                raise TypeError(f"For '{self.cls_name}', the '{name}' can not be a Parameter.")
        self.reduction, self.weight, self.pos_weight = reduction, weight, pos_weight

    def construct(self, input, target):
        need_tensor("input", input, self.cls_name)
        need_tensor("target", target, self.cls_name)
        return kernels.binary_cross_entropy_with_logits(input, target, self.weight, self.pos_weight,
                                                        self.reduction)


def _check_shapes(logits, label, cell: str) -> None:
    check.check("logits_shape", logits.shape, "label_shape", label.shape, prim_name=cell)


class DiceLoss(LossBase):
    """1 - 2 |x y| / (|x|^2 + |y|^2 + smooth) over all elements (``mindspore.nn.DiceLoss``)."""

    def __init__(self, smooth=1e-5) -> None:
        super().__init__()
        self.smooth = check.check_positive_float(smooth, "smooth")

    def construct(self, logits, label):
        for name, x in (("logits", logits), ("labels", label)):
            need_tensor(name, x, self.cls_name)
        _check_shapes(logits, label, self.cls_name)
        for name, x in (("logits", logits), ("labels", label)):
            if x.dtype is uint8:
                raise TypeError(f"For '{self.cls_name}', the dtype of '{name}' can not be uint8.")
        x, y = logits._t, label._t
        return wrap(1 - 2 * (x * y).sum() / ((x * x).sum() + (y * y).sum() + self.smooth))


class MultiClassDiceLoss(LossBase):
    """Mean of the Dice losses of all classes (``mindspore.nn.MultiClassDiceLoss``)."""

    _names = ["softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid"]

    def __init__(self, weights=None, ignore_indiex=None, activation="softmax") -> None:
        super().__init__()
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.weights = weights if weights is None else check.check_value_type("weights", weights, [Tensor])
        if isinstance(weights, Tensor) and weights.ndim != 2:
            raise ValueError(f"For '{self.cls_name}', the dimension of 'weights' must be 2, but got "
                             f"{weights.ndim}.")
        if ignore_indiex is not None:
            check.check_value_type("ignore_indiex", ignore_indiex, [int])
        self.ignore_indiex = ignore_indiex
        if isinstance(activation, str) and activation not in self._names:
            raise ValueError(f"For '{self.cls_name}', the 'activation' must be in {self._names}, "
                             f"but got {activation}.")
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        if self.activation is not None and not isinstance(self.activation, Cell):
            raise TypeError(f"For '{self.cls_name}', the 'activation' must be str or Cell, "
                            f"but got {type(self.activation)}.")

    def construct(self, logits, label):
        need_tensor("logits", logits, self.cls_name)
        need_tensor("labels", label, self.cls_name)
        _check_shapes(logits, label, self.cls_name)
        for name, x in (("logits", logits), ("labels", label)):
            if x.ndim < 2:
                raise ValueError(f"For '{self.cls_name}', the '{name}' dimension must be greater than 1, "
                                 f"but got {x.ndim}.")
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            raise ValueError(f"For '{self.cls_name}', the weight_shape[0] must be equal to label_shape[1], "
                             "but got "
                             f"weight_shape[0]: {self.weights.shape[0]} and label_shape[1]: {classes}.")
        x = self.activation(logits) if self.activation is not None else logits
        total = 0
        for i in range(classes):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(wrap(x._t[:, i]), wrap(label._t[:, i]))._t
                total = total + (loss if self.weights is None else loss * self.weights._t[i])
        # 0.0 itself where the only class is left out, as MindSpore
        return wrap(total / classes) if isinstance(total, torch.Tensor) else total / classes


class FocalLoss(LossBase):
    """-(1 - p)^gamma log(p) (``mindspore.nn.FocalLoss``): labels are indices (N, 1, ...) or one-hot (N, C,
    ...)."""

    def __init__(self, weight=None, gamma=2.0, reduction="mean") -> None:
        super().__init__(reduction)
        self.gamma = check.check_value_type("gamma", gamma, [float])
        if weight is not None and not isinstance(weight, Tensor):
            raise TypeError(f"For '{self.cls_name}', the type of 'weight' must be a Tensor, "
                            f"but got {type(weight).__name__}.")
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"For '{self.cls_name}', the dimension of 'weight' must be 1, but got "
                             f"{weight.ndim}.")
        self.weight = weight
        self.logsoftmax = LogSoftmax(1)

    def _check(self, logits, labels) -> None:
        name = self.cls_name
        need_tensor("logits", logits, name)
        need_tensor("labels", labels, name)
        for label, x in (("logits", logits), ("labels", labels)):
            if not 2 <= x.ndim <= 4:
                raise ValueError(f"For '{name}', the dimensions of '{label}' must be in [2, 4], but got "
                                 f"dimension of '{label}' {x.ndim}.")
        if logits.ndim != labels.ndim:
            raise ValueError(f"For '{name}', the dimensions of 'logits' and 'labels' must be equal, but got "
                             f"dimension of 'logits' {logits.ndim} and dimension of 'labels' {labels.ndim}.")
        classes = logits.shape[1]
        if classes == 1:
            raise ValueError(f"For '{name}', the 'logits'.shape[1] cannot be one, but got {classes}.")
        if labels.shape[1] not in (1, classes):
            raise ValueError(f"For '{name}', the 'labels'.shape[1] must be one or equal to "
                             f"'logits'.shape[1]: {classes}, but got {labels.shape[1]}.")
        check.check_type_name("labels", labels.dtype, [int32, int64, float16, float32], name)

    def construct(self, logits, labels):
        self._check(logits, labels)
        x, y = logits._t.flatten(2) if logits.ndim > 2 else logits._t.unsqueeze(2), labels._t
        y = y.flatten(2) if y.ndim > 2 else y.unsqueeze(2)
        sparse = labels.shape[1] == 1
        log_p = torch.log_softmax(x, 1)
        weight = None if self.weight is None else self.weight._t[None, :, None].expand(len(y), -1, y.shape[2])
        if sparse:
            at = y.long()
            log_p = log_p.gather(1, at).squeeze(1)
            weight = None if weight is None else weight.gather(1, at).squeeze(1)
        focus = (1.0 - log_p.exp()).pow(self.gamma)
        if weight is not None:
            log_p = log_p * weight
        loss = -focus * log_p if sparse else -focus * y * log_p
        return self.get_loss(wrap(loss.mean(1 if sparse else -1)))


class CTCLoss(LossBase):
    """Connectionist temporal classification of log-probabilities (T, N, C) or (T, C)
    (``mindspore.nn.CTCLoss``)."""

    def __init__(self, blank=0, reduction="mean", zero_infinity=False) -> None:
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def construct(self, log_probs, targets, input_lengths, target_lengths):
        need_tensor("log_probs", log_probs, self.cls_name)
        need_tensor("targets", targets, self.cls_name)
        single = log_probs.ndim == 2
        if single:
            if targets.ndim > 2:
                raise ValueError("For CTCLoss, when the shape of log_probs is (T, C), the dimension of "
                                 f"targets shouldbe 1 or 2, but got {targets.ndim}.")
            if targets.ndim == 2 and targets.shape[0] != 1:
                raise ValueError("For CTCLoss, the first dimension of 2-D targets should be 1,"
                                 f"but got {targets.shape[0]}.")
            targets = wrap(targets._t.reshape(1, -1))
            log_probs = wrap(log_probs._t.unsqueeze(-2))
            input_lengths, target_lengths = (
                wrap(n._t.reshape(1)) if isinstance(n, Tensor) else n for n in (input_lengths,
                                                                                target_lengths))
        loss, _ = ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank,
                           self.reduction, self.zero_infinity)
        return wrap(loss._t.squeeze(0)) if single and loss.ndim else loss


class SoftMarginLoss(LossBase):
    """log(1 + exp(-labels * logits)) (``mindspore.nn.SoftMarginLoss``)."""

    def __init__(self, reduction="mean") -> None:
        super().__init__()
        self.reduction = reduction

    def construct(self, logits, labels):
        return kernels.soft_margin_loss(logits, labels, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """Mean over classes of the binary cross entropy (``mindspore.nn.MultiLabelSoftMarginLoss``)."""

    def __init__(self, weight=None, reduction="mean") -> None:
        super().__init__(reduction)
        self.weight, self.reduction = weight, reduction

    def construct(self, x, target):
        return kernels.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class MultilabelMarginLoss(LossBase):
    """Margin loss with several labels per sample (``mindspore.nn.MultilabelMarginLoss``)."""

    def __init__(self, reduction="mean") -> None:
        super().__init__()
        check.check_string(reduction, ["none", "sum", "mean"], "reduction", "MultilabelMarginLoss")
        self.reduction = reduction

    def construct(self, x, target):
        return kernels.multi_label_margin_loss(x, target, self.reduction)


class MultiMarginLoss(LossBase):
    """Mean over classes of max(0, margin - x_y + x_i)^p (``mindspore.nn.MultiMarginLoss``)."""

    def __init__(self, p=1, margin=1.0, reduction="mean", weight=None) -> None:
        super().__init__()
        for name, value, kind in (("p", p, int), ("margin", margin, float)):
            if value.__class__ is not kind:
                raise TypeError(f"For 'MultiMarginLoss', the type of '{name}' should be '{kind.__name__}', "
                                f"but got type '{type(value).__name__}'.")
        self.p, self.margin, self.reduction, self.weight = p, margin, reduction, weight

    def construct(self, x, target, weight=None):
        need_tensor("x", x, self.cls_name)
        need_tensor("target", target, self.cls_name)
        weight = self.weight if self.weight is not None else weight
        return kernels.multi_margin(x, target, self.p, self.margin, weight, self.reduction)
