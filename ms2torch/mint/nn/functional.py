"""Functions of neural networks with torch's signatures and meaning (``mindspore.mint.nn.functional``).

What ``mint`` names itself (``relu``, ``cross_entropy``, ...) is the same function here. The others are
torch's own: MindSpore made ``mint`` after it. Integer targets may be Int32 too.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch import mint
from ms2torch._core.checks.calls import describe, dtype_name
from ms2torch._core.checks.enum_words import reduction as meant_reduction
from ms2torch._core.checks.kernel_dtypes import not_supported
from ms2torch._core.errors import asked, final
from ms2torch._core.operators import normalising
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.random.random_streams import stream_of_call
from ms2torch._core.tensor.dtype import given
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming.surface import install_lazy
from ms2torch.common.generator import engine
from ms2torch.ops.function import nn_func
from ms2torch.ops.function._nn_activation import _FLOATS as FLOATS
from ms2torch.ops.function._nn_activation import _need as need_dtype
from ms2torch.ops.function._nn_activation import relu as positive_part
from ms2torch.ops.function._nn_activation import selu as _selu
from ms2torch.ops.function._nn_image import by_scales, sampled
from ms2torch.ops.function._nn_loss import binary_entropy, held, reduced
from ms2torch.ops.function._nn_norm import check_one_dtype
from ms2torch.ops.function._nn_windows import max_size

from ._interpolation import check_interpolation

cross_entropy, embedding, hardsigmoid = mint.cross_entropy, mint.embedding, mint.hardsigmoid
hardswish, prelu, sigmoid, tanh = mint.hardswish, mint.prelu, mint.sigmoid, mint.tanh
flatten = mint.flatten


# ---- linear maps and convolutions --------------------------------------------------------------------------


@lowered
def linear(input, weight, bias=None):
    """input @ weight.T + bias."""
    return F.linear(input, weight, bias)


@lowered
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Convolution of (N, C, L)."""
    return F.conv1d(input, weight, bias, stride, padding, dilation, groups)


@lowered
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Convolution of (N, C, H, W)."""
    return F.conv2d(input, weight, bias, stride, padding, dilation, groups)


@lowered
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Convolution of (N, C, D, H, W)."""
    return F.conv3d(input, weight, bias, stride, padding, dilation, groups)


@lowered
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Transposed convolution of (N, C, H, W)."""
    return F.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


@lowered
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches that a convolution sees, as columns."""
    return F.unfold(input, kernel_size, dilation, padding, stride)


@lowered
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Sums of columns of patches: what ``unfold`` took apart, overlaps added."""
    return F.fold(input, output_size, kernel_size, dilation, padding, stride)


# ---- shapes ------------------------------------------------------------------------------------------------


pad = nn_func.pad_ext


@lowered
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None):
    """Images at another size: TypeError and ValueError for what no mode takes."""
    check_interpolation(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
    if scale_factor is None or recompute_scale_factor:
        return F.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
    scales = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * (input.ndim - 2)
    return by_scales(input, scales, mode, align_corners)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """``interpolate`` by its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


@lowered
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Images sampled at the places in ``grid``."""
    return sampled(input, grid, mode, padding_mode, bool(align_corners))


@lowered
def pixel_shuffle(input, upscale_factor):
    """Channels moved into height and width."""
    return F.pixel_shuffle(input, upscale_factor)


@lowered
def one_hot(tensor, num_classes=-1):
    """Int64 vectors with a one at each number's place; -1 classes: as many as needed."""
    return F.one_hot(tensor.long(), num_classes)


# ---- normalization -----------------------------------------------------------------------------------------


@lowered
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Mean 0 and variance 1 over the last dimensions."""
    return F.layer_norm(input, tuple(normalized_shape), weight, bias, eps)


@lowered
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1,
               eps=1e-05):
    """Mean 0 and variance 1 over all but the channels; in training the running figures are updated in place,
    and the running variance is the unbiased one."""
    plain, weight = normalising.unambiguous(input), normalising.one_after_another(weight)
    if not training:
        running_mean, running_var = map(normalising.one_after_another, (running_mean, running_var))
    y = F.batch_norm(plain, running_mean, running_var, weight, bias, training, momentum, eps)
    return y if plain is input else y.reshape(input.shape)


@lowered
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """Mean 0 and variance 1 over groups of channels."""
    check_one_dtype(input, weight, bias)
    return F.group_norm(input, num_groups, weight, bias, eps)


@lowered
def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Vectors along ``dim`` with norm 1."""
    return F.normalize(input, p, dim, eps)


