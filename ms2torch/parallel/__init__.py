"""``mindspore.parallel``: settings of parallel training, layouts, checkpoints in slices."""

from ms2torch._naming.surface import install_lazy

from . import _strategies
from .algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from .checkpoint_transform import (
    build_searched_strategy,
    load_distributed_checkpoint,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    rank_list_for_transform,
    restore_group_info_list,
    sync_pipeline_shared_parameters,
    transform_checkpoint_by_rank,
    transform_checkpoints,
    unified_safetensors,
)
from .parameter_broadcast import parameter_broadcast
from .shard import Layout, shard

__all__ = [
    "Layout",
    "build_searched_strategy",
    "get_algo_parameters",
    "load_distributed_checkpoint",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "parameter_broadcast",
    "rank_list_for_transform",
    "reset_algo_parameters",
    "restore_group_info_list",
    "set_algo_parameters",
    "shard",
    "sync_pipeline_shared_parameters",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]

install_lazy(__name__, globals())
