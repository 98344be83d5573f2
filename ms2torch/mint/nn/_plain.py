"""Layers without parameters: each is one function of ``functional`` with its arguments kept."""

from __future__ import annotations

import inspect

from ms2torch import nn
from ms2torch._core.checks.refused import signature_error
from ms2torch.nn.cell import Cell
from ms2torch.nn.loss.loss import LossBase

from . import functional as F

# How many Tensors a call takes.
_ONE, _TWO, _THREE = ("input",), ("input", "target"), ("input1", "input2", "target")


def _argument(name: str, **kwargs) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, **kwargs)


def _layer(name: str, function, takes=_ONE, *required, base: type = Cell, shown: bool = False,
           **defaults) -> type[Cell]:
    """A Cell that calls ``function(*Tensors, **what it was made with)``.

    ``name`` is what it is called when printed, of which "Ext" is no part of its public name; ``shown`` says
    whether its arguments are printed too.
    """
    kept = inspect.signature(function).parameters
    signature = inspect.Signature([_argument(n) for n in required] + [
        _argument(n, default=d) for n, d in defaults.items()])
    names = [n for n in (*required, *defaults) if n in kept]

    def __init__(self, *args, **kwargs) -> None:
        Cell.__init__(self)
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            raise signature_error(f"mint.nn.{name.removesuffix('Ext')} make", f"{name}.__init__",
                                  list(signature.parameters.values()), args, kwargs) from None
        given.apply_defaults()
        for key in names:
            setattr(self, key, given.arguments[key])

    __init__.__signature__ = inspect.Signature([_argument("self"), *signature.parameters.values()])

    def construct(self, *tensors, **named):
        if named:
            if unknown := named.keys() - kept.keys() - set(takes):
                raise TypeError(f"{name}.construct() got an unexpected keyword argument '{min(unknown)}'")
            tensors = (*tensors, *(named.pop(n) for n in takes[len(tensors):]))
        return function(*tensors, **{n: getattr(self, n) for n in names}, **named)

    def extend_repr(self) -> str:
        return ", ".join(f"{n}={getattr(self, n)}" for n in names)

    members = {"__init__": __init__, "construct": construct, "__module__": "mindspore.mint.nn",
               "__doc__": f"{inspect.getdoc(function)} (``mindspore.mint.nn.{name.removesuffix('Ext')}``.)"}
    cls = type(name, (base,), {**members, "extend_repr": extend_repr} if shown else members)
    cls.__signature__ = signature
    construct.__signature__ = inspect.Signature([_argument(n) for n in ("self", *takes)])
    return cls


# ---- activations -------------------------------------------------------------------------------------------

