"""What a Tensor gives to others: torch, numpy, DLPack, Python's numbers."""

from __future__ import annotations

import operator
from types import FunctionType

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.random import graph_streams

# What numpy calls the operators that a numpy number and a Tensor meet in, and Python's form of each.
_OPERATORS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.true_divide: operator.truediv, np.floor_divide: operator.floordiv,
    np.remainder: operator.mod, np.power: operator.pow,
    np.greater: operator.gt, np.greater_equal: operator.ge, np.less: operator.lt, np.less_equal: operator.le,
    np.equal: operator.eq, np.not_equal: operator.ne,
}
_COMPARING = {np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal}


class Exchange:
    """The part of Tensor that hands its data out; `_t` is the torch tensor."""

    __slots__ = ()

    # ---- arrays ----------------------------------------------------------------------------------------

    def torch(self) -> torch.Tensor:
        """The torch.Tensor inside: no copy, same memory (ms2torch's own method)."""
        return self._t

    def asnumpy(self) -> np.ndarray:
        """The data as a numpy array (``Tensor.asnumpy``): on the CPU it shares memory, but for views (a
        row, a reshaped Tensor), of which it is a copy.

        bfloat16 comes as float32.
        """
        if mode.tracing is not None:
            mode.tracing.read(self)
        t = self._t
        of_a_view = t._is_view()
        if t.requires_grad:
            t = t.detach()
        if t.__class__ is not torch.Tensor and hasattr(t, "full_tensor"):
            t = t.full_tensor()     # lies on several ranks
        if t.dtype is torch.bfloat16:
            t = t.float()
        if not t.is_cpu:
            t = t.cpu()
        if t.is_conj() or t.is_neg():
            t = t.resolve_conj().resolve_neg()
        return t.numpy().copy() if of_a_view else t.numpy()

    numpy = asnumpy

    def __array__(self, dtype=None, copy=None):
        array = self.asnumpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """What numpy's functions make of a Tensor: arrays. In a graph ``np.sqrt(8) * x`` is a Tensor, as in
        MindSpore: the number on the left is a constant of the graph, and gradients go through."""
        if mode.inside or graph_streams.here.call is not None:
            form = _OPERATORS.get(ufunc) if method == "__call__" and not kwargs else None
            left = inputs[0]
            # Comparing, numpy makes an array of its number first.
            kinds = (np.generic, np.ndarray) if ufunc in _COMPARING else np.generic
            if form is not None and isinstance(left, kinds) and not left.ndim:
                return form(left.item(), inputs[1])
        if any(isinstance(out, Exchange) for out in kwargs.get("out", ())):
            raise TypeError("return arrays must be of ArrayType")
        arrays = (x.__array__() if isinstance(x, Exchange) else x for x in inputs)
        return getattr(ufunc, method)(*arrays, **kwargs)

    def __dlpack__(self, stream=None):
        return self._t.detach().__dlpack__()

    def __dlpack_device__(self):
        return self._t.__dlpack_device__()

    # ---- Python's numbers ------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        t = self._t
        if t.numel() != 1:
            raise ValueError(f"The tensor should have only one element, but got {t.numel()}, more than one "
                             "element is ambiguous.")
        if mode.tracing is not None:
            mode.tracing.read(self, decides=True)
        return bool(t)

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def __complex__(self) -> complex:
        return complex(self._scalar())

    def __index__(self) -> int:
        t = self._t
        if t.is_floating_point() or t.is_complex() or t.numel() != 1:
            raise ValueError("Only integer tensors of a single element can be converted to an index.")
        if mode.tracing is not None:
            mode.tracing.read(self, decides=True)
        return int(t)

    def _scalar(self):
        t = self._t
        if t.numel() != 1:
            raise ValueError("Only one element tensors can be converted to Python scalars")
        if mode.tracing is not None:
            mode.tracing.read(self)
        return t.item()


for _method in vars(Exchange).values():          # what Python's errors call its methods
    if isinstance(_method, FunctionType):
        _method.__qualname__ = f"Tensor.{_method.__name__}"
