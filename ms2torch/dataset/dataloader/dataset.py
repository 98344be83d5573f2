"""What a DataLoader reads (``mindspore.dataset.dataloader.dataset``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

__all__ = ["Dataset", "IterableDataset", "TensorDataset"]

_T_co = TypeVar("_T_co", covariant=True)


class Dataset(Generic[_T_co]):
    """Samples that are read by index (``mindspore.dataset.dataloader.Dataset``).

    Subclasses define ``__getitem__``, and ``__len__`` where samplers or ``len(loader)`` ask for it.
    """

    def __init__(self) -> None:
        pass

    def __getitem__(self, index: int) -> _T_co:
        raise NotImplementedError(f"{type(self).__name__} must implement __getitem__ method.")


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Samples that come one after the other (``mindspore.dataset.dataloader.IterableDataset``).

    Subclasses define ``__iter__``. Each worker process iterates over its own copy, so that one that does not
    ask ``get_worker_info`` for its share gives every sample once per worker.
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} must implement __iter__ method.")


class TensorDataset(Dataset[tuple]):
    """Tensors of one first dimension (``mindspore.dataset.dataloader.TensorDataset``).

    Sample ``i`` is the tuple of what each has at ``i``. Raises ValueError where the first dimensions differ.
    """

    def __init__(self, *tensors) -> None:
        super().__init__()
        if any(tensor.shape[0] != tensors[0].shape[0] for tensor in tensors):
            raise ValueError("All tensors must have the same size in the first dimension.")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]
