"""Data types: the objects, their groups and conversions (``mindspore.dtype``, ``mindspore.common.dtype``)."""
# ruff: noqa: F401  (the names that programs import from here)

from __future__ import annotations

import builtins
import enum
from inspect import isfunction

import numpy as np

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.dtype import (
    Bool,
    Dict,
    EnvType,
    Float,
    Int,
    List,
    Slice,
    String,
    TensorType,
    Tuple,
    Type,
    _null,
    bfloat16,
    bool_,
    complex64,
    complex128,
    coo_tensor,
    csr_tensor,
    env_type,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    float_,
    function,
    hifloat8,
    index_slices,
    int8,
    int16,
    int32,
    int64,
    int_,
    list_,
    number,
    qint4x2,
    string,
    symbolic_key,
    tensor_type,
    tuple_,
    type_none,
    type_refkey,
    type_type,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    undetermined,
)
from ms2torch._core.tensor.dtype import Function as FunctionType
from ms2torch._core.tensor.dtype import TypeAny as AnythingType
from ms2torch._core.tensor.dtype import TypeEllipsis as Ellipsis_
from ms2torch._core.tensor.dtype import TypeMsClassType as MsClassType
from ms2torch._core.tensor.dtype import TypeNone as NoneType
from ms2torch._core.tensor.dtype import TypeNull as _NullType

__all__ = [
    "Int", "QuantDtype", "TensorType", "Type", "_null", "bfloat16", "bool_", "byte", "cdouble", "cfloat",
    "complex64", "complex128", "double", "dtype_to_nptype", "dtype_to_pytype", "float8_e4m3fn",
    "float8_e5m2", "float16", "float32", "float64", "float_", "get_py_obj_dtype", "half", "hifloat8", "int8",
    "int16", "int32", "int64", "int_", "intc", "intp", "list_", "long", "number", "pytype_to_dtype",
    "qint4x2", "short", "single", "string", "tensor_type", "tuple_", "type_none", "ubyte", "uint", "uint8",
    "uint16", "uint32", "uint64", "uintc", "uintp", "ushort",
]

byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
half, single, double = float16, float32, float64
cfloat, cdouble = complex64, complex128

int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, hifloat8)
complex_type = (complex64, complex128)
signed_type = (int8, int16, int32, int64, float16, float32, float64, bfloat16, complex64, complex128, qint4x2,
               float8_e4m3fn, float8_e5m2, hifloat8)
number_type = (*int_type, *uint_type, float16, float32, float64, bfloat16, complex64, complex128, qint4x2,
               float8_e4m3fn, float8_e5m2, hifloat8)
all_types = (bool_, *number_type)

_FROM_PYTHON = {
    list: list_, tuple: tuple_, type(None): type_none, bool: bool_, int: int64, float: float64,
    complex: complex128, str: string, np.bool_: bool_, np.str_: string,
    np.int8: int8, np.int16: int16, np.int32: int32, np.int64: int64,
    np.uint8: uint8, np.uint16: uint16, np.uint32: uint32, np.uint64: uint64,
    np.float16: float16, np.float32: float32, np.float64: float64,
}
_TO_PYTHON = {
    bool_: bool, int_: int, **dict.fromkeys(int_type + uint_type, int),
    float_: float, **dict.fromkeys((float16, float32, float64, bfloat16), float),
    complex64: complex, complex128: complex, list_: list, tuple_: tuple, string: str, type_none: type(None),
}


def pytype_to_dtype(obj) -> Type:
    """The dtype for a Python or numpy type: ``float`` gives Float64 (``mindspore.pytype_to_dtype``).

    A numpy dtype stands for its type, a dtype for itself. TypeError for what is no type, NotImplementedError
    for a type without a dtype.
    """
    if isinstance(obj, np.dtype):
        obj = obj.type
    if isinstance(obj, Type):
        return obj
    if not isinstance(obj, type):
        raise TypeError("For 'pytype_to_dtype', the argument 'obj' must be a python type object,such as int, "
                        f"float, str, etc. But got type {type(obj)}.")
    try:
        return _FROM_PYTHON[obj]
    except KeyError:
        raise NotImplementedError(f"The python type {obj} cannot be converted to MindSpore type.") from None


def get_py_obj_dtype(obj) -> Type:
    """The dtype of a value, or for a Python type (``mindspore.get_py_obj_dtype``).

    A Tensor gives ``TensorType`` of its dtype; functions, Cells and Primitives give ``function``, a dtype
    ``type_type``.
    """
    if hasattr(obj, "shape") and isinstance(getattr(obj, "dtype", None), Type):
        return TensorType(obj.dtype)
    if hasattr(obj, "__primitive_flag__") or hasattr(obj, "construct") or isfunction(obj):
        return function
    if isinstance(obj, Type):
        return type_type
    return pytype_to_dtype(obj if isinstance(obj, type) else type(obj))


def dtype_to_nptype(type_: Type) -> type:
    """The numpy type for a dtype (``mindspore.dtype_to_nptype``): ``int8`` gives ``numpy.int8``.

    KeyError where there is none. bfloat16 gives the one of the ``ml_dtypes`` package, TypeError without it.
    """
    if type_ is bfloat16:
        try:
            from ml_dtypes import bfloat16 as np_bfloat16
        except ImportError:
            raise TypeError("The Numpy bfloat16 data type is not supported now: it needs the package "
                            "ml_dtypes. Tensor.asnumpy() gives bfloat16 as float32.") from None
        return np_bfloat16
    if not isinstance(type_, Type) or getattr(type_, "numpy", None) is None:
        raise KeyError(type_)
    return type_.numpy


def dtype_to_pytype(type_: Type) -> type:
    """The Python type for a dtype, ``int`` for integers (``mindspore.dtype_to_pytype``). KeyError if none."""
    return _TO_PYTHON[type_]


def type_size_in_bytes(dtype: Type) -> int:
    """Bytes of one element; 0 for dtypes of other values than numbers."""
    if not isinstance(dtype, Type):
        raise TypeError("The argument `dtype` should be instance of ", Type)
    return dtype.itemsize if isinstance(dtype, _dtype.Number) else 0


def _issubclass_(type_, dtype) -> bool:
    """Whether a dtype is of a kind: ``int8`` of ``int_`` and ``number``. False for what is no dtype."""
    return isinstance(type_, Type) and _dtype.is_subtype(type_, dtype)


@enum.unique
class QuantDtype(enum.Enum):
    """Integer types of quantized networks, from one to sixteen bits (``mindspore.QuantDtype``)."""

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    def __str__(self) -> str:
        return self.name

    def value(self) -> builtins.int:
        """The number that stands for it in files. A method, unlike the attribute of other enums."""
        return self._value_


# Last, for they hide Python's own: mindspore.int is Int32, mindspore.float Float32.
bool, int, float = bool_, int32, float32
