"""Loss scalers for functional training loops, and mixed precision (``mindspore.amp``)."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import torch

from ms2torch import _checkparam as check
from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.checks.words import renderings
from ms2torch._core.gradient import amp as _amp
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from ms2torch.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]


def all_finite(inputs) -> Tensor:
    """A Bool scalar: whether everything in a tuple or list of Tensors is finite
    (``mindspore.amp.all_finite``)."""
    if isinstance(inputs, (tuple, list)) and not inputs:
        raise ValueError("For primitive[AddN], the concat element num must be greater than or equal to 1, "
                         "but got 0.\n")
    if isinstance(inputs, (Tensor, dict)):
        kind = "Tensor[Int64]" if isinstance(inputs, Tensor) else \
            f"Dictionary[[{''.join(f'{k},' for k in inputs)}],[{','.join('Tensor[Int64]' for _ in inputs)}]]"
        raise TypeError(f'Failed calling AddN with "x={kind}".\n'
                        'The valid calling should be: "x=<list of tensor, tuple of Tensor>".\n')
    for one in inputs if isinstance(inputs, (tuple, list)) else (inputs,):
        if isinstance(one, (bool, int, float)):
            raise TypeError(f'Failed calling IsFinite with "input={renderings(one)["kind"]}".\n'
                            'The valid calling should be: "input=<Tensor>".\n')
        if one is None or isinstance(one, (str, np.ndarray)):
            raise TypeError("For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, "
                            "tuple, list, dict) or their nested structures with no self-reference, but got "
                            f"{type(inputs).__name__}: {inputs}.")
    return wrap(_amp.non_finite(inputs).logical_not())


class LossScaler(ABC):
    """Base of the scalers: ``scale`` the loss, ``unscale`` the gradients, ``adjust`` after the step."""

    @abstractmethod
    def scale(self, inputs):
        """The Tensor or tuple of Tensors times the scale."""

    @abstractmethod
    def unscale(self, inputs):
        """The Tensor or tuple of Tensors divided by the scale."""

    @abstractmethod
    def adjust(self, grads_finite):
        """Change the scale after a step whose gradients were finite or not."""


class _InParameter(LossScaler):
    """A scaler whose scale is a Parameter. ValueError for a scale below 1."""

    def __init__(self, scale_value) -> None:
        self.scale_value = _scale_parameter(scale_value)

    def scale(self, inputs):
        return _times(inputs, self.scale_value._t)

    def unscale(self, inputs):
        return _times(inputs, self.scale_value._t.reciprocal())


@wrap_class
class StaticLossScaler(_InParameter):
    """A constant scale (``mindspore.amp.StaticLossScaler``). ValueError for a scale below 1."""

    def __init__(self, scale_value) -> None:
        super().__init__(scale_value)

    def adjust(self, grads_finite) -> bool:
        """The scale is constant: returns False."""
        return False


@wrap_class
class DynamicLossScaler(_InParameter):
    """A scale that falls with overflows and rises without (``mindspore.amp.DynamicLossScaler``).

    ``adjust(True)`` for ``scale_window`` steps in a row multiplies the scale by ``scale_factor`` unless that
    is infinite; ``adjust(False)`` divides it, not below 1, and starts the count again.
    """

    def __init__(self, scale_value, scale_factor, scale_window) -> None:
        super().__init__(scale_value)
        self.scale_window = check.check_positive_int(scale_window, "scale_window")
        self.scale_factor = check.check_positive_int(scale_factor, "scale_factor")
        self.counter = Parameter(Tensor(0, dtype=_dtype.int32), name="counter")

    def adjust(self, grads_finite) -> bool:
        scale, counter = self.scale_value._t, self.counter._t
        if not isinstance(grads_finite, Tensor):
            kind = renderings(grads_finite)["call"]
            raise TypeError(f'Failed calling Select with "Select()(condition={kind}, input=Tensor, '
                            'other=Tensor)".\nThe valid calling should be: \n"Select()(condition=<Tensor>, '
                            'input=<Number, Tensor>, other=<Number, Tensor>)".\n')
        finite = grads_finite._t
        grown = scale * self.scale_factor
        grown = torch.where((counter == self.scale_window - 1) & torch.isfinite(grown), grown, scale)
        lowered = torch.clamp(scale / self.scale_factor, min=1.0)
        self.scale_value._assign(torch.where(finite, grown, lowered))
        self.counter._assign((counter + 1) % self.scale_window * finite)
        return True


def _scale_parameter(value) -> Parameter:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("The type of 'scale_value' should be one of '['float', 'int']', but got type "
                        f"'{type(value).__name__}'.")
    if value < 1.0:
        raise ValueError(f"The argument 'scale_value' must be > 1, but got {value}")
    return Parameter(Tensor(float(value), dtype=_dtype.float32), name="scale_value")


def _times(inputs, factor: torch.Tensor):
    """``inputs`` times a Float32 scalar, each in its own dtype; differentiable for the loss, foreach for
    gradients."""
    if isinstance(inputs, Tensor):
        return wrap(inputs._t * factor.to(inputs._t.dtype))
    if isinstance(inputs, (int, float)):
        raise AttributeError(f"'{type(inputs).__name__.capitalize()}' object has no attribute 'dtype'")
    kind = list if isinstance(inputs, list) else tuple
    raw = [x._t for x in inputs]
    if raw and all(t.dtype is torch.float32 for t in raw):
        return kind(map(wrap, torch._foreach_mul(raw, factor)))
    return kind(wrap(t * factor.to(t.dtype)) for t in raw)
