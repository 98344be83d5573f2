"""``mindspore.parallel.nn``: Cells that cut a batch into parts."""

from ms2torch._naming.surface import install_lazy
from ms2torch.nn.wrap.cell_wrapper import GradAccumulationCell, MicroBatchInterleaved, PipelineCell
from ms2torch.nn.wrap.grad_reducer import PipelineGradReducer

__all__ = ["GradAccumulation", "MicroBatchInterleaved", "Pipeline", "PipelineGradReducer"]


class Pipeline(PipelineCell):
    """The newer name of ``nn.PipelineCell`` (``mindspore.parallel.nn.Pipeline``)."""


class GradAccumulation(GradAccumulationCell):
    """The newer name of ``nn.GradAccumulationCell`` (``mindspore.parallel.nn.GradAccumulation``)."""


install_lazy(__name__, globals())
