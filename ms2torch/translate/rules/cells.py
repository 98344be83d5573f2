"""Cells as Modules: bases, methods, and what ``super().__init__`` takes."""

from __future__ import annotations

import ast
import re

import libcst as cst

from ..rewriting.inferred import Of, is_a
from ..rewriting.templates import code, fill
from . import training
from .table import VALUES, add, rule, table
from .table import Rule as Rule

# What a class of the program descends from instead; an empty text for nothing.
BASES = {
    "mindspore.nn.Cell": "nn.Module",
    "mindspore.nn.LossBase": "LossBase",
    "mindspore.nn.loss.loss._Loss": "LossBase",
    "mindspore.nn.loss.loss.LossBase": "LossBase",
    "mindspore.nn.TrainOneStepCell": "nn.Module",
    "mindspore.nn.TrainOneStepWithLossScaleCell": "ScaledTrainStep",
    "mindspore.nn.wrap.loss_scale.TrainOneStepWithLossScaleCell": "ScaledTrainStep",
    "mindspore.nn.SequentialCell": "nn.Sequential",
    "mindspore.nn.CellList": "nn.ModuleList",
    "mindspore.nn.learning_rate_schedule.LearningRateSchedule": "nn.Module",
    "mindspore.nn.LearningRateSchedule": "nn.Module",
    "mindspore.train.Callback": "Callback",
    "mindspore.Callback": "Callback",
    "mindspore.train.callback.Callback": "Callback",
    "mindspore.nn.Metric": "Metric",
    "mindspore.train.Metric": "Metric",
    "mindspore.Metric": "Metric",
    "mindspore.nn.Optimizer": "OptimizerBase",
    "mindspore.common.initializer.Initializer": "Initializer",
}
_SAME = """
Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm Embedding ReLU ReLU6 GELU Dropout LSTM GRU
MaxPool2d AvgPool2d Flatten Sigmoid Tanh Softmax Identity
"""
# What ``isinstance`` asks about a layer: the class of its counterpart.
CLASSES = {
    **{f"mindspore.nn.{name}": f"nn.{name}" for name in _SAME.split()},
    "mindspore.nn.Cell": "nn.Module",
    "mindspore.nn.Dense": "nn.Linear",
    "mindspore.nn.Conv2dTranspose": "nn.ConvTranspose2d",
    "mindspore.nn.SequentialCell": "nn.Sequential",
    "mindspore.nn.CellList": "nn.ModuleList",
    "mindspore.Tensor": "torch.Tensor",
    "mindspore.Parameter": "nn.Parameter",
    "mindspore.nn.Optimizer": "torch.optim.Optimizer",
}

# A layer's class that is handed on, to be made elsewhere: PyTorch's with MindSpore's defaults.
for _name in ("ReLU", "ReLU6", "Sigmoid", "Tanh", "Identity", "SiLU", "ELU", "Mish", "Flatten"):
    add(Rule(f"mindspore.nn.{_name}", f"nn.{_name}"), VALUES)
for _name, _torch in {
    "HSwish": "nn.Hardswish",
    "HSigmoid": "nn.Hardsigmoid",
    "GELU": 'partial(nn.GELU, approximate="tanh")',
    "LeakyReLU": "partial(nn.LeakyReLU, negative_slope=0.2)",
    "BatchNorm1d": "nn.BatchNorm1d",
    "BatchNorm2d": "nn.BatchNorm2d",
    "BatchNorm3d": "nn.BatchNorm3d",
    "GroupNorm": "nn.GroupNorm",
    "LayerNorm": "partial(nn.LayerNorm, eps=1e-7)",
    "Dense": "nn.Linear",
    "Softmax": "partial(nn.Softmax, dim=-1)",
}.items():
    add(Rule(f"mindspore.nn.{_name}", _torch), VALUES)

# What is handed on as the default of an argument is a function at the file's head.
DEFAULTS = {
    "mindspore.nn.GELU": "tanh_gelu",
    "mindspore.nn.LeakyReLU": "leaky_layer",
    "mindspore.nn.LayerNorm": "normalising_layer",
    "mindspore.nn.Softmax": "softmax_layer",
}

# Arguments that PyTorch's layers call otherwise, or mean otherwise.
_CONVERTED = {
    *("momentum", "epsilon", "gamma_init", "beta_init", "moving_mean_init", "moving_var_init", "axis"),
    *("use_batch_statistics", "has_bias", "weight_init", "bias_init", "activation"),
}


def converts_elsewhere(rewriter) -> bool:
    """Whether something in the file that is not told is called with arguments that have to be converted.

    It may be a layer's class that was handed on.
    """
    return any(
        k.arg in _CONVERTED and rewriter.reading.inferred(n.func) is None
        for n in ast.walk(rewriter.tree)
        if isinstance(n, ast.Call)
        for k in n.keywords
    )

