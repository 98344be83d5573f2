"""Tensor methods about dtype and shape whose form differs from the functional one's, or that have none.

Methods of one meaning are attached where their operator is defined; those about memory and values stand in
`_tensor_memory` and `_tensor_values`.
"""

from __future__ import annotations

import builtins
from numbers import Number

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.checks import refused
from ms2torch._core.checks.calls import (
    compiled_name,
    describe,
    no_matching_form,
    type_name,
    wrong_inputs,
)
from ms2torch._core.checks.compiled_methods import one_argument, without_arguments
from ms2torch._core.checks.overloads import overload_error
from ms2torch._core.checks.words import renderings
from ms2torch._core.devices.device import device as _here
from ms2torch._core.errors import asked, final
from ms2torch._core.gradient import integers
from ms2torch._core.operators.registry import method
from ms2torch._core.operators.spelling import OMITTED
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap
from ms2torch._naming import generations

from ._array_shape import broadcast_to, ints, misfitting, not_an_order, whole

# ---- dtype -------------------------------------------------------------------------------------------------


@method(on_tensors=True)
def astype(self, dtype, copy=True):
    """The Tensor as another dtype: MindSpore's, a class of numpy's or of Python's, or a name.

    (``mindspore.Tensor.astype``.)

    The same memory where the dtype stays.
    """
    t = self._t
    if copy.__class__ is not bool and isinstance(copy, Tensor):
        bool(copy)                              # (a number's truth is asked for)
    want = dtype.torch if isinstance(dtype, _dtype.Type) else None
    if want is None:
        want = _dtype.to_torch(word(dtype))
    return _around(self, t if t.dtype is want else integers.cast(t, want))


def _around(source: Tensor, t: torch.Tensor) -> Tensor:
    """A Tensor around ``t``. Where it is that of ``source`` both are one Tensor to MindSpore, and what is
    written to one is written to the other: while gradients are taken only ``source`` itself can be that."""
    same = (t is source._t and mode.differentiation is not None and not mode.graph
            and source.__class__ is Tensor)
    return source if same else wrap(t)


def word(dtype):
    """``dtype``, where it is of a kind that `astype` takes, else TypeError."""
    if isinstance(dtype, str) and dtype.lower() not in _dtype._WORDS:
        raise TypeError(f"For Tensor.astype, the string input type must be one of {_NAMES}, "
                        f"but got '{dtype}'.")
    if not isinstance(dtype, (str, type, _dtype.Type, torch.dtype)):
        raise TypeError(f"For Tensor.astype, the input type must be one of [{_KINDS}], but got '{dtype}'.")
    return dtype


# What the messages name, in their order.
_NAMES = [
    "bool_", "int8", "byte", "int16", "short", "int32", "intc", "int64", "long", "intp", "uint8", "ubyte",
    "uint16", "ushort", "uint32", "uintc", "uint64", "uintp", "float16", "half", "float32", "single",
    "float64", "double", "complex64", "cfloat", "complex128", "cdouble", "qint4x2", "bfloat16",
    "float8_e4m3fn", "float8_e5m2", "hifloat8", "int_", "uint", "float_", "list_", "tuple_", "string",
    "number", "tensor_type", "type_none", "_null", "TensorType", "Type", "Int", "int", "float", "bool"]
_NUMPYS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
           "float64", "bool_", "complex64", "complex128"]
DTYPES = ", ".join(f"mindspore.{n}" for n in (
    *_NUMPYS[:11], "bfloat16", "complex64", "complex128", "int4", "float8_e4m3fn", "float8_e5m2", "hifloat8",
    "bool"))
_KINDS = ", ".join([DTYPES, *(f"<class 'numpy.{n}'>" for n in _NUMPYS)])


