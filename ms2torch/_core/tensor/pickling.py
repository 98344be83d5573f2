"""What stands for a tensor in a pickle."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.tensor import dtype as _dtype

_IN_NUMPY = frozenset(one.torch for one in _dtype._NAMED.values() if one.torch is not None and one.numpy)


def content(t: torch.Tensor) -> np.ndarray | torch.Tensor:
    """The numbers of ``t`` as numpy's, where it has them on the host: packages that read pickles know those,
    and replace how torch's own are read."""
    t = t.detach()
    if type(t) is not torch.Tensor or t.layout is not torch.strided or t.device.type != "cpu":
        return t
    return t.resolve_conj().resolve_neg().numpy() if t.dtype in _IN_NUMPY else t


def tensor(content: np.ndarray | torch.Tensor) -> torch.Tensor:
    """The tensor for which ``content`` stood."""
    if isinstance(content, torch.Tensor):
        return content
    return torch.from_numpy(content if content.flags.writeable else content.copy())
