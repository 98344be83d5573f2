"""No step reads from its device or copies to it in a way that would make CUDA wait; proved without CUDA.

torch's "meta" device stands in for CUDA: it takes the same ways through ms2torch as any device that is not
the CPU, computes shapes only, and whoever asks it for a number is seen. What would block: a number read on
the host, a copy to the host, a copy to the device from memory that is not pinned, and operators whose
result's shape depends on numbers.
"""

from unittest import mock

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import ms2torch as ms
from ms2torch import Tensor, amp, mint, nn, ops
from ms2torch._core.devices import device
from ms2torch._core.operators import arithmetic

META = torch.device("meta")
SHAPE_BY_VALUE = {"nonzero", "masked_select", "equal", "_unique2", "unique_dim", "bincount"}


class Waits(TorchDispatchMode):
    """Notes in ``found`` what would make CUDA wait, and goes on with zeros."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name.removeprefix("aten::")
        if name == "_local_scalar_dense" and args[0].device == META:
            self.found.append(name)
            return args[0].dtype is not torch.bool and 0
        if name in SHAPE_BY_VALUE:
            self.found.append(name)
            if name == "nonzero":
                return args[0].new_zeros((0, args[0].ndim), dtype=torch.int64)
        if name in ("_to_copy", "copy_"):
            copy = name == "_to_copy"
            source = args[0 if copy else 1]
            target = torch.device(kwargs.get("device") or source.device) if copy else args[0].device
            patient = kwargs.get("non_blocking") or (len(args) > 2 and args[2])
            if source.device != target and (target.type == "cpu" or not patient):
                self.found.append(f"{name} from {source.device} to {target}")
                if target.type == "cpu":
                    return torch.zeros(source.shape, dtype=kwargs.get("dtype") or source.dtype)
        try:
            return func(*args, **kwargs)
        except NotImplementedError:     # fused kernels in place know no shapes
            if func._schema.returns:
                raise


@pytest.fixture
def waits(monkeypatch):
    """``waits(make)``: what the fourth call of the step ``make()`` would wait for."""
    monkeypatch.setenv("MS2TORCH_DEVICE", "meta")
    device.select(None)
    seen = Waits()
    listed, made = torch.Tensor.tolist, {f.__name__: f for f in (torch.tensor, torch.as_tensor)}

    def tolist(t):
        if t.device != META:
            return listed(t)
        seen.found.append("tolist")
        return torch.zeros(t.shape).tolist()

    def making(name):
        def make(data, *args, **kwargs):
            t = made[name](data, *args, **kwargs)
            if t.device == META and not isinstance(data, torch.Tensor):
                seen.found.append(name)
            return t
        return make

    monkeypatch.setattr(torch.Tensor, "tolist", tolist)
    for name in made:
        monkeypatch.setattr(torch, name, making(name))

    def count(make):
        with seen:
            step, batch = make()
            for _ in range(3):
                step(*batch)
            seen.found.clear()
            step(*batch)
        return seen.found

    yield count
    monkeypatch.undo()
    device.select(None)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, pad_mode="same"), nn.BatchNorm2d(8)
        self.fc = nn.Dense(8, 5)

    def construct(self, x, _):
        return self.fc(ops.relu(self.norm(self.conv(x))).mean((2, 3)))


class ManyLayers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, pad_mode="same"), nn.BatchNorm2d(8)
        self.pool, self.words = nn.MaxPool2d(2, 2), nn.Embedding(5, 8)
        self.recurrent, self.attention = nn.LSTM(8, 8), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        self.last, self.fc = nn.LayerNorm((8,)), nn.Dense(8, 5)

    def construct(self, x, kind):
        h = self.pool(ops.relu(self.norm(self.conv(x))))
        h = h.reshape(16, 8, 16).swapaxes(1, 2) + self.words(kind).expand_dims(1)
        h, _ = self.recurrent(h)
        h = ops.clip_by_value(self.attention(h), -5.0, 5.0)
        return self.fc(self.last(ops.gelu(h[:, 1:9])).mean(1) * Tensor(1.0, ms.float32))


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.loss, self.hot = net, nn.CrossEntropyLoss(), nn.OneHot(depth=5)

    def construct(self, x, y):
        out = self.net(x, y).astype(ms.float32)
        return self.loss(out, y) + nn.MSELoss()(out, self.hot(y))


def _batch():
    return (Tensor(np.zeros((16, 3, 8, 8), np.float32)), Tensor(np.zeros(16, np.int32)))


def _grouped(weights):
    return nn.Momentum([{"params": weights[:2], "lr": 0.1, "weight_decay": 0.01},
                        {"params": weights[2:], "lr": nn.ExponentialDecayLR(0.1, 0.9, 4)}], 0.1, 0.9)


OPTIMIZERS = {
    "Momentum": lambda w: nn.Momentum(w, 0.1, 0.9, weight_decay=1e-4), "SGD": lambda w: nn.SGD(w, 0.1, 0.9),
    "Adam": nn.Adam, "AdamWeightDecay": nn.AdamWeightDecay, "LazyAdam": nn.LazyAdam,
    "Lamb": lambda w: nn.Lamb(w, 0.1), "RMSProp": nn.RMSProp, "Adagrad": nn.Adagrad, "FTRL": nn.FTRL,
    "Adadelta": nn.Adadelta, "AdaMax": nn.AdaMax, "ASGD": nn.ASGD, "Rprop": nn.Rprop,
    "LARS": lambda w: nn.LARS(nn.Momentum(w, 0.1, 0.9)),
    "AdaFactor": nn.AdaFactor, "rates by step": lambda w: nn.SGD(w, [0.1, 0.01, 0.001] * 9),
    "a schedule": lambda w: nn.Adam(w, nn.CosineDecayLR(0.01, 0.1, 10)), "groups": _grouped,
    "experimental": lambda w: ms.experimental.optim.AdamW(w), "mint": lambda w: mint.optim.AdamW(w),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_waits_for_nothing(waits, name):
    def make():
        net = Net()
        optimizer = OPTIMIZERS[name](net.trainable_params())
        return nn.TrainOneStepCell(WithLoss(net), optimizer).set_train(), _batch()

    assert waits(make) == []


def test_layers_wait_for_nothing(waits):
    def make():
        net = ManyLayers()
        return nn.TrainOneStepCell(WithLoss(net), nn.SGD(net.trainable_params())).set_train(), _batch()

    assert waits(make) == []


@pytest.mark.parametrize("clip", [False, True])
def test_a_functional_step_waits_for_nothing(waits, clip):
    def make():
        net = Net().set_train()
        optimizer = nn.Adam(net.trainable_params())
        forward = ms.value_and_grad(WithLoss(net), None, optimizer.parameters)
        scaler = amp.DynamicLossScaler(1024, 2, 3)

        def step(*batch):
            _, grads = forward(*batch)
            grads = scaler.unscale(grads)
            scaler.adjust(amp.all_finite(grads))
            optimizer(ops.clip_by_global_norm(grads, 1.0) if clip else grads)
        return step, _batch()

    assert waits(make) == []


@pytest.mark.parametrize(("level", "scale"), [
    ("O0", "fixed"), ("O0", "drops"), ("O0", "dynamic"), ("O1", "dynamic"), ("O2", "dynamic"),
    ("O3", "dynamic"), ("auto", "dynamic")])
def test_a_scaled_step_waits_once_for_whether_it_overflowed(waits, level, scale):
    """The host has to know: MindSpore's step count, and with it its rates, stand still at an overflow."""
    def make():
        net = Net()
        low = net if level == "O0" else amp.auto_mixed_precision(net, level)
        manager = {"fixed": lambda: Tensor(1024.0), "drops": lambda: nn.FixedLossScaleUpdateCell(1024.0),
                   "dynamic": lambda: nn.DynamicLossScaleUpdateCell(1024.0, 2, 1000)}[scale]()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        return nn.TrainOneStepWithLossScaleCell(WithLoss(low), optimizer, manager).set_train(), _batch()

    assert waits(make) == ["_local_scalar_dense"]