@method(on_tensors=True)
def to(self, *args, dtype=OMITTED, device=OMITTED, other=OMITTED, non_blocking=False, copy=False):
    """The Tensor as another dtype, or on another device, or as ``other`` is (``mindspore.Tensor.to``).

    Devices are mapped as ``device_target`` is: "CPU" stays on the CPU, all others are the device in use.
    """
    plain = non_blocking.__class__ is copy.__class__ is bool
    if len(args) != 1 or not isinstance(args[0], _dtype.Type) or not plain or not (
            dtype is device is other is OMITTED):
        given = {"dtype": dtype, "device": device, "other": other}
        given = {n: v for n, v in given.items() if v is not OMITTED}
        told = {"non_blocking": non_blocking, "copy": copy}
        _fits_a_form("to", args, {**given, **{n: v for n, v in told.items() if v.__class__ is not bool}})
    dtype, device = None if dtype is OMITTED else dtype, None if device is OMITTED else device
    for arg in args if other is OMITTED else (other,):
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, str):
            device = arg
        elif isinstance(arg, (_dtype.Type, torch.dtype)):
            dtype = arg
    t = self._t
    if dtype is not None:
        t = integers.cast(t, _dtype.to_torch(dtype))
    if device is not None:
        t = t.to(_place(device), non_blocking=non_blocking)
    return _around(self, t.clone() if copy and t is self._t else t)


def _fits_a_form(name: str, args, kwargs) -> None:
    """TypeError unless these are arguments of one of the forms of the Tensor's method ``name``."""
    raw, named = lower(args), lower(kwargs)
    told = refused.call_text([*enumerate(raw), *map(refused.Named, named.items())])
    if wrong := overload_error(f"Tensor.{name}", raw, named, told, False):
        raise wrong


def _place(name: str) -> torch.device:
    kind = name.split(":")[0].lower()
    if kind not in ("cpu", "gpu", "ascend", "cuda", "npu"):
        raise ValueError(f'Failed to convert the value "{name}" of input \'device\' of \'to\' to enum.')
    return torch.device("cpu") if kind == "cpu" else _here()


@method(on_tensors=True)
def move_to(self, to, blocking=True):
    """A copy on the CPU or on the device in use (``mindspore.Tensor.move_to``)."""
    if mode.inside or graph_streams.here.call is not None:
        raise ValueError("'The method 'move_to' is not supported in jit.'")
    if to not in ("Ascend", "GPU", "CPU"):
        raise ValueError(f"The value of 'to' must be one of ['Ascend', 'GPU', 'CPU'], but got {to}")
    if not isinstance(blocking, bool):
        raise ValueError(f"The type of 'blocking' must be bool, but got {blocking}")
    return wrap(self._t.to(_place(to), non_blocking=not blocking, copy=True))


@method(name="type", on_tensors=True)
def _type(self, dtype=None):
    """The dtype's name, or the Tensor as another dtype (``mindspore.Tensor.type``)."""
    return str(self.dtype) if dtype is None else astype(self, dtype)


def _kind(name: str, want: torch.dtype) -> None:
    @method(name=name, on_tensors=True)
    def convert(self):
        t = self._t
        return _around(self, t if t.dtype is want else integers.cast(t, want))

    convert.__doc__ = f"The Tensor as {_dtype.from_torch(want)} (``mindspore.Tensor.{name}``)."


for _name, _want in (("float", torch.float32), ("half", torch.float16), ("double", torch.float64),
                     ("bfloat16", torch.bfloat16), ("int", torch.int32), ("long", torch.int64),
                     ("short", torch.int16), ("byte", torch.uint8), ("bool", torch.bool)):
    _kind(_name, _want)


@method(on_tensors=True)
@one_argument
def set_dtype(self, dtype):
    """Converts the Tensor itself, and returns the dtype (``mindspore.Tensor.set_dtype``)."""
    if isinstance(dtype, _dtype.Type):
        self._replace(self._t.detach().to(dtype.torch))
        if hasattr(self, "_rest"):
            mode.casts += 1
        return dtype
    raise TypeError(f"For 'set_dtype', the 'dtype' must be a mindspore dtype, but got {dtype}.")


@method(on_tensors=True)
@without_arguments
def is_signed(self):
    """Whether the dtype has a sign."""
    return self._t.dtype.is_signed


# ---- shape -------------------------------------------------------------------------------------------------


def _shape_of(shape):
    if len(shape) > 1 and isinstance(shape[0], (tuple, list)):          # the rest is not looked at
        shape = shape[:1]
    if len(shape) == 1 and not isinstance(shape[0], builtins.int):
        shape = ints(shape[0])
        shape = (shape,) if isinstance(shape, builtins.int) else shape     # (of a Tensor without axes)
    return tuple(map(whole, shape)) if builtins.any(isinstance(n, torch.Tensor) for n in shape) else shape


