"""Sparse tensors: values and where they stand (``COOTensor``, ``CSRTensor``, ``RowTensor``).

They hold Tensors and compute on the values; ``ops.function.sparse_func`` has the arithmetic between them.
torch's own sparse layouts are not used: MindSpore's keep explicit zeros, unsorted places and places outside.
"""

from __future__ import annotations

import ms2torch._checkparam_arrays as _rules
from ms2torch._core.tensor.tensor import Tensor


def _shown(tensor: Tensor) -> str:
    """A Tensor inside the repr of a sparse one: numbers without commas."""
    head, _, numbers = repr(tensor).partition("value=")
    return f"{head}value={numbers.lstrip(' ').replace(',', '')}"


def _alone(kind: str, given, others, cls) -> None:
    if not isinstance(given, cls):
        raise TypeError(f"Expect input `{kind}` to be a {cls.__name__}, but got {type(given)}")
    if any(other is not None for other in others):
        parts = "`indptr`, " * (cls.__name__ == "CSRTensor") + "`indices`, `values`, `shapes`"
        raise TypeError(f"If input `{kind}` is provided, {parts} should all be `None`")


class _Sparse:
    """What the kinds share: values, a shape, and what follows from them."""

    values: Tensor
    shape: tuple[int, ...]

    @property
    def dtype(self):
        """The values' dtype."""
        return self.values.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of a value."""
        return self.values.itemsize

    @property
    def size(self) -> int:
        """How many values are stored."""
        return self.values.size

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def _with(self, values: Tensor):
        """The same places with other values."""
        raise NotImplementedError

    def astype(self, dtype):
        """The same places, the values as another dtype."""
        return self._with(self.values.astype(dtype))

    def abs(self):
        """The same places, the values without their sign."""
        return self._with(self.values.abs())

    def __neg__(self):
        return self._with(-self.values)

    def _same_shape(self, other) -> None:
        if self.shape != getattr(other, "shape", None):
            raise ValueError("Input tensors should have the same shape.")


class COOTensor(_Sparse):
    """Value k stands at the indices in row k of ``indices`` (``mindspore.COOTensor``), in two dimensions.

    ``indices`` is (N, 2), ``values`` (N,), ``shape`` a tuple; or ``coo_tensor`` alone, to copy. TypeError and
    ValueError for parts that do not fit together.
    """

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None) -> None:
        if coo_tensor is not None:
            _alone("coo_tensor", coo_tensor, (indices, values, shape), COOTensor)
            indices, values, shape = coo_tensor.to_tuple()
        _rules.check_coo_tensor_input(indices, values, shape)
        _rules.check_coo_tensor_shape(indices.shape, values.shape, shape)
        _rules.check_coo_tensor_dtype(indices.dtype)
        self.indices, self.values, self.shape = indices, values, shape

    def __repr__(self) -> str:
        return (f"COOTensor(shape={list(self.shape)}, dtype={self.dtype}, indices={_shown(self.indices)}, "
                f"values={_shown(self.values)})")

    def _with(self, values):
        return COOTensor(self.indices, values, self.shape)

    def to_tuple(self):
        """(indices, values, shape)."""
        return self.indices, self.values, self.shape

    def coalesce(self) -> COOTensor:
        """Places sorted, each once, with the sum of its values."""
        return _sparse().coalesced(self)

    def to_csr(self) -> CSRTensor:
        """The CSR form of the coalesced tensor. TypeError for indices that are not Int32."""
        return _sparse().to_csr(self)

    def to_dense(self) -> Tensor:
        """All elements; values of one place are added."""
        return _sparse().to_dense(self)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        """The sum; where both have a value, sums below ``thresh`` are left out."""
        return _sparse().coo_add(self, other, thresh)

    def __add__(self, other):
        self._same_shape(other)
        if isinstance(other, COOTensor):
            return self.add(other, Tensor(0, other.dtype))
        if isinstance(other, Tensor):
            return other + self.to_dense()
        raise TypeError(f"COOTensor add with {type(other)} is not supported.")

    __radd__ = __add__

    def __sub__(self, other):
        self._same_shape(other)
        if isinstance(other, COOTensor):
            return self.add(-other, Tensor(0, other.dtype))
        if isinstance(other, Tensor):
            return self.to_dense() - other
        raise TypeError(f"COOTensor subtract with {type(other)} is not supported.")

    def __mul__(self, other):
        self._same_shape(other)
        if isinstance(other, Tensor):
            return self._with(self.values * _sparse().at(other, self.indices))
        raise TypeError(f"COOTensor multiply with {type(other)} is not supported.")

    def __truediv__(self, other):
        self._same_shape(other)
        if isinstance(other, Tensor):
            return self._with(self.values / _sparse().at(other, self.indices))
        raise TypeError(f"COOTensor divide with {type(other)} is not supported.")


class CSRTensor(_Sparse):
    """Values row by row (``mindspore.CSRTensor``): those of row i are ``values[indptr[i]:indptr[i + 1]]``.

    Their columns are the same part of ``indices``; values may have more axes, which ``shape`` then ends with.
    Or ``csr_tensor`` alone, to copy. TypeError and ValueError for parts that do not fit together.
    """

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None) -> None:
        if csr_tensor is not None:
            _alone("csr_tensor", csr_tensor, (indptr, indices, values, shape), CSRTensor)
            indptr, indices, values, shape = csr_tensor.to_tuple()
        _rules.check_csr_tensor_input(indptr, indices, values, shape)
        _rules.check_csr_tensor_shape(indptr.shape, indices.shape, values.shape, shape)
        _rules.check_csr_tensor_dtype(indptr.dtype, indices.dtype)
        self.indptr, self.indices, self.values, self.shape = indptr, indices, values, shape

    def __repr__(self) -> str:
        return (f"CSRTensor(shape={list(self.shape)}, dtype={self.dtype}, indptr={_shown(self.indptr)}, "
                f"indices={_shown(self.indices)}, values={_shown(self.values)})")

    def _with(self, values):
        return CSRTensor(self.indptr, self.indices, values, self.shape)

    def to_tuple(self):
        """(indptr, indices, values, shape)."""
        return self.indptr, self.indices, self.values, self.shape

    def to_coo(self) -> COOTensor:
        """The COO form. ValueError for more than two dimensions."""
        return _sparse().csr_to_coo(self)

    def to_dense(self) -> Tensor:
        """All elements."""
        return _sparse().to_dense(self)

    def mv(self, dense_vector: Tensor) -> Tensor:
        """The product with a column (n, 1)."""
        return self.mm(dense_vector)

    def mm(self, matrix):
        """The matrix product with a Tensor."""
        return _sparse().csr_times(self, matrix)

    def sum(self, axis: int) -> Tensor:
        """The sums of the rows, (n, 1); only ``axis`` 1 or -1."""
        return _sparse().row_sums(self, axis)

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        """``alpha * self + beta * b``."""
        return _sparse().csr_add(self, b, alpha, beta)

    def __add__(self, other):
        return self._plus(other, 1, "add")

    def __sub__(self, other):
        return self._plus(other, -1, "subtract")

    def _plus(self, other, sign, word):
        self._same_shape(other)
        if isinstance(other, CSRTensor):
            return self.add(other, Tensor(1, self.dtype), Tensor(sign, self.dtype))
        raise TypeError(f"CSRTensor {word} with {type(other)} is not supported.")

    def __mul__(self, other):
        return _sparse().csr_scaled(self, other, lambda a, b: a * b)

    def __truediv__(self, other):
        return _sparse().csr_scaled(self, other, lambda a, b: a / b)


class RowTensor:
    """Some rows of a larger tensor (``mindspore.RowTensor``): row ``indices[k]`` is ``values[k]``."""

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None) -> None:
        if row_tensor is not None:
            _alone("row_tensor", row_tensor, (indices, values, shape), RowTensor)
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        _rules.check_sparse_tensor_input(indices, values, shape)
        self.indices, self.values, self.dense_shape = indices, values, shape

    def __repr__(self) -> str:
        return (f"RowTensor(shape={list(self.dense_shape)}, dtype={self.values.dtype}, "
                f"indices={_shown(self.indices)}, values={_shown(self.values)})")


class RowTensorInner(RowTensor):
    """RowTensor inside MindSpore's own modules."""


class SparseTensor(COOTensor):
    """COOTensor before 1.6 (``mindspore.SparseTensor``)."""

    def __init__(self, indices, values, shape) -> None:
        super().__init__(indices, values, shape)


def _sparse():
    from ms2torch.ops.function import sparse_func  # which imports this module

    return sparse_func
