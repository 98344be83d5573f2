"""MindSpore's dtype objects, their torch counterparts, and the dtype that two operands share.

A dtype is one object per meaning: ``Int(8)``, a copy and an unpickled one are all the same ``int8``, so that
``is`` and ``==`` agree. The rules of promotion were measured, every pair, on MindSpore 2.10.0.
"""

from __future__ import annotations

import ctypes
from functools import cache, lru_cache

import numpy as np
import torch

from ms2torch._core.errors import final, unsupported

_NAMED: dict[str, Type] = {}


class Type:
    """Base of all dtypes (``mindspore.Type``); ``torch`` and ``numpy`` are its counterparts, or None."""

    __slots__ = ("_text", "name", "numpy", "torch")

    def __new__(cls, *args):
        raise TypeError(f"mindspore.{cls.__name__}: No constructor defined!")

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__ != __name__:      # a program's: its dtypes are others than ours, and equal to them
            cls.__eq__, cls.__hash__, cls.__reduce__ = _equal, _hash, object.__reduce__

    def __init__(self, *args) -> None:
        pass

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"mindspore.{self.name}"

    def __reduce__(self):
        return (_by_name, (self.name,))

    def __copy__(self) -> Type:
        return self

    def __deepcopy__(self, memo) -> Type:
        return self


def _equal(self, other) -> bool:
    return isinstance(other, Type) and self.name == other.name


def _hash(self) -> int:
    return hash(_NAMED[self.name])


def _of(cls: type, kind: type, found: Type) -> Type:
    """``found``, a dtype of ``kind``, as an object of ``cls``."""
    return found if cls is kind else _make(cls, found.name, found._text, found.torch, found.numpy)


def _by_name(name: str) -> Type:
    return _NAMED[name]


def _make(cls: type, name: str, text: str, torch_dtype=None, numpy_dtype=None) -> Type:
    self = object.__new__(cls)
    self.name, self._text, self.torch, self.numpy = name, text, torch_dtype, numpy_dtype
    return self


def _define(cls: type, name: str, text: str, torch_dtype=None, numpy_dtype=None) -> Type:
    self = _NAMED[name] = _make(cls, name, text, torch_dtype, numpy_dtype)
    return self


# ---- numbers ----------------------------------------------------------------------------------------------


class Number(Type):
    """A dtype of numbers (``mindspore.number`` is the one that stands for all of them)."""

    __slots__ = ()

    def __new__(cls):
        return _of(cls, Number, number)

    @property
    def itemsize(self) -> int:
        """Bytes of one element; 1 for the kinds without a width, as MindSpore says."""
        return 1 if self.torch is None else self.torch.itemsize

    @property
    def is_signed(self) -> bool:
        return isinstance(self, (Int, Float, BFloat, Complex))

    @property
    def is_floating_point(self) -> bool:
        return isinstance(self, (Float, BFloat))

    @property
    def is_complex(self) -> bool:
        return isinstance(self, Complex)

    def to_real(self) -> Type:
        """The dtype of the real part."""
        if self in (number, int_, uint, float_):
            raise TypeError(f"Cannot convert type {self.name} to real type.")
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> Type:
        """The complex dtype whose parts hold this one; TypeError for integers and float16."""
        try:
            return {float32: complex64, bfloat16: complex64, float64: complex128,
                    complex64: complex64, complex128: complex128}[self]
        except KeyError:
            raise TypeError(f"Cannot convert type {self.name} to complex type.") from None


class _Sized(Number):
    """A kind of number that comes in widths: ``Int(8)``; ``Int()`` stands for any width."""

    __slots__ = ()
    _widths = "8bits, 16bits, 32bits and 64bits"

    def __new__(cls, nbits: int | None = None):
        kind = next(one for one in cls.__mro__ if one in _WIDTHS)
        try:
            return _of(cls, kind, _WIDTHS[kind][nbits if nbits is None else int(nbits)])
        except KeyError:
            raise RuntimeError(f"For {kind.__name__} type only support number of {cls._widths}, "
                               f"but got {nbits}bits") from None


class Bool(Number):
    __slots__ = ()

    def __new__(cls):
        return _of(cls, Bool, bool_)


class Int(_Sized):
    __slots__ = ()


class UInt(_Sized):
    __slots__ = ()


