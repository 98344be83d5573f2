"""Tensors without data: those that an initializer fills when they are first read, and descriptions of inputs.

Each becomes a plain Tensor as soon as it has data, so that no hot path asks which one it holds.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.devices.device import device

from . import dtype as _dtype
from . import printing
from .tensor import Tensor, wrap

# As many elements are said to be missing; of more only that there are some.
_SHOWN = 30


def _of_shape(name: str) -> property:
    """A property of Tensors that needs no data."""
    return property(lambda self: getattr(self._hollow(), name))


class Deferred(Tensor):
    """A Tensor whose data its initializer makes when ``_t`` is first read; then it becomes a plain Tensor."""

    __slots__ = ()

    @property
    def _t(self) -> torch.Tensor:
        shape, dtype, init = self.__dict__["_waiting"]
        array = np.ones(
            shape, dtype=np.float32 if dtype is torch.bfloat16 else _dtype.from_torch(dtype).numpy
        )
        init(array)
        data = torch.from_numpy(array).to(device=device(), dtype=dtype)
        self._t = data
        return data

    @_t.setter
    def _t(self, value) -> None:
        self.__dict__.pop("_waiting", None)
        self.__dict__.pop("init", None)
        self.__class__ = Tensor
        self._t = value

    @property
    def shape(self):
        return tuple(self.__dict__["_waiting"][0])

    @property
    def dtype(self):
        return _dtype.from_torch(self.__dict__["_waiting"][1])

    ndim, size, itemsize, nbytes, strides = map(_of_shape, ("ndim", "size", "itemsize", "nbytes", "strides"))

    def dim(self) -> int:
        return self.ndim

    def numel(self) -> int:
        return self.size

    nelement = numel

    def __len__(self) -> int:
        return len(self._hollow())

    def _hollow(self) -> Tensor:
        """What has its shape and dtype, and no data."""
        shape, dtype, _ = self.__dict__["_waiting"]
        return wrap(torch.empty(tuple(shape), dtype=dtype, device="meta"))

    def __repr__(self) -> str:
        return printing.to_repr(torch.zeros(self.shape, dtype=self.__dict__["_waiting"][1]), False)

    def __str__(self) -> str:
        if math.prod(self.shape) < _SHOWN:
            value = ("\n" if len(self.shape) > 1 else "") + "<uninitialized>"
        else:
            value = "[...]"
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={value})"


def defer(tensor: Tensor, shape, dtype, init) -> None:
    tensor.__dict__["_waiting"] = (shape, _dtype.to_torch(dtype), init)
    tensor.init = init
    tensor.__class__ = Deferred


class Described(Tensor):
    """An input of unknown sizes (-1) or rank (-2), for ``Cell.set_inputs``: it has no data."""

    __slots__ = ()

    @property
    def _t(self):
        raise ValueError(f"A Tensor of the unknown shape {self.shape} describes an input; it has no data.")

    @_t.setter
    def _t(self, value) -> None:
        self.__class__ = Tensor
        self._t = value

    @property
    def shape(self):
        return self.__dict__["_sizes"]

    @property
    def dtype(self):
        return self.__dict__["_kind"]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return 0

    def __repr__(self) -> str:
        blank = "\n" if self.ndim > 1 else " "
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={blank})"

    def __str__(self) -> str:
        raise ValueError("negative dimensions are not allowed")

    def __copy__(self):
        return Tensor(shape=self.shape, dtype=self.dtype)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce_ex__(self, protocol):
        return Tensor, (None, self.dtype, self.shape)


def describe(tensor: Tensor, shape, dtype) -> None:
    tensor.__dict__["_sizes"] = shape
    tensor.__dict__["_kind"] = _dtype.from_torch(_dtype.to_torch(dtype))
    tensor.__class__ = Described
