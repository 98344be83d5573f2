"""``mindspore.boost.adasum``, which ms2torch does not have."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch.nn.cell import Cell
from ms2torch.parallel._utils import _get_device_num

__all__ = ["AdaSum"]


class AdaSum(Cell):
    """Combines weights of servers of eight devices: RuntimeError on one device, as in MindSpore, else
    NotImplementedError."""

    def __init__(self, rank, device_number, group_number, parameter_tuple) -> None:
        super().__init__()
        if _get_device_num() == 1:
            raise RuntimeError("Distributed Communication has not been inited.")
        raise unsupported("mindspore.boost.AdaSum", "combines weights of Ascend servers in a tree.",
                          "train with gradients averaged over the devices.")

    def construct(self, delta_weights, parameters, old_parameters):
        raise NotImplementedError
