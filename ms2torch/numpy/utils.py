"""What the functions of ``mindspore.numpy`` share: array-like arguments in, Tensors out."""

from __future__ import annotations

import inspect
from functools import wraps

import numpy as np
import torch

from ms2torch._core.checks.calls import class_text, compiled_name
from ms2torch._core.checks.words import shown, with_public_classes
from ms2torch._core.gradient import integers
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.construct import from_number
from ms2torch._core.tensor.tensor import Tensor, as_torch, lift, lower, wrap
from ms2torch.ops.function._array_methods import word as astype_word


def refusal(kind: type[Exception], words: str) -> Exception:
    """An error in MindSpore's words, which no table of refused calls knows better."""
    wrong = with_public_classes(kind(words))
    wrong.asked = True
    return wrong


def as_array(obj, want: torch.dtype | None = None) -> torch.Tensor:
    """A torch tensor from a tensor, number or nested list: Python ints become Int32, floats Float32, unless a
    dtype is wanted."""
    if isinstance(obj, torch.Tensor):
        return obj if want is None else obj.to(want)
    if isinstance(obj, (list, tuple)):
        made = list if isinstance(obj, list) else tuple
        obj = made(wrap(x) if isinstance(x, torch.Tensor) else x for x in obj)
    elif not isinstance(obj, (bool, int, float)):
        raise TypeError("Expect input to be array like.")
    elif want is None:
        return narrow(from_number(obj, None))
    return narrow(as_torch(obj)) if want is None else as_torch(obj, want)


def as_given(obj) -> torch.Tensor:
    """`as_array` with the dtypes that a Tensor of ``obj`` has: whole numbers are Int64."""
    if isinstance(obj, (bool, int, float, list, tuple)):
        return as_torch(obj if not isinstance(obj, (list, tuple)) else
                        [wrap(x) if isinstance(x, torch.Tensor) else x for x in obj])
    return as_array(obj)


def narrow(t: torch.Tensor) -> torch.Tensor:
    """``t``, Int32 or Float32 where it has 64 bits."""
    return t.to(_OF_32_BITS.get(t.dtype, t.dtype))


_OF_32_BITS = {torch.int64: torch.int32, torch.float64: torch.float32}


def as_constant(obj, want: torch.dtype | None = None) -> torch.Tensor:
    """`as_array` of what makes an array: lists are numpy's to judge."""
    if not isinstance(obj, (torch.Tensor, list, tuple, bool, int, float)):
        raise TypeError("input data must be `int`, `float`, `bool`, `Tensor`, `list`, `tuple`, but got "
                        f"{type(obj)}")
    if isinstance(obj, (list, tuple)):
        flat = list(_leaves(obj))
        if any(x is None or isinstance(x, _dtype.Type) for x in flat):
            raise refusal(ValueError, "Input array must have the same size across all dimensions.")
        if want is None:
            _ask_named(flat)
        try:
            np.asarray(_plain(obj))
        except ValueError as wrong:
            raise refusal(ValueError, str(wrong)) from None
    return as_array(obj, want)


def _ask_named(leaves) -> None:
    """MindSpore's error for 64 bits of Tensors among whole numbers, and for whole numbers beyond Int64: its
    table has no dtype by numpy's name for them."""
    kinds = {x.dtype if isinstance(x, torch.Tensor) else torch.uint64 if _beyond(x) else type(x)
             for x in map(lower, leaves)}
    if unknown := "longlong" if torch.int64 in kinds and kinds <= _WHOLE else \
            "ulonglong" if torch.uint64 in kinds and kinds <= _UNSIGNED else "":
        raise refusal(NotImplementedError, f"The python type <class 'numpy.{unknown}'> cannot be converted "
                                           "to MindSpore type.")


def _beyond(x) -> bool:
    return x.__class__ is int and 1 << 63 <= x < 1 << 64


_UNSIGNED = {torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64}
_WHOLE = {bool, int, torch.int8, torch.int16, torch.int32, torch.int64, *_UNSIGNED} - {torch.uint64}


def _leaves(obj):
    """What stands in nested sequences."""
    for x in obj:
        yield from _leaves(x) if isinstance(x, (list, tuple)) else (lower(x),)


def length_of(obj) -> int:
    """The length of what has one, or Python's error in MindSpore's words."""
    try:
        return len(obj)
    except TypeError:
        raise refusal(TypeError, "Not support len of a 0-D tensor" if isinstance(obj, torch.Tensor) else
                      f"object of type {compiled_name(obj)} has no len()") from None


def iterated(obj):
    """What is in something, or Python's error, in MindSpore's words, for what has nothing in it."""
    try:
        return iter(lift(obj))
    except TypeError:
        raise refusal(TypeError, f"{compiled_name(obj)} object is not iterable") from None


