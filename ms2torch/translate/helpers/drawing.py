"""Random numbers."""

from functools import cache

import torch


@cache
def generator_of(seed):
    """The generator of a seed, which goes on where it was."""
    return torch.Generator().manual_seed(seed)
