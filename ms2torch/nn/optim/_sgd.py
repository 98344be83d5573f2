"""The kernel that SGD and Momentum share."""

from __future__ import annotations

from itertools import chain

import torch

from ._undo import atomic, renew


@atomic
def sgd(momentum, dampening, nesterov, first, params, grads, *moments_rate_decay) -> None:
    """v = momentum * v + (1 - dampening) * g (v = g where ``first``); p -= rate * v, or of g + momentum *
    v."""
    *moments, rate, decay = moments_rate_decay
    if params[0].device.type == "cpu" and params[0].dtype is torch.float16:
        _rounded_once(momentum, dampening, nesterov, first, params, grads, moments, rate, decay)
        return
    if (params[0].device.type == "cpu" and params[0].dtype is torch.bfloat16) or (moments and momentum == 0):
        _in_parts(momentum, dampening, nesterov, first, params, grads, moments, rate, decay)
        return
    torch._fused_sgd_(params, grads, moments[0] if moments else [], weight_decay=decay, momentum=momentum,
                      lr=rate, dampening=dampening, nesterov=nesterov, maximize=False, is_first_step=first)


def _rounded_once(momentum, dampening, nesterov, first, params, grads, moments, rate, decay) -> None:
    """A step of float16 as MindSpore makes it: of decayed gradients, in float32, rounded at its end."""
    if decay:
        decay = float(torch.tensor(decay, dtype=torch.float16))
        grads = torch._foreach_add(grads, torch._foreach_mul(params, decay))
    wide = [[t.float() for t in tensors] for tensors in (params, grads, *moments)]
    sgd(momentum, dampening, nesterov, first, *wide, rate, 0.0)
    torch._foreach_copy_([*params, *chain(*moments)], [*wide[0], *chain(*wide[2:])])


def _in_parts(momentum, dampening, nesterov, first, params, grads, moments, rate, decay) -> None:
    # torch 2.13's fused SGD on a CPU miscomputes the momentum of half precision from 16 elements on, and
    # refuses moments where the momentum is 0.
    if decay:
        grads = torch._foreach_add(grads, params, alpha=decay)
    if moments:
        found = torch._foreach_mul(moments[0], 0.0 if first else momentum)
        torch._foreach_add_(found, grads, alpha=1.0 if first else 1.0 - dampening)
        grads = torch._foreach_add(grads, found, alpha=momentum) if nesterov else found
    torch._foreach_sub_(params, torch._foreach_mul(grads, rate))
    if moments:
        renew((moments[0], found))
