"""Sparse tensors: values and where they stand (``COOTensor``, ``CSRTensor``, ``RowTensor``).

They hold Tensors and compute on the values; the functions of ``ops`` are ``ops.function.sparse_func``.
torch's own sparse layouts are not used: MindSpore's keep explicit zeros, unsorted places and places outside.
"""

from __future__ import annotations

import functools
from types import FunctionType

import torch

import ms2torch._checkparam_arrays as _rules
from ms2torch._core import mode
from ms2torch._core.checks.calls import object_name
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.gradient.passes import Valued
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations


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


def _unsupported(what: str, other) -> TypeError:
    return with_public_classes(TypeError(f"{what} with {type(other)} is not supported."))


def _has(given, attribute: str) -> None:
    getattr(given, attribute)                        # AttributeError, as in MindSpore, for what has none


def _place(tensor: Tensor) -> Tensor:
    """Places as a sparse tensor holds them: MindSpore's operators that make one have no gradient for them."""
    return wrap(tensor._t.detach()) if mode.differentiation is not None else tensor


class _Sparse(Valued):
    """What the kinds share: values, a shape, and what follows from them."""

    values: Tensor
    shape: tuple[int, ...]

    def __init_subclass__(cls, **kwargs) -> None:
        """Each kind has its methods under its own name, which Python's errors tell."""
        super().__init_subclass__(**kwargs)
        for name, method in vars(_Sparse).items():
            if isinstance(method, FunctionType) and not name.startswith("__") and name not in vars(cls):
                own = FunctionType(method.__code__, method.__globals__, name, method.__defaults__,
                                   method.__closure__)
                own.__kwdefaults__, own.__doc__ = method.__kwdefaults__, method.__doc__
                own.__module__, own.__qualname__ = cls.__module__, f"{cls.__name__}.{name}"
                setattr(cls, name, own)

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
        if self.shape != other.shape:
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
        self.indices, self.values, self.shape = _place(indices), values, shape

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
        return coalesced(self)

    def to_csr(self) -> CSRTensor:
        """The CSR form of the coalesced tensor. TypeError for indices that are not Int32."""
        return to_csr(self)

    def to_dense(self) -> Tensor:
        """All elements; values of one place are added."""
        return to_dense(self)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        """The sum; where both have a value, sums below ``thresh`` are left out."""
        _has(other, "indices")
        return coo_add(self, other, thresh)

    def __add__(self, other):
        self._same_shape(other)
        if isinstance(other, COOTensor):
            return self.add(other, Tensor(0, other.dtype))
        if isinstance(other, Tensor):
            return other + self.to_dense()
        raise _unsupported("COOTensor add", other)

    __radd__ = __add__
    beside_tensors = frozenset(("__radd__", "__rsub__", "__rmul__"))      # what a Tensor leaves to it

    def __sub__(self, other):
        self._same_shape(other)
        if isinstance(other, COOTensor):
            return self.add(-other, Tensor(0, other.dtype))
        if isinstance(other, Tensor):
            return self.to_dense() - other
        raise _unsupported("COOTensor subtract", other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        self._same_shape(other)
        if isinstance(other, Tensor):
            return self._with(self.values * at(other, self.indices))
        raise _unsupported("COOTensor multiply", other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        self._same_shape(other)
        if isinstance(other, Tensor):
            return self._with(self.values / at(other, self.indices))
        raise _unsupported("COOTensor divide", other)


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
        self.indptr, self.indices, self.values, self.shape = _place(indptr), _place(indices), values, shape

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
        _needs_int32(self)
        return csr_to_coo(self)

    def to_dense(self) -> Tensor:
        """All elements."""
        return to_dense(self)

    def mv(self, dense_vector: Tensor) -> Tensor:
        """The product with a column (n, 1)."""
        _dense("mv", "dense_vector", dense_vector, Tensor)
        _needs_int32(self)
        if dense_vector.ndim == 2 and dense_vector.shape != (self.shape[1], 1):
            raise ValueError(f"The dense_vector's shape should be ({self.shape[1]}, 1), but its current "
                             f"shape is: {dense_vector.shape}.")
        return csr_times(self, dense_vector)

    def mm(self, matrix):
        """The matrix product with a Tensor."""
        _dense("mm", "matrix", matrix, (Tensor, CSRTensor))
        return csr_times(self, matrix)

    def sum(self, axis: int) -> Tensor:
        """The sums of the rows, (n, 1); only ``axis`` 1 or -1."""
        return row_sums(self, axis)

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        """``alpha * self + beta * b``."""
        return csr_add(self, b, alpha, beta)

    def __add__(self, other):
        return self._plus(other, 1, "add")

    def __sub__(self, other):
        return self._plus(other, -1, "subtract")

    def _plus(self, other, sign, word):
        self._same_shape(other)
        if isinstance(other, CSRTensor):
            return self.add(other, Tensor(1, self.dtype), Tensor(sign, self.dtype))
        raise _unsupported(f"CSRTensor {word}", other)

    def __mul__(self, other):
        return csr_scaled(self, other, lambda a, b: a * b, "CSRMul")

    def __truediv__(self, other):
        return csr_scaled(self, other, lambda a, b: a / b, "CSRDiv")


def _named_before_2_0(init):
    """``init``, which takes ``dense_shape=`` for ``shape=`` where that is not the later release's error."""

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        if "dense_shape" in kwargs and not generations.has_new_meaning("mindspore.RowTensor"):
            kwargs["shape"] = kwargs.pop("dense_shape")
        init(self, *args, **kwargs)

    return __init__


class RowTensor:
    """Some rows of a larger tensor (``mindspore.RowTensor``): row ``indices[k]`` is ``values[k]``."""

    @_named_before_2_0
    def __init__(self, indices=None, values=None, shape=None, row_tensor=None) -> None:
        if row_tensor is not None:
            _alone("row_tensor", row_tensor, (indices, values, shape), RowTensor)
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        _rules.check_sparse_tensor_input(indices, values, shape)
        if graph_streams.here.call is not None or mode.inside:
            _check_rows(indices, values, shape)
        self.indices, self.values, self.dense_shape = indices, values, shape

    def __repr__(self) -> str:
        return (f"RowTensor(shape={list(self.dense_shape)}, dtype={self.values.dtype}, "
                f"indices={_shown(self.indices)}, values={_shown(self.values)})")


def _check_rows(indices, values, shape) -> None:
    """What a graph asks of a RowTensor that it makes."""
    if indices.dtype not in (_dtype.int8, _dtype.int16, _dtype.int32, _dtype.int64):
        raise TypeError(f"The dtype of indices must be a Int, but got {indices.dtype}")
    if indices.ndim != 1:
        raise TypeError(f"Indices must be a 1 dimension tensor, but got a {indices.ndim} dimension tensor")
    if indices.shape[0] != values.shape[0]:
        raise TypeError("The first dimension of indices must be the same with the first dimension of values "
                        f"{values.shape[0]}, but got {indices.shape[0]}")
    for one in shape:
        if not isinstance(one, int):
            raise TypeError(f"The element type of dense_shape must be Int, but got {_kind(one)}")
    for at, one in enumerate(shape):
        if one < 0:
            raise TypeError(f"The {at}th element of dense_shape must be positive, but got {one}")
    if len(shape) != values.ndim:
        raise TypeError("The size of dense_shape must be the same with the dimension of values "
                        f"{values.ndim}, but got {len(shape)}")
    for at, (one, size) in enumerate(zip(shape, values.shape, strict=True)):
        if at and one != size:
            raise TypeError(f"The {at}th element of dense_shape must be same with the {at}th dimension of "
                            f"values {size}, but got {one}")


def _kind(value) -> str:
    return {str: "String", float: "Float32", bool: "Bool"}.get(type(value), type(value).__name__)


class RowTensorInner(RowTensor):
    """RowTensor inside MindSpore's own modules."""


class SparseTensor(COOTensor):
    """COOTensor before 1.6 (``mindspore.SparseTensor``)."""

    @_named_before_2_0
    def __init__(self, indices, values, shape) -> None:
        if not (isinstance(indices, Tensor) and isinstance(values, Tensor) and isinstance(shape, tuple)):
            raise TypeError("Inputs must follow: COOTensor(indices, values, shape).")
        super().__init__(indices, values, shape)


# ---- arithmetic -------------------------------------------------------------------------------------------


def _rows(indptr: torch.Tensor, count: int) -> torch.Tensor:
    """The row of every value of a CSR form."""
    lengths = indptr.long().diff()
    return torch.repeat_interleave(torch.arange(lengths.numel(), device=indptr.device), lengths,
                                   output_size=count)


def _places(x) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and columns of the values."""
    if isinstance(x, COOTensor):
        rows, columns = x.indices._t.long().unbind(1)
        return rows, columns
    return _rows(x.indptr._t, x.size if x.values.ndim == 1 else x.values.shape[0]), x.indices._t.long()


def at(dense: Tensor, indices: Tensor) -> Tensor:
    """The elements of a matrix at rows of ``indices``."""
    rows, columns = indices._t.long().unbind(1)
    return wrap(dense._t[rows, columns])


def to_dense(x) -> Tensor:
    """All elements; values of one place are added."""
    if isinstance(x, CSRTensor):
        _not_int16(x.indptr, "primitive[CSRSparseMatrixToDense], the input type must be same.\n"
                             "name:[x_batch_pointers]:Tensor[Int32].\nname:[x_col_indices]:Tensor[Int16].\n"
                             "name:[x_dense_shape]:Tensor[Int32].\nname:[x_row_pointers]:Tensor[Int16]")
    else:
        _not_int16(x.indices, "primitive[TensorScatterAdd], the input[indices type] supports types: Int32, "
                              "Int64. But got Int16")
    values = x.values._t
    dense = torch.zeros(x.shape, dtype=values.dtype, device=values.device)
    return wrap(dense.index_put(_places(x), values, accumulate=True))


def _merged(rows, columns, values, shape):
    """Places in order, each once, the values added; and how many values each place had."""
    places, where, counts = torch.unique(rows * shape[1] + columns, return_inverse=True, return_counts=True)
    added = torch.zeros(places.shape, dtype=values.dtype, device=values.device).index_add(0, where, values)
    return torch.stack((places // shape[1], places % shape[1]), 1), added, counts


def needs_int64(x: COOTensor, operator: str, argument: str) -> None:
    """TypeError where the places of ``x`` are not Int64, which MindSpore's kernels alone take."""
    if x.indices._t.dtype is not torch.int64:
        raise TypeError(f"For primitive[{operator}], the input argument[{argument}] must be a type of "
                        f"{{Tensor[Int64]}}, but got Tensor[{x.indices.dtype}].\n")


def _needs_int32(x: CSRTensor) -> None:
    if x.indptr._t.dtype is not torch.int32:
        raise TypeError(f"The dtype of Indptr only support Int32 for now, but got {x.indptr.dtype}.\n")


def _not_int16(places: Tensor, told: str) -> None:
    if places._t.dtype is torch.int16:
        raise TypeError(f"For {told}.\n")


def coalesced(x: COOTensor) -> COOTensor:
    """Places in order, each once."""
    needs_int64(x, "Coalesce", "x_indices")
    places, values, _ = _merged(*_places(x), x.values._t, x.shape)
    return COOTensor(wrap(places.to(x.indices._t.dtype)), wrap(values), x.shape)


def _csr(places, values, shape, dtype) -> CSRTensor:
    counts = torch.bincount(places[:, 0].long(), minlength=shape[0])
    indptr = torch.nn.functional.pad(counts.cumsum(0), (1, 0))
    return CSRTensor(wrap(indptr.to(dtype)), wrap(places[:, 1].to(dtype)), wrap(values), shape)


def to_csr(x: COOTensor) -> CSRTensor:
    """The CSR form of the coalesced tensor."""
    if x.indices._t.dtype is not torch.int32:
        raise TypeError("The dtype of row_indices only support Int32 for now, but got "
                        f"{_dtype.from_torch(x.indices._t.dtype)}.")
    places, values, _ = _merged(*_places(x), x.values._t, x.shape)
    return _csr(places, values, x.shape, torch.int32)


def _is(x, kind, name, words="input argument must be a") -> None:
    if not isinstance(x, kind):
        raise TypeError(f"For functional operator {name}, {words} {kind.__name__}.")


def csr_to_coo(tensor):
    """A CSRTensor as a COOTensor (``mindspore.ops.csr_to_coo``). ValueError for more than two dimensions."""
    _is(tensor, CSRTensor, "csr_to_coo")
    if len(tensor.shape) != 2:
        raise ValueError("Currently only support 2-D CSRTensor when converting to COOTensor.")
    _not_int16(tensor.indptr, "primitive[CSRSparseMatrixToSparseTensor], the input argument[x_row_pointers] "
                              "must be a type of {Tensor[Int32], Tensor[Int64]}, but got Tensor[Int16]")
    places = torch.stack(_places(tensor), 1).to(torch.int32)
    return COOTensor(wrap(places), tensor.values, tensor.shape)


def coo_add(x1, x2, thresh):
    """The sum of two COOTensors (``mindspore.ops.coo_add``).

    Where both have a value, a sum whose size is below ``thresh`` is left out.
    """
    for name, x in (("x1", x1), ("x2", x2)):
        if not hasattr(x, "indices"):
            raise AttributeError(f"{object_name(x)} has no attribute 'indices'")
        if not isinstance(x, COOTensor):
            raise TypeError(f"For coo_add, the {name} must be a COOTensor, but got {type(x)}.")
    needs_int64(x1, "SparseAdd", "x1_indices")
    if x1.values._t.is_complex():               # as which the threshold comes
        raise TypeError("For primitive[SparseAdd], the input argument[thresh] must be a type of "
                        "{Tensor[Float32], Tensor[Float64], Tensor[Int16], Tensor[Int32], Tensor[Int64], "
                        "Tensor[Int8]}, but got "
                        f"Tensor[{x1.values.dtype}].")
    if not (_in_order(x1) and _in_order(x2)):
        return _added_in_turn(x1, x2, thresh._t)
    rows, columns = (torch.cat(pair) for pair in zip(_places(x1), _places(x2), strict=True))
    places, values, counts = _merged(rows, columns, torch.cat((x1.values._t, x2.values._t)), x1.shape)
    keep = (counts == 1) | (values.abs() >= thresh._t)
    return COOTensor(wrap(places[keep].to(x1.indices._t.dtype)), wrap(values[keep]), x1.shape)


def _keys(x: COOTensor) -> torch.Tensor:
    rows, columns = _places(x)
    return rows * x.shape[1] + columns


def _in_order(x: COOTensor) -> bool:
    return bool((_keys(x).diff() > 0).all())


def _added_in_turn(x1: COOTensor, x2: COOTensor, thresh: torch.Tensor) -> COOTensor:
    """The sum of what is not in order, as MindSpore's kernel goes along both."""
    first, second = _keys(x1).tolist(), _keys(x2).tolist()
    ours, theirs = [], []               # what of each goes into a value; the place behind its end for nothing
    i = j = 0
    while i < len(first) or j < len(second):
        here = j == len(second) or (i < len(first) and first[i] <= second[j])
        there = i == len(first) or (j < len(second) and second[j] <= first[i])
        ours.append(i if here else len(first))
        theirs.append(j if there else len(second))
        i, j = i + here, j + there
    a, b = (torch.nn.functional.pad(x.values._t, (0, 1))[k] for x, k in ((x1, ours), (x2, theirs)))
    values, taken, other = a + b, torch.tensor(ours), torch.tensor(theirs)
    alone = (taken == len(first)) | (other == len(second))
    places = torch.cat((x1.indices._t, x2.indices._t))
    indices = places[torch.where(taken < len(first), taken, len(first) + other).to(places.device)]
    keep = alone.to(values.device) | (values.abs() >= thresh)
    return COOTensor(wrap(indices[keep]), wrap(values[keep]), x1.shape)


def csr_add(a, b, alpha, beta):
    """``alpha * a + beta * b`` of CSRTensors (``mindspore.ops.csr_add``); the scalars are Tensors."""
    if not (isinstance(a, CSRTensor) and isinstance(b, CSRTensor)):
        raise TypeError("For functional operator csr_add, both inputs a and b must be type of CSRTensor.")
    if not (isinstance(alpha, Tensor) and isinstance(beta, Tensor)):
        raise TypeError("For functional operator csr_add, both inputs alpha and beta must be Tensor.")
    _not_int16(a.indptr, "primitive[SparseMatrixAdd], the input argument[a batch ptr type] must be a type of "
                         "{Tensor[Int32], Tensor[Int64]}, but got Tensor[Int16]")
    rows, columns = (torch.cat(pair) for pair in zip(_places(a), _places(b), strict=True))
    values = torch.cat((alpha._t * a.values._t, beta._t * b.values._t))
    places, added, _ = _merged(rows, columns, values, a.shape)
    return _csr(places, added, a.shape, a.indices._t.dtype)


def abstract_words(given) -> str:
    """``given`` as MindSpore's shapes of values name it: ``Tuple[Int64*2]``."""
    if isinstance(given, _Sparse):
        places = (f"{given.indptr.dtype}," if isinstance(given, CSRTensor) else "") + f"{given.indices.dtype}"
        return f"{type(given).__name__}[{places},{given.dtype},{'Int64,' * given.ndim}]"
    if isinstance(given, Tensor):
        return f"Tensor[{given.dtype}]"
    if isinstance(given, (tuple, list)):
        kinds = {int: "Int64", float: "Float32", str: "String", bool: "Bool"}
        held = [kinds.get(type(one), "") for one in given]
        one = f"{held[0]}*{len(held)}" if held and len(set(held)) == 1 and len(held) > 1 else ",".join(held)
        return f"{type(given).__name__.title()}[{one}]"
    return str(given) if given is None else type(given).__name__


def _dense(method: str, argument: str, given, kinds) -> None:
    if not isinstance(given, kinds):
        raise TypeError(f"For 'CSRTensor.{method}', the type of '{argument}' should be one of '['Tensor', "
                        f"'TensorPy']', but got type '{type(given).__name__}'.")


def csr_scaled(x: CSRTensor, other, calculate, operator: str):
    """The values of ``x`` with those of a Tensor at their places; with one number, a Tensor of values."""
    if isinstance(other, _Sparse):
        kind = abstract_words(other)
        raise TypeError(f"For '{operator}', input[4] should be Tensor, but got {kind}.\n")
    if not isinstance(other, (int, float)):
        _has(other, "size")
    if not isinstance(other, Tensor) or other.shape in ((), (1,)):
        return calculate(x.values, other)
    sizes = zip(reversed(other.shape), reversed(x.shape), strict=False)
    if any(size not in (1, wide) for size, wide in sizes):
        _needs_int32(x)
        raise ValueError("Dense shape cannot broadcast to sparse shape.\n")
    _needs_int32(x)
    dense = other._t.expand(x.shape) if other.ndim <= 2 else other._t
    return x._with(calculate(x.values, wrap(dense[_places(x)])))


def csr_turned(x: CSRTensor, transposed, adjoint) -> CSRTensor:
    """``x``, its transpose, or its adjoint."""
    if not (transposed or adjoint):
        return x
    rows, columns = _places(x)
    values, shape = x.values._t, (x.shape[1], x.shape[0])
    places, values, _ = _merged(columns, rows, values.conj() if adjoint else values, shape)
    return _csr(places, values, shape, x.indices._t.dtype)


def csr_product(a: CSRTensor, b: CSRTensor) -> CSRTensor:
    """The matrix product: each value of ``a`` meets the row of ``b`` that its column names."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"For 'csr_mm', matrices of the shapes {a.shape} and {b.shape} have no product.")
    (rows, inner), (_, columns) = _places(a), _places(b)
    starts = b.indptr._t.long()
    lengths = starts.diff()[inner]
    which = torch.arange(len(inner), device=inner.device).repeat_interleave(lengths)
    met = torch.arange(len(which), device=inner.device) + (starts[inner] - lengths.cumsum(0) + lengths)[which]
    shape = (a.shape[0], b.shape[1])
    places, values, _ = _merged(rows[which], columns[met], a.values._t[which] * b.values._t[met], shape)
    return _csr(places, values, shape, a.indices._t.dtype)


def csr_times(x: CSRTensor, matrix) -> Tensor:
    """The matrix product with a Tensor or a CSRTensor."""
    if isinstance(matrix, CSRTensor):
        return csr_product(x, matrix)
    _needs_int32(x)
    if x.ndim != 2 or matrix.ndim != 2:
        raise ValueError(f"Currently, only support 2-D inputs! But csr tensor has {x.ndim} dimensions, and "
                         f"dense tensor has {matrix.ndim} dimension(s).")
    if matrix.shape[0] != x.shape[1]:                # indices alone would not tell: they may reach less far
        raise ValueError("The dense's shape[0] should be equal to csr tensor's shape[1], but dense's "
                         f"shape[0] is: {matrix.shape[0]} and csr tensor's shape[1] is {x.shape[1]}")
    rows, columns = _places(x)
    terms = x.values._t[:, None] * matrix._t[columns]
    return wrap(terms.new_zeros(x.shape[0], terms.shape[1]).index_add(0, rows, terms))


def row_sums(x: CSRTensor, axis: int) -> Tensor:
    """The sums of the rows, (n, 1)."""
    if not isinstance(axis, (int, float, str)):
        raise TypeError(f"For 'CSRReduceSum', input[4] should be Scalar, but got {abstract_words(axis)}.\n")
    _needs_int32(x)
    if axis.__class__ is not int:
        kind = {float: "Float32", str: "String", bool: "Bool"}.get(axis.__class__, "Int64")
        raise TypeError(f"For CSRReduceSum, `axis` should be int32 or int64, but got {kind}.\n")
    if axis not in (1, -1):
        raise ValueError("For CSRReduceSum, `axis` should be 1 or 1-dim. "
                         f"But got `axis`: {axis}and `1- dim`: -1.")
    values = x.values._t
    return wrap(values.new_zeros(x.shape[0]).index_add(0, _places(x)[0], values)[:, None])
