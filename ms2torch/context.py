"""``mindspore.context``: execution mode, device, and the settings of MindSpore's runtime.

What decides how programs run here is the mode, the device, ``deterministic`` and the parallel settings. The
rest steers MindSpore's compiler, memory pool and hardware; it is checked as MindSpore checks it, kept, and
read back, and changes nothing. Every keyword that a release from r1.0 to 2.10 accepted is accepted.
"""

from __future__ import annotations

import os

from ms2torch._core import mode
from ms2torch._core.devices import device
from ms2torch._core.errors import unsupported
from ms2torch._naming import generation, generations
from ms2torch._naming.surface import install_lazy

from . import _context_settings as _settings
from ._checkparam import args_type_check
from ._context_settings import (  # noqa: F401
    COMPATIBLE,
    DEBUG,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    RELEASE,
    STRICT,
)
from .parallel import _auto_parallel_context as _parallel
from .parallel._ps_context import _get_ps_context, _reset_ps_context, _set_ps_context

mode.graph = generations.has_old_meaning("mindspore.set_context")


def choose_graphs(value: str) -> None:
    """``--graph``: whether steps are compiled. ValueError for anything but eager, compile or auto."""
    if value not in mode.GRAPHS:
        raise ValueError(f"--graph and MS2TORCH_GRAPH take {', '.join(mode.GRAPHS)}, but got {value!r}")
    mode.graphs = value


choose_graphs(os.environ.get("MS2TORCH_GRAPH") or "auto")


def _removed(key: str, value) -> None:
    since, instead = _settings.REMOVED[key]
    if generation.is_before(*map(int, since.split("."))):
        if value is True:
            raise unsupported(
                f"set_context({key}=True)",
                "not supported by ms2torch.",
                "differentiate Tensors: give Tensor(x) in place of the scalar x.",
            )
        return
    raise ValueError(
        f"For 'context.set_context', the parameter '{key}' has been removed since MindSpore {since} "
        f"version. Please use the {instead} instead."
    )


@args_type_check(
    mode=int,
    device_target=str,
    device_id=int,
    save_graphs=(bool, int),
    save_graphs_path=str,
    aoe_tune_mode=str,
    aoe_config=dict,
    enable_reduce_precision=bool,
    variable_memory_max_size=str,
    enable_auto_mixed_precision=bool,
    inter_op_parallel_num=int,
    enable_graph_kernel=bool,
    reserve_class_name_in_scope=bool,
    check_bprop=bool,
    max_device_memory=str,
    print_file_path=str,
    max_call_depth=int,
    env_config_path=str,
    graph_kernel_flags=str,
    save_compile_cache=bool,
    runtime_num_threads=int,
    load_compile_cache=bool,
    pynative_synchronize=bool,
    mempool_block_size=str,
    disable_format_transform=bool,
    op_timeout=int,
    deterministic=str,
    ascend_config=dict,
    jit_syntax_level=int,
    debug_level=int,
    jit_enable_inplace_ops=bool,
    gpu_config=dict,
    jit_config=dict,
    enable_compile_cache=bool,
)
def set_context(**kwargs) -> None:
    """Set how programs run (``mindspore.set_context``), by keyword.

    ``mode`` is GRAPH_MODE or PYNATIVE_MODE; ``device_target`` ("Ascend", "GPU", "CPU") means the best
    device here, and ``device_id`` the CUDA device; ``deterministic="ON"`` asks torch for deterministic
    algorithms. Settings of one target are kept only while that target is set, as in MindSpore.

    Raises TypeError for a value of the wrong type, ValueError for an unknown keyword or a value out of range.
    """
    if "device_target" in kwargs:
        _settings.values["device_target"] = _settings.checked_target(kwargs["device_target"])
    for key, value in kwargs.items():
        if key in _settings.REMOVED:
            _removed(key, value)
        elif key in _settings.INSIDE_ASCEND_CONFIG:
            raise ValueError(f"Please set '{key}' through parameter ascend_config")
        elif key in _settings.SETTINGS:
            setting = _settings.SETTINGS[key]
            if key != "device_target" and (
                not setting.targets or get_context("device_target") in setting.targets
            ):
                _settings.values[key] = setting.checked(value)
                _allow_tf32(value if key == "gpu_config" else {})
        elif key in _settings.INNER:
            if not isinstance(value, type(_settings.INNER[key])):      # (MindSpore has a number for the key)
                raise RuntimeError(f"Got illegal param {key} and value with type {type(value)}")
            _settings.values[key] = value
            _allow_tf32({key: value})
        elif key not in _settings.ACCEPTED:
            raise ValueError(_settings.UNKNOWN.format("set_context", "keyword argument", key))


