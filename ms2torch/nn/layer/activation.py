"""Activation layers (``mindspore.nn.layer.activation``)."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.checks.calls import describe, failed_call
from ms2torch._core.errors import asked
from ms2torch._core.operators.attribute_forms import number_of
from ms2torch._core.tensor.dtype import UNSIGNED, float16, float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import says
from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function import _nn_activation as kernels
from ms2torch.ops.function._nn_activation import log_softmaxed, softmaxed

from ..cell import Cell
from ._errors import not_tensor
from ._late import check_later, failed_when_called, is_number, refused_when_called
from ._parts import primitive
from ._plain import PlainCell

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "LRN",
    "FastGelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "LogSoftmaxExt",
    "Mish",
    "PReLU",
    "PReLUExt",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "get_activation",
]


def _no_call(err: Exception, operator: str, x) -> Exception:
    """MindSpore's words for an activation of something that is no Tensor."""
    if isinstance(x, Tensor):
        return not_tensor(err, operator, x)
    return failed_call(f"{operator}()(input={describe(x)})", f"{operator}()(input=<Tensor>)")


class _Elementwise(PlainCell):
    """An activation without arguments: ``_formula`` over the torch tensor."""

    _formula = None
    _operator = ""

    def construct(self, x):
        try:
            return wrap(self._formula(x._t))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, self._operator or self.cls_name, x) from None


# The same, where MindSpore calls the operand otherwise; a call by way of construct(x) would cost time.


class _OfInput(_Elementwise):
    def construct(self, input):
        try:
            return wrap(self._formula(input._t))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, self._operator or self.cls_name, input) from None


class _OfInputX(_Elementwise):
    def construct(self, input_x):
        try:
            return wrap(self._formula(input_x._t))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, self._operator or self.cls_name, input_x) from None


def _elementwise(name: str, compute, text: str, operator: str | None = None, base=_Elementwise,
                 part: str | None = None) -> type:
    """``part`` is the attribute under which MindSpore's layer keeps its operator."""
    parts = {part: primitive(operator or name)} if part else {}
    return type(name, (base,), {"_formula": staticmethod(compute), "_operator": operator or name,
                                "__doc__": text, "__module__": __name__, **parts})


def _kernel(functional):
    return functional.kernel


def _relu(t):
    try:
        return torch.relu(t)
    except RuntimeError:
        if t.dtype is torch.bool or t.dtype in UNSIGNED:
            return t
        raise


ReLU = _elementwise("ReLU", _relu, "max(x, 0) (``mindspore.nn.ReLU``).", base=_OfInput, part="relu")
ReLU6 = _elementwise("ReLU6", _kernel(kernels.relu6), "min(max(x, 0), 6) (``mindspore.nn.ReLU6``).")
Sigmoid = _elementwise("Sigmoid", _kernel(kernels.sigmoid), "1 / (1 + exp(-x)) (``mindspore.nn.Sigmoid``).",
                       part="sigmoid")
SiLU = _elementwise("SiLU", _kernel(kernels.silu), "x * sigmoid(x) (``mindspore.nn.SiLU``).")
Mish = _elementwise("Mish", _kernel(kernels.mish), "x * tanh(softplus(x)) (``mindspore.nn.Mish``).",
                    base=_OfInputX)
HSwish = _elementwise("HSwish", _kernel(kernels.hardswish), "x * relu6(x + 3) / 6 (``mindspore.nn.HSwish``).",
                      base=_OfInput, part="hswish")
HSigmoid = _elementwise("HSigmoid", _kernel(kernels.hardsigmoid),
                        "relu6(x + 3) / 6 (``mindspore.nn.HSigmoid``).", base=_OfInput)
SeLU = _elementwise("SeLU", _kernel(kernels.selu), "Scaled elu (``mindspore.nn.SeLU``).", base=_OfInputX)
Softsign = _elementwise("Softsign", _kernel(kernels.softsign), "x / (1 + |x|) (``mindspore.nn.Softsign``).")
Tanhshrink = _elementwise("Tanhshrink", _kernel(kernels.tanhshrink), "x - tanh(x) "
                                                                     "(``mindspore.nn.Tanhshrink``).")
