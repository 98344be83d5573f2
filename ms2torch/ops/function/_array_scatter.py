"""Operators that write by index: out of place, or into a Parameter; and sums and extremes over segments."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import no_matching_form
from ms2torch._core.errors import final
from ms2torch._core.operators.arithmetic import SIGNED
from ms2torch._core.operators.registry import REQUIRED, method, mint_form, op, primitive
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import lower
from ms2torch._core.torch_private import is_batched

from ._array_index import has_numbers
from ._array_shape import either, ints, whole
from ._writing import whole_of, write

# ---- along an axis -----------------------------------------------------------------------------------------


def _on_axis(x, axis, index, src, reduction="none"):
    index = index if index.dtype is torch.int64 else index.long()
    axis = whole(axis)
    n = x.shape[axis]
    index = torch.where(index < 0, index + n, index)
    if not isinstance(src, torch.Tensor):
        if reduction == "none":
            return torch.scatter(x, axis, index, src)
        src = torch.full(index.shape, src, dtype=x.dtype, device=x.device)
    if src.dtype is not x.dtype:
        src = src.to(x.dtype)
    if reduction == "none":
        return torch.scatter(x, axis, index, src)
    return torch.scatter_add(x, axis, index, src)


@op
def scatter(input, axis, index, src):
    """``input`` with the elements of ``src`` at ``index`` along ``axis`` (``mindspore.ops.scatter``).

    ``src`` is a tensor or a number; of several writes to one place any may win.
    """
    return _on_axis(input, axis, index, src)


@method(name="scatter")
def _scatter_method(input, axis=None, index=None, src=None, *, dim=None, reduce="none"):
    """With the elements of ``src`` at ``index`` along ``axis`` (``mindspore.Tensor.scatter``)."""
    if reduce is None:
        raise no_matching_form("scatter")
    axis = either(axis, dim)
    if reduce not in ("none", "add"):
        return torch.scatter(input, axis, index.long(), src, reduce=reduce)
    return _on_axis(input, axis, index, src, reduce)


@mint_form(name="scatter")
def _scatter_mint(input, dim, index, src):
    """``input`` with the elements of ``src``, or a number, at ``index`` along ``dim``."""
    return _on_axis(input, dim, index, src)


@mint_form(name="scatter_add")
def _scatter_add_mint(input, dim, index, src):
    """``input`` with the elements of ``src`` added at ``index`` along ``dim``."""
    return torch.scatter_add(input, dim, index.long(), src)


@op(primitive="TensorScatterElements", init={"axis": 0, "reduction": "none"},
    call=("data", "indices", "updates"))
def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none"):
    """``scatter``, or with ``reduction`` "add" its sum (``mindspore.ops.tensor_scatter_elements``)."""
    if (meant := reduction.lower() if isinstance(reduction, str) else reduction) not in ("none", "add"):
        raise ValueError(f'Failed to convert the value "{reduction}" of input \'reduce\' of '
                         "'TensorScatterElements' to enum.")
    return _on_axis(input_x, axis, indices, updates, meant)


def _rows_added(x, axis, index, y, sign=1):
    return torch.index_add(x, axis, index, y.to(x.dtype), alpha=sign)


@method(name="index_add")
def _index_add_method(input, dim=None, index=None, source=None, axis=None, *, alpha=1, indices=None, y=None):
    """``source`` added to the slices at ``index`` along ``dim``; or MindSpore's ``(indices, y, axis)``."""
    if isinstance(dim, torch.Tensor):
        indices, y, axis = dim, index, source if axis is None else axis
    if indices is not None:
        return _rows_added(input, axis, indices, y)
    _check_scaled(input, source, alpha)
    return _rows_added(input, dim, index, source, alpha)


