"""Writing into a Tensor while a differentiation is open: a copy is changed, and the Tensor holds the copy.

Autograd may have saved the memory for the backward pass, so it must keep its content; where neither autograd
nor anything else holds it (an output that is filled element by element) it is written in place. Other Tensors
over the same memory do not follow, as in MindSpore while it differentiates: there a view is a value of its
own. What was read by an index is written back by `tensor.writing_back`.
"""

from __future__ import annotations

import torch


def changed(t: torch.Tensor, change, in_place: bool) -> torch.Tensor:
    """``t`` after ``change``: a copy, or ``t`` itself where ``in_place`` and nobody else holds its memory."""
    if not (in_place and _nobody_else_holds(t)):
        t = t.clone()
    change(t)
    return t


def _nobody_else_holds(t: torch.Tensor) -> bool:
    """Whether neither autograd nor a view holds the memory of ``t``.

    A saved input or a view holds the tensor, a saved output the storage. (Private API of torch; where it is
    absent the answer is no, and a copy is made.)
    """
    try:
        return t._use_count() == 1 and torch._C._storage_Use_Count(t.untyped_storage()._cdata) <= 2
    except (AttributeError, RuntimeError, NotImplementedError):
        return False
