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

from .. import _checkparam as validator
from . import _as_data_parallel
from .shard import Layout


class _Setting(NamedTuple):
    default: Any
    checked: Callable[[Any], Any] = lambda value: value
    readable: bool = True
    method: str | None = None  # where the object's methods have another name than the keyword


_PARAMETER = "The context configuration parameter '{}' "
_ARGUMENT = "For 'set_auto_parallel_context', the argument '{}' "


def _device_num(value):
    if value < 1:
        raise ValueError(
            f"{_PARAMETER.format('device_num')}must be a positive integer, but got the value of "
            f"device_num : {value}."
        )
    return value


def _global_rank(value):
    if not 0 <= value <= 4095:
        raise ValueError(
            f"{_PARAMETER.format('global_rank')}must be in [0, 4095], but got the value of "
            f"global_rank : {value}."
        )
    return value


def _parallel_mode(value):
    modes = ("stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel", "auto_parallel")
    if value not in modes:
        raise ValueError(
            f"{_PARAMETER.format('parallel_mode')}only support 'stand_alone', 'data_parallel', "
            f"'hybrid_parallel', 'semi_auto_parallel' and 'auto_parallel', but got the value : {value}."
        )
    return value


def _search_mode(value):
    if value not in ("recursive_programming", "dynamic_programming", "sharding_propagation"):
        raise ValueError(
            f"{_PARAMETER.format('search_mode')}only support 'recursive_programming', 'dynamic_programming' "
            f"and 'sharding_propagation', but got the value: {value}."
        )
    return value


def _stages(name: str) -> Callable:
    def checked(value):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{_ARGUMENT.format(name)}must be int, but got the type : {type(value)}.")
        if value < 1:
            raise ValueError(
                f"{_ARGUMENT.format(name)}should be greater or equal 1, but got the value of stages : "
                f"{value}."
            )
        return value

    return checked


def _bool(name: str) -> Callable:
    def checked(value):
        if not isinstance(value, bool):
            raise TypeError(f"{_ARGUMENT.format(name)}must be bool, but got the type : {type(value)}.")
        return value

    return checked


def _kind(name: str, kind: type) -> Callable:
    def checked(value):
        if not isinstance(value, kind):
            raise TypeError(f"The parameter '{name}' must be {kind}, but got {type(value)}")
        return value

    return checked


def _dataset_strategy(value):
    if isinstance(value, str):
        if value not in ("full_batch", "data_parallel"):
            raise ValueError(
                f"{_ARGUMENT.format('dataset_strategy')}must be 'full_batch' or 'data_parallel', "
                f"but got the value : {value}."
            )
        return value
    if not isinstance(value, tuple):
        raise TypeError(
            f"{_ARGUMENT.format('dataset_strategy')}must be str or tuple type, but got the type : "
            f"{type(value)}."
        )
    if value and isinstance(value[0], Layout):
        for one in value:
            if not isinstance(one, Layout):
                raise TypeError(f"All the dataset_strategy elements should be Layout, but got {type(one)}")
            if one.to_dict()["interleaved_parallel"]:
                raise ValueError("For dataset_strategy, layout does not support interleaved_parallel")
        return value
    element = "For 'set_auto_parallel_context', the element of argument 'dataset_strategy' must be"
    for one in value:
        if not isinstance(one, tuple):
            raise TypeError(f"{element} tuple, but got the type : {type(one)} .")
        for count in one:
            if not isinstance(count, int):
                raise TypeError(f"{element} int type, but got the type : {type(count)} .")
    return [list(one) for one in value]


def _grad_accumulation_step(value):
    if value != 1:
        raise ValueError(
            "The interface is deprecated. To use gradient accumulation, please use GradAccumulationCell in "
            "mindspore.nn.wrap.cell_wrapper."
        )
    return value


def _fusion_indices(value):
    where = "For 'set_auto_parallel_context().set_all_reduce_fusion_split_indices', the "
    if not value:
        raise ValueError(f"{where}argument 'indices' can not be empty")
    if not isinstance(value, list):
        raise TypeError(f"{where}argument 'indices' must be list, but got the type : {type(value)} .")
    for index in value:
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeError(f"{where}argument 'index' must be int, but got the type : {type(index)} .")
    if len(set(value)) != len(value):
        raise ValueError("The indices has duplicate elements")
    if sorted(value) != value:
        raise ValueError(f"{where}elements in argument 'indices' must be sorted in ascending order")
    return value


def _communi_parallel_mode(value):
    if value not in ("all_group_parallel", "same_server_group_parallel", "no_group_parallel"):
        raise ValueError(
            "For 'set_auto_parallel_context().set_communi_parallel_mode', the argument "
            "'communi_parallel_mode' only support 'ALL_GROUP_PARALLEL', 'SAME_SEVER_GROUP_PARALLEL' and "
            f"'NO_GROUP_PARALLEL', but got the value : {value}."
        )
    return value


def _only(*keys: str) -> Callable:
    def checked(value):
        unknown = [key for key in value if key not in keys]
        if unknown:
            raise ValueError(f"Unknown config: {unknown}")
        return value

    return checked


def _parallel_optimizer_config(value):
    _kind("parallel_optimizer_config", dict)(value)
    _only("gradient_accumulation_shard", "parallel_optimizer_threshold", "optimizer_weight_shard_size",
          "optimizer_level")(value)
    shard, level = value.get("gradient_accumulation_shard"), value.get("optimizer_level")
    if shard is not None:
        validator.check_bool(shard, "gradient_accumulation_shard", "gradient_accumulation_shard")
        if level not in (None, "level2"):
            raise ValueError(f"The optimizer_level is set as {level}, thus cannot set "
                             "grad_accumulation_shard as True.")
    if "parallel_optimizer_threshold" in value:
        validator.check_non_negative_int(value["parallel_optimizer_threshold"],
                                         prim_name="parallel_optimizer_threshold")
    size = value.get("optimizer_weight_shard_size", -1)
    if size != -1:
        _values["optimizer_weight_shard_size"] = validator.check_positive_int(
            size, prim_name="optimizer_weight_shard_size")
    if level not in (None, "level1", "level2", "level3"):
        raise ValueError(f"Optimizer level should in ['level1', 'level2', 'level3'], but got {level}")
    return {**_values["parallel_optimizer_config"], **value}


