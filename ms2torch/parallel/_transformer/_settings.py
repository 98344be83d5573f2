"""Settings of whole transformers."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch import context
from ms2torch import log as logger

from .op_parallel_config import (
    MoEParallelConfig,
    OpParallelConfig,
    _checked,
    _Config,
    _passed_on,
    _PipeLineConfig,
)


class EmbeddingOpParallelConfig(_Config):
    """An `OpParallelConfig`, and whether an embedding's table is on every device (``vocab_emb_dp``)."""

    data_parallel = _passed_on("data_parallel", "_dp_mp_config")
    model_parallel = _passed_on("model_parallel", "_dp_mp_config")
    vocab_emb_dp = _checked("vocab_emb_dp", check.check_bool)
    dp_mp_config = property(lambda self: self._dp_mp_config)

    def __init__(self, data_parallel=1, model_parallel=1, vocab_emb_dp=True) -> None:
        self._dp_mp_config = OpParallelConfig(data_parallel, model_parallel)
        self.vocab_emb_dp = vocab_emb_dp


class TransformerRecomputeConfig(_Config):
    """Whether blocks are computed again in the backward pass, and what of them. TypeError unless bools."""

    recompute = _checked("recompute", check.check_bool)
    parallel_optimizer_comm_recompute = _checked("parallel_optimizer_comm_recompute", check.check_bool)
    mp_comm_recompute = _checked("mp_comm_recompute", check.check_bool)
    recompute_slice_activation = _checked("recompute_slice_activation", check.check_bool)

    def __init__(
        self,
        recompute=False,
        parallel_optimizer_comm_recompute=False,
        mp_comm_recompute=True,
        recompute_slice_activation=False,
    ):
        self.recompute = recompute
        self.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute
        self.mp_comm_recompute = mp_comm_recompute
        self.recompute_slice_activation = recompute_slice_activation


default_transformer_recompute_config = TransformerRecomputeConfig()


class TransformerOpParallelConfig(_Config):
    """All settings of a transformer: parallelism, pipeline, recomputation, optimizer shards.

    ``pipeline_stage`` and ``optimizer_shard`` are written to the auto-parallel context too. ValueError and
    TypeError for bad values.
    """

    data_parallel = _passed_on("data_parallel", "_embed_dp_mp_config", "_moe_config")
    model_parallel = _passed_on("model_parallel", "_embed_dp_mp_config", "_moe_config")
    expert_parallel = _passed_on("expert_parallel", "_moe_config")
    vocab_emb_dp = _passed_on("vocab_emb_dp", "_embed_dp_mp_config")
    pipeline_stage = _passed_on("pipeline_stage", "_pp_config")
    pipeline_segment = _passed_on("pipeline_segment", "_pp_config")
    micro_batch_num = _passed_on("micro_batch_num", "_pp_config")
    gradient_aggregation_group = _checked("gradient_aggregation_group")
    optimizer_shard = _checked(
        "optimizer_shard",
        check.check_bool,
        then=lambda value: context.set_auto_parallel_context(enable_parallel_optimizer=value),
    )
    embedding_dp_mp_config = property(lambda self: self._embed_dp_mp_config)
    dp_mp_config = property(lambda self: self._embed_dp_mp_config.dp_mp_config)
    moe_parallel_config = property(lambda self: self._moe_config)

    def __init__(
        self,
        data_parallel=1,
        model_parallel=1,
        expert_parallel=1,
        pipeline_stage=1,
        pipeline_segment=1,
        micro_batch_num=1,
        recompute=default_transformer_recompute_config,
        optimizer_shard=False,
        gradient_aggregation_group=4,
        vocab_emb_dp=True,
    ):
        self.recompute = recompute
        self.optimizer_shard = optimizer_shard
        self.gradient_aggregation_group = gradient_aggregation_group
        self._embed_dp_mp_config = EmbeddingOpParallelConfig(data_parallel, model_parallel, vocab_emb_dp)
        self._pp_config = _PipeLineConfig(pipeline_stage, micro_batch_num, pipeline_segment)
        self._moe_config = MoEParallelConfig(data_parallel, model_parallel, expert_parallel)

    @property
    def recompute(self):
        """A `TransformerRecomputeConfig` or a bool."""
        return self._recompute

    @recompute.setter
    def recompute(self, value) -> None:
        if not isinstance(value, (TransformerRecomputeConfig, bool)):
            raise TypeError(
                f"recompute must be a TransformerRecomputeConfig/bool, but got {type(value).__name__}."
            )
        if isinstance(value, bool):
            logger.warning("TransformerRecomputeConfig is recommended as the recompute configuration type.")
        self._recompute = value


def _default() -> TransformerOpParallelConfig:
    """The settings without arguments; importing this module leaves the context as the program set it."""
    names = ("pipeline_stages", "enable_parallel_optimizer")
    kept = {name: context.get_auto_parallel_context(name) for name in names}
    settings = TransformerOpParallelConfig()
    context.set_auto_parallel_context(**kept)
    return settings


default_transformer_config = _default()
default_embedding_parallel_config = EmbeddingOpParallelConfig()
