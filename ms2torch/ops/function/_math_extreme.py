"""Largest and smallest elements, with or without where they are; medians and quantiles."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import describe, no_matching_form, type_name
from ms2torch._core.checks.kernel_dtypes import must_be
from ms2torch._core.errors import asked, final
from ms2torch._core.operators.arithmetic import number_as_tensor, promote_operands
from ms2torch._core.operators.attribute_forms import number_of
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import OMITTED, spelled
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lift
from ms2torch._naming import generations

from ._math_axis import axes, distinct, every, one_axis, unseen

_AXIS_ALONE = spelled(dim="axis", keepdim="keepdims")
_LARGEST, _SMALLEST = (torch.amax, torch.max, torch.maximum), (torch.amin, torch.min, torch.minimum)


def _extreme(kind, t, axis, keep, name, initial=None, where=None):
    """Over all or some axes; ties share the gradient evenly."""
    if axis.__class__ is int and initial is None and where is None:
        try:
            return kind[0](t, axis, keep)
        except IndexError:
            pass                             # told below
    axis = axes(axis, t, name)
    if isinstance(where, torch.Tensor):                  # (no other is looked at)
        if initial is None:
            raise ValueError("initial value must be provided for where masks")
        t = _chosen(where, t, initial)
    result = kind[0](t, every(axis, t), keep)
    return result if initial is None else kind[2](result, _initial(initial, t))


def _initial(initial, t):
    """The number to begin with, in the dtype of ``t``."""
    if not isinstance(initial, torch.Tensor):
        return torch.full((), initial, device=t.device).to(t.dtype)
    if initial.numel() != 1:
        raise ValueError("For primitive[FillV2], the size of the input [fill_value] must be equal to 1, but "
                         f"got {initial.numel()}.")
    return initial.reshape(()).to(t.dtype)


def _chosen(where, t, initial):
    """``t`` where ``where`` is true, else ``initial``; what is no Tensor is one truth."""
    initial = _initial(initial, t)
    if not isinstance(where, torch.Tensor):
        return t if where else initial.expand_as(t)
    if where.dtype is not torch.bool:
        raise TypeError("Select CPU operator[Select] fail! Unsupported data type!")
    return torch.where(where, t, initial)


def _nothing(name: str) -> ValueError:
    return final(ValueError(f"{name} cannot deal with empty input. Please try other inputs\n"))


def _with_index(kind, t, axis, keep, name):
    """Values and their first indices along one axis."""
    axis = one_axis(axis, t, name)
    if not t.numel():
        raise _nothing(name)
    values, indices = kind[1](t, axis, keep)
    return values, _counted(indices)


def _counted(indices):
    """Indices in the dtype that the release gives."""
    return indices.int() if generations.has_old_meaning("mindspore.ops.ArgMaxWithValue") else indices


def _no_index(t):
    return _counted(torch.zeros((), dtype=torch.int64, device=t.device))


def _indices_and_values(kind, name, t, axis, keep):
    """The primitives' order, and that of the functions before 2.0."""
    values, indices = _with_index(kind, t, 0 if axis is None else axis, bool(keep), name)
    return indices, values


def _values_and_indices(kind, name, t, axis, keepdims, initial, where):
    primitive_name = f"Arg{name.capitalize()}WithValue"
    if isinstance(t, np.generic):               # which stays what it is
        return t, torch.zeros((), dtype=torch.int64)
    if not t.ndim:
        return t.clone(), _no_index(t)
    if axis is None:
        # Of all elements the index is 0, whichever it is.
        return kind[0](t), _no_index(t)
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"For '{name}', 'axis' must be int, but got {type(axis)}")
    if isinstance(initial, torch.Tensor):
        raise _no_scalar(name, initial)
    if initial is not None:
        t = kind[2](t, _initial(initial, t))
    if where is not None and not _all_of_it(where):
        if initial is None:
            raise ValueError("initial value must be provided for where masks")
        t = _chosen(where, t, initial)
    return _with_index(kind, t, axis, keepdims, primitive_name)


def _all_of_it(where) -> bool:
    """Whether a mask is one truth: True, or a number or Tensor that equals it."""
    return (where.numel() == 1 and bool(where == 1)) if isinstance(where, torch.Tensor) else where == 1


