"""What ranks do in `test_faults` when something goes wrong, and what they save and load again."""

import os
import time

import numpy as np

import ms2torch as ms
from ms2torch import Tensor, dataset, nn, ops
from ms2torch.communication import get_group_size, get_rank, init
from ms2torch.train import CheckpointConfig, Model, ModelCheckpoint
from ms2torch.train.callback import Callback


def _train_step():
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    ms.set_seed(1)
    net = nn.Dense(4, 2)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    x, y = Tensor(np.ones((3, 4), np.float32)), Tensor(np.ones((3, 2), np.float32))
    return lambda: step(x, y)


def _explicit_step():
    from ms2torch._core.processes import segments

    init()
    segments.SMALLEST = 4
    weights = ms.ParameterTuple([ms.Parameter(Tensor(np.ones((40, 8), np.float32)), name="weight")])
    reducer = nn.DistributedGradReducer(weights)
    return lambda: reducer((weights[0] * 2,))


def _split_step():
    """Two processes share a layer's columns, two each a batch."""
    init()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy=((2, 1), (2, 1)))
    net = nn.Dense(8, 4)
    net.matmul.shard(((2, 1), (2, 1)))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    x, y = Tensor(np.ones((4, 8), np.float32)), Tensor(np.ones((4, 4), np.float32))
    return lambda: step(x, y)


STEPS = {"data parallel": _train_step, "explicit": _explicit_step, "split": _split_step}


def one_rank_leaves(how, kind="data parallel"):
    """After two good steps the last rank leaves; the others take a third."""
    step = STEPS[kind]()
    step(), step()
    if get_rank() == get_group_size() - 1:
        if how == "killed":
            os.kill(os.getpid(), 9)
        if how == "error":
            raise KeyError("lost")
        if how == "end":
            return "left"
        if how == "asleep":
            time.sleep(7)
        if how == "elsewhere":
            ops.AllReduce()(Tensor(np.ones(3, np.float32)))
    before = time.monotonic()
    try:
        step()
    except RuntimeError as err:
        return str(err), time.monotonic() - before
    return "no error"


def nobody_comes():
    """The others never start: joining ends within the timeout."""
    os.environ["WORLD_SIZE"] = "3"
    init()


class _Losses(Callback):
    def __init__(self):
        self.seen = []

    def step_end(self, run_context):
        self.seen.append(float(run_context.original_args().net_outputs.asnumpy()))


class _Stop(Callback):
    """The job is broken off after so many steps."""

    def __init__(self, steps):
        self.steps = steps

    def step_end(self, run_context):
        if run_context.original_args().cur_step_num == self.steps:
            run_context.request_stop()


def train_and_save(folder, stop=None, load=None, own_folders=False):
    """Losses of this rank; every rank asks for checkpoints, two are kept."""
    init()
    rank, size = get_rank(), get_group_size()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    ms.set_seed(1)
    rs = np.random.RandomState(5)
    rows = [rs.randn(12, 4).astype(np.float32), rs.randn(12, 2).astype(np.float32)]
    done = 0
    if load:
        done = int(load.rsplit("_", 1)[1].removesuffix(".ckpt"))
    rows = [r[2 * done:] for r in rows]
    data = dataset.NumpySlicesDataset(tuple(rows), ["x", "y"], shuffle=False, num_shards=size, shard_id=rank)
    net = nn.Dense(4, 2)
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    if load:
        ms.load_param_into_net(model.train_network, ms.load_checkpoint(load))
    losses = _Losses()
    if own_folders:
        folder = os.path.join(folder, f"rank_{rank}")
    saver = ModelCheckpoint("net", folder, CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=2))
    model.train(1, data.batch(2 // size), [losses, saver, *([_Stop(stop)] if stop else [])])
    return losses.seen, saver.latest_ckpt_file_name


