"""Writing into a Tensor while a differentiation is open: a copy is changed, and the Tensor holds the copy.

Autograd may have saved the memory for the backward pass, so it must keep its content; where neither autograd
nor anything else holds it (an output that is filled element by element) it is written in place. Other Tensors
over the same memory do not follow, as in MindSpore while it differentiates: there a view is a value of its
own. What was read by an index is written back by `tensor.writing_back`.
"""

from __future__ import annotations

from functools import cache

import torch

from ms2torch._core import mode
from ms2torch._core.torch_private import holders


def apply_change(t: torch.Tensor, change, in_place: bool) -> torch.Tensor:
    """``t`` after ``change``: a copy, or ``t`` itself where ``in_place`` and nobody else holds its memory."""
    if mode.mesh is not None and (whole := mode.mesh.whole(t)) is not t:
        t = whole
    elif not (in_place and _nobody_else_holds(t) and not hasattr(t, "shadow")):      # (see `integers`)
        t = t.clone()
    change(t)
    return t


def _nobody_else_holds(t: torch.Tensor) -> bool:
    """Whether neither autograd nor a view holds the memory of ``t``: no, where torch does not tell."""
    return _counted() and holders(t) == _counted()


@cache
def _counted() -> tuple[int, int] | None:
    """The counts of a tensor that nobody else holds; None where this torch's counts do not tell."""
    with torch.enable_grad():
        leaf = torch.zeros(2, requires_grad=True)
        alone = holders(torch.zeros(2))
        saved_output, saved_input, viewed = leaf.exp(), leaf * 2, torch.zeros(2)
        kept = saved_input * saved_input, viewed[:1]
        told = all(holders(t) != alone for t in (saved_output, saved_input, viewed))
        del kept
    return alone if told else None


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


def overwrite(old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
    """``new`` as the content of what held ``old``: its gradient goes to ``old``, and to ``new`` too."""
    if hasattr(old, "shadow") and old.shape == new.shape and old.dtype is new.dtype:    # (see `integers`)
        shadow = new.shadow if hasattr(new, "shadow") else new.double()
        new = new.detach().as_subclass(type(old))
        new.shadow = overwrite(old.shadow, shadow)
        return new
    if not old.requires_grad or old.shape != new.shape or old.dtype is not new.dtype:
        return new
    return _Written.apply(old, new)