table(
    "nn.Cell",
    """
cells_and_names | list({self}.named_modules())
name_cells | dict({self}.named_children())
cells | list({self}.children())
parameters_dict | dict({self}.named_parameters())
insert_child_to_cell | {self}.add_module({child_name}, {child_cell})
insert_param_to_cell | {self}.register_parameter({param_name}, {param})
""",
)


@rule(
    "nn.Cell.trainable_params nn.Cell.get_parameters",
    "list(net.parameters())",
    "a norm's moving mean and variance are buffers, not parameters",
    "归一化层的滑动均值和方差是 buffer，不是参数",
)
def parameters(call):
    moving = call.name.endswith("get_parameters") and call.rewriter.mentions("BatchNorm")
    if call.rewriter.names_parameters or moving or _is_reordered(call):
        call.helper("named")
        found = "named({self}, moving=True)" if moving else "named({self})"
        return f"[p for p in {found} if p.requires_grad]" if _leaves_frozen_out(call) else found
    if _leaves_frozen_out(call):
        return "[p for p in {self}.parameters() if p.requires_grad]"
    return "list({self}.parameters())"


def _leaves_frozen_out(call) -> bool:
    """Whether some parameters may be frozen, and it matters: optimizers pass over those by themselves,
    but gradients by what an optimizer has do not."""
    if not call.name.endswith("trainable_params") or not call.rewriter.mentions("requires_grad"):
        return False
    outer = call.rewriter.parents.get(id(call.node))
    outer = call.rewriter.parents.get(id(outer)) if isinstance(outer, ast.keyword) else outer
    made = call.rewriter.reading.inferred(outer) if isinstance(outer, ast.Call) else None
    is_given = isinstance(made, Of) and is_a(made.cls, "mindspore.nn.Optimizer")
    return not is_given or call.rewriter.reads_optimizers()


@rule("nn.Cell.parameters_and_names", "list(net.named_parameters())")
def names_and_parameters(call):
    norms = call.rewriter.mentions("BatchNorm")
    if _is_reordered(call) or _asks_for_names(call) or _shows_names(call) or (norms and _is_counted(call)):
        call.helper("named")
        found = "named({self}, moving=True)" if norms else "named({self})"
        return f"[(p.label, p) for p in {found}]"
    return "list({self}.named_parameters())"


# What MindSpore calls parameters that PyTorch calls otherwise, or keeps as buffers.
_OTHER_NAMES = re.compile(r"gamma|beta|moving|embedding_table")


def _asks_for_names(call) -> bool:
    """Whether the file looks for parameters by names that are other ones in PyTorch."""
    texts = (n.value for n in ast.walk(call.rewriter.tree) if isinstance(n, ast.Constant))
    return any(isinstance(text, str) and _OTHER_NAMES.match(text) for text in texts)


# Layers some of whose parameters have other names in PyTorch, or another order.
_RENAMED = re.compile(r"\b(?:\w+Norm\w*|Embedding\w*|LSTM|GRU|RNN)\(")


def _shows_names(call) -> bool:
    """Whether a loop over names and parameters prints the names, and PyTorch's are others."""
    loop = call.rewriter.parents.get(id(call.node))
    if not (isinstance(loop, ast.For) and isinstance(loop.target, ast.Tuple) and any(map(_RENAMED.search, call.rewriter.texts))):
        return False
    name = getattr(loop.target.elts[0], "id", "_")
    printed = (n for part in loop.body for n in ast.walk(part) if isinstance(n, ast.Call))
    printed = (n for n in printed if getattr(n.func, "id", getattr(n.func, "attr", "")) in ("print", "info", "write"))
    return any(getattr(n, "id", "") == name for one in printed for n in ast.walk(one))


def _is_counted(call) -> bool:
    """Whether parameters are numbered as they come, moving statistics among them."""
    outer = call.rewriter.parents.get(id(call.node))
    return isinstance(outer, ast.Call) and getattr(outer.func, "id", "") == "enumerate"


def _is_reordered(call) -> bool:
    """Whether a loop goes over parameters whose order is another one in PyTorch: those of recurrent layers."""
    outer = call.rewriter.parents.get(id(call.node))
    if isinstance(outer, ast.Call) and getattr(outer.func, "id", "") in ("enumerate", "zip", "list", "reversed"):
        outer = call.rewriter.parents.get(id(outer))
    recurrent = call.rewriter.mentions("LSTM(", "GRU(", "RNN(")
    return recurrent and isinstance(outer, (ast.For, ast.comprehension))


