"""Argument checks of the data pipeline, with MindSpore's words
(``mindspore.dataset.core.validator_helpers``).
"""

from __future__ import annotations

import os

from ms2torch._core.checks.calls import class_text
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.errors import notice

UINT8_MIN, UINT8_MAX = 0, 255
UINT32_MIN, UINT32_MAX = 0, 4294967295
UINT64_MIN, UINT64_MAX = 0, 18446744073709551615
INT32_MIN, INT32_MAX = -2147483648, 2147483647
INT64_MIN, INT64_MAX = -9223372036854775808, 9223372036854775807
POS_INT_MIN = 1
FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER = -16777216, 16777216
DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER = -9007199254740992, 9007199254740992


def type_check(arg, types: tuple, arg_name) -> None:
    """TypeError unless ``arg`` is one of ``types``; a bool is not an int."""
    is_bool = int in types and bool not in types and isinstance(arg, bool)
    if is_bool or not isinstance(arg, types):
        raise wrong_type(arg, f"{types if is_bool else list(types)}", arg_name)


def wrong_type(arg, types: str, arg_name: str) -> TypeError:
    """The error for an argument that is none of ``types``."""
    shown = '""' if isinstance(arg, str) and not arg else arg
    return with_public_classes(TypeError(f"Argument {arg_name} with value {shown} is not of type {types}, "
                                         f"but got {class_text(arg)}."))


def type_check_list(args, types: tuple, arg_names) -> None:
    """`type_check` for each element of a list or tuple."""
    type_check(args, (list, tuple), arg_names)
    if isinstance(arg_names, str):
        arg_names = [f"{arg_names}[{i}]" for i in range(len(args))]
    elif len(args) != len(arg_names):
        raise ValueError("List of arguments is not the same length as argument_names.")
    for arg, name in zip(args, arg_names, strict=True):
        type_check(arg, types, name)


def check_value(value, valid_range, arg_name: str = "", left_open_interval: bool = False,
                right_open_interval: bool = False) -> None:
    """ValueError unless the value lies in the interval, whose ends count unless they are said to be open."""
    low, high = valid_range[0], valid_range[1]
    below = value <= low if left_open_interval else value < low
    above = value >= high if right_open_interval else value > high
    if below or above:
        left, right = "(" if left_open_interval else "[", ")" if right_open_interval else "]"
        name = f"{arg_name} " if arg_name else ""
        raise ValueError(f"Input {name}is not within the required interval of {left}{low}, {high}{right}.")


def check_max_rowsize(value) -> None:
    """TypeError or ValueError unless it is None, a number of megabytes, or one for each direction."""
    if value is None:
        return
    type_check(value, (int, list), "max_rowsize")
    if isinstance(value, int):
        check_value(value, [-1, INT32_MAX], "max_rowsize")
    elif len(value) != 2:
        raise TypeError("max_rowsize should be a single integer or a list[in_rowsize, out_rowsize] of length "
                        "2.")
    else:
        for i, one in enumerate(value):
            type_check(one, (int,), f"max_rowsize[{i}]")
            check_value(one, [-1, INT32_MAX], f"max_rowsizei[{i}]")         # (its own slip)


def check_positive(value, arg_name: str = "") -> None:
    if value <= 0:
        raise ValueError(f"Input {arg_name + ' ' if arg_name else ''}must be greater than 0.")


def check_pos_int32(value, arg_name: str = "") -> None:
    type_check(value, (int,), arg_name)
    check_value(value, [POS_INT_MIN, INT32_MAX], arg_name)


def check_pos_int64(value, arg_name: str = "") -> None:
    type_check(value, (int,), arg_name)
    check_value(value, [POS_INT_MIN, INT64_MAX], arg_name)


def check_non_negative_int32(value, arg_name: str = "") -> None:
    type_check(value, (int,), arg_name)
    check_value(value, [0, INT32_MAX], arg_name)


def check_uint8(value, arg_name: str = "") -> None:
    type_check(value, (int,), arg_name)
    check_value(value, [UINT8_MIN, UINT8_MAX], arg_name)


def check_pos_float32(value, arg_name: str = "") -> None:
    type_check(value, (float, int), arg_name)
    check_value(value, [UINT32_MIN, FLOAT_MAX_INTEGER], arg_name, True)


def check_float32(value, arg_name: str = "") -> None:
    type_check(value, (float, int), arg_name)
    check_value(value, [FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER], arg_name)