@method
def reshape(input, *sizes, shape=...):
    """The Tensor in another shape, given as numbers or as one tuple (``mindspore.Tensor.reshape``)."""
    if shape is not ...:
        if sizes:
            raise TypeError("reshape() got multiple values for argument 'shape'.")
        if not isinstance(shape, (tuple, list, torch.Tensor)):
            raise TypeError("reshape(): missing 1 required positional argument: shape." if shape is None else
                            f"reshape(): argument 'shape' must be tuple of int but got {describe(shape)}.")
        sizes = (shape,)
    if not sizes:
        raise TypeError("reshape() missing 1 required positional argument: shape.")
    return _reshaped(input, _shape_of(sizes))


@method
def view(input, *sizes, shape=..., dtype=None):
    """``reshape``; with a dtype, the same bytes read as it (``mindspore.Tensor.view``).

    Unlike torch's it also takes Tensors whose elements do not lie in order, and copies then.
    """
    if dtype is not None:
        if sizes or shape is not ...:
            raise no_matching_form("view", *sizes, **({} if shape is ... else {"shape": shape}), dtype=dtype)
        sizes = (dtype,)
    if shape is not ...:
        if sizes or not isinstance(shape, (tuple, list, torch.Tensor)):
            raise no_matching_form("view", *sizes, shape=shape)
        sizes = (shape,)
    if not sizes:
        raise no_matching_form("view")
    if len(sizes) == 1 and isinstance(sizes[0], (_dtype.Type, torch.dtype)):
        return input.view(_dtype.to_torch(sizes[0]))
    return _reshaped(input, _shape_of(sizes))


def _reshaped(input, shape):
    try:
        return torch.reshape(input, shape)
    except RuntimeError:
        if graph_streams.here.call is not None:
            raise misfitting(input, shape) from None
        if min(shape, default=0) < -1:
            raise ValueError("invalid proposed_shape dimension.") from None
        if list(shape).count(-1) > 1:
            raise
        raise misfitting(input, shape) from None


@method
def view_as(input, other):
    """The Tensor in the shape of ``other``."""
    return _reshaped(input, tuple(other.shape))


@method
def reshape_as(input, other):
    """The Tensor in the shape of ``other``."""
    return _reshaped(input, tuple(other.shape))


def _swapped(axes: tuple, dim0, dim1) -> tuple:
    """The two axes of a `transpose` that names one of them, at least."""
    if dim0 is not None and not axes:
        return dim0, dim1
    if dim0 is not None or len(axes) != 1:
        raise no_matching_form("transpose", *axes, **{"dim0": dim0} if dim0 is not None else {},
                               **{"dim1": dim1} if dim1 is not None else {})
    if not isinstance(axes[0], (int, np.integer)):
        raise final(TypeError("transpose(): argument 'dim0' (position 1) must be int, not "
                              f"{type(axes[0]).__name__}."))
    return axes[0], dim1


@method
def transpose(input, *axes, dim0=None, dim1=None):
    """The axes in another order, by default reversed; two numbers swap these.

    (``mindspore.Tensor.transpose``.) The order is given as numbers or as one tuple; in a graph two numbers
    are a matrix's order, too.
    """
    if dim0 is not None or dim1 is not None:
        return torch.transpose(input, *_swapped(axes, dim0, dim1))
    ndim = input.ndim
    if not axes:
        return input.permute(*range(ndim - 1, -1, -1))
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        axes = axes[0]
    elif axes == (None,):
        return input.permute(*range(ndim - 1, -1, -1))
    elif len(axes) == 2 and (ndim != 2 or graph_streams.here.call is None):
        try:
            return torch.transpose(input, *map(whole, axes))
        except TypeError:
            raise _no_axes(axes) from None
    elif axes[0].__class__ is not int and (wrong := _no_axes(axes)):
        raise wrong
    elif len(axes) != ndim:
        raise ValueError("For Tensor.transpose, the number of axes must be equal to the dimension of Tensor, "
                         f"but got {len(axes)} in the number of axes.")
    try:
        return input.permute(axes)
    except TypeError:
        raise _no_axes((axes,)) or _no_axes(axes) from None
    except (RuntimeError, IndexError) as err:
        raise not_an_order(input, axes) or err from None


