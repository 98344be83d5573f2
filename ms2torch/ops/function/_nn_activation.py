"""Activations: kernels with MindSpore's dtypes and defaults, as functions, Primitives and Tensor methods."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.checks.kernel_dtypes import not_selected, not_supported
from ms2torch._core.errors import asked, final
from ms2torch._core.gradient import integers
from ms2torch._core.operators.registry import mint_form, op, primitive
from ms2torch._core.random.random_streams import stream_of_call
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.dtype import _FROM_TORCH, UNSIGNED
from ms2torch._core.tensor.tensor import wrap
from ms2torch._core.torch_private import clamp, is_transforming

from ._math_binary import maximum, minimum

_FLOATS = frozenset((torch.float16, torch.float32, torch.float64, torch.bfloat16))
_NUMBERS = _FLOATS | frozenset((torch.complex64, torch.complex128))


def _need(t, allowed, name: str, words=None):
    """MindSpore has these operators for floats alone: TypeError where torch would compute something, in the
    words of the kernel (``words``) or of what asks before it."""
    if t.dtype in allowed:
        return t
    if words is not None:
        raise TypeError(words(name))
    names = ", ".join(sorted(str(_FROM_TORCH[d]) for d in allowed))
    raise TypeError(f"For primitive[{name}], the input argument must be a type of {{{names}}}, "
                    f"but got {_FROM_TORCH[t.dtype]}.")


@op(primitive="ReLU", call=("input",), method=True, mint=True)
def relu(input, inplace=False):
    """max(input, 0) (``mindspore.ops.relu``); ``inplace`` writes it into ``input``."""
    if input.dtype is torch.bool or input.dtype in UNSIGNED:
        return input
    return torch.relu_(input) if inplace else torch.relu(input)


@op(primitive="ReLU6")
def relu6(x):
    """min(max(x, 0), 6) (``mindspore.ops.relu6``), for float16 and float32."""
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError("For primitive[ReLU6], the input argument[input_x] must be a type of "
                        f"{{Tensor[Float16], Tensor[Float32]}}, but got Tensor[{_FROM_TORCH[x.dtype]}].")
    # The gradient at 6 is one, and none at 0.
    return clamp(torch.relu(x), None, 6)


@primitive("ReLUV2")
def _reluv2(x):
    """max(x, 0) and the mask of what stayed."""
    return torch.relu(x), (x > 0).to(torch.uint8)


@op(primitive="Sigmoid", method=True, mint=True)
def sigmoid(input):
    """1 / (1 + exp(-input)) (``mindspore.ops.sigmoid``), for floats and complex numbers."""
    if input.dtype not in _NUMBERS:
        raise TypeError(not_supported("Sigmoid"))
    return torch.sigmoid(input)


@op
def logsigmoid(x):
    """log(sigmoid(x)) (``mindspore.ops.logsigmoid``)."""
    if x.is_complex():
        return torch.log(torch.sigmoid(x))
    return F.logsigmoid(_need(x, _FLOATS, "Sigmoid", not_supported))


@primitive("GeLU", call=("input",))
def _gelu_tanh(x):
    """GELU by the tanh formula, which is what MindSpore's Primitive computes."""
    return F.gelu(x, approximate="tanh")


@op(mint=True)
def gelu(input, approximate="none"):
    """Gaussian error linear unit (``mindspore.ops.gelu``): "none" by erf, "tanh" by the formula.

    nn.GELU and the Primitive GeLU use "tanh" by default.
    """
    if input.dtype in _FLOATS:
        try:
            return F.gelu(input, approximate=approximate)
        except (RuntimeError, TypeError):
            if approximate in ("none", "tanh"):
                raise
    if approximate not in ("none", "tanh"):
        raise ValueError("For ops.gelu, approximate value should be either 'none' or 'tanh'.")
    raise TypeError("For gelu, the input dtype must be bfloat16, float16, float32 or float64, "
                    f"but got {_FROM_TORCH[input.dtype]}.")


@op(primitive="FastGeLU")
def fast_gelu(x):
    """x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)) (``mindspore.ops.fast_gelu``): about x * sigmoid(1.702
    x)."""
    if x.dtype not in (torch.float16, torch.float32):
        raise TypeError("For 'FastGeLU', input[0] type should be float16 or float32. but got "
                        f"{_FROM_TORCH[x.dtype]}")
    return x * torch.sigmoid(1.702 * x)


