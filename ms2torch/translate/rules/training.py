"""Training: gradients, train cells, loss scale."""

from __future__ import annotations

import ast

import libcst as cst

from ..rewriting.inferred import Gradient, Of, is_a
from ..rewriting.sites import Kept
from ..rewriting.templates import code
from ..translation import site_of
from . import losses, scales
from .table import instance, rule


@rule(
    "value_and_grad ops.value_and_grad",
    "loss.backward(), or value_and_grad(function, weights) at the head",
    "PyTorch keeps gradients in .grad and adds to them: zero_grad() before",
    "PyTorch 把梯度累加在 .grad 里：先 zero_grad()",
)
def value_and_grad(call):
    if "return_ids" in call and call.value("return_ids") is not False:
        call.refuse("return_ids=True has no counterpart")
    weights = "weights" in call and call.value("weights") is not None
    position = call.value("grad_position", 0)
    aux = ", has_aux={has_aux?}"
    if weights and (position is None):
        call.helper("value_and_grad")
        return f"value_and_grad({{fn}}, {{weights}}{aux})"
    if not weights and "grad_position" in call and position is None:
        call.refuse("what it differentiates by is not told")
    if weights:
        call.refuse("it differentiates by inputs and weights at once")
    call.helper("value_and_input_grad")
    return f"value_and_input_grad({{fn}}, {{grad_position?}}{aux})"


@rule("grad ops.grad", "torch.autograd.grad, in grad(function, weights) at the head")
def grad(call):
    weights = "weights" in call and call.value("weights") is not None
    if "has_aux" in call and call.value("has_aux") is not False:
        call.refuse("has_aux=True has no rule")
    if weights and call.value("grad_position", 0) is None:
        call.helper("grad_by_weights")
        return "grad_by_weights({fn}, {weights})"
    if weights:
        call.refuse("it differentiates by inputs and weights at once")
    call.helper("input_grad")
    return "input_grad({fn}, {grad_position?})"


@rule("ops.GradOperation", "torch.autograd.grad(loss, weights)")
def grad_operation(call):
    parent = call.rewriter.parents.get(id(call.node))
    if isinstance(parent, ast.Call):
        return call.updated
    if call.target() is not None and is_inlined(call.rewriter, call.node):
        return cst.Name("_gone_")
    call.refuse("it is not called where it is made")


@instance("ops.GradOperation", "torch.autograd.grad(loss, weights)")
def gradient_of(call):
    rewriter, node = call.rewriter, call.node
    outer = rewriter.parents.get(id(node))
    if isinstance(outer, ast.Call) and outer.func is node:
        return call.updated
    options = _options(rewriter.reading.inferred(node))
    if options == {"get_by_list": True} and len(call.updated.args) == 2:
        call.helper("grad_by_weights")
        return f"grad_by_weights({_joined(call.updated.args)})"
    call.helper("gradients_of")
    return f"gradients_of({_of_options(options, call.updated)})"


def _of_options(options: dict[str, object], call: cst.Call) -> str:
    """The arguments of ``gradients_of`` for a GradOperation's, called with a function and weights."""
    if any(value is None for value in options.values()):
        raise Kept("mindspore.ops.GradOperation", "its options are not told")
    weights = options.get("get_by_list") and len(call.args) > 1
    every, by_list = options.get("get_all"), options.get("get_by_list")
    given = [code(call.args[0].value), *([code(call.args[1].value)] if weights else [])]
    given += [f'inputs="{"all" if every else "first"}"'] if every or not by_list else []
    return ", ".join([*given, *(["sens=True"] if options.get("sens_param") else [])])


def is_inlined(rewriter, node: ast.Call) -> bool:
    """Whether all that happens to a GradOperation is ``grad(net, weights)(x)``."""
    for use in ast.walk(rewriter.tree):
        inferred = rewriter.reading.inferred(use) if isinstance(use, (ast.Name, ast.Attribute)) else None
        if getattr(inferred, "call", None) is not node or not isinstance(use.ctx, ast.Load):
            continue
        inner = rewriter.parents.get(id(use))
        if not (isinstance(inner, ast.Call) and inner.func is use):
            return False
    return True


