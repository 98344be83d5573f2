"""Padding, slices, images in other sizes, rows written by their places."""

from __future__ import annotations

import libcst as cst

from ..rewriting.inferred import is_tensor
from ..rewriting.sites import UNTOLD
from ..rewriting.templates import code
from .table import rule, table

table(
    "ops",
    """
ScatterNd scatter_nd | torch.zeros({shape}, dtype={updates}.dtype).index_put(tuple({indices}.unbind(-1)), {updates}, accumulate=True)
TensorScatterUpdate tensor_scatter_update | {input_x}.index_put(tuple({indices}.unbind(-1)), {updates})
TensorScatterAdd tensor_scatter_add | {input_x}.index_put(tuple({indices}.unbind(-1)), {updates}, accumulate=True)
""",
)


def _written_places(names: str, places: str, accumulate: str) -> None:
    """Rows of a Parameter that are written, or added to, by their places."""
    at = "tuple({indices}.unbind(-1))" if places == "nd" else "({indices},)"

    @rule(names, f"parameter.data.index_put_(indices, updates{accumulate})")
    def write(call):
        return f"{{input_x}}.data.index_put_({at}, {{updates}}{accumulate})"


_ADDS = ", accumulate=True"
_written_places("ops.ScatterUpdate ops.scatter_update", "rows", "")
_written_places("ops.ScatterAdd ops.scatter_add", "rows", _ADDS)
_written_places("ops.ScatterNdUpdate ops.scatter_nd_update", "nd", "")
_written_places("ops.ScatterNdAdd ops.scatter_nd_add", "nd", _ADDS)


@rule(
    "ops.tensor_scatter_elements ops.TensorScatterElements",
    'x.scatter(axis, indices.long(), updates); x.scatter_add where reduction="add"',
)
def scatter_elements(call):
    how = call.value("reduction")
    if how not in ("none", "add"):
        call.refuse("its reduction= is not told")
    name = "scatter_add" if how == "add" else "scatter"
    return f"{{input_x}}.{name}({{axis}}, {{indices}}.long(), {{updates}})"


@rule("ops.pad", "F.pad(x, padding, mode, value)")
def pad(call):
    padding = call.value("padding", None)
    nested = isinstance(padding, (tuple, list)) and any(isinstance(n, (tuple, list)) for n in padding)
    if "padding" not in call or nested or is_tensor(call.inferred("padding")):
        call.refuse("its padding is not numbers for the last axes")
    if call.value("mode", "constant") is UNTOLD or is_tensor(call.inferred("value")):
        call.refuse("its mode or value is not told")
    return "F.pad({input_x}, {padding}, mode={mode?}, value={value?})"


@rule("ops.Pad", "F.pad(x, padding)", "a pair for each axis from the first on; PyTorch's are from the last on",
      "每个轴一对，从第一个轴起；PyTorch 从最后一个轴起")  # fmt: skip
def pad_pairs(call):
    pairs = call.value("paddings")
    if not isinstance(pairs, tuple) or not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
        call.refuse("its paddings are not told")
    while pairs and pairs[0] == (0, 0):
        pairs = pairs[1:]
    return f"F.pad({{input_x}}, {tuple(n for pair in reversed(pairs) for n in pair)!r})"


@rule("ops.StridedSlice ops.strided_slice", "x[begin:end:stride, ...]")
def strided_slice(call):
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    if any(call.value(mask, 0) != 0 for mask in masks):
        call.refuse("its masks have no rule")
    begin, end, steps = (_parts(call.args.get(name)) for name in ("begin", "end", "strides"))
    if "strides" in call and not all(n.isdigit() and n != "0" for n in steps or ["?"]):
        call.refuse("a step that is not a number above 0 has no rule")
    if begin is None or end is None or len(begin) != len(end):
        return f"{{input_x}}[tuple(map(slice, {{begin}}, {{end}}{', {strides}' if 'strides' in call else ''}))]"
    return f"{{input_x}}[{', '.join(map(_slice, begin, end, steps or ['1'] * len(begin)))}]"


def _parts(value) -> list[str] | None:
    """The texts of a tuple's parts; None of anything else."""
    parts = value.elements if isinstance(value, (cst.Tuple, cst.List)) else None
    return [code(part.value) for part in parts] if parts is not None else None


def _slice(begin: str, end: str, step: str) -> str:
    return f"{'' if begin == '0' else begin}:{end}" + ("" if step == "1" else f":{step}")


@rule("ops.Slice ops.slice", "x[begin:begin + size, ...]")
def slice_(call):
    begin, size = (_parts(call.args.get(name)) for name in ("begin", "size"))
    if begin is None or size is None or len(begin) != len(size):
        call.refuse("its begin and size are not told one by one")
    return f"{{input_x}}[{', '.join(map(_length, begin, size))}]"


def _length(begin: str, size: str) -> str:
    if size == "-1":
        return f"{begin}:"
    both = begin.isdigit() and size.isdigit()
    return _slice(begin, str(int(begin) + int(size)) if both else f"{begin} + {size}", "1")


@rule("ops.interpolate ops.upsample", "F.interpolate(x, size, scale_factor, mode, align_corners)")
def interpolate(call):
    mode = call.value("mode", "nearest")
    if {"sizes", "scales", "roi"} & call.args.keys() or mode in (UNTOLD, "bicubic"):
        call.refuse("this way of resizing has no rule")
    if mode in ("nearest", "area", "nearest-exact"):
        call.args.pop("align_corners", None)
    made = "F.interpolate({input}, size={size?}, scale_factor={scale_factor?}, mode={mode?}"
    return f"{made}, align_corners={{align_corners?}}, recompute_scale_factor={{recompute_scale_factor?}})"


@rule("Tensor.ptp", "x.max() - x.min()")
def ptp(call):
    if call.value("axis", None) is None and call.value("keepdims", False) is False:
        return "{self}.max() - {self}.min()"
    return "{self}.amax({axis}, keepdim={keepdims?}) - {self}.amin({axis}, keepdim={keepdims?})"
