"""Where parameters wait while they are not used (``mindspore.parallel._offload_context``, 2.0 to 2.6).

MindSpore moves them on Ascend alone; elsewhere, and here, the settings are kept and change nothing.
"""

from __future__ import annotations

from ms2torch import _checkparam as check

_START = {
    "enable_offload": False, "offload_param": "", "offload_path": "./offload", "offload_checkpoint": "",
    "offload_ddr_size": 0, "offload_disk_size": 0, "enable_aio": True, "aio_block_size": 0,
    "aio_queue_depth": 0, "enable_pinned_mem": False,
}
_kept = dict(_START)


def _checked(name: str, value):
    kind = type(_START[name])
    if kind is bool:
        return check.check_bool(value, name, name)
    if kind is int:
        return check.check_positive_int(value)
    if name != "offload_path":
        return check.check_string(value.lower(), ["cpu", "disk"])
    if not isinstance(value, str):
        raise TypeError("For 'set_offload_path', the argument 'offload_path' must be str, but got the type : "
                        f"{type(value)}.")
    return value


def set_offload_context(offload_config) -> None:
    """Keep settings of moving parameters away (``mindspore.set_offload_context``, 2.0 to 2.6).

    A dict with some of ``enable_offload``, ``offload_param`` and ``offload_checkpoint`` ("cpu" or "disk"),
    ``offload_path``, ``offload_ddr_size``, ``offload_disk_size``, ``enable_aio``, ``aio_block_size``,
    ``aio_queue_depth`` and ``enable_pinned_mem``; ValueError for another key or value, TypeError for a wrong
    kind.
    """
    if not isinstance(offload_config, dict):
        raise TypeError(f"The parameter 'offload_config' must be {dict}, but got {type(offload_config)}")
    for name in offload_config:
        if name not in _START:
            raise ValueError(f"Unknown config: {[name]}")
    _kept.update({name: _checked(name, value) for name, value in offload_config.items()})


def get_offload_context() -> dict:
    """The settings of `set_offload_context` (``mindspore.get_offload_context``, 2.0 to 2.6)."""
    return dict(_kept)
