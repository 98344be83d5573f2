"""Trainings that torch's distributed checkpoint keeps, in one layout or another."""

import numpy as np
import torch.distributed.checkpoint as dcp

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch.communication import get_group_size, init

STAGES = {"pipeline_stages": 2, "full_batch": True}
SHARED = {"enable_parallel_optimizer": True,
          "parallel_optimizer_config": {"parallel_optimizer_threshold": 0, "optimizer_level": "level3"}}
SETTINGS = {"tensors": {"full_batch": True}, "stages": STAGES, "shared": {"full_batch": True, **SHARED}}


class Share(nn.MSELoss):
    """Of a micro-batch: stages add those of all."""

    def construct(self, x, y):
        return super().construct(x, y) / 2


class Net(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.a, self.b = nn.Dense(8, 16), nn.Dense(16, 8)
        self.a.pipeline_stage, self.b.pipeline_stage = 0, int(kind == "stages")
        if kind == "tensors":
            self.a.matmul.shard(((1, 1), (2, 1)))
            self.a.bias_add.shard(((1, 2), (2,)))
            self.b.matmul.shard(((1, 2), (1, 2)))

    def construct(self, x):
        return self.b(ops.relu(self.a(x)))


def go(kind, start, end, load, save):
    """The losses, and the weights at the end as far as this process holds them."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    if get_group_size() > 1:
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", **SETTINGS[kind])
    net = Net(kind)
    loss = nn.WithLossCell(net, nn.MSELoss())
    if kind == "stages":
        loss = nn.PipelineCell(nn.WithLossCell(net, Share()), 2)
    step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 0.1)).set_train()
    module, weights = ms.to_torch(step), ms.to_torch(net)       # (nothing is in parts yet)
    if load:
        kept = module.state_dict()
        dcp.load({"step": kept}, checkpoint_id=load)
        assert not any(module.load_state_dict(kept))
    losses = []
    for i in range(start, end):
        x = Tensor(np.random.RandomState(i).randn(4, 8).astype(np.float32))
        losses.append(float(step(x, x).asnumpy()))
    if save:
        dcp.save({"step": module.state_dict()}, checkpoint_id=save)
        dcp.save({"model": weights.state_dict()}, checkpoint_id=f"{save}.net")
    return losses, {p.name: p.asnumpy() for p in net.get_parameters() if not p._away}


def of_torch(kind, folder):
    """A network's weights as torch saved them, before a step and after one."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", **SETTINGS[kind])
    net = Net(kind)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    module, found = ms.to_torch(net), []
    for _ in range(2):
        kept = module.state_dict()
        dcp.load({"model": kept}, checkpoint_id=folder)
        found.append({p.name: p.asnumpy().copy() for p in net.get_parameters()})
        step(*[Tensor(np.ones((4, 8), np.float32))] * 2)
    return found
