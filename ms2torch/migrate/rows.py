"""Data sets on the other side."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.tensor import lower


class Rows:
    """A dataset or an iterator of MindSpore's, in torch tensors."""

    def __init__(self, rows) -> None:
        self.mindspore = rows
        # One iterator over all epochs: each pass is the next of them, as where MindSpore trains.
        self._epochs = rows.create_tuple_iterator() if hasattr(rows, "create_tuple_iterator") else rows

    def __iter__(self):
        return map(lower, iter(self._epochs))

    def __next__(self):
        return lower(next(self._epochs))

    def __len__(self) -> int:
        rows = self.mindspore
        return rows.get_dataset_size() if hasattr(rows, "get_dataset_size") else len(rows)


class _Batches:
    """A loader's batches as arrays; each pass is another epoch of a sampler that counts them."""

    def __init__(self, loader) -> None:
        self.loader, self.epoch = loader, 0

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self):
        if hasattr(self.loader.sampler, "set_epoch"):
            self.loader.sampler.set_epoch(self.epoch)
        self.epoch += 1
        for batch in self.loader:
            parts = batch if isinstance(batch, (list, tuple)) else (batch,)
            yield tuple(x.numpy(force=True) if torch.is_tensor(x) else x for x in parts)


def rows_of(loader: torch.utils.data.DataLoader):
    """A dataset of MindSpore's over a loader of torch's, the same one each time."""
    from ms2torch.dataset import GeneratorDataset

    made = vars(loader).get("_as_mindspore")
    if made is None:
        batches = _Batches(loader)
        first = next(iter(loader))
        count = len(first) if isinstance(first, (list, tuple)) else 1
        names = [f"column_{i}" for i in range(count)]
        made = vars(loader)["_as_mindspore"] = GeneratorDataset(batches, names, shuffle=False)
    return made
