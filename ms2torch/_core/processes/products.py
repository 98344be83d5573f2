"""Products of stacks of matrices, rows of tables, and normalised batches that are spread over the processes.

torch flattens the dimensions of a stack before it multiplies, and of a stack that is split along two of them
(batch and heads, say) it makes parts that not all of its rules know. Here each process multiplies the parts
that it has. For rows and batches torch's rules would bring all together on every process.
"""

from __future__ import annotations

import math

import torch
from torch.overrides import TorchFunctionMode

from ms2torch._core.torch_private import DTensor, Partial, Replicate, Shard

_PRODUCTS = frozenset((torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__))


class PartByPart(TorchFunctionMode):
    """Inside the block, processes multiply stacks of matrices, look rows up and normalise part by part."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in _PRODUCTS and not kwargs:
            a, b = args
            if a.__class__ is DTensor and b.__class__ is DTensor and _aligned(a, b):
                return _product(a, b)
        if func is torch.index_select and not kwargs:
            table, axis, rows = args
            if table.__class__ is DTensor and rows.__class__ is DTensor and axis == 0 and table.ndim == 2:
                return _rows_of(table, rows)
        if func is torch.batch_norm and args[0].__class__ is DTensor and not is_everywhere(args[0]):
            return _normalised(*args)
        return func(*args, **(kwargs or {}))


def _rows_of(table: DTensor, rows: DTensor) -> DTensor:
    """``table[rows]``: each process looks up what it has, and its gradient is of these rows."""
    return _summed(torch.nn.functional.embedding(rows, table))


def _normalised(x: DTensor, weight, bias, mean, variance, training: bool, momentum: float, eps: float,
                *_) -> DTensor:
    """``torch.batch_norm``: means and variances are the whole batch's, each process has its rows'."""
    x, axes = _summed(x), (0, *range(2, x.ndim))
    seen = x.float() if x.element_size() < 4 else x

    def along(t):
        return t.reshape(1, -1, *[1] * (x.ndim - 2))

    if training:
        count = x.numel() // x.shape[1]
        means = _whole(seen.sum(axes)) / count
        deviations = seen - along(means)
        variances = _whole(deviations.square().sum(axes)) / count
        with torch.no_grad():
            for kept, new in ((mean, means), (variance, variances * (count / max(count - 1, 1)))):
                if kept is not None:
                    kept.mul_(1 - momentum).add_(new, alpha=momentum)
    else:
        deviations, variances = seen - along(mean), variance
    y = deviations * along(torch.rsqrt(variances + eps))
    if weight is not None:
        y = y * along(weight)
    if bias is not None:
        y = y + along(bias)
    return y.to(x.dtype)


def laid(t: DTensor, placements) -> DTensor:
    """``t`` laid out so. The gradient of a largest value that is still to be found is summed first, which is
    what the second call does: torch makes no part of a maximum of parts of a sum."""
    found = t.redistribute(placements=placements)
    if any(getattr(p, "reduce_op", "sum") != "sum" for p in t.placements):
        return found.redistribute(placements=placements)
    return found


def _summed(t: DTensor) -> DTensor:
    """A DTensor without sums that are still to be made."""
    return laid(t, [Replicate() if p.is_partial() else p for p in t.placements])


def _whole(t: DTensor) -> DTensor:
    """``t`` on every process; its gradient is summed as well before it spreads over the batch, which is what
    the second call does."""
    everywhere = [Replicate()] * t.device_mesh.ndim
    return t.redistribute(placements=everywhere).redistribute(placements=everywhere)


def is_everywhere(t: DTensor) -> bool:
    return all(isinstance(p, Replicate) for p in t.placements)


def _aligned(a: DTensor, b: DTensor) -> bool:
    """Whether ``a`` is a stack, and ``b`` one matrix or as many as ``a``."""
    return a.ndim > 2 and (b.ndim == 2 or a.shape[:-2] == b.shape[:-2])


def _product(a: DTensor, b: DTensor) -> DTensor:
    columns, missing = a.ndim - 1, a.ndim - b.ndim
    axes = [_axis(_dim(p), _dim(q, missing), columns, missing)
            for p, q in zip(a.placements, b.placements, strict=True)]
    laid_a, laid_b, out, gradient_a, gradient_b = (list(one) for one in zip(*axes, strict=True))
    laid_b, gradient_b = ([Shard(p.dim - missing) if isinstance(p, Shard) else p for p in placements]
                          for placements in (laid_b, gradient_b))
    if not (_even(a, laid_a) and _even(b, laid_b)):
        return torch.matmul(a, b)
    mine = laid(a, laid_a).to_local(grad_placements=gradient_a)
    other = laid(b, laid_b).to_local(grad_placements=gradient_b)
    return DTensor.from_local(torch.matmul(mine, other), a.device_mesh, out, run_check=False)


def _dim(placement, missing: int = 0) -> int | None:
    """The dimension that is split, as ``a`` counts them."""
    return placement.dim + missing if isinstance(placement, Shard) else None


def _axis(i: int | None, j: int | None, columns: int, missing: int) -> tuple:
    """How the operands, their product and their gradients lie on an axis of the mesh, where they come split
    along their dimensions ``i`` and ``j``."""
    rows, whole = columns - 1, Replicate()
    stacked = [d for d in (i, j) if d is not None and d < rows]
    if stacked and not missing:
        split = Shard(stacked[0])
        return split, split, split, split, split
    if i is not None and i < columns and j is None:
        return Shard(i), whole, Shard(i), Shard(i), Partial()
    if i is None and j == columns:
        return whole, Shard(j), Shard(j), Partial(), Shard(j)
    if (i, j) == (columns, rows):
        return Shard(i), Shard(j), Partial(), Shard(i), Shard(j)
    return whole, whole, whole, whole, whole


def _even(t: DTensor, placements) -> bool:
    """Whether all processes get equal parts of ``t``."""
    sizes = t.device_mesh.shape
    return all(t.shape[d] % math.prod(n for n, p in zip(sizes, placements, strict=True)
                                      if isinstance(p, Shard) and p.dim == d) == 0 for d in range(t.ndim))
