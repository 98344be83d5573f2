"""A list of Tensors of one shape that grows (``mindspore.nn.reinforcement.tensor_array``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common import dtype as _dtype

from ..cell import Cell


class TensorArray(Cell):
    """Tensors of ``dtype`` and ``element_shape`` by their places (``mindspore.nn.TensorArray``, 1.6 to 2.6).

    With ``dynamic_size`` it grows as it is written, places left out hold zeros; without it has ``size``
    places. IndexError for a place that it does not have, TypeError and ValueError for a Tensor of another
    kind or shape, RuntimeError once it is closed. Gradients go through `read` and `stack` to what was
    written.
    """

    def __init__(self, dtype, element_shape, dynamic_size=True, size=0, name="TA") -> None:
        super().__init__()
        check.check_subclass("dtype", dtype, (*_dtype.number_type, _dtype.bool_), self.cls_name)
        check.check_int(size, 0, check.GE, "size", self.cls_name)
        self._kind, self._element = dtype, tuple(element_shape)
        self._limit = None if dynamic_size else size
        self._rows: list[torch.Tensor] | None = []

    def _open(self) -> list[torch.Tensor]:
        if self._rows is None:
            raise RuntimeError("For 'TensorArray', it is closed; `clear` empties one that is used again.")
        return self._rows

    def write(self, index, value) -> bool:
        """Put ``value`` to place ``index`` (both a Tensor or a number)."""
        rows, place = self._open(), int(index)
        value = value if isinstance(value, Tensor) else Tensor(value, self._kind)
        if value.dtype != self._kind:
            raise TypeError(f"For 'TensorArray', the dtype of 'value' must be {self._kind}, but got "
                            f"{value.dtype}.")
        if value.shape != self._element:
            raise ValueError(f"For 'TensorArray', the shape of 'value' must be {self._element}, but got "
                             f"{value.shape}.")
        if place < 0 or (self._limit is not None and place >= self._limit):
            raise IndexError(f"For 'TensorArray', the index {place} is outside its {self._limit} places."
                             if place >= 0 else f"For 'TensorArray', the index {place} must not be negative.")
        while len(rows) <= place:
            rows.append(torch.zeros_like(value._t))
        rows[place] = value._t.clone()                  # what is written to the Tensor later is not meant
        return True

    def read(self, index) -> Tensor:
        """The Tensor at place ``index``."""
        rows, place = self._open(), int(index)
        if not 0 <= place < len(rows):
            raise IndexError(f"For 'TensorArray', the index {place} is outside its {len(rows)} places.")
        return wrap(rows[place])

    def stack(self) -> Tensor:
        """All of them, along a new first axis."""
        rows = self._open()
        return wrap(torch.stack(rows)) if rows else Tensor(shape=(0, *self._element), dtype=self._kind)

    def size(self) -> Tensor:
        """How many there are, an Int64 Tensor."""
        return Tensor(len(self._open()), _dtype.int64)

    def clear(self) -> bool:
        """Forget all of them."""
        self._open().clear()
        return True

    def close(self) -> bool:
        """Forget all of them for good."""
        self._open()
        self._rows = None
        return True
