"""What is a difference between a Cell and its Module, and what is the rounding of other kernels."""

import pytest
import torch

import ms2torch as ms
from ms2torch import nn, ops
from ms2torch.difftest.double import Wide
from ms2torch.translate import comparing
from ms2torch.translate.instances import Called
from ms2torch.translate.trembling import Trembling

WIDTH = 8


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(WIDTH, WIDTH)
        self.bn = nn.BatchNorm1d(WIDTH)

    def construct(self, x):
        return ops.log_softmax(ops.exp(ops.tanh(self.bn(self.fc(x))) + x), axis=-1)


class Twin(torch.nn.Module):
    """The same; ``rounding`` is the seed of what it rounds, as kernels of another machine do."""

    def __init__(self, eps=1e-5, rounding=None):
        super().__init__()
        self.fc = torch.nn.Linear(WIDTH, WIDTH)
        self.bn = torch.nn.BatchNorm1d(WIDTH, eps=eps)
        self.rounding = rounding

    def forward(self, x):
        if self.rounding is None or isinstance(x, Wide):  # float64 is no matter of kernels
            return self.computed(x)
        with Trembling(self.rounding):
            return self.computed(x)

    def computed(self, x):
        return torch.log_softmax(torch.exp(torch.tanh(self.bn(self.fc(x))) + x), dim=-1)


def compared(seed: int, **how):
    ms.set_seed(seed)
    torch.manual_seed(seed)
    called = Called(True, (torch.randn(6, WIDTH),), {})
    return comparing.compare(Net(), Twin(**how), called, called)


@pytest.mark.parametrize("seed", range(60))
def test_rounding_of_other_kernels_is_no_difference(seed):
    assert compared(seed, rounding=1000 + seed) is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("eps", [1e-3, 1e-4])
def test_another_epsilon_is_one(seed, eps):
    found = compared(seed, eps=eps, rounding=1000 + seed)
    assert found is not None and found.error > 2 * found.tolerance
