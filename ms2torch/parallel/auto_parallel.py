"""``mindspore.parallel.auto_parallel``: refused, with a way out."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch._naming.surface import install_lazy

from ..nn.cell import Cell

__all__ = ["AutoParallel"]


class AutoParallel(Cell):
    """Not supported: NotImplementedError, which names data-parallel training and torch's other ways."""

    def __init__(self, network, parallel_mode="semi_auto") -> None:
        raise unsupported(
            "mindspore.parallel.auto_parallel.AutoParallel", "a network is not split over devices.",
            'set_auto_parallel_context(parallel_mode="data_parallel") trains data-parallel; networks that do '
            "not fit go to FSDP or torch.distributed.tensor.parallel with ms2torch.to_torch(net).")


install_lazy(__name__, globals())