class Float(_Sized):
    __slots__ = ()
    _widths = "16bits, 32bits and 64bits"


class BFloat(_Sized):
    __slots__ = ()
    _widths = "16bits"


class Complex(_Sized):
    __slots__ = ()
    _widths = "64bits and 128bits"


bool_ = _define(Bool, "bool", "Bool", torch.bool, np.bool_)
int8 = _define(Int, "int8", "Int8", torch.int8, np.int8)
int16 = _define(Int, "int16", "Int16", torch.int16, np.int16)
int32 = _define(Int, "int32", "Int32", torch.int32, np.int32)
int64 = _define(Int, "int64", "Int64", torch.int64, np.int64)
uint8 = _define(UInt, "uint8", "UInt8", torch.uint8, np.uint8)
uint16 = _define(UInt, "uint16", "UInt16", torch.uint16, np.uint16)
uint32 = _define(UInt, "uint32", "UInt32", torch.uint32, np.uint32)
uint64 = _define(UInt, "uint64", "UInt64", torch.uint64, np.uint64)
float16 = _define(Float, "float16", "Float16", torch.float16, np.float16)
float32 = _define(Float, "float32", "Float32", torch.float32, np.float32)
float64 = _define(Float, "float64", "Float64", torch.float64, np.float64)
bfloat16 = _define(BFloat, "bfloat16", "BFloat16", torch.bfloat16)
complex64 = _define(Complex, "complex64", "Complex64", torch.complex64, np.complex64)
complex128 = _define(Complex, "complex128", "Complex128", torch.complex128, np.complex128)
qint4x2 = _define(Int, "int4", "Int4")
float8_e4m3fn = _define(Float, "float8_e4m3fn", "Float8E4M3FN", torch.float8_e4m3fn)
float8_e5m2 = _define(Float, "float8_e5m2", "Float8E5M2", torch.float8_e5m2)
hifloat8 = _define(Float, "hifloat8", "HiFloat8")

number = _define(Number, "number", "Number")
int_ = _define(Int, "int", "Int")
uint = _define(UInt, "uint", "UInt")
float_ = _define(Float, "float", "Float")
_bfloat = _define(BFloat, "bfloat", "BFloat")
_complex = _define(Complex, "complex", "Complex")

_WIDTHS = {
    Int: {None: int_, 4: qint4x2, 8: int8, 16: int16, 32: int32, 64: int64},
    UInt: {None: uint, 8: uint8, 16: uint16, 32: uint32, 64: uint64},
    Float: {None: float_, 16: float16, 32: float32, 64: float64},
    BFloat: {None: _bfloat, 16: bfloat16},
    Complex: {None: _complex, 64: complex64, 128: complex128},
}


# ---- dtypes of other values -------------------------------------------------------------------------------


class _Only(Type):
    """A class with one object, which its constructor gives."""

    __slots__ = ()

    def __new__(cls):
        return _ONLY[cls]


_ONLY: dict[type, Type] = {}


def _only(class_name: str, name: str, text: str) -> Type:
    cls = type(class_name, (_Only,), {"__slots__": (), "__module__": __name__})
    globals()[class_name] = cls
    _ONLY[cls] = _define(cls, name, text)
    return _ONLY[cls]


string = _only("String", "string_", "String")
type_none = _only("TypeNone", "type_none", "None")
_null = _only("TypeNull", "Null", "Null")
type_type = _only("TypeType", "type_type", "TypeType")
slice_ = _only("Slice", "Slice", "Slice")
ellipsis_ = _only("TypeEllipsis", "Ellipsis", "Ellipsis")
function = _only("Function", "function", "Func")
dict_ = _only("Dict", "Dictionary", "Dictionary")
env_type = _only("EnvType", "env_type", "Object:EnvType")
symbolic_key = _only("SymbolicKeyType", "symbolic_key", "Object:SymbolicKey")
type_refkey = _only("RefKeyType", "type_refkey", "Object:RefKey")
anything = _only("TypeAny", "Any", "Any")
ms_class = _only("TypeMsClassType", "Class", "Class")
index_slices = _only("RowTensorType", "RowTensor", "RowTensor")
coo_tensor = _only("COOTensorType", "COOTensor", "COOTensor")
csr_tensor = _only("CSRTensorType", "CSRTensor", "CSRTensor")
undetermined = _only("UndeterminedType", "Undetermined", "Undetermined")