@unseen("keep_dims")
@op()
def max(input, axis=None, keepdims=False, *, initial=None, where=None, keep_dims=None):
    """The largest element along ``axis`` and its index; of all elements without one (``mindspore.ops.max``).

    Unlike ``torch.max``, both forms give (values, indices). TypeError unless ``axis`` is an int or None.
    Before 2.0 they were (indices, values), along the first axis by default: told by the name ``keep_dims``,
    else by ``--api``.
    """
    if keep_dims is not None or generations.has_old_meaning("mindspore.ops.max"):
        return _indices_and_values(_LARGEST, "ArgMaxWithValue", input, axis, keepdims or keep_dims)
    return _values_and_indices(_LARGEST, "max", input, axis, keepdims, initial, where)


@unseen("keep_dims")
@op()
def min(input, axis=None, keepdims=False, *, initial=None, where=None, keep_dims=None):
    """The smallest element along ``axis`` and its index; of all elements without one.

    MindSpore: ``mindspore.ops.min``; before 2.0 in the other order, as ``max``.
    """
    if keep_dims is not None or generations.has_old_meaning("mindspore.ops.min"):
        return _indices_and_values(_SMALLEST, "ArgMinWithValue", input, axis, keepdims or keep_dims)
    return _values_and_indices(_SMALLEST, "min", input, axis, keepdims, initial, where)


@op()
def amax(input, axis=None, keepdims=False, *, initial=None, where=None):
    """The largest element over all or some axes (``mindspore.ops.amax``)."""
    return _extreme(_LARGEST, input, axis, keepdims, "ReduceMax", initial, where)


@op()
def amin(input, axis=None, keepdims=False, *, initial=None, where=None):
    """The smallest element over all or some axes (``mindspore.ops.amin``)."""
    return _extreme(_SMALLEST, input, axis, keepdims, "ReduceMin", initial, where)


@method(name="amax")
def _tensor_amax(self, axis=None, keepdims=False, *, initial=None, where=None):
    return _extreme(_LARGEST, self, axis, keepdims, "ReduceMax", initial, where)


@method(name="amin")
def _tensor_amin(self, axis=None, keepdims=False, *, initial=None, where=None):
    return _extreme(_SMALLEST, self, axis, keepdims, "ReduceMin", initial, where)


@mint_form(name="amax")
def _mint_amax(input, dim=(), keepdim=False):
    """The largest element over the axes ``dim``, all of them by default."""
    return _extreme(_LARGEST, input, dim, keepdim, "ReduceMax")


@mint_form(name="amin")
def _mint_amin(input, dim=(), keepdim=False):
    """The smallest element over the axes ``dim``, all of them by default."""
    return _extreme(_SMALLEST, input, dim, keepdim, "ReduceMin")


@op(primitive="ReduceMax", init=("keep_dims",))
def reduce_max(x, axis=(), keep_dims=False):
    """The largest element over some axes, or all for () (``mindspore.ops.ReduceMax``)."""
    return _extreme(_LARGEST, x, axis, keep_dims, "ReduceMax")


@op(primitive="ReduceMin", init=("keep_dims",))
def reduce_min(x, axis=(), keep_dims=False):
    """The smallest element over some axes, or all for () (``mindspore.ops.ReduceMin``)."""
    return _extreme(_SMALLEST, x, axis, keep_dims, "ReduceMin")


# ---- Tensor.max and Tensor.min, mint.max and mint.min ------------------------------------------------------


