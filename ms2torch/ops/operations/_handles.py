"""What operators keep on the host from call to call, under the handles that they give out."""

from __future__ import annotations

from itertools import count
from typing import Generic, TypeVar

import torch

from ms2torch._core import mode
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.dtype import to_torch
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common import dtype as _dtype

Held = TypeVar("Held")


class Handles(Generic[Held]):
    """Objects by their handles, Int64 Tensors that count from 0; ``kind`` is what errors call them."""

    def __init__(self, kind: str, shape: tuple = ()) -> None:
        self._kind, self._shape = kind, shape
        self._held: dict[int, Held] = {}
        self._next = count()

    def add(self, held: Held) -> Tensor:
        number = next(self._next)
        self._held[number] = held
        return self.told(number)

    def told(self, number: int) -> Tensor:
        """The Tensor that names a handle."""
        return Tensor([number] if self._shape else number, _dtype.int64)

    def __getitem__(self, handle) -> Held:
        if mode.tracing is not None:            # a compiled graph would change it once, not at each step
            mode.tracing.refuse_state(self._kind)
        found = self._held.get(int(handle))
        if found is None:
            raise RuntimeError(f"The handle {int(handle)} names no {self._kind}: it was closed, or never "
                               "made.")
        return found

    def close(self, handle) -> None:
        """Forget what a handle names."""
        self[handle]
        del self._held[int(handle)]


class OfHandle(Primitive):
    """An operator on what a handle among ``handles`` names."""

    handles: Handles

    def __init__(self) -> None:
        super().__init__(type(self).__name__)
        self.add_prim_attr("side_effect_mem", True)


class Size(OfHandle):
    """How many Tensors there are, an Int64 Tensor."""

    def __call__(self, handle) -> Tensor:
        return Tensor(len(self.handles[handle].held), _dtype.int64)


class Clear(OfHandle):
    """Forgets the Tensors."""

    def __call__(self, handle) -> None:
        self.handles[handle].held.clear()


class Close(OfHandle):
    """Forgets what the handle names; it is gone."""

    def __call__(self, handle) -> None:
        self.handles.close(handle)


def element(owner: str, name: str, value, kind, shape: tuple) -> torch.Tensor:
    """The torch tensor of what is to be kept, a Tensor or a number; TypeError and ValueError for another
    dtype and shape."""
    value = value if isinstance(value, Tensor) else Tensor(value, kind)
    if value._t.dtype is not to_torch(kind):
        raise TypeError(f"For '{owner}', the dtype of '{name}' must be {kind}, but got {value.dtype}.")
    if value.shape != shape:
        raise ValueError(f"For '{owner}', the shape of '{name}' must be {shape}, but got {value.shape}.")
    return value._t
