"""The settings behind ``set_auto_parallel_context``: one table, with MindSpore's checks and defaults.

``auto_parallel_context()`` is the object that programs ask by methods (``get_parallel_mode()``); every
setting has a ``set_`` and a ``get_`` method there, made from the table.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from ms2torch._core.errors import notice
from ms2torch._core.processes import ranks

from . import _as_data_parallel
from . import _setting_checks as checks


class _Setting(NamedTuple):
    default: Any
    checked: Callable[[Any], Any] = lambda value: value
    readable: bool = True
    method: str | None = None  # where the object's methods have another name than the keyword


_AUTO = {"mode": "auto", "config": None}
_SETTINGS: dict[str, _Setting] = {
    "device_num": _Setting(1, checks.device_num),
    "global_rank": _Setting(0, checks.global_rank),
    "gradients_mean": _Setting(False, checks.native("set_gradients_mean", bool)),
    "gradient_fp32_sync": _Setting(True, checks.native("set_gradient_fp32_sync", bool)),
    "loss_repeated_mean": _Setting(True, checks.argument("loss_repeated_mean")),
    "pipeline_stages": _Setting(1, checks.count_of("pipeline_stages", "stages")),
    "auto_pipeline": _Setting(False, checks.argument("auto_pipeline")),
    "pipeline_result_broadcast": _Setting(False, checks.setter("pipeline_result_broadcast")),
    "pipeline_segments": _Setting(1, checks.count_of("pipeline_segments", "segments"), readable=False),
    "parallel_mode": _Setting("stand_alone", checks.parallel_mode),
    # Each refuses in the other's name.
    "search_mode": _Setting("recursive_programming", checks.search_mode("auto_parallel_search_mode"),
                            method="strategy_search_mode"),
    "auto_parallel_search_mode": _Setting("recursive_programming", checks.search_mode("search_mode")),
    "parameter_broadcast": _Setting(False, checks.native("set_parameter_broadcast", bool)),
    "strategy_ckpt_load_file": _Setting("", checks.native("set_strategy_ckpt_load_file", str)),
    "strategy_ckpt_save_file": _Setting("", checks.path),
    "group_ckpt_save_file": _Setting("", checks.path, readable=False),
    "full_batch": _Setting(False, checks.native("set_full_batch", bool)),
    "dataset_strategy": _Setting("data_parallel", checks.dataset_strategy),
    "enable_parallel_optimizer": _Setting(False, checks.argument("enable_parallel_optimizer")),
    "force_fp32_communication": _Setting(False, checks.argument("force_fp32_communication")),
    "parallel_optimizer_config": _Setting({}, checks.parallel_optimizer_config, readable=False),
    "pipeline_config": _Setting({"pipeline_interleave": False, "pipeline_scheduler": "1f1b"},
                                checks.pipeline_config, readable=False),
    "grad_accumulation_step": _Setting(1, checks.grad_accumulation_step),
    "all_reduce_fusion_config": _Setting([], checks.fusion_indices, method="all_reduce_fusion_split_indices"),
    "communi_parallel_mode": _Setting("all_group_parallel", checks.communi_parallel_mode),
    "optimizer_weight_shard_size": _Setting(-1, checks.shard_size),
    "optimizer_weight_shard_aggregated_save": _Setting(False, checks.aggregated_save),
    "sharding_propagation": _Setting(False, checks.setter("sharding_propagation")),
    "enable_alltoall": _Setting(False, checks.setter("enable_alltoall", "enable_a2a")),
    "strategy_ckpt_config": _Setting({"load_file": "", "save_file": "", "only_trainable_params": True},
                                     checks.strategy_config),
    "comm_fusion": _Setting({"openstate": True, "allreduce": _AUTO, "allgather": _AUTO,
                             "reducescatter": _AUTO}, checks.comm_fusion),
    **{name: _Setting(value, checks.native(f"set_{name}", type(value))) for name, value in (
        ("dump_local_norm", False), ("dump_local_norm_path", ""), ("dump_device_local_norm", False),
        ("auto_parallel_new_interface", False), ("init_param_in_compile", True))},
}
# Settings of several keys: what is not given stays.
_JOINED = ("parallel_optimizer_config", "strategy_ckpt_config", "comm_fusion")
# Given where the dataset's strategy came in parts last: reset, it reads as an empty list from then on.
_PARTS = "dataset_strategy in parts"
_values: dict[str, Any] = {}
_given: set[str] = set()


def _set_auto_parallel_context(**kwargs) -> None:
    for key, value in kwargs.items():
        if key not in _SETTINGS:
            raise ValueError(f"Set context keyword {key} is not recognized!")
        found = _SETTINGS[key].checked(value)
        if key == "comm_fusion":
            found = {"openstate": True, **found}
        _values[key] = {**_values[key], **found} if key in _JOINED else found
        _given.add(key)
        if key == "device_num" and value > ranks.place().size:
            notice("device_num", f"device_num={value}, but the processes here are {ranks.place().size}: "
                   f"ms2torch run --nproc {value} train.py starts {value}.")
        if key == "strategy_ckpt_config":
            _values.update(
                {f"strategy_ckpt_{k}": v for k, v in value.items() if k != "only_trainable_params"}
            )
        elif key == "parallel_optimizer_config" and value.get("optimizer_weight_shard_size", -1) != -1:
            _values["optimizer_weight_shard_size"] = value["optimizer_weight_shard_size"]
        elif key == "full_batch" and isinstance(_values["dataset_strategy"], str):
            _values["dataset_strategy"] = "full_batch" if value else "data_parallel"
        elif key == "dataset_strategy" and isinstance(value, str):
            _values["full_batch"] = value == "full_batch"
            _given.discard(_PARTS)
        elif key == "dataset_strategy":
            _given.add(_PARTS)
        elif key in ("strategy_ckpt_load_file", "strategy_ckpt_save_file"):
            part = key.removeprefix("strategy_ckpt_")
            _values["strategy_ckpt_config"] = {**_values["strategy_ckpt_config"], part: value}
    _as_data_parallel.apply_settings(_values, going_on=True)


def _get_auto_parallel_context(attr_key):
    if attr_key == "full_batch_is_set":
        return "full_batch" in _given
    if attr_key in ("pipeline_interleave", "pipeline_scheduler"):
        return _values["pipeline_config"][attr_key]
    if attr_key not in _SETTINGS or not _SETTINGS[attr_key].readable:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    if attr_key == "dataset_strategy" and _PARTS in _given and isinstance(_values[attr_key], str):
        return []
    return _values[attr_key]


def in_force() -> dict:
    """All settings, for `put_back`."""
    return dict(_values)


def put_back(values: dict) -> None:
    """Have the settings that `in_force` gave."""
    _values.update(values)
    _as_data_parallel.apply_settings(_values)


def _reset_auto_parallel_context() -> None:
    _given.intersection_update({_PARTS})
    _values.update({name: copy.deepcopy(setting.default) for name, setting in _SETTINGS.items()})
    _as_data_parallel.apply_settings(_values)


class _AutoParallelContext:
    """The settings by methods; one object per process."""

    def get_device_num_is_set(self) -> bool:
        return "device_num" in _given

    def get_global_rank_is_set(self) -> bool:
        return "global_rank" in _given

    def get_parameter_broadcast_is_set(self) -> bool:
        return "parameter_broadcast" in _given

    def get_full_batch_is_set(self) -> bool:
        return "full_batch" in _given

    def get_grad_accumulation_shard(self) -> bool:
        return _values["parallel_optimizer_config"].get("gradient_accumulation_shard", False)

    def set_all_reduce_fusion_split_indices(self, indices, group="") -> None:
        """Where the gradients' all-reduce is cut into buckets; ``group`` names the communication group."""
        _set_auto_parallel_context(all_reduce_fusion_config=indices)

    def get_all_reduce_fusion_split_indices(self, group="") -> list[int]:
        return _values["all_reduce_fusion_config"]

    def set_all_reduce_fusion_split_sizes(self, sizes, group="") -> None:
        """Accepted: sizes of the all-reduce buckets, which change no number."""

    def set_enable_all_reduce_fusion(self, enable_all_reduce_fusion) -> None:
        """Accepted: whether gradients are reduced in buckets, which changes no number."""

    def reset(self) -> None:
        _reset_auto_parallel_context()


def _accessors(key: str) -> tuple[Callable, Callable]:
    return lambda self, value: _set_auto_parallel_context(**{key: value}), lambda self: _values[key]


for _key, _setting in _SETTINGS.items():
    for _prefix, _method in zip(("set_", "get_"), _accessors(_key), strict=True):
        _name = _prefix + (_setting.method or _key)
        if _name not in vars(_AutoParallelContext):
            setattr(_AutoParallelContext, _name, _method)

_reset_auto_parallel_context()
_CONTEXT = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """The object that holds the parallel settings."""
    return _CONTEXT
