"""Cells that run again in the backward pass train as they do without."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, mint, nn
from ms2torch._core import mode
from ms2torch.common import generator
from ms2torch.compiler import settings


def _trained(recomputed):
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dense(4, 1))
    for cell in net[:3] if recomputed else ():
        cell.recompute()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.1))
    rs = np.random.RandomState(0)
    for _ in range(3):
        step(*(Tensor(rs.randn(3, n).astype(np.float32)) for n in (4, 1)))
    return [p.asnumpy() for p in net.get_parameters()]


def test_a_train_cell_over_recomputed_cells():
    for mine, plain in zip(_trained(True), _trained(False), strict=True):
        np.testing.assert_array_equal(mine, plain)


class _Masked(nn.Cell):
    def __init__(self, recomputed):
        super().__init__()
        self.w = ms.Parameter(Tensor(np.ones(8, np.float32)), name="w")
        self.inner = nn.SequentialCell(nn.Dropout(p=0.3), mint.nn.Dropout(p=0.5))
        self.after = nn.Dropout(p=0.5)
        if recomputed:
            self.inner.recompute()

    def construct(self, x):
        return (self.after(self.inner(self.w * x)) * self.w).sum()


@pytest.mark.parametrize("graphs", ["eager", "compile"])
def test_masks_are_the_same_in_the_second_run(graphs, monkeypatch):
    """Of MindSpore's streams, of a generator that was seeded, and in a compiled step."""
    monkeypatch.setattr(mode, "graphs", graphs)
    monkeypatch.setattr(settings, "backend", "graph")
    monkeypatch.setattr(generator, "default_generator", generator.Generator())
    found = []
    for recomputed in (True, False):
        ms.manual_seed(3)
        ms.set_seed(3)
        net = _Masked(recomputed)
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01)).set_train()
        losses = [step(Tensor(np.arange(8, dtype=np.float32))).asnumpy() for _ in range(5)]
        found.append((losses, net.w.asnumpy()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