def _check_kinds(name, args, keepdims, initial, where, return_indices, axis=None, dim=None, keepdim=False):
    """TypeError for what no form of ``Tensor.max`` and ``Tensor.min`` takes."""
    usual = keepdims is keepdim is return_indices is False and where is True and initial is None
    if usual and dim.__class__ in _AXES and axis.__class__ in _AXES and (
            not args or (len(args) == 1 and args[0].__class__ is int)):
        return
    if where is None:
        raise TypeError(f"{name}(): missing 1 required positional argument: where.")
    if return_indices.__class__ is not bool:
        raise TypeError(f"{name}(): argument 'return_indices' must be bool but got "
                        f"{type(return_indices).__name__}.")
    named = {n: v for n, v, usual in (("keepdims", keepdims, False), ("initial", initial, None),
                                      ("where", where, True)) if v is not usual}
    wrong = (
        args and isinstance(args[0], (str, float, bool)),
        args and isinstance(args[0], torch.Tensor) and args[0].ndim,
        isinstance(dim, torch.Tensor), isinstance(axis, torch.Tensor) and axis.ndim,
        len(args) > 1 and args[1].__class__ is not bool, keepdims.__class__ is not bool,
        isinstance(axis, _NO_AXIS), isinstance(dim, _NO_AXIS),
        isinstance(initial, (str, list, tuple)), isinstance(initial, torch.Tensor) and initial.ndim,
        not isinstance(where, (bool, torch.Tensor)),
    )
    if any(wrong):
        named |= {"return_indices": True} if return_indices else {}
        named = {n: v for n, v in (("dim", dim), ("axis", axis)) if v is not None} | named
        raise no_matching_form(name, *args, **named)
    if keepdim is True and not isinstance(args[0] if args else dim, (int, np.integer)):
        raise no_matching_form(name, *args, keepdim=keepdim)
    along = axis if axis is not None else args and args[0]
    if isinstance(initial, torch.Tensor) and along.__class__ is int:
        raise _no_scalar(name, initial)
    if any(isinstance(v, torch.Tensor) for v in (*args[:1], axis)):
        no_int = TypeError(f"For '{name}', 'axis' must be int, but got "
                           "<class 'mindspore.common.tensor.Tensor'>")
        no_int.asked = True                                 # no table knows it better
        raise no_int


def _no_scalar(name, initial) -> TypeError:
    return TypeError(f"For '{name}', 'initial' must be a scalar, but got {type(lift(initial))}")


_LEFT_OUT = object()
_NO_AXIS = (str, float, bool)
_AXES = (int, type(None))


def _make_method(kind, name):
    reduce_name, dim_name = f"Reduce{name.capitalize()}", f"{name.capitalize()}Dim"

    def extreme(
        self,
        *args,
        axis=None,
        keepdims=_LEFT_OUT,
        initial=_LEFT_OUT,
        where=_LEFT_OUT,
        return_indices=False,
        dim=OMITTED,
        keepdim=False,
    ):
        # max(1) and max(dim=1) give values and indices, max(axis=1) values: two forms of different releases.
        # Inside a graph max(1) is of the older form, and so is a call with any argument that is its alone.
        if dim is None:
            raise TypeError                             # told by its forms
        dim = None if dim is OMITTED else dim
        older = graph_streams.here.call is not None or not keepdims is initial is where is _LEFT_OUT
        keepdims, initial, where = (
            usual if given is _LEFT_OUT else given
            for given, usual in ((keepdims, False), (initial, None), (where, True))
        )
        _check_kinds(name, args, keepdims, initial, where, return_indices, axis, dim, keepdim)
        if args and not (axis is dim is None):
            raise TypeError                     # told by its forms
        many = len(args) > 2 or (args and isinstance(args[0], (tuple, list)))
        old = generations.has_old_meaning("mindspore.Tensor.max")
        if many or old:
            given = dict(zip(("axis", "keepdims", "initial", "where", "return_indices"), args, strict=False))
            axis, keepdims = given.get("axis", axis), given.get("keepdims", keepdims)
            initial, where = given.get("initial", initial), given.get("where", where)
            return_indices = given.get("return_indices", return_indices)
        elif args:
            dim, *rest = args
            keepdims = rest[0] if rest else keepdims
            if (older and not keepdim) or return_indices:
                axis, dim = dim, None
        if dim is not None:
            if not self.ndim:
                one_axis(dim, self, dim_name)
                return self.clone(), _no_index(self)
            return _with_index(kind, self, dim, bool(keepdims or keepdim), dim_name)
        return_indices = return_indices and not isinstance(axis, (tuple, list))
        if axis is None and not old:
            initial, where, keepdims = None, True, False              # they count along an axis
        if return_indices or (axis.__class__ is int and not old):
            found = _values_and_indices(
                kind, name, self, axis, bool(keepdims), initial, None if where is True else where
            )
            return found if return_indices else found[0]
        if axis is None and initial is None and where is True:
            if not self.numel():
                raise _nothing(name.capitalize())
            return kind[0](self)
        return _extreme(kind, self, distinct(axis, self), bool(keepdims), reduce_name, initial, where)

    extreme.__name__ = name
    extreme.__doc__ = f"""The {"largest" if name == "max" else "smallest"} element (``Tensor.{name}``).

    ``{name}()`` of all elements; ``{name}(1)`` and ``{name}(dim=1)`` values and indices along an axis;
    ``{name}(axis=1)``, and in a graph ``{name}(1)``, values alone, unless ``return_indices=True``.
    Along an axis ``initial`` bounds the result and ``where`` chooses elements; the first of equal elements
    has the gradient.
    """
    return extreme