def _comm_fusion(value):
    for key in value:
        if key not in ("openstate", "allreduce", "allgather", "reducescatter"):
            raise KeyError(
                f"comm fusion type must be openstate,allreduce, allgather or reducescatter, but got {key}"
            )
    return {**_values["comm_fusion"], "openstate": True, **value}


def _strategy_config(value):
    return {
        **_values["strategy_ckpt_config"],
        **_only("load_file", "save_file", "only_trainable_params")(value),
    }


_AUTO = {"mode": "auto", "config": None}
_SETTINGS: dict[str, _Setting] = {
    "device_num": _Setting(1, _device_num),
    "global_rank": _Setting(0, _global_rank),
    "gradients_mean": _Setting(False),
    "gradient_fp32_sync": _Setting(True),
    "loss_repeated_mean": _Setting(True, _bool("loss_repeated_mean")),
    "pipeline_stages": _Setting(1, _stages("pipeline_stages")),
    "auto_pipeline": _Setting(False, _bool("auto_pipeline")),
    "pipeline_result_broadcast": _Setting(False),
    "pipeline_segments": _Setting(1, _stages("pipeline_segments"), readable=False),
    "parallel_mode": _Setting("stand_alone", _parallel_mode),
    "search_mode": _Setting("recursive_programming", _search_mode, method="strategy_search_mode"),
    "auto_parallel_search_mode": _Setting("recursive_programming", _search_mode),
    "parameter_broadcast": _Setting(False),
    "strategy_ckpt_load_file": _Setting(""),
    "strategy_ckpt_save_file": _Setting(""),
    "group_ckpt_save_file": _Setting("", readable=False),
    "full_batch": _Setting(False, _kind("full_batch", bool)),
    "dataset_strategy": _Setting("data_parallel", _dataset_strategy),
    "enable_parallel_optimizer": _Setting(False, _kind("enable_parallel_optimizer", bool)),
    "force_fp32_communication": _Setting(False),
    "parallel_optimizer_config": _Setting(
        {}, _parallel_optimizer_config, readable=False,
    ),
    "pipeline_config": _Setting({}, _only("pipeline_interleave", "pipeline_scheduler"), readable=False),
    "grad_accumulation_step": _Setting(1, _grad_accumulation_step),
    "all_reduce_fusion_config": _Setting([], _fusion_indices, method="all_reduce_fusion_split_indices"),
    "communi_parallel_mode": _Setting("all_group_parallel", _communi_parallel_mode),
    "optimizer_weight_shard_size": _Setting(-1, lambda value: value if value > 0 else -1),
    "optimizer_weight_shard_aggregated_save": _Setting(False),
    "sharding_propagation": _Setting(False, _bool("sharding_propagation")),
    "enable_alltoall": _Setting(False),
    "strategy_ckpt_config": _Setting(
        {"load_file": "", "save_file": "", "only_trainable_params": True}, _strategy_config
    ),
    "comm_fusion": _Setting(
        {"openstate": True, "allreduce": _AUTO, "allgather": _AUTO, "reducescatter": _AUTO}, _comm_fusion
    ),
    "dump_local_norm": _Setting(False),
    "dump_local_norm_path": _Setting(""),
    "dump_device_local_norm": _Setting(False),
    "auto_parallel_new_interface": _Setting(False),
    "init_param_in_compile": _Setting(True),
}
_values: dict[str, Any] = {}
_given: set[str] = set()


def _set_auto_parallel_context(**kwargs) -> None:
    for key, value in kwargs.items():
        if key not in _SETTINGS:
            raise ValueError(f"Set context keyword {key} is not recognized!")
        _values[key] = _SETTINGS[key].checked(value)
        _given.add(key)
        if key == "device_num" and value > ranks.place().size:
            notice("device_num", f"device_num={value}, but the processes here are {ranks.place().size}: "
                   f"ms2torch run --nproc {value} train.py starts {value}.")
        if key == "strategy_ckpt_config":
            _values.update(
                {f"strategy_ckpt_{k}": v for k, v in value.items() if k != "only_trainable_params"}
            )
        elif key == "full_batch":
            _values["dataset_strategy"] = "full_batch" if value else "data_parallel"
        elif key == "dataset_strategy":
            _values["full_batch"] = value == "full_batch"
        elif key in ("strategy_ckpt_load_file", "strategy_ckpt_save_file"):
            part = key.removeprefix("strategy_ckpt_")
            _values["strategy_ckpt_config"] = {**_values["strategy_ckpt_config"], part: value}
    _as_data_parallel.apply_settings(_values)


def _get_auto_parallel_context(attr_key):
    if attr_key == "full_batch_is_set":
        return "full_batch" in _given
    if attr_key in ("pipeline_interleave", "pipeline_scheduler"):
        return _values["pipeline_config"].get(attr_key, {"pipeline_scheduler": "1f1b"}.get(attr_key, False))
    if attr_key not in _SETTINGS or not _SETTINGS[attr_key].readable:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def settings(names) -> dict:
    """The values that some settings have."""
    return {name: _values[name] for name in names}


def _reset_auto_parallel_context() -> None:
    _given.clear()
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
