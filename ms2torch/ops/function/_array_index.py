"""Operators that read by index, mask or condition."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.checks.calls import describe, no_matching_form
from ms2torch._core.checks.causes import broadcastable
from ms2torch._core.checks.overloads import valid_calls
from ms2torch._core.checks.refusals import cannot_broadcast
from ms2torch._core.errors import asked, final
from ms2torch._core.gradient import rows
from ms2torch._core.operators import callsite
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import OMITTED, spelled
from ms2torch._core.tensor import construct
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.dtype import UNSIGNED
from ms2torch._core.torch_private import ORDINARY, is_batched, unbatched
from ms2torch._naming import generations

from ._array_shape import either, in_range, ints, whole

_GATHER = ("Gather(batch_dims=<int>)(input_params=<Tensor>, input_indices=<Tensor>, axis=<Tensor, int>)")
_SELECT = "Select()(condition=<Tensor>, input=<Number, Tensor>, other=<Number, Tensor>)"
_ONE_HOT = ("OneHot(axis=<int>)(indices=<Tensor>, depth=<Tensor, int>, on_value=<Tensor>, "
            "off_value=<Tensor>)")


# ---- gather ------------------------------------------------------------------------------------------------


@op(primitive="Gather", init=("batch_dims",), valid=_GATHER)
def gather(input_params, input_indices, axis, batch_dims=0):
    """Slices of ``input_params`` along ``axis`` at any shape of indices.

    (``mindspore.ops.gather``; torch's index_select.)

    The result has the indices' shape in place of ``axis``; the first ``batch_dims`` axes of both go together.
    RuntimeError for an index out of range.
    """
    return gathered(input_params, input_indices, axis, batch_dims)


@primitive("SparseGatherV2")
def _sparse_gather(params, indices, axis):
    """`gather`; a sparse optimizer gets the gradient of the rows that were read."""
    if axis == 0 and params.ndim == 2 and rows.applicable():
        return torch.nn.functional.embedding(indices.long(), params, sparse=True)
    return gathered(params, indices, axis)


def gathered(x, index, axis, batch_dims=0):
    """Shared kernel of ``gather`` and its Tensor method."""
    if batch_dims or batch_dims is None:
        return _gather_batches(x, index, int(axis), batch_dims)
    try:
        if index.ndim == 1:
            return torch.index_select(x, whole(axis), index)
        axis = int(axis)
        shape = x.shape
        flat = torch.index_select(x, axis, index.reshape(-1))
        axis = axis % len(shape)
        return flat.reshape(shape[:axis] + index.shape + shape[axis + 1:])
    except (IndexError, RuntimeError, TypeError) as err:
        if not isinstance(index, torch.Tensor):
            raise
        return _gather_again(x, index, axis, err)


def _gather_again(x, index, axis, err):
    """Why it failed; where only negative indices were in the way, the result: they count from the end."""
    axis = int(axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"For primitive[Gather], the axis must be in [-{x.ndim},{x.ndim}], but got "
                         f"{axis}.") from None
    if index.is_floating_point():
        raise TypeError(f"For 'Gather', the type of 'input_indices' must be Int32 or Int64, "
                        f"but got {_dtype.from_torch(index.dtype)}.") from None
    if index.dtype not in (torch.int32, torch.int64):
        return gathered(x, index.long(), axis)
    n, seen = x.shape[axis], _everywhere(index)
    beyond = seen[(seen >= n) | (seen < -n)]
    if beyond.numel():
        first = int(beyond[0])
        first += n if first < 0 else 0
        raise final(RuntimeError(f"For 'Gather', the 'input_indices' should be in the range [0, {n}), "
                                 f"but got {first}, error_code[58]")) from None
    if not (seen < 0).any():
        raise err
    return gathered(x, index.remainder(n), axis)


def _gather_batches(x, index, axis, batch_dims):
    b = batch_dims if batch_dims >= 0 else batch_dims + index.ndim
    axis = axis % x.ndim
    batch, middle, after = x.shape[:b], x.shape[b:axis], x.shape[axis + 1:]
    flat = x.reshape(batch.numel(), middle.numel(), x.shape[axis], after.numel())
    rows = index.long().reshape(flat.shape[0], 1, -1, 1).expand(-1, flat.shape[1], -1, flat.shape[3])
    return flat.gather(2, rows).reshape(batch + middle + index.shape[b:] + after)


@primitive("GatherV2")
def _gather_v2(input_params, input_indices, axis):
    """``Gather`` before 1.2."""
    return gathered(input_params, input_indices, axis)


@method(name="gather")
def _gather_method(input, input_indices=None, axis=None, batch_dims=0, *, dim=None, index=None):
    """``mindspore.Tensor.gather``: ``ops.gather`` as ``(input_indices, axis)``, torch's gather as ``(dim,
    index)``.
    """
    if axis is not None and dim is not None:
        raise no_matching_form("gather", input_indices, axis)
    if (isinstance(axis, torch.Tensor) and axis.ndim) or isinstance(input_indices, (int, np.integer)):
        dim, index = int(input_indices), axis
    if index is not None:
        return gather_along(input, dim, index)
    if input_indices is None:
        raise no_matching_form("gather")
    return gathered(input, input_indices, axis, batch_dims)


@mint_form(name="gather")
def _gather_mint(input, dim, index):
    """The elements of ``input`` at ``index`` along ``dim``."""
    return gather_along(input, dim, index)


@op(primitive="GatherD")
def gather_d(x, dim, index):
    """One element of ``x`` along ``dim`` for each index (``mindspore.ops.gather_d``; torch's gather).

    Indices count from the end where negative. RuntimeError for an index out of range.
    """
    return gather_along(x, dim, index)


@op(method=True)
def gather_elements(input, dim, index):
    """``gather_d`` under its other name (``mindspore.ops.gather_elements``)."""
    return gather_along(input, dim, index)


def gather_along(x, dim, index):
    """Shared kernel of ``gather_d``, ``gather_elements`` and torch-like ``gather``."""
    if dim.__class__ is not int:
        dim = int(dim)
    if index.dtype is not torch.int64:
        index = index.long()
    if not index.is_cpu:
        # Out of range is fatal to a CUDA context: settle negative indices before.
        return torch.gather(x, dim, torch.where(index < 0, index + x.shape[dim], index))
    try:
        return torch.gather(x, dim, index)
    except (RuntimeError, IndexError) as err:
        if x.ndim != index.ndim:
            raise ValueError(f"For primitive[GatherD], the x_rank must be equal to {index.ndim}, "
                             f"but got {x.ndim}.") from None
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(f"For primitive[GatherD], the dim value must be in [-{x.ndim},{x.ndim}], "
                             f"but got {dim}.") from None
        n = x.shape[dim]
        wrong = index[(index < -n) | (index >= n)]
        if wrong.numel():
            raise final(RuntimeError(f"For 'GatherD', the value of 'index' must be in [-{n}, {n}), "
                                     f"but got: {int(wrong[0])}")) from None
        if not (index < 0).any():
            raise err
        return torch.gather(x, dim, torch.where(index < 0, index + n, index))


@op(primitive="GatherNd", method=True)
def gather_nd(input_x, indices):
    """The slices that the last axis of ``indices`` points at (``mindspore.ops.gather_nd``).

    RuntimeError for an index out of range, as a negative one is.
    """
    if indices.ndim == 0:
        indices = indices[None]
    if has_numbers(indices):
        _check_places(indices, input_x.shape)
    if indices.shape[-1] == 0:
        return input_x.expand(indices.shape[:-1] + input_x.shape)
    return input_x[tuple(indices.long().unbind(-1))]


def has_numbers(indices) -> bool:
    """Whether an index can be looked at without waiting for it: it has numbers, and they lie on the CPU.

    In a graph that torch.export makes it has none; in one of ours asking for them ends the tracing.
    """
    is_here = indices.__class__ in ORDINARY or mode.tracing is not None
    return is_here and indices.device.type == "cpu" and indices.numel() > 0


def _everywhere(t):
    """All numbers of ``t``, those of each turn of a ``vmap`` among them: what can be looked at."""
    while is_batched(t):
        t = unbatched(t)
    return t


def _check_places(indices, shape) -> None:
    if is_batched(indices):         # the numbers of each turn then have an axis more, in any place
        return
    limit = torch.tensor(shape[:indices.shape[-1]])
    wrong = ((indices < 0) | (indices >= limit)).any(-1).reshape(-1)
    if wrong.any():
        i = int(wrong.nonzero()[0])
        place = ", ".join(map(str, indices.reshape(-1, indices.shape[-1])[i].tolist()))
        raise final(RuntimeError(
            f"For 'GatherNd', the indices[{i}]: [const vector]{{{place}}}, does not index into input_shape: "
            f"[const vector]{{{', '.join(map(str, shape))}}}."))


@op
def index_select(input, axis, index):
    """Slices along ``axis`` at a vector of indices (``mindspore.ops.index_select``)."""
    return selected(input, axis, index)


@method(name="index_select")
def _index_select_method(input, axis=None, index=None, *, dim=None):
    """Slices along ``axis`` at a vector of indices (``mindspore.Tensor.index_select``)."""
    return selected(input, either(axis, dim), index)


@mint_form(name="index_select")
def _index_select_mint(input, dim, index):
    """Slices along ``dim`` at a vector of indices."""
    return selected(input, dim, index)


def selected(input, axis, index):
    """Shared kernel of the forms of ``index_select``."""
    if index.ndim != 1:
        raise ValueError(f"For 'index_select', the dimension of `index` must be 1, but got {index.ndim}")
    in_range(axis, input.ndim, "The 'axis' must be in the range of [{low}, {ndim}), but got {axis}.")
    return gathered(input, index, axis)


@op(mint=True)
def take(input, index):
    """Elements of ``input`` read flat (``mindspore.ops.take``)."""
    return torch.take(input, index.long())


@op
def narrow(input, axis, start, length):
    """``length`` slices along ``axis`` from ``start`` on (``mindspore.ops.narrow``)."""
    axis = in_range(axis, input.ndim, "The 'axis' must be in range of [{low}, {ndim}), but got {axis}.")
    n = input.shape[axis]
    if not 0 <= start < n:
        raise ValueError(f"The input value must be in range of [0, {n}), but got {start} with type 'int'.")
    if not 1 <= length <= n - start:
        raise ValueError(f"The input value must be in range of [1, {n - start}], "
                         f"but got {length} with type 'int'.")
    return torch.narrow(input, axis, start, length)


@mint_form(name="narrow")
def _narrow_mint(input, dim, start, length):
    """``length`` slices along ``dim`` from ``start`` on, which may be none; a negative ``start`` counts from
    the end."""
    start, ndim = whole(start), input.ndim
    if not -ndim <= dim < ndim:
        raise final(ValueError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim}), "
                               f"but got {dim})"))
    n = input.shape[dim]
    if not -n <= start <= n:
        raise final(ValueError(f"For primitive [Narrow]: start value error, start: {start}, start should be "
                               f"in [{-n}, {n}]."))
    if length > n - (start + n if start < 0 else start):
        raise final(ValueError(f"For 'Narrow', start ({start}), + length ({length}) exceeds dimension size "
                               f"({n})."))
    return torch.narrow(input, dim, start, length)


@method(name="narrow")
def _narrow_method(input, axis=None, start=None, length=None, *, dim=None):
    """``length`` slices along ``axis`` from ``start`` on (``mindspore.Tensor.narrow``)."""
    if axis is None and dim is None:
        raise no_matching_form("narrow")
    return narrow.kernel(input, either(axis, dim), start, length)


# ---- mask and condition ------------------------------------------------------------------------------------


@op(primitive="MaskedSelect", method=True, mint=True)
def masked_select(input, mask):
    """The elements where ``mask`` is True, in one axis (``mindspore.ops.masked_select``)."""
    if mask.dtype is not torch.bool:
        raise final(RuntimeError("KernelMod Init Failed: MaskedSelect"))
    return torch.masked_select(input, mask)


@op(primitive="MaskedFill", mint="masked_fill(input, mask, value)")
def masked_fill(input_x, mask, value):
    """``input_x`` with ``value`` where ``mask`` is True; both broadcast (``mindspore.ops.masked_fill``)."""
    if mask.dtype is not torch.bool:
        raise TypeError("For primitive[MaskedFill], the input argument[mask] must be a type of {Bool}, "
                        f"but got {_dtype.from_torch(mask.dtype)}.")
    if value.__class__ is not float or input_x.dtype is not torch.float32:
        value = _filler(input_x, value)
    try:
        return torch.masked_fill(input_x, mask, value)
    except RuntimeError:
        if not broadcastable(input_x, mask):
            raise cannot_broadcast("MaskedFill", input_x.shape, mask.shape) from None
        raise TypeError(f"For 'MaskedFill', the dtype of 'value' must be {_dtype.from_torch(input_x.dtype)} "
                        f"as that of 'input_x', but got {value}.") from None


def _filler(t, value):
    """``value`` for ``t``'s device; an error for a tensor that is not 0-d and for a float among integers."""
    if isinstance(value, torch.Tensor):
        if value.ndim:
            raise ValueError("For 'MaskedFill', 'value' only supports a 0-dimensional value tensor or a "
                             f"float number, but got tensor with {value.ndim} dimension(s).")
        half = t.dtype is torch.float16 and value.is_floating_point()       # (infinity beyond its range)
        return value.to(t) if half else value.to(t.device)
    if isinstance(value, float) and not (t.is_floating_point() or t.is_complex()):
        raise TypeError(f"For 'MaskedFill', the dtype of 'value' must be {_dtype.from_torch(t.dtype)} as "
                        f"that of 'input_x', but got {value}.")
    if t.dtype is torch.float16 and abs(value) > _LARGEST:             # (torch refuses it)
        return math.copysign(math.inf, value)
    return value


_LARGEST = torch.finfo(torch.float16).max


@method(name="masked_fill")
def _masked_fill_method(input_x, mask, value):
    """As the function, but a float value is brought to an integer tensor's dtype."""
    if isinstance(value, float) and not (input_x.is_floating_point() or input_x.is_complex()):
        value = torch.as_tensor(value, device=input_x.device).to(input_x.dtype)
    return masked_fill.kernel(input_x, mask, value)


@op(primitive="Select", valid=_SELECT)
def select(condition, input, other):
    """``input`` where ``condition`` is True, else ``other``; all broadcast (``mindspore.ops.select``)."""
    return chosen(condition, input, other)


@op(valid=_SELECT)
@spelled(x="input", y="other")
def where(condition, input, other):
    """``select`` under numpy's name (``mindspore.ops.where``); ``x`` and ``y`` are the names before 2.3."""
    return chosen(condition, input, other)


@mint_form(name="where")
def _where_mint(condition, input=OMITTED, other=OMITTED):
    """``input`` or ``other`` by element; of a condition alone, where it is not zero: an index per axis."""
    if input is other is OMITTED:
        if callsite.given_by_name("condition"):
            raise TypeError                     # told by its form: the one that has no others calls it input
        if not condition.ndim:
            raise asked(RuntimeError("Simple infer info size must greater than 1, but got 0"))
        return torch.nonzero(condition, as_tuple=True)
    if input is OMITTED or other is OMITTED:
        called = describe(input) if other is OMITTED else f"other={describe(other)}"
        raise asked(TypeError(f'Failed calling where with "where({describe(condition)}, {called})".'
                              f'{valid_calls("mint.where")}'))
    return chosen(condition, input, other)


def chosen(condition, x, y):
    """Shared kernel of ``select`` and ``where``: MindSpore's promotion, torch's where."""
    if condition.dtype is not torch.bool:
        raise TypeError("Select CPU operator[Select] fail! Unsupported data type!\n'condition' must be Bool, "
                        f"but got {_dtype.from_torch(condition.dtype)}.")
    a, b = isinstance(x, torch.Tensor), isinstance(y, torch.Tensor)
    if a and b:
        if x.dtype is not y.dtype:
            x, y = _dtype.promote(x, y)
    elif (a or b) and generations.has_old_meaning("mindspore.ops.where"):
        t, number = (x, y) if a else (y, x)
        number = construct.from_number(number, None).to(t.device, t.dtype)
        x, y = (t, number) if a else (number, t)
    elif a:
        x, y = _dtype.promote_scalar(x, y)
    elif b:
        y, x = _dtype.promote_scalar(y, x)
    elif isinstance(x, float) != isinstance(y, float):
        x, y = float(x), float(y)
    elif x is None or y is None:
        raise TypeError
    try:
        return torch.where(condition, x, y)
    except RuntimeError as err:
        raise _cannot_choose(condition, x, y) or err from None


def _cannot_choose(condition, x, y) -> ValueError | None:
    """MindSpore's error of `Select` for shapes that do not fit: first those of what is chosen from."""
    shapes = [t.shape for t in (x, y) if isinstance(t, torch.Tensor)]
    try:
        found = torch.broadcast_shapes(*shapes)
    except RuntimeError:
        return final(cannot_broadcast("Select", *shapes, ("input", "other")))
    try:
        torch.broadcast_shapes(condition.shape, found)
    except RuntimeError:
        return final(cannot_broadcast("Select", condition.shape, found, ("condition", "input")))
    return None


@primitive("OneHot", init=("axis",), valid=_ONE_HOT)
def _one_hot(indices, depth, on_value, off_value, axis=-1):
    """``on_value`` at the place of each index along a new axis of size ``depth``, ``off_value`` elsewhere."""
    return hot(indices, depth, on_value, off_value, axis)


@op
def one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    """``on_value`` at the place of each index along a new axis of size ``depth``, ``off_value`` elsewhere.

    (``mindspore.ops.one_hot``.) Int64 for ints, Float32 for floats, else the values' dtype. An index out of
    range gives ``off_value`` everywhere.
    """
    return hot(indices, depth, on_value, off_value, axis)


def hot(indices, depth, on_value, off_value, axis):
    """Shared kernel of the forms of ``one_hot``."""
    ndim = indices.ndim
    if indices.dtype is not torch.int32 and indices.dtype is not torch.int64:
        raise TypeError("For primitive[OneHot], the input argument[indices] must be a type of "
                        "{Tensor[Int32], "
                        f"Tensor[Int64]}}, but got Tensor[{_dtype.from_torch(indices.dtype)}].")
    if not -1 <= axis <= ndim:
        raise ValueError(f"For primitive[OneHot], the axis value must be in [-1,{ndim}], but got {axis}.")
    axis = ndim if axis == -1 else axis
    places = torch.arange(int(depth), device=indices.device, dtype=indices.dtype)
    hit = indices.unsqueeze(axis) == places.view((-1,) + (1,) * (ndim - axis))
    if not isinstance(on_value, torch.Tensor) or not isinstance(off_value, torch.Tensor):
        if on_value.__class__ is int and off_value.__class__ is int and on_value == 1 and off_value == 0:
            return hit.long()
        on_value, off_value = (v if isinstance(v, torch.Tensor) else construct.from_number(v, None)
                               for v in (on_value, off_value))
    _check_values(on_value, off_value)
    return torch.where(hit, on_value.detach(), off_value.detach())


def _check_values(on_value, off_value) -> None:
    names = [f"Tensor[{_dtype.from_torch(v.dtype)}]" for v in (on_value, off_value)]
    if off_value.dtype not in (torch.float16, torch.float32, torch.int32, torch.int64):
        raise TypeError("For primitive[OneHot], the input argument[off_value] must be a type of "
                        "{Tensor[Float16], Tensor[Float32], Tensor[Int32], Tensor[Int64]}, "
                        f"but got {names[1]}.")
    if on_value.dtype is not off_value.dtype:
        raise TypeError(f"For primitive[OneHot], the input type must be same. name:[off_value]:{names[1]}. "
                        f"name:[on_value]:{names[0]}.")


# ---- search ------------------------------------------------------------------------------------------------


@op(mint=True)
def searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    """Where each value would go into a sorted sequence, Int64 or Int32 (``mindspore.ops.searchsorted``)."""
    if side == "left" and right:
        raise asked(ValueError("For 'searchsorted', side and right can't be set to opposites, got side of "
                               "left while right was True."))
    _check_sorter(sorter)
    return torch.searchsorted(sorted_sequence.contiguous(), values.contiguous(), out_int32=out_int32,
                              right=right or side == "right", sorter=sorter)


def _check_sorter(sorter) -> None:
    if isinstance(sorter, torch.Tensor) and sorter.dtype is not torch.int64:
        raise asked(ValueError("For 'SearchSorted' sorter type should be Int64"))


@primitive("SearchSorted", init=("dtype", "right"))
def _search_sorted(sorted_sequence, values, sorter=None, dtype=_dtype.int64, right=False):
    """Before which element of the last axis each value goes in; behind equal ones with ``right``."""
    int32 = dtype is _dtype.int32
    _check_sorter(sorter)
    return torch.searchsorted(sorted_sequence, values, out_int32=int32, right=right, sorter=sorter)


@op
def bucketize(input, boundaries, *, right=False):
    """Between which boundaries each element lies, Int32 (``mindspore.ops.bucketize``)."""
    edges = torch.tensor(boundaries, dtype=torch.float32, device=input.device)
    if edges.ndim == 1:
        return torch.bucketize(input, edges, out_int32=True, right=right)
    if edges.ndim and edges.shape[:-1] != input.shape[:-1]:
        raise final(ValueError(
            "For 'SearchSorted', the 'sorted_sequence' must be 1 dimensional or all dimensions except the "
            "last dimension of 'sorted_sequence' must be the same as all dimensions except the last "
            "dimension of 'values'."))
    return torch.searchsorted(edges, input.float().contiguous(), out_int32=True, right=right)


def _truths(t):
    """What is not zero, of the dtypes whose places torch does not find."""
    return t != 0 if t.dtype in UNSIGNED else t


@op(mint=True)
def nonzero(input, *, as_tuple=False):
    """Places that are not zero, a row each, Int64; with ``as_tuple`` a vector for each axis.

    (``mindspore.ops.nonzero``.)
    """
    return torch.nonzero(_truths(input), as_tuple=as_tuple)


@method(name="nonzero")
def _nonzero_method(input, *, as_tuple=False):
    """Places that are not zero, a row each, Int64; with ``as_tuple`` a vector for each axis."""
    return torch.nonzero(_truths(input), as_tuple=as_tuple)


@primitive("NonZero")
def _nonzero(input):
    """The indices of the nonzero elements, one row each, Int64."""
    return torch.nonzero(_truths(input))


@op(method=True)
def argwhere(input):
    """Places that are not zero, a row each, Int64 (``mindspore.ops.argwhere``)."""
    return torch.argwhere(_truths(input))


@primitive("UnravelIndex")
def _unravel_index(indices, dims):
    """Places in order as places along each axis, a row for each axis."""
    return torch.stack(torch.unravel_index(indices, tuple(ints(dims)))).to(indices.dtype)


@mint_form(name="select")
def _select(input, dim, index):
    """The slice at ``index`` along ``dim``, without that axis."""
    return torch.select(input, dim, index)
