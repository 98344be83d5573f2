"""``mgrid`` and ``ogrid``: grids by slicing (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.tensor.tensor import wrap

__all__ = ["mgrid", "ogrid"]


def _line(key: slice) -> torch.Tensor:
    """The numbers of a slice between integers; an imaginary step says how many, the end among them."""
    start, stop, step = 0 if key.start is None else key.start, key.stop, key.step or 1
    if not isinstance(start, int) or not isinstance(stop, int):
        raise TypeError("slice indices must be integers")
    if isinstance(step, complex):
        return torch.linspace(start, stop, int(abs(step)), dtype=torch.float32, device=device())
    if (stop - start) * step <= 0:
        raise ValueError("zero shape Tensor is not currently supported.")
    dtype = torch.float32 if isinstance(step, float) else torch.int32
    return torch.arange(start, stop, step, dtype=dtype, device=device())


class NdGrid:
    """``grid[a:b:s, ...]``: one Tensor, where ``sparse`` a list of Tensors that broadcast to it."""

    def __init__(self, sparse=False) -> None:
        self.sparse = sparse

    def __getitem__(self, keys):
        lines = [_line(key) for key in ((keys,) if isinstance(keys, slice) else keys)]
        if len(lines) == 1:
            return wrap(lines[0])
        if not self.sparse:
            dtype = torch.float32 if any(x.is_floating_point() for x in lines) else torch.int32
            return wrap(torch.stack(torch.meshgrid([x.to(dtype) for x in lines], indexing="ij")))
        count = len(lines)
        return [wrap(x.reshape([-1 if i == j else 1 for j in range(count)])) for i, x in enumerate(lines)]


class MGridClass(NdGrid):
    """What ``mindspore.numpy.mgrid`` is."""

    def __init__(self) -> None:
        super().__init__(sparse=False)


class OGridClass(NdGrid):
    """What ``mindspore.numpy.ogrid`` is."""

    def __init__(self) -> None:
        super().__init__(sparse=True)


mgrid, ogrid = MGridClass(), OGridClass()