def _no_axes(axes) -> TypeError | None:
    """MindSpore's error where axes are no ints: its parser's about the first, its operator's about others."""
    first = axes[0]
    if isinstance(first, (torch.Tensor, np.integer)) or (isinstance(first, np.ndarray) and not first.ndim):
        cls = renderings(first)["cls"]
        return asked(TypeError("For Tensor.transpose, the parameter 'axes' must be a tuple/list, or series "
                               f"of integer, but got {cls}"))
    sequence = first is None or isinstance(first, (tuple, list))
    if (len(axes) == 1 or not sequence) and (not isinstance(first, int) or isinstance(first, bool)):
        told = f"'axes' (position 1) must be tuple of int but found type of {type_name(first)} at pos 0." if \
            len(axes) == 1 else f"'dim0' (position 1) must be int, not {type_name(first)}."
        return asked(TypeError(f"transpose(): argument {told}"))
    if all(isinstance(n, int) and not isinstance(n, bool) for n in axes):
        return None
    return asked(wrong_inputs("Transpose", input=torch.empty(0), dims=tuple(axes)))


@method
def permute(input, *axis, dims=...):
    """The axes in another order, given as numbers or as one tuple (``mindspore.Tensor.permute``)."""
    if dims is not ...:
        if axis or not isinstance(dims, (tuple, list)):
            raise no_matching_form("permute", *axis, dims=dims)
        axis = (dims,)
    if axis and isinstance(axis[0], (tuple, list)):
        axis = axis[0]                                     # what follows is not looked at
    elif not axis or axis == (None,):
        axis = tuple(range(input.ndim - 1, -1, -1))
    try:
        return input.permute(axis)
    except (RuntimeError, IndexError) as err:
        raise not_an_order(input, axis) or err from None


@method
def tile(input, *counts, dims=None, reps=None):
    """The Tensor repeated along its axes, as numbers or one tuple (``mindspore.Tensor.tile``)."""
    if counts:
        if dims is not None or reps is not None:
            raise TypeError                     # told by its forms
        if isinstance(counts[0], list):
            raise no_matching_form("tile", *counts)
        dims = counts
    else:
        name, dims = ("reps", reps) if dims is None else ("dims", dims)
        if dims is None:
            raise no_matching_form("tile")
        if not isinstance(dims, (tuple, torch.Tensor)):
            raise no_matching_form("tile", **{name: dims})
    if dims.__class__ is tuple and isinstance(dims[0], (tuple, torch.Tensor)):
        dims = dims[0]                                     # what follows is not looked at
    dims = ints(dims)
    dims = (dims,) if dims.__class__ is int else dims
    for i, n in enumerate(dims):
        if i and isinstance(n, str):
            raise TypeError("tile(): argument 'dims'(position 0) should be tuple of int, but unpack failed "
                            f"at pos {i} (got string).")
        if n < 0:
            raise ValueError(f"For 'Tile', 'dims' cannot contain negative integer numbers, but got {n} in "
                             f"{i}th.")
    return input.tile(tuple(dims))


@method
def repeat(input, *size, repeats=..., axis=...):
    """The Tensor repeated along its axes, as torch's; with ``axis``, each slice along it, as numpy's.

    (``mindspore.Tensor.repeat``; before 2.3 it was numpy's, and ``numpy.repeat`` calls it so.)
    """
    old = generations.has_old_meaning("mindspore.Tensor.repeat")
    if repeats is not ...:
        if not old and axis is ... and isinstance(repeats, builtins.int):
            raise TypeError("repeat(): argument 'repeats' must be tuple of int but got int.")
        size = (repeats, *size)
    repeats = size
    if axis is not ... or (old and len(repeats) <= 2):
        counts, *rest = repeats
        axis = rest[0] if rest else None if axis is ... else axis
        counts = counts if isinstance(counts, builtins.int) else torch.tensor(counts, device=input.device)
        return torch.repeat_interleave(input, counts, axis)
    repeats = repeats[0] if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)) else repeats
    if len(repeats) == 1 and repeats[0] is None:
        raise TypeError("repeat(): missing 1 required positional argument: repeats.")
    for i, n in enumerate(repeats):
        if isinstance(n, (str, builtins.float)):
            raise TypeError("repeat(): argument 'repeats' (position 1) must be tuple of int but found type "
                            f"of {type(n).__name__} at pos {i}.")
    return input.repeat(*repeats)


@method
def expand(input, *size):
    """The Tensor repeated to a shape, without copying (``mindspore.Tensor.expand``)."""
    return broadcast_to.kernel(input, _shape_of(size))


