"""How kernels for Ascend are made (``mindspore.device_context.ascend.op_tuning``): accepted, without effect.
"""

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


def op_compile(value) -> None:
    """Accepted: whether kernels are compiled when they are first run."""


def aoe_tune_mode(tune_mode) -> None:
    """Accepted: "online" or "offline" tuning."""


def aoe_job_type(config) -> None:
    """Accepted: what is tuned, "1" for graphs, "2" for operators."""


def aclnn_cache(enable_global_cache=False, cache_queue_length=10000) -> None:
    """Accepted: how many prepared kernels are kept."""