def _check_scaled(x, source, alpha) -> None:
    """TypeError where ``alpha * source`` is of a dtype that x would have to become; a nan is refused."""
    if alpha != alpha:
        raise final(ValueError("The input value must be a legal float, but got 'nan'."))
    if isinstance(alpha, int) and not -1 << 63 <= alpha < 1 << 63:
        raise final(RuntimeError("Unable to cast Python instance of type <class 'int'> to C++ type 'long'"))
    if source.is_floating_point() or source.is_complex() or isinstance(alpha, bool):
        return
    common = "Float32" if isinstance(alpha, float) else "Int64" if source.dtype is torch.bool else None
    if common is not None:
        raise final(TypeError("Data type conversion is not supported for a 'Parameter', nor for the input "
                              "tensor of an in-place operator, the argument[input_x]'s data type of "
                              f"primitive[IndexAdd] is {from_torch(x.dtype)}, which cannot be converted to "
                              f"data type {common} automatically."))


@mint_form(name="index_add")
def _index_add_mint(input, dim, index, source, *, alpha=1):
    """``input`` with ``alpha * source`` added to its slices at ``index`` along ``dim``."""
    _check_scaled(input, source, alpha)
    return _rows_added(input, dim, index, source, alpha)


@op(method=True)
def index_fill(x, axis, index, value):
    """``x`` with ``value`` in the slices at ``index`` along ``axis`` (``mindspore.ops.index_fill``)."""
    return torch.index_fill(x, axis, index.long(), value)


@op(method=True)
def select_scatter(input, src, axis, index):
    """``input`` with ``src`` as its slice ``index`` along ``axis`` (``mindspore.ops.select_scatter``)."""
    index = int(index) if isinstance(index, np.bool_) else index
    if index < -input.shape[axis]:
        index %= input.shape[axis]
    return torch.select_scatter(input, src, axis, index)


