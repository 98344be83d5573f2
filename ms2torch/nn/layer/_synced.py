"""Batch normalisation whose statistics are those of all processes of a group."""

from __future__ import annotations

import itertools

import torch

from ms2torch import _checkparam as check
from ms2torch._core.processes import distributed


def group_for(process_groups, cell: str) -> distributed.Group | None:
    """The group that this process normalises with; None where that is itself alone.

    ``process_groups`` is a list of lists of ranks, None for all processes, 0 for none. TypeError and
    ValueError as MindSpore raises them.
    """
    if process_groups == 0:
        return None
    everyone = distributed.group()
    if process_groups is None:
        return everyone if everyone.size > 1 else None
    check.check_isinstance("process_groups", process_groups, list)
    seen = set()
    for rank in itertools.chain(*process_groups):
        check.check_int_range(rank, 0, everyone.size, check.INC_LEFT, "rank id in process_groups", cell)
        if rank in seen:
            raise ValueError(f"For '{cell}', rank id in 'process_groups' must not be duplicated, "
                             f"but got {process_groups}.")
        seen.add(rank)
    found = None
    for ranks in process_groups:
        check.check_isinstance("sub group", ranks, list)
        if distributed.rank() in ranks and len(ranks) > 1:
            name = "_".join(map(str, ranks))
            found = distributed.group(name) or distributed.make_group(name, ranks)
    return found


def normalised(t, gamma, beta, mean, variance, share: float, eps: float, group):
    """``t`` normalised over all axes but 1 and over the group; ``mean`` and ``variance`` move by ``share``.

    Raw tensors; ``gamma`` and ``beta`` may be None. ``mean`` and ``variance`` None leaves the moving
    statistics alone. The variance is summed around the common mean, in float32 at least, and is
    differentiated through the sums over processes.
    """
    from ms2torch._core.processes import collectives

    axes = [0, *range(2, t.ndim)]
    shape = [1, -1] + [1] * (t.ndim - 2)
    x = t.float() if t.dtype in (torch.float16, torch.bfloat16) else t
    # How many values there are travels with their sums, made on the device: nothing waits for the host.
    here = x.new_full((1,), t.numel() // t.shape[1])
    sums = collectives.all_reduce(torch.cat([x.sum(axes), here]), "sum", group)
    count = sums[-1].detach()
    middle = sums[:-1] / count
    centred = x - middle.view(shape)
    spread = collectives.all_reduce((centred * centred).sum(axes), "sum", group) / count
    y = centred * torch.rsqrt(spread + eps).view(shape)
    if gamma is not None:
        y = y * gamma.to(x.dtype).view(shape) + beta.to(x.dtype).view(shape)
    if mean is not None:
        with torch.no_grad():
            mean.lerp_(middle.detach().to(mean.dtype), share)
            unbiased = spread.detach() * (count / (count - 1))
            variance.lerp_(unbiased.to(variance.dtype), share)
    return y.to(t.dtype)