FastGelu = _elementwise("FastGelu", _kernel(kernels.fast_gelu),
                        "x * sigmoid(1.702 x) (``mindspore.nn.FastGelu``).", "FastGeLU",
                        part="fast_gelu")
class LogSigmoid(_OfInputX):
    """log(sigmoid(x)) (``mindspore.nn.LogSigmoid``)."""

    _formula, _operator = staticmethod(_kernel(kernels.logsigmoid)), "LogSigmoid"

    def construct(self, input_x):
        # (MindSpore begins with a product, which takes numbers.)
        if isinstance(input_x, (int, float, np.number)):
            input_x = Tensor(int(input_x) if isinstance(input_x, (int, np.integer)) else float(input_x))
        return super().construct(input_x)


def _tanh(t):
    if not (t.is_floating_point() or t.is_complex()):
        from ms2torch._core.tensor.dtype import from_torch

        raise TypeError("Select CPU operator[Tanh] fail! Unsupported data type!\nThe supported data types "
                        "are input[Float32], output[Float32];input[Float64], "
                        "output[Float64];input[Complex64], output[Complex64];input[Complex128], "
                        f"output[Complex128];,\n but get input[[const vector]{{{from_torch(t.dtype)}}}], "
                        "output[[const vector]{Float32}].")
    return torch.tanh(t)


Tanh = _elementwise("Tanh", _tanh, "tanh(x) (``mindspore.nn.Tanh``), for floats and complex numbers.",
                    part="tanh")


class GELU(Cell):
    """Gaussian error linear unit (``mindspore.nn.GELU``).

    By the tanh formula unless ``approximate`` is False; torch's default is the exact one.
    """

    def __init__(self, approximate=True) -> None:
        super().__init__()
        check.check_bool(approximate, "approximate", self.cls_name)
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x):
        try:
            return wrap(_gelu(x._t, self.approximate))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, "GeLU", x) from None


_gelu = _kernel(kernels.gelu)


def _check_axes(cell, axis) -> None:
    """What MindSpore's Softmax says, when it is called, of an axis that is no int."""
    if not isinstance(axis, (int, tuple)):
        if axis is None:
            failed_when_called(cell, "Softmax", "input", axis=None)
        return                                       # (said elsewhere)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if axis == ():
        refused_when_called(cell, ValueError, "For primitive[Softmax], the length of axis must be greater "
                                              "than or equal to 1, but got 0.\n")
    elif not all(map(is_number, axes)):
        failed_when_called(cell, "Softmax", "input", axis=axes)


def _no_axis(err: Exception, axes, x) -> Exception:
    """``err``, or what is said of one of several axes that ``x`` does not have."""
    rank = getattr(x, "ndim", 0)
    for axis in axes if isinstance(axes, tuple) and isinstance(x, Tensor) and rank else ():
        if isinstance(axis, int) and not -rank <= axis < rank:
            return asked(ValueError(f"For primitive[Softmax], the axis must be in [-{rank},{rank}), but got "
                                    f"{axis}."))
    return err


class Softmax(Cell):
    """Softmax along ``axis``, -1 by default (``mindspore.nn.Softmax``).

    ValueError for an axis that the input does not have, TypeError for integers.
    """

    softmax = primitive("Softmax", "_axis")

    def __init__(self, axis=-1) -> None:
        super().__init__()
        if axis is not None and not isinstance(axis, (int, tuple)):
            raise TypeError("For 'Softmax', the type of 'axis' should be one of '[int, tuple of int]', "
                            f"but got {type(axis)}.")
        self._axis = axis
        _check_axes(self, axis)

    def construct(self, input):
        try:
            return wrap(softmaxed(input._t, self._axis))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, "Softmax", input) from None
        except (IndexError, TypeError) as err:
            raise _no_axis(err, self._axis, input) from None