def subscripted(obj) -> None:
    """Python's error for what is not subscriptable, in MindSpore's words."""
    if isinstance(obj, np.generic):
        raise refusal(IndexError, "invalid index to scalar variable.")
    if isinstance(obj, type):
        raise refusal(TypeError, f"type '{obj.__name__}' is not subscriptable")
    if not hasattr(obj, "__getitem__"):
        raise refusal(TypeError, f"{compiled_name(obj)} object is not subscriptable")


def _plain(obj):
    """Nested lists without tensors."""
    if isinstance(obj, (list, tuple)):
        return [_plain(x) for x in obj]
    t = lower(obj)
    return t.detach().cpu().numpy() if isinstance(t, torch.Tensor) else obj


def as_tensor(obj) -> Tensor:
    """A Tensor, or what `as_array` makes of anything else."""
    return obj if isinstance(obj, Tensor) else wrap(as_array(lower(obj)))


def axis_in_range(axis, ndim: int) -> int:
    """The axis counted from the first one, or MindSpore's error."""
    if not isinstance(axis, int):
        raise refusal(TypeError, f"axes should be integers, not {type(axis)}")
    if not -ndim <= axis < ndim:
        raise refusal(ValueError, f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def valid_axes(axis, ndim: int) -> tuple[int, ...]:
    """The axes that one, some or None (all) mean, in the order given."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis_in_range(a, ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) < len(axes):
        raise refusal(ValueError, 'duplicate value in "axis"')
    return axes


def sorted_axes(axis, ndim: int, lists: bool = False) -> tuple[int, ...]:
    """The axes that one or some mean, in rising order; ``lists`` of them are taken too, or not."""
    if not isinstance(axis, (int, tuple, *[list] * lists)):
        raise refusal(TypeError, f"For Tensor.ptp, the axis should be int, tuple, {'list, ' * lists}, but "
                                 f"got {class_text(lift(axis))}.")
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in given:
        if not isinstance(one, int):
            raise refusal(TypeError, "For Tensor.ptp, each axis must be integer, but got "
                          f"{class_text(lift(one))} in {shown(lift(axis))}.")
    axes = tuple(axis_in_range(one, ndim) for one in given)
    if len(set(axes)) < len(axes):
        raise refusal(ValueError, f"duplicate axes in {axes}.")
    return tuple(sorted(axes))


def broadcasts(*shapes) -> bool:
    """Whether shapes broadcast."""
    try:
        return torch.broadcast_shapes(*shapes) is not None
    except RuntimeError:
        return False


def common_shape(*shapes) -> tuple[int, ...]:
    """The shape that some share once broadcast, or MindSpore's error."""
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        said = tuple(tuple(shape) for shape in shapes)
        raise refusal(ValueError, f"operands could not be broadcast together with shapes {said}") from None


def broadcast(t: torch.Tensor, shape) -> torch.Tensor:
    """``t`` repeated to ``shape``, or MindSpore's error."""
    try:
        return t.expand(tuple(shape)).clone()
    except (RuntimeError, TypeError):
        raise refusal(ValueError, f"cannot broadcast with {shown(shape)}") from None


# Dtypes that mindspore.numpy does not know.
UNKNOWN = (torch.bfloat16, torch.complex64, torch.complex128)


def shared_dtype(a: torch.dtype, b: torch.dtype) -> torch.dtype:
    """The dtype that two share by the table of ``mindspore.numpy``, or its TypeError."""
    if a is b:
        return a
    if a in UNKNOWN or b in UNKNOWN:
        raise refusal(TypeError, f"input dtype: {_dtype.from_torch(a)}, {_dtype.from_torch(b)} are not all "
                                 "mindspore datatypes.")
    if {a, b} == {torch.uint16, torch.float64}:
        return torch.float32                             # so the table has it
    # numpy's dtype for two kinds of integers; a float beside an integer stays as it is.
    if torch.bool in (a, b):
        return b if a is torch.bool else a
    if a.is_floating_point or b.is_floating_point:
        return torch.promote_types(a, b)
    return _dtype.to_torch(np.promote_types(*(_dtype.from_torch(t).numpy for t in (a, b))))


def ask_float(t: torch.Tensor) -> None:
    """The TypeError where MindSpore computes with a Float32 beside an unsigned number of more than 8 bits."""
    if t.dtype in _dtype.UNSIGNED:
        raise refusal(TypeError, f"Type implicit conversion between Float32 and {_dtype.from_torch(t.dtype)} "
                                 "is not supported.")


def ask_factor(t: torch.Tensor) -> None:
    """The same for a product."""
    if t.dtype in _dtype.UNSIGNED:
        raise refusal(TypeError, "For Op[Mul], the promote output type is invalid")


def shared(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Tensors in the dtype that they share."""
    kind = tensors[0].dtype
    for t in tensors[1:]:
        kind = shared_dtype(kind, t.dtype)
    return [t.to(kind) for t in tensors]


def floating(t: torch.Tensor) -> torch.Tensor:
    """``t``, Float32 where it holds integers or bools."""
    return t if t.is_floating_point() or t.is_complex() else t.to(torch.float32)


def _to_tensor(*args):
    """Tensors from array-like values; one alone for one argument (an old helper that programs import)."""
    made = tuple([wrap(as_array(lower(a))) for a in args])
    return made[0] if len(made) == 1 else made


# What numpy's letters mean, and Python's types: Int32 and Float32, where numpy has 64 bits.
_LETTERS = {
    "?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "q": "int64", "B": "uint8",
    "H": "uint16", "I": "uint32", "L": "uint64", "e": "float16", "f": "float32", "d": "float64",
}
_PYTHON = {int: torch.int32, float: torch.float32, bool: torch.bool}
_NARROW = {"int": torch.int32, "float": torch.float32}


def named_dtype(dtype, letters: bool = False) -> torch.dtype:
    """The torch dtype that an argument names as ``mindspore.numpy`` reads it; ``letters`` lets numpy's codes
    ("f4", "?") in. TypeError for what names none."""
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    if isinstance(dtype, str):
        if dtype.lower() in _NARROW:
            return _NARROW[dtype.lower()]
        if letters:
            try:
                return _dtype.to_torch(_LETTERS.get(dtype, dtype))
            except TypeError:
                raise TypeError(f"data type '{dtype}' not understood") from None
    return _dtype.to_torch(dtype)


_ALLOWED = ("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float",
            "float16", "float32", "float64", "bool")
_SAID = [f"np.{n}" for n in ("int_", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32",
                             "uint64", "float64", "float16", "float32", "float64", "bool_")]


def checked_dtype(dtype) -> torch.dtype:
    """The torch dtype that makers of arrays read in ``dtype``: one of numpy's own, by whatever name."""
    said = dtype
    if isinstance(dtype, str):
        known = dtype.lower() in _ALLOWED
        said, dtype = "", "uint32" if dtype.lower() == "uint" else dtype.lower()
    elif isinstance(dtype, type):
        return named_dtype(dtype)
    else:
        known = isinstance(dtype, torch.dtype) or (
            isinstance(dtype, _dtype.Type) and str(dtype).lower() in _ALLOWED)
    if not known:
        raise refusal(TypeError, f"only {_SAID} are allowed for dtype, but got {type(said)}")
    return named_dtype(dtype)


def ask_known(t: torch.Tensor, unknown=(torch.bfloat16,)) -> None:
    """The makers' TypeError for dtypes that they do not know."""
    if t.dtype in unknown:
        checked_dtype(_dtype.from_torch(t.dtype))


def cast_result(t: torch.Tensor, dtype) -> torch.Tensor:
    """``t`` in ``dtype``, which is one of MindSpore's here, not a name or one of numpy's."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return t if dtype is None else integers.cast(t, dtype)
    if not isinstance(dtype, _dtype.Type):
        raise refusal(TypeError, f"For 'Cast', the input 'dtype' should be mindspore dtype, but got "
                                 f"{lift(dtype)}.")
    return integers.cast(t, _dtype.to_torch(dtype))


def cast(t: torch.Tensor, dtype):
    """``t`` in ``dtype`` as Tensor.astype reads it, which takes numpy's classes, but none of its dtypes."""
    if isinstance(dtype, np.dtype):
        raise refusal(*told(astype_word, dtype))
    return t if dtype is None else integers.cast(t, _dtype.to_torch(dtype))


def told(check, *given) -> tuple[type[Exception], str]:
    """The class and words of the error that a check raises."""
    try:
        check(*given)
    except Exception as wrong:
        return type(wrong), str(wrong)
    raise AssertionError("the check found nothing wrong")


def arrays(count: int):
    """Decorator: the first ``count`` arguments of the kernel are array-like, by place or by name; the rest is
    left as it is."""

    def decorate(kernel):
        names = [*inspect.signature(kernel).parameters][:count]

        @wraps(kernel)
        def call(*args, **kwargs):
            named = {n: as_array(kwargs[n]) for n in names if n in kwargs} if kwargs else {}
            return kernel(*[as_array(a) if i < count else a for i, a in enumerate(args)],
                          **{**kwargs, **named})

        return lowered(call, kernel.__name__)

    return decorate


def signature(first: str, dtype: bool = True) -> inspect.Signature:
    """``(first, dtype=None)``, or ``(first)``."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    rest = [inspect.Parameter("dtype", kind, default=None)] if dtype else []
    return inspect.Signature([inspect.Parameter(first, kind), *rest])


def number_or_array(x):
    """An operand: a number beside a tensor stays one, and takes part by the rules of operators; of numpy's
    only a double is one."""
    if isinstance(x, int) and not -1 << 63 <= x < 1 << 63:
        return as_array(x)                  # no number of an operator: a UInt64
    return x if isinstance(x, (bool, int, float)) else as_array(x)
