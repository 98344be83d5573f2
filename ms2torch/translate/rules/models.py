"""``Model``, its callbacks and metrics: a loop at the file's head."""

from __future__ import annotations

import ast

import libcst as cst

from ..rewriting import pipelines
from ..rewriting.inferred import Const
from ..rewriting.templates import code
from . import loops, losses, scales, training
from .table import rule

_MODEL = ("network", "loss_fn", "optimizer")
_SCALE = "in float32 a loss scale changes nothing; torch.amp.GradScaler for half precision"
_SCALE_ZH = "float32 下损失缩放不改变结果；半精度用 torch.amp.GradScaler"
_HALF = f"{_SCALE}, where torch.optim.Adam, a number beside a tensor and layers of several functions round elsewhere: by one step of float16"
_HALF_ZH = f"{_SCALE_ZH}，其中 torch.optim.Adam、张量与数字的运算以及由多个函数组成的层在别处舍入，相差一个 float16 间距"


@rule(
    "Model train.Model train.model.Model",
    "Trainer(network, loss, optimizer), or MeasuredTrainer with metrics, at the head",
    _HALF,
    _HALF_ZH,
)
def model(call):
    if loops.is_plain(call.rewriter, call.node):
        return cst.Name("_gone_")
    if reason := _refusal(call.rewriter, call.nodes):
        call.refuse(reason)
    if factor := scales.left_over(call.rewriter, call.nodes):
        call.helper("gradients_times")
        call.put("optimizer", f"gradients_times({call.text('optimizer')}, {factor})")
    if training.is_data_parallel(call.rewriter):
        call.put("network", training.in_parallel(call).format(network=call.text("network")))
    losses.note_labels(call)
    made, named = call.helper("Trainer"), ")"
    level = scales.level_of(call.rewriter, call.nodes)
    if "amp_level" in call and not isinstance(call.inferred("amp_level"), Const):
        call.remark(f"its amp_level was {level or 'O0'} in the run, and is so here")
    if level:
        call.put("network", _low(call, level))
    if (scaled := _scaled(call, level)) and (scale := _scale(call)):
        made = call.helper(scaled)
        named = f", eval_network={{eval_network?}}, metrics={{metrics?}}, eval_indexes={{eval_indexes?}}, {scale})"
    elif "metrics" in call or "eval_network" in call:
        named = ", eval_network={eval_network?}, metrics={metrics?}, eval_indexes={eval_indexes?})"
        made = call.helper("MeasuredTrainer")
    if "metrics" in call:
        call.put("metrics", metrics_by_name(call))
    if "loss_fn" in call or "optimizer" not in call:
        return made + "({network}, {loss_fn?}, {optimizer?}" + named
    return made + "({network}, optimizer={optimizer?}" + named


def _refusal(rewriter, args: dict[str, ast.expr]) -> str:
    """Why a Model stays as it is; nothing where it does not."""
    level = scales.level_of(rewriter, args)
    if reason := _without_rule(rewriter, level):
        return reason
    if level in ("O2", "O3") and "optimizer" not in args:
        return f"amp_level={level!r} has no rule without an optimizer"
    reason = scales.moved(rewriter.reading, args)
    return "" if scales.left_over(rewriter, args) else reason


# The Primitives that level O1 lowers where a Cell holds them, beside layers.
_LOWERED = ("MatMul(", "Conv2D(", "Conv3D(", "DTranspose(", "ps.PReLU(", "ps.ReLU(", "P.ReLU(", "P.PReLU(", "Ger(")


def _without_rule(rewriter, level: str) -> str:
    """Why a level of mixed precision has no rule in this program; nothing where it has one."""
    if level not in ("", "O1", "O2", "O3", "auto"):
        return "its amp_level= is not told"
    if level == "O1" and rewriter.mentions(*_LOWERED, "to_float"):
        return "level O1 lowers Primitives of this program that are functions in PyTorch, or leaves to_float's alone"
    return ""