def _of_a_tensor(value, operator: str, name: str = "alpha"):
    """``value``, a Tensor's as its number; ValueError for more than one."""
    if not isinstance(value, Tensor):
        return value
    if value.ndim:
        told = "Only support 0-dim tenor to scalar."
        raise ValueError(f"For '{operator}', the value of '{name}' is invalid: '{value}'.", told)
    return value.item()


class LogSoftmax(Cell):
    """log(softmax) along ``axis``, -1 by default (``mindspore.nn.LogSoftmax``)."""

    log_softmax = primitive("LogSoftmax", "_axis")

    def __init__(self, axis=-1) -> None:
        super().__init__()
        self._axis = _of_a_tensor(axis, "LogSoftmax", "axis")
        if not is_number(axis):
            failed_when_called(self, "LogSoftmax", "logits", axis=axis)

    def construct(self, x):
        try:
            return wrap(log_softmaxed(x._t, self._axis))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, "LogSoftmax", x) from None


class LogSoftmaxExt(Cell):
    """log(softmax) along ``dim``; without one, 0 for inputs of 0, 1 or 3 dimensions, else 1
    (``LogSoftmaxExt``)."""

    def __init__(self, dim=None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, x):
        t = x._t
        dim = (0 if t.ndim in (0, 1, 3) else 1) if self.dim is None else self.dim
        return wrap(torch.log_softmax(t, dim))


class Softmin(Cell):
    """softmax(-x) along ``axis`` (``mindspore.nn.Softmin``)."""

    def __init__(self, axis=-1) -> None:
        super().__init__()
        if isinstance(axis, list):
            raise TypeError("For 'Softmax', the type of 'axis' should be one of '[int, tuple of int]', "
                            f"but got {type(axis)}.")
        self.axis = axis
        _check_axes(self, axis)

    def construct(self, x):
        try:
            return wrap(softmaxed(-x._t, self.axis))
        except (RuntimeError, IndexError, TypeError) as err:
            raise _no_axis(err, self.axis, x) from None


class Softmax2d(PlainCell):
    """Softmax over the channels of (N, C, H, W) or (C, H, W) (``mindspore.nn.Softmax2d``)."""

    def construct(self, x):
        t = x._t
        if t.ndim not in (3, 4):
            raise ValueError(f"For 'Softmax2d', the in_shape must have 3 or 4 dims, but got {t.ndim}.")
        return wrap(softmaxed(t, -3))


class ELU(Cell):
    """x where positive, else alpha * (exp(x) - 1) (``mindspore.nn.ELU``)."""

    def __init__(self, alpha=1.0) -> None:
        super().__init__()
        self._alpha = _of_a_tensor(alpha, "Elu")
        if isinstance(alpha, np.integer) or not is_number(alpha, float):
            failed_when_called(self, "Elu", "input_x", alpha=alpha)

    def construct(self, x):
        try:
            return wrap(_kernel(kernels.elu)(x._t, self._alpha))
        except (RuntimeError, AttributeError) as err:
            raise _no_call(err, "Elu", x) from None


