"""``mindspore.parallel._utils``: what training code asks about how it is spread over devices."""

from __future__ import annotations

import os

from ms2torch._naming.surface import install_lazy

from ..communication.management import GlobalComm, get_group_size, get_rank
from ._auto_parallel_context import (
    _reset_auto_parallel_context,  # noqa: F401
    _set_auto_parallel_context,  # noqa: F401
    auto_parallel_context,
)

_context = auto_parallel_context()


def _get_parallel_mode() -> str:
    return _context.get_parallel_mode()


def _is_parallel_mode() -> bool:
    """Whether several processes predict together without a parallel mode."""
    predicts = GlobalComm.INITED and os.environ.get("RUN_MODE") == "predict"
    return predicts and get_group_size() > 1 and _get_parallel_mode() == "stand_alone"


def _is_in_auto_parallel_mode() -> bool:
    return _get_parallel_mode() in ("semi_auto_parallel", "auto_parallel")


def _is_in_data_parallel_mode() -> bool:
    return _get_parallel_mode() == "data_parallel"


def _is_in_hybrid_parallel_mode() -> bool:
    return _get_parallel_mode() == "hybrid_parallel"


def _is_sharding_propagation() -> bool:
    return (
        _context.get_sharding_propagation() or _context.get_strategy_search_mode() == "sharding_propagation"
    )


def _get_full_batch() -> bool:
    return _context.get_full_batch()


def _get_pipeline_stages() -> int:
    return _context.get_pipeline_stages()


def _get_grad_accumulation_shard() -> bool:
    return _context.get_grad_accumulation_shard()


def _get_gradients_mean() -> bool:
    return _context.get_gradients_mean()


_get_mirror_mean = _get_gradients_mean      # its name in 1.0


def _get_enable_parallel_optimizer() -> bool:
    return _context.get_enable_parallel_optimizer()


def sharing_plan():
    """How ``parallel_optimizer_config`` asks the ranks to share what an optimizer keeps."""
    from ms2torch._core.processes.zero import Plan

    config = _context.get_parallel_optimizer_config()
    level = int(config.get("optimizer_level", "level1")[-1])
    level = 2 if config.get("gradient_accumulation_shard") else level
    threshold = config.get("parallel_optimizer_threshold", 64)
    return Plan(_context.get_optimizer_weight_shard_size(), threshold * 1024, level)


def _get_parameter_broadcast() -> bool:
    return _context.get_parameter_broadcast()


def _get_device_num() -> int:
    """How many devices train together: 1 alone, else what was set, else the size of the group."""
    if _get_parallel_mode() == "stand_alone":
        return 1
    return _context.get_device_num() if _context.get_device_num_is_set() else get_group_size()


def _get_stage_device_num() -> int:
    return _get_device_num() // _get_pipeline_stages()


def _get_global_rank() -> int:
    if _get_parallel_mode() == "stand_alone":
        return 0
    return _context.get_global_rank() if _context.get_global_rank_is_set() else get_rank()


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Several devices need a parallel mode."""
    if parallel_mode == "stand_alone" and device_number != 1:
        raise ValueError(
            "If parallel_mode is stand_alone, device_number must be 1, "
            f"device_number: {device_number}, parallel_mode:{parallel_mode}"
        )


def _parameter_broadcast_check(parallel_mode: str, parameter_broadcast: bool) -> None:
    """Broadcasting parameters needs data or hybrid parallel mode."""
    if parameter_broadcast is True and parallel_mode not in ("data_parallel", "hybrid_parallel"):
        raise ValueError(
            "stand_alone, semi_auto_parallel and auto_parallel do not support parameter broadcast, "
            f"parallel_mode: {parallel_mode}, parameter_broadcast:{parameter_broadcast}"
        )


install_lazy(__name__, globals())
