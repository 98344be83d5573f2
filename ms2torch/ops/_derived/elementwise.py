"""Gradients of activations and of functions of single elements, of losses, and of a few relatives.

Arguments are MindSpore's, in its order; where the class is given the result instead of the input, the formula
is that of the result.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.checks.refusals import final
from ms2torch._core.tensor.dtype import to_torch

from .pull import pull


def _elu(dout, x_or_out, alpha=1.0, is_result=False):
    if is_result:
        return torch.where(x_or_out > 0, dout, dout * (x_or_out + alpha))
    return pull(dout, F.elu, x_or_out, alpha=alpha)


def _larger(x, y, grads, first):
    """Both gradients, summed over what was broadcast; where both are equal, half goes to each."""
    share = torch.where(x == y, 0.5, first(x, y).to(grads.dtype))
    return _summed(grads * share, x), _summed(grads * (1 - share), y)


def _summed(t, like):
    return t.sum_to_size(like.shape) if t.shape != like.shape else t


def _prelu(dy, x, weight):
    return pull(
        dy,
        lambda x, w: torch.where(
            x > 0, x, x * w.reshape([-1 if i == min(1, x.ndim - 1) else 1 for i in range(x.ndim)])
        ),
        x,
        weight,
    )


def _of_one_shape(name: str, function):
    """The gradient of an activation, which MindSpore's ``name`` refuses for a ``dout`` of another shape."""

    def compute(dout, x):
        if dout.ndim != x.ndim:
            raise final(ValueError(
                f"Rank of x({x.ndim}) and dout({dout.ndim}) not equal, primitive name: {name}."))
        for axis, (n, m) in enumerate(zip(x.shape, dout.shape, strict=True)):
            if n != m:
                raise final(ValueError(
                    f"The {axis}th dim of x({n}) and dout({m}) not equal, primitive name: {name}."))
        return pull(dout, function, x)

    return compute


def _weighted(loss, weight):
    return loss if weight is None else loss * weight


def _divergence(input, target, reduction="mean", log_target=False):
    """The divergence; torch's own kind of mean warns."""
    loss = F.kl_div(input, target, reduction="none", log_target=log_target)
    if reduction == "batchmean":
        return loss.sum() / len(loss)
    return {"none": torch.clone, "mean": torch.mean, "sum": torch.sum}[reduction](loss)


def _bce(input, target, grad_output, weight=None, reduction="mean"):
    eps = 1e-12
    dx = (input - target) / (input * (1 - input)).clamp_min(eps)
    return _weighted(dx, weight) * grad_output / (input.numel() if reduction == "mean" else 1)


def _bce_logits(grad_output, input, target, weight=None, posWeight=None, reduction="mean"):
    return pull(
        grad_output,
        lambda x: F.binary_cross_entropy_with_logits(x, target, weight, None, None, reduction, posWeight),
        input,
    )


def _smooth_l1(prediction, target, dout, beta=1.0, reduction="none"):
    return pull(dout, F.smooth_l1_loss, prediction, target, beta=beta, reduction=reduction)[0]


def _nll(logits, loss_grad, labels, weight, total_weight, reduction="mean", ignore_index=-100):
    return pull(
        loss_grad, lambda x: F.nll_loss(x, labels.long(), weight, None, ignore_index, None, reduction), logits
    )


def _kl(grad_output, input, target, reduction="mean", log_target=False):
    return pull(grad_output, lambda x: _divergence(x, target, reduction, log_target), input)


def _threshold(grad_output, input, threshold):
    return torch.where(input > threshold, grad_output, 0)


def _softmax(out, dout, dim=-1):
    return (dout - (dout * out).sum(dim, keepdim=True)) * out


def _silu(dout, x):
    return pull(dout, F.silu, x)


def _log_softmax(input, dim=None, dtype=None):
    if dim is None:  # as torch's functional softmax without an axis
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return torch.log_softmax(input, dim, dtype=None if dtype is None else to_torch(dtype))