# What print(type(x.dtype)) shows in MindSpore.
for _kind in (Number, Int, UInt, Float, BFloat, Complex, Bool, *_ONLY):
    _kind.__module__ = "mindspore._c_expression.typing"


class TensorType(Type):
    """The dtype of a Tensor as a whole: ``TensorType(float32)`` prints as ``Tensor[Float32]``."""

    __slots__ = ("_element",)

    def __new__(cls, element: Type | None = None):
        return _tensor_type(element)

    def __reduce__(self):
        return (TensorType, (self._element,))

    def element_type(self) -> Type | None:
        return self._element


@cache
def _tensor_type(element):
    if element is None:
        self = _make(TensorType, "tensor", "Tensor")
    else:
        self = _make(TensorType, f"tensor[{element.name}]", f"Tensor[{element}]")
    self._element = element
    return self


class _Sequence(Type):
    __slots__ = ("_elements",)

    def __new__(cls, elements=()):
        return _sequence(cls, tuple(elements))

    def __reduce__(self):
        return (type(self), (self._elements,))


class Tuple(_Sequence):
    """The dtype of a tuple: ``Tuple([float32, float32])`` prints as ``Tuple[Float32*2]``."""

    __slots__ = ()


class List(_Sequence):
    """The dtype of a list."""

    __slots__ = ()


@cache
def _sequence(cls, elements):
    runs: list[list] = []
    for e in elements:
        if runs and runs[-1][0] is e:
            runs[-1][1] += 1
        else:
            runs.append([e, 1])
    inside = ",".join(f"{e}*{n}" if n > 1 else str(e) for e, n in runs)
    name = cls.__name__
    self = _make(cls, name.lower() + "_", f"{name}[{inside}]" if inside else name)
    self._elements = elements
    return self


tensor_type = TensorType()
tuple_ = Tuple()
list_ = List()


def is_subtype(a: Type, b: Type) -> bool:
    """Whether every value of ``a`` is one of ``b``: ``int8`` of ``int_``, all numbers of ``number``."""
    if a is b or (b is number and isinstance(a, Number)):
        return True
    return b in (int_, uint, float_, _bfloat, _complex, tensor_type, tuple_, list_) and type(a) is type(b)


# ---- to torch and back ------------------------------------------------------------------------------------

_FROM_TORCH = {t.torch: t for t in _NAMED.values() if t.torch is not None}
_TO_TORCH = {t: d for d, t in _FROM_TORCH.items()} | {d: d for d in _FROM_TORCH}

# astype(float) means Float64, although Tensor(1.5) is Float32.
_PYTHON = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}

_ALIASES = {
    "bool_": bool_, "byte": int8, "short": int16, "intc": int32, "int": int64, "long": int64, "intp": int64,
    "ubyte": uint8, "ushort": uint16, "uintc": uint32, "uintp": uint64, "half": float16, "single": float32,
    "float": float64, "double": float64, "cfloat": complex64, "complex": complex128, "cdouble": complex128,
}
_WORDS = {t.name: t for t in _FROM_TORCH.values()} | _ALIASES


def from_torch(dtype: torch.dtype) -> Type:
    """MindSpore's dtype of a torch dtype."""
    try:
        return _FROM_TORCH[dtype]
    except KeyError:
        raise TypeError(f"{dtype} is not a dtype that MindSpore has.") from None


def to_torch(dtype) -> torch.dtype:
    """The torch dtype for a MindSpore, torch or numpy dtype, Python type (``float`` is Float64) or name."""
    try:
        return _TO_TORCH[dtype]
    except (KeyError, TypeError):
        pass
    if isinstance(dtype, Type):
        if dtype in (qint4x2, hifloat8):
            raise unsupported(f"mindspore.{dtype.name}", "torch has no such numbers.", "int8 or float16.")
        raise TypeError(f"{dtype!r} is not a dtype that a Tensor can have.")
    if isinstance(dtype, str) and dtype.lower() in _WORDS:
        return _WORDS[dtype.lower()].torch
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    try:
        # (numpy reads None as float64, and a number as its own dtype.)
        if dtype is not None and not isinstance(dtype, np.generic):
            return _WORDS[np.dtype(dtype).name].torch
    except (KeyError, TypeError):
        pass
    raise TypeError(f"{dtype!r} is not a dtype that MindSpore has.")


