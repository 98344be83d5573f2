"""Lists of Tensors that grow, by handles (``mindspore.ops.operations._tensor_array``, 1.6 to 2.6)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core import mode
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common import dtype as _dtype

from ._handles import Clear, Close, Handles, OfHandle, Size, element

_KINDS = (*_dtype.number_type, _dtype.bool_)


class Rows:
    """Tensors of one dtype and shape by their places; ``limit`` places at most, where it is a number.

    Places left out hold zeros. What is kept is a copy, and gradients go through it.
    """

    def __init__(self, kind, shape, limit: int | None) -> None:
        self.kind, self.shape, self.limit = kind, tuple(shape), limit
        self.held: list[torch.Tensor] = []

    def write(self, index, value) -> None:
        place = int(index)
        value = element("TensorArray", "value", value, self.kind, self.shape)
        if place < 0 or (self.limit is not None and place >= self.limit):
            raise IndexError(f"For 'TensorArray', the index {place} is outside its {self.limit} places."
                             if place >= 0 else f"For 'TensorArray', the index {place} must not be negative.")
        while len(self.held) <= place:
            self.held.append(torch.zeros_like(value))
        self.held[place] = value.clone()                # what is written to the Tensor later is not meant

    def _at(self, place: int) -> torch.Tensor:
        if not 0 <= place < len(self.held):
            raise IndexError(f"For 'TensorArray', the index {place} is outside its {len(self.held)} places.")
        return self.held[place]

    def read(self, index) -> Tensor:
        return _given(self._at(int(index)).clone())

    def stack(self) -> Tensor:
        if not self.held:
            return Tensor(shape=(self.limit or 0, *self.shape), dtype=self.kind)
        unwritten = (self.limit or 0) - len(self.held)
        return _given(torch.stack(self.held + unwritten * [torch.zeros_like(self.held[0])]))

    def gather(self, indices) -> Tensor:
        return _given(torch.stack([self._at(place) for place in indices.asnumpy().tolist()]))


def _given(value: torch.Tensor) -> Tensor:
    """What is read: at rest nothing requires a gradient, also of what a pass has written."""
    return wrap(value if mode.differentiation is not None else value.detach())


_arrays: Handles[Rows] = Handles("TensorArray")


class TensorArray(Primitive):
    """Makes a list of Tensors, and gives its handle, an Int64 Tensor; see `Rows`."""

    def __init__(self, dtype, element_shape, dynamic_size=True, size=0, name="TA") -> None:
        super().__init__("TensorArray")
        check.check_type_name("dtype", dtype, _KINDS, self.name)
        check.check_int(size, 0, check.GE, "size", self.name)
        self.add_prim_attr("dtype", dtype)
        self.add_prim_attr("element_shape", element_shape)
        self.add_prim_attr("dynamic_size", dynamic_size)
        self.add_prim_attr("size", size)
        self.add_prim_attr("side_effect_mem", True)

    def __call__(self) -> Tensor:
        return _arrays.add(Rows(self.dtype, self.element_shape, None if self.dynamic_size else self.size))


class TensorArrayWrite(OfHandle):
    """Puts a Tensor to a place of the list."""

    def __call__(self, handle, index, value) -> None:
        _arrays[handle].write(index, value)


class TensorArrayClear(Clear):
    """Empties the list."""

    handles = _arrays


class TensorArrayClose(Close):
    """Forgets the list; its handle is gone."""

    handles = _arrays


class TensorArraySize(Size):
    """How many places the list has, an Int64 Tensor."""

    handles = _arrays


class _OfElements(OfHandle):
    """An operator that is told what the list holds."""

    def __init__(self, dtype, element_shape) -> None:
        super().__init__()
        check.check_type_name("dtype", dtype, _KINDS, self.name)
        self.add_prim_attr("dtype", dtype)
        self.add_prim_attr("element_shape", element_shape)

    def _rows(self, handle) -> Rows:
        rows = _arrays[handle]
        if rows.kind != self.dtype or rows.shape != tuple(self.element_shape):
            raise TypeError(f"For '{self.name}', the list holds {rows.kind} of shape {rows.shape}, but "
                            f"{self.dtype} of shape {tuple(self.element_shape)} is asked for.")
        return rows


class TensorArrayRead(_OfElements):
    """The Tensor at a place of the list."""

    def __call__(self, handle, index) -> Tensor:
        return self._rows(handle).read(index)


class TensorArrayStack(_OfElements):
    """All Tensors of the list, along a new first axis."""

    def __init__(self, dtype, element_shape, dynamic_size=True, size=0) -> None:
        super().__init__(dtype, element_shape)
        self.add_prim_attr("is_dynamic_shape", dynamic_size)
        self.add_prim_attr("size", size)

    def __call__(self, handle) -> Tensor:
        return self._rows(handle).stack()


class TensorArrayGather(_OfElements):
    """The Tensors at the places of a one-dimensional Int32 Tensor, along a new first axis."""

    def __call__(self, handle, indices) -> Tensor:
        if indices.ndim != 1:
            raise ValueError(f"For '{self.name}', the dimension of 'indices' must be 1, but got "
                             f"{indices.ndim}.")
        return self._rows(handle).gather(indices)
