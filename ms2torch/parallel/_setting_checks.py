"""What ``set_auto_parallel_context`` asks of each setting's value, in MindSpore's words."""

from __future__ import annotations

import os
from collections.abc import Callable

from .. import _checkparam as validator
from .shard import Layout

_PARAMETER = "The context configuration parameter '{}' "
_ARGUMENT = "For 'set_auto_parallel_context', the argument '{}' "
_SETTER = "For 'set_auto_parallel_context().set_{}', the argument '{}' "
_SEARCHES = ("recursive_programming", "dynamic_programming", "sharding_propagation")
_SCHEDULERS = ["1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v", "seqsmartvpp"]


def native(method: str, kind: type, gives: str = "None") -> Callable:
    """What MindSpore's compiled core refuses: for a bool, what has no truth as a number has."""

    def checked(value):
        if not (value is None or hasattr(value, "__bool__") if kind is bool else isinstance(value, kind)):
            owner = "mindspore._c_expression.AutoParallelContext"
            raise TypeError(
                f"{method}(): incompatible function arguments. The following argument types are supported:\n"
                f"    1. (self: {owner}, arg0: {kind.__name__}) -> {gives}\n\n"
                f"Invoked with: <{owner} object at {id(checked):#x}>, {value!r}")
        return kind(value)

    return checked


def of_kind(kind: type, words: str) -> Callable:
    """An instance of ``kind``; ``words`` come before what it must be."""

    def checked(value):
        if not isinstance(value, kind):
            raise TypeError(f"{words}must be {kind.__name__}, but got the type : {type(value)}.")
        return value

    return checked


def argument(name: str, kind: type = bool) -> Callable:
    return of_kind(kind, _ARGUMENT.format(name))


def setter(name: str, asked: str = "", kind: type = bool) -> Callable:
    """As the method ``set_{name}`` asks it of its argument ``asked``."""
    return of_kind(kind, _SETTER.format(name, asked or name))


def path(value):
    os.fspath(value)
    return value


def device_num(value):
    if value < 1:
        raise ValueError(f"{_PARAMETER.format('device_num')}must be a positive integer, but got the value of "
                         f"device_num : {value}.")
    return int(value)


def global_rank(value):
    if value < 0 or value > 4095:
        raise ValueError(f"{_PARAMETER.format('global_rank')}must be in [0, 4095], but got the value of "
                         f"global_rank : {value}.")
    return int(value)


def parallel_mode(value):
    native("set_parallel_mode", str, "bool")(value)
    if value not in ("stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel",
                     "auto_parallel"):
        raise ValueError(
            f"{_PARAMETER.format('parallel_mode')}only support 'stand_alone', 'data_parallel', "
            f"'hybrid_parallel', 'semi_auto_parallel' and 'auto_parallel', but got the value : {value}.")
    return value


def search_mode(name: str) -> Callable:
    def checked(value):
        native("set_strategy_search_mode", str, "bool")(value)
        if value not in _SEARCHES:
            raise ValueError(f"{_PARAMETER.format(name)}only support '{_SEARCHES[0]}', '{_SEARCHES[1]}' and "
                             f"'{_SEARCHES[2]}', but got the value: {value}.")
        return value

    return checked


def count_of(name: str, word: str) -> Callable:
    def checked(value):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{_ARGUMENT.format(name)}must be int, but got the type : {type(value)}.")
        if value < 1:
            raise ValueError(f"{_ARGUMENT.format(name)}should be greater or equal 1, but got the value of "
                             f"{word} : {value}.")
        return value

    return checked


def dataset_strategy(value):
    if isinstance(value, str):
        if value not in ("full_batch", "data_parallel"):
            raise ValueError(f"{_ARGUMENT.format('dataset_strategy')}must be 'full_batch' or "
                             f"'data_parallel', but got the value : {value}.")
        return value
    if not isinstance(value, tuple):
        raise TypeError(f"{_ARGUMENT.format('dataset_strategy')}must be str or tuple type, but got the type "
                        f": {type(value)}.")
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


def grad_accumulation_step(value):
    if value > 0 and value is not True:
        if value > 1:
            raise ValueError("The interface is deprecated. To use gradient accumulation, please use "
                             "GradAccumulationCell in mindspore.nn.wrap.cell_wrapper.")
        return value
    return validator.check_positive_int(value, prim_name="grad_accumulation_step")