def _allow_tf32(given: dict) -> None:
    """Round float32 products or convolutions to TF32 on the way, or not, where ``given`` says so."""
    from .device_context.gpu import op_precision

    for key in op_precision.__all__:
        if key in given:
            getattr(op_precision, key)(given[key])


def get_context(attr_key: str):
    """The value of one setting; ValueError for a name that MindSpore does not read back."""
    if not isinstance(attr_key, str):
        raise TypeError(f"attribute name must be string, not '{type(attr_key).__name__}'")
    if attr_key == "mode":
        return GRAPH_MODE if mode.graph else PYNATIVE_MODE
    if attr_key == "device_target" and attr_key not in _settings.values:
        return device.target(device.device())
    if attr_key in _settings.SETTINGS:
        return _settings.values.get(attr_key, _settings.SETTINGS[attr_key].default)
    if attr_key in _settings.INNER:
        return _settings.values.get(attr_key, _settings.INNER[attr_key])
    if attr_key in _settings.INSIDE_ASCEND_CONFIG:
        return ""
    raise ValueError(_settings.UNKNOWN.format("get_context", "argument", attr_key))


def _get_mode() -> int:
    return get_context("mode")


def get_jit_config() -> dict:
    """The ``jit_config`` in force."""
    return get_context("jit_config")


class ParallelMode:
    """Names of the parallel modes (``mindspore.ParallelMode``)."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


@args_type_check(
    device_num=int,
    global_rank=int,
    gradients_mean=bool,
    gradient_fp32_sync=bool,
    parallel_mode=str,
    auto_parallel_search_mode=str,
    search_mode=str,
    parameter_broadcast=bool,
    strategy_ckpt_load_file=str,
    strategy_ckpt_save_file=str,
    full_batch=bool,
    enable_parallel_optimizer=bool,
    enable_alltoall=bool,
    all_reduce_fusion_config=list,
    pipeline_stages=int,
    pipeline_segments=int,
    pipeline_result_broadcast=bool,
    parallel_optimizer_config=dict,
    pipeline_config=dict,
    comm_fusion=dict,
    strategy_ckpt_config=dict,
    force_fp32_communication=bool,
    group_ckpt_save_file=str,
    optimizer_weight_shard_size=int,
    optimizer_weight_shard_aggregated_save=bool,
    sharding_propagation=bool,
    loss_repeated_mean=bool,
    communi_parallel_mode=str,
    grad_accumulation_step=int,
)
def set_auto_parallel_context(**kwargs) -> None:
    """Set how training is spread over devices (``mindspore.set_auto_parallel_context``), by keyword.

    TypeError for a value of the wrong type, ValueError for an unknown keyword or a value out of range.
    """
    _parallel._set_auto_parallel_context(**kwargs)


def get_auto_parallel_context(attr_key: str):
    """The value of one parallel setting; ValueError for an unknown name."""
    return _parallel._get_auto_parallel_context(attr_key)


def reset_auto_parallel_context() -> None:
    """Put all parallel settings back to their defaults."""
    _parallel._reset_auto_parallel_context()


@args_type_check(enable_ps=bool)
def set_ps_context(**kwargs) -> None:
    """Settings of parameter-server training; ``enable_ps=True`` is not supported."""
    _set_ps_context(**kwargs)


def get_ps_context(attr_key: str):
    """The value of one parameter-server setting; ValueError for an unknown name."""
    return _get_ps_context(attr_key)


def reset_ps_context() -> None:
    """Put the parameter-server settings back to their defaults."""
    _reset_ps_context()


@args_type_check(device_target=str, device_id=int)
def set_device(device_target, device_id=None) -> None:
    """Choose the device (``mindspore.set_device``): "CPU", "GPU" or "Ascend" mean the best device here.

    ValueError for another target or a negative index.
    """
    valid_targets = ["CPU", "GPU", "Ascend"]
    if device_target not in valid_targets:
        raise ValueError(
            f"The argument 'device_target' must be one of {valid_targets}, but got {device_target}."
        )
    if device_id is not None and device_id < 0:
        raise ValueError("The device id must bigger than or equal to 0.")
    set_context(device_target=device_target, device_id=device_id or 0)

install_lazy(__name__, globals())
