"""What a tensor is, conversions, and the operators on Python numbers, tuples and lists."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.checks.calls import describe, failed_call, type_description
from ms2torch._core.checks.compiled_methods import without_arguments
from ms2torch._core.gradient import integers
from ms2torch._core.operators.registry import OPS, Definition, method, mint_form, op, primitive
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, as_torch, wrap
from ms2torch._naming import generations

# ---- conversion --------------------------------------------------------------------------------------------


@op(primitive="Cast", call=("input_x", "dtype"), on_tensors=True)
def cast(input, dtype):
    """``input``, a Tensor or a number, as another dtype (``mindspore.ops.cast``).

    A Tensor that has the dtype comes back itself.

    TypeError unless ``dtype`` is one of MindSpore's.
    """
    if not isinstance(dtype, _dtype.Type):
        raise TypeError(f"For 'Cast', the input 'dtype' should be mindspore dtype, but got {dtype}.")
    want = dtype.torch or _dtype.to_torch(dtype)
    try:
        t = input._t
    except AttributeError:
        return _cast_number(input, want)
    if t.dtype is want:
        return input
    return wrap(integers.cast(t.real if t.is_complex() and not want.is_complex else t, want))


def _cast_number(number, want):
    if not isinstance(number, (bool, int, float, complex, np.number, np.bool_)):
        raise failed_call(f"Cast()(input={describe(number)}, dtype=mindspore.dtype)",
                          "Cast()(input=<Number, Tensor>, dtype=<mindspore.dtype>)")
    return wrap(as_torch(number, want))


@op(method=True)
def type_as(input, other):
    """``input`` in the dtype of ``other`` (``mindspore.ops.type_as``)."""
    return input.to(other.dtype)


# ---- facts -------------------------------------------------------------------------------------------------


def _tensor(x, text: str) -> Tensor:
    if not isinstance(x, Tensor):
        raise TypeError(text)
    return x


@op(primitive="DType", on_tensors=True)
def dtype(x):
    """The dtype of a Tensor (``mindspore.ops.dtype``)."""
    if isinstance(getattr(x, "dtype", None), _dtype.Type):      # a COOTensor's or CSRTensor's
        return x.dtype
    return _tensor(x, "For Primitive[Dtype], the input argument[input_x] must be a Tensor, CSRTensor or "
                      f"COOTensor, but got {type(x)}.").dtype


@op(primitive="Shape", call=("x",), on_tensors=True, alias="shape_")
def shape(input_x):
    """The shape of a Tensor, a tuple (``mindspore.ops.shape``)."""
    if isinstance(getattr(input_x, "dtype", None), _dtype.Type):        # also a COOTensor's or CSRTensor's
        return input_x.shape
    return _tensor(input_x, f"For primitive[Shape], the input argument must be Tensor, but got "
                            f"{type(input_x)}.").shape


@op(primitive="TensorShape")
def dyn_shape(input_x):
    """The shape in an Int64 tensor (``mindspore.ops.dyn_shape``)."""
    return torch.tensor(input_x.shape, dtype=torch.int64, device=input_x.device)


@primitive("DynamicShape", init={"dtype": 9})
def _dynamic_shape(input_x, dtype=9):
    """The shape as a Tensor, Int64."""
    return torch.tensor(input_x.shape, dtype=torch.int64, device=input_x.device)


@op(primitive="Rank", call=("x",), on_tensors=True)
def rank(input_x):
    """The number of axes, an int (``mindspore.ops.rank``)."""
    return _tensor(input_x, "the input x must be Tensor!").ndim


@op(primitive="Size", on_tensors=True)
def size(input_x):
    """The number of elements, an int (``mindspore.ops.size``)."""
    number = isinstance(input_x, (int, float, np.number, np.bool_))
    got = type_description(input_x) if number else type(input_x).__name__
    return _tensor(input_x, f"For 'Size', input must be a Tensor, but got: {got}.").size


@op(method=True, on_tensors=True)
def numel(input):
    """The number of elements, an int (``mindspore.ops.numel``)."""
    return _tensor(input, f"For 'numel', the input must be a Tensor, but got {type(input)}.").size


@op(on_tensors=True)
def is_tensor(obj):
    """Whether ``obj`` is a Tensor (``mindspore.ops.is_tensor``)."""
    return isinstance(obj, Tensor)


@op(on_tensors=True, method=True)
def is_floating_point(input):
    """Whether the dtype is one of floats (``mindspore.ops.is_floating_point``)."""
    return getattr(input.dtype, "torch", torch.bool).is_floating_point            # False of numpy's arrays


@op(on_tensors=True)
def is_complex(input):
    """Whether the dtype is one of complex numbers (``mindspore.ops.is_complex``)."""
    return _tensor(input, "The input must be Tensor!")._t.is_complex()


@method(on_tensors=True, name="is_complex")
@without_arguments
def _is_complex(self):
    """Whether the dtype is one of complex numbers."""
    return self._t.is_complex()


@op
def is_nonzero(input):
    """Whether the only element is not zero (``mindspore.ops.is_nonzero``)."""
    if input.numel() != 1:
        raise ValueError(f"The numel of input must be 1, but got {input.numel()}.")
    return bool(input)


# ---- the same, unchanged -----------------------------------------------------------------------------------


@op(on_tensors=True)
def identity(x):
    """``x`` itself (``mindspore.ops.identity``)."""
    return x


@primitive("Identity", valid="Identity()(input_x=<Tensor>)")
def _identity(input_x):
    """A copy."""
    return torch.clone(input_x)  # programs write into it: mindyolo's xywh2xyxy reads x meanwhile


@op
def deepcopy(input_x):
    """A copy of ``input_x`` (``mindspore.ops.deepcopy``)."""
    return input_x.clone()


# ---- numbers, tuples, lists --------------------------------------------------------------------------------


@op(on_tensors=True)
def scalar_to_tensor(input_x, dtype=_dtype.float32):
    """A number as a 0-d Tensor, Float32 unless ``dtype`` says otherwise.

    (``mindspore.ops.scalar_to_tensor``.)
    """
    if not isinstance(input_x, (bool, int, float)):
        raise TypeError("For 'ScalarToTensor', the type of 'x' should be one of '['bool', 'int', 'float']', "
                        f"but got type '{type(input_x).__name__}'.")
    if isinstance(input_x, float) and not (dtype is _dtype.bool_ or dtype.torch.is_floating_point):
        input_x = int(input_x)               # which is cut to the integer's bits after it is an int64
        if not -2**63 <= input_x < 2**63:
            raise OverflowError("Python int too large to convert to C long")
    return wrap(as_torch(input_x, dtype))


@primitive("ScalarToTensor", on_tensors=True)
def _scalar_to_tensor(x, dtype=_dtype.float32):
    """A number as a 0-d Tensor, Float32 unless ``dtype`` says otherwise."""
    return scalar_to_tensor(x, dtype)


@op(primitive="ScalarToArray", on_tensors=True)
def scalar_to_array(input_x):
    """A number as a 0-d Tensor: Int64 from an int, Float32 from a float.

    (``mindspore.ops.scalar_to_array``.)
    """
    if not isinstance(input_x, (bool, int, float)):
        raise TypeError("For 'ScalarToArray', the type of 'input_x' should be one of '['bool', 'int', "
                        f"'float']', but got type '{type(input_x).__name__}'.")
    return wrap(as_torch(input_x))


@op(on_tensors=True)
def tuple_to_array(input_x):
    """A tuple of numbers as a Tensor: Int32 where the first is an int, else Float32.

    (``ops.tuple_to_array``.)
    """
    kind = _dtype.int32 if isinstance(input_x[0], int) else _dtype.float32
    return wrap(as_torch(list(input_x), kind))


@primitive("TupleToArray", on_tensors=True)
def _tuple_to_array(input_x):
    """A tuple of numbers as a Tensor: Int32 where the first is an int, else Float32."""
    return tuple_to_array(input_x)


@op(primitive="ScalarCast", on_tensors=True)
def scalar_cast(input_x, input_y):
    """A number as an int, a float or a bool: ``input_y`` is int64, float64 or bool_ (``ops.scalar_cast``)."""
    kinds = {_dtype.int64: int, _dtype.float64: float, _dtype.bool_: bool}
    if generations.has_old_meaning("mindspore.ops.scalar_cast") and isinstance(input_y, _dtype.Type):
        return torch.tensor(input_x).to(_dtype.to_torch(input_y)).item()
    if input_y not in kinds:
        raise ValueError("For 'ScalarCast', the supported type is in the list: [mindspore.int64, "
                         f"mindspore.float64, mindspore.bool], but got {input_y}")
    return kinds[input_y](input_x)


def _divisor(y, words: str = "The divisor could not be zero. But the divisor is zero now."):
    """``y``, which divides; ValueError for 0."""
    if y == 0:
        raise ValueError(words)
    return y


def _plain(name: str, fn, doc: str) -> None:
    """A function of Python values that has no kernel: it is what it is in ``mindspore.ops.functional``."""
    fn.__name__, fn.__doc__ = name, f"{doc} (``mindspore.ops.{name}``)."
    OPS[name] = Definition(name, fn, fn, None, (), (), ())
    globals()[name] = fn


for _name, _fn, _doc in (
    ("tuple_len", lambda x: len(x), "The length of a tuple"),
    ("list_len", lambda x: len(x), "The length of a list"),
    ("tuple_getitem", lambda x, i: x[i], "One element of a tuple"),
    ("list_getitem", lambda x, i: x[i], "One element of a list"),
    ("tuple_setitem", lambda x, i, v: (*x[:i], v, *x[i:][1:]), "A tuple with one element replaced"),
    ("tuple_reversed", lambda x: x[::-1], "A tuple backwards"),
    ("dict_len", lambda x: len(x), "The number of entries of a dict"),
    ("dict_getitem", lambda x, k: x[k], "One value of a dict"),
    ("make_tuple", lambda *x: x, "Its arguments as a tuple"),
    ("make_list", lambda *x: list(x), "Its arguments as a list"),
    ("make_range", lambda *x: tuple(range(*x)), "The numbers of a range as a tuple"),
    ("scalar_add", lambda x, y: x + y, "The sum of two numbers"),
    ("scalar_sub", lambda x, y: x - y, "The difference of two numbers"),
    ("scalar_mul", lambda x, y: x * y, "The product of two numbers"),
    ("scalar_div", lambda x, y: x / _divisor(y), "The quotient of two numbers"),
    ("scalar_floordiv", lambda x, y: x // _divisor(y), "The floored quotient of two numbers"),
    ("scalar_mod", lambda x, y: x % _divisor(y, "Cannot perform modulo operation on zero."),
     "The remainder of two numbers"),
    ("scalar_pow", lambda x, y: x ** y, "A power of two numbers"),
    ("scalar_eq", lambda x, y: x == y, "Whether two numbers are equal"),
    ("scalar_ne", lambda x, y: x != y, "Whether two numbers differ"),
    ("scalar_lt", lambda x, y: x < y, "Whether one number is less than another"),
    ("scalar_le", lambda x, y: x <= y, "Whether one number is at most another"),
    ("scalar_gt", lambda x, y: x > y, "Whether one number is greater than another"),
    ("scalar_ge", lambda x, y: x >= y, "Whether one number is at least another"),
    ("scalar_max", max, "The greater of two numbers"),
    ("scalar_min", min, "The smaller of two numbers"),
    ("scalar_log", lambda x: math.log(x), "The logarithm of a number"),
    ("scalar_uadd", lambda x: x, "A number"),
    ("scalar_usub", lambda x: -x, "A number negated"),
    ("is_", lambda x, y: x is y, "Whether two are one object"),
    ("is_not", lambda x, y: x is not y, "Whether two are different objects"),
    ("in_dict", lambda x, y: x in y, "Whether a dict has a key"),
    ("not_in_dict", lambda x, y: x not in y, "Whether a dict lacks a key"),
    ("bool_not", lambda x: not x, "The negation of a bool"),
    ("bool_or", lambda x, y: x or y, "Whether one of two is true"),
    ("bool_and", lambda x, y: x and y, "Whether both are true"),
    ("bool_eq", lambda x, y: x == y, "Whether two bools are equal"),
    ("string_eq", lambda x, y: x == y, "Whether two strings are equal"),
    ("string_concat", lambda x, y: x + y, "Two strings joined"),
    ("isconstant", lambda x: not isinstance(x, Tensor), "Whether ``x`` is known when a graph is compiled"),
    ("shape_mul", lambda shape: math.prod(shape), "The product of the sizes of a shape"),
):
    if _fn in (max, min):
        _fn = (lambda f: lambda x, y: f(x, y))(_fn)
    _plain(_name, _fn, _doc)


def scalar_bool(x):
    """The truth of a number, which a graph computes."""
    return bool(x)


globals()["isconstant"]._of_constants = "constant"


@op(on_tensors=True)
def typeof(x):
    """The type of a value: ``Tensor[Float32]`` for a Tensor (``mindspore.ops.typeof``)."""
    if isinstance(x, Tensor):
        return _dtype.TensorType(x.dtype)
    kinds = {bool: _dtype.bool_, int: _dtype.int64, float: _dtype.float32, str: _dtype.string}
    return kinds.get(type(x), type(x))


@op(on_tensors=True)
def mixed_precision_cast(dst_dtype, x):
    """The float Tensors in ``x``, nested in tuples, lists and dicts, as ``dst_dtype``."""
    if isinstance(x, Tensor):
        return cast(x, dst_dtype) if x._t.is_floating_point() else x
    if isinstance(x, (tuple, list)):
        return tuple(mixed_precision_cast(dst_dtype, v) for v in x)
    if isinstance(x, dict):
        return {k: mixed_precision_cast(dst_dtype, v) for k, v in x.items()}
    return x


@method(name="dim", on_tensors=True)
def _dim(self):
    """The number of axes, an int."""
    return self._t.ndim


method(_dim, name="ndimension", on_tensors=True)
method(lambda self: self._t.numel(), name="nelement", on_tensors=True)


@primitive("IdentityN")
def _identity_n(x):
    """The tensors that it gets."""
    return tuple(x)


@mint_form(name="clone")
def _clone(input):
    """A copy, through which gradients flow."""
    return input.clone()


@mint_form(name="item")
def _item(input):
    """The only element, as a Python number."""
    return input.item()
