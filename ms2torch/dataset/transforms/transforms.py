"""Transforms of any data (``mindspore.dataset.transforms.transforms``)."""

from __future__ import annotations

import random
from enum import IntEnum

import numpy as np

from ms2torch._core.random.engines import MT19937
from ms2torch._core.tensor import dtype as ms_dtype

from ..core.datatypes import named
from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import check_pos_int64, check_positive, check_value, type_check, type_check_list
from .operation import (
    Compose,
    OperationError,
    PyTensorOperation,
    RandomOperation,
    TensorOperation,
    is_pil,
    opened,
)
from .py_transforms_util import Implementation
from .validators import check_prob, check_transforms, numpy_dtype

__all__ = ["Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "PyTensorOperation",
           "RandomApply", "RandomChoice", "RandomOrder", "Relational", "Slice", "TensorOperation", "TypeCast",
           "Unique", "not_random"]


def not_random(function):
    """Mark a function as one that always gives the same for the same input."""
    function.random = False
    return function


class Relational(IntEnum):
    """Comparisons of `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARE = {Relational.EQ: np.equal, Relational.NE: np.not_equal, Relational.GT: np.greater,
            Relational.GE: np.greater_equal, Relational.LT: np.less, Relational.LE: np.less_equal}


def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """To another dtype as C on x86: fractions are cut off, what 32 bits cannot hold is their least."""
    if array.dtype == dtype:
        return array
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if array.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize < 8:
        with np.errstate(invalid="ignore"):
            array = array.astype(np.int64 if dtype == np.uint32 else np.int32)
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype)


class TypeCast(TensorOperation):
    """Cast to a dtype: MindSpore's, numpy's, or a Python type (float gives float64)."""

    implementation = Implementation.C

    def __init__(self, data_type):
        super().__init__()
        self._dtype = numpy_dtype(data_type)
        name = "string" if self._dtype is None else self._dtype.name
        self.data_type = "bytes" if data_type is np.bytes_ else name

    def _compute(self, column):
        if self.data_type == "bytes":
            raise OperationError("TypeCast: Invalid data type")
        if column.dtype.kind in "US":
            kind = named(column.dtype)
            if kind == self.data_type:
                return column
            raise OperationError(f"TypeCast: TypeCast does not support cast from {kind} to {self.data_type}")
        if self._dtype is None:
            raise OperationError("Failed to create empty tensor, number of elements should be 0 when data "
                                 "type is string.")
        return cast(column, self._dtype)


class OneHot(TensorOperation):
    """Integers as one-hot vectors of ``num_classes``, in their dtype.

    With ``smoothing_rate`` e: float64, 1 - e + e/num_classes at the class and e/num_classes elsewhere.
    (MindSpore 2.10 does that for the last of several labels only; here for each.)
    """

    implementation = Implementation.C

    def __init__(self, num_classes, smoothing_rate=0.0):
        type_check(smoothing_rate, (int, float), "smoothing_rate")
        type_check(num_classes, (int,), "num_classes")
        check_positive(num_classes)
        check_value(smoothing_rate, [0.0, 1.0], "smoothing_rate")
        super().__init__()
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def _compute(self, column):
        if column.dtype.kind not in "iu":
            raise OperationError(f"OneHot: Only support input of int type, but got: {named(column.dtype)}")
        flat = column.squeeze()
        if flat.ndim > 1:
            raise OperationError(f"OneHot: Only support scalar or 1D input, got rank of input: {flat.ndim}")
        if not flat.size:
            raise OperationError("Input Tensor has no data.\n")
        flat = flat.reshape(-1)
        if flat.max() >= self.num_classes:
            raise OperationError("OneHot: index values should not bigger than num classes: "
                                 f"{self.num_classes}, but got: {flat[flat >= self.num_classes][0]}")
        if flat.min() < 0:
            raise OperationError(f"OneHot: index values should not be negative, but got: {flat.min()}")
        hot = np.zeros((flat.size, self.num_classes), column.dtype)
        hot[np.arange(flat.size), flat] = 1
        if self.smoothing_rate:
            hot = (1 - self.smoothing_rate) * hot.astype(np.float64) + self.smoothing_rate / self.num_classes
        return hot.squeeze()


class Fill(TensorOperation):
    """An array of the same shape and dtype that is full of one value."""

    implementation = Implementation.C

    def __init__(self, fill_value):
        type_check(fill_value, (str, float, bool, int, bytes), "fill_value")
        super().__init__()
        self.fill_value = fill_value

    def _compute(self, column):
        value = np.array(self.fill_value)
        kinds = {column.dtype.kind, value.dtype.kind}
        if len(kinds) > 1 and not kinds.isdisjoint("US"):
            raise OperationError("Fill: fill_value and the input tensor must be of the same data type when "
                                 f"involving strings or bytes, but got fill_value data type "
                                 f"{named(value.dtype)} and input tensor data type {named(column.dtype)}")
        if value.dtype.kind in "US":
            return np.full(column.shape, self.fill_value)
        if column.dtype == np.float16:
            raise OperationError("Template type and Tensor type are not compatible")
        return np.broadcast_to(cast(value, column.dtype), column.shape).copy()


class Mask(TensorOperation):
    """Compare each element with a constant."""

    implementation = Implementation.C

    def __init__(self, operator, constant, dtype=ms_dtype.bool_):
        type_check(operator, (Relational,), "operator")
        type_check(constant, (str, float, bool, int, bytes), "constant")
        type_check(dtype, (ms_dtype.Type,), "dtype")
        super().__init__()
        self.operator, self.constant, self.dtype = operator, constant, numpy_dtype(dtype)

    def _check_whole(self):
        if self.dtype is None:
            raise syntax_error("Mask: Only supports bool or numeric datatype for generated mask type, but "
                               "got:string")

    def _compute(self, column):
        constant = self.constant
        if (column.dtype.kind in "US") != isinstance(constant, (str, bytes)):
            raise OperationError("Mask: input datatype does not match the value datatype, both should be "
                                 "numeric or non-numerical in the same time.")
        # MindSpore compares in the input's dtype, text as bytes
        if not isinstance(constant, (str, bytes)):
            constant = cast(np.array(constant), column.dtype)
        elif np.array(constant).dtype.kind != column.dtype.kind:
            column, constant = (np.char.encode(x, "utf-8") if np.asarray(x).dtype.kind == "U" else x
                                for x in (column, constant))
        return _COMPARE[self.operator](column, constant).astype(self.dtype)


class PadEnd(TensorOperation):
    """Bring an array to a shape, cutting or filling the end of each axis with ``pad_value`` (0, or '')."""

    implementation = Implementation.C

    def __init__(self, pad_shape, pad_value=None):
        if pad_value is not None:
            type_check(pad_value, (str, float, bool, int, bytes), "pad_value")
        type_check(pad_shape, (list,), "pad_shape")
        for dim in pad_shape:
            if dim is not None:
                if not isinstance(dim, int):
                    raise TypeError("a value in the list is not an integer.")
                check_pos_int64(dim)
        super().__init__()
        self.pad_shape, self.pad_value = pad_shape, pad_value

    def _compute(self, column):
        kind = column.dtype.kind
        value = self.pad_value if self.pad_value is not None else {"U": "", "S": b""}.get(kind, 0)
        given = np.array(value).dtype
        text = kind in "US"
        if (text or given.kind in "US") and given.kind != kind:
            names = [named(given), named(column.dtype)]
            apart = "string and byte" if text and given.kind in "US" else "numeric and string"
            raise OperationError(f"PadEnd: can not pad {apart} tensors together, but got: "
                                 f"{names[0]} and {names[1]}.")
        if column.ndim == 0:
            return column
        if column.ndim != len(self.pad_shape):
            raise OperationError(f"PadEnd: invalid pad shape, as rank of input is: {column.ndim}, and rank "
                                 f"of pad value: {len(self.pad_shape)}")
        if None in self.pad_shape and text:
            return np.empty(0, f"{kind}1")               # what MindSpore makes of it
        if None in self.pad_shape:
            raise OperationError("Failed to create empty tensor, tensor shape is unknown.")
        if text:
            whole = np.full(self.pad_shape, value, dtype=np.promote_types(column.dtype, given))
        else:
            whole = np.full(self.pad_shape, cast(np.array(value), column.dtype))
        part = tuple(slice(min(a, b)) for a, b in zip(column.shape, self.pad_shape, strict=True))
        whole[part] = column[part]
        return whole


class Concatenate(TensorOperation):
    """Join 1-D columns, after ``prepend`` and before ``append``."""

    implementation = Implementation.C
    one_to_one = False

    def __init__(self, axis=0, prepend=None, append=None):
        if axis is not None:
            type_check(axis, (int,), "axis")
            if axis not in (0, -1):
                raise ValueError("only 1D concatenation supported.")
        for name, array in (("prepend", prepend), ("append", append)):
            if array is not None:
                type_check(array, (np.ndarray,), name)
                if array.ndim != 1:
                    raise ValueError(f"can only {name} 1D arrays.")
        super().__init__()
        self.axis, self.prepend, self.append = axis, prepend, append

    def _compute(self, *columns):
        if self.axis is None:
            raise TypeError("Concatenate: incompatible arguments: axis is None, it should be 0 or -1.")
        axis = self.axis + (columns[0].ndim if self.axis < 0 else 0)
        if axis != 0:
            raise OperationError("Concatenate: only 1D input supported, input 'axis' should be 0, but got: "
                                 f"{axis}")
        self._match("prepend", self.prepend, columns[0])
        for column in columns:
            if column.ndim != 1:
                raise OperationError("Concatenate: only 1D input supported, got rank of input: "
                                     f"{column.ndim}")
        self._match("append", self.append, columns[0])
        for column in columns[1:]:
            if column.dtype != columns[0].dtype and column.dtype.kind not in "US":
                raise OperationError("Concatenate: inconsistent datatype of input.")
        parts = [x for x in (self.prepend, *columns, self.append) if x is not None]
        return np.concatenate(parts)

    def _match(self, name: str, array, column) -> None:
        if array is not None and named(array.dtype) != named(column.dtype):
            raise OperationError(
                f"Concatenate: input datatype does not match the {name} datatype, got input datatype: "
                f"{named(column.dtype)}, {name} datatype:{named(array.dtype)}")


class Duplicate(TensorOperation):
    """The column twice."""

    implementation = Implementation.C
    one_to_one = False

    def _compute(self, *columns):
        if len(columns) != 1:
            raise OperationError("Duplicate: only supports transform one column each time, got column num: "
                                 f"{len(columns)}, check 'input_columns' when call this operator.")
        return columns[0], columns[0].copy()


class _SliceOption:
    """What MindSpore's own slices become; its name stands in an error."""

    __module__ = "mindspore.dataset.transforms.transforms"


