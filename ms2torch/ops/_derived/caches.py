"""Embedding caches: a table's rows that are kept elsewhere, and what one of several readers wants of them."""

from __future__ import annotations

from ms2torch._core.errors import final
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function._writing import write

from .forms import on_tensors


def _update_cache(input_x, indices, update, max_num):
    """Rows of ``update`` go to the rows of ``input_x`` that ``indices`` names; those outside [0, max_num) go
    nowhere. Gives one zero, as MindSpore does."""
    places = indices._t.reshape(-1).long()
    kept = (places >= 0) & (places < int(max_num))
    if bool((places[kept] >= input_x.shape[0]).any()):
        raise final(RuntimeError("For 'UpdateCache', memcpy out of size."))
    rows = update._t.reshape(len(places), *input_x.shape[1:])
    write(input_x, lambda old: old.index_copy(0, places[kept], rows[kept].to(old.dtype)))
    return wrap(input_x._t.new_zeros(1))


def _pad_and_shift(input_x, cum_sum_arr, shift_idx):
    """The elements before the first negative one, which belong to reader ``shift_idx``, at its place among
    ``cum_sum_arr[-1]`` elements; -1 elsewhere."""
    bounds = cum_sum_arr.tolist()
    begin, end = bounds[shift_idx], bounds[shift_idx + 1]
    result = input_x.new_full((bounds[-1],), -1)
    result[begin:end] = input_x[: end - begin]
    return result


ROWS = {"PadAndShift": _pad_and_shift, "UpdateCache": on_tensors(_update_cache)}
