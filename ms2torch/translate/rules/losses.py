"""Losses. Class labels are int32 in MindSpore and int64 in PyTorch: they are converted where the loss is called."""

from __future__ import annotations

import libcst as cst

from ms2torch._naming import generations

from ..rewriting.inferred import Class, Of
from ..rewriting.sites import UNTOLD
from ..translation import site_of
from .alike import as_int64
from .table import instance, rule, table

# What PyTorch computes by CrossEntropyLoss or NLLLoss, which want classes as int64.
_OF_CLASSES = ("CrossEntropyLoss", "NLLLoss", "SoftmaxCrossEntropyWithLogits")

table(
    "nn",
    """
MSELoss | nn.MSELoss(reduction={reduction?})
L1Loss MAELoss | nn.L1Loss(reduction={reduction?})
SmoothL1Loss | nn.SmoothL1Loss(beta={beta?}, reduction={reduction}) | does not reduce unless told | 默认不做归约
HuberLoss | nn.HuberLoss(reduction={reduction?}, delta={delta?})
BCEWithLogitsLoss | nn.BCEWithLogitsLoss({weight?}, pos_weight={pos_weight?}, reduction={reduction?})
KLDivLoss | nn.KLDivLoss(reduction={reduction?})
CTCLoss | nn.CTCLoss({blank?}, {reduction?}, {zero_infinity?})
SoftMarginLoss | nn.SoftMarginLoss(reduction={reduction?})
MarginRankingLoss | nn.MarginRankingLoss({margin?}, reduction={reduction?})
CosineEmbeddingLoss | nn.CosineEmbeddingLoss({margin?}, reduction={reduction?})
HingeEmbeddingLoss | nn.HingeEmbeddingLoss({margin?}, reduction={reduction?})
GaussianNLLLoss | nn.GaussianNLLLoss(full={full?}, eps={eps?}, reduction={reduction?})
PoissonNLLLoss | nn.PoissonNLLLoss({log_input?}, {full?}, eps={eps?}, reduction={reduction?})
MultiLabelSoftMarginLoss | nn.MultiLabelSoftMarginLoss({weight?}, reduction={reduction?})
MultilabelMarginLoss | nn.MultiLabelMarginLoss(reduction={reduction?}) | int32 classes become int64 at the call | 调用处把 int32 类别转成 int64
MultiMarginLoss | nn.MultiMarginLoss({p?}, {margin?}, {weight?}, reduction={reduction?})
TripletMarginLoss | nn.TripletMarginLoss(margin={margin?}, p={p?}, eps={eps?}, swap={swap?}, reduction={reduction?})
TripletMarginWithDistanceLoss | nn.TripletMarginWithDistanceLoss(distance_function={distance_function?}, margin={margin?}, swap={swap?}, reduction={reduction?})
""",
)


@rule("nn.BCELoss", "nn.BCELoss(weight, reduction=reduction)")
def bce_loss(call):
    if "reduction" not in call and generations.has_old_meaning("mindspore.nn.BCELoss"):
        return 'nn.BCELoss({weight?}, reduction="none")'
    return "nn.BCELoss({weight?}, reduction={reduction?})"


@rule(
    "nn.SoftmaxCrossEntropyWithLogits",
    'nn.CrossEntropyLoss(reduction="none")',
    "a loss for each sample unless told; one-hot labels unless sparse=True; int32 classes become int64 at the call",
    "默认每个样本一个损失；默认要 one-hot 标签；调用处把 int32 类别转成 int64",
)
def softmax_cross_entropy(call):
    reduction = call.value("reduction")
    if reduction == "mean":
        return "nn.CrossEntropyLoss()"
    if reduction in ("none", None):
        return 'nn.CrossEntropyLoss(reduction="none")'
    return "nn.CrossEntropyLoss(reduction={reduction})"


