"""Writing into a Tensor while a differentiation is open: a copy is changed, and the Tensor holds the copy.

Autograd may have saved the memory for the backward pass, so it must keep its content; where neither autograd
nor anything else holds it (an output that is filled element by element) it is written in place. Other Tensors
over the same memory do not follow, as in MindSpore while it differentiates: there a view is a value of its
own. What was read by an index is written back by `tensor.writing_back`.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.tensor.sharing import nobody_else_holds


def apply_change(t: torch.Tensor, change, in_place: bool) -> torch.Tensor:
    """``t`` after ``change``: a copy, or ``t`` itself where ``in_place`` and nobody else holds its memory."""
    if mode.mesh is not None and (whole := mode.mesh.whole(t)) is not t:
        t = whole
    elif not (in_place and nobody_else_holds(t) and not hasattr(t, "shadow")):      # (see `integers`)
        t = t.clone()
    change(t)
    return t


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