@op(primitive="SiLU", mint=True)
def silu(input):
    """input * sigmoid(input) (``mindspore.ops.silu``; Swish)."""
    if input.dtype not in _NUMBERS:
        raise TypeError(not_supported("Sigmoid"))
    return F.silu(input)


@op(primitive="Mish", mint=True)
def mish(x):
    """x * tanh(softplus(x)) (``mindspore.ops.mish``)."""
    return F.mish(_need(x, _FLOATS, "Mish"))


def _on_integers(t, compute):
    """MindSpore computes these for integers too, in the float and back."""
    if t.dtype in _FLOATS:
        return compute(t)
    return compute(t.to(torch.float32)).to(t.dtype)


@op(primitive="HSwish", mint=True)
def hardswish(input):
    """input * min(max(input + 3, 0), 6) / 6 (``mindspore.ops.hardswish``)."""
    return _on_integers(input, _hardswish)


class _HardSwish(torch.autograd.Function):
    """torch's value; at -3 and 3 the slope of the middle part, as MindSpore has it (torch's is the outer)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return F.hardswish(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def slope(x):
        return torch.where(x < -3, 0, torch.where(x > 3, 1, x / 3 + 0.5))

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * _HardSwish.slope(x)

    @staticmethod
    def jvp(ctx, tangent):
        x, = ctx.saved_tensors
        return tangent * _HardSwish.slope(x)


def _hardswish(x):
    return _HardSwish.apply(x) if x.requires_grad or is_transforming() else F.hardswish(x)


@op(primitive="HSigmoid", mint=True)
def hardsigmoid(input):
    """min(max(input / 6 + 0.5, 0), 1) (``mindspore.ops.hardsigmoid``)."""
    return _on_integers(input, F.hardsigmoid)


@op(primitive="Elu", init={"alpha": 1.0})
def elu(input_x, alpha=1.0):
    """input where positive, else alpha * (exp(input) - 1); alpha is 1 (``mindspore.ops.elu``)."""
    if alpha != 1.0:
        raise ValueError("EluIn Elu, alpha must be 1.0f.")
    return F.elu(_need(input_x, _FLOATS, "Elu", not_selected), alpha)


@op(primitive="CeLU", init={"alpha": 1.0})
def celu(x, alpha=1.0):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) (``mindspore.ops.celu``)."""
    if alpha == 0:
        raise ValueError("For 'CeLU', the 'alpha' must be float and must != 0.0, but got '0.0' with type "
                         "'float'.")
    return F.celu(_need(x, _FLOATS, "CeLU"), alpha)


@op(primitive="SeLU", mint=True)
def selu(input_x):
    """Scaled elu with its fixed constants (``mindspore.ops.selu``)."""
    if input_x.dtype in _FLOATS:
        # At 0 the gradient is the slope of the positive side; torch takes the other.
        negative = 1.6732632423543772 * torch.expm1(input_x.clamp_max(0))
        return 1.0507009873554805 * torch.where(input_x < 0, negative, input_x)
    # MindSpore's constants are integers too then: both are 1.
    return _on_integers(input_x, F.elu)


@op
def leaky_relu(input, alpha=0.2):
    """input where positive, else alpha * input (``mindspore.ops.leaky_relu``; torch's slope is 0.01)."""
    return _leaky(input, alpha)


def _leaky(t, alpha):
    # As MindSpore composes it: at 0 the gradient is the mean of both slopes. Integers stay integers.
    if t.dtype is torch.uint64 and int(alpha) == 0:
        return t.clone()                    # (torch has no larger one of them)
    other = t * (alpha if t.dtype in _FLOATS else bool(int(alpha)) if t.dtype is torch.bool else int(alpha))
    return torch.maximum(t, other) if alpha <= 1 else torch.minimum(t, other)