@op(method=True)
def slice_scatter(input, src, axis=0, start=None, end=None, step=1):
    """``input`` with ``src`` in every ``step``-th slice along ``axis`` (``mindspore.ops.slice_scatter``)."""
    size, shape = input.shape[axis], list(input.shape)
    index = torch.arange(size, device=input.device)[start:end:step]
    before = -size - (start or 0)
    shape[axis] = len(index)
    if before > 0:                               # MindSpore counts from there, and would write there
        shape[axis] = -(-(before + range(size)[:end].stop) // step)
    if src.shape != tuple(shape) or before > 0:
        raise ValueError(f"For slice_scatter, src shape should be equal to the slice size,but got src shape "
                         f"{tuple(src.shape)} and slice shape {tuple(shape)}")
    return torch.index_copy(input, axis, index, src.to(input.dtype))


@op(method=True)
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """``input`` with ``src`` on its diagonal (``mindspore.ops.diagonal_scatter``)."""
    shape = torch.diagonal(input, offset, dim1, dim2).shape
    if src.shape != shape:
        raise ValueError("For diagonal_scatter, the shape of src should equal to the shape of input "
                         f"diagonal,but got src.shape {tuple(src.shape)} and diagonal shape {tuple(shape)}.")
    return torch.diagonal_scatter(input, src, offset, dim1, dim2)


# ---- at places of the first axes ---------------------------------------------------------------------------


def _misfit(name, x, indices, updates) -> str | None:
    """What MindSpore says of shapes that do not fit each other."""
    places = indices[-1] if indices else 0
    if indices[:-1] + x[places:] == updates and len(indices) > 1 and places <= len(x) and updates:
        return None
    if name.startswith("TensorScatter"):
        if len(indices) < 2:
            return f"For {name}, the dimension of 'indices' cannot be less than 2,  but got {len(indices)}"
        if places > len(x):
            return (f"For {name}, the last dimension of 'indices' must be less than or equal  to the "
                    f"dimension of 'input_x', but got the last dimension of 'indices': {places} and the "
                    f"dimension of 'input_x': {len(x)}")
        if name == "TensorScatterAdd":
            return (f"For {name}, indices_shape must equal to updates_shape, but got indices_shape: "
                    f"{[*indices[:-1], *x[places:]]}, updates_shape: {[*updates]}.")
        x, indices, updates = (f"({', '.join(map(str, shape))})" for shape in (x, indices, updates))
        return (f"For {name}, updates_shape = indices_shape[:-1] + x_shape[indices_shape[-1]:], but got "
                f"x_shape: {x}, indices_shape: {indices}, updates_shape: {updates}.")
    rank = len(indices) - 1 + len(x) - places
    asked = [("the dimension of 'indices'", "greater than or equal to 2", len(indices) >= 2, len(indices)),
             ("the dimension of 'updates'", "greater than or equal to 1", len(updates) >= 1, len(updates)),
             ("the the value of last dimension of 'indices'",
              f"less than or equal to the dimension of 'input_x' which is {len(x)}",
              places <= len(x), places),
             ("the len(updates.shape)'", "equal to len(indices.shape) - 1 + len(input_x.shape) - "
              f"indices.shape[-1] which is {rank}", rank == len(updates), len(updates))]
    lead = len(indices) - 1
    asked += [(f"the {k}th dimension of indices", f"equal to {k}th dimension of updates which is {m}",
               n == m, n) for k, (n, m) in enumerate(zip(indices[:-1], updates, strict=False))]
    asked += [(f"the {k}th dimension of updates", f"equal to {k}th dimension of input_x.shape[indices.shape"
               f"[-1]:] which is {n}", n == m, m)
              for k, (n, m) in enumerate(zip(x[places:], updates[lead:], strict=False), lead)]
    what, right, _, got = next(row for row in asked if not row[2])
    return f"For primitive[{name}], {what} must be {right} , but got {got}."


def _check_places(name, x, indices, updates) -> None:
    if wrong := _misfit(name, *(() if t.__class__ in (int, float) else tuple(t.shape)
                                for t in (x, indices, updates))):
        raise ValueError(wrong)
    if has_numbers(indices) and not is_batched(indices):
        limit = torch.tensor(x.shape[:indices.shape[-1]])
        wrong = (indices < 0) | (indices >= limit)
        if wrong.any():
            row, column = (int(n) for n in wrong.reshape(-1, len(limit)).nonzero()[0])
            value = int(indices.reshape(-1, len(limit))[row, column])
            if name.startswith("ScatterNd") and name != "ScatterNdUpdate":
                raise final(RuntimeError(f"Launch kernel failed, name:Default/{name}-op0"))
            if name in ("ScatterNdUpdate", "TensorScatterUpdate"):
                place = ", ".join(map(str, indices.reshape(-1, len(limit))[row].tolist()))
                raise ValueError(f"For '{name}', indices out of range for input_x. Please check the indices "
                                 f"which is [const vector]{{{place}}}")
            raise final(RuntimeError(f"For '{name}', the {row}-th value of 'indices'[{value}] is out of "
                                     f"range[{x.shape[column]}]."))


def _check_dtypes(name, x, indices, updates) -> None:
    if indices.dtype not in (torch.int32, torch.int64):
        kind = from_torch(indices.dtype)
        raise TypeError(
            f"For primitive[{name}], the input[indices type] supports types: Int32, Int64. But got {kind}."
            if name == "TensorScatterAdd" else
            f"For primitive[{name}], the input argument[indices type] must be a type of {{Tensor[Int32], "
            f"Tensor[Int64]}}, but got Tensor[{kind}].")
    if name == "TensorScatterAdd" and x.dtype is not updates.dtype:
        raise TypeError("For TensorScatterAdd, input_x_type must equal to updates type, but got "
                        f"input_x_type: {from_torch(x.dtype)}, updates_type: {from_torch(updates.dtype)}.")


def at_places(name, x, indices, updates, how):
    """``x`` with ``updates`` combined into the slices that the last axis of ``indices`` points at."""
    if name.startswith("TensorScatter"):
        _check_dtypes(name, x, indices, updates)
    _check_places(name, x, indices, updates)
    return _at_places(x, indices, updates.to(x.dtype), how)


def _at_places(x, indices, updates, how):
    if x.dtype in SIGNED:
        return _of_unsigned(lambda x, updates: _at_places(x, indices, updates, how), x, updates, how)
    places = tuple(indices.long().unbind(-1))
    if how == "add":
        return x.index_put(places, updates, accumulate=True)
    if how == "sub":
        return x.index_put(places, -updates, accumulate=True)
    if how == "update":
        return x.index_put(places, updates)
    lead, rest = x.shape[:len(places)], x.shape[len(places):]
    row = torch.zeros_like(places[0])
    for n, place in zip(lead, places, strict=True):
        row = row * n + place
    rows = _by_row(x.reshape(lead.numel(), *rest), row.reshape(-1), updates.reshape(-1, *rest), how)
    return rows.reshape(x.shape)


_REDUCE = {"mul": "prod", "prod": "prod", "max": "amax", "min": "amin"}


def _of_unsigned(combined, x, updates, how):
    """``combined(x, updates)`` of unsigned integers, for which torch has no kernels: in wider ones, or over
    the same bits where signs make no difference."""
    signed = SIGNED[x.dtype]
    if how in ("max", "min"):       # (with the highest bit turned, signed ones are in the same order)
        turned = torch.iinfo(signed).min
        return (combined(x.view(signed) ^ turned, updates.view(signed) ^ turned) ^ turned).view(x.dtype)
    if how == "div":
        return combined(x.to(torch.int64), updates.to(torch.int64)).to(x.dtype)
    return combined(x.view(signed), updates.view(signed)).view(x.dtype)


def _by_row(x, row, updates, how):
    """``x`` with ``updates`` combined into its rows."""
    if x.dtype in SIGNED:
        return _of_unsigned(lambda x, updates: _by_row(x, row, updates, how), x, updates, how)
    if how == "update":
        return x.index_copy(0, row, updates)
    if how in ("add", "sub"):
        return x.index_add(0, row, updates, alpha=1 if how == "add" else -1)
    if how == "div":
        divisor = _reduced(torch.ones_like(x), row, updates, "prod")
        return torch.div(x, divisor) if x.is_floating_point() or x.is_complex() else _quotient(x, divisor)
    return _reduced(x, row, updates, how)


def _quotient(x, divisor):
    """Integers divided, rounded to zero; by 0 the integer of their sign that is farthest from 0."""
    limit = torch.iinfo(x.dtype)
    zero = divisor == 0
    found = torch.div(x, torch.where(zero, 1, divisor), rounding_mode="trunc").to(x.dtype)
    ends = torch.where(x > 0, limit.max, torch.where(x < 0, limit.min, 0)).to(x.dtype)
    return torch.where(zero, ends, found)


def _reduced(x, row, updates, how):
    """``x`` with the product or an extreme of what goes into each of its rows, itself included."""
    index = row.long().reshape(-1, *(1,) * (updates.ndim - 1)).expand_as(updates)
    if x.is_complex() and how in ("max", "min"):     # of complex numbers none is the greatest
        return torch.zeros_like(x)
    return x.scatter_reduce(0, index, updates, _REDUCE[how])


def _tensor_scatter(how: str, primitive_name: str) -> None:
    name = f"tensor_scatter_{how}"

    def kernel(input_x, indices, updates):
        return at_places(primitive_name, input_x, indices, updates, how)

    kernel.__name__ = name
    kernel.__doc__ = (f"``input_x`` with ``updates`` ({how}) at the places that the last axis of ``indices`` "
                      f"points at (``mindspore.ops.{name}``).")
    globals()[name] = op(kernel, primitive=primitive_name)
    if how not in ("update", "add"):
        method(kernel, name=f"scatter_{how}")


for _how in ("add", "sub", "mul", "div", "max", "min", "update"):
    _tensor_scatter(_how, f"TensorScatter{_how.capitalize()}")


@method(name="scatter_add")
def _scatter_add_method(input, indices=None, updates=None, src=None, *, dim=None, index=None):
    """``tensor_scatter_add`` as ``(indices, updates)``, torch's scatter_add as ``(dim, index, src)``."""
    if isinstance(indices, int):
        dim, index = either(indices, dim), either(updates, index)
    if dim is not None:
        return torch.scatter_add(input, dim, index.long(), src)
    return at_places("TensorScatterAdd", input, indices, updates, "add")


@op(primitive="ScatterNd")
def scatter_nd(indices, updates, shape):
    """Zeros of ``shape`` with ``updates`` added at the places in ``indices``.

    (``mindspore.ops.scatter_nd``.)
    """
    shape = ints(shape)
    if min(shape, default=1) <= 0:
        raise final(ValueError("For 'ScatterNd', the input [shape] should be a tuple with all positive item. "
                               f"But got: {{ {' '.join(map(str, shape))} }}"))
    if tuple(shape[indices.shape[-1]:]) != tuple(updates.shape[indices.ndim - 1:]) or (
            updates.shape[: indices.ndim - 1] != indices.shape[:-1]):
        told = [", ".join(map(str, one)) for one in (indices.shape, updates.shape)]
        raise final(ValueError(
            "For 'ScatterNd', if the last dimension of 'indices' is 'N', the shape of 'updates' should be "
            "the concatenation of 'indices.shape[:-1]' and 'shape[N:]'. but got 'indices.shape' is "
            f"(({told[0]}), 'updates.shape' is (({told[1]}), 'shape' is "
            f"({''.join(f'{n}, ' for n in shape)})."))
    if has_numbers(indices):
        limit = torch.tensor(shape[:indices.shape[-1]])
        wrong = indices >= limit
        if (indices < 0).any():
            wrong = int(indices[indices < 0].reshape(-1)[0])
            raise final(RuntimeError("For 'ScatterNd', each element in 'indice' must be greater than or "
                                     f"equal to 0, but got {wrong}"))
        if wrong.any():
            row, column = (int(n) for n in wrong.reshape(-1, len(limit)).nonzero()[0])
            raise final(RuntimeError(
                "For 'ScatterNd', each element in 'indices' should be smaller than the value of shape, but "
                f"got {int(indices.reshape(-1, len(limit))[row, column])} and got the value of shape "
                f"{shape[column]}"))
    zeros = torch.zeros(tuple(shape), dtype=updates.dtype, device=updates.device)
    return zeros.index_put(tuple(indices.long().unbind(-1)), updates, accumulate=True)


# ---- into a Parameter --------------------------------------------------------------------------------------


def _into_rows(how: str) -> None:
    primitive_name = f"Scatter{how.capitalize()}"

    def kernel(input_x, indices, updates, use_locking=False):
        x, index, updates = whole_of(input_x)._t, indices._t, lower(updates)
        if not isinstance(updates, torch.Tensor):
            updates = torch.full(index.shape + x.shape[1:], updates, dtype=x.dtype, device=x.device)
        if updates.shape != index.shape + x.shape[1:]:
            sizes = (", ".join(map(str, t.shape)) for t in (x, index, updates))
            raise ValueError(
                f"For {primitive_name}, updates_shape = indices_shape + input_x_shape[1:], but got "
                "input_x_shape: ({}), indices_shape: ({}), updates_shape: ({}).".format(*sizes))
        if not x.numel():                          # nothing is written, nor are indices looked at
            return write(input_x, torch.clone)
        if has_numbers(index) and ((index < 0) | (index >= len(x))).any():
            wrong = int(index[(index < 0) | (index >= len(x))].reshape(-1)[0])
            raise final(RuntimeError(f"For '{primitive_name}', the value of indices should be in "
                                     f"[0, {len(x)}), but got '{wrong}' in indices."))
        if how == "div" and (updates == 0).any():
            raise final(ValueError("For 'ScatterDiv', updates must not contain 0"))
        row, values = index.long().reshape(-1), updates.to(x.dtype).reshape(-1, *x.shape[1:])
        return write(input_x, lambda old: _by_row(old, row, values, how))

    def scatter(input_x, indices, updates):
        return kernel(input_x, indices, updates)

    scatter.__name__ = f"scatter_{how}"
    kernel.__doc__ = scatter.__doc__ = (
        f"Writes ``updates`` ({how}) into the rows of a Parameter at ``indices``, and returns its value "
        f"(``mindspore.ops.scatter_{how}``).")
    primitive(primitive_name, init={"use_locking": how == "update"}, on_tensors=True)(kernel)
    globals()[scatter.__name__] = op(scatter, named=primitive_name, on_tensors=True)


def _into_places(how: str) -> None:
    primitive_name = f"ScatterNd{how.capitalize()}"

    def kernel(input_x, indices, updates, use_locking=False):
        return write(input_x, lambda old: at_places(primitive_name, old, indices._t, updates._t, how))

    kernel.__name__ = f"scatter_nd_{how}"
    kernel.__doc__ = (f"Writes ``updates`` ({how}) into a Parameter at the places in ``indices``, and "
                      f"returns its value (``mindspore.ops.scatter_nd_{how}``).")
    init = {"use_locking": how == "update"}
    globals()[kernel.__name__] = op(kernel, primitive=primitive_name, init=init, on_tensors=True)


for _how in ("update", "add", "sub", "mul", "div", "max", "min"):
    _into_rows(_how)
    _into_places(_how)


@op(on_tensors=True, named="IndexAdd")
def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """Adds ``y`` to the slices of ``x`` at ``indices`` along ``axis``, in place of a Parameter.

    (``ops.index_add``.)
    """
    return write(x, lambda old: _rows_added(old, axis, indices._t, y._t))


@primitive("IndexAdd", init=("axis", "use_lock", "check_index_bound"), on_tensors=True)
def _index_add(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """Adds ``y`` to the slices of a Parameter at ``indices`` along ``axis``, and gives it."""
    return write(x, lambda old: _rows_added(old, axis, indices._t, y._t))


@primitive("InplaceIndexAdd", init={"axis": REQUIRED}, on_tensors=True)
def _inplace_index_add(var, indices, updates, axis):
    """Adds ``updates`` to the slices of a Parameter at ``indices`` along ``axis``, and gives it."""
    return write(var, lambda old: _rows_added(old, axis, indices._t, updates._t))


@op(on_tensors=True, named="InplaceIndexAdd")
def inplace_index_add(var, indices, updates, axis):
    """Adds ``updates`` to the slices of a Parameter at ``indices`` (``mindspore.ops.inplace_index_add``)."""
    return write(var, lambda old: _rows_added(old, axis, indices._t, updates._t))


@primitive("InplaceUpdateV2")
def _inplace_update_v2(x, indices, v):
    """``x`` with ``v`` in the rows ``indices``; ``x`` itself stays (``mindspore.ops.InplaceUpdateV2``)."""
    rows = [indices] if isinstance(indices, int) else ints(indices)
    return _by_row(x, torch.tensor(rows, dtype=torch.int64, device=x.device), v, "update")


def _inplace(how: str, name: str) -> None:
    def kernel(x, v, indices):
        rows = [indices] if isinstance(indices, int) else ints(indices)
        # MindSpore's derivative is zero.
        return _by_row(x.detach(), torch.tensor(rows, dtype=torch.int64, device=x.device), v.detach(), how)

    kernel.__name__ = f"inplace_{how}"
    kernel.__doc__ = (f"``x`` with ``v`` ({how}) in the rows ``indices``; ``x`` itself stays "
                      f"(``mindspore.ops.inplace_{how}``).")
    globals()[kernel.__name__] = op(kernel, primitive=name, init=("indices",), method=how == "update")


for _how in ("update", "add", "sub"):
    _inplace(_how, f"Inplace{_how.capitalize()}")


# ---- segments ----------------------------------------------------------------------------------------------


def _lowest(dtype: torch.dtype, sign: int):
    if dtype.is_complex:                                   # (nothing of them is less: the real one gives 0)
        return 0
    info = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    return info.min if sign < 0 else info.max


def _segments(how: str, empty):
    prim = f"UnsortedSegment{how.capitalize()}"

    def kernel(x, segment_ids, num_segments):
        n, rest = int(num_segments), x.shape[segment_ids.ndim:]
        row = segment_ids.reshape(-1)
        if segment_ids.shape != x.shape[:segment_ids.ndim]:
            raise _no_segments(prim, x, segment_ids)
        if has_numbers(row) and int(row.max()) >= n:
            raise final(RuntimeError(f"Launch kernel failed, name:Default/{prim}-op0"))
        values = x.reshape(-1, *rest)
        # One segment more takes what belongs to none: negative numbers.
        row = torch.where(row < 0, n, row.int() if row.dtype is torch.int16 else row)
        out = torch.full((n + 1, *rest), empty(x.dtype), dtype=x.dtype, device=x.device)
        if how == "sum":
            return out.index_add(0, row, values)[:n]
        if x.dtype in SIGNED and how != "prod":
            return _of_unsigned(lambda out, values: _reduced(out, row, values, how), out, values, how)[:n]
        return _reduced(out, row, values, how)[:n]

    kernel.__name__ = f"unsorted_segment_{how}"
    kernel.__doc__ = (f"The {how} of the slices of ``x`` that have one number in ``segment_ids`` "
                      f"(``mindspore.ops.unsorted_segment_{how}``); a negative number belongs to none.")
    if how == "sum":
        shared = kernel

        def kernel(input_x, segment_ids, num_segments):
            return shared(input_x, segment_ids, num_segments)

        kernel.__name__, kernel.__doc__ = shared.__name__, shared.__doc__
    globals()[kernel.__name__] = op(kernel, primitive=prim, method=how != "sum")


def _no_segments(prim, x, ids) -> ValueError:
    if prim == "UnsortedSegmentSum":
        i = next((i for i, (a, b) in enumerate(zip(ids.shape, x.shape, strict=False)) if a != b), 0)
        return ValueError(f"For '{prim}', the whose shape of 'segment_ids' must equal to the shape of "
                          f"'input_x', ids[{i}] should be = input[{i}]: {x.shape[i]}, but got {ids.shape[i]}")
    return ValueError(f"For {prim}, the first shape of input_x should be equal to length of segments_id")


_segments("sum", lambda dtype: 0)
_segments("prod", lambda dtype: 1)
_segments("max", lambda dtype: _lowest(dtype, -1))
_segments("min", lambda dtype: _lowest(dtype, 1))


@primitive("IndexFill")
def _index_fill(x, dim, index, value):
    """``x`` with ``value`` in the slices at ``index`` along ``dim``."""
    return torch.index_fill(x, int(dim), index.long(), value)


@primitive("IndexPut", init={"accumulate": 0})
def _index_put(x1, x2, indices, accumulate=0):
    """``x1`` with ``x2`` at ``indices``, one Tensor an axis; added where ``accumulate`` is 1."""
    return torch.index_put(x1, [i.long() for i in indices], x2.to(x1.dtype), bool(accumulate))


@primitive("MaskedScatter")
def _masked_scatter(input, mask, source):
    """``input`` with the elements of ``source`` in order where ``mask`` is True."""
    return torch.masked_scatter(input, mask, source)


@primitive("ScatterAddWithAxis", init={"axis": 0})
def _scatter_add_with_axis(input_x, indices, updates, axis=0):
    """``input_x`` with ``updates`` added at ``indices`` along ``axis``."""
    return _on_axis(input_x, axis, indices, updates, "add")
