"""Normalisation: batch_norm, layer_norm, group_norm, instance norm, LRN, L2 normalisation."""

from __future__ import annotations

import inspect
import math

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch._core import mode
from ms2torch._core.checks.calls import describe
from ms2torch._core.errors import asked, final
from ms2torch._core.operators import normalising
from ms2torch._core.operators.attribute_words import FORMS
from ms2torch._core.operators.registry import Primitive, op, primitive, primitive_class
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor, wrap

HALVES = (torch.float16, torch.bfloat16)


def layer_normalised(t, gamma, beta, begin_norm_axis: int, begin_params_axis: int, epsilon: float):
    """(normalised, mean, variance) over the dimensions from ``begin_norm_axis`` on.

    ``gamma`` and ``beta`` have the shape of those from ``begin_params_axis`` on; torch knows one axis for
    both. Of halves on a CPU it is done in Float32: torch would differentiate by a rounded mean and deviation.
    """
    _check_layer_norm(t, gamma, beta, begin_norm_axis, begin_params_axis, epsilon)
    if not t.numel():
        raise RuntimeError("For 'LayerNorm', the dimension of 'input_x' must be at least 1, but got "
                           f"{_vector(t)}")
    start, own = begin_norm_axis % t.ndim, begin_params_axis % t.ndim
    if gamma.shape != t.shape[own:] or beta.shape != gamma.shape:
        raise ValueError(
            "For 'LayerNorm', gamma or beta shape must match input shape, but got input shape: "
            f"{_vector(t)}, gamma shape: {_vector(gamma)}, beta shape: {_vector(beta)}.")
    kept = (*t.shape[:start], *[1] * (t.ndim - start))
    if not t.dtype is gamma.dtype is beta.dtype:
        gamma, beta = gamma.to(t.dtype), beta.to(t.dtype)
    dtype = t.dtype
    if dtype in HALVES and t.device.type == "cpu":
        t, gamma, beta = t.float(), gamma.float(), beta.float()
    if start == own:
        y, mean, rstd = torch.native_layer_norm(t, t.shape[start:], gamma, beta, epsilon)
    else:
        y, mean, rstd = torch.native_layer_norm(t, t.shape[start:], None, None, epsilon)
        y = y * gamma + beta
    variance = rstd.reciprocal().square() - epsilon
    return y.to(dtype), mean.reshape(kept), variance.reshape(kept)


def _check_layer_norm(t, gamma, beta, begin_norm_axis, begin_params_axis, epsilon) -> None:
    axes = {"begin_norm_axis": begin_norm_axis, "begin_params_axis": begin_params_axis}
    whole = all(isinstance(a, (int, np.integer)) and not isinstance(a, bool) for a in axes.values())
    if not whole or not isinstance(epsilon, float):
        given = ", ".join(f"{n}={describe(v)}" for n, v in {**axes, "epsilon": epsilon}.items())
        raise TypeError(f'Failed calling LayerNorm with "LayerNorm({given})'
                        '(input_x=Tensor, gamma=Tensor, beta=Tensor)".')
    for name, axis in axes.items():
        if not -1 <= axis < t.ndim:
            raise final(RuntimeError(
                f"For primitive[LayerNorm], input_x's rank is {t.ndim}, while the '{name}' value should be "
                f"in the range [-1, {t.ndim}), but got {axis}"))
    own = begin_params_axis % t.ndim
    if min(gamma.ndim, beta.ndim) + own < t.ndim:
        raise ValueError(
            "For 'LayerNorm', begin_params_axis must be less than or equal to input_x shape size, gamma "
            "shape size add begin_params_axis must be equal to or greater than input_x shape size, and beta "
            "shape size add begin_params_axis must be equal to or greater than input_x shape size, But got "
            f"begin_params_axis: {own}, input_x shape size: {t.ndim}, gamma shape size: {gamma.ndim}, beta "
            f"shape size: {beta.ndim}.")


def _vector(t) -> str:
    return f"[const vector]{{{', '.join(map(str, t.shape))}}}"


@op
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalises the last dimensions, of shape ``normalized_shape`` (``mindspore.ops.layer_norm``)."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    return torch.layer_norm(input, shape, weight, bias, eps)