@method
def resize(input, *new_shape):
    """The elements read in order into another shape: cut, or filled up with zeros.

    (``mindspore.Tensor.resize``.)
    """
    for n in new_shape:
        if isinstance(n, torch.Tensor) and n.numel() != 1:
            raise asked(ValueError(f"The tensor should have only one element, but got {n.numel()}, more than "
                                   "one element is ambiguous."))
        if isinstance(n, torch.Tensor) and n.ndim:
            raise TypeError("Only integer scalar tensors can be converted to a scalar index")
    if not new_shape:
        return input.clone()
    # (the real one takes a tuple that is the only argument for the shape, and multiplies what it finds)
    alone = len(new_shape) == 1 and isinstance(new_shape[0], tuple)
    shape, size, kind = [*(new_shape[0] if alone else new_shape)], 1, ""
    for n in shape:
        if isinstance(n, torch.Tensor):
            kind = f"Tensor[{_dtype.from_torch(n.dtype)}]" if n.is_floating_point() else kind
            n = n.item()
        try:
            size *= n
        except TypeError:
            raise asked(TypeError("unsupported operand type(s) for *=: 'int' and "
                                  f"{compiled_name(n)}")) from None
    try:
        more = size - input.numel()
    except TypeError as wrong:
        raise asked(wrong) from None
    if more > 0 and isinstance(size, (builtins.float, np.floating)):
        wanted = "Tensor[Int32], Tensor[Int64]" if kind else "Int32, Int64"
        raise asked(TypeError("For primitive[FillV2], the input argument[input[shape]] must be a type of "
                              f"{{{wanted}}}, but got {kind or 'Float32'}."))
    if more <= 0 and not isinstance(size, builtins.int) and not kind:
        raise asked(RuntimeError("Slice index type must be int, tensor or none."))
    for place, n in enumerate(shape):
        if isinstance(n, builtins.bool) or (isinstance(n, torch.Tensor) and n.is_floating_point()):
            raise asked(TypeError("reshape(): argument 'shape' (position 1) must be tuple of int but found "
                                  "type of tuple at pos 0." if not place else
                                  "reshape(): argument 'shape'(position 0) should be tuple of int, but "
                                  f"unpack failed at pos {place} (got {describe(n)})."))
    flat, shape, size = input.reshape(-1), [builtins.int(n) for n in shape], builtins.int(size)
    if size > flat.numel():
        flat = torch.cat((flat, flat.new_zeros(size - flat.numel())))
    try:
        return flat[:size].reshape(shape)
    except RuntimeError:
        raise ValueError("invalid proposed_shape dimension") from None


@method
def sum_to_size(input, *size):
    """Summed over the axes in which it is larger than ``size``."""
    if len(size) == 1 and isinstance(size[0], torch.Tensor) and size[0].numel() > 1:
        raise asked(ValueError(f"The tensor should have only one element, but got {size[0].numel()}, more "
                               "than one element is ambiguous."))
    size = size[0] if len(size) == 1 and isinstance(size[0], tuple) else size
    told = f"For sum_to_size, size {lift(size)} is not expandable to the tensor size {tuple(input.shape)}."
    last = zip(reversed(size), reversed(input.shape), strict=False)
    numbers = all(isinstance(a, (Number, torch.Tensor)) and (a == 1 or a == b) for a, b in last)
    if len(size) > input.ndim or not numbers:
        raise asked(ValueError(told))
    size = [int(a) if isinstance(a, float) else a for a in size]
    return input.sum_to_size(_shape_of(size))


def _transposed(name: str, conjugate: builtins.bool) -> None:
    def read(self):
        t = self._t
        if name == "H" and t.ndim != 2:
            raise ValueError(f"For tensor.H, only 2-D Tensor is supported, but got {t.ndim}-D.")
        if t.ndim < 2:
            axis = -1 if name == "mH" and not t.ndim else -2
            raise ValueError(f"The 'axis' must be in the range of [-{t.ndim}, {t.ndim}), but got {axis}.")
        t = t.transpose(-2, -1)
        return wrap(t.conj().resolve_conj() if conjugate and t.is_complex() else t)

    doc = "The last two axes swapped, conjugate." if conjugate else "The last two axes swapped."
    setattr(Tensor, name, property(read, doc=doc))


_transposed("mT", False)
_transposed("H", True)
_transposed("mH", True)


