"""``mindspore.parallel``: settings of parallel training."""

from .._core.surface import install_lazy
from .algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters

__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]

install_lazy(__name__, globals())