method(_make_method(_LARGEST, "max"), name="max")
method(_make_method(_SMALLEST, "min"), name="min")


def _operands(*values):
    """Tensors of two operands, of which numbers may be either or both."""
    place = next((v.device for v in values if isinstance(v, torch.Tensor)), None)
    return [v if isinstance(v, torch.Tensor) else
            number_as_tensor(v.item() if isinstance(v, np.generic) else v, place) for v in values]


def _no_mint_form(name, given: str) -> TypeError:
    return TypeError(f'Failed calling {name} with "{name}(Tensor, {given})".')


def _check_mint(name, args, dim, keepdim) -> None:
    """TypeError where an axis by position is no int, or what stands behind it no bool."""
    whole = isinstance(dim, (int, np.integer)) and not isinstance(dim, bool)
    if len(args) == 1:
        if not whole:
            raise _no_mint_form(name, describe(dim))
        return
    for n, place, value, right, kind in (("dim", 2, dim, whole, "int"),
                                         ("keepdim", 3, keepdim, isinstance(keepdim, bool), "bool")):
        if value is None:
            raise TypeError(f"{name}(): missing 1 required positional argument: {n}.")
        if not right:
            raise TypeError(f"{name}(): argument '{n}' (position {place}) must be {kind}, "
                            f"not {type_name(value)}.")


_OPERANDS = (torch.Tensor, int, float, np.generic)


def _make_mint(kind, name):
    def extreme(input, *args, dim=OMITTED, keepdim=OMITTED, other=OMITTED):
        number = isinstance(input, (int, float, np.generic))
        if len(args) > 2 or (other is not OMITTED and (args or not isinstance(other, _OPERANDS))):
            raise TypeError                                # told by its forms
        if len(args) == 1 and (number or (isinstance(args[0], (torch.Tensor, float, bool, np.generic))
                                          and not isinstance(args[0], np.integer))):
            other = args[0]                                # (an int beside a Tensor is the axis)
            if not dim is keepdim is OMITTED:
                raise TypeError
        elif args and dim is not OMITTED:
            raise TypeError
        elif args:
            dim, keepdim = (*args, keepdim)[:2]
            _check_mint(name, args, dim, keepdim)
        elif dim is OMITTED is not keepdim or keepdim is None or not (
                dim is OMITTED or (isinstance(dim, (int, np.integer)) and dim.__class__ is not bool)):
            raise TypeError
        if other is not OMITTED:
            return kind[2](*promote_operands(*_operands(input, other)))
        if dim is OMITTED:
            if not input.numel():
                raise _nothing(name.capitalize())
            return kind[0](input)
        keepdim = keepdim is not OMITTED and keepdim
        return _with_index(kind, input, dim, keepdim, f"{name.capitalize()}Dim")

    extreme.__name__ = name
    extreme.__doc__ = f"``mint.{name}(input)``, ``{name}(input, dim, keepdim)`` and ``{name}(input, other)``."
    return extreme


mint_form(_make_mint(_LARGEST, "max"), name="max")
mint_form(_make_mint(_SMALLEST, "min"), name="min")


# ---- where the extremes are --------------------------------------------------------------------------------


def _index_of(function, t, axis, keep, name):
    if axis.__class__ is int and t.ndim and t.dtype is not torch.bool:
        try:
            return function(t, axis, keep)
        except IndexError:
            pass                             # told below
    if not t.ndim:
        return torch.zeros((), dtype=torch.int64, device=t.device)
    if t.dtype is torch.bool:
        t = t.to(torch.uint8)
    if axis is None:
        return function(t)
    return function(t, one_axis(axis, t, name), keep)


