"""``mgrid`` and ``ogrid``: grids by slicing (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.tensor.tensor import wrap

__all__ = ["mgrid", "ogrid"]


def _line(key: slice) -> torch.Tensor:
    """The numbers of a slice; an imaginary step says how many, the end among them."""
    start, stop, step = key.start or 0, key.stop, 1 if key.step is None else key.step
    if isinstance(step, complex):
        return torch.linspace(start, stop, int(abs(step)), dtype=torch.float32, device=device())
    floating = any(isinstance(x, float) for x in (start, stop, step))
    return torch.arange(start, stop, step, dtype=torch.float32 if floating else torch.int32, device=device())


class _Grid:
    """``grid[a:b:s, ...]``; ``dense`` grids are one Tensor, open ones a list of them."""

    def __init__(self, dense: bool) -> None:
        self.dense = dense

    def __getitem__(self, keys):
        if isinstance(keys, slice):
            return wrap(_line(keys))
        lines = [_line(key) for key in keys]
        if self.dense:
            dtype = torch.float32 if any(x.is_floating_point() for x in lines) else torch.int32
            return wrap(torch.stack(torch.meshgrid([x.to(dtype) for x in lines], indexing="ij")))
        count = len(lines)
        return [wrap(x.reshape([-1 if i == j else 1 for j in range(count)])) for i, x in enumerate(lines)]


mgrid, ogrid = _Grid(dense=True), _Grid(dense=False)