def given(dtype, name: str, default: torch.dtype | None = None) -> torch.dtype | None:
    """The torch dtype of what the operator ``name`` is given as ``dtype``, ``default`` for None; TypeError
    for anything but MindSpore's dtypes: numpy's and Python's are none."""
    if dtype is None:
        return default
    if not isinstance(dtype, (Type, torch.dtype)):
        raise TypeError(f"For '{name}', the input 'dtype' should be mindspore dtype, but got {dtype}.")
    return to_torch(dtype)


# ---- the dtype that two operands share --------------------------------------------------------------------

# Only bool goes with these, and torch has few kernels for them.
UNSIGNED = frozenset((torch.uint16, torch.uint32, torch.uint64))
_HALVES = frozenset((torch.float16, torch.bfloat16))
_INT64 = range(-1 << 63, 1 << 63)


@cache
def common(a: torch.dtype, b: torch.dtype) -> torch.dtype:
    """The dtype of ``a + b``; TypeError where MindSpore converts neither into the other."""
    if a is b or b is torch.bool:
        return a
    if a is torch.bool:
        return b
    if a in UNSIGNED or b in UNSIGNED:
        raise TypeError(
            f"Type implicit conversion between {_FROM_TORCH[b]} and {_FROM_TORCH[a]} is not supported.")
    return torch.promote_types(a, b)


def promote(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Both tensors in MindSpore's common dtype; 0-d tensors count fully, unlike in torch."""
    if a.dtype is b.dtype:
        return a, b
    dtype = common(a.dtype, b.dtype)
    return a.to(dtype), b.to(dtype)


def promote_scalar(t: torch.Tensor, scalar, loose: bool = False):
    """A tensor and a Python number as a binary operator computes with them: both ready for torch.

    A number follows the tensor's kind: ``int8 + 2`` is Int8, ``int8 + 1.5`` Float32, ``bool + 1`` Int64. It
    is rounded first: to the tensor's precision in float16 and bfloat16, and to *float32* beside float64, so
    that ``Tensor([1.], float64) + 0.1`` is 1.1000000014901161 (torch: 1.1). TypeError for complex numbers,
    and for ints and floats beside uint16, uint32 and uint64 unless ``loose`` (Mul, Div and Equal take them);
    RuntimeError for integers beyond 64 bits.
    """
    dtype, kind = t.dtype, scalar.__class__
    if dtype is torch.float32 and kind is float:
        return t, scalar
    if kind is bool:
        # torch.sub refuses bools, also Python's.
        return t, scalar if dtype is torch.bool else int(scalar)
    if isinstance(scalar, complex):
        raise TypeError(f"Failed calling an operator with (Tensor, {kind}). It takes <Number, Tensor>, "
                        f"and a complex number is none: use mindspore.Tensor({scalar}).")
    if isinstance(scalar, int):
        if int(scalar) not in _INT64:      # (of an IntEnum's member a range asks each of its numbers)
            raise final(RuntimeError(
                "Unable to cast Python instance of type <class 'int'> to C++ type 'long'"))
        if dtype is torch.bool:
            return t.to(torch.int64), scalar
        if dtype in UNSIGNED and not loose:
            raise _no_conversion(dtype, "Int64")
        return t, _rounded(scalar, dtype) if dtype in _HALVES else scalar
    if dtype in _HALVES:
        return t, _rounded(scalar, dtype)
    if dtype is torch.float64 or dtype is torch.complex128:
        return t, ctypes.c_float(scalar).value
    if dtype in UNSIGNED and not loose:
        raise _no_conversion(dtype, "Float32")
    if not dtype.is_floating_point and not dtype.is_complex:
        return t.to(torch.float32), scalar
    return t, scalar


def _no_conversion(dtype: torch.dtype, number: str) -> TypeError:
    return TypeError(
        f"Type implicit conversion between Tensor[{number}] and {_FROM_TORCH[dtype]} is not supported.")


def _rounded(value, dtype: torch.dtype) -> float:
    # Zeros are kept from the cache, where 0.0 and -0.0 would be one key.
    return _round(float(value), dtype) if value else float(value)


@lru_cache(maxsize=1024)
def _round(value: float, dtype: torch.dtype) -> float:
    return torch.tensor(value, dtype=torch.float64).to(dtype).item()
