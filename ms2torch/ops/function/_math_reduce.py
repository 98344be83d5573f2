"""Reductions: sums, means, extremes, norms, over all or some axes.

Integers: ``sum`` and ``prod`` give Int64 (unsigned ones from 16 bits on keep their dtype), ``mean`` and the
Reduce* primitives keep the dtype.
"""

from __future__ import annotations

from math import inf

import numpy as np
import torch

from ms2torch._core.checks.calls import no_matching_form
from ms2torch._core.errors import asked, final
from ms2torch._core.gradient import integers
from ms2torch._core.operators import callsite
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import OMITTED, spelled
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.torch_private import is_transforming
from ms2torch._naming import generations

from ._array_methods import DTYPES, word
from ._array_shape import whole
from ._math_axis import axes, distinct, every, one_twice, unseen

_NAMES = spelled(axis="dim", keep_dims="keepdim")


def _cast(t, dtype, name=None):
    if dtype is None:
        return t
    return integers.cast(t, _dtype.given(dtype, name) if name else _dtype.to_torch(word(dtype)))


# ---- sum, mean, prod ---------------------------------------------------------------------------------------


def _sum(t, axis, keep, name="SumExt", dtype=None):
    if t.dtype in _dtype.UNSIGNED:                              # torch has no sums of them, or gives int64
        return _sum(t.to(torch.int64), axis, keep, name).to(t.dtype)
    if axis.__class__ is int:
        try:
            return torch.sum(t, axis, keep) if dtype is None else torch.sum(t, axis, keep, dtype=dtype)
        except IndexError:
            pass                             # told below
    axis = axes(axis, t, name)
    if axis is None and not keep:
        return torch.sum(t, dtype=dtype)
    return torch.sum(t, every(None, t) if axis is None else axis, keep, dtype=dtype)


def _mean(t, axis, keep, name="ReduceMean"):
    if axis.__class__ is int:
        try:
            return torch.mean(t, axis, keep)
        except (IndexError, RuntimeError):
            pass                             # integers, or told below
    axis = axes(axis, t, name)
    if not t.is_floating_point() and not t.is_complex():
        return _integer_mean(t, axis, keep)
    if axis is None and not keep:
        return torch.mean(t)
    return torch.mean(t, every(None, t) if axis is None else axis, keep)


def _integer_mean(t, axis, keep):
    """Of integers an integer, cut off towards zero."""
    if t.dtype is torch.bool:
        raise final(RuntimeError("For 'ReduceMean', unsupported reduce operation for bool."))
    dims = every(axis, t)
    count = 1
    for a in dims:
        count *= t.shape[a]
    total = torch.sum(t, dims, keep) if dims else t.to(torch.int64)
    whole = torch.div(total, count, rounding_mode="trunc").to(t.dtype)
    followed = integers.tracked(t)              # the gradient is that of the mean which is not cut off
    if followed is t:
        return whole
    return integers.shadowed(whole, torch.mean(followed, dims, keep) if dims else followed)


def _prod(t, axis, keep, name="ProdExt", dtype=None):
    if t.dtype in _dtype.UNSIGNED:
        return _prod(t.to(torch.int64), axis, keep, name).to(t.dtype)
    if axis.__class__ is int:
        try:
            return torch.prod(t, axis, keep) if dtype is None else torch.prod(t, axis, keep, dtype=dtype)
        except IndexError:
            pass                             # told below
    axis = axes(axis, t, name)
    if not t.ndim or (axis is None and not keep):
        return torch.prod(t, dtype=dtype)
    if axis is None and name == "ProdExt":
        raise ValueError("For ProdExt, when axis is None, keep_dims can only set to false, "
                         "but got keep_dims=True.")
    gone = sorted(every(axis, t))
    if len(gone) < 2:
        for a in gone:
            t = torch.prod(t, a, keep, dtype=dtype)
        return t if dtype is None else t.to(dtype)
    # One run over all elements of each product, as MindSpore's kernel has it: one axis after the other rounds
    # otherwise.
    left = [a for a in range(t.ndim) if a not in gone]
    found = torch.prod(t.permute(*left, *gone).flatten(len(left)), -1, dtype=dtype)
    return found.reshape([1 if a in gone else n for a, n in enumerate(t.shape)]) if keep else found


