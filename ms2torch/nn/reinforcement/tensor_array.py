"""A list of Tensors of one shape that grows (``mindspore.nn.reinforcement.tensor_array``)."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common import dtype as _dtype
from ms2torch.ops.operations._tensor_array import Rows

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
        self._rows: Rows | None = Rows(dtype, element_shape, None if dynamic_size else size)

    def _open(self) -> Rows:
        if self._rows is None:
            raise RuntimeError("For 'TensorArray', it is closed; `clear` empties one that is used again.")
        return self._rows

    def write(self, index, value) -> bool:
        """Put ``value`` to place ``index`` (both a Tensor or a number)."""
        self._open().write(index, value)
        return True

    def read(self, index) -> Tensor:
        """The Tensor at place ``index``."""
        return self._open().read(index)

    def stack(self) -> Tensor:
        """All of them, along a new first axis; zeros at places without a Tensor."""
        return self._open().stack()

    def size(self) -> Tensor:
        """How many there are, an Int64 Tensor."""
        return Tensor(len(self._open().held), _dtype.int64)

    def clear(self) -> bool:
        """Forget all of them."""
        self._open().held.clear()
        return True

    def close(self) -> bool:
        """Forget all of them for good."""
        self._open()
        self._rows = None
        return True