def _low(call, level: str) -> str:
    """The network in half precision; whether its norms stay in float32."""
    if level in ("O1", "auto"):
        return call.helper("lower_layers" if level == "O1" else "lower_operators") + f"({call.text('network')})"
    call.helper("LowPrecision")
    kept = call.value("keep_batchnorm_fp32", level == "O2")
    if kept is not True and kept is not False:
        call.refuse("whether its norms stay in float32 is not told")
    return f"LowPrecision({call.text('network')}" + (")" if kept else ", keep_norms=False)")


@rule(
    "amp.auto_mixed_precision train.amp.auto_mixed_precision",
    "lower_layers(network) for O1, LowPrecision(network) for O2 and O3, lower_operators(network) for auto, at the head",
    "torch.autocast lowers other functions than any of these levels",
    "torch.autocast 降低精度的函数与这些级别都不同",
)
def mixed(call):
    level = scales.level_of(call.rewriter, call.nodes)
    if reason := _without_rule(call.rewriter, level):
        call.refuse(reason)
    if "dtype" in call and call.text("dtype") != "torch.float16":
        call.refuse("only levels in float16 have a rule")
    return _low(call, level) if level else "{network}"


# Who reads what a step gives beside its loss.
_READERS = ("net_outputs", "LossMonitor")


def _scaled(call, level: str) -> str:
    """The trainer of a Model that multiplies its losses; nothing where it multiplies none, or in float32 to no effect."""
    drops = scales.drops(call.rewriter, call.nodes)
    if level and not drops and "loss_scale_manager" in call:
        manager = call.inferred("loss_scale_manager")
        return "" if isinstance(manager, Const) and manager.value is None else "FixedScaleTrainer"
    used = level or scales.divided(call.rewriter, call.nodes) or call.rewriter.mentions(*_READERS)
    return "ScaledTrainer" if drops and used else ""


def _scale(call) -> str:
    """A trainer's arguments for what a Model's loss scale manager does; O2 has one unless told."""
    if "loss_scale_manager" not in call:
        return "scale=2**24"
    manager = call.inferred("loss_scale_manager")
    made = scales.made_with(manager)
    if made is None:
        call.refuse("its loss scale is not told")
    fixed = manager.cls.endswith("FixedLossScaleManager")
    moving = {"init_loss_scale": "scale", "scale_factor": "factor", "scale_window": "window"}
    names = {"loss_scale": "scale"} if fixed else moving
    found = {"scale": "128.0" if fixed else "2**24"}
    found |= {to: ast.unparse(made[name]) for name, to in names.items() if name in made}
    text = ", ".join(f"{name}={text}" for name, text in found.items())
    return text + (", fixed=True" if fixed and scales.drops(call.rewriter, call.nodes) else "")


# What a Model makes of a metric's name.
_METRICS = {
    "acc": "AccuracyMetric()",
    "accuracy": "AccuracyMetric()",
    "f1": "F1()",
    "loss": "LossMetric()",
    "mae": "MeanErrors()",
    "mse": "MeanSquares()",
    "precision": "Precision()",
    "recall": "Recall()",
    "top_1_accuracy": "TopAccuracy(1)",
    "top_5_accuracy": "TopAccuracy(5)",
}


def metrics_by_name(call) -> str:
    """The metrics of a Model as a dict: programs may give a set of their names alone."""
    given = call.nodes["metrics"]
    if isinstance(given, ast.Dict) or call.value("metrics") is None:
        return call.text("metrics")
    names = [getattr(e, "value", None) for e in given.elts] if isinstance(given, ast.Set) else [None]
    if {str(name).lower() for name in names} - _METRICS.keys():
        return call.helper("metric_table") + f"({call.text('metrics')})"
    for name in names:
        call.helper(_METRICS[name.lower()].partition("(")[0])
    return "{" + ", ".join(f'"{name}": {_METRICS[name.lower()]}' for name in names) + "}"


@rule("Model.train train.Model.train", "trainer.train(epochs, data, callbacks)")
def train(call):
    data(call, "train_dataset")
    made = getattr(call.inferred("self"), "call", None)
    if loops.is_plain(call.rewriter, made):
        loops.loop(call, made)
        return cst.Name("_gone_")
    return "{self}.train({epoch}, {train_dataset}, callbacks={callbacks?})"


@rule("Model.eval train.Model.eval", "trainer.eval(data)")
def evaluate(call):
    data(call, "valid_dataset")
    return "{self}.eval({valid_dataset})"


