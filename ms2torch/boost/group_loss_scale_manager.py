"""``mindspore.boost.group_loss_scale_manager``."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch.common import dtype as mstype
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.ops import functional as F

__all__ = ["GroupLossScaleManager"]


class GroupLossScaleManager(Cell):
    """Loss scales by groups of layers (``mindspore.boost.GroupLossScaleManager``): their state. Its call
    marks the gradients of layers, which Ascend does alone: NotImplementedError."""

    def __init__(self, init_loss_scale, loss_scale_groups) -> None:
        super().__init__()
        self._loss_scale, self.loss_scale_groups = init_loss_scale, loss_scale_groups
        self.loss_scale_number = 0
        self.layer_loss_scale = self.dynamic_loss_scale = None

    def set_loss_scale_status(self, loss_scale_number, init_loss_scale) -> None:
        """Make the Parameters of ``loss_scale_number`` scales, between two that are 1: all start at
        ``init_loss_scale``, or each at one of a list."""
        self.loss_scale_number = loss_scale_number
        self.dynamic_loss_scale = ParameterTuple([
            Parameter(Tensor(1, mstype.float32), name=f"layer_loss_scale_{i}", requires_grad=False)
            for i in range(loss_scale_number + 2)])
        listed = isinstance(init_loss_scale, list)
        for i, value in enumerate(init_loss_scale if listed else [init_loss_scale] * loss_scale_number):
            self.dynamic_loss_scale[i + 1].set_data(Tensor(value, mstype.float32))

    def update_loss_scale_status(self, layer, update_ratio):
        """Multiply the scale of ``layer`` by ``update_ratio``; the new one."""
        found = self.dynamic_loss_scale[layer + 1] * update_ratio
        F.assign(self.dynamic_loss_scale[layer + 1], found)
        return found

    def construct(self, x, layer1, layer2):
        raise unsupported("mindspore.boost.GroupLossScaleManager", "Ascend marks the gradients of layers.",
                          "one scale, by nn.DynamicLossScaleUpdateCell.")

    def get_loss_scale(self):
        """The scale at the start."""
        return self._loss_scale

    def get_update_cell(self):
        """This object itself."""
        return self