def ran_before(rewriter, node: ast.Call, count: int) -> str | None:
    """The name that holds what the network gave, where a line above ran it on the same inputs, and nothing
    between moves weights or goes back through what a line gave."""
    function, inputs = node.func.args[0], node.args[:count]
    wanted = ast.unparse(ast.Call(function, inputs, []))
    statements, at = rewriter.block_of(node)
    for statement in reversed(statements[:at]):
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and ast.unparse(statement.value) == wanted
        ):
            return statement.targets[0].id
        if _differentiates_or_moves(rewriter, statement):
            return None
    return None


def _differentiates_or_moves(rewriter, statement: ast.stmt) -> bool:
    """Whether a statement computes gradients, or an optimizer takes some."""
    calls = (rewriter.reading.inferred(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call))
    return any(isinstance(c, Gradient) or (isinstance(c, Of) and is_a(c.cls, "mindspore.nn.Optimizer")) for c in calls)


def _options(gradient: Gradient) -> dict[str, object]:
    options = {k.arg: getattr(k.value, "value", None) for k in gradient.call.keywords}
    names = ("get_all", "get_by_list", "sens_param")
    return options | {n: getattr(a, "value", None) for n, a in zip(names, gradient.call.args, strict=False)}


def differentiated(rewriter, gradient: Gradient, node, original, updated):
    """``grad(net, weights)(x, sens)``: ``torch.autograd.grad(net(x), weights, sens)``."""
    inner = updated.func
    if rewriter.stays(Of("mindspore.ops.GradOperation", gradient.call)):
        return updated
    if gradient.value or not isinstance(inner, cst.Call) or len(inner.args) < 1 or gradient.call.func is None:
        return updated
    if rewriter.reading.inferred(node.func.func) != Of("mindspore.ops.GradOperation", gradient.call):
        return updated
    options = _options(gradient)
    function = code(inner.args[0].value)
    args, sens = list(updated.args), ""
    if options.get("sens_param"):
        sens = f", {code(args[-1].value)}"
        args = args[:-1]
        if args:
            args[-1] = args[-1].with_changes(
                comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=cst.SimpleWhitespace("")
            )
    if not options.get("get_by_list") or options.get("get_all") or len(inner.args) < 2:
        made = f"gradients_of({_of_options(options, inner)})"
        rewriter.helpers.add("gradients_of")
        rewriter.settle(site_of(node), "mindspore.ops.GradOperation", "mindspore.ops.GradOperation")
        return updated.with_changes(func=cst.parse_expression(made))
    weights = code(inner.args[1].value)
    rewriter.settle(site_of(node), "mindspore.ops.GradOperation", "mindspore.ops.GradOperation")
    run = ran_before(rewriter, node, len(args)) or f"{function}({_joined(args)})"
    if sens and run.isidentifier() and not _has_its_shape(rewriter, node):
        sens = f"{sens}.reshape({run}.shape)"
    return cst.parse_expression(f"torch.autograd.grad({run}, {weights}{sens}, materialize_grads=True)")


def _has_its_shape(rewriter, node: ast.Call) -> bool:
    """Whether the last input, the gradient's start, is made in the loss's shape."""
    start = node.args[-1]
    statements, at = rewriter.block_of(node)
    for statement in reversed(statements[:at]):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == ast.unparse(start):
            start = statement.value
            break
    return any(word in ast.unparse(start) for word in ("Fill", "fill", "ones_like", "OnesLike"))


def _joined(args) -> str:
    return ", ".join(code(a).strip().rstrip(",") for a in args)


@rule("nn.WithLossCell", "WithLoss(network, loss), a Module at the head")
def with_loss(call):
    call.helper("WithLoss")
    losses.note_labels(call)
    return "WithLoss({backbone}, {loss_fn})"


@rule("nn.TrainOneStepCell", "TrainStep(network, optimizer), a Module at the head")
def train_one_step(call):
    network = in_parallel(call) if is_data_parallel(call.rewriter) else "{network}"
    if scales.cancels(call.rewriter, call.nodes):
        call.helper("TrainStep")
        return f"TrainStep({network}, {{optimizer}})"
    call.helper("FixedScaleTrainStep")
    return f"FixedScaleTrainStep({network}, {{optimizer}}, {{sens?}})"


@rule("nn.TrainOneStepWithLossScaleCell", "ScaledTrainStep(network, optimizer, scale), a Module at the head; or torch.amp.GradScaler")
def scaled_step(call):
    call.helper("ScaledTrainStep")
    return "ScaledTrainStep({network}, {optimizer}, {scale_sense})"