# ---- pooling -----------------------------------------------------------------------------------------------


@lowered
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Means of windows over (N, C, L)."""
    return F.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@lowered
def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """Means of windows over (N, C, H, W)."""
    return F.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@lowered
def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """Means of windows over (N, C, D, H, W)."""
    return F.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@lowered
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Maxima of windows, with their places where ``return_indices``."""
    return F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@lowered
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Maxima put back to their places, zeros elsewhere."""
    return F.max_unpool2d(input, indices.long(), kernel_size, stride, padding, output_size)


@lowered
def adaptive_avg_pool1d(input, output_size):
    """Means of as many parts as ``output_size``."""
    return F.adaptive_avg_pool1d(input, output_size)


@lowered
def adaptive_avg_pool2d(input, output_size):
    """Means of as many parts as ``output_size``; None keeps a side."""
    return F.adaptive_avg_pool2d(input, output_size)


@lowered
def adaptive_avg_pool3d(input, output_size):
    """Means of as many parts as ``output_size``; None keeps a side."""
    return F.adaptive_avg_pool3d(input, output_size)


@lowered
def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Maxima of as many parts as ``output_size``."""
    return F.adaptive_max_pool1d(input, output_size, return_indices)


@lowered
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maxima of as many parts as ``output_size``."""
    return F.adaptive_max_pool2d(input, max_size(input, output_size), return_indices)


# ---- activations -------------------------------------------------------------------------------------------


@lowered
def softmax(input, dim=None, dtype=None):
    """exp(input) normalised to sum one along ``dim``; None chooses 0 for 0, 1 and 3 dimensions, else 1."""
    return torch.softmax(_cast(input, dtype), _softmax_dim(input, dim))


@lowered
def log_softmax(input, dim=None, *, dtype=None):
    """The logarithm of ``softmax``."""
    return torch.log_softmax(_cast(input, dtype), _softmax_dim(input, dim))


def _softmax_dim(t, dim):
    return dim if dim is not None else 0 if t.ndim in (0, 1, 3) else 1


def _cast(t, dtype):
    return t if dtype is None else t.to(given(dtype, "Cast"))


def _placed(name, function, input, inplace, **given):
    """``function`` of ``input``; with ``inplace`` written into it. MindSpore's operator is ``name``."""
    if not isinstance(input, Tensor):
        raise _not_a_tensor(f"Inplace{name.removesuffix('Ext')}" if inplace else name, input, given)
    args = tuple(given.values())
    if not inplace:
        return wrap(function(input._t, *args))
    input._write(lambda t: t.copy_(function(t, *args)))
    return input


def _not_a_tensor(name, input, given) -> TypeError:
    """MindSpore's error for an ``input`` that is no Tensor, beside the other arguments ``given``."""
    takes = "".join(f", {n}={describe(v)}" for n, v in given.items())
    if name == "EluExt":
        made, takes = takes.removeprefix(", "), ""
        return TypeError(f'Failed calling {name} with "{name}({made})(input={describe(input)})".\n'
                         f'The valid calling should be: \n"{name}(alpha=<float>)(input=<Tensor>)".')
    kind = "float" if "alpha" in given else "Number"
    valid = "".join(f", {n}=<{kind}>" for n in given)
    return TypeError(f'Failed calling {name} with "{name}()(input={describe(input)}{takes})".\n'
                     f'The valid calling should be: \n"{name}()(input=<Tensor>{valid})".')


def relu(input, inplace=False):
    """The positive part."""
    return _placed("ReLU", positive_part.kernel, input, inplace)


def relu_(input):
    """``relu`` in place."""
    return _placed("ReLU", torch.relu, input, True)


def relu6(input, inplace=False):
    """The positive part, at most 6."""
    return _placed("Hardtanh", F.hardtanh, input, inplace, min_val=0, max_val=6)


def silu(input, inplace=False):
    """x * sigmoid(x)."""
    return _placed("SiLU", F.silu, input, inplace)


def _elu(t, alpha):
    return F.elu(need_dtype(t, FLOATS, "EluExt", not_supported), alpha)


