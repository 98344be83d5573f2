"""How a transformer is spread over devices (``mindspore.parallel._transformer.op_parallel_config``).

All configurations are kept and checked; the computation is data-parallel and the same under each of them.
"""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch import context
from ms2torch.communication.management import get_group_size
from ms2torch.parallel._utils import _get_parallel_mode

__all__ = ["OpParallelConfig"]


def _checked(name: str, validate=check.check_positive_int, stored: str | None = None, then=None) -> property:
    """An attribute that is validated on every write; ``then`` is called with what was written."""
    stored = stored or f"_{name}"

    def write(self, value) -> None:
        validate(value, name)
        setattr(self, stored, value)
        if then is not None:
            then(value)

    return property(lambda self: getattr(self, stored), write)


def _passed_on(name: str, *parts: str) -> property:
    """An attribute that lives in the configurations ``parts``."""

    def write(self, value) -> None:
        for part in parts:
            setattr(getattr(self, part), name, value)

    return property(lambda self: getattr(getattr(self, parts[0]), name), write)


class _Config:
    """Prints its attributes, a line each."""

    def __str__(self) -> str:
        return "[ParallelConfig]\n" + "".join(f"{k}:{v}\n" for k, v in vars(self).items())


class OpParallelConfig(_Config):
    """Over how many devices data and weights are to be split. ValueError unless both are positive ints."""

    data_parallel = _checked("data_parallel")
    model_parallel = _checked("model_parallel")

    def __init__(self, data_parallel=1, model_parallel=1) -> None:
        self.data_parallel, self.model_parallel = data_parallel, model_parallel


class MoEParallelConfig(_Config):
    """An `OpParallelConfig` and over how many devices experts are to be split."""

    data_parallel = _passed_on("data_parallel", "_dpmp")
    model_parallel = _passed_on("model_parallel", "_dpmp")
    expert_parallel = _checked("expert_parallel")
    dpmp = property(lambda self: self._dpmp)

    def __init__(self, data_parallel=1, model_parallel=1, expert_parallel=1) -> None:
        self._dpmp = OpParallelConfig(data_parallel, model_parallel)
        self.expert_parallel = expert_parallel


class _PipeLineConfig(_Config):
    """Pipeline stages and how many micro-batches go through them."""

    pipeline_stage = _checked(
        "pipeline_stage", then=lambda value: context.set_auto_parallel_context(pipeline_stages=value)
    )
    pipeline_segment = _checked("pipeline_segment")
    micro_batch_num = _checked("micro_batch_num")

    def __init__(self, pipeline_stage=1, micro_batch_num=1, pipeline_segment=1) -> None:
        self.pipeline_stage, self.pipeline_segment = pipeline_stage, pipeline_segment
        self.micro_batch_num = micro_batch_num


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()


def _check_config(config) -> None:
    """ValueError for a configuration that contradicts the context or needs more devices than there are."""
    stages = context.get_auto_parallel_context("pipeline_stages")
    if hasattr(config, "pipeline_stage") and stages != config.pipeline_stage:
        raise ValueError(
            f"The pipeline stage {stages} in auto_parallel_context is not equal to the pipeline_stage "
            f"{config.pipeline_stage} in the config."
        )
    if _get_parallel_mode() not in ("semi_auto_parallel", "auto_parallel"):
        return
    devices = get_group_size()
    if config.data_parallel * config.model_parallel * stages > devices:
        raise ValueError(
            f"The product of the data parallel {config.data_parallel}, model parallel "
            f"{config.model_parallel} pipeline stages {stages} should be less than device_num {devices}."
        )
