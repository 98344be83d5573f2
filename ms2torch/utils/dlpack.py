"""Tensors as DLPack capsules (``mindspore.utils.dlpack``): shared memory, no copy."""

from __future__ import annotations

import numpy as np
import torch.utils.dlpack

from ms2torch._core.tensor.tensor import Tensor, wrap

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor):
    """A capsule over a Tensor's memory, for one ``from_dlpack`` of any library. TypeError for no Tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"The input of to_dlpack must be a Tensor, but got {type(tensor)}.")
    return torch.utils.dlpack.to_dlpack(tensor._t.detach())


def from_dlpack(dlpack) -> Tensor:
    """A Tensor over the memory of a capsule. RuntimeError for one that was used before, and for Tensors and
    arrays themselves."""
    if isinstance(dlpack, (Tensor, np.ndarray)):
        raise RuntimeError("from_dlpack received an invalid capsule. Note that DLTensor capsules can be "
                           "consumed only once, so you might have already constructed a tensor from it once.")
    return wrap(torch.utils.dlpack.from_dlpack(dlpack))
