"""``Model.train`` as the loop that a person writes: where the model does nothing but train, and tells its loss at most."""

from __future__ import annotations

import ast
import keyword

import libcst as cst

from ..rewriting import pipelines
from ..rewriting.inferred import Of, OwnOf, is_tensor
from ..rewriting.sites import UNTOLD
from ..translation import site_of
from . import scales
from .training import is_data_parallel

_CLASSES = ("SoftmaxCrossEntropyWithLogits", "CrossEntropyLoss", "NLLLoss")
_TOLD = ("LossMonitor", "TimeMonitor")
_MADE = ("network", "loss_fn", "optimizer", "metrics")
# What a model may be given that changes nothing of a loop in float32.
_IDLE = {"loss_scale_manager", "amp_level", "boost_level", "keep_batchnorm_fp32"}


def is_plain(rewriter, made: ast.Call | None) -> bool:
    """Whether all that a model does are loops that can stand where it is told to train."""
    if made is None:
        return False
    if id(made) not in rewriter.loops:
        rewriter.loops[id(made)] = _is_plain(rewriter, made)
    return rewriter.loops[id(made)]


def _is_plain(rewriter, made: ast.Call) -> bool:
    if site_of(made) in rewriter.keep:
        return False
    args = pipelines.arguments_by_name(made, _MADE)
    if args.keys() - {*_MADE, *_IDLE} or "metrics" in args or "network" not in args or len(made.args) > 3:
        return False
    level = getattr(args.get("amp_level"), "value", "O0")
    if level not in ("O0", None) or any(not isinstance(a, (ast.Name, ast.Attribute)) for a in _given(args)):
        return False
    if ("optimizer" in args) != ("loss_fn" in args) or scales.float16(rewriter) or is_data_parallel(rewriter):
        return False
    if scales.moved(rewriter.reading, args) or scales.divided(rewriter, args):
        return False
    scopes = {id(_scope(rewriter, made))}
    uses = _uses(rewriter, made)
    scopes |= {id(_scope(rewriter, use)) for use in uses}
    return bool(uses) and len(scopes) == 1 and all(_can_stand(rewriter, made, use) for use in uses)


def _given(args: dict[str, ast.expr]) -> list[ast.expr]:
    return [args[name] for name in ("network", "loss_fn", "optimizer") if name in args]


def _scope(rewriter, node: ast.AST) -> ast.AST | None:
    node = rewriter.parents.get(id(node))
    while node is not None and not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
        node = rewriter.parents.get(id(node))
    return node


def _uses(rewriter, made: ast.Call) -> list[ast.AST]:
    """The calls of a model's methods; something else among them where it is used otherwise."""
    parent = rewriter.parents[id(made)]
    if isinstance(parent, ast.Attribute):
        return [rewriter.parents[id(parent)]]
    name = rewriter.target_of(made)
    if name is None or not name.isidentifier():
        return []
    nodes = [n for n in ast.walk(rewriter.tree) if isinstance(n, ast.Name) and n.id == name]
    if sum(isinstance(n.ctx, ast.Store) for n in nodes) != 1:
        return []
    used = []
    for node in nodes:
        if isinstance(node.ctx, ast.Load):
            outer = rewriter.parents[id(node)]
            used.append(rewriter.parents[id(outer)] if isinstance(outer, ast.Attribute) else outer)
    return used


def _can_stand(rewriter, made: ast.Call, use: ast.AST) -> bool:
    """Whether ``model.train(...)`` can be a loop where it stands."""
    if not (isinstance(use, ast.Call) and getattr(use.func, "attr", "") == "train"):
        return False
    args = pipelines.arguments_by_name(use, ("epoch", "train_dataset", "callbacks"))
    if not isinstance(rewriter.parents.get(id(use)), ast.Expr) or not {"epoch", "train_dataset"} <= args.keys():
        return False
    if args.keys() - {"epoch", "train_dataset", "callbacks", "dataset_sink_mode"}:
        return False
    network = rewriter.reading.inferred(pipelines.arguments_by_name(made, _MADE)["network"])
    if "optimizer" not in pipelines.arguments_by_name(made, _MADE):
        function = network.cls.function("construct") if isinstance(network, OwnOf) else None
        own = isinstance(network, Of) and network.cls.endswith("TrainOneStepCell")
        if not own and (function is None or not is_tensor(function.returns)):
            return False
    return _told(args.get("callbacks")) is not UNTOLD