class CELU(Cell):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) (``mindspore.nn.CELU``)."""

    def __init__(self, alpha=1.0) -> None:
        super().__init__()
        self._alpha = _of_a_tensor(alpha, "CeLU")
        if isinstance(alpha, np.integer) or not is_number(alpha, float):
            failed_when_called(self, "CeLU", "x", alpha=alpha)

    def construct(self, x):
        return wrap(_kernel(kernels.celu)(x._t, self._alpha))


class LeakyReLU(Cell):
    """x where positive, else alpha * x (``mindspore.nn.LeakyReLU``); alpha is 0.2 (torch: 0.01)."""

    def __init__(self, alpha=0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x):
        if self.alpha.__class__ is not float:                   # (asked when it is used, of the function)
            check.check_value_type("alpha", self.alpha, [float, int], "leaky_relu")
        try:
            return wrap(kernels._leaky(x._t, self.alpha))
        except (RuntimeError, AttributeError) as err:
            if not says(err, "no kernel"):
                raise _no_call(err, "LeakyReLU", x) from None
        if x._t.dtype is torch.uint16 and self.alpha <= 1:      # (torch has no kernels for unsigned integers)
            raise TypeError("Select CPU operator[Maximum] fail! Unsupported data type!")
        return kernels.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """x where positive, else a * x, with a trained ``w`` for all channels or one each
    (``mindspore.nn.PReLU``).

    The parameter's name is ``a``. ``w`` is a number, a list or a Tensor of ``channel`` values.
    """

    def __init__(self, channel=1, w=0.25) -> None:
        super().__init__()
        check.check_positive_int(channel, "channel", self.cls_name)
        if isinstance(w, (float, np.float32)):
            start = initializer(float(w), (channel,), float32)
        elif isinstance(w, list):
            if len(w) != channel:
                raise ValueError(f"For '{self.cls_name}', the length of 'w' must be equal to the 'channel' "
                                 f"when the 'w' is a list, but got the length of 'w': {len(w)}, the "
                                 f"'channel': {channel}.")
            for value in w:
                if not isinstance(value, (float, np.float32)):
                    raise ValueError(f"For '{self.cls_name}', all elements in 'w' must be float when the 'w' "
                                     f"is a list, but got {value}.")
            start = Tensor(np.array(w, np.float32))
        elif isinstance(w, Tensor):
            if w.dtype not in (float16, float32):
                raise ValueError(f"For '{self.cls_name}', the dtype of 'w' must be float16 or float32 when "
                                 f"the 'w' is a tensor, but got {w.dtype}.")
            if len(w.shape) != 1 or w.shape[0] != channel:
                raise ValueError(f"For '{self.cls_name}', the dimension of 'w' must be 1, and the elements "
                                 "number must be equal to the 'channel' when the 'w' is a tensor, but got "
                                 f"'w' shape {w.shape}, the 'channel' {channel}.")
            start = w
        else:
            raise TypeError(f"For '{self.cls_name}', the 'w' only supported float, list and tensor, but got "
                            f"{type(w).__name__}.")
        self.w = Parameter(start, name="a")

    def construct(self, x):
        w = self.w
        return wrap(kernels._prelu(x._t, w._t.to(x._t.dtype)))


class PReLUExt(Cell):
    """PReLU with torch's interface (``mindspore.nn.PReLUExt``, ``mindspore.mint.nn.PReLU``)."""

    def __init__(self, num_parameters=1, init=0.25, dtype=None) -> None:
        super().__init__()
        self.weight = Parameter(initializer(float(init), (num_parameters,),
                                            float32 if dtype is None else dtype),
                                name="weight")

    def construct(self, input):
        return wrap(kernels._prelu(input._t, self.weight._t))


class RReLU(Cell):
    """Leaky relu with random slopes in [lower, upper] (``mindspore.nn.RReLU``), in evaluation too."""

    def __init__(self, lower=0.125, upper=0.3333333333333333) -> None:
        super().__init__()
        for name, value in (("upper", upper), ("lower", lower)):
            check.check_value_type(name, value, [float, int], self.cls_name)
        if lower > upper:
            raise ValueError(f"For {self.cls_name}, the value of 'upper' must be greater than or equal to "
                             f"'lower', but got upper: {upper}, lower: {lower}. ")
        self.lower, self.upper = float(lower), float(upper)

    def construct(self, x):
        if not isinstance(x, Tensor):
            raise asked(TypeError(f"For 'rrelu', the input must be a Tensor, but got {type(x)}."))
        return wrap(_kernel(kernels.rrelu)(x._t, self.lower, self.upper))


