"""``mindspore.parallel.nn``: Cells that cut a batch into parts."""

from ms2torch._naming.surface import install_lazy
from ms2torch.nn.wrap.cell_wrapper import MicroBatchInterleaved, _InMicroBatches, _Pipeline
from ms2torch.nn.wrap.grad_reducer import PipelineGradReducer

__all__ = ["GradAccumulation", "MicroBatchInterleaved", "Pipeline", "PipelineGradReducer"]


class PipelineCell(_Pipeline):
    """``nn.PipelineCell``, as ``mindspore.parallel.nn`` has it."""


class Pipeline(PipelineCell):
    """The newer name of ``nn.PipelineCell`` (``mindspore.parallel.nn.Pipeline``)."""


class GradAccumulation(_InMicroBatches):
    """The newer name of ``nn.GradAccumulationCell`` (``mindspore.parallel.nn.GradAccumulation``)."""

    def __init__(self, network, micro_size: int) -> None:
        super().__init__(network, micro_size, "GradAccumulation")


install_lazy(__name__, globals())