def _told(node: ast.expr | None):
    """How often the loss is told, as a text; "" for never, UNTOLD where other callbacks are called."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ""
    found = ""
    for one in node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]:
        name = getattr(getattr(one, "func", None), "attr", getattr(getattr(one, "func", None), "id", ""))
        if name not in _TOLD or (found and name == "LossMonitor"):
            return UNTOLD
        if name == "LossMonitor":
            given = [*one.args, *(k.value for k in one.keywords)]
            found = ast.unparse(given[0]) if given else "1"
            if given and not isinstance(given[0], (ast.Constant, ast.Name)):
                return UNTOLD
    return found


def loop(call, made: ast.Call) -> None:
    """Put the loop before the statement that told the model to train."""
    rewriter = call.rewriter
    args = pipelines.arguments_by_name(made, _MADE)
    texts = {name: ast.unparse(node) for name, node in args.items() if name in _MADE[:3]}
    used = {n.id for n in ast.walk(rewriter.tree) if isinstance(n, ast.Name)}
    data, inferred = call.text("train_dataset"), call.inferred("train_dataset")
    if not data.isidentifier():
        name = next(n for n in ("data", "batches", "train_data") if n not in used)
        call.beforehand(f"{name} = {data}")
        data = name
    value = next(n for n in ("loss", "batch_loss", "found") if n not in used)
    batch, inputs, label = _batch(inferred, used, "loss_fn" in args)
    tells = _told(pipelines.arguments_by_name(call.node, ("epoch", "train_dataset", "callbacks")).get("callbacks"))
    counted = "epoch" if tells or _ordered(rewriter, inferred) else "_"
    head = f"for step, {batch} in enumerate({data}, 1):" if tells else f"for {batch} in {data}:"
    if "," in batch and tells:
        head = f"for step, ({batch}) in enumerate({data}, 1):"
    lines = [f"{texts['network']}.train()", f"for {counted} in range(1, {call.text('epoch')} + 1):"]
    if call.text("epoch").isdigit():
        lines[1] = f"for {counted} in range(1, {int(call.text('epoch')) + 1}):"
    if _ordered(rewriter, inferred):
        lines.append(f"    {_told_epoch(call, inferred, data)}")
    lines.append(f"    {head}")
    body = [f"{value} = {texts['network']}({inputs})"]
    if "loss_fn" in args:
        loss = rewriter.reading.inferred(args["loss_fn"])
        of_classes = isinstance(loss, Of) and not rewriter.stays(loss) and loss.cls.rpartition(".")[2] in _CLASSES and _sparse(loss)
        body = [
            f"{texts['optimizer']}.zero_grad()",
            f"{value} = {texts['loss_fn']}({texts['network']}({inputs}), {label}{'.long()' if of_classes else ''})",
            f"{value}.backward()",
            f"{texts['optimizer']}.step()",
        ]
    if tells:
        shown = f'print(f"epoch: {{epoch}} step: {{step}}, loss is {{{value}.mean().item()}}")'
        if "loss_fn" in args:
            digits = ".numpy(force=True)!s" if scales.drops(rewriter, args) else ".item()"
            shown = shown.replace(".mean().item()", digits)
        if tells == "1":
            body.append(shown)
        else:
            body += [f"if ((epoch - 1) * len({data}) + step) % {tells} == 0:", f"    {shown}"]
    text = "\n".join([*lines[1:], *(f"        {line}" for line in body)])
    call.beforehand(lines[0])
    call.beforehand(text)


def _told_epoch(call, inferred, data: str) -> str:
    """The line that tells a loader which epoch begins."""
    shuffle = (pipelines.source_of(inferred) or {"shuffle": call.node}).get("shuffle")
    if shuffle is None or getattr(shuffle, "value", None) is True:
        return f"{data}.sampler.set_epoch(epoch - 1)"
    call.helper("set_epoch")
    return f"set_epoch({data}, epoch - 1)"


def _sparse(loss: Of) -> bool:
    if not loss.cls.endswith("WithLogits"):
        return True
    return any(k.arg == "sparse" and getattr(k.value, "value", False) for k in (loss.call.keywords if loss.call else ()))


def _ordered(rewriter, inferred) -> bool:
    """Whether the order of a data set's rows is another one in each epoch."""
    if not (rewriter.data.moved and rewriter.data.seeded):
        return False
    source = pipelines.source_of(inferred)
    if source is None:
        return True
    plain = getattr(source.get("shuffle"), "value", True) is False
    return not plain or any("shuffle(" in key for key in source)


def _batch(inferred, used: set[str], with_label: bool) -> tuple[str, str, str]:
    """What a loop unpacks a batch into, the network's inputs among it, and the label."""
    names = (pipelines.columns(inferred) if isinstance(inferred, Of) else None) or []
    good = all(n.isidentifier() and not keyword.iskeyword(n) and n not in used for n in names)
    if names and good and len(set(names)) == len(names) and (len(names) > 1 or not with_label):
        inputs = names[:-1] if with_label else names
        unpacked = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
        return unpacked, ", ".join(inputs), names[-1]
    return ("*inputs, label", "*inputs", "label") if with_label else ("batch", "*batch", "")


def removed(call) -> cst.BaseExpression:
    """The model itself, which nothing needs any more."""
    return cst.Name("_gone_")

