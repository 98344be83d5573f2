"""FractionalMaxPool: the largest element of regions whose limits are drawn."""

from __future__ import annotations

from itertools import pairwise

import torch

from ms2torch._core.operators.registry import REQUIRED, primitive


def _limits(old: int, new: int, pseudo_random: bool, generator):
    """``new + 1`` ascending limits from 0 to ``old``, whose steps are ``old // new`` or one more."""
    step = old // new
    if not pseudo_random:
        steps = torch.full((new,), step)
        steps[torch.randperm(new, generator=generator)[: old - new * step]] += 1
        return torch.cat([steps.new_zeros(1), steps.cumsum(0)])
    ratio = old / new
    most = min((step + 2) / ratio - 1, (old + 1 - step) / ratio - (new - 1))
    shift = torch.rand((), generator=generator, dtype=torch.float64) * most
    inner = torch.ceil(ratio * (torch.arange(1, new, dtype=torch.float64) + shift)).long() - 1
    return torch.cat([inner.new_zeros(1), inner, inner.new_full((1,), old)])


def _largest(x, limits, overlapping: bool, axis: int):
    ends = limits.tolist()
    parts = [x.narrow(axis, a, min(b + overlapping, ends[-1]) - a).amax(axis)
             for a, b in pairwise(ends)]
    return torch.stack(parts, axis)


@primitive("FractionalMaxPool", init={
    "pooling_ratio": REQUIRED, "pseudo_random": False, "overlapping": False, "deterministic": False,
    "seed": 0, "seed2": 0})
def _fractional_max_pool(x, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False,
                         seed=0, seed2=0):
    """The largest elements of (N, H, W, C) in regions of drawn limits, and the limits of rows and columns
    (``mindspore.ops.FractionalMaxPool``).

    The new height and width are the old ones over ``pooling_ratio``, rounded down; with ``overlapping`` the
    next region's first row and column belong to a region too. MindSpore's numbers for a seed are not
    reproduced; the same seeds give the same limits.
    """
    generator = None
    if deterministic or seed or seed2:
        generator = torch.Generator().manual_seed((seed << 32) + seed2)
    rows, columns = (_limits(n, int(n / ratio), pseudo_random, generator)
                     for n, ratio in zip(x.shape[1:3], pooling_ratio[1:3], strict=True))
    y = _largest(_largest(x, rows, overlapping, 1), columns, overlapping, 2)
    return y, rows.to(x.device), columns.to(x.device)