def _dtype_before(t):
    """Of integers before 2.3: the dtype of their sum or product; None where it is Int64."""
    if t.is_floating_point() or t.is_complex() or not generations.has_old_meaning("mindspore.ops.sum"):
        return None
    return torch.int32 if t.dtype is torch.bool else t.dtype


@op(mint=True)
def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum over all or some axes (``mindspore.ops.sum``). Integers and bools give Int64 unless ``dtype``
    says.
    """
    if dtype is not None:
        dtype = _dtype.given(dtype, "SumExt")
        if input.dtype is not dtype:
            input = integers.cast(input, dtype)
    elif not input.is_floating_point():
        dtype = _dtype_before(input)
    return _sum(input, dim, keepdim, dtype=dtype)


@method(name="sum")
def _tensor_sum(self, axis=None, _second=None, keepdims=None, initial=None, *, dtype=None, dim=None,
                keepdim=None):
    """Both forms of releases: sum(dim, keepdim, dtype=) and sum(axis, dtype, keepdims, initial)."""
    if axis is not None and dim is not None:
        raise TypeError                     # told by its forms
    if _second.__class__ is bool:
        keepdims = _second
    elif _second is not None:
        dtype = _second
    axis = axis if dim is None else dim
    keep = keepdim if keepdims is None else keepdims
    if isinstance(initial, torch.Tensor) and not initial.ndim:
        initial = initial.item()
    if not _summable(axis, dtype, keep, initial):
        raise no_matching_form("sum", *(x for x in (axis, _second) if x is not None),
                               **{} if keepdims in (None, _second) else {"keepdims": keepdims},
                               **{} if initial is None else {"initial": initial})
    if dtype is not None:
        self = _cast(self, dtype, "SumExt")
        dtype = self.dtype
    elif not self.is_floating_point():
        dtype = _dtype_before(self)
    total = _sum(self, axis, bool(keep), dtype=dtype)
    if initial is None:
        return total
    return (total + initial).to(torch.promote_types(total.dtype, torch.int64) if dtype is None else dtype)


def _summable(axis, dtype, keep, initial) -> bool:
    return ((keep is None or keep.__class__ is bool) and not isinstance(axis, (str, float))
            and (dtype is None or isinstance(dtype, (_dtype.Type, torch.dtype)))
            and (initial is None or isinstance(initial, (int, float))))


@op()
def mean(x, axis=None, keep_dims=False):
    """The mean over all or some axes; of integers an integer.

    MindSpore: ``mindspore.ops.mean``; torch refuses integers.
    """
    return _mean(x, axis, keep_dims)


@_NAMES
def _mean_ext(input, dim=None, keepdim=False, *, dtype=None):
    """The mean over all or some axes, in ``dtype`` where it is given."""
    return _mean(_cast(input, dtype, "MeanExt"), dim, keepdim, "MeanExt")


method(_mean_ext, name="mean")
mint_form(_mean_ext, name="mean")


@op()
def prod(input, axis=None, keep_dims=False, dtype=None):
    """The product over all or some axes; integers give Int64 (``mindspore.ops.prod``)."""
    if isinstance(axis, (tuple, list)) and dtype is None:
        return _prod(input, axis, keep_dims, "ReduceProd", input.dtype)
    given = _cast(input, dtype, "ProdExt")
    return _prod(given, axis, keep_dims, dtype=_dtype_before(given) if dtype is None else given.dtype)


@_NAMES
def _prod_ext(input, dim=None, keepdim=False, *, dtype=None):
    """The product over all or some axes; integers give Int64."""
    if dim.__class__ in (tuple, list):
        raise TypeError                     # told by its valid calls
    return prod.kernel(input, dim, keepdim, dtype)


mint_form(_prod_ext, name="prod")


@method(name="prod")
def _tensor_prod(self, axis=None, _second=OMITTED, _third=OMITTED, initial=None, *, dtype=None,
                 keepdims=OMITTED, dim=None, keepdim=None):
    """Both forms of releases: prod(dim, keepdim, dtype=) and prod(axis, dtype, keepdims, initial)."""
    if isinstance(_second, np.bool_):
        raise no_matching_form("prod", axis, _second)
    of_tensor = isinstance(axis, torch.Tensor) and (axis.ndim or axis.dtype is torch.bool)
    if _second is None or keepdims is None or of_tensor or (axis is not None and dim is not None):
        raise TypeError                     # told by its form
    if _second.__class__ is bool:           # of the later form
        _second, _third = _third, _second
    dtype = dtype if _second is OMITTED else _second
    keep = _third if _third is not OMITTED else keepdims if keepdims is not OMITTED else keepdim
    total = _prod_ext(self, axis if dim is None else dim, bool(keep), dtype=dtype)
    return total if initial is None else total * initial


@op(primitive="ReduceSum", init=("keep_dims", "skip_mode"))
def reduce_sum(x, axis=(), keep_dims=False, skip_mode=False):
    """The sum over some axes, or all for (); the dtype stays (``mindspore.ops.ReduceSum``)."""
    if skip_mode and not isinstance(axis, (int, torch.Tensor)) and not axis:
        return x
    if x.dtype is torch.bool:
        return _truth(torch.any, x, _given(axis, "ReduceSum"), keep_dims, "ReduceSum")
    return _sum(x, _given(axis, "ReduceSum"), keep_dims, "ReduceSum", x.dtype)


@op(primitive="ReduceMean", init=("keep_dims",))
def reduce_mean(x, axis=(), keep_dims=False):
    """The mean over some axes, or all for (); of integers an integer (``mindspore.ops.ReduceMean``)."""
    return _mean(x, _given(axis, "ReduceMean"), keep_dims)


@primitive("ReduceProd", init={"keep_dims": False})
def _reduce_prod(x, axis=(), keep_dims=False):
    """The product over some axes, or all for (); the dtype stays (``mindspore.ops.ReduceProd``)."""
    return _prod(x, _given(axis, "ReduceProd"), keep_dims, "ReduceProd", x.dtype)


def _given(axis, name):
    if axis is None:
        raise TypeError(f'Failed calling {name} with "{name}(keep_dims=bool)(x=Tensor, axis=None)".')
    return axis


# ---- truth -------------------------------------------------------------------------------------------------


def _truth(function, t, axis, keep, name):
    axis = axes(axis, t, name)
    if axis is None and not keep:
        return function(t)
    dims = every(axis, t)
    return function(t, dims, keep) if dims else function(t)


@op(method="all(input, axis|dim=None, keep_dims|keepdim=False)")
def all(input, axis=None, keep_dims=False):
    """Whether all elements are nonzero, over all or some axes (``mindspore.ops.all``)."""
    return _truth(torch.all, input if input.dtype is torch.bool else input != 0, axis, keep_dims, "ReduceAll")


@op
def any(input, axis=None, keep_dims=False):
    """Whether an element is nonzero, over all or some axes; of UInt8 a UInt8 (``mindspore.ops.any``)."""
    return _truth(torch.any, input, axis, keep_dims, "ReduceAny")


@method(name="any")
def _any_method(input, axis=None, keep_dims=False, *, dim=OMITTED, keepdim=OMITTED):
    """Whether an element is nonzero, over all or some axes; of UInt8 a UInt8 (``mindspore.ops.any``)."""
    if dim is OMITTED is keepdim:
        return _truth(torch.any, input, axis, keep_dims, "ReduceAny")
    fits = not isinstance(axis, (tuple, list, type(None))) and not callsite.given_by_name("axis") \
        if dim is OMITTED else axis is None and not callsite.given_by_name("keep_dims")
    if not fits:
        raise no_matching_form("any", keepdim=keepdim)
    keep = keep_dims if keepdim is OMITTED else keepdim
    return _truth(torch.any, input, axis if dim is OMITTED else dim, keep, "ReduceAny")


@mint_form(name="all")
def _mint_all(input, dim=None, keepdim=False):
    """Whether all elements are nonzero, over all axes or ``dim``."""
    return _truth(torch.all, input != 0, dim, keepdim, "ReduceAll")


@mint_form(name="any")
def _mint_any(input, dim=OMITTED, keepdim=False):
    """Whether an element is nonzero, over all axes or ``dim``."""
    lacking = dim is OMITTED and keepdim is not False
    if lacking or keepdim.__class__ is not bool or dim.__class__ in (tuple, list):
        raise TypeError                     # told by its forms
    return _truth(torch.any, input, None if dim is OMITTED else dim, keepdim, "ReduceAny")


@primitive("ReduceAll", init={"keep_dims": False})
def _reduce_all(input, axis=None, keep_dims=False):
    """Whether all elements are true, over some axes, or all for () (``mindspore.ops.ReduceAll``)."""
    return _truth(torch.all, input != 0, axis, keep_dims, "ReduceAll")


@primitive("ReduceAny", init={"keep_dims": False})
def _reduce_any(x, axis=(), keep_dims=False):
    """Whether an element is true, over some axes, or all for () (``mindspore.ops.ReduceAny``)."""
    return _truth(torch.any, x, axis, keep_dims, "ReduceAny")


@op()
def count_nonzero(x, axis=(), keep_dims=False, dtype=_dtype.int32):
    """How many elements are not zero, as Int32 unless ``dtype`` says (``mindspore.ops.count_nonzero``)."""
    if isinstance(dtype, np.generic):                # (MindSpore looks for it among its dtypes)
        raise asked(ValueError("The truth value of an array with more than one element is ambiguous. Use "
                               "a.any() or a.all()"))
    if not isinstance(dtype, (_dtype.Type, torch.dtype)):
        raise asked(TypeError(f"The 'dtype' doesn't support '{dtype}' and expect to receive ({DTYPES})."))
    return _sum(x != 0, axis, keep_dims, "ReduceSum", torch.int64).to(_dtype.to_torch(dtype))


@method(name="count_nonzero(x, axis|dim=(), keep_dims=False, dtype=None)")
def _tensor_count_nonzero(x, axis=(), keep_dims=False, dtype=None):
    return count_nonzero.kernel(x, axis, keep_dims, _dtype.int32 if dtype is None else dtype)


@mint_form(name="count_nonzero")
def _mint_count_nonzero(input, dim=None):
    """How many elements are not zero, over all axes or ``dim``, Int64."""
    return _sum(input != 0, dim, False, "ReduceSum", torch.int64)


# ---- spread ------------------------------------------------------------------------------------------------


def _floating(t):
    return t if t.is_floating_point() or t.is_complex() else t.to(torch.float32)


def _spread_axes(axis, t):
    if axis is None:
        return None
    given = axis if isinstance(axis, tuple) else (axis,)
    for a in given:
        if not isinstance(a, int) or isinstance(a, bool):
            raise TypeError(f"Each axis should be integer, but got {type(a)} in {given}.")
        if not -t.ndim <= a < t.ndim:
            raise ValueError(f"The 'axis' must be in the range of [-{t.ndim}, {t.ndim}), but got {a}.")
    return distinct(given, t) or None


def _var(t, axis, ddof, keep):
    if not t.is_floating_point():
        raise TypeError(
            "For primitive[ReduceStd], the input must be a float16 or float32 tensor: cast it first."
        )
    return torch.var(t, _spread_axes(axis, t), correction=int(ddof), keepdim=keep)


def _std(t, axis, ddof, keep):
    if t.dtype in (torch.float16, torch.bfloat16):      # whose variance it may not hold
        return torch.sqrt(_var(t.float(), axis, ddof, keep)).to(t.dtype)
    return torch.sqrt(_var(t, axis, ddof, keep))


def _method_var(t, axis, ddof, keep):
    """The methods take integers too, about a mean that is an integer."""
    if t.is_floating_point():
        return _var(t, axis, ddof, keep)
    axis = _spread_axes(axis, t)
    apart = t.to(torch.float32) - _integer_mean(t, axis, True).to(torch.float32)
    count = t.numel() // max(1, torch.sum(apart, every(axis, t)).numel()) if t.ndim else 1
    return torch.sum(apart * apart, every(axis, t), keep) / (count - int(ddof))


@unseen("unbiased", "keep_dims")
@op()
def std(input, axis=None, ddof=0, keepdims=False, *, unbiased=None, keep_dims=None):
    """The standard deviation with divisor N - ddof.

    MindSpore: ``mindspore.ops.std``; torch divides by N - 1 by default. Before 2.0 it was
    std(input_x, axis, unbiased=True, keep_dims), which gave the mean too: told by the names ``unbiased`` and
    ``keep_dims``, else by ``--api``.
    """
    if not unbiased is keep_dims is None or generations.has_old_meaning("mindspore.ops.std"):
        if unbiased is None:
            unbiased = ddof if ddof.__class__ is bool else True
        axis, keepdims = tuple(axis) if isinstance(axis, list) else axis, bool(keepdims or keep_dims)
        return _std(input, axis, unbiased, keepdims), torch.mean(input, _spread_axes(axis, input), keepdims)
    return _std(input, axis, ddof, keepdims)


@op()
def var(input, axis=None, ddof=0, keepdims=False):
    """The variance with divisor N - ddof (``mindspore.ops.var``; torch divides by N - 1 by default)."""
    return _var(input, axis, ddof, keepdims)


def _spread_method(name, finish, taken=()):
    def spread(self, axis=None, ddof=0, keepdims=False, *, dim=OMITTED, correction=OMITTED,
               keepdim=OMITTED):
        if axis is not None and dim is not OMITTED:
            raise TypeError                     # told by its forms
        later, dim = not dim is correction is keepdim is OMITTED, None if dim is OMITTED else dim
        correction, keepdim = 0 if correction is OMITTED else correction, keepdim is not OMITTED and keepdim
        if later and taken and self.dtype not in taken:
            raise TypeError("For primitive[Var], the input[input] supports types: Float16, Float32, "
                            f"BFloat16. But got {_dtype.from_torch(self.dtype)}.")
        axis, ddof = (dim, correction) if dim is not None else (axis, correction or ddof)
        return finish(_method_var(self, _several(axis), ddof, keepdims or keepdim))

    spread.__name__ = name
    spread.__doc__ = (
        f"Both forms of releases: {name}(axis, ddof, keepdims) and {name}(dim, correction=, keepdim=)."
    )
    return spread


method(_spread_method("std", torch.sqrt), name="std")
_OF_VAR = frozenset((torch.float16, torch.float32, torch.bfloat16))
method(_spread_method("var", lambda v: v, _OF_VAR), name="var")


def _several(axis):
    """Axes in a list, which the functions of numpy's kind do not take."""
    return tuple(axis) if isinstance(axis, list) else axis


