"""Loading by index or by iteration, batch by batch (``mindspore.dataset.dataloader``).

Orders come from numpy's generators, as in MindSpore, so the same seed gives the same batches. Worker
processes are those of ``torch.utils.data``.
"""

from ._utils.collate import default_collate, default_convert
from ._utils.worker import get_worker_info
from .dataloader import DataLoader
from .dataset import Dataset, IterableDataset, TensorDataset
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["BatchSampler", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset", "RandomSampler",
           "Sampler", "SequentialSampler", "TensorDataset", "default_collate", "default_convert",
           "get_worker_info"]
