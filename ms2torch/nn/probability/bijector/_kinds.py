"""The bijectors that MindSpore has, by their formulas."""

from __future__ import annotations

from functools import wraps

import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.tensor.tensor import wrap
from ms2torch.nn.layer.activation import LogSigmoid

from .bijector import Bijector


def _kernel(function):
    """A method over the raw value, in Tensors."""
    @wraps(function)
    def call(self, value):
        return wrap(function(self, self._check_value_dtype(value)._t))

    return call


class PowerTransform(Bijector):
    """y = (1 + c x)^(1 / c), c = ``power``; e^x for 0. ValueError for a negative power."""

    def __init__(self, power=0.0, name="PowerTransform") -> None:
        param = {"power": power, "name": name, "param_dict": {"power": power}}
        super().__init__(name=name, dtype=None, param=param)
        self._power = self._add_parameter(power, "power")
        if bool((self._power._t < 0).any()):
            raise ValueError("Power must be greater than or equal to zero.")

    @property
    def power(self):
        """The exponent c."""
        return self._power

    @_kernel
    def _forward(self, x):
        c = self._power._t.to(x.dtype)
        safe = torch.where(c == 0, 1.0, c)
        return torch.where(c == 0, x.exp(), torch.log1p(x * safe).div(safe).exp())

    @_kernel
    def _inverse(self, y):
        c = self._power._t.to(y.dtype)
        safe = torch.where(c == 0, 1.0, c)
        return torch.where(c == 0, y.log(), torch.expm1(y.log() * safe) / safe)

    @_kernel
    def _forward_log_jacobian(self, x):
        c = self._power._t.to(x.dtype)
        safe = torch.where(c == 0, 1.0, c)
        return torch.where(c == 0, x, (1 / safe - 1) * torch.log1p(x * safe))

    @_kernel
    def _inverse_log_jacobian(self, y):
        return (self._power._t.to(y.dtype) - 1) * y.log()


class Exp(PowerTransform):
    """y = e^x."""

    def __init__(self, name="Exp") -> None:
        super().__init__(0.0, name)

    def extend_repr(self) -> str:
        return "exp"


class ScalarAffine(Bijector):
    """y = scale * x + shift."""

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine") -> None:
        param = {"scale": scale, "shift": shift, "name": name, "param_dict": {"scale": scale, "shift": shift}}
        super().__init__(is_constant_jacobian=True, name=name, dtype=None, param=param)
        self._scale = self._add_parameter(scale, "scale")
        self._shift = self._add_parameter(shift, "shift")

    @property
    def scale(self):
        return self._scale

    @property
    def shift(self):
        return self._shift

    @_kernel
    def _forward(self, x):
        return self._scale._t.to(x.dtype) * x + self._shift._t.to(x.dtype)

    @_kernel
    def _inverse(self, y):
        return (y - self._shift._t.to(y.dtype)) / self._scale._t.to(y.dtype)

    @_kernel
    def _forward_log_jacobian(self, x):
        return self._scale._t.to(x.dtype).abs().log()

    @_kernel
    def _inverse_log_jacobian(self, y):
        return -self._scale._t.to(y.dtype).abs().log()


class Softplus(Bijector):
    """y = log(1 + e^(k x)) / k, k = ``sharpness``."""

    def __init__(self, sharpness=1.0, name="Softplus") -> None:
        param = {"sharpness": sharpness, "name": name, "param_dict": {"sharpness": sharpness}}
        super().__init__(name=name, dtype=None, param=param)
        self._sharpness = self._add_parameter(sharpness, "sharpness")
        self.log_sigmoid = LogSigmoid()

    @property
    def sharpness(self):
        return self._sharpness

    @_kernel
    def _forward(self, x):
        k = self._sharpness._t.to(x.dtype)
        return torch.logaddexp(k * x, torch.zeros_like(x)) / k

    @_kernel
    def _inverse(self, y):
        k = self._sharpness._t.to(y.dtype)
        return (k * y + torch.log(-torch.expm1(-k * y))) / k

    @_kernel
    def _forward_log_jacobian(self, x):
        return F.logsigmoid(self._sharpness._t.to(x.dtype) * x)

    @_kernel
    def _inverse_log_jacobian(self, y):
        return -torch.log(-torch.expm1(-self._sharpness._t.to(y.dtype) * y))


class GumbelCDF(Bijector):
    """y = e^(-e^(-(x - loc) / scale))."""

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF") -> None:
        param = {"loc": loc, "scale": scale, "name": name, "param_dict": {"loc": loc, "scale": scale}}
        super().__init__(name=name, dtype=None, param=param)
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        if not bool((self._scale._t > 0).all()):
            raise ValueError("scale must be greater than zero.")

    @property
    def loc(self):
        return self._loc

    @property
    def scale(self):
        return self._scale

    def _own(self, like):
        return self._loc._t.to(like.dtype), self._scale._t.to(like.dtype)

    @_kernel
    def _forward(self, x):
        loc, scale = self._own(x)
        return torch.exp(-torch.exp(-(x - loc) / scale))

    @_kernel
    def _inverse(self, y):
        loc, scale = self._own(y)
        return loc - scale * torch.log(-torch.log(y))

    @_kernel
    def _forward_log_jacobian(self, x):
        loc, scale = self._own(x)
        z = (x - loc) / scale
        return -z - torch.exp(-z) - scale.log()

    @_kernel
    def _inverse_log_jacobian(self, y):
        _, scale = self._own(y)
        return torch.log(scale / (-y * y.log()))


class Invert(Bijector):
    """Another bijector the other way round."""

    def __init__(self, bijector, name="") -> None:
        check.check_value_type("bijector", bijector, [Bijector], "Invert")
        name = name or "Invert" + bijector.name
        super().__init__(bijector.is_constant_jacobian, bijector.is_injective, name, bijector.dtype,
                         {"bijector": bijector, "name": name})
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    @property
    def bijector(self):
        return self._bijector

    def forward(self, x):
        return self.bijector("inverse", x)

    def inverse(self, y):
        return self.bijector("forward", y)

    def forward_log_jacobian(self, x):
        return self.bijector("inverse_log_jacobian", x)

    def inverse_log_jacobian(self, y):
        return self.bijector("forward_log_jacobian", y)
