"""What a Tensor gives to others: torch, numpy, DLPack, Python's numbers."""

from __future__ import annotations

from types import FunctionType

import numpy as np
import torch

from ms2torch._core import mode


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
