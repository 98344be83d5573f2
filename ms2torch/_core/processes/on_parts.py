"""A function that computes on each process's own parts (``Morph`` with strategies), among spread tensors.

What the function is given, and gives, are the parts that its strategies say; collectives inside are the
program's. A process's gradient of what several hold alike is its share, and shares are summed: the gradient
of an output that is the same on n processes goes 1/n to each, and that of an input that is the same on them
is the sum of what they give. A Cell's ``bprop`` computes with such shares too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

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
    if mode.way is not None:
        return mode.way.function("Morph", partial(_call, spread, fn, layouts), args)
    return _call(spread, fn, layouts, *args)


def _call(spread, fn: Callable, layouts, *args):
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


def in_shares(sizes, backward: Callable, inputs, outs, grads) -> list:
    """``backward(inputs, outs, grads)``, a program's own gradient, of spread tensors.

    MindSpore divides a loss that n processes compute alike by n, and sums again where its own operators sum.
    A ``bprop`` is written for that: packages multiply by n where they know that nothing is summed.
    """
    alike = [_alike(t) for t in outs]
    shares = [g if g is None or not axes else g / math.prod(sizes[a] for a in axes)
              for g, axes in zip(grads, alike, strict=True)]
    found = backward(inputs, outs, shares)
    divided = next(iter(alike), ())
    counts = [math.prod(sizes[a] for a in divided if a in _alike(t)) for t in inputs]
    return [g if g is None or n == 1 else g * n for g, n in zip(found, counts, strict=True)]


def _alike(t: torch.Tensor) -> list[int]:
    """The axes of the mesh along which processes hold the same."""
    return [a for a, one in enumerate(getattr(t, "placements", ())) if isinstance(one, Replicate)]