def _prelu(t, weight):
    channels = t.shape[1] if t.ndim > 1 else 1
    if weight.numel() not in (1, channels):
        raise ValueError("For 'Prelu', the length of 'weight' must be equal to number of channels: "
                         f"{channels}, but got [const vector]{{{', '.join(map(str, weight.shape))}}}.")
    if weight.dtype is t.dtype or not weight.is_floating_point():
        return torch.prelu(t, weight)
    wide = torch.promote_types(weight.dtype, t.dtype)
    return torch.prelu(t.to(wide), weight.to(wide)).to(t.dtype)


@op(primitive="PReLU", mint=True)
def prelu(input, weight):
    """input where positive, else weight * input, one weight or one per channel (``mindspore.ops.prelu``)."""
    return _prelu(input, weight)


@op
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3):
    """Leaky relu with a slope drawn from U(lower, upper) for every element (``mindspore.ops.rrelu``)."""
    _need(input, _FLOATS | {torch.int32, torch.int64}, "Sign")
    lower, upper = torch.tensor(lower, dtype=torch.float32), torch.tensor(upper, dtype=torch.float32)
    slope = stream_of_call(None, "uniform").uniform(tuple(input.shape)) * (upper - lower) + lower
    # At 0 and at nan the gradient is 0.
    positive, negative = (input > 0).to(input.dtype), (input < 0).to(input.dtype)
    return input * (negative * slope.to(input) + positive)


def _axis(t, axis, name: str):
    rank = t.ndim
    if not -rank <= axis < rank:
        raise ValueError(f"For primitive[{name}], the axis must be in [{-rank},{rank}), but got {axis}.")
    return axis


def softmaxed(t, axis):
    """Softmax along ``axis`` (an int, or a tuple of one)."""
    if axis.__class__ is int and t.dtype in _FLOATS and t.ndim:
        try:
            return torch.softmax(t, axis)
        except IndexError:
            pass                             # told below
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    if not isinstance(axis, int):
        raise TypeError(f"For 'Softmax', the type of 'axis' should be one of '[int, tuple of int]', "
                        f"but got {type(axis)}.")
    if t.dtype not in _FLOATS:
        raise TypeError("For primitive[Softmax], the input argument[x] must be a type of {BFloat16, Float16, "
                        f"Float32, Float64}}, but got {_FROM_TORCH[t.dtype]}.")
    return torch.softmax(t, _axis(t, axis, "Softmax"))


def log_softmaxed(t, axis):
    """Logarithm of the softmax along ``axis``."""
    if t.dtype in _FLOATS:
        if not t.ndim and axis == -1:
            raise final(RuntimeError("could not create a primitive descriptor for the softmax forward "
                                     "propagation primitive. A Tensor of no axes has no last one."))
        try:
            return torch.log_softmax(t, axis)
        except (IndexError, TypeError):
            if not t.ndim and axis.__class__ is int:
                raise final(ValueError("For primitive[LogSoftmax], the axis must be in [-1,1), but got "
                                       f"{axis}.")) from None
    return torch.log_softmax(_need(t, _FLOATS, "LogSoftmax", not_supported), _axis(t, axis, "LogSoftmax"))


def _to(t, dtype):
    return t if dtype is None else t.to(_dtype.given(dtype, "Cast"))


@op
def softmax(input, axis=-1, *, dtype=None):
    """exp(input) normalised to sum one along ``axis`` (``mindspore.ops.softmax``); ``dtype`` casts first."""
    _check_whole("axis", axis)
    return softmaxed(input if dtype is None else _to(input, dtype), axis)


def _check_whole(name: str, axis) -> None:
    if isinstance(axis, bool):
        raise final(TypeError('Failed calling Softmax with "Softmax(axis=bool)(input=Tensor)".'))
    if axis.__class__ is not int:
        raise final(TypeError(f" the type of '{name}' must be 'int', but got '{_shown(axis)}' with type "
                              f"'{type(axis).__name__}'."))


def _shown(value) -> str:
    return str(wrap(value) if isinstance(value, torch.Tensor) else value)


@mint_form(name="softmax")
def _softmax_mint(input, dim, *, dtype=None):
    """exp(input) normalised to sum one along ``dim`` (``mindspore.mint.softmax``); ``dtype`` casts first."""
    input = _to(input, dtype)
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    _check_whole("dim", dim)
    return softmaxed(input, dim) if input.ndim else torch.softmax(input, dim)


