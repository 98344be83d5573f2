"""Writing to a Parameter, at rest and while gradients are taken.

MindSpore's rule, in both modes: the write itself is not differentiated. Who reads the Parameter afterwards
gets the new value, with the gradient of the Parameter; nothing flows into what was written. The *result* of
the writing operator also carries the gradient of the written value, but for ``assign``'s.
"""

from __future__ import annotations

import torch

from ms2torch._core.gradient import levels, recording
from ms2torch._core.tensor.tensor import Tensor, wrap


class _Written(torch.autograd.Function):
    """``new``, with its gradient for ``old`` too."""

    generate_vmap_rule = True

    @staticmethod
    def forward(old, new):
        return new.view_as(new)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient, gradient


def write(variable: Tensor, change, own: bool = False) -> Tensor:
    """Make ``change(old)``, a tensor that nobody else holds, the variable's content; the result wraps it.

    At rest a Parameter is written in place: views, ``asnumpy()`` arrays and what shares its memory follow,
    the result among them unless it is to be a Tensor of its ``own``, as ``assign``'s is.
    """
    old = variable._t
    new = change(old.detach())
    if new.dtype is not old.dtype or new.device != old.device:
        new = new.to(old)
    rest = getattr(variable, "_rest", None)
    if old.requires_grad:
        variable._t = _Written.apply(old, new.detach())
        return wrap(_Written.apply(old, new))
    if rest is None:
        variable._write(lambda t: t.copy_(new.detach()))
    elif old is not rest:
        variable._t = new.detach()
    elif levels.writing():
        recording.keep_apart((variable,))
        rest.copy_(new.detach())
        return wrap(new if own else rest.detach())
    return wrap(new)
