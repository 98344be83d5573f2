"""Gradients and Tensors written to files from inside a network."""

import numpy as np

import ms2torch as ms
from ms2torch import nn, ops


class Watched(nn.Cell):
    def __init__(self, path):
        super().__init__()
        self.dump, self.path = ops.DumpGradient(), path

    def construct(self, x):
        return (self.dump(self.path, x * 2, "out") ** 2).sum()


def test_a_gradient_is_written_where_it_flows(tmp_path):
    """d (2 x)^2 / d (2 x) = 4 x, and the network's own gradient stays 8 x."""
    x = ms.Tensor([1.0, 2.0])
    value, gradient = ms.value_and_grad(Watched(str(tmp_path / "g.npy")))(x)
    assert float(value) == 20 and gradient.asnumpy().tolist() == [8, 16]
    (file,) = tmp_path.iterdir()
    assert file.name == "g_float32_0.npy" and np.load(file).tolist() == [4, 8]
    assert ops.DumpGradient()("a", 3, "in") == 3
