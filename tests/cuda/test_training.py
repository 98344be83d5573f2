"""Training on a CUDA device: the CPU's numbers, mixed precision, and no wait that nobody asked for."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Tensor, amp, dataset, nn, ops
from ms2torch._core.devices import device

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here"),
]


@pytest.fixture(autouse=True)
def on_cuda(monkeypatch):
    monkeypatch.setenv("MS2TORCH_DEVICE", "cuda")
    device.select(None)
    yield
    monkeypatch.undo()
    device.select(None)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, pad_mode="same"), nn.BatchNorm2d(8)
        self.fc = nn.Dense(8, 5)

    def construct(self, x):
        return self.fc(ops.relu(self.norm(self.conv(x))).mean((2, 3)))


def _batch():
    rs = np.random.RandomState(0)
    return Tensor(rs.randn(16, 3, 8, 8).astype(np.float32)), Tensor(rs.randint(0, 5, 16).astype(np.int32))


def _losses(level="O0", dtype=ms.float16, scaled=False, steps=10):
    """Losses of a few steps on the device in use."""
    ms.set_seed(1)
    net = Net()
    weights = net.trainable_params()
    network = nn.WithLossCell(amp.auto_mixed_precision(net, level, dtype), nn.CrossEntropyLoss())
    optimizer = nn.Adam(weights, 1e-2)
    if scaled:
        manager = nn.DynamicLossScaleUpdateCell(2.0**12, 2, 1000)
        step = nn.TrainOneStepWithLossScaleCell(network, optimizer, manager).set_train()
        losses = [step(*_batch())[0] for _ in range(steps)]
    else:
        step = nn.TrainOneStepCell(network, optimizer).set_train()
        losses = [step(*_batch()) for _ in range(steps)]
    return np.array([float(loss) for loss in losses])


@pytest.fixture
def on_the_cpu():
    os.environ["MS2TORCH_DEVICE"] = "cpu"
    device.select(None)
    losses = _losses()
    os.environ["MS2TORCH_DEVICE"] = "cuda"
    device.select(None)
    return losses


def test_float32_trains_as_on_the_cpu(on_the_cpu, monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    np.testing.assert_allclose(_losses(), on_the_cpu, rtol=2e-3)


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16], ids=str)
def test_mixed_precision_follows_float32(on_the_cpu, level, dtype):
    losses = _losses(level, dtype, scaled=dtype is ms.float16)
    assert np.isfinite(losses).all()
    np.testing.assert_allclose(losses, on_the_cpu, rtol=0.05)


def _waits(step) -> int:
    """How often a call waits for the device."""
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            step()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return sum("synchronizing CUDA operation" in str(w.message) for w in found)


@pytest.mark.parametrize("make", [
    lambda weights: nn.Momentum(weights, 0.1, 0.9),
    lambda weights: nn.Adam(weights, 1e-3),
    lambda weights: nn.AdamWeightDecay(weights, 1e-3),
    lambda weights: nn.SGD(weights, [0.1, 0.01, 0.001] * 9),
], ids=["Momentum", "Adam", "AdamWeightDecay", "rates by step"])
def test_a_step_waits_for_nothing(make):
    net = Net()
    network = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(network, make(net.trainable_params())).set_train()
    batch = _batch()
    for _ in range(3):
        step(*batch)
    assert _waits(lambda: step(*batch)) == 0


def test_a_scaled_step_waits_once_for_whether_it_overflowed():
    """As torch.amp.GradScaler does: the host has to know whether to update."""
    net = Net()
    network = nn.WithLossCell(net, nn.CrossEntropyLoss())
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    manager = nn.DynamicLossScaleUpdateCell(2.0**12, 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, manager).set_train()
    batch = _batch()
    for _ in range(3):
        step(*batch)
    assert _waits(lambda: step(*batch)) <= 1


def test_batches_come_without_a_wait():
    rows = np.arange(4096, dtype=np.float32).reshape(64, 64)
    data = dataset.NumpySlicesDataset(rows, ["x"], shuffle=False).batch(16)
    iterator = data.create_tuple_iterator(num_epochs=2)
    first = [x for (x,) in iterator]
    seen = []
    assert _waits(lambda: seen.extend(x for (x,) in iterator)) == 0
    assert all(x.torch().is_cuda for x in seen)
    np.testing.assert_array_equal(np.concatenate([x.asnumpy() for x in seen]), rows)
    assert len(first) == len(seen) == 4


@pytest.mark.slow
def test_the_reference_cases_hold_on_cuda():
    """Every case that the real MindSpore judged, computed on the device."""
    env = {**os.environ, "MS2TORCH_DEVICE": "cuda", "NVIDIA_TF32_OVERRIDE": "0"}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--recorded", "tests/reference"], cwd=ROOT,
                          env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="NCCL needs two devices")
def test_two_devices_equal_two_processes_on_the_cpu(tmp_path):
    program = ("from tests.distributed.training_cases import train; import json, sys; "
               "from ms2torch.communication import get_rank; losses, weights, _ = train('plain', 'float32'); "
               "json.dump([losses, {k: v.tolist() for k, v in weights.items()}], "
               "open(f'{sys.argv[1]}_{get_rank()}.json', 'w'))")
    import json

    for kind in ("cpu", "cuda"):
        subprocess.run([sys.executable, "-m", "ms2torch", "run", "--nproc", "2", "--device", kind, "-c",
                        program, str(tmp_path / kind)], cwd=ROOT, check=True, timeout=300)
    for rank in range(2):
        (losses, weights), (theirs, expected) = (
            json.loads((tmp_path / f"{kind}_{rank}.json").read_text()) for kind in ("cuda", "cpu"))
        np.testing.assert_allclose(losses, theirs, rtol=1e-3)
        for name, value in expected.items():
            np.testing.assert_allclose(weights[name], value, rtol=1e-3, atol=1e-4)