@op(mint=True)
@spelled(axis="dim", keep_dims="keepdim", keepdims="keepdim")
def argmax(input, dim=None, keepdim=False):
    """The index of the largest element along ``dim``, or in the flattened tensor, as Int64.

    MindSpore: ``mindspore.ops.argmax``.
    """
    return _index_of(torch.argmax, input, dim, keepdim, "Argmax")


@op()
@spelled(keep_dims="keepdims")
def argmin(input, axis=None, keepdims=False):
    """The index of the smallest element, as Int32, unlike argmax (``mindspore.ops.argmin``)."""
    found = _index_of(torch.argmin, input, axis, bool(keepdims), "Argmin")
    return found.to(torch.int32) if input.ndim else found


@method(name="argmax")
@spelled(axis="dim", keepdims="keepdim")
def _tensor_argmax(self, dim=None, keepdim=False):
    return _index_of(torch.argmax, self, dim, keepdim, "Argmax")


@method(name="argmin")
@_AXIS_ALONE
def _tensor_argmin(self, axis=None, keepdims=False):
    found = _index_of(torch.argmin, self, axis, keepdims, "Argmin")
    return found.to(torch.int32) if self.ndim else found


@mint_form(name="argmin")
def _mint_argmin(input, dim=None, keepdim=False):
    """The index of the smallest element, Int64; of the flattened input where ``dim`` is None."""
    return _index_of(torch.argmin, input, dim, keepdim, "Argmin")


@primitive("Argmax", init={"axis": -1, "output_type": _dtype.int32})
def _argmax(input_x, axis=-1, output_type=_dtype.int32):
    """The index of the largest element along ``axis``, as Int32 unless ``output_type`` says.

    MindSpore: ``mindspore.ops.Argmax``.
    """
    return _index_of(torch.argmax, input_x, axis, False, "Argmax").to(_dtype.to_torch(output_type))


@primitive("Argmin", init={"axis": -1, "output_type": _dtype.int32})
def _argmin(x, axis=-1, output_type=_dtype.int32):
    """The index of the smallest element along ``axis``, as Int32 unless ``output_type`` says."""
    return _index_of(torch.argmin, x, axis, False, "Argmin").to(_dtype.to_torch(output_type))


@primitive("ArgMaxWithValue", init={"axis": 0, "keep_dims": False})
def _arg_max_with_value(input, axis=0, keep_dims=False):
    """Indices and values of the largest elements along ``axis``, in this order.

    MindSpore: ``mindspore.ops.ArgMaxWithValue``.
    """
    return _indices_and_values(_LARGEST, "ArgMaxWithValue", input, axis, keep_dims)


@primitive("ArgMinWithValue", init={"axis": 0, "keep_dims": False})
def _arg_min_with_value(input, axis=0, keep_dims=False):
    """Indices and values of the smallest elements along ``axis``, in this order."""
    return _indices_and_values(_SMALLEST, "ArgMinWithValue", input, axis, keep_dims)


@method
def argmax_with_value(self, axis=0, keep_dims=False):
    """Values and indices of the largest elements (``Tensor.argmax_with_value``)."""
    return _values_and_indices(_LARGEST, "max", self, axis, keep_dims, None, None)


@method
def argmin_with_value(self, axis=0, keep_dims=False):
    """Values and indices of the smallest elements (``Tensor.argmin_with_value``)."""
    return _values_and_indices(_SMALLEST, "min", self, axis, keep_dims, None, None)


# ---- ranges, medians, quantiles ----------------------------------------------------------------------------


@op(method=True)
def aminmax(input, *, axis=0, keepdims=False):
    """The smallest and the largest element along ``axis`` (``mindspore.ops.aminmax``)."""
    if isinstance(axis, (torch.Tensor, np.integer)):
        of_numpy = isinstance(axis, np.integer)
        try:
            axis = int(axis) if of_numpy else number_of("ArgMinWithValue", "axis", lift(axis))
        except ValueError as wrong:
            raise asked(wrong) from None
    if axis is None or not input.ndim:
        return (_extreme(_SMALLEST, input, axis, keepdims, "ReduceMin"),
                _extreme(_LARGEST, input, axis, keepdims, "ReduceMax"))
    return (_values_and_indices(_SMALLEST, "min", input, axis, keepdims, None, None)[0],
            _values_and_indices(_LARGEST, "max", input, axis, keepdims, None, None)[0])


