"""Cells that run again in the backward pass train as they do without."""

import numpy as np

import ms2torch as ms
from ms2torch import Tensor, nn


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
