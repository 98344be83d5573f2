"""A Tensor's memory in bytes (``mindspore.common.storage``), as ``Tensor.untyped_storage()`` gives it."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor


class UntypedStorage:
    """The memory that a Tensor and its views share: a view of it, not a copy; its sizes count bytes."""

    def __new__(cls):
        raise TypeError(f"cannot create '{cls.__name__}' instances")

    @property
    def _bytes(self) -> torch.UntypedStorage:
        return self._tensor.untyped_storage()

    @property
    def device(self) -> str:
        return "CPU" if self._tensor.device.type == "cpu" else f"GPU:{self._tensor.device.index or 0}"

    @property
    def dtype(self):
        """The dtype of the Tensor that was asked."""
        return from_torch(self._tensor.dtype)

    def nbytes(self) -> int:
        return self._bytes.nbytes()

    size = __len__ = nbytes

    def element_size(self) -> int:
        """1: it counts bytes."""
        return 1

    def data_ptr(self) -> int:
        return self._bytes.data_ptr()

    def is_shared(self) -> bool:
        """Whether other processes have the memory too."""
        return self._bytes.is_shared()

    def copy_(self, src: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Takes over the bytes of another one of the same size."""
        self._bytes.copy_(src._bytes, non_blocking)
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Holds ``size`` bytes from now on, the first ones as they were."""
        if not self._bytes.resizable():
            raise unsupported("UntypedStorage.resize_", "memory that a numpy array lent has its size.",
                              "take the storage of x.copy().")
        self._bytes.resize_(size)
        return self

    def __getitem__(self, index):
        raise RuntimeError("The function __getitem__ is not implemented for Storage!")

    def __setitem__(self, index, value):
        raise RuntimeError("The function __setitem__ is not implemented for Storage!")


def untyped_storage(tensor: Tensor) -> UntypedStorage:
    """The memory of a Tensor (``mindspore.Tensor.untyped_storage``, and ``Tensor.storage``)."""
    storage = object.__new__(UntypedStorage)
    storage._tensor = tensor._t
    return storage


UntypedStorage.__module__ = "mindspore.common.storage"
Tensor.untyped_storage = Tensor.storage = untyped_storage
