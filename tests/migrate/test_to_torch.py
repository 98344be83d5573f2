"""`ms2torch.to_torch` of optimizers and callbacks: those that a half translated program keeps."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import nn, ops

_DATA = [np.random.RandomState(seed).randn(4, 3).astype(np.float32) for seed in range(3)]
_START = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3), np.array([0.5, -0.5], np.float32)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("make", [
    lambda params: nn.Adam(params, 0.1),
    lambda params: nn.ASGD(params, 0.1),
    lambda params: nn.Lamb(params, nn.CosineDecayLR(0.0, 0.1, 5), weight_decay=0.1),
])  # fmt: skip
def test_an_optimizer_over_torchs_parameters(make, grouped):
    def groups(params):
        return [{"params": params[:1], "weight_decay": 0.2}, {"params": params[1:]}] if grouped else params

    net = torch.nn.Linear(3, 2)
    with torch.no_grad():
        for p, start in zip(net.parameters(), _START, strict=True):
            p.copy_(torch.tensor(start))
    optimizer = ms.to_torch(make(groups(list(net.parameters()))))
    weights = [ms.Parameter(ms.Tensor(start), name=name) for name, start in zip("wb", _START, strict=True)]
    wanted = make(groups(weights))

    def loss(x):
        return ((ops.matmul(x, weights[0].T) + weights[1]) ** 2).sum()

    for x in _DATA:
        optimizer.zero_grad()
        net(torch.tensor(x)).square().sum().backward()
        optimizer.step()

        wanted(ms.grad(loss, None, ms.ParameterTuple(weights))(ms.Tensor(x)))
    for p, weight in zip(net.parameters(), weights, strict=True):
        np.testing.assert_allclose(p.detach().numpy(), weight.asnumpy(), rtol=1e-5, atol=1e-6)
    state = optimizer.state_dict()
    assert int(state["global_step"]) == len(_DATA)
    optimizer.load_state_dict({name: torch.zeros_like(value) for name, value in state.items()})
    assert not any(value.any() for value in optimizer.state_dict().values())


def test_an_iterator_of_a_dataset_gives_its_next_batch():
    rows = ms.dataset.NumpySlicesDataset(np.arange(6.0, dtype=np.float32), shuffle=False).batch(2)
    iterator = ms.to_torch(rows.create_tuple_iterator())
    assert [next(iterator)[0].tolist(), next(iterator)[0].tolist()] == [[0.0, 1.0], [2.0, 3.0]]


def test_a_module_shows_its_cell():
    shown = repr(ms.to_torch(nn.SequentialCell(nn.ReLU(), nn.Flatten())))
    assert shown == "CellModule(\n  SequentialCell(\n    (0): ReLU()\n    (1): Flatten()\n  )\n)"


def test_a_function_that_takes_a_network_takes_a_module(tmp_path):
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    file = str(tmp_path / "net.ckpt")
    ms.to_torch(ms.save_checkpoint)(net, file)
    saved = ms.load_checkpoint(file)
    wanted = {n: t.numpy() for n, t in net.state_dict().items() if not n.endswith("tracked")}
    assert {*saved} == {*wanted}
    for name, value in wanted.items():
        np.testing.assert_array_equal(saved[name].asnumpy(), value)
    with torch.no_grad():
        net[0].weight.add_(1)
        ms.to_torch(ms.load_param_into_net)(net, saved)
    np.testing.assert_array_equal(net[0].weight.detach().numpy(), wanted["0.weight"])


def test_a_callback_of_a_training_loop_over_modules(tmp_path):
    class Stopping(ms.train.Callback):
        def step_end(self, run_context):
            state = run_context.original_args()
            assert isinstance(state.train_network, nn.Cell) and isinstance(state.net_outputs, ms.Tensor)
            run_context.request_stop()

    net, stopped = torch.nn.Linear(3, 2), []
    state = SimpleNamespace(train_network=net, network=net, cur_epoch_num=1, cur_step_num=2, batch_num=2,
                            net_outputs=torch.ones(()))  # fmt: skip
    run = SimpleNamespace(original_args=lambda: state, request_stop=lambda: stopped.append(True))
    saving = ms.train.ModelCheckpoint("net", str(tmp_path), ms.train.CheckpointConfig(2, exception_save=True))
    for callback in map(ms.to_torch, (saving, Stopping())):
        with callback:
            callback.on_train_begin(run)
            callback.on_train_step_end(run)
    assert stopped == [True] and state.train_network is net
    saved = ms.load_checkpoint(str(tmp_path / "net-1_2.ckpt"))
    np.testing.assert_array_equal(saved["weight"].asnumpy(), net.weight.detach().numpy())
