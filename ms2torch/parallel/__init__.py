"""``mindspore.parallel``: settings of parallel training, layouts, checkpoints in slices."""

from ms2torch._naming.surface import install_lazy

from . import _strategies
from .algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from .checkpoint_transform import build_searched_strategy, merge_sliced_parameter, restore_group_info_list
from .parameter_broadcast import parameter_broadcast
from .shard import Layout, shard

__all__ = [
    "Layout",
    "build_searched_strategy",
    "get_algo_parameters",
    "merge_sliced_parameter",
    "parameter_broadcast",
    "reset_algo_parameters",
    "restore_group_info_list",
    "set_algo_parameters",
    "shard",
]

install_lazy(__name__, globals())
