"""Gradients of several steps added up before one update (``mindspore.boost.grad_accumulation``)."""

from __future__ import annotations

from ms2torch.common import dtype as mstype
from ms2torch.common.parameter import Parameter
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.ops import composite as C
from ms2torch.ops import functional as F

gradient_accumulation_op = C.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = C.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _add(steps, total, grad):
    F.assign_add(total, grad / steps)
    return total


@gradient_clear_op.register("Tensor")
def _clear(total):
    return F.assign(total, F.zeros_like(total))


class GradientAccumulation(Cell):
    """Keeps the mean of ``max_accumulation_step`` steps' gradients and then lets ``optimizer`` update
    (``mindspore.boost.GradientAccumulation``). ``(loss, gradients)`` to ``loss``.

    The sums are Parameters named ``grad_accumulation.<weight>``. Subclasses use ``hyper_map``, ``weights``,
    ``optimizer``, ``_grad_accumulation``, ``_accumulation_step`` and ``_max_accumulation_step``.
    """

    def __init__(self, max_accumulation_step, optimizer) -> None:
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = C.HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, dtype=mstype.int32), name="accumulation_step")

    def construct(self, loss, grads):
        add = F.partial(gradient_accumulation_op, self._max_accumulation_step)
        self.hyper_map(add, self._grad_accumulation, grads)
        F.assign_add(self._accumulation_step, Tensor(1, mstype.int32))
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            F.assign(self._accumulation_step, 0)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
        return loss