for _home in ("", "train.", "nn.", "train.metrics.", "nn.metrics."):
    add(Rule(f"mindspore.{_home}rearrange_inputs", "_gone_", "set_indexes() has no counterpart", "没有 set_indexes()"), VALUES)


@rule("nn.Cell.set_train", "net.train(); net.eval() for False")
def set_train(call):
    value = call.value("mode", True)
    if value is True:
        return "{self}.train()"
    return "{self}.eval()" if value is False else "{self}.train({mode})"


@rule(
    "nn.Cell.set_grad nn.Cell.add_flags nn.Cell.add_flags_recursive nn.Cell.recompute nn.Cell.set_jit_config "
    "nn.Cell.set_comm_fusion nn.Cell.compile nn.Cell.set_inputs nn.Cell.set_broadcast_flag "
    "nn.Cell.init_parameters_data nn.Cell.shard",
    "the Module itself: PyTorch needs no such call",
    "PyTorch records gradients unless told not to",
    "PyTorch 默认就记录梯度",
)
def needless(call):
    owner = call.updated.func.value
    if call.rewriter.is_statement(call.node):
        return cst.Name("_gone_")
    return owner


_NAMES = frozenset({"name", "parameters_and_names", "parameters_dict", "param_prefix"})


@rule(
    "nn.Cell.update_parameters_name",
    "prefixed(net, prefix), at the head, where the program reads names; else nothing",
    "state_dict()'s keys are those of the attributes, without the prefix",
    "state_dict() 的键是属性名，不带前缀",
)
def update_parameters_name(call):
    asks = any(isinstance(n, ast.Attribute) and n.attr in _NAMES for n in ast.walk(call.rewriter.tree))
    if not asks or not call.rewriter.names_parameters:
        return needless(call)
    owner = call.rewriter.reading.inferred(call.node.func.value)
    form = "prefixed"
    if isinstance(owner, Of) and is_a(owner.cls, "mindspore.nn.Optimizer"):
        form = "prefixed_where_moved"
    call.helper(form)
    return f"{form}({{self}}, {{prefix}})"


@rule("nn.Cell.to_float", "net.to(dtype)")
def to_float(call):
    text = code(next(iter(a.value for a in call.updated.args)))
    if text == "torch.float32":
        return "{self}"
    call.helper("Cast")
    return f"Cast({{self}}, {text})"


def arguments_of_init(rewriter, cls, updated: cst.Call) -> cst.Call:
    """``super().__init__()`` of a class whose base is MindSpore's own."""
    from ..rewriting import classes

    root = cls.root()
    if BASES.get(root) in ("nn.Sequential", "nn.ModuleList"):
        return updated
    if BASES.get(root) == "ScaledTrainStep":
        return updated
    if is_a(root, "mindspore.nn.TrainOneStepCell"):
        _keep_what_it_keeps(rewriter, cls, updated)
    if classes.base_of(cls) in ("LossBase", "OptimizerBase", "Initializer"):
        return updated
    if root and classes.base_of(cls) is None:  # it stays ms2torch's, and takes what it took
        return updated
    if cls.is_cell or root in BASES:
        return updated.with_changes(args=[])
    return updated


_STEP = ("network", "optimizer", "sens")


def _keep_what_it_keeps(rewriter, cls, updated: cst.Call) -> None:
    """What a TrainOneStepCell's ``__init__`` stores and the class uses."""
    given = dict(zip(_STEP, (code(a.value) for a in updated.args if a.keyword is None), strict=False))
    given |= {a.keyword.value: code(a.value) for a in updated.args if a.keyword is not None}
    given = {{"scale_sense": "sens"}.get(name, name): text for name, text in given.items()}
    given.setdefault("sens", "1.0")
    used = {
        n.attr
        for n in ast.walk(cls.node)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
    }
    for name, text in given.items():
        if name in used:
            rewriter.after[-1].append(f"self.{name} = {text}")
    if "weights" in used:
        rewriter.after[-1].append(
            f"self.weights = {moved_by(rewriter, given['optimizer'])}"
        )


def moved_by(rewriter, optimizer: str) -> str:
    """What an optimizer moves, in the order of the gradients that it is given."""
    if rewriter.mentions("order_params"):
        rewriter.helpers.add("in_order")
        return f"in_order({optimizer})"
    return f'[p for group in {optimizer}.param_groups for p in group["params"]]'


@rule("nn.TrainOneStepCell.grad_reducer nn.TrainOneStepWithLossScaleCell.grad_reducer", "gradients")
def reduced(call):
    gradients = call.updated.args[0].value
    if not training.is_data_parallel(call.rewriter):
        return gradients
    function = training.reducing(call, training.gradients_mean(call))
    return fill("{function}({gradients})", {"function": cst.parse_expression(function), "gradients": gradients})
