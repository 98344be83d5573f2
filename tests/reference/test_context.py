"""``set_context`` and the parallel settings: what is accepted, what is read back, and every refusal."""

import mindspore as ms
from mindspore import context, nn
from mindspore.communication import get_group_size, get_rank
from mindspore.parallel import _cost_model_context as cost
from mindspore.parallel import _utils as parallel
from mindspore.parallel._auto_parallel_context import auto_parallel_context
from mindspore.parallel.auto_parallel import AutoParallel

from tests.reference.judge import case

COSTS = ("device_memory_capacity", "costmodel_alpha", "costmodel_beta", "costmodel_communi_bias", "run_phase",
         "costmodel_communi_threshold", "costmodel_communi_const", "costmodel_allreduce_fusion_tail_time")


def told(setter, getter, *settings):
    """After each setting: what is read back, or the error's type and text."""
    answers = []
    for setting in settings:
        ((key, _),) = setting.items()
        try:
            setter(**setting)
        except Exception as error:
            answers.append(f"{type(error).__name__}: {error}")
            continue
        try:
            answers.append(repr(getter(key)))
        except Exception as error:
            answers.append(f"not read back, {type(error).__name__}: {error}")
    return answers


def context_told(*settings):
    return told(ms.set_context, ms.get_context, *settings)


def parallel_told(*settings):
    answers = told(ms.set_auto_parallel_context, ms.get_auto_parallel_context, *settings)
    reset()
    return answers


def reset():
    """Parts of the dataset are remembered beyond a reset."""
    ms.set_auto_parallel_context(dataset_strategy="data_parallel")
    ms.reset_auto_parallel_context()


_DEFAULTS = [
    "mode",
    "device_id",
    "save_graphs",
    "save_graphs_path",
    "max_call_depth",
    "jit_syntax_level",
    "debug_level",
    "memory_optimize_level",
    "exec_order",
    "deterministic",
    "inter_op_parallel_num",
    "op_timeout",
    "aoe_tune_mode",
    "aoe_config",
    "jit_config",
    "ascend_config",
    "gpu_config",
    "max_device_memory",
    "mempool_block_size",
    "variable_memory_max_size",
    "print_file_path",
    "enable_reduce_precision",
    "disable_format_transform",
    "env_config_path",
    "support_binary",
    "reserve_class_name_in_scope",
    "enable_graph_kernel",
    "graph_kernel_flags",
    "enable_compile_cache",
    "compile_cache_path",
    "check_bprop",
    "pynative_synchronize",
    "enable_profiling",
    "profiling_options",
]


@case
def test_defaults():
    return {key: repr(ms.get_context(key)) for key in _DEFAULTS}


@case
def test_modes_are_read_back():
    seen = []
    for mode in (context.GRAPH_MODE, context.PYNATIVE_MODE, 0, 1):
        ms.set_context(mode=mode)
        seen.append(ms.get_context("mode"))
    return seen, context_told({"mode": 2}, {"mode": "0"}, {"mode": None}, {"mode": True})


@case
def test_devices():
    return context_told(
        {"device_target": "TPU"},
        {"device_target": 1},
        {"device_target": None},
        {"device_target": "CPU"},
        {"device_id": -1},
        {"device_id": 5000},
        {"device_id": "0"},
        {"device_id": 3},
    )


@case
def test_graph_settings():
    return context_told(
        {"save_graphs": True},
        {"save_graphs": False},
        {"save_graphs": 3},
        {"save_graphs": 5},
        {"save_graphs": "a"},
        {"save_graphs_path": ""},
        {"save_graphs_path": 3},
        {"max_call_depth": 0},
        {"max_call_depth": 10},
        {"max_call_depth": 10.0},
        {"enable_graph_kernel": True},
        {"graph_kernel_flags": "--x"},
        {"check_bprop": True},
        {"jit_syntax_level": 7},
        {"jit_syntax_level": 0},
        {"debug_level": 3},
        {"debug_level": 1},
        {"jit_config": {"jit_level": "O3"}},
        {"jit_config": {"jit_lev": "O3"}},
        {"jit_config": {"jit_level": "O2"}},
        {"exec_order": "x"},
        {"exec_order": "dfs"},
        {"reserve_class_name_in_scope": False},
        {"env_config_path": 3},
        {"support_binary": 1},
        {"enable_compile_cache": True},
        {"compile_cache_path": "./x"},
    )