@rule(
    "Model.fit train.Model.fit",
    "trainer.fit(epochs, data, valid_data, every, callbacks); trainer.train where nothing is measured",
)
def fit(call):
    data(call, "train_dataset")
    if "valid_dataset" not in call:
        return "{self}.train({epoch}, {train_dataset}, callbacks={callbacks?})"
    data(call, "valid_dataset")
    return "{self}.fit({epoch}, {train_dataset}, {valid_dataset}, every={valid_frequency?}, callbacks={callbacks?})"


@rule("Model.predict train.Model.predict", "trainer.predict(x)")
def predict(call):
    return call.updated


def data(call, name: str) -> None:
    """A dataset of ms2torch's gives torch tensors."""
    from ..rewriting.inferred import Of

    inferred = call.inferred(name)
    text = code(call.args[name])
    if call.rewriter.data.moved:
        return
    if not (isinstance(inferred, Of) and inferred.cls == "torch") and not text.startswith("ms2torch.to_torch("):
        call.put(name, f"ms2torch.to_torch({text})")


@rule("train.LossMonitor LossMonitor", "LossMonitor(every), at the head")
def loss_monitor(call):
    call.helper("LossMonitor")
    return "LossMonitor({per_print_times?})"


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _called(names: str, helper: str) -> None:
    """A callback that stands at the head under its own name."""

    @rule(names, f"{helper}(...), at the head")
    def write(call):
        if helper == "LambdaCallback" and not all(a.keyword for a in call.updated.args):
            call.refuse("its functions are not given by name")
        if call.value("baseline", None) is not None:
            call.refuse("its baseline= has no rule")
        call.helper(helper)
        names = list(call.form.made) if call.form else []
        args = [
            arg.with_changes(keyword=cst.Name(name), equal=_EQUAL) if i > 2 and not arg.keyword else arg
            for i, (arg, name) in enumerate(zip(call.updated.args, [*names, *call.updated.args], strict=False))
        ]  # (what is given by name alone can be left out of the class)
        return call.updated.with_changes(func=cst.Name(helper), args=args)


for _name in ("LambdaCallback", "LearningRateScheduler", "History", "EarlyStopping", "ReduceLROnPlateau"):
    _called(f"train.{_name} {_name} train.callback.{_name}", _name)


def _named(names: str, helper: str, arguments: str = "") -> None:
    made = f"{helper}({arguments})"

    @rule(names, f"{made}, at the head")
    def write(call):
        if call.value("eval_type", "classification") != "classification":
            call.refuse("only eval_type='classification' has a rule")
        call.helper(helper)
        return cst.parse_expression(made)


@rule("nn.TopKCategoricalAccuracy train.TopKCategoricalAccuracy TopKCategoricalAccuracy", "TopAccuracy(k), at the head")
def top_k(call):
    call.helper("TopAccuracy")
    return "TopAccuracy({k})"


_named("nn.Accuracy train.Accuracy Accuracy nn.metrics.Accuracy train.metrics.Accuracy", "AccuracyMetric")
_named("nn.Loss train.Loss Loss nn.metrics.Loss", "LossMetric")
_named("nn.F1 train.F1 F1", "F1")
_named("nn.Precision train.Precision Precision", "Precision")
_named("nn.Recall train.Recall Recall", "Recall")
_named("nn.Top1CategoricalAccuracy train.Top1CategoricalAccuracy Top1CategoricalAccuracy", "TopAccuracy", "1")
_named("nn.Top5CategoricalAccuracy train.Top5CategoricalAccuracy Top5CategoricalAccuracy", "TopAccuracy", "5")
_named("nn.MSE train.MSE MSE", "MeanSquares")
_named("nn.MAE train.MAE MAE", "MeanErrors")


def _same(name: str) -> None:
    """A metric that stands at the head under its own name, made with the same arguments."""

    @rule(f"nn.{name} train.{name} {name} nn.metrics.{name} train.metrics.{name}", f"{name}(...), at the head")
    def write(call):
        return call.updated.with_changes(func=cst.Name(call.helper(name)))


for _name in ("ConfusionMatrix", "Dice", "Fbeta", "Perplexity"):
    _same(_name)


