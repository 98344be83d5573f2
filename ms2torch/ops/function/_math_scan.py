"""Running sums, products and extremes; differences, histograms."""

from __future__ import annotations

import builtins
from itertools import accumulate

import torch

from ms2torch._checkparam import check_value_type
from ms2torch._core.checks.refusals import wrong_dtype
from ms2torch._core.errors import asked
from ms2torch._core.gradient import integers
from ms2torch._core.operators.registry import REQUIRED, method, mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._naming import generations

from ._array_methods import word
from ._math_axis import one_axis


def _scan(function, t, axis, exclusive, reverse, first):
    """``function`` along ``axis``; exclusive leaves each element itself out, reverse starts at the end."""
    if reverse:
        t = t.flip(axis)
    r = function(t, axis, dtype=t.dtype)
    if exclusive and t.numel():
        start = torch.full_like(r.narrow(axis, 0, 1), first)
        r = torch.cat((start, r.narrow(axis, 0, r.shape[axis] - 1)), axis)
    return r.flip(axis) if reverse else r


def _axis(axis, t, name):
    if not t.ndim:
        which = "'x' must be greater than 0" if name == "Cummin" else "the input must be at least 1"
        raise ValueError(f"For primitive[{name}], the rank of {which}, but got 0.")
    return one_axis(axis, t, name)


def _sums(x, axis: int, dtype=None):
    """Running sums in the dtype of ``x``: on the CPU each is rounded to Float16, where torch keeps more."""
    if x.dtype in _dtype.UNSIGNED:                  # torch has no sums of them
        return torch.cumsum(x.to(torch.int64), axis).to(x.dtype)
    if x.dtype is not torch.float16 or x.device.type != "cpu" or not x.ndim or not x.shape[axis]:
        return torch.cumsum(x, axis, dtype=x.dtype)
    first, *others = x.unbind(axis)
    return torch.stack(list(accumulate(others, torch.add, initial=first)), axis)


