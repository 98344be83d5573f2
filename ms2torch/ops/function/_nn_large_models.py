"""What large language models train with: root mean square norms, gates, rotated positions, RWKV's means."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op, primitive


@op(primitive="RmsNorm", init={"epsilon": 1e-6})
def rms_norm(x, gamma, epsilon=1e-6):
    """``x`` over its root mean square, times ``gamma``, and the reciprocal of the root, Float32.

    MindSpore: ``mindspore.ops.rms_norm``, ``RmsNorm``; the last axes are those of ``gamma``.
    """
    return _normed(x, gamma, epsilon)


def _normed(x, gamma, epsilon):
    dims = tuple(range(x.ndim - gamma.ndim, x.ndim))
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(dims, keepdim=True) + epsilon)
    return (wide * scale * gamma.float()).to(x.dtype), scale


@op
def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    """The `rms_norm` of a sum, the reciprocal of its root, and the sum (``mindspore.ops.add_rms_norm``)."""
    if x1.shape != x2.shape:
        raise final(RuntimeError(
            f"For 'AddRmsNorm', the shapes of 'x1' and 'x2' must be the same, but got "
            f"{tuple(x1.shape)} and {tuple(x2.shape)}."))
    total = x1 + x2
    return *_normed(total, gamma, epsilon), total


@op
def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output=False):
    """Layer normalisation of a sum, its mean and reciprocal deviation, and the sum.

    MindSpore: ``mindspore.ops.add_layer_norm``. The sum is given whether it is asked for or not.
    """
    total = x1 + x2
    dims = tuple(range(total.ndim - gamma.ndim, total.ndim))
    wide = total.float()
    mean = wide.mean(dims, keepdim=True)
    scale = torch.rsqrt(wide.var(dims, unbiased=False, keepdim=True) + epsilon)
    return ((wide - mean) * scale * gamma + beta).to(x1.dtype), mean, scale, total


@op(primitive="Swiglu")
def swiglu(input, dim=-1):
    """SiLU of the first half along ``dim`` times the second half (``mindspore.ops.swiglu``)."""
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(f"For primitive[Swiglu], the dim must be in [-{input.ndim},{input.ndim}), but got "
                         f"{dim}.")
    if input.shape[dim] % 2:
        raise ValueError("For 'Swiglu', the dimension specified by 'dim' must be divisible by 2, but got "
                         f"x_shape[dim]: {input.shape[dim]} .")
    gate, value = input.chunk(2, dim)
    return F.silu(gate) * value


@op(primitive="RotaryPositionEmbedding")
def rotary_position_embedding(x, cos, sin, mode=0):
    """``x * cos + rotated * sin`` of a 4-D tensor (``mindspore.ops.rotary_position_embedding``).

    ``mode`` 0 rotates the halves of the last axis (GPT-NeoX), 1 its neighbours (GPT-J).
    """
    if mode not in (0, 1):
        raise ValueError(f"For 'RotaryPositionEmbedding', 'mode' must be 0 or 1, but got {mode}.")
    if mode == 0:
        first, second = x.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
    else:
        rotated = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * cos + rotated * sin


@primitive("WKV")
def _wkv(time_first, time_decay, key, value, sp, sq, sm):
    """RWKV's running means of ``value`` (B, T, C), weighted by exp(``key``), which fade from step to step.

    MindSpore: ``mindspore.ops.operations.nn_ops.WKV``. The weight of what is t steps old is multiplied by
    exp(t * ``time_first``), that of the step itself by exp(``time_decay``): the arguments go by each other's
    names, as programs give them (the decay first, already negative). The state before (B, C) is the exponent
    ``sp`` that its sums are divided by, the sum ``sq`` of weighted values and the sum ``sm`` of weights;
    -1e38 and zeros begin. Four results: the means, and sums and exponent behind the last step (sq, sm, sp).
    """
    means = []
    for k, v in zip(key.unbind(1), value.unbind(1), strict=True):
        top = torch.maximum(sp, time_decay + k)
        old, new = (sp - top).exp(), (time_decay + k - top).exp()
        means.append((old * sq + new * v) / (old * sm + new))
        top = torch.maximum(sp + time_first, k)
        old, new = (sp + time_first - top).exp(), (k - top).exp()
        sp, sq, sm = top, old * sq + new * v, old * sm + new
    return torch.stack(means, 1), sq, sm, sp