@instance("nn.SoftmaxCrossEntropyWithLogits", "loss(logits, labels.long())")
def call_softmax_cross_entropy(call):
    sparse = call.init_value("sparse")
    if sparse is UNTOLD and _label_dtype(call):
        sparse = "Int" in _label_dtype(call)
    if sparse is UNTOLD:
        call.refuse("whether its labels are classes is not told")
    return _of_classes(call, "labels") if sparse else call.updated


def _labels(call):
    """What a run told of a loss's second argument; None where it told nothing."""
    fact = call.rewriter.reading.facts.at(*site_of(call.node))
    return fact.arguments[1] if fact is not None and len(fact.arguments) == 2 else None


def _label_dtype(call) -> str:
    """The dtype of a loss's second argument; nothing where a run told none, or several."""
    labels = _labels(call)
    return labels.dtype if labels is not None else ""


def _of_classes(call, name: str):
    """The call, its classes as int64; where it was given shares too, as ``classes`` tells them apart."""
    args = list(call.updated.args)
    at = next((i for i, a in enumerate(args) if a.keyword and a.keyword.value == name), 1)
    if at >= len(args) or args[at].star:
        return call.updated
    labels, value = _labels(call), args[at].value
    if labels is not None and labels.type == "Tensor" and not labels.dtype:
        call.helper("classes")
        value = cst.Call(cst.Name("classes"), [cst.Arg(call.updated.func), cst.Arg(value)])
    else:
        value = as_int64(value)
    args[at] = args[at].with_changes(value=value)
    return call.updated.with_changes(args=args)


def note_labels(call) -> None:
    """Have the helper that calls ``loss_fn`` ask whether its labels are classes, unless the loss is told to be
    one that has none."""
    if "loss_fn" in call:
        loss = call.inferred("loss_fn")
        cls = loss.cls if isinstance(loss, Of) else loss.root() if isinstance(loss, Class) else ""
        call.rewriter.takes_classes |= not cls or cls.rpartition(".")[2] in _OF_CLASSES


@rule(
    "nn.CrossEntropyLoss",
    "nn.CrossEntropyLoss(...)",
    "int32 classes become int64 at the call",
    "调用处把 int32 类别转成 int64",
)
def cross_entropy(call):
    return (
        "nn.CrossEntropyLoss({weight?}, ignore_index={ignore_index?}, reduction={reduction?}, "
        "label_smoothing={label_smoothing?})"
    )


@rule(
    "nn.NLLLoss", "nn.NLLLoss(...)", "int32 classes become int64 at the call", "调用处把 int32 类别转成 int64"
)
def nll(call):
    return "nn.NLLLoss({weight?}, ignore_index={ignore_index?}, reduction={reduction?})"


@instance(
    "nn.CrossEntropyLoss nn.NLLLoss mint.nn.CrossEntropyLoss mint.nn.NLLLoss",
    "loss(logits, labels.long())",
    "a target of shares stays as it is",
    "概率形式的标签保持不变",
)
def call_cross_entropy(call):
    as_they_are = "Float" in _label_dtype(call) or _label_dtype(call) == "Int64"
    name = "target" if ".mint." in call.name else "labels"
    return call.updated if as_they_are else _of_classes(call, name)


@instance("nn.MultilabelMarginLoss", "loss(x, target.long())")
def call_margin(call):
    return _of_classes(call, "target")


def _own(name: str, arguments: str = "") -> None:
    """A loss that PyTorch lacks: a Module at the file's head."""

    @rule(f"nn.{name}", f"{name}({arguments.replace('{', '').replace('?}', '')}), a Module at the head")
    def write(call):
        call.helper(name)
        return f"{name}({arguments})"


_own("RMSELoss")
_own("DiceLoss", "{smooth?}")
_own("FocalLoss", "weight={weight?}, gamma={gamma?}, reduction={reduction?}")


@rule("nn.LossBase.get_loss", "x.mean(), by LossBase at the head")
def get_loss(call):
    return call.updated