@case
def test_memory_and_threads():
    return context_told(
        {"max_device_memory": "1"},
        {"max_device_memory": 3},
        {"variable_memory_max_size": "5GB"},
        {"mempool_block_size": "2GB"},
        {"memory_optimize_level": "O2"},
        {"memory_optimize_level": "O1"},
        {"runtime_num_threads": -1},
        {"inter_op_parallel_num": 3},
        {"inter_op_parallel_num": -1},
        {"op_timeout": -2},
        {"pynative_synchronize": 1},
        {"pynative_synchronize": True},
    )


@case
def test_settings_of_other_targets_are_ignored_on_the_cpu():
    ms.set_context(device_target="CPU")
    return context_told(
        {"ascend_config": {"x": 1}},
        {"gpu_config": {"x": 1}},
        {"enable_reduce_precision": False},
        {"disable_format_transform": True},
        {"print_file_path": "x"},
        {"aoe_tune_mode": "x"},
        {"aoe_config": {"job_type": "4"}},
        {"aoe_config": {"job_type": "1"}},
    )


@case
def test_old_and_unknown_keywords():
    return context_told(
        {"enable_auto_mixed_precision": True},
        {"auto_tune_mode": "RL,GA"},
        {"enable_sparse": True},
        {"grad_for_scalar": True},
        {"precision_mode": "x"},
        {"device_targer": "CPU"},
        {"foo": 1},
        {"deterministic": "on"},
        {"deterministic": "ON"},
        {"deterministic": "OFF"},
        {"enable_profiling": True},
        {"profiling_options": "x"},
    )


@case
def test_what_the_core_keeps_beside_its_settings():
    """Found among the names of MindSpore's own; libraries read some of them."""
    kept = ("aoe_job_type", "compute_communicate_fusion_level", "conv_fprop_algo", "cur_step_num",
            "dataset_broadcast_opt_level", "enable_begin_end_inline_opt", "enable_offloading_packed_experts",
            "hccl_watchdog", "matmul_allow_tf32", "need_ckpt", "pp_1f1b_overlap", "recompute_comm_overlap",
            "topo_order", "precision_mode", "jit_compile", "op_precision_mode")
    before = [ms.get_context(name) for name in kept]
    return before, context_told(*({name: value} for name, value in zip(kept, before, strict=True)))


@case(raises=True)
def test_unknown_key_to_read():
    return ms.get_context("nothing")


_PARALLEL = [
    "device_num",
    "global_rank",
    "gradients_mean",
    "gradient_fp32_sync",
    "loss_repeated_mean",
    "pipeline_stages",
    "auto_pipeline",
    "pipeline_result_broadcast",
    "pipeline_interleave",
    "pipeline_scheduler",
    "parallel_mode",
    "search_mode",
    "auto_parallel_search_mode",
    "parameter_broadcast",
    "strategy_ckpt_load_file",
    "strategy_ckpt_save_file",
    "full_batch",
    "dataset_strategy",
    "enable_parallel_optimizer",
    "force_fp32_communication",
    "grad_accumulation_step",
    "all_reduce_fusion_config",
    "communi_parallel_mode",
    "optimizer_weight_shard_size",
    "optimizer_weight_shard_aggregated_save",
    "sharding_propagation",
    "enable_alltoall",
    "comm_fusion",
    "strategy_ckpt_config",
    "full_batch_is_set",
    "dump_local_norm",
    "dump_local_norm_path",
]


@case
def test_parallel_defaults():
    return {key: repr(ms.get_auto_parallel_context(key)) for key in _PARALLEL}