Hardshrink, Hardsigmoid, Hardswish, Softshrink = nn.HShrink, nn.HSigmoid, nn.HSwish, nn.SoftShrink
ELU = _layer("ELU", F.elu, alpha=1.0, inplace=False)
GELU = _layer("GELU", F.gelu, approximate="none")
GLU = _layer("GLU", F.glu, dim=-1)
Hardtanh = _layer("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
LogSigmoid = _layer("LogSigmoid", F.logsigmoid)
LogSoftmax = _layer("LogSoftmaxExt", F.log_softmax, ("x",), dim=None)
Mish = _layer("Mish", F.mish, auto_prefix=True, flags=None)
ReLU = _layer("ReLU", F.relu)
ReLU6 = _layer("ReLU6", F.relu6, inplace=False)
SELU = _layer("SELU", F.selu, auto_prefix=True, flags=None)
SiLU = _layer("SiLU", F.silu, ("x",), inplace=False)
Sigmoid = _layer("Sigmoid", F.sigmoid)
Softmax = _layer("SoftmaxExt", F.softmax, dim=None)
Tanh = _layer("Tanh", F.tanh)
Threshold = _layer("Threshold", F.threshold, _ONE, "threshold", "value", inplace=False)

# ---- shapes ------------------------------------------------------------------------------------------------

Flatten = _layer("Flatten", F.flatten, start_dim=1, end_dim=-1)
Fold = _layer("Fold", F.fold, _ONE, "output_size", "kernel_size", dilation=1, padding=0, stride=1)
PixelShuffle = _layer("PixelShuffle", F.pixel_shuffle, _ONE, "upscale_factor")
Unfold = _layer("UnfoldExt", F.unfold, _ONE, "kernel_size", dilation=1, padding=0, stride=1)
Upsample = _layer("UpsampleExt", F.interpolate, size=None, scale_factor=None, mode="nearest",
                  align_corners=None, recompute_scale_factor=None)


def _bilinear(input, size=None, scale_factor=None):
    """Images at another size, bilinear, corners on corners."""
    return F.interpolate(input, size, scale_factor, "bilinear", True)


def _nearest(input, size=None, scale_factor=None):
    """Images at another size, each pixel the nearest one."""
    return F.interpolate(input, size, scale_factor, "nearest")


UpsamplingBilinear2d = _layer("UpsamplingBilinear2d", _bilinear, size=None, scale_factor=None)
UpsamplingNearest2d = _layer("UpsamplingNearest2d", _nearest, size=None, scale_factor=None)


class _Padded(Cell):
    """The input with ``padding`` around its last dimensions, the last one's first."""

    _dims = 1
    _mode = "constant"

    def __init__(self, padding) -> None:
        super().__init__()
        count = 2 * self._dims
        if isinstance(padding, tuple) and len(padding) != count:
            raise ValueError(f"For '{self.cls_name}', the length of parameter 'padding' with tuple type must "
                             f"equal to {count}, but got {len(padding)}.")
        self.padding = (padding,) * count if isinstance(padding, int) else padding

    def construct(self, input):
        return F.pad(input, self.padding, self._mode, getattr(self, "value", None))


class ConstantPadNd_(_Padded):
    """A number around a Tensor."""

    def __init__(self, padding, value) -> None:
        super().__init__(padding)
        self.value = value


class ZeroPadNd_(ConstantPadNd_):
    """Zeros around a Tensor."""

    def __init__(self, padding) -> None:
        super().__init__(padding, 0)


class ReflectionPadNd_(_Padded):
    """What is next to the border, mirrored around a Tensor."""

    _mode = "reflect"


class ReplicationPadNd_(_Padded):
    """The values at the border around a Tensor."""

    _mode = "replicate"


def _padding(base: type[_Padded]) -> list[type[_Padded]]:
    """The classes of 1, 2 and 3 dimensions."""
    kind = base.__name__.removesuffix("Nd_")
    return [type(f"{kind}{n}d", (base,), {
        "_dims": n, "__module__": "mindspore.mint.nn",
        "__doc__": f"{base.__doc__[:-1]}'s last {last} (``mindspore.mint.nn.{kind}{n}d``).",
    }) for n, last in ((1, "dimension"), (2, "2 dimensions"), (3, "3 dimensions"))]


ConstantPad1d, ConstantPad2d, ConstantPad3d = _padding(ConstantPadNd_)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _padding(ZeroPadNd_)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _padding(ReflectionPadNd_)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _padding(ReplicationPadNd_)

# ---- pooling -----------------------------------------------------------------------------------------------

_MEANS = {"stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True}
AvgPool1d = _layer("AvgPool1dExt", F.avg_pool1d, _ONE, "kernel_size", **_MEANS)
AvgPool2d = _layer("AvgPool2dExt", F.avg_pool2d, _ONE, "kernel_size", **_MEANS, divisor_override=None)
AvgPool3d = _layer("AvgPool3dExt", F.avg_pool3d, _ONE, "kernel_size", **_MEANS, divisor_override=None)
MaxPool2d = _layer("MaxPool2dExt", F.max_pool2d, kernel_size=1, stride=None, padding=0, dilation=1,
                   return_indices=False, ceil_mode=False)
AdaptiveAvgPool1d = _layer("AdaptiveAvgPool1d", F.adaptive_avg_pool1d, _ONE, "output_size", shown=True)
AdaptiveAvgPool2d = _layer("AdaptiveAvgPool2d", F.adaptive_avg_pool2d, _ONE, "output_size", shown=True)
AdaptiveAvgPool3d = _layer("AdaptiveAvgPool3d", F.adaptive_avg_pool3d, _ONE, "output_size")
AdaptiveMaxPool1d = _layer("AdaptiveMaxPool1d", F.adaptive_max_pool1d, _ONE, "output_size", shown=True,
                           return_indices=False)
AdaptiveMaxPool2d = _layer("AdaptiveMaxPool2d", F.adaptive_max_pool2d, _ONE, "output_size",
                           return_indices=False)


class MaxUnpool2d(Cell):
    """Maxima put back to their places, zeros elsewhere (``mindspore.mint.nn.MaxUnpool2d``)."""

    def __init__(self, kernel_size, stride=None, padding=0) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def construct(self, input, indices, output_size=None):
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


# ---- dropout: in training alone ----------------------------------------------------------------------------


class _Drops(Cell):
    """Zeroes with probability ``p`` while training."""

    _drop = staticmethod(F.dropout)

    def __init__(self, p=0.5, inplace=False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input):
        if not self.training:
            return input
        return self._drop(input, self.p, self.training, self.inplace)


class DropoutExt(_Drops):
    """Zeroes elements with probability ``p`` while training, scales the rest (``mindspore.mint.nn.Dropout``).
    """


class Dropout2dExt(_Drops):
    """Zeroes channels of (N, C, H, W) with probability ``p`` while training.

    (``mindspore.mint.nn.Dropout2d``.)
    """

    _drop = staticmethod(F.dropout2d)


Dropout, Dropout2d = DropoutExt, Dropout2dExt

# ---- losses ------------------------------------------------------------------------------------------------

_CLASSES = {"weight": None, "ignore_index": -100, "reduction": "mean"}


class BCELoss(Cell):
    """Binary cross entropy of probabilities (``mindspore.mint.nn.BCELoss``)."""

    def __init__(self, weight=None, reduction="mean") -> None:
        super().__init__()
        self.bce_loss = nn.BCELoss(weight, reduction)

    def construct(self, input, target):
        return self.bce_loss(input, target)


BCEWithLogitsLoss = _layer("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, _TWO, weight=None,
                           reduction="mean", pos_weight=None)
CosineEmbeddingLoss = _layer("CosineEmbeddingLoss", F.cosine_embedding_loss, _THREE, margin=0.0,
                             reduction="mean")
CrossEntropyLoss = _layer("CrossEntropyLoss", F.cross_entropy, _TWO, **_CLASSES, label_smoothing=0.0)
KLDivLoss = _layer("KLDivLoss", F.kl_div, _TWO, reduction="mean", log_target=False)
L1Loss = _layer("L1LossExt", F.l1_loss, ("logits", "labels"), base=LossBase, reduction="mean")
MSELoss = _layer("MSELoss", F.mse_loss, _TWO, reduction="mean")
NLLLoss = _layer("NLLLoss", F.nll_loss, _TWO, **_CLASSES)
SmoothL1Loss = _layer("SmoothL1Loss", F.smooth_l1_loss, _TWO, reduction="mean", beta=1.0)
SoftMarginLoss = _layer("SoftMarginLoss", F.soft_margin_loss, _TWO, base=LossBase, reduction="mean")

__all__ = [_name for _name, _value in globals().items()
           if isinstance(_value, type) and issubclass(_value, Cell) and _value is not Cell]