@rule(
    "nn.DistributedGradReducer",
    "DistributedDataParallel around the network; mean_over_processes(gradients), at the head, where gradients are values",
    "DistributedDataParallel reduces while backward runs, and sees no gradients of torch.autograd.grad",
    "DistributedDataParallel 在 backward 时规约，看不到 torch.autograd.grad 的梯度",
)
def reducer(call):
    if call.value("group", None) is not None:
        call.refuse("its group= has no rule")
    given = "mean" in call and call.value("mean") is not None
    return reducing(call, call.text("mean") if given else gradients_mean(call))


@instance("nn.DistributedGradReducer", "mean_over_processes(gradients)")
def reduced(call):
    return call.updated


def reducing(call, mean: str) -> str:
    """The function that adds gradients up over processes or averages them."""
    names = {"True": ("mean",), "False": ("sum",)}.get(mean, ("mean", "sum"))
    names = [call.helper(f"{name}_over_processes") for name in names]
    return names[0] if len(names) == 1 else f"{names[0]} if {mean} else {names[1]}"


def in_parallel(call) -> str:
    """A network in DistributedDataParallel, as a template."""
    call.helper("data_parallel")
    mean = gradients_mean(call)
    return "data_parallel({network}" + (")" if mean == "True" else f", mean={mean})")


def gradients_mean(call) -> str:
    """Whether the program averages gradients over processes, as a text; MindSpore adds them up unless told."""
    rewriter, found = call.rewriter, "False"
    trees = [rewriter.tree, *(ast.parse(text) for text in rewriter.texts if text != rewriter.source)]
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("set_auto_parallel_context"):
            told = next((k.value for k in node.keywords if k.arg in ("gradients_mean", "mirror_mean")), None)
            if told is not None and not isinstance(told, ast.Constant) and not _is_global(rewriter, node):
                call.refuse("whether gradients are averaged is told elsewhere")
            found = found if told is None else ast.unparse(told)
    return found


def _is_global(rewriter, node: ast.AST) -> bool:
    """Whether a node stands at this file's own level, outside of functions."""
    while node is not None and not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.Module)):
        node = rewriter.parents.get(id(node))
    return node is rewriter.tree


def is_data_parallel(rewriter) -> bool:
    """Whether the program asks for processes that train together by themselves."""
    return rewriter.mentions("set_auto_parallel_context") and rewriter.mentions("DATA_PARALLEL", "data_parallel")


@rule(
    "nn.DynamicLossScaleUpdateCell nn.FixedLossScaleUpdateCell",
    "ScaleUpdate(scale, factor, window), at the head; or torch.amp.GradScaler",
)
def scale_update(call):
    call.helper("ScaleUpdate")
    if call.name.endswith("FixedLossScaleUpdateCell"):
        return "ScaleUpdate({loss_scale_value})"
    return "ScaleUpdate({loss_scale_value}, {scale_factor}, {scale_window})"


@rule(
    "amp.DynamicLossScaler amp.StaticLossScaler",
    "LossScaler(scale), at the head; or torch.amp.GradScaler",
    "GradScaler scales, looks and moves in one; the scaler here does it in the steps that MindSpore's has",
    "GradScaler 一次做完缩放、检查、更新；这里按 MindSpore 的步骤",
)
def loss_scaler(call):
    call.helper("LossScaler")
    if call.name.endswith("StaticLossScaler"):
        return "LossScaler({scale_value})"
    return "LossScaler({scale_value}, {scale_factor}, {scale_window})"


@rule(
    "nn.ForwardValueAndGrad",
    "loss.backward(), or value_and_grad(function, weights) at the head",
    "PyTorch keeps gradients in .grad and adds to them: zero_grad() before",
    "PyTorch 把梯度累加在 .grad 里：先 zero_grad()",
)
def forward_value_and_grad(call):
    every, by_list, sens = (call.value(n, False) for n in ("get_all", "get_by_list", "sens_param"))
    if (every, sens) != (False, False):
        call.refuse("it differentiates by all inputs, or its gradient starts from one that is given")
    if by_list is True:
        call.helper("value_and_grad")
        return "value_and_grad({network}, {weights})"
    if by_list is not False:
        call.refuse("what it differentiates by is not told")
    call.helper("value_and_input_grad")
    return "value_and_input_grad({network})"
