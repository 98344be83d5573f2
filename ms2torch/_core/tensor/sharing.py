"""Whether a tensor's memory is only its own."""

from __future__ import annotations

from functools import cache

import torch

from ms2torch._core.torch_private import holders


def nobody_else_holds(t: torch.Tensor) -> bool:
    """Whether neither autograd nor a view nor an array holds the memory of ``t``: no, where torch does not
    tell."""
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
