"""A function that computes on each process's own parts (``Morph`` with strategies), among spread tensors.

What the function is given, and gives, are the parts that its strategies say; collectives inside are the
program's. A process's gradient of what several hold alike is its share, and shares are summed: the gradient
of an output that is the same on n processes goes 1/n to each, and that of an input that is the same on them
is the sum of what they give.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ms2torch._core import mode
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import DTensor, Partial, Replicate


class _Shared(torch.autograd.Function):
    """The same values; ``1 / count`` of their gradient."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, count: int) -> torch.Tensor:
        ctx.count = count
        return t.view_as(t)

    @staticmethod
    def backward(ctx, grad: torch.Tensor):
        return grad / ctx.count, None


def call(spread, fn: Callable, args, layouts):
    """``fn(*args)`` on this process's parts of ``args``; what comes out lies as ``layouts`` say."""
    own = [_own(x) for x in args]       # (outside the mesh a weight would show all of itself)
    mode.mesh = None
    try:
        found = fn(*own)
    finally:
        mode.mesh = spread
    many = isinstance(found, tuple)
    laid = tuple([_spread(spread, x, layout)
                  for x, layout in zip(found if many else (found,), layouts, strict=True)])
    return laid if many else laid[0]


def _own(x):
    if isinstance(x, (tuple, list)):
        return type(x)([_own(one) for one in x])
    if not isinstance(x, Tensor) or x._t.__class__ is not DTensor:
        return x
    grads = [Partial() if isinstance(one, Replicate) else one for one in x._t.placements]
    return wrap(x._t.to_local(grad_placements=grads))


def _spread(spread, x: Tensor, layout) -> Tensor:
    count = math.prod(n for n, one in zip(spread.sizes, layout, strict=True) if isinstance(one, Replicate))
    t = _Shared.apply(x._t, count) if count > 1 else x._t
    return wrap(DTensor.from_local(t, spread.mesh, layout, run_check=False))
