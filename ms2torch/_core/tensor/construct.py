"""What ``mindspore.Tensor`` is made of: numbers, lists, numpy arrays as torch tensors; what it refuses."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.errors import final, unsupported
from ms2torch._core.tensor import dtype as _dtype

_KINDS = ("['TensorPy', 'Tensor', 'ndarray', 'str_', 'list', 'tuple', 'float', 'int', 'bool', 'complex', "
          "'bytes']")
_DTYPES = (*(_dtype._NAMED[n] for n in (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "bfloat16", "complex64", "complex128", "int4", "float8_e4m3fn", "float8_e5m2", "hifloat8", "bool")),
    _dtype.string)
_ELEMENTS = "\n".join(f"<class 'numpy.{n}'>" for n in (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "bool_", "str_", "complex64", "complex128"))


def need_bool(const_arg, api: str) -> None:
    """TypeError for a ``const_arg`` that is no bool."""
    if const_arg.__class__ is not bool:
        raise TypeError(f"For '{api}', the type of 'const_arg' should be 'bool', but got type "
                        f"'{type(const_arg).__name__}'.")


def check(data, dtype, shape, init) -> None:
    """MindSpore's errors for arguments of ``Tensor`` that do not go together."""
    if init is not None and (shape is None or dtype is None):
        raise ValueError("init, dtype and shape must have values at the same time.")
    if data is not None and shape is not None:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        raise ValueError("When initializing a tensor with 'input_data', 'shape' should be set to None."
                         f"But got shape: {shape}.")
    if dtype is not None and not isinstance(dtype, (_dtype.Type, torch.dtype)):
        if data is None:                             # another place of MindSpore's, with a list of its own
            names = ", ".join("mindspore.bool_" if one is _dtype.bool_ else repr(one) for one in _DTYPES
                              if "float8" not in one.name)
            raise TypeError(f"For 'Tensor', the 'dtype' should be one of [{names}], but got '{type(dtype)}'.")
        said = f"'{getattr(dtype, '__name__', repr(dtype))}'"
        raise TypeError(f"For 'Tensor', the 'dtype' should be one of {list(_DTYPES)}, but got {said}.")


def from_number(number, want: torch.dtype | None) -> torch.Tensor:
    """A number as a 0-d tensor: Bool, Int64, Float32 or Complex128; cast to ``want`` as C casts."""
    kind = number.__class__
    natural = _NATURAL.get(kind) or (torch.int64 if isinstance(number, int) else torch.float32)
    if natural is torch.int64 and not -1 << 63 <= number < 1 << 63:
        if not 0 <= number < 1 << 64:
            raise final(RuntimeError("Unsupported tensor type!"))
        natural = torch.uint64
    if want is torch.float8_e4m3fn:
        return converted(filled(number, natural, device()), want)
    if want is not None and want.is_floating_point and natural is not torch.complex128:
        return filled(number, want, device())
    if want is None or want is natural:
        return filled(number, natural, device())
    return filled(number, torch.float64 if natural is torch.float32 else natural, device()).to(want)


def converted(t: torch.Tensor, want: torch.dtype) -> torch.Tensor:
    """``t`` as ``want``; what Float8E4M3FN cannot hold is NaN in it, where torch has its largest number."""
    if t.is_complex() and not want.is_complex:
        t = t.real
    if want is torch.float8_e4m3fn:
        t = t.to(torch.float64)
        t = t.masked_fill(t.abs() > 464, torch.nan)
    return t.to(want)


def filled(number, dtype: torch.dtype, where: torch.device) -> torch.Tensor:
    """A 0-d tensor that holds the number, made on the device: a copy from the host makes CUDA wait."""
    if where.type == "cpu" or dtype is torch.uint64:
        return torch.tensor(number, dtype=dtype, device=where)
    return torch.full((), number, dtype=dtype, device=where)


_NATURAL = {bool: torch.bool, int: torch.int64, float: torch.float32, complex: torch.complex128}


def _is_number_or_numbers(element) -> bool:
    """Whether numpy makes an array of numbers of it."""
    made = np.array(element).dtype
    return made.kind in "biufc" and made.itemsize <= (16 if made.kind == "c" else 8)


def _not_of_numbers(array: np.ndarray) -> TypeError:
    """What is said of an array of objects: of its first element that is no number nor numbers, if any."""
    wrong = next((at for at, e in np.ndenumerate(array) if not _is_number_or_numbers(e)), None)
    what = (f", numpy array: {array}, data type: {array.dtype}." if wrong is None else
            f", because the element type '{type(array[wrong])}' of array is not "
            f"supported.\nThe element index in array: {wrong}, numpy array: {array}.")
    return TypeError(f"initializing tensor by numpy array failed{what}\nThe supported element type of "
                     f"ndarray as follow: \n{_ELEMENTS}")


def from_array(array: np.ndarray) -> torch.Tensor:
    """A copy of a numpy array, which keeps its dtype."""
    if array.dtype.kind in "US":
        raise unsupported("mindspore.Tensor of strings", "torch has no tensors of strings.", "a numpy array.")
    if array.dtype.kind not in "biufc" or array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8):
        raise _not_of_numbers(array)
    if not array.dtype.isnative:
        raise TypeError(f"initializing tensor by numpy array failed, numpy array: {array}, data type: "
                        f"{array.dtype.str}.\nThe supported element type of ndarray as follow: \n{_ELEMENTS}")
    copied = np.array(array, copy=True, order="C")
    if array.dtype.char in "qQ":
        # numpy has two integer types of 64 bits, of which torch knows one.
        copied = copied.view(np.int64 if array.dtype.char == "q" else np.uint64)
    return torch.from_numpy(copied)


def sizes(shape, dtype, init=None) -> tuple[int, ...]:
    """The sizes that ``Tensor(shape=)`` means: -1 for one that is not known (None, a Symbol), (-2,) for a
    shape of unknown rank (None); errors where these cannot be."""
    if shape is None:
        return (-2,)
    if isinstance(shape, int):
        return (int(shape),)
    if not isinstance(shape, (tuple, list)):
        raise TypeError("For 'Tensor', the 'shape' should be one of [list, tuple], "
                        f"but got '{type(shape)}'.\n")
    known = tuple([-1 if n is None or hasattr(n, "divisor") else n if isinstance(n, str) else int(n)
                   for n in shape])
    if any(n < 0 for n in known) and (dtype is None or init is not None):
        raise ValueError("If setting dynamic shape, dtype must not be None, init must be None")
    return known


def blank(shape, dtype) -> torch.Tensor:
    """What ``Tensor(shape=, dtype=)`` without data or initializer holds: zeros."""
    return torch.zeros(shape, dtype=_dtype.to_torch(dtype), device=device())


def from_list(data, plain, want: torch.dtype | None) -> torch.Tensor:
    """A nested list: whatever numpy makes of it, but Int64 for Int32, and Float32 for Float64 where no dtype
    is wanted: one that is wanted is made of Python's own numbers."""
    try:
        array = np.array(plain)
    except ValueError:
        array = np.empty((), object)
    if array.dtype.kind in "OUSMm":
        raise TypeError(f"For Tensor, the input_data is {data} that contain unsupported element.")
    if array.dtype == np.float64 and want is None:
        with np.errstate(over="ignore"):
            array = array.astype(np.float32)
    elif array.dtype == np.int32:
        array = array.astype(np.int64)
    return from_array(array)


def refusal(data) -> TypeError:
    """The error for data of another kind."""
    return TypeError(f"For 'Tensor', the type of 'input_data' should be one of '{_KINDS}', "
                     f"but got type '{type(data).__name__}'.")
