"""``Model``, its callbacks and metrics: a loop at the file's head."""

from __future__ import annotations

import libcst as cst

from ..rewriting.templates import code
from .table import rule

_SCALE = "in float32 a loss scale changes nothing; torch.amp.GradScaler for half precision"
_SCALE_ZH = "float32 下损失缩放不改变结果;半精度用 torch.amp.GradScaler"


@rule(
    "Model train.Model train.model.Model",
    "Trainer(network, loss, optimizer, metrics), at the head",
    _SCALE,
    _SCALE_ZH,
)
def model(call):
    level = call.value("amp_level", "O0")
    if level not in ("O0", None):
        call.keep(f"amp_level={level!r} has no rule")
    for name in ("eval_network", "eval_indexes"):
        if name in call and call.value(name) is not None:
            call.keep(f"{name}= has no rule")
    call.helper("Trainer")
    return (
        "Trainer({network}, {loss_fn?}, {optimizer?}, metrics={metrics?})"
        if "loss_fn" in call or "optimizer" not in call
        else "Trainer({network}, optimizer={optimizer?}, metrics={metrics?})"
    )


@rule("Model.train train.Model.train", "trainer.train(epochs, data, callbacks)")
def train(call):
    data(call, "train_dataset")
    return "{self}.train({epoch}, {train_dataset}, callbacks={callbacks?})"


@rule("Model.eval train.Model.eval", "trainer.eval(data)")
def evaluate(call):
    data(call, "valid_dataset")
    return "{self}.eval({valid_dataset})"


@rule("Model.predict train.Model.predict", "trainer.predict(x)")
def predict(call):
    return call.updated


def data(call, name: str) -> None:
    """A dataset of ms2torch's gives torch tensors."""
    from ..rewriting.worth import Of

    worth = call.worth(name)
    text = code(call.args[name])
    if not (isinstance(worth, Of) and worth.cls == "torch") and not text.startswith("ms2torch.to_torch("):
        call.put(name, f"ms2torch.to_torch({text})")


@rule("train.LossMonitor LossMonitor", "LossMonitor(every), at the head")
def loss_monitor(call):
    call.helper("LossMonitor")
    return "LossMonitor({per_print_times?})"


def _named(names: str, helper: str) -> None:
    @rule(names, f"{helper}(), at the head")
    def write(call):
        call.helper(helper)
        return cst.parse_expression(f"{helper}()")


_named("nn.Accuracy train.Accuracy Accuracy nn.metrics.Accuracy train.metrics.Accuracy", "AccuracyMetric")
_named("nn.Loss train.Loss Loss nn.metrics.Loss", "LossMetric")
_named("nn.MSE train.MSE", "MeanSquares")
_named("nn.MAE train.MAE", "MeanErrors")


@rule(
    "train.FixedLossScaleManager train.DynamicLossScaleManager FixedLossScaleManager DynamicLossScaleManager "
    "train.loss_scale_manager.FixedLossScaleManager",
    "None",
    _SCALE,
    _SCALE_ZH,
)
def manager(call):
    return "None"


@rule("train.TimeMonitor TimeMonitor", "Callback(): nothing is measured")
def time_monitor(call):
    call.helper("Callback")
    return cst.parse_expression("Callback()")
