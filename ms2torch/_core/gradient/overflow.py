"""The overflow flag that an Ascend device keeps, for programs that read it and never look at their gradients.

They clear it before a gradient call and read it after. No such flag exists here, so from the first clearing
on every gradient call says whether a gradient that it gave was nan or infinite.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode

# Why a step that could be compiled is not, once a program has cleared the flag.
READ = "the program reads the overflow flag, which a graph does not keep"

watching = False
_found: list[torch.Tensor] = []


def clear() -> None:
    """No overflow so far; gradient calls are looked at from here on."""
    global watching
    if mode.tracing is not None:
        mode.tracing.refuse_flag()
    watching = True
    _found.clear()


def check(grads) -> None:
    """Look at the raw gradients of one call. Nothing is copied to the host."""
    for g in grads:
        if g is not None and (g.is_floating_point() or g.is_complex()):
            bad = torch.isfinite(g.detach()).all().logical_not()
            _found[:] = [bad | _found[0].to(bad.device)] if _found else [bad]


def read() -> torch.Tensor:
    """A Bool scalar: whether a gradient since the last clearing was nan or infinite."""
    return _found[0] if _found else torch.zeros((), dtype=torch.bool)