def elu(input, alpha=1.0, inplace=False):
    """x where positive, else alpha * (exp(x) - 1)."""
    if isinstance(alpha, Tensor) and alpha._t.is_floating_point():
        alpha = float(alpha)
    if (alpha.__class__ in (int, bool) or isinstance(alpha, Tensor)) and not inplace:
        raise _not_a_tensor("EluExt", input, {"alpha": alpha})
    return _placed("EluExt", _elu, input, inplace, alpha=alpha)


def elu_(input, alpha=1.0):
    """``elu`` in place."""
    if not isinstance(alpha, (float, np.floating)):
        raise _not_a_tensor("InplaceElu", input, {"alpha": alpha})
    return _placed("EluExt", _elu, input, True, alpha=alpha)


def _of_floats(t, name, listed):
    """``t``, which an operator takes in the dtypes of its ``listed`` alone."""
    if t.dtype in (torch.float16, torch.bfloat16, torch.float32):
        return t
    raise TypeError(f"For primitive[{name}], the input argument[input] must be a type of {listed} but got "
                    f"{dtype_name(t.dtype)}.")


def mish(input):
    """x * tanh(softplus(x)) of Float16, Float32 or BFloat16."""
    return _placed("MishExt", lambda t: F.mish(_of_floats(t, "MishExt", "{Float16, Float32}")), input, False)


def selu(input):
    """Scaled elu of Float16, Float32 or BFloat16."""
    dtypes = "{BFloat16, Float16, Float32},"
    return _placed("SeLUExt", lambda t: _selu.kernel(_of_floats(t, "SeLUExt", dtypes)), input, False)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x between two bounds."""
    return _placed("Hardtanh", F.hardtanh, input, inplace, min_val=min_val, max_val=max_val)


def hardtanh_(input, min_val=-1, max_val=1):
    """``hardtanh`` in place."""
    return _placed("Hardtanh", F.hardtanh, input, True, min_val=min_val, max_val=max_val)


def threshold(input, threshold, value, inplace=False):
    """x where above ``threshold``, else ``value``."""
    return _placed("Threshold", F.threshold, input, inplace, threshold=threshold, value=value)


def threshold_(input, threshold, value):
    """``threshold`` in place."""
    return _placed("Threshold", F.threshold, input, True, threshold=threshold, value=value)


def sigmoid_(input):
    """``sigmoid`` in place."""
    return _placed("Sigmoid", torch.sigmoid, input, True)


@lowered
def gelu(input, *, approximate="none"):
    """x times the normal distribution's cdf; ``approximate`` "tanh" for its common approximation."""
    return F.gelu(input, approximate=approximate.lower())


@lowered
def leaky_relu(input, negative_slope=0.01):
    """x where positive, else negative_slope * x."""
    return F.leaky_relu(input, negative_slope)


@lowered
def glu(input, dim=-1):
    """The first half along ``dim`` times the sigmoid of the second."""
    if not -input.ndim <= dim < input.ndim:
        raise final(IndexError(f"For GLU, dimension should be in range of [{-input.ndim}, {input.ndim - 1}], "
                               f"but got {dim}."))
    if input.shape[dim] % 2:
        raise final(RuntimeError(f"For GLU, halving dimension must be even, but dimension {dim} is size "
                                 f"{input.shape[dim]}."))
    return F.glu(input, dim)


@lowered
def logsigmoid(input):
    """log(sigmoid(x))."""
    return F.logsigmoid(input)


@lowered
def softplus(input, beta=1, threshold=20):
    """log(1 + exp(beta x)) / beta."""
    if not beta:
        raise asked(ValueError("For 'SoftplusExt', 'beta' must not be 0."))
    return F.softplus(input, beta, threshold)


@lowered
def hardshrink(input, lambd=0.5):
    """x, or 0 within ``lambd`` of 0."""
    return F.hardshrink(input, lambd)


@lowered
def softshrink(input, lambd=0.5):
    """x moved towards 0 by ``lambd``."""
    return F.softshrink(input, lambd)


def _random(shape, device) -> torch.Tensor:
    """Numbers in [0, 1) from the default generator where it was seeded, else those of ``set_seed``."""
    source = engine(None)
    if source is None:
        return stream_of_call(None, "dropout").uniform(shape).to(device)
    return torch.rand(shape, generator=source, device=device)