ROWS = {
    # of the input
    "AbsGrad": lambda x, dout: dout * torch.sgn(x),
    "ACosGrad": lambda x, dout: pull(dout, torch.acos, x),
    "AsinGrad": lambda x, dout: pull(dout, torch.asin, x),
    "AtanGrad": lambda x, dout: pull(dout, torch.atan, x),
    "FastGeLUGrad": lambda dy, x: pull(dy, "fast_gelu", x),
    "GeLUGrad": lambda dy, x, y: pull(dy, F.gelu, x, approximate="tanh"),
    "GeluGradExt": lambda grad, input, approximate="none": pull(grad, F.gelu, input, approximate=approximate),
    "GluGrad": lambda grads, x, axis: pull(grads, F.glu, x, dim=axis),
    "HSigmoidGrad": _of_one_shape("HSigmoidGrad", F.hardsigmoid),
    "HSwishGrad": _of_one_shape("HSwishGrad", F.hardswish),
    "HShrinkGrad": lambda gradients, features, lambd=0.5: pull(
        gradients, F.hardshrink, features, lambd=lambd
    ),
    "HardtanhGrad": lambda dout, input, min_val=-1, max_val=1: pull(
        dout, F.hardtanh, input, min_val=min_val, max_val=max_val
    ),
    "LogSigmoidGrad": lambda dy, input, buffer: pull(dy, F.logsigmoid, input),
    "LogitGrad": lambda grad, input, eps=-1.0: pull(grad, torch.logit, input, eps=None if eps < 0 else eps),
    "MishGradExt": lambda dout, x: pull(dout, F.mish, x),
    "ReLU6Grad": lambda y_backprop, x: torch.where((x > 0) & (x <= 6), y_backprop, 0),
    "ReluGrad": lambda y_backprop, x: torch.where(x > 0, y_backprop, 0),
    "SiLUGrad": _silu,
    "SoftShrinkGrad": lambda input_grad, input_x, lambd=0.5: pull(
        input_grad, F.softshrink, input_x, lambd=lambd
    ),
    "SoftplusGrad": lambda gradients, features: pull(gradients, F.softplus, features),
    "SoftplusGradExt": lambda dout, x, beta=1, threshold=20: pull(
        dout, F.softplus, x, beta=beta, threshold=threshold
    ),
    "SwigluGrad": lambda grad_output, input, dim=-1: pull(grad_output, "swiglu", input, dim=dim),
    "ThresholdGrad": _threshold,
    "PReLUGrad": _prelu,
    "MvlgammaGrad": lambda y_grad, x, p: pull(y_grad, torch.mvlgamma, x, p=p),
    "RotaryPositionEmbeddingGrad": lambda dy, cos, sin, dx=None, mode=0: (
        pull(dy, "rotary_position_embedding", torch.zeros_like(dy), cos, sin, mode=mode)[0]
        if dx is None
        else pull(dy, "rotary_position_embedding", dx, cos, sin, mode=mode)
    ),
    # of the result
    "AcoshGrad": lambda out, dout: dout / torch.sinh(out).conj(),
    "AsinhGrad": lambda out, dout: dout / torch.cosh(out).conj(),
    "EluGrad": lambda dout, out: torch.where(out > 0, dout, dout * (out + 1)),
    "EluGradExt": _elu,
    "LeakyReLUGradExt": lambda dy, input, negative_slope=0.01, is_result=False: torch.where(
        input > 0, dy, dy * negative_slope
    ),
    "InvGrad": lambda x, grad: -grad * x * x,
    "ReciprocalGrad": lambda y, dy: -dy * (y * y).conj(),
    "RsqrtGrad": lambda y_backprop, x: -0.5 * x * (y_backprop * y_backprop * y_backprop).conj(),
    "SeluGrad": lambda gradient, result: torch.where(
        result > 0, gradient * 1.0507009873554804934193349852946, gradient * (result + 1.7580993408473768)
    ),
    "SigmoidGrad": lambda y, dy: dy * (y * (1 - y)).conj(),
    "SqrtGrad": lambda dy, y: y * 0.5 / dy.conj(),
    "TanhGrad": lambda y, dy: dy * (1 - y * y),
    "SoftmaxGrad": lambda y, dy: _softmax(y, dy),
    "SoftmaxBackward": lambda dout, out, dim=-1: _softmax(out, dout, dim),
    "LogSoftmaxGrad": lambda logits, grad, axis=-1: grad - logits.exp() * grad.sum(axis, keepdim=True),
    # of two inputs
    "MaximumGrad": lambda x, y, grads, grad_x=True, grad_y=True: _larger(x, y, grads, torch.gt),
    "MinimumGrad": lambda x1, x2, grads, grad_x=True, grad_y=True: _larger(x1, x2, grads, torch.lt),
    "MaximumGradGrad": lambda x, y, dx, dy, grad_x=True, grad_y=True: (
        torch.zeros_like(x),
        torch.zeros_like(y),
        torch.where(x >= y, dx, dy),
    ),
    "MinimumGradGrad": lambda x1, x2, grad_y1, grad_y2: (
        torch.zeros_like(x1),
        torch.zeros_like(x2),
        torch.where(x1 <= x2, grad_y1, grad_y2),
    ),
    # losses
    "BinaryCrossEntropyGrad": _bce,
    "BinaryCrossEntropyWithLogitsBackward": _bce_logits,
    "KLDivGrad": _kl,
    "KLDivLossGrad": lambda grad, x, target, reduction="mean": _kl(grad, x, target, reduction),
    "L1LossBackwardExt": lambda grad_output, input, target, reduction="mean": pull(
        grad_output, F.l1_loss, input, target, reduction=reduction
    ),
    "MSELossGradExt": lambda dout, x, target, reduction="mean": pull(
        dout, F.mse_loss, x, target, reduction=reduction
    )[0],
    "NLLLossGrad": _nll,
    "NLLLoss2dGrad": lambda loss_grad, input, target, weight, reduction, ignore_index, total_weight: _nll(
        input, loss_grad, target, weight, total_weight, reduction, ignore_index
    ),
    "SmoothL1LossGrad": _smooth_l1,
    "SoftMarginLossGrad": lambda predict, label, dout, reduction="mean": pull(
        dout, lambda x: F.soft_margin_loss(x, label, None, None, reduction), predict
    ),
    "SigmoidCrossEntropyWithLogitsGrad": lambda x, y, dout: (torch.sigmoid(x) - y) * dout,
    "MultiMarginLossGrad": lambda y_grad, x, target, weight=None, p=1, margin=1.0, reduction="mean": pull(
        y_grad, lambda x: F.multi_margin_loss(x, target.long(), p, margin, weight, None, None, reduction), x
    ),
    "MultilabelMarginLossGrad": lambda y_grad, x, target, is_target, reduction="mean": pull(
        y_grad, lambda x: F.multilabel_margin_loss(x, target.long(), None, None, reduction), x
    ),
    # forward, where MindSpore has the class alone
    "LogSoftmaxExt": _log_softmax,
    "LogSigmoid": lambda input: (F.logsigmoid(input), input.new_empty(0)),
    "KLDiv": _divergence,
    "XLogYScalarOther": lambda input, other: torch.xlogy(input, other),
    "XLogYScalarSelf": lambda input, other: torch.xlogy(input, other),
    "NpuGelu": lambda input, approximate="none": F.gelu(input, approximate=approximate),
    "Correlate": lambda a, v, pad_mode="valid": F.conv1d(
        a[None, None],
        v.conj()[None, None],
        padding={"valid": 0, "same": len(v) // 2, "full": len(v) - 1}[pad_mode],
    )[0, 0],
}