def test_divisions_of_integers_wait_for_nothing(waits):
    """A CPU tells of zeros below; elsewhere what stands in their places is put there without a look."""
    def divide(a, b):
        return [(a // b), (a % b), 7 // b, 7 % b, a // 2, a % 0, ops.Mod()(a, b), ops.TruncateDiv()(a, b),
                mint.fmod(a, b), ops.div(a, b, rounding_mode="floor")]

    assert waits(lambda: (divide, (Tensor(np.array([7, -7, 0])), Tensor(np.array([0, 2, 0]))))) == []


def test_divisions_of_integers_on_devices_are_those_on_a_cpu():
    a, b = (Tensor(np.array(v, np.int32)) for v in ([7, -7, 0, 9, 9], [0, 0, 0, 2, -4]))

    def divide():
        return [f.asnumpy().tolist() for f in (
            a // b, a % b, 7 // b, ops.Mod()(a, b), ops.TruncateDiv()(a, b), mint.fmod(a, b), a % 0)]

    told = divide()
    with mock.patch.object(arithmetic, "raises_on_zero", lambda t: False):
        assert divide() == told


def test_what_waits_is_seen(waits):
    """The proof itself: each of these makes CUDA wait."""
    seen = waits(lambda: (lambda x: (float(x.sum()), x.asnumpy(), ops.nonzero(x), Tensor([1.0, 2.0])),
                          (Tensor(np.zeros(3, np.float32)),)))
    assert seen == ["_local_scalar_dense", "_to_copy from meta to cpu", "nonzero",
                    "_to_copy from cpu to meta"]
