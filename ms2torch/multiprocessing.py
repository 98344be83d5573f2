"""Python's processes (``mindspore.multiprocessing``); queues and pipes hand Tensors over in shared memory."""

import multiprocessing as _processes
from multiprocessing import *  # noqa: F403

import torch.multiprocessing  # noqa: F401 - it teaches Python's pickler to share the memory of tensors

__all__ = [*_processes.__all__]