_SUMMED = tuple(_dtype.to_torch(d) for d in (
    "bfloat16", "complex64", "complex128", "float16", "float32", "float64", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64"))


@op()
def cumsum(x, axis, dtype=None):
    """Running sums along ``axis``; the dtype stays unless ``dtype`` is given (``mindspore.ops.cumsum``)."""
    if dtype is not None:
        x = integers.cast(x, _dtype.to_torch(word(dtype)))
    if x.dtype is torch.bool:
        raise wrong_dtype("CumSum", "x", x.dtype, _SUMMED)
    if axis.__class__ is int and x.ndim:
        try:
            return _sums(x, axis)
        except IndexError:
            pass                             # told below
    return _sums(x, _axis(axis, x, "CumSum"))


@method(name="cumsum")
@spelled(dim="axis")
def _tensor_cumsum(self, axis=None, dtype=None):
    """Running sums along ``axis``, or over the flattened tensor, as another ``dtype`` in the end; of Bool and
    small integers Int32."""
    if axis is None:
        self, axis = self.reshape(-1), 0
    n = self.ndim
    if axis.__class__ is int and not -n <= axis < n:
        raise ValueError(f"The 'axis' must be in the range of [-{n}, {n}), but got {axis}.")
    sums = _sums(self.to(torch.int32) if self.dtype in _SMALL else self, _axis(axis, self, "CumSum"))
    if dtype is None or self.dtype is (dtype := _dtype.to_torch(dtype)):
        return sums
    return integers.cast(sums, dtype)


_SMALL = (torch.bool, torch.int8, torch.int16, torch.uint8)


@mint_form(name="cumsum")
def _mint_cumsum(input, dim, dtype=None):
    """Running sums along ``dim``; integers sum to Int64 unless ``dtype`` is given."""
    if dtype is None:
        return torch.cumsum(input, dim)
    input = integers.cast(input, _dtype.given(dtype, "CumsumExt"))
    return torch.cumsum(input, dim, dtype=input.dtype)


@primitive("CumSum", init={"exclusive": False, "reverse": False})
def _cum_sum(input, axis, exclusive=False, reverse=False):
    """Running sums along ``axis`` (``mindspore.ops.CumSum``)."""
    return _scan(_sums, input, _axis(axis, input, "CumSum"), exclusive, reverse, 0)


@op(method="cumprod(input, dim, dtype=None)", mint=True)
@spelled(axis="dim")
def cumprod(input, dim, dtype=None):
    """Running products along ``dim``; integers give Int64 (``mindspore.ops.cumprod``)."""
    if dtype is not None:
        input = integers.cast(input, _dtype.given(dtype, "Cast"))
        return torch.cumprod(input, _axis(dim, input, "CumProd"), dtype=input.dtype)
    kept = input.dtype if generations.has_old_meaning("mindspore.ops.cumprod") else None
    return torch.cumprod(input, _axis(dim, input, "CumProd"), dtype=kept)


@primitive("CumProd", init={"exclusive": False, "reverse": False})
def _cum_prod(x, axis, exclusive=False, reverse=False):
    """Running products along ``axis``; the dtype stays (``mindspore.ops.CumProd``)."""
    return _scan(torch.cumprod, x, _axis(axis, x, "CumProd"), exclusive, reverse, 1)


def _running(function, t, axis, name):
    values, indices = function(t, _axis(axis, t, name))
    return values, indices


@op(primitive="Cummax", init=("axis",), method=True)
def cummax(input, axis):
    """Running largest elements along ``axis`` and their indices (``mindspore.ops.cummax``)."""
    return _running(torch.cummax, input, axis, "Cummax")


@op(primitive="Cummin", init=("axis",), method=True)
def cummin(input, axis):
    """Running smallest elements along ``axis`` and their indices, as Int32, unlike cummax.

    MindSpore: ``mindspore.ops.cummin``.
    """
    values, indices = _running(torch.cummin, input, axis, "Cummin")
    return values, indices.to(torch.int32)


@mint_form(name="cummax")
def _mint_cummax(input, dim):
    """Running largest elements along ``dim`` and their indices, Int64."""
    return _running(torch.cummax, input, dim, "Cummax")


@mint_form(name="cummin")
def _mint_cummin(input, dim):
    """Running smallest elements along ``dim`` and their indices, Int64."""
    return _running(torch.cummin, input, dim, "Cummin")


@op(method=True)
def logcumsumexp(input, axis):
    """log of the running sums of exp(input) along ``axis`` (``mindspore.ops.logcumsumexp``)."""
    return torch.logcumsumexp(input, _axis(axis, input, "CumulativeLogsumexp"))


@primitive("CumulativeLogsumexp", init={"exclusive": False, "reverse": False})
def _cumulative_logsumexp(x, axis, exclusive=False, reverse=False):
    """log of the running sums of exp(x) along ``axis`` (``mindspore.ops.CumulativeLogsumexp``)."""
    return _scan(
        lambda t, a, dtype: torch.logcumsumexp(t, a),
        x,
        _axis(axis, x, "CumulativeLogsumexp"),
        exclusive,
        reverse,
        # MindSpore starts from the lowest number, not from minus infinity.
        torch.finfo(x.dtype).min,
    )


@op()
def diff(x, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along ``axis`` (``mindspore.ops.diff``)."""
    if not x.ndim:
        raise TypeError("For 'diff', the dimension of the input must be at least 1, but got a 0-d tensor.")
    if n != 1:
        raise RuntimeError("For 'diff', only n=1 is supported.")
    return torch.diff(x, n, axis, prepend, append)


@op(mint="diff")
def diff_ext(input, n=1, dim=-1, prepend=None, append=None):
    """Differences of neighbours along ``dim``, taken ``n`` times (``mindspore.mint.diff``)."""
    if input.dtype in (torch.complex64, torch.complex128, torch.float64, torch.int16):
        raise TypeError("For 'diff', 'input' do not support complex64/complex128/float64/int16")
    return _differences(input, n, dim, prepend, append)


@method(name="diff")
def _diff_method(input, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along ``axis``, taken ``n`` times (``mindspore.Tensor.diff``)."""
    return _differences(input, n, axis, prepend, append)


def _differences(input, n, dim, prepend, append):
    if input.dtype in _dtype.UNSIGNED and n > 0 and prepend is append is None:  # torch has no kernel of them
        signed = getattr(torch, str(input.dtype).removeprefix("torch.u"))
        return torch.diff(input.view(signed), n, dim).view(input.dtype)
    return torch.diff(input, n, dim, prepend, append) if n > 0 else input


@op()
def trapz(y, x=None, *, dx=1.0, dim=-1):
    """The integral by the trapezoidal rule along ``dim``, as Float32; Float16 stays without ``x``.

    (``mindspore.ops.trapz``.)
    """
    if x is None:
        y = y if y.dtype is torch.float16 else y.to(torch.float32)
        return torch.trapezoid(y, dx=dx, dim=dim)
    if y.dtype is torch.float16:                 # neighbours are added in half precision
        x = x.to(torch.float32)
        width = x.diff().reshape(-1, *[1] * (y.ndim - 1 - dim % y.ndim)) if x.ndim == 1 else x.diff(dim=dim)
        count = y.shape[dim] - 1
        both = y.narrow(dim, 0, count) + y.narrow(dim, 1, count)
        return (both.to(torch.float32) * width).sum(dim) / 2
    return torch.trapezoid(y.to(torch.float32), x.to(torch.float32), dim=dim)


@op(method=True)
def bincount(input, weights=None, minlength=0):
    """How often each number from 0 on occurs, or the sum of its weights, as Float32.

    Negative numbers are not counted. (``mindspore.ops.bincount``.)
    """
    if input.dtype.is_signed and bool((counted := input >= 0).logical_not().any()):
        weights = weights[counted] if isinstance(weights, torch.Tensor) else weights
        input = input[counted]
    return _counted(input.to(torch.int64), weights, minlength).to(torch.float32)


@primitive("HistogramFixedWidth", init={"nbins": REQUIRED, "dtype": "int32"}, call=("x", "range"))
def _histogram_fixed_width(x, limits, nbins=None, dtype="int32"):
    """How many elements fall into each of ``nbins`` parts of one width between two ``limits``, Int32; those
    beyond count in the first and the last part.

    MindSpore: ``mindspore.ops.HistogramFixedWidth``, which has no CPU kernel.
    """
    check_value_type("nbins", nbins, int, "HistogramFixedWidth")
    low, high = limits.to(torch.float64)
    at = torch.floor((x.to(torch.float64) - low) / (high - low) * nbins).clamp(0, nbins - 1)
    counts = torch.bincount(at.to(torch.int64).reshape(-1), minlength=nbins).to(torch.int32)
    return integers.without_bprop("HistogramFixedWidth", counts, x)


@mint_form(name="bincount")
def _mint_bincount(input, weights=None, minlength=0):
    """How often each number from 0 on occurs, Int64, or the sum of its weights."""
    return _counted(input, weights, minlength)


def _counted(input, weights, minlength):
    """torch's bincount, differentiable by the weights."""
    if weights is None or not weights.requires_grad:
        return torch.bincount(input, weights, minlength)
    count = builtins.max(minlength, int(input.max()) + 1 if input.numel() else 0)
    return weights.new_zeros(count).index_add(0, input.long(), weights)


@op(method=True)
def histc(input, bins=100, min=0.0, max=0.0):
    """The histogram over ``bins`` equal intervals from min to max (the data's range if both are 0)."""
    found = _counts(input, bins, min, max)
    if generations.has_old_meaning("mindspore.ops.histc"):
        return found.to(torch.int32)
    return found if input.is_floating_point() else found.to(input.dtype)


def _counts(x, bins, min, max):
    return integers.without_bprop("Histogram", torch.histc(x.detach().to(torch.float32), bins, min, max), x)


@mint_form(name="histc")
def _mint_histc(input, bins=100, min=0, max=0):
    """How many elements each of ``bins`` equal intervals from min to max holds (both 0: the data's)."""
    return integers.without_bprop("HistcExt", torch.histc(
        input.to(torch.float32) if not input.is_floating_point() else input.detach(), bins, min, max), input)


@primitive("Histogram", init={"bins": 100, "min": 0.0, "max": 0.0})
def _histogram(x, bins=100, min=0.0, max=0.0):
    """The histogram over ``bins`` equal intervals, in the input's dtype, Float32 for Float16.

    (``mindspore.ops.Histogram``.)
    """
    found = _counts(x, bins, min, max)
    return found if x.dtype is torch.float16 else found.to(x.dtype)


@primitive("Bincount")
def _bincount(array, size, weights):
    """The weights of the numbers from 0 to ``size`` - 1, added up (``mindspore.ops.Bincount``)."""
    size = int(size)
    if size < 1:
        raise asked(ValueError("For primitive[Bincount], the attribute[size] should be a vector with all "
                               f"positive item. but got [{size}, ]."))
    array, weights = array.reshape(-1), weights.reshape(-1)
    kept = (array >= 0) & (array < size)
    if weights.numel() == 0:
        weights = torch.ones(array.shape, dtype=weights.dtype, device=array.device)
    return torch.zeros(size, dtype=weights.dtype, device=array.device).index_add(
        0, array[kept].long(), weights[kept]
    )


__all__ = [
    "bincount", "cummax", "cummin", "cumprod", "cumsum", "diff", "diff_ext", "histc", "logcumsumexp", "trapz",
]  # fmt: skip