def check_valid_str(value, valid_strings, arg_name: str = "") -> None:
    type_check(value, (str,), arg_name)
    if value not in valid_strings:
        raise ValueError(f"Input {arg_name} is not within the valid set of {valid_strings}.")


def check_columns(columns, name: str) -> None:
    """Column names: a non-empty str, or a list of distinct ones."""
    type_check(columns, (list, str), name)
    if not columns:
        raise ValueError(f"{name} should not be an empty str." if isinstance(columns, str)
                         else f"{name} should not be empty.")
    if isinstance(columns, list):
        for i, column in enumerate(columns):
            if not column:
                raise ValueError(f"{name}[{i}] should not be empty.")
        type_check_list(columns, (str,), name)
        if len(set(columns)) != len(columns):
            raise ValueError("Every column name should not be same with others in column_names.")


def check_dir(dataset_dir) -> None:
    type_check(dataset_dir, (str,), "dataset_dir")
    if not os.path.isdir(dataset_dir) or not os.access(dataset_dir, os.R_OK):
        raise ValueError(f"The folder {dataset_dir} does not exist or is not a directory or permission "
                         "denied!")


def check_filename(path) -> None:
    """TypeError or ValueError unless it can name a file."""
    if not isinstance(path, str):
        raise TypeError(f"path: {path} is not string")
    name = os.path.basename(os.path.realpath(path))
    if set(name) & set(r"\/:*?\"<>|`&;'"):
        raise ValueError(r"filename should not contain \/:*?\"<>|`&;\'")
    if name != name.strip(" "):
        raise ValueError("filename should not start/end with space.")


def check_file(path) -> None:
    """ValueError unless there is a file that can be read."""
    check_filename(path)
    path = os.path.realpath(path)
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise ValueError(f"The file {path} does not exist or permission denied!")


def check_num_parallel_workers(value) -> None:
    """From 1 to what the largest machines have.

    MindSpore refuses more workers than the machine at hand has cores; here the number changes nothing.
    """
    type_check(value, (int,), "num_parallel_workers")
    cores = os.cpu_count() or 1
    if not 1 <= value <= max(cores, 255):
        raise ValueError(f"num_parallel_workers exceeds the boundary between 1 and {cores}!")
    if value > cores:
        notice("num_parallel_workers", f"num_parallel_workers={value} is more than the {cores} cores of this "
                                       "machine, which MindSpore would refuse; the pipeline runs all the "
                                       "same.")


def check_num_samples(value) -> None:
    type_check(value, (int,), "num_samples")
    if value < 0 or value > INT64_MAX:
        raise ValueError(f"num_samples exceeds the boundary between 0 and {INT64_MAX}(INT64_MAX)!")


def check_source_arguments(num_samples=None, num_parallel_workers=None, shuffle=None, num_shards=None,
                           shard_id=None,
                           **flags) -> None:
    """Types of the arguments that all sources share; ``flags`` are bools or None."""
    if num_samples is not None:
        check_num_samples(num_samples)
    if num_parallel_workers is not None:
        check_num_parallel_workers(num_parallel_workers)
    for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
        if value is not None:
            type_check(value, (int,), name)
    for name, value in {"shuffle": shuffle, **flags}.items():
        if value is not None:
            type_check(value, (bool,), name)


def check_sampler_shuffle_shard_options(shuffle, sampler, num_shards, shard_id, num_samples) -> None:
    """Of sampler, shuffle, sharding and num_samples only some go together."""
    if sampler is not None:
        if shuffle is not None:
            raise RuntimeError("sampler and shuffle cannot be specified at the same time.")
        if num_shards is not None or shard_id is not None:
            raise RuntimeError("sampler and sharding cannot be specified at the same time.")
        if num_samples is not None:
            raise RuntimeError("sampler and num_samples cannot be specified at the same time.")
    if num_shards is not None:
        check_pos_int32(num_shards, "num_shards")
        if shard_id is None:
            raise RuntimeError("num_shards is specified and currently requires shard_id as well.")
        check_value(shard_id, [0, num_shards - 1], "shard_id")
    elif shard_id is not None:
        raise RuntimeError("shard_id is specified but num_shards is not.")


def is_iterable(obj) -> bool:
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def check_independent_mode(feature_name: str, condition=True) -> None:
    """RuntimeError for what MindSpore's data process of its own (``MS_INDEPENDENT_DATASET``) has not."""
    if condition and os.getenv("MS_INDEPENDENT_DATASET", "").strip() in ("True", "true"):
        raise RuntimeError(f"{feature_name} is not supported in Dataset Independent mode.")


def replace_none(value, default):
    return default if value is None else value