@case
def test_parallel_settings():
    return parallel_told(
        {"device_num": 0},
        {"device_num": 8},
        {"device_num": "8"},
        {"global_rank": -1},
        {"global_rank": 5000},
        {"global_rank": 2},
        {"gradients_mean": 1},
        {"gradients_mean": True},
        {"mirror_mean": True},
        {"parallel_mode": "x"},
        {"parallel_mode": "data_parallel"},
        {"parallel_mode": "auto_parallel"},
        {"auto_parallel_search_mode": "x"},
        {"auto_parallel_search_mode": "dynamic_programming"},
        {"parameter_broadcast": True},
        {"strategy_ckpt_load_file": "./a"},
        {"strategy_ckpt_save_file": "./b"},
        {"strategy_ckpt_config": {"save_file": "./x"}},
        {"full_batch": True},
        {"enable_parallel_optimizer": True},
        {"all_reduce_fusion_config": [1, 2]},
        {"all_reduce_fusion_config": [2, 1]},
        {"all_reduce_fusion_config": ["a"]},
        {"all_reduce_fusion_config": [1, 1]},
        {"all_reduce_fusion_config": []},
        {"pipeline_stages": 0},
        {"pipeline_stages": 2},
        {"grad_accumulation_step": 2},
        {"gradient_fp32_sync": False},
        {"loss_repeated_mean": False},
        {"dataset_strategy": "full_batch"},
        {"dataset_strategy": "x"},
        {"dataset_strategy": ((1, 1),)},
        {"comm_fusion": {"x": 1}},
        {"parallel_optimizer_config": {"parallel_optimizer_threshold": 24}},
        {"parallel_optimizer_config": {"x": 24}},
        {"group_ckpt_save_file": "x"},
        {"communi_parallel_mode": "x"},
        {"foo": 1},
        {"auto_pipeline": True},
    )


def refusals(**settings):
    """What each of a setting's values is told; accepted ones are seen in what is read at the end."""
    found = []
    for key, values in settings.items():
        for value in values:
            try:
                ms.set_auto_parallel_context(**{key: value})
            except Exception as error:
                found.append(f"{key}={value}: {type(error).__name__}: {error}")
    found += [repr(ms.get_auto_parallel_context(key)) for key in _PARALLEL]
    reset()
    return found


@case
def test_parallel_settings_of_the_wrong_kind():
    wrong = [3, "a", [1], {"a": 1}]
    return refusals(
        loss_repeated_mean=wrong, group_ckpt_save_file=[1, None], sharding_propagation=[*wrong, None],
        optimizer_weight_shard_aggregated_save=[*wrong, None], optimizer_weight_shard_size=["a", None, True],
        communi_parallel_mode=[1, None], grad_accumulation_step=["a", True, -1, 2], global_rank=["a", None],
        enable_alltoall=[1, None], force_fp32_communication=[None], pipeline_result_broadcast=[None],
        enable_parallel_optimizer=[1, None], pipeline_segments=[0, "a"], search_mode=["q"],
        auto_parallel_search_mode=["q"], strategy_ckpt_save_file=[1, None], full_batch=["a"],
    )


@case
def test_parallel_settings_of_several_keys():
    sizes = [{}, {"mode": "size"}, {"config": 3}, {"mode": "x", "config": 3}, {"mode": "size", "config": -3},
             {"mode": "size", "config": None}, {"mode": "index", "config": [2, 1]}, 3]
    return refusals(
        strategy_ckpt_config=[{"load_file": 1}, {"save_file": None}, {"only_trainable_params": 1}, {"x": 1}],
        pipeline_config=[{"pipeline_interleave": False, "pipeline_scheduler": "z"}, {"x": 1},
                         {"pipeline_interleave": 1, "pipeline_scheduler": "gpipe"},
                         {"pipeline_scheduler": "gpipe"}, {"pipeline_interleave": True},
                         {"pipeline_interleave": True, "pipeline_scheduler": "seqpipe"}],
        comm_fusion=[{key: value} for key in ("allreduce", "allgather") for value in sizes]
        + [{"openstate": 3}, {"openstate": False}, {"reducescatter": {"mode": "size", "config": 2}}],
        parallel_optimizer_config=[{"optimizer_level": None}, {"parallel_optimizer_threshold": "a"}],
    )


@case(raises="set_parallel_mode(): incompatible function arguments. The following argument types")
def test_a_parallel_mode_that_is_no_text():
    auto_parallel_context().set_parallel_mode(2)