@mint_form(name="std")
def _mint_std(input, dim=None, *, correction=1, keepdim=False):
    """The standard deviation with divisor N - correction, over all axes or ``dim``."""
    return _std(input, _several(dim), correction, keepdim)


@mint_form(name="var")
def _mint_var(input, dim=None, *, correction=1, keepdim=False):
    """The variance with divisor N - correction, over all axes or ``dim``."""
    return _var(input, _several(dim), correction, keepdim)


@op()
def std_mean(input, axis=None, ddof=0, keepdims=False):
    """The standard deviation and the mean (``mindspore.ops.std_mean``)."""
    return _std(input, axis, ddof, keepdims), _mean(input, axis, keepdims)


@op()
def var_mean(input, axis=None, ddof=0, keepdims=False):
    """The variance and the mean (``mindspore.ops.var_mean``)."""
    return _var(input, axis, ddof, keepdims), _mean(input, axis, keepdims)


@mint_form(name="std_mean")
def _mint_std_mean(input, dim=None, *, correction=1, keepdim=False):
    """The standard deviation with divisor N - correction, and the mean."""
    return _std(input, _several(dim), correction, keepdim), _mean(input, dim, keepdim)


@mint_form(name="var_mean")
def _mint_var_mean(input, dim=None, *, correction=1, keepdim=False):
    """The variance with divisor N - correction, and the mean."""
    return _var(input, _several(dim), correction, keepdim), _mean(input, dim, keepdim)


