"""Several processes that train together; torchrun starts them."""

import os

import torch
from torch import distributed
from torch.distributed.nn import functional as distributed_functions


def join_processes():
    """Join the other processes that torchrun started; a program that runs alone has none."""
    if "RANK" in os.environ and not distributed.is_initialized():
        distributed.init_process_group()


def data_parallel(network, mean=True):
    """The network in DistributedDataParallel: ``backward`` takes all processes' gradients, their mean or sum.

    A program that runs alone gets the network itself.
    """
    if not distributed.is_initialized():
        return network
    network = torch.nn.parallel.DistributedDataParallel(network, broadcast_buffers=False)

    def added(_, bucket):
        work = distributed.all_reduce(bucket.buffer(), async_op=True)
        return work.get_future().then(lambda done: done.value()[0])

    if not mean:
        network.register_comm_hook(None, added)
    return network


def reduced(x, op=distributed.ReduceOp.SUM):
    """The sum of all processes' tensors, or what ``op`` says; gradients go back to all of them."""
    return distributed_functions.all_reduce(x, op) if distributed.is_initialized() else x


def gathered(x):
    """All processes' tensors, one below the other; gradients go back to all of them."""
    return torch.cat(distributed_functions.all_gather(x)) if distributed.is_initialized() else x


def sum_over_processes(gradients):
    """The sum of all processes' gradients that are values, which DistributedDataParallel never sees."""
    if distributed.is_initialized():
        for gradient in gradients:
            distributed.all_reduce(gradient)
    return gradients


def mean_over_processes(gradients):
    """The mean of all processes' gradients that are values, which DistributedDataParallel never sees."""
    count = distributed.get_world_size() if distributed.is_initialized() else 1
    return [gradient / count for gradient in sum_over_processes(gradients)]
