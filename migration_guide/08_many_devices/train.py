"""Data-parallel training as MindSpore programs write it; one process or many."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

parser = argparse.ArgumentParser()
parser.add_argument("--sum", action="store_true", help="add gradients up instead of averaging them")
parser.add_argument("--alone", action="store_true", help="one process, the whole batch")
parser.add_argument("--rate", type=float, default=0.05, help="learning rate")
args = parser.parse_args()

ms.set_seed(1)
ms.set_context(mode=ms.GRAPH_MODE)
rank, size = 0, 1
if not args.alone:
    init()
    rank, size = get_rank(), get_group_size()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=not args.sum)

rng = np.random.RandomState(0)
x = rng.normal(size=(256, 8)).astype(np.float32)
y = np.tanh(x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False, num_shards=size, shard_id=rank)
data = data.batch(32 // size)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss = nn.WithLossCell(net, nn.MSELoss())
step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), args.rate, 0.9))
step.set_train()
for _ in range(3):
    for batch in data.create_tuple_iterator():
        last = step(*batch)
norm = float(ops.sqrt(sum((p.value() ** 2).sum() for p in net.trainable_params())))
print(f"rank {rank} of {size}: loss {float(last):.6f}  norm of the weights {norm:.6f}")