@primitive("ReduceStd", init={"axis": [], "unbiased": True, "keep_dims": False})
def _reduce_std(x, axis=(), unbiased=True, keep_dims=False):
    """The standard deviation and the mean (``mindspore.ops.ReduceStd``)."""
    axis = _several(axis)
    return _std(x, None if axis == () else axis, 1 if unbiased else 0, keep_dims), _mean(x, axis, keep_dims)


# ---- sums that leave NaN out, log-sum-exp ------------------------------------------------------------------


@op(method="nansum(input, axis|dim=None, keepdims|keepdim=False, *, dtype=None)",
    mint="nansum(input, dim=None, keepdim=False, *, dtype=None)")
def nansum(input, axis=None, keepdims=False, *, dtype=None):
    """The sum without NaN (``mindspore.ops.nansum``)."""
    if input.is_complex():
        raise TypeError("For nansum, input are not supported complex type, but got "
                        f"{_dtype.from_torch(input.dtype)}.")
    kept = torch.nan_to_num(input, 0.0, float("inf"), float("-inf")) if input.is_floating_point() else input
    twice = one_twice(axis, input.ndim) if isinstance(axis, (tuple, list)) else None
    if twice is not None and max(axis) < input.ndim and min(axis) >= -input.ndim:
        raise final(RuntimeError(f"For nansum, dim {twice} appears multiple times in axis."))
    total = _sum(kept, axis, keepdims, "ReduceSum", None if kept.dtype is torch.bool else kept.dtype)
    return _cast(total, dtype)


