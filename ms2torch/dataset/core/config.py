"""Settings of the data pipeline (``mindspore.dataset.config``): set, checked and read back as in MindSpore.

The seed decides every random order. The other settings steer MindSpore's C++ threads, queues and devices;
here they change no number and, where there is nothing to steer, nothing else: they are kept so that programs
can read them back.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
from enum import IntEnum

import numpy as np

from .errors import pipeline_error, syntax_error
from .validator_helpers import INT32_MAX, UINT32_MAX, check_independent_mode, check_valid_str, type_check

__all__ = ["ErrorSamplesMode", "get_auto_num_workers", "get_auto_offload", "get_autotune_interval",
           "get_callback_timeout", "get_debug_mode", "get_dynamic_shape", "get_enable_autotune",
           "get_enable_shared_mem", "get_enable_watchdog", "get_error_samples_mode", "get_fast_recovery",
           "get_iterator_mode", "get_monitor_sampling_interval", "get_multiprocessing_start_method",
           "get_multiprocessing_timeout_interval", "get_num_parallel_workers", "get_numa_enable",
           "get_prefetch_size", "get_seed", "get_video_backend", "load", "set_auto_num_workers",
           "set_auto_offload", "set_autotune_interval", "set_callback_timeout", "set_debug_mode",
           "set_dynamic_shape", "set_enable_autotune", "set_enable_shared_mem", "set_enable_watchdog",
           "set_error_samples_mode", "set_fast_recovery", "set_iterator_mode",
           "set_monitor_sampling_interval", "set_multiprocessing_start_method",
           "set_multiprocessing_timeout_interval", "set_num_parallel_workers", "set_numa_enable",
           "set_prefetch_size", "set_seed", "set_sending_batches", "set_video_backend"]

_UNSET_SEED = 5489            # std::mt19937::default_seed: MindSpore's mark for "the user set none"


class ErrorSamplesMode(IntEnum):
    """What to do with a sample that fails: give the error back, replace the sample, or skip it."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


_values = {
    "seed": _UNSET_SEED, "prefetch_size": 16, "num_parallel_workers": min(8, os.cpu_count() or 1),
    "numa_enable": False, "monitor_sampling_interval": 1000, "auto_num_workers": False,
           "callback_timeout": 60,
    "enable_autotune": False, "autotune_prefix": None,
    "autotune_interval": 0, "enable_shared_mem": True, "sending_batches": 0,
    "auto_offload": False, "enable_watchdog": True, "multiprocessing_timeout_interval": 300,
    "dynamic_shape": False, "fast_recovery": True, "debug_mode": False, "debug_hook_list": [],
    "error_samples_mode": ErrorSamplesMode.RETURN,
           "iterator_mode": {"do_copy": False, "parallel_convert": False},
    "multiprocessing_start_method": "fork", "video_backend": "CPU",
}


def set_seed(seed: int) -> None:
    """Seed the pipeline's random orders and transforms, and Python's and numpy's generators with them."""
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError("seed isn't of type int.")
    if seed < 0 or seed > UINT32_MAX:
        raise ValueError("seed given is not within the required range [0, UINT32_MAX(4294967295)].")
    _values["seed"] = seed
    random.seed(seed)
    np.random.seed(seed)


def get_seed() -> int:
    """The seed that was set; 5489 while none was."""
    return _values["seed"]


def given_seed() -> int | None:
    """The seed that was set."""
    return None if _values["seed"] == _UNSET_SEED else _values["seed"]


def drawing_seed() -> int:
    """The seed that a random operation starts from: the one that was set, else one from the system."""
    seed = given_seed()
    if seed is None:
        return 1 if _values["debug_mode"] else secrets.randbits(32)
    return (seed + _worker) % 2**32


_worker = 0


@contextlib.contextmanager
def drawing_as(worker: int):
    """What is opened within starts from the seed of this worker of ``map``: each has the next one."""
    global _worker
    before, _worker = _worker, worker
    try:
        yield
    finally:
        _worker = before


