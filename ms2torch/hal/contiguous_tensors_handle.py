"""Tensors moved to one piece of memory (``mindspore.hal.contiguous_tensors_handle``)."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.tensor import Tensor, wrap

__all__ = ["ContiguousTensorsHandle", "combine_tensor_list_contiguous"]


class ContiguousTensorsHandle:
    """The memory of several Tensors, one behind the other; they lie in it from then on.

    An index or a slice gives elements of the whole, in the first Tensor's dtype; what it gives is the memory
    itself. ``enable_mem_align`` has no effect: there is no padding on the CPU. TypeError unless
    ``tensor_list`` holds Tensors, RuntimeError where one comes twice.
    """

    def __init__(self, tensor_list, enable_mem_align=True) -> None:
        if not isinstance(tensor_list, (list, tuple)) or not all(isinstance(t, Tensor) for t in tensor_list):
            raise TypeError("input list must be [Tensor, ...].")
        if not isinstance(enable_mem_align, bool):
            raise TypeError("enable_mem_align must be bool.")
        self.tensor_list, self.enable_mem_align = tuple(tensor_list), enable_mem_align
        for place, one in enumerate(self.tensor_list):
            if any(one is other for other in self.tensor_list[:place]):
                told = repr(one).replace("value= [", "value=[").replace(",  ", "  ")
                raise RuntimeError(f"Tensor input should be unique. Tensor[{place}], {told}")
        self.before_padding_sizes = [t._t.numel() * t._t.element_size() for t in self.tensor_list]
        self.after_padding_sizes = list(self.before_padding_sizes)
        self.total_padding_size = sum(self.after_padding_sizes)
        first = self.tensor_list[0]._t
        self.handle_shape = self.total_padding_size / first.element_size()
        self._bytes = torch.empty(self.total_padding_size, dtype=torch.uint8, device=first.device)
        self._move()

    def _move(self) -> None:
        start = 0
        for one, size in zip(self.tensor_list, self.before_padding_sizes, strict=True):
            old = one._t
            place = self._bytes[start : start + size].view(old.dtype).view(old.shape)
            place.copy_(old.detach())
            old.data = place
            start += size

    def _elements(self, start: int, end: int) -> Tensor:
        kind = self.tensor_list[0]._t.dtype
        return wrap(self._bytes[start * kind.itemsize : end * kind.itemsize].view(kind))

    def __getitem__(self, item) -> Tensor:
        if isinstance(item, slice):
            start = 0 if item.start is None else item.start
            end = int(self.handle_shape) if item.stop is None else item.stop
            if not isinstance(start, int) or not isinstance(end, int):
                raise TypeError("slice input error.")
            if start < 0 or end > self.handle_shape or start >= end:
                raise ValueError("slice input error.")
            return self._elements(start, end)
        if not isinstance(item, int):
            raise TypeError("slice input must be 1.index -> int.2.[start: end: step] -> [int: int: int].")
        if item < 0 or item > self.handle_shape:
            raise ValueError("slice input is out of tensor_list size.")
        return self._elements(item, item + 1)

    def __str__(self) -> str:
        return f"Handle total size: {self.total_padding_size}\n" + "".join(
            f"Tensor[{place}]: {one.asnumpy()}\n" for place, one in enumerate(self.tensor_list))

    def slice_by_tensor_index(self, start=None, end=None) -> Tensor:
        """The elements of Tensors ``start`` to ``end`` (of ``start`` alone without ``end``), in one axis."""
        last = len(self.tensor_list) if start is None else start + 1
        start, end = 0 if start is None else start, last if end is None else end
        if not isinstance(start, int) or not isinstance(end, int):
            raise TypeError("slice input error.")
        if start < 0 or end > len(self.tensor_list) or start >= end:
            raise ValueError("slice input error.")
        size = self.tensor_list[0]._t.element_size()
        return self._elements(sum(self.after_padding_sizes[:start]) // size,
                              sum(self.after_padding_sizes[:end]) // size)


def combine_tensor_list_contiguous(tensor_list, enable_mem_align=True) -> ContiguousTensorsHandle:
    """Move Tensors to one piece of memory; see `ContiguousTensorsHandle`."""
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)