@op(method=True)
def nanmean(input, axis=None, keepdims=False, *, dtype=None):
    """The mean without NaN (``mindspore.ops.nanmean``)."""
    if not input.is_floating_point():
        raise TypeError("For 'nanmean', input should be floating point dtype, but got "
                        "<class 'mindspore.common.tensor.Tensor'>.")
    return _cast(torch.nanmean(input, axes(axis, input, "ReduceMean"), keepdims), dtype)


@op(method="logsumexp(input, dim, keepdim=False)", mint=True)
@spelled(axis="dim", keep_dims="keepdim")
def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(input))) over some axes, computed without overflow (``mindspore.ops.logsumexp``)."""
    if dim is None:
        raise TypeError("For 'logsumexp', 'dim' must be an int, a tuple or a list, but got None.")
    if isinstance(dim, torch.Tensor) and not dim.ndim:
        dim = whole(dim)
    return log_sum_exp(_floating(input), every(axes(dim, input, "ReduceMax"), input), keepdim)


def log_sum_exp(t, where, keepdim):
    """log(sum(exp(t))), whose gradient is the softmax: torch takes ``exp(t - result)``, 1 for each of two
    equal numbers beside which log(2) is lost."""
    if (not t.requires_grad and not is_transforming()) or not t.numel():
        return torch.logsumexp(t, where, keepdim)
    most = t.detach().amax(where, keepdim=True)
    most = torch.where(most.abs() == inf, 0.0, most)
    found = torch.exp(t - most).sum(where, keepdim=True).log() + most
    return found if keepdim else found.squeeze(where)


__all__ = [
    "all",
    "any",
    "count_nonzero",
    "logsumexp",
    "mean",
    "nanmean",
    "nansum",
    "prod",
    "reduce_mean",
    "reduce_sum",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
]
