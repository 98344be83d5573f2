"""Several processes that train together; torchrun starts them."""

import os

import torch
from torch import distributed


def join_processes():
    """Join the other processes that torchrun started; a program that runs alone has none."""
    if "RANK" in os.environ and not distributed.is_initialized():
        distributed.init_process_group()


def data_parallel(network):
    """The network in DistributedDataParallel: ``backward`` takes the mean of all processes' gradients.

    A program that runs alone gets the network itself.
    """
    if not distributed.is_initialized():
        return network
    return torch.nn.parallel.DistributedDataParallel(network, broadcast_buffers=False)


def mean_over_processes(gradients):
    """The mean of all processes' gradients that are values, which DistributedDataParallel never sees."""
    if distributed.is_initialized():
        for gradient in gradients:
            distributed.all_reduce(gradient)
            gradient /= distributed.get_world_size()
    return gradients
