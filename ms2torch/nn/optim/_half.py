"""Steps of float16 parameters that MindSpore's kernels compute in float32 and round once, at their end."""

from __future__ import annotations

from functools import partial
from itertools import chain

import torch

from ._undo import atomic, is_atomic


def in_single(kernel, halves: bool = False):
    """``kernel`` with lists of float16 tensors widened for its time; squares that float16 cannot hold then
    still move the weight once. ``halves``: the numbers that ``kernel``, a partial, is bound to, and the rate,
    are rounded to float16 first."""
    def step(params, grads, *rest):
        if params[0].dtype is not torch.float16:
            return kernel(params, grads, *rest)
        *slots, rate, decay = rest
        wide = [[t.float() for t in tensors] for tensors in (params, *slots)]
        if halves:
            partial(kernel.func, *map(_half, kernel.args))(wide[0], [g.float() for g in grads], *wide[1:],
                                                           _half(rate), decay)
        else:
            kernel(wide[0], [g.float() for g in grads], *wide[1:], rate, decay)
        written = [(t, w) for t, w in zip(chain(params, *slots), chain(*wide), strict=True) if w is not t]
        torch._foreach_copy_(*map(list, zip(*written, strict=True)))

    return atomic(step) if is_atomic(kernel) else step


def nearer(tensors, to, weight):
    """``tensors`` moved towards ``to``, which may be overwritten, by ``weight``; nan where they are infinite
    already."""
    if weight < 0.5:
        return torch._foreach_lerp(tensors, to, weight)
    # (torch's lerp starts from the other end here.)
    torch._foreach_sub_(to, tensors)
    torch._foreach_mul_(to, weight)
    return torch._foreach_add(tensors, to)


def _half(number):
    """A number, or a tensor of one, rounded to float16."""
    if isinstance(number, torch.Tensor):
        return number.half().float()
    return float(torch.tensor(number, dtype=torch.float16))
