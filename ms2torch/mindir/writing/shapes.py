"""torch's operators in a trace, told in MindSpore's primitives: shapes, parts of tensors, places."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported

from .graph import OPEN, Graph, Value, sizes
from .operators import axes_of, cast, reshape, spread, table

RULES, rule = table()
_END = 1 << 62


@rule(
    "view.default",
    "reshape.default",
    "_unsafe_view.default",
    "flatten.using_ints",
    "squeeze.default",
    "squeeze.dim",
    "squeeze.dims",
    "unsqueeze.default",
    "view_as.default",
    "unflatten.int",
    "_reshape_alias.default",
)
def _reshape(g, out, x, *rest):
    return reshape(g, x, out.shape, out)


@rule("permute.default")
def _permute(g, out, x, axes):
    return g.op("Transpose", x, tuple(a % len(axes) for a in axes), like=out)


@rule("transpose.int", "t.default", "numpy_T.default", "swapaxes.default")
def _transpose(g, out, x, one=-1, other=-2):
    axes = list(range(len(x.shape)))
    if len(axes) < 2:
        return x
    axes[one], axes[other] = axes[other], axes[one]
    return g.op("Transpose", x, tuple(axes), like=out)


@rule("expand.default", "broadcast_to.default", "expand_as.default")
def _expand(g, out, x, *rest, implicit=False):
    return spread(g, x, out)


@rule("repeat.default", "tile.default")
def _repeat(g, out, x, times):
    if len(times) > len(x.shape):
        x = reshape(g, x, (1,) * (len(times) - len(x.shape)) + tuple(x.shape))
    return g.op("Tile", x, tuple(times), like=out)


@rule("cat.default", "concat.default")
def _cat(g, out, parts, axis=0):
    parts = [cast(g, p, out.dtype) for p in parts if 0 not in p.shape or len(p.shape) == len(out.shape)]
    return g.op("Concat", parts, axis, like=out)


@rule("stack.default")
def _stack(g, out, parts, axis=0):
    axis %= len(out.shape)
    shape = [1 if k == axis else n for k, n in enumerate(sizes(out.shape))]
    return _cat(
        g, out, [g.op("ExpandDims", cast(g, p, out.dtype), axis, like=out, shape=shape) for p in parts], axis
    )


def sliced(g: Graph, x: Value, axis: int, start: int, end: int, step: int = 1, like=None) -> Value:
    """A stretch of one axis."""
    if start == 0 and step == 1 and x.shape[axis] != OPEN and end >= x.shape[axis]:
        return x
    shape = list(x.shape) if like is None else sizes(like.shape)
    if like is None:
        shape[axis] = max(0, -(-(end - start) // step))
    begins, ends, steps = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    begins[axis], ends[axis], steps[axis] = start, end, step
    whole = [n == OPEN or n >= _END for n in ends]  # to the end of what a run gives
    mask = sum(1 << k for k, n in enumerate(whole) if n)
    ends = [1 if open_end else n for open_end, n in zip(whole, ends, strict=True)]
    return g.op(
        "StridedSlice", x, tuple(begins), tuple(ends), tuple(steps), 0, mask, 0, 0, 0, like=x, shape=shape
    )


@rule("slice.Tensor")
def _slice(g, out, x, axis=0, start=None, end=None, step=1):
    axis %= len(x.shape)
    size = x.shape[axis]
    if size == OPEN:
        return sliced(g, x, axis, start or 0, _END if end is None else min(end, _END), step, out)
    start, end, step = slice(start, end, step).indices(size)
    return sliced(g, x, axis, start, end, step, out)


@rule("narrow.default")
def _narrow(g, out, x, axis, start, length):
    return sliced(g, x, axis % len(x.shape), start, start + length, like=out)


@rule("select.int")
def _select(g, out, x, axis, index):
    axis %= len(x.shape)
    if index < 0 and x.shape[axis] == OPEN:
        raise unsupported("mindspore.export", "an index from the end of an open axis.")
    index = index % x.shape[axis] if x.shape[axis] != OPEN else index
    return reshape(g, sliced(g, x, axis, index, index + 1), out.shape, out)


@rule(
    "split.Tensor",
    "split_with_sizes.default",
    "chunk.default",
    "split.sizes",
    "unbind.int",
    "tensor_split.sections",
)
def _split(g, out, x, *rest, dim=0):
    alone = len(out[0].shape) < len(x.shape)
    axis = (rest[-1] if len(rest) > (not alone) else dim) % len(x.shape)
    if x.shape[axis] == OPEN:
        raise unsupported("mindspore.export", "parts of an open axis.")
    parts, at = [], 0
    for t in out:
        size = 1 if alone else sizes(t.shape)[axis]
        part = sliced(g, x, axis, at, at + size)
        parts.append(reshape(g, part, t.shape, t) if alone else part)
        at += size
    return parts


@rule("slice_scatter.default")
def _slice_scatter(g, out, x, part, axis=0, start=None, end=None, step=1):
    axis %= len(x.shape)
    if step != 1 or x.shape[axis] == OPEN:
        raise unsupported("mindspore.export", "writing to every other place, or along an open axis.")
    size = x.shape[axis]
    start, end, _ = slice(start, end).indices(size)
    parts = [sliced(g, x, axis, 0, start)] if start else []
    parts += [cast(g, part, out.dtype), *([sliced(g, x, axis, end, size)] if end < size else [])]
    return _cat(g, out, parts, axis) if len(parts) > 1 else parts[0]


@rule("select_scatter.default")
def _select_scatter(g, out, x, part, axis, index):
    axis %= len(x.shape)
    shape = [1 if k == axis else n for k, n in enumerate(x.shape)]
    index = index % x.shape[axis]
    return _slice_scatter(g, out, x, reshape(g, part, shape), axis, index, index + 1)


@rule("copy.default")
def _copied(g, out, x, y, *rest):
    return spread(g, cast(g, y, out.dtype), out)


@rule("flip.default")
def _flip(g, out, x, axes):
    return g.op("ReverseV2", x, axes_of(axes, x), like=out)


def _triangular(name: str):
    def one(g, out, x, diagonal=0):
        rows, columns = out.shape[-2:]
        mask = getattr(torch.ones(rows, columns, dtype=torch.bool), name)(diagonal)
        zeros = spread(g, torch.zeros((), dtype=x.dtype), out)
        return g.op("Select", spread(g, mask, out), x, zeros, like=out)

    return one


RULES.update({"triu.default": _triangular("triu"), "tril.default": _triangular("tril")})


# ---- places


@rule("embedding.default")
def _embedding(g, out, weight, ids, *rest):
    return g.op("Gather", weight, ids, 0, 0, like=out)


@rule("index_select.default")
def _chosen(g, out, x, axis, index):
    return g.op("Gather", x, index, axis, 0, like=out)


@rule("gather.default")
def _gather(g, out, x, axis, index, sparse_grad=False):
    return g.op("GatherD", x, axis, index, like=out)


@rule("scatter.src", "scatter.value")
def _scatter(g, out, x, axis, index, source):
    if not isinstance(source, (Value, torch.Tensor)):
        source = torch.full(index.shape, source, dtype=out.dtype)
    return g.op("TensorScatterElements", x, index, source, axis, 0, like=out)


RULES["scatter_add.default"] = lambda g, out, x, axis, index, source: g.op(
    "TensorScatterElements", x, index, source, axis, 1, like=out
)


@rule("index.Tensor")
def _index(g, out, x, indices):
    given = [k for k, i in enumerate(indices) if i is not None]
    if len(given) == 1 and indices[given[0]].dtype is not torch.bool:
        return g.op("Gather", x, indices[given[0]], given[0], 0, like=out)
    if all(indices[k].dtype is not torch.bool for k in given):
        shape = torch.broadcast_shapes(*(tuple(indices[k].shape) for k in given))
        wide = [
            reshape(
                g, spread(g, cast(g, indices[k], torch.int64), torch.empty(shape, device="meta")), (*shape, 1)
            )
            for k in given
        ]
        places = _cat(g, torch.empty((*shape, len(given)), dtype=torch.int64, device="meta"), wide, -1)
        rest = [k for k in range(len(x.shape)) if k not in given]
        order = (*given, *rest)
        if order != tuple(range(len(order))):
            x = g.op("Transpose", x, order, like=x, shape=tuple(x.shape[k] for k in order))
        leads = given[0] if given == list(range(given[0], given[-1] + 1)) else 0  # (side by side, they stay)
        if not leads:
            return g.op("GatherNd", x, places, like=out)
        found = (*shape, *(x.shape[len(given) + k] for k in range(len(rest))))
        found = g.op("GatherNd", x, places, like=out, shape=found)
        count = len(shape)
        back = (*range(count, count + leads), *range(count), *range(count + leads, count + len(rest)))
        return g.op("Transpose", found, back, like=out)
    raise unsupported("mindspore.export", "an index of a mask.")
