"""Settings of MindSpore's search for parallel strategies: checked, kept, read back; nothing is searched."""

from __future__ import annotations

from ms2torch._naming.surface import install_lazy

from .._checkparam import args_type_check

_DEFAULTS = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}
_values = dict(_DEFAULTS)


@args_type_check(
    tensor_slice_align_enable=bool,
    tensor_slice_align_size=int,
    fully_use_devices=bool,
    elementwise_op_strategy_follow=bool,
    enable_algo_approxi=bool,
    algo_approxi_epsilon=float,
)
def set_algo_parameters(**kwargs) -> None:
    """Set how MindSpore would search for strategies; ValueError for an unknown keyword."""
    for key, value in kwargs.items():
        if key not in _values:
            raise ValueError(f"Set context keyword {key} is not recognized!")
        if key == "tensor_slice_align_size" and not 1 <= value <= 1024:
            raise ValueError(f"Align_size must be in [1, 1024], but got {value}")
        _values[key] = value


def get_algo_parameters(attr_key: str):
    """The value of one setting; ValueError for an unknown name."""
    if attr_key not in _values:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def reset_algo_parameters() -> None:
    """Put the settings back to their defaults."""
    _values.update(_DEFAULTS)


install_lazy(__name__, globals())
