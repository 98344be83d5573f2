"""The settings of ``context.set_context``: their defaults, the targets that have them, and what they take.

A ``_checked_*`` function checks a value as MindSpore does and gives what is kept of it; those of settings
that mean something here put it into force.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ms2torch import language
from ms2torch._core import mode
from ms2torch._core.devices import device

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT = 0
COMPATIBLE = 1
LAX = 2
RELEASE = 0
DEBUG = 1

_KEY = "For 'context.set_context', the argument '{}' "


@dataclass(slots=True)
class _Setting:
    """One keyword: its default, a check that gives the kept value, and the device targets that have it."""

    default: Any = None
    checked: Callable[[Any], Any] = lambda value: value
    targets: tuple[str, ...] = ()


def _among(name: str, allowed: list, rule: str | None = None) -> Callable:
    def checked(value):
        if value not in allowed:
            raise ValueError(f"{rule or _KEY.format(name) + f'must be one of {allowed}'}, but got {value}.")
        return value

    return checked


def _at_least(least: int, message: str) -> Callable:
    def checked(value):
        if value < least:
            raise ValueError(message.format(value))
        return value

    return checked


def _checked_mode(value):
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(
            f"{_KEY.format('mode')}should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1), "
            f"but got {value}."
        )
    mode.graph = value == GRAPH_MODE and os.environ.get("MS_JIT") != "0"
    if mode.graph:
        language.graph_mode()
    return int(value)


def checked_target(value):
    _among("device_target", ["CPU", "GPU", "Ascend", "Davinci"])(value)
    value = "Ascend" if value == "Davinci" else value
    device.select(value, values.get("device_id"))
    return value


def _checked_device_id(value):
    if not 0 <= value <= 4095:
        raise ValueError(f"{_KEY.format('device_id')}must be in range [0, 4095], but got {value}.")
    device.select(None, value)
    return value


def _checked_save_graphs(value):
    if value > 3:
        raise ValueError(f"value for save_graphs should be 0-3 but got '{value}'")
    return {True: 2, False: 0}[value] if isinstance(value, bool) else value


def _checked_graphs_path(value):
    if not value.strip():
        raise ValueError(
            "For 'context.set_context', the 'save_graphs_path' or the 'print_file_path' is invalid "
            f"type, it should be Non-empty string, but got '{value}'."
        )
    return os.path.realpath(value)


def _gigabytes(name: str) -> Callable:
    def checked(value):
        if not re.match(r"[1-9][0-9]*(\.)?[0-9]*GB|0\.[0-9]*GB", value):
            raise ValueError(
                f"The '{value}' is illegal, it must be match regular"
                r"'[1-9][0-9]*(\.)?[0-9]*GB|0\.[0-9]*GB' by flags're.ASCII.'"
            )
        return float(value[:-2])

    return checked


def _checked_variable_memory(value):
    size = _gigabytes("variable_memory_max_size")(value)
    if size > 31:
        raise ValueError(
            f"{_KEY.format('variable_memory_max_size')}should not be greater than 31GB, but got {value}GB."
        )
    return f"{value[:-2]} * 1024 * 1024 * 1024"


def _config(name: str, allowed: dict[str, list]) -> Callable:
    def checked(value):
        for key, choice in value.items():
            if key not in allowed:
                raise ValueError(
                    f"For 'context.set_context', the key of argument '{name}' must be one of {allowed}, "
                    f"but got {key}."
                )
            if choice not in allowed[key]:
                raise ValueError(
                    f"For '{name}', the value of argument {key} must be one of {allowed[key]}, "
                    f"but got {choice}."
                )
        return value

    return checked


def _text(name: str) -> Callable:
    def checked(value):
        if not isinstance(value, str):
            raise RuntimeError(f"Got illegal param {_TEXTS[name]} and value with type {type(value)}")
        return value

    return checked


# Settings of the compiled core that any string is taken for, with the number that its errors name.
_TEXTS = {"jit_level": 87, "infer_boost": 88}


def _checked_jit_config(value):
    _config("jit_config", {"jit_level": ["O0", "O1", "O2"], "infer_boost": ["on", "off"]})(value)
    if value.get("infer_boost") == "on" and value.get("jit_level") in ("O1", "O2"):
        raise ValueError("Only jit_level set O0 can set infer_boost to on.")
    values.update(value)
    _checked_jit_level(value.get("jit_level", ""))
    return value


def _checked_jit_level(value: str) -> str:
    """O0 says that operators run one by one: nothing is compiled unless ``--graph compile`` says so."""
    _text("jit_level")(value)
    if value == "O0" and mode.graphs == "auto":
        mode.graphs = "eager"
    return value


_ASCEND = {
    "precision_mode": [
        "force_fp16",
        "allow_fp32_to_fp16",
        "allow_mix_precision",
        "must_keep_origin_dtype",
        "force_fp32",
        "allow_fp32_to_bf16",
        "allow_mix_precision_fp16",
        "allow_mix_precision_bf16",
    ],
    "jit_compile": [True, False],
    "atomic_clean_policy": [0, 1],
    "matmul_allow_hf32": [True, False],
    "conv_allow_hf32": [True, False],
    "exception_dump": ["0", "1", "2"],
    "op_precision_mode": str,
    "ge_options": dict,
    "parallel_speed_up_json_path": str,
    "host_scheduling_max_threshold": int,
    "cur_step_num": int,
    "save_checkpoint_steps": int,
    "need_ckpt": bool,
    "last_triggered_step": int,
    "hccl_watchdog": bool,
    "topo_order": dict,
    "op_debug_option": str,
}


def _checked_ascend_config(value):
    for key, choice in value.items():
        if key not in _ASCEND:
            raise ValueError(
                f"For 'context.set_context', the key of argument 'ascend_config' must be one of "
                f"{tuple(_ASCEND)}, but got {key}."
            )
        allowed = _ASCEND[key]
        if isinstance(allowed, list) and choice not in allowed:
            raise ValueError(
                f"For 'ascend_config', the value of argument {key} must be one of {allowed}, "
                f"but got {choice}."
            )
        if isinstance(allowed, type) and choice is not None and not isinstance(choice, allowed):
            raise TypeError(
                f"For 'ascend_config', the type of argument {key} must be one of {(allowed,)}, "
                f"but got {type(choice)}."
            )
    return value


def _checked_env_config_path(value):
    path = os.path.realpath(value)
    if not os.path.isfile(path):
        raise ValueError(
            f"For 'context.set_context', the 'env_config_path' file {path!r} is not exists, "
            "please check whether 'env_config_path' is correct."
        )
    return path


def _checked_deterministic(value):
    import torch

    _among("deterministic", ["ON", "OFF"])(value)
    torch.use_deterministic_algorithms(value == "ON", warn_only=True)
    # What MindSpore's children and libraries read.
    if value == "ON":
        if os.getenv("HCCL_DETERMINISTIC") != "strict":
            os.environ["HCCL_DETERMINISTIC"] = "true"
        os.environ["TE_PARALLEL_COMPILER"] = "1"
    else:
        os.environ.pop("HCCL_DETERMINISTIC", None)
        os.environ.pop("TE_PARALLEL_COMPILER", None)
    return value


def _checked_support_binary(value):
    if not isinstance(value, bool):
        raise TypeError(f"The attribute 'support_binary' should be a bool, but got {type(value)}.")
    return value


_CONV = ["normal", "performance"]
_GPU = {
    "conv_fprop_algo": [
        *_CONV,
        "implicit_gemm",
        "precomp_gemm",
        "gemm",
        "direct",
        "fft",
        "fft_tiling",
        "winograd",
        "winograd_nonfused",
    ],
    "conv_dgrad_algo": [*_CONV, "algo_0", "algo_1", "fft", "fft_tiling", "winograd", "winograd_nonfused"],
    "conv_wgrad_algo": [*_CONV, "algo_0", "algo_1", "fft", "algo_3", "fft_tiling", "winograd_nonfused"],
    "conv_allow_tf32": [True, False],
    "matmul_allow_tf32": [True, False],
}
_THREADS = "The num of {} must bigger than or equal to 0."
SETTINGS: dict[str, _Setting] = {
    "mode": _Setting(None, _checked_mode),
    "device_target": _Setting(None, checked_target),
    "device_id": _Setting(0, _checked_device_id),
    "deterministic": _Setting("OFF", _checked_deterministic),
    "save_graphs": _Setting(0, _checked_save_graphs),
    "save_graphs_path": _Setting(".", _checked_graphs_path),
    "max_call_depth": _Setting(
        1000, _at_least(1, _KEY.format("max_call_depth") + "must be greater than 0, but got {}.")
    ),
    "jit_syntax_level": _Setting(
        LAX,
        _among(
            "",
            [STRICT, COMPATIBLE, LAX],
            "For 'jit_syntax_level', the value should be context.STRICT or context.LAX",
        ),
    ),
    "debug_level": _Setting(
        RELEASE,
        _among(
            "", [RELEASE, DEBUG], "For 'debug_level', the value should be context.DEBUG or context.RELEASE"
        ),
    ),
    "memory_optimize_level": _Setting(0, lambda v: int(_among("memory_optimize_level", ["O0", "O1"])(v)[1])),
    "exec_order": _Setting("bfs", _among("exec_order", ["bfs", "dfs"])),
    "runtime_num_threads": _Setting(2, _at_least(0, _THREADS.format("thread"))),
    "inter_op_parallel_num": _Setting(0, _at_least(0, _THREADS.format("parallel thread"))),
    "op_timeout": _Setting(900, _at_least(0, _THREADS.format("op exe timeout"))),
    "aoe_tune_mode": _Setting(
        "",
        _among(
            "aoe_tune_mode",
            ["online", "offline"],
            _KEY.format("aoe_tune_mode") + "must be in ['online', 'offline']",
        ),
    ),
    "aoe_config": _Setting({}, _config("aoe_config", {"job_type": ["1", "2"]})),
    "jit_config": _Setting({}, _checked_jit_config),
    "jit_level": _Setting("", _checked_jit_level),
    "infer_boost": _Setting("off", _text("infer_boost")),
    "ascend_config": _Setting({}, _checked_ascend_config, ("Ascend",)),
    "gpu_config": _Setting({}, _config("gpu_config", _GPU), ("GPU",)),
    "max_device_memory": _Setting(1024.0, _gigabytes("max_device_memory"), ("Ascend", "GPU")),
    "mempool_block_size": _Setting(1.0, _gigabytes("mempool_block_size"), ("Ascend", "GPU")),
    "variable_memory_max_size": _Setting("0", _checked_variable_memory, ("Ascend",)),
    "print_file_path": _Setting("", os.path.realpath, ("Ascend",)),
    "enable_reduce_precision": _Setting(True, targets=("Ascend",)),
    "disable_format_transform": _Setting(False, targets=("GPU",)),
    "env_config_path": _Setting("", _checked_env_config_path),
    "support_binary": _Setting(False, _checked_support_binary),
    "reserve_class_name_in_scope": _Setting(True),
    "enable_graph_kernel": _Setting(False),
    "graph_kernel_flags": _Setting(""),
    "enable_compile_cache": _Setting(None),
    "compile_cache_path": _Setting(""),
    "check_bprop": _Setting(False),
    "pynative_synchronize": _Setting(False),
    "enable_profiling": _Setting(False),
    "profiling_options": _Setting("training_trace"),
    "enable_ge": _Setting(False),
    "enable_debug_runtime": _Setting(False),
}
# Read back by no release, or only by old ones: accepted, kept where given, without an effect here.
ACCEPTED = (
    "enable_sparse",
    "auto_tune_mode",
    "enable_auto_mixed_precision",
    "enable_dump",
    "save_dump_path",
    "enable_loop_sink",
    "enable_task_sink",
    "enable_mem_reuse",
    "enable_hccl",
    "enable_gpu_summary",
    "enable_ir_fusion",
    "enable_dynamic_memory",
    "enable_pynative_infer",
    "enable_pynative_hook",
    "enable_mem_scheduler",
    "save_ms_model",
    "save_ms_model_path",
    "save_compile_cache",
    "load_compile_cache",
    "memory_offload",
    "offload_config",
    "jit_enable_inplace_ops",
    "enable_fallback",
    "backend_policy",
    "enable_cache_path",
)
REMOVED = {
    "grad_for_scalar": ("2.10", "tensor derivative"),
    "precompile_only": ("2.10", "env MS_DEV_PRECOMPILE_ONLY"),
    "exception_dump": ("2.6", "device_context.ascend.op_debug.aclinit_config()"),
}
INSIDE_ASCEND_CONFIG = (
    "precision_mode",
    "jit_compile",
    "atomic_clean_policy",
    "matmul_allow_hf32",
    "conv_allow_hf32",
    "op_precision_mode",
    "host_scheduling_max_threshold",
    "ge_options",
    "op_debug_option",
)
# What MindSpore's core keeps beside its documented settings: read and written, and nothing more.
INNER = {
    "aoe_job_type": "2",
    "bias_add_comm_swap": False,
    "compute_communicate_fusion_level": 0,
    "conv_allow_tf32": True,
    "conv_dgrad_algo": "normal",
    "conv_fprop_algo": "normal",
    "conv_wgrad_algo": "normal",
    "cur_step_num": 0,
    "dataset_broadcast_opt_level": 0,
    "enable_allreduce_slice_to_reducescatter": False,
    "enable_begin_end_inline_opt": False,
    "enable_concat_eliminate_opt": False,
    "enable_flash_attention_load_balance": False,
    "enable_fused_cast_add_opt": False,
    "enable_grad_comm_opt": False,
    "enable_interleave_parallel_branch": False,
    "enable_interleave_split_concat_branch": False,
    "enable_offloading_packed_experts": True,
    "enable_opt_shard_comm_opt": False,
    "enable_parallel_split": False,
    "enable_task_opt": False,
    "hccl_watchdog": True,
    "interleaved_layernorm_comm": False,
    "interleaved_matmul_comm": False,
    "last_triggered_step": 0,
    "matmul_allow_tf32": False,
    "matmul_grad_comm_overlap": "",
    "need_ckpt": False,
    "pp_1f1b_overlap": "",
    "recompute_allgather_overlap_fagrad": False,
    "recompute_comm_overlap": "",
    "save_checkpoint_steps": 0,
    "topo_order": "",
}
UNKNOWN = (
    "For 'context.{0}', the {1} {2} is not recognized! For detailed usage of '{0}', please refer to the "
    "Mindspore official website."
)
# The settings that a program gave.
values: dict[str, Any] = {}