@case
def test_parts_of_the_dataset_and_full_batch():
    found = []
    for given in ([((1,),), True], [True, ((1,),)], [((1,),), "reset"], [((1,),), "full_batch", "reset"]):
        for one in given:
            if one == "reset":
                ms.reset_auto_parallel_context()
            else:
                ms.set_auto_parallel_context(**{"full_batch" if one is True else "dataset_strategy": one})
        found.append([repr(ms.get_auto_parallel_context(key)) for key in ("dataset_strategy", "full_batch")])
        reset()
    return found


@case(raises=True)
def test_transformer_opt_of_no_file():
    AutoParallel(nn.Dense(2, 2)).transformer_opt("/nowhere/none.json")


@case
def test_reset_puts_parallel_settings_back():
    ms.set_auto_parallel_context(device_num=8, parallel_mode="data_parallel", gradients_mean=True)
    ms.reset_auto_parallel_context()
    return {key: repr(ms.get_auto_parallel_context(key)) for key in _PARALLEL}


@case
def test_private_questions_of_training_code():
    seen = []
    for settings in (
        {},
        {"parallel_mode": "data_parallel", "gradients_mean": True},
        {"parallel_mode": "semi_auto_parallel", "device_num": 8, "global_rank": 3},
    ):
        ms.reset_auto_parallel_context()
        ms.set_auto_parallel_context(**settings)
        seen.append(
            [
                parallel._get_parallel_mode(),
                parallel._get_device_num(),
                parallel._get_gradients_mean(),
                parallel._get_global_rank(),
                parallel._get_full_batch(),
                parallel._get_pipeline_stages(),
                parallel._is_in_auto_parallel_mode(),
                parallel._is_in_data_parallel_mode(),
                parallel._is_sharding_propagation(),
                parallel._get_enable_parallel_optimizer(),
                parallel._get_stage_device_num(),
                parallel._is_parallel_mode(),
                auto_parallel_context().get_parallel_mode(),
                auto_parallel_context().get_device_num(),
                auto_parallel_context().get_device_num_is_set(),
            ]
        )
    ms.reset_auto_parallel_context()
    return seen, get_rank(), get_group_size()


@case(each={"arguments": [("stand_alone", 8), ("data_parallel", 8)]})
def test_several_devices_need_a_parallel_mode(arguments):
    try:
        return parallel._device_number_check(*arguments)
    except ValueError as error:
        return str(error)


@case
def test_parameter_server_is_off():
    return told(
        ms.set_ps_context, ms.get_ps_context, {"enable_ssl": False}, {"nothing": 1}, {"config_file_path": "x"}
    ), ms.get_ps_context("enable_ps")


@case
def test_set_device():
    answers = []
    for arguments in (("CPU", 0), ("CPU",), ("TPU",), ("CPU", "a"), ("CPU", -1), (1,)):
        try:
            answers.append(repr(ms.set_device(*arguments)))
        except Exception as error:
            answers.append(f"{type(error).__name__}: {error}")
    return answers, tuple(ms.get_current_device())


@case
def test_version_has_three_numbers():
    return ms.__version__, [int(part) for part in ms.version.__version__.split(".")]


@case()
def test_settings_of_the_compiler():
    return context_told({"jit_level": "O0"}, {"jit_level": "O7"}, {"infer_boost": "on"})


@case(each={"name": ["jit_level", "infer_boost"], "value": [1, None]}, raises=True)
def test_settings_of_the_compiler_are_strings(name, value):
    ms.set_context(**{name: value})


@case
def test_settings_of_the_cost_model():
    before = {name: cost.get_cost_model_context(name) for name in COSTS}
    cost.set_cost_model_context(costmodel_alpha=2.0, run_phase=1)
    cost._set_multi_subgraphs()
    set_to = [cost.get_cost_model_context(name) for name in ("costmodel_alpha", "run_phase")]
    set_to.append(cost._get_multi_subgraphs())
    cost.reset_cost_model_context()
    return before, set_to, cost.get_cost_model_context("costmodel_alpha"), cost._get_multi_subgraphs()


@case(raises=True, each={"given": [{"costmodel_alpha": 1}, {"foo": 1}, {"costmodel_beta": 0.0}, {"run_phase": 7}]})
def test_wrong_settings_of_the_cost_model(given):
    cost.set_cost_model_context(**given)
