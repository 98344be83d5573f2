"""Gradient reduction over devices (``mindspore.nn.wrap.grad_reducer``)."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch.nn.cell import Cell


def reducer_for(weights):
    """What a train cell needs to reduce: (parallel_mode, reducer_flag, mean, degree, grad_reducer)."""
    from ms2torch.ops import identity
    from ms2torch.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

    mode = _get_parallel_mode()
    if mode not in ("data_parallel", "hybrid_parallel"):
        return mode, False, False, 1, identity
    mean, degree = _get_gradients_mean(), _get_device_num()
    return mode, True, mean, degree, DistributedGradReducer(weights, mean, degree)


class DistributedGradReducer(Cell):
    """Sums gradients over devices, divided by ``degree`` where ``mean``
    (``mindspore.nn.DistributedGradReducer``).

    In one process the sum over devices is the gradient itself. ValueError for a ``degree`` that is no
    positive int.
    """

    _never_recorded = True

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group=None) -> None:
        super().__init__(auto_prefix=False)
        from ms2torch.parallel._utils import _get_device_num, _get_gradients_mean

        if degree is None:
            degree = _get_device_num()
        if not isinstance(degree, int) or isinstance(degree, bool) or degree <= 0:
            raise ValueError(
                "For 'DistributedGradReducer', the parameter 'degree' in DistributedGradReducer "
                f"must large than 0 and be int, but got {degree}."
            )
        self.degree = degree
        self.mean = _get_gradients_mean() if mean is None else mean
        self.fusion_type, self.group = fusion_type, group
        if _get_device_num() > 1:
            raise unsupported(
                "mindspore.nn.DistributedGradReducer",
                "more than one process is not supported yet.",
                "train in one process.",
            )

    def construct(self, grads):
        if self.mean and self.degree > 1:
            scale = 1.0 / self.degree
            return tuple(g * scale for g in grads)
        return grads


class PipelineGradReducer(Cell):
    """Gradients of pipeline stages; ms2torch has no pipeline parallelism."""

    def __init__(self, parameters, scale_sense=1.0, opt_shard=None) -> None:
        raise unsupported(
            "mindspore.nn.PipelineGradReducer",
            "pipeline parallelism is not supported.",
            "train data-parallel with DistributedGradReducer.",
        )