@primitive("LayerNorm", init={"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-7})
def _layer_norm(input_x, gamma, beta, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    """Layer normalisation (``mindspore.ops.LayerNorm``): ``(output, mean, variance)``, these two Float32."""
    y, mean, variance = layer_normalised(input_x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon)
    return y, mean.float(), variance.float()


def group_normalised(t, groups: int, weight, bias, eps: float):
    """Group normalisation of (N, C, ...)."""
    if weight is not None and weight.shape != (t.shape[1],):
        raise ValueError("For GroupNorm, shape of weight and bias should be equal to input_x's channel "
                         f"dimension: {t.shape[1]}, bug got shape: {_vector(weight)}.")
    return torch.group_norm(t, groups, weight, bias, eps)


def check_one_dtype(input, weight, bias) -> None:
    """Refuse weights of another dtype than the input's."""
    given = [(name, t) for name, t in (("input", input), ("weight", weight), ("bias", bias)) if t is not None]
    if len({t.dtype for _, t in given}) > 1:
        kinds = ", ".join(f"{name}'s type: {from_torch(t.dtype)}" for name, t in given)
        raise asked(TypeError("For GroupNorm. input arguments' types must be the same and be one of "
                              f"[BFloat16, Float16, Float32, Float64]. But got {kinds}."))


@op
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalises groups of channels of (N, C, ...) (``mindspore.ops.group_norm``)."""
    check_one_dtype(input, weight, bias)
    return group_normalised(input, num_groups, weight, bias, eps)


def instance_normalised(t, weight, bias, eps: float):
    """Normalises every channel of every sample."""
    return normalising.instance_norm(t, weight, bias, None, None, True, 0.0, eps, True)


@op
def batch_norm(input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-5):
    """Batch normalisation along axis 1 (``mindspore.ops.batch_norm``); ``momentum`` weighs the new
    statistics.

    While ``training``, ``running_mean`` and ``running_var`` are updated in place.
    """
    # No gradient goes to the statistics; torch refuses to look for one.
    moving = tuple(t.detach() if t.requires_grad else t for t in (running_mean, running_var))
    return normalising.batch_norm(input_x, weight, bias, *moving, training, momentum, eps, True)


@primitive_class
class BatchNorm(Primitive):
    """Batch normalisation (``mindspore.ops.BatchNorm``): ``(x, scale, bias, mean, variance)`` to five
    results.

    They are the output, the mean and variance used, and two that only a backward kernel reads. While
    ``is_training``, the Parameters ``mean`` and ``variance`` are updated: ``momentum`` weighs the batch's.
    """

    def __init__(self, is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW") -> None:
        super().__init__("BatchNorm")
        self.attrs = {"is_training": is_training, "epsilon": epsilon, "momentum": momentum,
                      "data_format": data_format}
        self.__dict__.update(self.attrs)
        self.data_format = FORMS["enum"](data_format)
        if is_training:
            self.attrs["side_effect_mem"] = True

    def __call__(self, *inputs, **named):
        if not named:
            return self._compute(*inputs)
        names = ("input_x", "scale", "bias", "mean", "variance")[len(inputs):]
        if (mode.inside or graph_streams.here.call is not None) and set(named) == set(names):
            return self._compute(*inputs, *(named[name] for name in names))      # PyNative takes no names
        wrong = next((name for name in named if name not in names), next(iter(named)))
        raise TypeError(f"BatchNorm.__call__() got an unexpected keyword argument '{wrong}'")

    def _compute(self, x, scale, bias, mean, variance, /):
        if self.data_format is None:
            raise asked(TypeError('Failed calling BatchNorm with "BatchNorm(is_training=bool, epsilon=float, '
                                  'momentum=float, data_format=string)(input_x=Tensor, scale=Tensor, '
                                  'bias=Tensor, mean=Tensor, variance=Tensor)".'))
        t = x._t
        if not self.is_training:
            moving = mean._t.detach(), variance._t.detach()
            y = normalising.batch_norm(t, scale._t, bias._t, *moving, False, 0.0, self.epsilon,
                                       True)
            return wrap(y), wrap(mean._t), wrap(variance._t), wrap(mean._t), wrap(variance._t)
        y, used, rstd = normalising.native_batch_norm(t, scale._t, bias._t, None, None, True, 0.0,
                                                      self.epsilon)
        spread = rstd.reciprocal().square() - self.epsilon
        count = t.numel() // t.shape[1]
        m = self.momentum
        for param, new in ((mean, used), (variance,
                                          spread * (count / (count - 1) if count > 1 else math.nan))):
            value = (1 - m) * param._t.detach() + m * new.detach()
            if hasattr(param, "_assign"):
                param._assign(value)
            else:
                param._write(lambda t, value=value: t.copy_(value))
        return wrap(y), wrap(used), wrap(spread), wrap(used), wrap(spread)

    _compute.__name__, _compute.__qualname__ = "__call__", "BatchNorm.__call__"
    __call__.__signature__ = inspect.signature(_compute)


@primitive("InstanceNorm", init={"epsilon": 1e-5, "momentum": 0.1})
def _instance_norm(input_x, gamma, beta, mean, variance, epsilon=1e-5, momentum=0.1):
    """Instance normalisation (``InstanceNorm``): gives ``(output, mean, variance)`` per sample and channel.
    """
    flat = input_x.flatten(2)
    return (instance_normalised(input_x, gamma, beta, epsilon), flat.mean(2).flatten(),
            flat.var(2, correction=0).flatten())


@op(primitive="LRN", init={"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5,
                           "norm_region": "ACROSS_CHANNELS"})
def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
    """Local response normalisation over 2 * depth_radius + 1 channels (``mindspore.ops.lrn``).

    Unlike torch's, ``alpha`` weighs the sum, not the mean, of the squares.
    """
    if norm_region != "ACROSS_CHANNELS":
        raise ValueError("For 'LRN', the 'norm_region' must be str and must be in '['ACROSS_CHANNELS']', "
                         f"but got '{norm_region}'.")
    size = 2 * depth_radius + 1
    return F.local_response_norm(x, size, alpha * size, beta, bias)


@primitive("L2Normalize", init={"axis": 0, "epsilon": 1e-4})
def _l2_normalize(input_x, axis=0, epsilon=1e-4):
    """``x / sqrt(max(sum(x^2), epsilon))`` along ``axis`` (``mindspore.ops.L2Normalize``)."""
    axis = axis if isinstance(axis, int) else tuple(axis)
    if isinstance(axis, tuple) and len(axis) != 1:
        raise TypeError(f"For 'L2Normalize', the length of 'axis' must be 1, but got {len(axis)}, "
                        "later will support multiple axis!")
    squares = input_x.square().sum(axis, keepdim=True)
    # The gradient is that of the unclamped norm at the clamped one's value, as MindSpore has it.
    clamped = torch.where(squares < epsilon, epsilon + (squares - squares.detach()), squares)
    return input_x / clamped.sqrt()


def statistics(x: Tensor, axis, keep_dims: bool):
    """Mean and (biased) variance along ``axis``."""
    t = x._t
    return (wrap(t.mean(axis, keepdim=keep_dims)), wrap(t.var(axis, correction=0, keepdim=keep_dims)))
