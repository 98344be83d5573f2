"""Modes, devices, seeds: most of it is nothing in PyTorch."""

from __future__ import annotations

import libcst as cst

from ..rewriting.sites import UNTOLD
from ..rewriting.templates import code
from . import training
from .table import VALUES, Rule, add, rule

for _name, _value in (("GRAPH_MODE", "0"), ("PYNATIVE_MODE", "1")):
    for _home in ("mindspore.", "mindspore.context."):
        add(Rule(f"{_home}{_name}", _value), VALUES)


@rule(
    "set_context context.set_context",
    "torch.set_default_device(device)",
    "PyTorch has one mode, and torch.compile",
    "PyTorch 只有一种模式，另有 torch.compile",
)
def set_context(call):
    if not call.rewriter.is_statement(call.node):
        call.refuse("its value is used")
    target = next(
        (a.value for a in call.updated.args if a.keyword is not None and a.keyword.value == "device_target"),
        None,
    )
    node = next((k.value for k in call.node.keywords if k.arg == "device_target"), None)
    if target is None or getattr(node, "value", None) == "CPU":
        return cst.Name("_gone_")
    call.helper("device_of")
    return cst.parse_expression(f"torch.set_default_device(device_of({code(target)}))")


@rule(
    "get_context context.get_context",
    "torch.get_default_device()",
    "PyTorch has one mode, and settings of its own",
    "PyTorch 只有一种模式，设置也不同",
)
def get_context(call):
    if call.value(next(iter(call.args), "")) != "device_target":
        call.refuse("what it asks for has no counterpart")
    return '("CPU" if torch.get_default_device().type == "cpu" else "GPU")'


@rule("_no_grad common.api._no_grad", "torch.no_grad()")
def no_grad(call):
    return "torch.no_grad()"


@rule("set_device", "torch.set_default_device(device)")
def set_device(call):
    value = call.value("device_target")
    device = {"CPU": '"cpu"', "GPU": '"cuda"'}.get(value if value is not UNTOLD else "")
    if device is None:
        device = 'torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "cpu"'
    return cst.parse_expression(f"torch.set_default_device({device})")


@rule(
    "set_seed",
    "torch.manual_seed(seed); np.random.seed(seed)",
    "the numbers drawn are PyTorch's own; numpy's are the same on both sides",
    "PyTorch 抽出的随机数不同；numpy 的两边相同",
)
def set_seed(call):
    if not call.rewriter.is_statement(call.node):
        call.refuse("its value is used")
    # Another seed may follow on the same line, behind a semicolon.
    followed = call.rewriter.is_followed(call.node)
    (call.beforehand if followed else call.afterwards)(f"np.random.seed({call.text('seed')})")
    if call.rewriter.keeps_data:  # the order of datasets that stay
        call.afterwards(f"ms2torch.set_seed({call.text('seed')})")
    return "torch.manual_seed({seed})"


@rule("manual_seed", "torch.manual_seed(seed)")
def manual_seed(call):
    if not call.rewriter.is_statement(call.node):
        call.refuse("its value is used")
    return "torch.manual_seed({seed})"


@rule(
    "jit ms_function constexpr ops.constexpr",
    "the function itself; torch.compile(function) where speed asks for it",
)
def jit(call):
    return next(iter(call.args.values()), cst.Name("_gone_"))


for _name in ("jit", "ms_function", "constexpr", "ops.constexpr", "jit_class", "nn.optim.optimizer.opt_init_args_register"):
    add(Rule(f"mindspore.{_name}", "_gone_"), VALUES)


@rule(
    "set_auto_parallel_context reset_auto_parallel_context context.set_auto_parallel_context "
    "context.reset_auto_parallel_context set_algo_parameters set_ps_context",
    "nothing on one device",
)
def needless(call):
    return cst.Name("_gone_")


_MODES = ("STAND_ALONE", "DATA_PARALLEL", "HYBRID_PARALLEL", "SEMI_AUTO_PARALLEL", "AUTO_PARALLEL")
for _home in ("", "context.", "communication."):
    for _name in _MODES:
        add(Rule(f"mindspore.{_home}ParallelMode.{_name}", f'"{_name.lower()}"'), VALUES)


@rule(
    "get_auto_parallel_context context.get_auto_parallel_context",
    "torch.distributed's state",
    "one process: stand_alone; several: data_parallel",
    "单进程为 stand_alone，多进程为 data_parallel",
)
def get_auto_parallel_context(call):
    asked = next(iter(call.args), None) and call.value(next(iter(call.args)))
    if asked == "parallel_mode":
        return '"data_parallel" if torch.distributed.is_initialized() else "stand_alone"'
    if asked == "device_num":
        return get_group_size(call)
    if asked in ("gradients_mean", "mirror_mean"):
        return training.gradients_mean(call)
    call.refuse("what it asks for has no counterpart")


_DEGREE = "torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1"
_SETTINGS = {
    "get_device_num_is_set": "torch.distributed.is_initialized()",
    "get_device_num": f"({_DEGREE})",
    "get_parallel_mode": '("data_parallel" if torch.distributed.is_initialized() else "stand_alone")',
}


@rule("parallel._auto_parallel_context.auto_parallel_context", "torch.distributed's state")
def auto_parallel(call):
    """``auto_parallel_context().get_device_num()`` and the like, which are one expression."""
    asked = call.rewriter.parents.get(id(call.node))
    if getattr(asked, "attr", "") not in _SETTINGS:
        call.refuse("what it asks for has no counterpart")
    return call.updated


def _setting(name: str, form: str) -> None:
    @rule(f"parallel._auto_parallel_context.auto_parallel_context.{name}", form)
    def write(call):
        return form


for _name, _form in _SETTINGS.items():
    _setting(_name, _form)


@rule("parallel._utils._get_parallel_mode", "torch.distributed's state")
def parallel_mode(call):
    return '"data_parallel" if torch.distributed.is_initialized() else "stand_alone"'


@rule("parallel._utils._get_device_num parallel._utils._get_gradients_mean", "torch.distributed.get_world_size()")
def device_num(call):
    return training.gradients_mean(call) if call.name.endswith("mean") else get_group_size(call)


@rule(
    "communication.init",
    "torch.distributed.init_process_group(), in join_processes() at the head",
    "torchrun starts the processes; a program that runs alone has none",
    "由 torchrun 启动各进程；单独运行时没有进程组",
)
def init(call):
    if not call.rewriter.is_statement(call.node):
        call.refuse("its value is used")
    call.helper("join_processes")
    return "join_processes()"


@rule("communication.get_rank", "torch.distributed.get_rank()")
def get_rank(call):
    return "torch.distributed.get_rank() if torch.distributed.is_initialized() else 0"


@rule("communication.get_group_size", "torch.distributed.get_world_size()")
def get_group_size(call):
    return "torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1"
