"""Rprop (``mindspore.experimental.optim.Rprop``)."""

from __future__ import annotations

from functools import partial

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim.rprop import rprop_kernel

from .optimizer import Optimizer, check_not_less_than_without_equal


class Rprop(Optimizer):
    """Resilient backpropagation, as ``nn.Rprop`` and torch's: every weight moves by a step of its own.

    State: ``prev.*``, ``step_size.*``, ``step_t``.
    """

    _adds_decay = False

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than_without_equal(etas[1], "etas[1]", name, 1.0)
        validator.check_float_range(etas[0], 0.0, 1.0, validator.INC_NEITHER, "etas[0]", name)
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})
        self.prev = self.parameters.clone(prefix="prev", init="zeros")
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")

    def construct(self, gradients):
        kernel = partial(_rprop, self._counted(self.step_t))
        return self._update(gradients, kernel, self.prev, self.step_size)


def _rprop(step, group, params, grads, before, sizes, rate) -> None:
    (shrinking, growing), (least, largest) = group["etas"], group["step_sizes"]
    rprop_kernel(step == 1, shrinking, growing, least, largest, params, grads, before, sizes, rate, None)