def fusion_indices(value):
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


def communi_parallel_mode(value):
    setter("communi_parallel_mode", kind=str)(value)
    if value not in ("all_group_parallel", "same_server_group_parallel", "no_group_parallel"):
        raise ValueError(
            f"{_SETTER.format('communi_parallel_mode', 'communi_parallel_mode')}only support "
            "'ALL_GROUP_PARALLEL', 'SAME_SEVER_GROUP_PARALLEL' and 'NO_GROUP_PARALLEL', but got the value : "
            f"{value}.")
    return value


def shard_size(value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("The type of optimizer_weight_shard_size must be int,                 but got "
                        f"{type(value)}.")
    return value if value > 0 else -1


def aggregated_save(value):
    if not isinstance(value, bool):
        raise TypeError("optimizer_weight_shard_aggregated_save is invalid type")
    return value


def _known(value, *keys: str) -> None:
    unknown = [key for key in value if key not in keys]
    if unknown:
        raise ValueError(f"Unknown config: {unknown}")


def parallel_optimizer_config(value):
    _known(value, "gradient_accumulation_shard", "parallel_optimizer_threshold",
           "optimizer_weight_shard_size", "optimizer_level")
    shard, level = value.get("gradient_accumulation_shard"), value.get("optimizer_level")
    if shard is not None:
        validator.check_bool(shard, "gradient_accumulation_shard", "gradient_accumulation_shard")
        if level not in (None, "level2"):
            raise ValueError(f"The optimizer_level is set as {level}, thus cannot set "
                             "grad_accumulation_shard as True.")
    if "parallel_optimizer_threshold" in value:
        validator.check_non_negative_int(value["parallel_optimizer_threshold"],
                                         prim_name="parallel_optimizer_threshold")
    if value.get("optimizer_weight_shard_size", -1) != -1:
        validator.check_positive_int(value["optimizer_weight_shard_size"],
                                     prim_name="optimizer_weight_shard_size")
    if "optimizer_level" in value and level not in ("level1", "level2", "level3"):
        raise ValueError(f"Optimizer level should in ['level1', 'level2', 'level3'], but got {level}")
    return value


def pipeline_config(value):
    _known(value, "pipeline_interleave", "pipeline_scheduler")
    validator.check_bool(value["pipeline_interleave"], "pipeline_interleave", "pipeline_interleave")
    return {**value, "pipeline_scheduler": validator.check_string(value["pipeline_scheduler"],
                                                                  _SCHEDULERS)}


def strategy_config(value):
    _known(value, "load_file", "save_file", "only_trainable_params")
    for name, kind in (("load_file", str), ("save_file", str), ("only_trainable_params", bool)):
        if name in value and not isinstance(value[name], kind):
            raise TypeError(f"{_SETTER.format('strategy_ckpt_config', name)}must be {kind.__name__}, but got "
                            f"the type : {type(value[name])} .")
    return value


def comm_fusion(value):
    for key in value.keys():                                                          # noqa: SIM118
        if key == "openstate":
            of_kind(bool, "For 'comm_fusion', the 'openstate' ")(value[key])
        elif key in ("allreduce", "allgather", "reducescatter"):
            _fusion(key, value[key])
        else:
            raise KeyError("comm fusion type must be openstate,allreduce, allgather or reducescatter, but "
                           f"got {key}")
    return value


def _fusion(key: str, config) -> None:
    """How one kind of communication is gathered: by itself, from a size on, or (sums) at some places."""
    sums = key == "allreduce"
    of_kind(dict, f"For 'comm_fusion', {f'the {key!r}' if sums else key} config ")(config)
    for name in ("mode", "config"):
        if name not in config:
            raise KeyError(f"For 'comm_fusion', the key '{name}' should be contained.")
    if config["mode"] == "size":
        if config["config"] < 0:
            raise ValueError(f"fusion threshold must be larger than 0, but got {config['config']}")
        native(f"set_{'' if sums else key + '_'}fusion_threshold_mb", int)(config["config"])
    elif config["mode"] == "index" and sums:
        fusion_indices(config["config"])
    elif config["mode"] != "auto":
        raise KeyError(f"fusion method mode must be auto{', index' if sums else ''} or size, but got "
                       f"{config['mode']}")
