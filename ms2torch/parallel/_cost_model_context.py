"""Settings of MindSpore's model of a strategy's costs: checked, kept, read back; nothing is searched."""

from __future__ import annotations

from ms2torch._naming.surface import install_lazy

from .._checkparam import args_type_check

_DEFAULTS = {
    "device_memory_capacity": 16.0 * 2**30,
    "costmodel_alpha": 1.0,
    "costmodel_beta": 400.0,
    "costmodel_gamma": 0.001,
    "costmodel_communi_threshold": 2048.0,
    "costmodel_communi_const": 3072.0,
    "costmodel_communi_bias": 1024.0,
    "run_phase": 0,
    "costmodel_allreduce_fusion_algorithm": 0,
    "costmodel_allreduce_fusion_times": 0,
    "costmodel_allreduce_fusion_tail_percent": 0.1,
    "costmodel_allreduce_fusion_tail_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
    "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
}
_FLAGS = {"multi_subgraphs": False, "algo_single_loop": False, "rp_matmul_mem_coef": 0.1}
_values = {**_DEFAULTS, **_FLAGS}


@args_type_check(**{key: type(value) for key, value in _DEFAULTS.items()})
def set_cost_model_context(**kwargs) -> None:
    """Set how MindSpore would weigh strategies; ValueError for an unknown keyword, RuntimeError for a cost
    that is not positive."""
    for key, value in kwargs.items():
        if key not in _DEFAULTS:
            raise ValueError(f"Set context keyword {key} is not recognized!")
        if key == "run_phase" and value not in (0, 1):
            raise ValueError(
                f"For 'set_run_phase', the argument 'phase' must be '0' or '1', but got {value}"
            )
        if key in ("device_memory_capacity", "costmodel_alpha", "costmodel_beta") and value <= 0:
            raise RuntimeError(f"'{key}' must be positive.")
        _values[key] = value


def get_cost_model_context(attr_key: str):
    """The value of one setting; ValueError for an unknown name."""
    if attr_key not in _DEFAULTS:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def reset_cost_model_context() -> None:
    """Put the settings back to their defaults."""
    _values.update(_DEFAULTS, **_FLAGS)


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    _values["multi_subgraphs"] = multi_subgraph


def _get_multi_subgraphs() -> bool:
    return _values["multi_subgraphs"]


def _set_algo_single_loop(single_loop: bool = True) -> None:
    _values["algo_single_loop"] = single_loop


def _get_algo_single_loop() -> bool:
    return _values["algo_single_loop"]


def _set_rp_matmul_mem_coef(coef: float) -> None:
    _values["rp_matmul_mem_coef"] = coef


def _get_rp_matmul_mem_coef() -> float:
    return _values["rp_matmul_mem_coef"]


install_lazy(__name__, globals())
