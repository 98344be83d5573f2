"""The base of bijectors (``mindspore.nn.probability.bijector.Bijector``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as check
from ms2torch._core.errors import final
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.cell import Cell

from .._parameters import FLOATS, broadcast

__all__ = ["Bijector"]


class Bijector(Cell):
    """An invertible map y = f(x) with the logarithms of its Jacobians.

    A subclass defines ``_forward``, ``_inverse``, ``_forward_log_jacobian`` and ``_inverse_log_jacobian``.
    Called with a distribution it gives the distribution of f(x); with the name of a method it calls that.
    TypeError for values that are no float Tensors.
    """

    def __init__(self, is_constant_jacobian=False, is_injective=True, name=None, dtype=None,
                 param=None) -> None:
        super().__init__()
        check.check_value_type("name", name, [str], type(self).__name__)
        check.check_value_type("is_constant_jacobian", is_constant_jacobian, [bool], name)
        check.check_value_type("is_injective", is_injective, [bool], name)
        self._name, self._dtype = name, dtype
        self._given = {k: v for k, v in (param or {}).items()
                       if k not in ("param", "self") and not k.startswith("_")}
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        values = self._given.get("param_dict", {}).values()
        known = None if not values or any(v is None for v in values) else [Tensor(v) for v in values]
        self._batch_shape = broadcast(known) if known else None
        self._is_scalar_batch = bool(values) and all(isinstance(v, (int, float)) for v in values)

    def extend_repr(self) -> str:
        named = self._given.get("param_dict", {})
        if not self._is_scalar_batch:
            return f"batch_shape = {self._batch_shape}" if named else ""
        return ", ".join(f"{name} = {getattr(self, name)}" for name in named)

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def parameters(self) -> dict:
        return self._given

    @property
    def is_constant_jacobian(self) -> bool:
        return self._is_constant_jacobian

    @property
    def is_injective(self) -> bool:
        return self._is_injective

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def is_scalar_batch(self) -> bool:
        return self._is_scalar_batch

    def _add_parameter(self, value, name: str) -> Tensor:
        """A parameter as a Tensor; TypeError for None, bools, integers and dtypes that differ."""
        if isinstance(value, bool) or value is None:
            raise TypeError(f"{name} cannot be type {type(value)}")
        made = Tensor(value, float32 if isinstance(value, float) else None)
        own = value.dtype if isinstance(value, np.generic) else made.dtype
        if own != self.__dict__.setdefault("common_dtype", own):
            raise TypeError(f"{name} should have the same dtype as other arguments.")
        if not made._t.is_floating_point():
            check.check_type_name(f"dtype of {name}", made.dtype, FLOATS, type(self).__name__)
        return made

    def _check_value_dtype(self, value) -> Tensor:
        if not isinstance(value, Tensor):
            raise TypeError("For input value of bijector, input type must be a Tensor or Parameter.")
        if not value._t.is_floating_point():
            raise TypeError("For input value of bijector , the type must be or be subclass of Float, but got "
                            f"{value.dtype}")
        if self._dtype is not None and value.dtype != self._dtype:
            raise TypeError(f"The dtype of the input value of bijector should be {self._dtype}, but got "
                            f"{value.dtype}.")
        return value

    def cast_param_by_value(self, value, para):
        return para.astype(value.dtype)

    def forward(self, value, *args, **kwargs):
        """f(x)."""
        return self._forward(value, *args, **kwargs)

    def inverse(self, value, *args, **kwargs):
        """The x of y = f(x)."""
        return self._inverse(value, *args, **kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """log |f'(x)|."""
        return self._forward_log_jacobian(value, *args, **kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """log of the absolute derivative of the inverse at y."""
        return self._inverse_log_jacobian(value, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        from ..distribution.distribution import Distribution
        from ..distribution.transformed_distribution import TransformedDistribution

        if isinstance(args[0], Distribution):
            return TransformedDistribution(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name, *args, **kwargs):
        if name not in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
            raise final(Exception("Invalid name"))
        return getattr(self, name)(*args, **kwargs)