@rule("train.CheckpointConfig CheckpointConfig", '{"steps": n, "keep": n}')
def checkpoint_config(call):
    takes = {"save_checkpoint_steps", "keep_checkpoint_max", "integrated_save", "async_save", "saved_network",
             "append_info", "exception_save"}
    # Steps count before seconds, a number of files before minutes.
    for first, second in (("save_checkpoint_steps", "save_checkpoint_seconds"),
                          ("keep_checkpoint_max", "keep_checkpoint_per_n_minutes")):
        if call.value(first) not in (None, 0):
            takes.add(second)
    for name in call.args.keys() - takes:
        if call.value(name) is not None:
            call.refuse(f"its {name}= has no rule")
    given = {"network": "saved_network", "more": "append_info", "failing": "exception_save"}
    rest = "".join(f', "{name}": {{{arg}}}' for name, arg in given.items() if call.value(arg, None) not in (None, False))
    return f'{{"steps": {{save_checkpoint_steps}}, "keep": {{keep_checkpoint_max}}{rest}}}'


@rule("train.ModelCheckpoint ModelCheckpoint", "Checkpoints(prefix, directory, steps, keep), at the head")
def model_checkpoint(call):
    call.helper("Checkpoints")
    config = call.inferred("config")
    known = getattr(config, "cls", "") in ("mindspore.CheckpointConfig", "mindspore.train.CheckpointConfig")
    kept = any(s.name.endswith(".CheckpointConfig") and not s.settled for s in call.rewriter.sites.values())
    if "config" in call and (kept or not known):
        call.refuse("its config= is not told" if not known else "a CheckpointConfig stays")
    named = "prefix={prefix?}, directory={directory?}"
    return f"Checkpoints({named}, **{{config}})" if "config" in call else f"Checkpoints({named})"


@rule(
    "train.FixedLossScaleManager train.DynamicLossScaleManager FixedLossScaleManager DynamicLossScaleManager "
    "train.loss_scale_manager.FixedLossScaleManager",
    "None",
    _SCALE,
    _SCALE_ZH,
)
def manager(call):
    name = call.target()
    uses = [n for n in ast.walk(call.rewriter.tree) if isinstance(n, ast.Name) and n.id == name]
    parents = [call.rewriter.parents.get(id(n)) for n in uses if isinstance(n.ctx, ast.Load)]
    if name and parents and all(getattr(p, "arg", "") == "loss_scale_manager" for p in parents):
        for model in (call.rewriter.parents.get(id(p)) for p in parents):
            if reason := _refusal(call.rewriter, pipelines.arguments_by_name(model, _MODEL)):
                call.refuse(f"its Model stays: {reason}")
        return cst.Name("_gone_")
    if _reaches_a_model_that_stays(call):
        call.refuse("it may be given to a Model whose arguments are not told one by one")
    asked = [getattr(p, "attr", "") for p in parents]
    if call.name.endswith("FixedLossScaleManager") and "get_loss_scale" in asked:
        if not {*asked} <= {"get_loss_scale", ""}:
            call.refuse("more than its scale is asked for")
        return "{loss_scale}"
    if any(asked):
        call.refuse("it is asked for more than a Model asks")
    return "None"


def _reaches_a_model_that_stays(call) -> bool:
    """Whether a Model of the program takes ``**`` what is not told."""
    calls = (n for n in ast.walk(call.rewriter.tree) if isinstance(n, ast.Call))
    taking = (n for n in calls if any(k.arg is None for k in n.keywords))
    return any(str(call.rewriter.reading.inferred(n.func)).endswith(".Model") for n in taking)


@rule(
    "train.FixedLossScaleManager.get_loss_scale FixedLossScaleManager.get_loss_scale "
    "train.loss_scale_manager.FixedLossScaleManager.get_loss_scale",
    "the number itself",
)
def scale_of(call):
    return "{self}"


@rule("train.TimeMonitor TimeMonitor", "Callback(): nothing is measured")
def time_monitor(call):
    if isinstance(call.rewriter.parents.get(id(call.node)), ast.List):
        return cst.Name("_gone_")
    call.helper("Callback")
    return cst.parse_expression("Callback()")