def _dropped(t, p, shape):
    return t * (_random(shape, t.device) >= p) / (1 - p) if p < 1 else torch.zeros_like(t)


def _not_dropped(name, input, p, training, inplace) -> TypeError:
    given = (("input", input), ("p", p), ("training", training), ("inplace", inplace))
    kinds = ", ".join(f"{n}={describe(v)}" for n, v in given)
    return TypeError(
        f'Failed calling {name} with "{name}()({kinds}, seed=Tensor, offset=Tensor)".\n'
        f'The valid calling should be: \n"{name}()(input=<Tensor>, p=<bool, int, float>, training=<bool>, '
        'inplace=<bool>, seed=<Tensor>, offset=<Tensor>)".')


def _asked(name, input, p, training, inplace) -> None:
    """MindSpore's error where arguments of a dropout are of other kinds than it takes."""
    if not isinstance(input, Tensor) or not isinstance(p, (float, int, np.number)) or not (
            training.__class__ is inplace.__class__ is bool):
        raise _not_dropped(name, input, p, training, inplace)


def dropout(input, p=0.5, training=True, inplace=False):
    """Zeroes elements with probability ``p``, scales the rest by 1 / (1 - p)."""
    _asked("FuncDropoutExt", input, p, training, inplace)
    if not 0 <= p <= 1:
        raise ValueError(f"For FuncDropoutExt, 'p' must be in [0, 1], but got {p:g}.")
    if not training or p == 0:
        return input
    return _placed("FuncDropoutExt", lambda t: _dropped(t, p, tuple(t.shape)), input, inplace)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zeroes whole channels of (N, C, H, W) with probability ``p``, scales the rest."""
    _asked("Dropout2dExt", input, p, training, inplace)
    if not training or p == 0:
        return input
    return _placed("Dropout2dExt", lambda t: _dropped(t, p, (*t.shape[:2], *[1] * (t.ndim - 2))), input,
                   inplace)


# ---- losses ------------------------------------------------------------------------------------------------


@lowered
def mse_loss(input, target, reduction="mean"):
    """Squared differences."""
    reduction = meant_reduction(reduction, "MSELossExt")
    return F.mse_loss(*torch.broadcast_tensors(input, target), reduction=reduction)


@lowered
def l1_loss(input, target, reduction="mean"):
    """Absolute differences."""
    reduction = meant_reduction(reduction, "L1LossExt")
    return F.l1_loss(*torch.broadcast_tensors(input, target), reduction=reduction)


@lowered
def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """Absolute differences, squared below ``beta``."""
    reduction = meant_reduction(reduction, "smooth_l1_loss")
    return F.smooth_l1_loss(input, target, reduction=reduction, beta=beta)


@lowered
def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Minus the log-probabilities of the targets; the weights get no gradient."""
    reduction = meant_reduction(reduction, "nllloss")
    input = input.contiguous()                                # torch's derivative takes no view of images
    return F.nll_loss(input, target.long(), held(weight), ignore_index=ignore_index, reduction=reduction)


@lowered
def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Cross entropy of probabilities."""
    reduction = meant_reduction(reduction, "BinaryCrossEntropy")
    return binary_entropy(input, target, weight, reduction)


@lowered
def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """Cross entropy of logits."""
    reduction = meant_reduction(reduction, "BCEWithLogitsLoss")
    return F.binary_cross_entropy_with_logits(input, target, held(weight), reduction=reduction,
                                              pos_weight=held(pos_weight))


@lowered
def kl_div(input, target, reduction="mean", log_target=False):
    """target * (log(target) - input)."""
    batches = reduction == "batchmean"
    reduction = "sum" if batches else meant_reduction(reduction, "KLDiv")
    loss = F.kl_div(input, target, reduction="none", log_target=log_target)
    return loss.sum() / input.shape[0] if batches else reduced(loss, reduction)


@lowered
def soft_margin_loss(input, target, reduction="mean"):
    """log(1 + exp(-target * input))."""
    reduction = meant_reduction(reduction, "soft_margin_loss")
    return F.soft_margin_loss(input, target, reduction=reduction)


@lowered
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """1 - cos for pairs that belong together (target 1), max(0, cos - margin) for the others (-1)."""
    reduction = meant_reduction(reduction, "CosineEmbeddingLoss")
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=reduction)


install_lazy(__name__, globals())