@method
def ptp(self, axis=None, keepdims=False):
    """Largest less smallest element (``Tensor.ptp``)."""
    axis = tuple(map(_whole, axis)) if isinstance(axis, tuple) else _whole(axis)
    distinct(axis, self)
    return _extreme(_LARGEST, self, axis, keepdims, "ReduceMax") - _extreme(
        _SMALLEST, self, axis, keepdims, "ReduceMin"
    )


def _whole(axis):
    return int(axis) if isinstance(axis, bool) else axis


_LAST = type("Last", (int,), {})(-1)      # an axis that was not given


@unseen("keep_dims", "global_median")
@op(method=True)
@_AXIS_ALONE
def median(input, axis=_LAST, keepdims=False, *, keep_dims=None, global_median=None):
    """The median along ``axis``, the lower one of two, and its index (``mindspore.ops.median``).

    Before 2.0 it was median(global_median=False, axis=0, keep_dims=False): told by these names, else by
    ``--api``. They are taken by their names alone.
    """
    if not global_median is keep_dims is None or generations.has_old_meaning("mindspore.Tensor.median"):
        return _median(input, global_median, 0 if axis is _LAST else axis, bool(keepdims or keep_dims))
    if input.ndim and (isinstance(axis, bool) or not isinstance(axis, int)):
        raise TypeError(
            f"For 'Median', the type of 'axis' should be 'int', but got type '{type(axis).__name__}'."
        )
    if input.dtype not in _HALVED:
        raise TypeError(must_be("Float32", "Float64", "Int16", "Int32", "Int64")(
            "Median", _dtype.from_torch(input.dtype)))
    values, indices = torch.median(input, one_axis(axis, input, "Median"), keepdims)
    return values, indices


# The dtypes that have a median.
_HALVED = frozenset((torch.float32, torch.float64, torch.int16, torch.int32, torch.int64))


@mint_form(name="median")
def _mint_median(input, dim=None, keepdim=False):
    """The lower median of all elements, or along ``dim`` with its index."""
    if dim is None:
        return torch.median(input)
    values, indices = torch.median(input, one_axis(dim, input, "MedianDim"), keepdim)
    return values, indices


@op(method=True)
def nanmedian(input, axis=-1, keepdims=False):
    """The median along ``axis`` without NaN, and its index (``mindspore.ops.nanmedian``)."""
    values, indices = torch.nanmedian(input, one_axis(axis, input, "Median"), keepdims)
    return values, indices


@op(method=True)
def quantile(input, q, axis=None, keepdims=False):
    """The q-th quantiles, interpolated, of all elements or along ``axis`` (``mindspore.ops.quantile``)."""
    return torch.quantile(input, q if isinstance(q, torch.Tensor) else float(q), axis, keepdims)


@op(method=True)
def nanquantile(input, q, axis=None, keepdims=False):
    """The q-th quantiles without NaN (``mindspore.ops.nanquantile``)."""
    return torch.nanquantile(input, q if isinstance(q, torch.Tensor) else float(q), axis, keepdims)


def _median(x, global_median=False, axis=0, keep_dims=False, ignore_nan=False):
    """The median along ``axis``, or of all, the lower of two, and its place (``mindspore.ops.Median``)."""
    if global_median:
        value = torch.nanmedian(x) if ignore_nan else torch.median(x)
        if not x.numel() and not x.is_floating_point():
            value = torch.zeros_like(value)     # (torch has the least integer)
        return value, torch.zeros((), dtype=torch.int64, device=x.device)
    return tuple((torch.nanmedian if ignore_nan else torch.median)(x, axis, keep_dims))


_MEDIAN = {"global_median": False, "axis": 0, "keep_dims": False, "ignore_nan": False}
primitive("Median", init=_MEDIAN)(_median)


__all__ = [
    "amax",
    "amin",
    "aminmax",
    "argmax",
    "argmin",
    "max",
    "median",
    "min",
    "nanmedian",
    "nanquantile",
    "quantile",
    "reduce_max",
    "reduce_min",
]
