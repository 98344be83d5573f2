"""Training: gradients, train cells, loss scale."""

from __future__ import annotations

import ast

import libcst as cst

from ..rewriting.sites import Kept
from ..rewriting.templates import code
from ..rewriting.worth import Gradient, Of
from ..translation import site_of
from .table import instance, rule


@rule(
    "value_and_grad ops.value_and_grad",
    "loss.backward(), or value_and_grad(function, weights) at the head",
    "PyTorch keeps gradients in .grad and adds to them: zero_grad() before",
    "PyTorch 把梯度累加在 .grad 里：先 zero_grad()",
)
def value_and_grad(call):
    if "return_ids" in call and call.value("return_ids") is not False:
        call.keep("return_ids=True has no counterpart")
    weights = "weights" in call and call.value("weights") is not None
    position = call.value("grad_position", 0)
    aux = ", has_aux={has_aux?}"
    if weights and (position is None):
        call.helper("value_and_grad")
        return f"value_and_grad({{fn}}, {{weights}}{aux})"
    if not weights and "grad_position" in call and position is None:
        call.keep("what it differentiates by is not told")
    if weights:
        call.keep("it differentiates by inputs and weights at once")
    call.helper("value_and_input_grad")
    return f"value_and_input_grad({{fn}}, {{grad_position?}}{aux})"


@rule("grad ops.grad", "torch.autograd.grad, in grad(function, weights) at the head")
def grad(call):
    weights = "weights" in call and call.value("weights") is not None
    if "has_aux" in call and call.value("has_aux") is not False:
        call.keep("has_aux=True has no rule")
    if weights and call.value("grad_position", 0) is None:
        call.helper("grad_by_weights")
        return "grad_by_weights({fn}, {weights})"
    if weights:
        call.keep("it differentiates by inputs and weights at once")
    call.helper("input_grad")
    return "input_grad({fn}, {grad_position?})"


@rule("ops.GradOperation", "torch.autograd.grad(loss, weights)")
def grad_operation(call):
    parent = call.rewriter.parents.get(id(call.node))
    if isinstance(parent, ast.Call):
        return call.updated
    if call.target() is not None and is_inlined(call.rewriter, call.node):
        return cst.Name("_gone_")
    call.keep("it is not called where it is made")


@instance("ops.GradOperation", "torch.autograd.grad(loss, weights)")
def gradient_of(call):
    rewriter, node = call.rewriter, call.node
    outer = rewriter.parents.get(id(node))
    if isinstance(outer, ast.Call) and outer.func is node:
        return call.updated
    options = _options(rewriter.reading.worth(node))
    if options.get("sens_param"):
        call.keep("its sens is given later")
    if options.get("get_by_list") and len(call.updated.args) == 2:
        call.helper("grad_by_weights")
        return f"grad_by_weights({_joined(call.updated.args)})"
    call.keep("what it differentiates by is not told")


def is_inlined(rewriter, node: ast.Call) -> bool:
    """Whether all that happens to a GradOperation is ``grad(net, weights)(x)``."""
    for use in ast.walk(rewriter.tree):
        worth = rewriter.reading.worth(use) if isinstance(use, (ast.Name, ast.Attribute)) else None
        if getattr(worth, "call", None) is not node or not isinstance(use.ctx, ast.Load):
            continue
        inner = rewriter.parents.get(id(use))
        if not (isinstance(inner, ast.Call) and inner.func is use):
            return False
    return True


def ran_before(rewriter, node: ast.Call, count: int) -> str | None:
    """The name that holds what the network gave, where the line above ran it on the same inputs."""
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
    return None


def _options(gradient: Gradient) -> dict[str, object]:
    options = {k.arg: getattr(k.value, "value", None) for k in gradient.call.keywords}
    names = ("get_all", "get_by_list", "sens_param")
    return options | {n: getattr(a, "value", None) for n, a in zip(names, gradient.call.args, strict=False)}


def differentiated(rewriter, gradient: Gradient, node, original, updated):
    """``grad(net, weights)(x, sens)``: ``torch.autograd.grad(net(x), weights, sens)``."""
    inner = updated.func
    if gradient.value or not isinstance(inner, cst.Call) or len(inner.args) < 1 or gradient.call.func is None:
        return updated
    if rewriter.reading.worth(node.func.func) != Of("mindspore.ops.GradOperation", gradient.call):
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
    if not options.get("get_by_list") or len(inner.args) < 2:
        raise Kept("mindspore.ops.GradOperation", "it differentiates by inputs")
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
    return "WithLoss({backbone}, {loss_fn})"


@rule("nn.TrainOneStepCell", "TrainStep(network, optimizer), a Module at the head")
def train_one_step(call):
    if "sens" in call and call.value("sens") not in (1, 1.0):
        call.keep("its sens= is not 1")
    call.helper("TrainStep")
    return "TrainStep({network}, {optimizer})"


@rule(
    "nn.DistributedGradReducer",
    "stays: torch.nn.parallel.DistributedDataParallel around the network sums them in its place",
    "wrap the network in DistributedDataParallel, and leave the reducer out",
    "把网络包进 DistributedDataParallel，并去掉 reducer",
)
def reducer(call):
    call.keep("without it several processes would train apart: wrap the network in DistributedDataParallel")


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