class Slice(TensorOperation):
    """Cut along each axis.

    One argument per axis: an int or a list of them (the axis stays), a slice, None or ``...`` (all of it).
    """

    implementation = Implementation.C

    def __init__(self, *slices):
        for one in slices:
            if one is not None:
                type_check(one, (int, list, slice, bool, type(Ellipsis), _SliceOption), "slice")
                if isinstance(one, list):
                    type_check_list(one, (int,), "slice_option")
                if isinstance(one, slice):
                    _check_slice(one)
        super().__init__()
        self.slices = slices

    def _compute(self, column):
        if len(self.slices) > column.ndim:
            raise OperationError("Invalid shape, should be greater than slices index.")
        for axis, one in enumerate(self.slices):
            length = column.shape[axis]
            if one is None or one is Ellipsis or one is True:
                continue
            if isinstance(one, slice):
                if one.step is not None and one.step < 0 and not -length <= (one.start or 0) < length:
                    raise OperationError("Not a valid index")
                column = column[(slice(None),) * axis + (one,)]
                continue
            wanted = one if isinstance(one, list) else [one]
            if not wanted:
                raise OperationError("Both indices and slices can not be empty.")
            for index in wanted:
                if not -length <= index < length:       # (told as counted from the front)
                    raise OperationError(f"Index {index + length if index < 0 else index} is out of bounds.")
            column = np.take(column, wanted, axis)
        if column.dtype.kind in "US":       # as wide as the longest that is left
            width = max(map(len, column.ravel().tolist()), default=1)
            return column.astype(f"{column.dtype.kind}{width or 1}")
        return column