class Hardtanh(Cell):
    """x cut to [min_val, max_val] (``mindspore.nn.Hardtanh``)."""

    def __init__(self, min_val=-1.0, max_val=1.0) -> None:
        super().__init__()
        self.min_val, self.max_val = min_val, max_val
        if min_val >= max_val:
            raise ValueError("For Hardtanh, min_val should be less than max_val,but got "
                             f"{min_val} and {max_val}")
        check_later(self, "hardtanh", (int, float), "['int', 'float']", min_val=min_val, max_val=max_val)

    def construct(self, x):
        return wrap(_kernel(kernels.hardtanh)(x._t, self.min_val, self.max_val))


def _check_lambd(cell, lambd) -> None:
    name = type(cell).__name__
    if lambd is None:
        failed_when_called(cell, name, "input", lambd=None)
    elif lambd.__class__ not in (bool, int, float):
        raise TypeError(f"For '{name}', the type of 'lambd' should be one of '[bool, int, float]', but got "
                        f"{type(lambd)}.")


class HShrink(Cell):
    """x, but zero within [-lambd, lambd] (``mindspore.nn.HShrink``)."""

    def __init__(self, lambd=0.5) -> None:
        super().__init__()
        self._lambd = lambd
        _check_lambd(self, lambd)

    def construct(self, input):
        return wrap(F.hardshrink(input._t, self._lambd))


class SoftShrink(Cell):
    """x moved towards zero by ``lambd``, zero within it (``mindspore.nn.SoftShrink``)."""

    def __init__(self, lambd=0.5) -> None:
        super().__init__()
        self._lambd = lambd
        _check_lambd(self, lambd)

    def construct(self, input):
        return wrap(F.softshrink(input._t, self._lambd))


class Threshold(Cell):
    """x where above ``threshold``, else ``value`` (``mindspore.nn.Threshold``)."""

    def __init__(self, threshold, value) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value
        check_later(self, "threshold", (float, int), "['float', 'int']", thr=threshold, value=value)

    def construct(self, input_x):
        return wrap(kernels.threshold.kernel(input_x._t, self.threshold, self.value))


class GLU(Cell):
    """First half times sigmoid of the second half along ``axis`` (``mindspore.nn.GLU``)."""

    def __init__(self, axis=-1) -> None:
        super().__init__()
        if isinstance(axis, Tensor):
            axis = number_of("Split", "axis", axis)
        self._dim = axis
        if not is_number(axis):
            failed_when_called(self, "Split", "input_x", axis=axis, output_num=2)

    def construct(self, x):
        return wrap(_kernel(kernels.glu)(x._t, self._dim))


class LRN(Cell):
    """Local response normalisation over 2 * depth_radius + 1 channels (``mindspore.nn.LRN``)."""

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS") -> None:
        from ms2torch.ops import LRN as operator

        super().__init__()
        self._lrn = operator(depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x):
        return self._lrn(input_x)


_activation = {
    "softmin": Softmin, "softmax": Softmax, "softmax2d": Softmax2d, "logsoftmax": LogSoftmax,
    "logsoftmaxExt": LogSoftmaxExt, "relu": ReLU, "relu6": ReLU6, "rrelu": RReLU, "silu": SiLU, "tanh": Tanh,
    "tanhshrink": Tanhshrink, "hardtanh": Hardtanh, "gelu": GELU, "fast_gelu": FastGelu, "elu": ELU,
    "sigmoid": Sigmoid, "softsign": Softsign, "prelu": PReLU, "preluExt": PReLUExt, "leakyrelu": LeakyReLU,
    "hswish": HSwish, "hsigmoid": HSigmoid, "logsigmoid": LogSigmoid, "softshrink": SoftShrink,
    "hshrink": HShrink, "threshold": Threshold, "mish": Mish}


def get_activation(name, prim_name=None):
    """A new activation layer by its name, as Dense's ``activation`` takes it
    (``mindspore.nn.get_activation``).

    None gives None; KeyError lists the names there are.
    """
    if name is None:
        return None
    prefix = f"For '{prim_name}', the" if prim_name else "The"
    if name not in _activation:
        raise KeyError(f"{prefix} 'name' must be in {list(_activation.keys())}, but got {name}.")
    return _activation[name]()