@primitive("Softmax", init={"axis": -1}, call=("input",))
def _softmax(x, axis=-1):
    """Softmax along ``axis`` (``mindspore.ops.Softmax``)."""
    return softmaxed(x, axis)


@op(primitive="LogSoftmax", init={"axis": -1})
def log_softmax(logits, axis=-1):
    """log(softmax) along ``axis`` (``mindspore.ops.log_softmax``)."""
    return log_softmaxed(logits, axis)


@op
def softmin(x, axis=-1, *, dtype=None):
    """softmax(-x) along ``axis`` (``mindspore.ops.softmin``)."""
    return softmaxed(-_to(x, dtype), axis)


@primitive("Softplus")
def _softplus(x):
    """log(1 + exp(x)) (``mindspore.ops.Softplus``)."""
    return F.softplus(x)


@op(named="Softplus")
def softplus(input, beta=1, threshold=20):
    """log(1 + exp(beta * input)) / beta, the input itself above ``threshold`` (``mindspore.ops.softplus``).
    """
    if not beta:
        raise asked(ValueError("For 'softplus', the value of 'beta' cannot be 0."))
    return F.softplus(input, beta, threshold)


@op(primitive="Softsign")
def softsign(x):
    """x / (1 + |x|) (``mindspore.ops.softsign``)."""
    return F.softsign(_need(x, _FLOATS, "Softsign"))


@op(method=True)
def hardtanh(input, min_val=-1.0, max_val=1.0):
    """input cut to [min_val, max_val] (``mindspore.ops.hardtanh``)."""
    # At the bounds the gradient is one half, as MindSpore's maximum and minimum share it. Integers are cut
    # among the numbers that they and the bounds make together.
    if input.is_floating_point():
        low, high = torch.tensor([min_val, max_val], device=input.device, dtype=input.dtype)
        return torch.minimum(torch.maximum(input, low), high)
    return integers.cast(minimum.kernel(maximum.kernel(input, min_val), max_val), input.dtype)


@op
def tanhshrink(input):
    """input - tanh(input) (``mindspore.ops.tanhshrink``)."""
    return input - torch.tanh(input)


@op(primitive="SoftShrink", init={"lambd": 0.5}, alias="soft_shrink", method="soft_shrink")
def softshrink(input, lambd=0.5):
    """input moved towards zero by ``lambd``, zero within it (``mindspore.ops.softshrink``)."""
    if lambd != lambd:                      # NaN, which torch refuses: nothing is beyond it
        return torch.zeros_like(input)
    return F.softshrink(input, lambd)


@op(primitive="HShrink", init={"lambd": 0.5}, method=True)
def hardshrink(input, lambd=0.5):
    """input, but zero within [-lambd, lambd] (``mindspore.ops.hardshrink``)."""
    return F.hardshrink(input, lambd)


@op
def threshold(input, thr, value):
    """input where above ``thr``, else ``value`` (``mindspore.ops.threshold``)."""
    if input.dtype is torch.bool:
        return torch.where(input > thr, input, bool(value))
    if input.is_floating_point():                  # (F.threshold keeps nan, which is above nothing)
        return torch.where(input > thr, input, value)
    return F.threshold(input, thr, value)


@op
def glu(x, axis=-1):
    """First half times sigmoid of the second half along ``axis`` (``mindspore.ops.glu``)."""
    if not -x.ndim <= axis < x.ndim or x.shape[axis] % 2:
        if not -x.ndim <= axis < x.ndim:
            raise asked(ValueError("Dimension out of range (expected to be in range of "
                                   f"[{-x.ndim}, {x.ndim}), but got {axis})"))
        raise ValueError(f"For 'Split', x_shape[{axis % max(x.ndim, 1)}] must be divisible by output_num = "
                         f"2, but got {x.shape[axis]}")
    if x.is_complex():
        value, gate = x.chunk(2, axis)
        return value * torch.sigmoid(gate)
    return F.glu(x, axis)


@op
def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1):
    """Softmax of logits with Gumbel noise (``mindspore.ops.gumbel_softmax``; torch's generator)."""
    if tau != tau:
        raise final(ValueError("For 'gumbel_softmax', the 'tau' must be a legal value, but got 'nan'."))
    return F.gumbel_softmax(logits, tau, hard, dim=dim)