def _check_slice(one: slice) -> None:
    for part in (one.start, one.stop, one.step):
        if part is not None and not isinstance(part, int):
            raise TypeError(f"'{type(part).__name__}' object cannot be interpreted as an integer")
    if one.stop is None or one.step == 0:
        raise pipeline_error("Wrong slice object")


class Unique(TensorOperation):
    """Distinct elements in order of appearance, the place of each element among them, and their counts."""

    implementation = Implementation.C
    one_to_one = False

    def _compute(self, *columns):
        if len(columns) != 1:
            raise OperationError(f"Unique: only support 1D input, got rank: {len(columns)}")
        column = columns[0]
        if column.dtype.kind in "US":
            raise OperationError("Unique: only support numeric datatype of input, got string.")
        if column.ndim < 2:
            raise OperationError("Unique: input must be at least 2-D in order to do unique op, got rank:"
                                 f"{column.ndim}")
        values, first, places, counts = np.unique(column, return_index=True, return_inverse=True,
                                                  return_counts=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return values[order], rank[places.reshape(-1)].astype(np.int32), counts[order].astype(np.int32)


class _Choosing(RandomOperation):
    """Random use of other transforms.

    In MindSpore's Python side (over PIL) Python's own generator decides.
    """

    implementation = None
    one_to_one = False

    def __init__(self, transforms):
        check_transforms(transforms)
        TensorOperation.__init__(self)
        self.transforms = transforms

    def _opened(self):
        from ..core import config
        stream, steps = MT19937(config.drawing_seed()), [opened(transform) for transform in self.transforms]
        python = any(getattr(t, "implementation", None) is Implementation.PY for t in self.transforms)

        def run(*columns):
            chosen = (self._by_python if python or is_pil(columns[0]) else self._by_stream)(steps, stream)
            for one in chosen:
                columns = one(*columns)
                columns = columns if isinstance(columns, tuple) else (columns,)
            return columns[0] if len(columns) == 1 else columns

        return run


class RandomApply(_Choosing):
    """All of the transforms in order, or none, with probability ``prob``."""

    def __init__(self, transforms, prob=0.5):
        super().__init__(transforms)
        check_prob(prob)
        self.prob = prob

    def _by_stream(self, steps, stream):
        return steps if stream.chance(self.prob) else []

    def _by_python(self, steps, stream):
        return [] if self.prob < random.random() else steps


class RandomChoice(_Choosing):
    """One of the transforms."""

    def _by_stream(self, steps, stream):
        return [steps[stream.integer(0, len(steps) - 1)]]

    def _by_python(self, steps, stream):
        return [random.choice(steps)]


class RandomOrder(_Choosing):
    """All of the transforms, in random order (``mindspore.dataset.transforms.RandomOrder``).

    As in MindSpore it is the given list itself that is shuffled: each order comes of the one before.
    """

    implementation = Implementation.PY

    def __call__(self, *inputs):
        """Outside a pipeline functions get what is given, be it no array."""
        self._check_one(inputs)
        given, = inputs
        random.shuffle(self.transforms)
        for one in self.transforms:
            given = one(given)
        return given

    def _opened(self):
        def run(*columns):
            random.shuffle(self.transforms)
            for one in self.transforms:     # called as outside of a pipeline: each draws anew from the seed
                columns = one(*columns)
                columns = columns if isinstance(columns, tuple) else (columns,)
            return columns[0] if len(columns) == 1 else columns

        return run
