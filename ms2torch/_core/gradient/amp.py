"""Loss-scale arithmetic: torch.amp's fused unscale-and-check."""

from __future__ import annotations

import torch

from ms2torch._core.gradient.passes import tensors_of
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._core.torch_private import unscale_and_check_group

# Whether something is so in any stage of a pipeline, each of which has the gradients of its weights
# (`processes.pipeline`); None where there are no stages.
in_any_stage = None


def unscale_and_check(grads, scale: torch.Tensor) -> torch.Tensor:
    """Divide the Tensors ``grads`` by ``scale``; a Bool scalar: whether any was nan or infinite."""
    seen: set[int] = set()
    return _check([_own(g, seen) for g in grads], scale.reshape(()).to(torch.float32).reciprocal())


def _own(g: Tensor, seen: set[int]) -> torch.Tensor:
    """The data of ``g``, safe to write: autograd may hand out one tensor twice, or an expanded one."""
    t = g._t
    if hasattr(t, "to_local"):
        return t.to_local()     # this rank's part: what it finds reaches the others below
    if t.data_ptr() in seen or not (t.is_contiguous() or t.is_contiguous(memory_format=torch.channels_last)):
        g._t = t = t.clone(memory_format=torch.contiguous_format)
    seen.add(t.data_ptr())
    return t


def non_finite(tensors) -> torch.Tensor:
    """A Bool scalar: whether any float Tensor in the structure is nan or infinite. Nothing is changed."""
    found = None
    for x in tensors_of(tensors):
        if (x._t.is_floating_point() or x._t.is_complex()) and not x._t.is_meta:
            bad = torch.isfinite(x._t).all().logical_not()
            if hasattr(bad, "full_tensor"):
                bad = bad.full_tensor()
            found = bad if found is None else found | bad.to(found.device)
    found = torch.zeros((), dtype=torch.bool) if found is None else found
    return found if in_any_stage is None else in_any_stage(found)


def _check(grads: list[torch.Tensor], inverse: torch.Tensor) -> torch.Tensor:
    floats = [g for g in grads if g.is_floating_point() and not g.is_meta]
    found = torch.zeros((1,), dtype=torch.float32, device=inverse.device)
    by_kind: dict = {}
    for g in floats:
        by_kind.setdefault((g.dtype, g.device), []).append(g)
    for group in by_kind.values():
        unscale_and_check_group(group, found, inverse)
    found = found.reshape(()).bool()
    return found if in_any_stage is None else in_any_stage(found)