def _whole(name: str, value, low: int, words: str, noun: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{noun} isn't of type int.")
    if value < low or value > INT32_MAX:
        raise ValueError(words)
    _values[name] = value


def _flag(name: str, value, words: str) -> None:
    if not isinstance(value, bool):
        raise TypeError(words)
    _values[name] = value


def set_prefetch_size(size: int) -> None:
    """Length of the queues between MindSpore's operations, in rows."""
    _whole("prefetch_size", size, 1, "size is not within the required range (0, "
                                     "INT32_MAX(2147483647)].", "size")


def get_prefetch_size() -> int:
    return _values["prefetch_size"]


def set_num_parallel_workers(num: int) -> None:
    """Default number of workers of an operation."""
    _whole("num_parallel_workers", num, 1, "Number of parallel workers given is not within the required "
                                           "range (0, INT32_MAX(2147483647)].", "num")


def get_num_parallel_workers() -> int:
    return _values["num_parallel_workers"]


def set_numa_enable(numa_enable: bool) -> None:
    """Whether to bind to NUMA nodes."""
    _flag("numa_enable", numa_enable, "numa_enable must be a boolean dtype.")


def get_numa_enable() -> bool:
    return _values["numa_enable"]


def set_monitor_sampling_interval(interval: int) -> None:
    """Interval of the performance monitor, in milliseconds."""
    _whole("monitor_sampling_interval", interval, 1,
           "Interval given is not within the required range (0, INT32_MAX(2147483647)].", "interval")


def get_monitor_sampling_interval() -> int:
    return _values["monitor_sampling_interval"]


def set_auto_num_workers(enable: bool) -> None:
    """Whether MindSpore picks the number of workers."""
    _flag("auto_num_workers", enable, "enable must be of type bool.")


def get_auto_num_workers() -> bool:
    return _values["auto_num_workers"]


def set_callback_timeout(timeout: int) -> None:
    """Seconds that ``sync_wait`` waits for its callback."""
    _whole("callback_timeout", timeout, 1, "Timeout given is not within the required range.", "timeout")


def get_callback_timeout() -> int:
    return _values["callback_timeout"]


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Whether MindSpore tunes its workers and queues while it runs; there is nothing to tune here. With a
    path, each pipeline that runs is written to ``filepath_prefix_RANK.json`` as MindSpore writes the tuned
    one.
    """
    check_independent_mode("Dataset AutoTune", enable)
    _flag("enable_autotune", enable, "enable must be of type bool.")
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        raise TypeError(f"json_filepath must be a str value but was: {filepath_prefix}.")
    if enable and filepath_prefix == "":
        raise RuntimeError("The value of json_filepath cannot be the empty string.")
    if enable and filepath_prefix:
        folder = os.path.dirname(filepath_prefix)
        if os.path.isdir(filepath_prefix):
            raise syntax_error(f"Invalid json_filepath parameter. <{filepath_prefix}> is a directory, not "
                               "filename.")
        if folder and not os.path.isdir(folder):
            raise syntax_error(f"Invalid json_filepath parameter.  Directory <{folder}> does not exist.")
    _values["autotune_prefix"] = filepath_prefix if enable else None


def get_enable_autotune() -> bool:
    return _values["enable_autotune"]


def set_autotune_interval(interval: int) -> None:
    """Steps between two tunings; 0: between epochs."""
    if not isinstance(interval, int) or isinstance(interval, bool):
        raise TypeError("interval must be of type int.")
    _whole("autotune_interval", interval, 0,
           "Interval given is not within the required range [0, INT32_MAX(2147483647)].", "interval")


def get_autotune_interval() -> int:
    return _values["autotune_interval"]


def set_enable_shared_mem(enable: bool) -> None:
    """Whether worker processes pass rows through shared memory."""
    _flag("enable_shared_mem", enable, "enable must be of type bool.")


def get_enable_shared_mem() -> bool:
    return _values["enable_shared_mem"]


def set_sending_batches(batch_num: int) -> None:
    """Batches to send ahead in sink mode; 0: all."""
    if not isinstance(batch_num, int) or isinstance(batch_num, bool):
        raise TypeError("batch_num must be an int dtype.")
    _values["sending_batches"] = batch_num


def set_auto_offload(offload: bool) -> None:
    """Whether MindSpore moves transforms onto the device."""
    if offload is True:
        check_independent_mode("Dataset Offload")
    _flag("auto_offload", offload, "offload must be a bool dtype")


def get_auto_offload() -> bool:
    return _values["auto_offload"]


def set_enable_watchdog(enable: bool) -> None:
    """Whether to watch worker processes."""
    _flag("enable_watchdog", enable, "enable must be a boolean dtype.")


def get_enable_watchdog() -> bool:
    return _values["enable_watchdog"]


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Seconds between warnings about a slow worker."""
    _whole("multiprocessing_timeout_interval", interval, 1,
           "Interval given is not within the required range (0, INT32_MAX(2147483647)).", "interval")


def get_multiprocessing_timeout_interval() -> int:
    return _values["multiprocessing_timeout_interval"]


def set_dynamic_shape(is_dynamic: bool) -> None:
    """Whether rows may differ in shape from batch to batch; here they always may."""
    _flag("dynamic_shape", is_dynamic, "is_dynamic must be a boolean dtype.")


def get_dynamic_shape() -> bool:
    return _values["dynamic_shape"]


def set_fast_recovery(fast_recovery: bool) -> None:
    """Whether a training that is resumed skips the random transforms of the steps already done."""
    _flag("fast_recovery", fast_recovery, "fast_recovery must be a boolean dtype.")


def get_fast_recovery() -> bool:
    return _values["fast_recovery"]


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list | None = None) -> None:
    """Whether `mindspore.dataset.debug` hooks are called before the first and after each operation of every
    ``map``; by default one that prints dtypes and shapes.

    Without a seed the pipeline then draws from seed 1.
    """
    from ..debug import DebugHook, PrintMetaDataHook
    if not isinstance(debug_mode_flag, bool):
        raise TypeError("debug_mode_flag isn't of type boolean.")
    hooks = [PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    if not isinstance(hooks, list):
        raise TypeError("debug_hook_list is not a list.")
    if not all(isinstance(hook, DebugHook) for hook in hooks):
        raise TypeError("All items in debug_hook_list must be of type DebugHook.")
    _values["debug_mode"] = debug_mode_flag
    _values["debug_hook_list"] = hooks or _values["debug_hook_list"]


def get_debug_mode() -> bool:
    return _values["debug_mode"]


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """What ``map`` does with a sample that fails: raise, leave it out, or put a good one in its place."""
    type_check(error_samples_mode, (ErrorSamplesMode,), "error_samples_mode")
    _values["error_samples_mode"] = error_samples_mode


def get_error_samples_mode() -> ErrorSamplesMode:
    return _values["error_samples_mode"]


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """How iterators hand out Tensors.

    They never share memory with another row here, copied or not.
    """
    type_check(do_copy, (bool,), "do_copy")
    type_check(parallel_convert, (bool,), "parallel_convert")
    _values["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


def get_iterator_mode() -> dict:
    return _values["iterator_mode"]


def set_multiprocessing_start_method(start_method: str = "fork") -> None:
    """How worker processes start."""
    type_check(start_method, (str,), "start_method")
    check_valid_str(start_method, ["fork", "spawn"], "start_method")
    _values["multiprocessing_start_method"] = start_method


def get_multiprocessing_start_method() -> str:
    return _values["multiprocessing_start_method"]


def set_video_backend(backend: str) -> None:
    """Where videos are decoded."""
    type_check(backend, (str,), "backend")
    check_valid_str(backend, ["CPU", "Ascend"], "backend")
    _values["video_backend"] = backend


def get_video_backend() -> str:
    return _values["video_backend"]


def load(file: str) -> None:
    """Read settings from a JSON file with MindSpore's names (``seed``, ``opConnectorSize``,
    ``numParallelWorkers``)."""
    if not isinstance(file, str):
        raise TypeError("load(): incompatible function arguments. The following argument types are supported:"
                        f" (file: str), but got {type(file)}.")
    if not os.path.isfile(file):
        raise pipeline_error(f"Invalid file: settings file:{file} is not exist, check input path of config "
                             "'load' API.")
    try:
        with open(file, encoding="utf-8") as handle:
            read = json.load(handle)
    except ValueError:
        raise pipeline_error("Client file failed to load.") from None
    setters = {"seed": set_seed, "opConnectorSize": set_prefetch_size,
               "numParallelWorkers": set_num_parallel_workers,
               "monitorSamplingInterval": set_monitor_sampling_interval}
    for key, setter in setters.items():
        if key in read:
            setter(int(read[key]))
