"""Adaptive summation of gradients (``mindspore.nn.optim.adasum``), which ms2torch does not do."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch.nn.cell import Cell
from ms2torch.parallel._utils import _get_device_num

__all__ = ["AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell"]


class _AdaSum(Cell):
    def __init__(self, optimizer) -> None:
        super().__init__()
        if _get_device_num() == 1:
            raise RuntimeError("Stand alone mode is not supported to apply adasum.")
        raise unsupported(f"mindspore.nn.{self.cls_name}", "combines gradients of Ascend devices in a tree.",
                          "use the optimizer as it is, with gradients averaged over the devices.")

    def construct(self, grads):
        raise NotImplementedError


class AdaSumByGradWrapCell(_AdaSum):
    """Not supported: RuntimeError on one device, as in MindSpore, else NotImplementedError."""


class AdaSumByDeltaWeightWrapCell(_AdaSum):
    """Not supported: RuntimeError on one device, as in MindSpore, else NotImplementedError."""
