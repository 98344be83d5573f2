"""Optimizers: ``nn.Adam`` is ``torch.optim.Adam``; groups, rates by step, decay that leaves norms alone."""

from __future__ import annotations

import ast
import re
import sys

import libcst as cst

from ..rewriting import pipelines
from ..rewriting.binding import form_of
from ..rewriting.inferred import ARRAY, Const, Of, OwnOf, Seq, is_a, is_tensor
from ..rewriting.joining import span_of
from ..rewriting.templates import code, fill
from . import scales
from .cells import moved_by
from .table import VALUES, Rule, add, instance, rule


def _optimizer(call, made: str, rate: str = "learning_rate") -> str:
    """``torch.optim.X(params, lr=...)``, its rates, its decay and the order of its gradients."""
    made = _with_rates(call, made, rate)
    if _counts_steps(call.rewriter):
        call.helper("counted")
        made = f"counted({made})"
    order = _order(call)
    if not order:
        return made
    call.helper("ordered")
    return f"ordered({made}, {order})"


def _order(call) -> str:
    """``order_params`` of the groups, where gradients are given in that order."""
    node = call.nodes.get("params")
    made = assigned(call.rewriter.tree, node.id) if isinstance(node, ast.Name) else node
    known = isinstance(made, ast.List) and call.rewriter.gives_gradients()
    return call.rewriter.orders.get(span_of(made), "") if known else ""


def _with_rates(call, made: str, rate: str) -> str:
    node, inferred = call.nodes.get(rate), call.inferred(rate)
    scale = call.value("loss_scale", 1.0)
    if scale not in (1, 1.0) and not _is_scaled_by_none(call):
        call.rewriter.scaled.add(call.target() or "")
        if call.target() is None:
            made = f"{call.helper('with_loss_scale')}({made}, {{loss_scale}})"
        else:
            call.afterwards(f"{call.target()}.loss_scale = {call.text('loss_scale')}")
    by_step = (
        isinstance(inferred, (Seq, OwnOf))
        or inferred == ARRAY
        or (isinstance(inferred, Of) and inferred.cls.startswith("mindspore.nn."))
    )
    by_step |= is_tensor(inferred) and isinstance(node, (ast.Call, ast.Name)) and _is_many(call, node)
    decay = call.value("weight_decay", 0.0)
    if decay not in (0, 0.0) and "weight_decay" in call:
        made = made.replace("{params}", _decayed(call))
        if "decay_groups(" in made:  # each group has its own
            made = made.replace(", weight_decay={weight_decay?}", "")
    if grouped := _groups_by_step(call, by_step):
        call.helper("scheduled_groups")
        made = made.replace("{params}", f'[{{**group, "lr": 1.0}} for group in {grouped}]')
        usual = call.text(rate) if rate in call else _default(call, rate)
        rates = f'[group.get("lr", {usual}) for group in {grouped}]'
        made = made.replace("RATE", f", lr={'1.0' if by_step else usual}")
        return f"scheduled_groups({made}, {rates})"
    if not by_step:
        return made.replace("RATE", f", lr={{{rate}}}" if rate in call else f", lr={_default(call, rate)}")
    call.helper("scheduled")
    return f"scheduled({made.replace('RATE', ', lr=1.0')}, {{{rate}}})"


def _groups_by_step(call, by_step: bool) -> str:
    """The name of groups of which one has rates by step, or where others have, a rate of its own; nothing
    where there is none."""
    node = call.nodes.get("params")
    made = assigned(call.rewriter.tree, node.id) if isinstance(node, ast.Name) else node
    groups = made.elts if isinstance(made, ast.List) else []
    pairs = [pair for g in groups if isinstance(g, ast.Dict) for pair in zip(g.keys, g.values, strict=True)]
    inferences = [call.rewriter.reading.inferred(v) for k, v in pairs if getattr(k, "value", "") == "lr"]
    moves = any(isinstance(w, (Seq, OwnOf, Of)) or w == ARRAY for w in inferences)
    if not moves and not (by_step and inferences):
        return ""
    if node is made:
        used = {n.id for n in ast.walk(call.rewriter.tree) if isinstance(n, ast.Name)}
        name = next(n for n in ("groups", "parameter_groups", "groups_by_rate") if n not in used)
        call.beforehand(f"{name} = {code(call.args['params'])}")
        return name
    return node.id


def _is_scaled_by_none(call) -> bool:
    """Whether an optimizer is handed to Models alone, or to training steps, whose loops scale nothing."""
    return _is_scaled_nowhere(call.rewriter, call.target())


def _is_scaled_nowhere(rewriter, name: str | None) -> bool:
    if not (name or "").isidentifier():
        return False
    found = False
    for node in ast.walk(rewriter.tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            outer = rewriter.parents[id(node)]
            outer = rewriter.parents[id(outer)] if isinstance(outer, ast.keyword) else outer
            inferred = rewriter.reading.inferred(outer.func) if isinstance(outer, ast.Call) else None
            leaf = str(inferred).rpartition(".")[2]
            if leaf == "LARS":
                around = rewriter.parents.get(id(outer))
                target = around.targets[0] if isinstance(around, ast.Assign) else None
                if getattr(target, "id", name) == name or not _is_scaled_nowhere(rewriter, target.id):
                    return False
                found = True
                continue
            step = leaf == "TrainOneStepCell" and pipelines.arguments_by_name(outer, form_of(inferred).made)
            made = leaf == "Model" and pipelines.arguments_by_name(outer, ("network", "loss_fn", "optimizer"))
            scaled = scales.divides(rewriter, made) if made else not (step and scales.cancels(rewriter, step))
            if scaled:
                return False
            found = True
    return found


def _default(call, name: str) -> str:
    return f"{call.form.defaults[name]:g}"


def _is_many(call, node) -> bool:
    """Whether a Tensor given as a rate is a list of rates."""
    if isinstance(node, ast.Name):
        node = assigned(_function(call), node.id) or assigned(call.rewriter.tree, node.id)
    if isinstance(node, ast.Call) and node.args:
        return not isinstance(call.rewriter.reading.inferred(node.args[0]), Const)
    return False


def _function(call) -> ast.AST:
    """The function that a call stands in; the file where it is in none."""
    node = call.node
    while node is not None and not isinstance(node, ast.FunctionDef):
        node = call.rewriter.parents.get(id(node))
    return node or call.rewriter.tree


def _decayed(call) -> str:
    """Parameters, scales and shifts of norms apart: without groups MindSpore does not decay them."""
    text = code(call.args["params"])
    node = call.nodes.get("params")
    inferred = call.inferred("params")
    grouped = isinstance(inferred, Seq) and isinstance(inferred.item, Seq)
    if grouped or isinstance(node, ast.List) or not _may_have_norms(call.rewriter, node):
        return "{params}"
    for start, end in (("list(", ".parameters())"), ("named(", ")")):
        if text.startswith(start) and text.endswith(end):
            return _decayed_in(call, text[len(start) : -len(end)])
    if isinstance(node, ast.Name):
        made = assigned(call.rewriter.tree, node.id)
        text = ast.unparse(made).replace("trainable_params", "parameters") if made is not None else ""
    modules = set(re.findall(r"([\w.]+)\.(?:get_)?parameters\(\)", text)) | set(re.findall(r"\bnamed\(([\w.]+)", text))
    if len(modules) == 1 and ("requires_grad" in text or "filter(" not in text):
        return _decayed_in(call, modules.pop())
    call.refuse("which parameters decay is not told: MindSpore leaves gamma and beta alone")
    return ""


def _decayed_in(call, module: str) -> str:
    call.helper("decay_groups")
    if call.rewriter.mentions("LARS("):  # which asks for their names
        call.helper("named")
        call.beforehand(f"named({module})")
    return f"decay_groups({module}, {{weight_decay}})"


def _may_have_norms(rewriter, params) -> bool:
    """Whether a network has norms: the program has, or the network comes from what is not a part of it."""
    project = rewriter.reading.project
    if rewriter.has_norms():
        return True
    network = params.func.value if isinstance(params, ast.Call) and isinstance(params.func, ast.Attribute) else params
    known = {"mindspore", "numpy", *(project.files if project is not None else ()), *sys.stdlib_module_names}
    return rewriter.reading.inferred(network) is None and any(
        not known & {*(node.module or "").split("."), *(name.name.partition(".")[0] for name in node.names)}
        for node in ast.walk(rewriter.tree)
        if isinstance(node, ast.ImportFrom)
    )


def assigned(tree: ast.AST, name: str) -> ast.expr | None:
    """What a name holds that is assigned once."""
    found = [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
    ]
    return found[0] if len(found) == 1 else None


@rule(
    "nn.Adam nn.AdamOffload",
    "torch.optim.Adam(params, lr, betas, eps, weight_decay)",
    "adds eps before the bias correction, PyTorch after: early_eps, at the head, does the same",
    "先加 eps 再做偏差校正，PyTorch 相反：极小的梯度步子更小",
)
def adam(call):
    for name in ("use_lazy", "use_offload", "use_nesterov"):
        if call.value(name, False) not in (False, None):
            call.refuse(f"{name}=True has no counterpart")
    made = _optimizer(
        call,
        f"torch.optim.Adam({{params}}RATE{_betas(call)}, eps={{eps?}}, "
        "weight_decay={weight_decay?}, amsgrad={use_amsgrad?})",
    )
    call.helper("early_eps")
    return f"early_eps({made})"


def _betas(call) -> str:
    if "beta1" not in call and "beta2" not in call:
        return ""
    first = call.text("beta1") if "beta1" in call else "0.9"
    return f", betas=({first}, {call.text('beta2') if 'beta2' in call else '0.999'})"


@rule(
    "nn.LazyAdam",
    "torch.optim.Adam(...), as nn.Adam",
    "lazy is only what gradients of EmbeddingLookup's rows are",
    "只有 EmbeddingLookup 的行梯度才会稀疏更新",
)
def lazy_adam(call):
    if call.rewriter.mentions("EmbeddingLookup", "sparse"):
        call.refuse("rows of sparse gradients move alone, which PyTorch's SparseAdam does otherwise")
    return adam(call)


@rule(
    "nn.AdamWeightDecay",
    "AdamWeightDecay(params, lr, betas, eps, weight_decay), a class at the head",
    "has no bias correction: torch.optim.AdamW has; eps is 1e-6 unless told",
    "没有偏差校正，torch.optim.AdamW 有；eps 默认 1e-6",
)
def adam_weight_decay(call):
    call.helper("AdamWeightDecay")
    return _optimizer(
        call, f"AdamWeightDecay({{params}}RATE{_betas(call)}, eps={{eps?}}, weight_decay={{weight_decay?}})"
    )


@rule("nn.Momentum", "torch.optim.SGD(params, lr, momentum, weight_decay, nesterov)")
def momentum(call):
    return _optimizer(
        call,
        "torch.optim.SGD({params}RATE, momentum={momentum}, weight_decay={weight_decay?}, "
        "nesterov={use_nesterov?})",
    )


@rule("nn.SGD", "torch.optim.SGD(params, lr, momentum, dampening, weight_decay, nesterov)")
def sgd(call):
    made = _optimizer(
        call,
        "torch.optim.SGD({params}RATE, momentum={momentum?}, dampening={dampening?}, "
        "weight_decay={weight_decay?}, nesterov={nesterov?})",
    )
    asks_what_it_holds = call.rewriter.mentions("Checkpoint", "get_parameters", "parameters_dict")
    if not asks_what_it_holds or not call.rewriter.mentions("Momentum"):
        return made
    call.helper("accumulating")
    return f"accumulating({made})"


@rule(
    "nn.Adagrad",
    "torch.optim.Adagrad(params, lr, initial_accumulator_value=accum, eps=0)",
    "starts from 0.1 and adds no eps",
    "累加器从 0.1 开始，不加 eps",
)
def adagrad(call):
    call.args.setdefault("accum", cst.Float("0.1"))
    return _optimizer(
        call,
        "torch.optim.Adagrad({params}RATE, weight_decay={weight_decay?}, "
        "initial_accumulator_value={accum}, eps=0)",
    )


@rule(
    "nn.RMSProp",
    "RMSProp(params, lr, alpha, eps, momentum), a class at the head",
    "adds eps under the root, and its momentum holds the rate; torch.optim.RMSprop differs in both",
    "eps 加在根号内，动量里含学习率；torch.optim.RMSprop 两处都不同",
)
def rms_prop(call):
    call.helper("RMSProp")
    return _optimizer(
        call,
        "RMSProp({params}RATE, alpha={decay?}, momentum={momentum?}, eps={epsilon?}, centered={centered?}, "
        "weight_decay={weight_decay?})",
    )


@rule("nn.Adadelta", "torch.optim.Adadelta(params, lr, rho, eps, weight_decay)")
def adadelta(call):
    return _optimizer(
        call, "torch.optim.Adadelta({params}RATE, rho={rho?}, eps={epsilon?}, weight_decay={weight_decay?})"
    )


@rule("nn.ASGD", "torch.optim.ASGD(params, lr, lambd, alpha, t0, weight_decay)", "starts from 0.1", "学习率默认 0.1")
def asgd(call):
    return _optimizer(
        call,
        "torch.optim.ASGD({params}RATE, lambd={lambd?}, alpha={alpha?}, t0={t0?}, weight_decay={weight_decay?})",
    )


@rule("nn.Rprop", "torch.optim.Rprop(params, lr, etas, step_sizes)", "starts from 0.1", "学习率默认 0.1")
def rprop(call):
    if call.value("weight_decay", 0.0) not in (0, 0.0):
        call.refuse("PyTorch's has no weight_decay=")
    return _optimizer(call, "torch.optim.Rprop({params}RATE, etas={etas?}, step_sizes={step_sizes?})")


@rule(
    "nn.AdaMax",
    "AdaMax(params, lr, betas, eps, weight_decay), a class at the head",
    "adds eps below the line; torch.optim.Adamax adds it to each gradient",
    "eps 加在分母上；torch.optim.Adamax 加在每个梯度上",
)
def adamax(call):
    call.helper("AdaMax")
    return _optimizer(
        call, f"AdaMax({{params}}RATE{_betas(call)}, eps={{eps?}}, weight_decay={{weight_decay?}})"
    )


@rule("nn.FTRL", "FTRL(params, lr, lr_power, l1, l2), a class at the head")
def ftrl(call):
    if call.value("use_locking", False) not in (False, None):
        call.refuse("use_locking=True has no counterpart")
    call.helper("FTRL")
    return _optimizer(
        call,
        "FTRL({params}RATE, initial_accum={initial_accum?}, lr_power={lr_power?}, l1={l1?}, l2={l2?}, "
        "weight_decay={weight_decay?})",
    )


@rule(
    "nn.Lamb",
    "Lamb(params, lr, betas, eps, weight_decay), a class at the head",
    "each tensor's step is as long as the tensor itself, times the rate",
    "每个张量的步长按张量自身的范数缩放",
)
def lamb(call):
    call.helper("Lamb")
    return _optimizer(call, f"Lamb({{params}}RATE{_betas(call)}, eps={{eps?}}, weight_decay={{weight_decay?}})")


@rule(
    "nn.LARS",
    "lars(optimizer, eps, coefficient, clipped, takes_part), at the head",
    "each gradient is as long as its tensor, times the coefficient; PyTorch has no such optimizer",
    "每个梯度按其张量的范数缩放；PyTorch 没有这种优化器",
)
def lars(call):
    call.helper("lars")
    call.helper("named")
    inner = scales.made_with(call.inferred("optimizer"))
    if inner is None or "params" not in inner:
        call.refuse("the optimizer inside is not told")
    named = "coefficient={coefficient?}, clipped={use_clip?}, takes_part={lars_filter?}"
    return f"lars({{optimizer}}, eps={{epsilon?}}, {named})"


@instance("nn.Optimizer experimental.optim.optimizer.Optimizer", "apply_gradients(optimizer, gradients), at the head")
def step(call):
    if len(call.updated.args) != 1:
        call.refuse("it is not called with gradients alone")
    call.helper("apply_gradients")
    return fill("apply_gradients({optimizer}, {gradients})", {"optimizer": call.updated.func, "gradients": call.updated.args[0].value})


for _name in ("nn.Optimizer", "experimental.optim.optimizer.Optimizer"):
    _form = '[p for group in optimizer.param_groups for p in group["params"]]'
    add(Rule(f"mindspore.{_name}.parameters", _form), VALUES)


def _parameters(rewriter, node, updated):
    return moved_by(rewriter, "{self}")


def _listed(names: str, form: str) -> None:
    @rule(
        names,
        form,
        "PyTorch's optimizers have no parameters: listing, at the head, gives copies of moments and rates",
        "PyTorch 的优化器没有参数：文件开头的 listing 给出动量和学习率的副本",
    )
    def write(call):
        call.helper("named")
        call.helper("listing")
        return form.replace("optimizer", "{self}")


_listed("nn.Optimizer.get_parameters nn.Optimizer.trainable_params", "listing(optimizer)")
_listed("nn.Optimizer.parameters_and_names", "[(p.label, p) for p in listing(optimizer)]")
_listed("nn.Optimizer.parameters_dict", "dict((p.label, p) for p in listing(optimizer))")


@rule("nn.Optimizer.get_lr", 'torch.tensor(optimizer.param_groups[0]["lr"])', "stays where groups may have rates of their own", "各组可能有自己的学习率时保留原调用")
def current_rate(call):
    if isinstance(call.inferred("self"), OwnOf):
        return call.updated         # what a class of the program's own descends from has the method
    if not call.rewriter.mentions('"params"', "'params'"):  # no groups anywhere
        return 'torch.tensor({self}.param_groups[0]["lr"])'
    made = getattr(call.inferred("self"), "call", None)
    params = call.rewriter.reading.inferred(made.args[0]) if made is not None and made.args else None
    if not isinstance(params, Seq) or not is_tensor(params.item):
        call.refuse("whether its rate is one for all parameters is not told")
    return 'torch.tensor({self}.param_groups[0]["lr"])'


for _name in ("mindspore.nn.Optimizer", "mindspore.experimental.optim.optimizer.Optimizer"):
    VALUES[f"{_name}.parameters"] = VALUES[f"{_name}.parameters"]._replace(write=_parameters)


_STEPS = re.compile(r"(?<!self)\.global_step\b")


def _counts_steps(rewriter) -> bool:
    """Whether a file that makes optimizers, or another file, asks for the steps that they have made."""
    if rewriter.lists_optimizers() or (len(rewriter.texts) > 1 and any(map(_STEPS.search, rewriter.texts))):
        return True
    if "global_step" not in rewriter.source:
        return False
    calls = (rewriter.reading.inferred(n) for n in ast.walk(rewriter.tree) if isinstance(n, ast.Call))
    return any(isinstance(made, Of) and is_a(made.cls, "mindspore.nn.Optimizer") for made in calls)


def _steps(rewriter, node, updated):
    if _counts_steps(rewriter):
        return updated
    return 'torch.tensor([int(next(iter({self}.state.values()))["step"])])'


add(
    Rule("mindspore.nn.Optimizer.global_step", "optimizer.global_step of counted(optimizer), at the head", write=_steps),
    VALUES,
)


def _rate_now(rewriter, node, updated):
    outer = rewriter.parents[id(node)]
    written = getattr(outer, "attr", "") == "set_data" or (
        isinstance(outer, ast.Call) and "assign" in ast.unparse(outer.func)
    )
    return updated if written else 'torch.as_tensor({self}.param_groups[0]["lr"])'


add(
    Rule("mindspore.nn.Optimizer.learning_rate", 'optimizer.param_groups[0]["lr"], a number', write=_rate_now),
    VALUES,
)


# ---- rates ------------------------------------------------------------------------------------------------

_RATES = """
cosine_decay_lr exponential_decay_lr natural_exp_decay_lr inverse_decay_lr polynomial_decay_lr warmup_lr
piecewise_constant_lr
"""


def _rates(name: str) -> None:
    @rule(f"nn.{name}", f"{name}(...), at the head")
    def write(call):
        if call.value("update_decay_epoch", False) is not False:
            call.refuse("update_decay_epoch=True has no rule")
        call.helper(name)
        return call.updated.with_changes(func=cst.Name(name))


for _name in _RATES.split():
    _rates(_name)


_SCHEDULES = "CosineDecayLR WarmUpLR PolynomialDecayLR ExponentialDecayLR NaturalExpDecayLR InverseDecayLR"


def _schedule(name: str) -> None:
    @rule(f"nn.{name}", f"{name}(...), a class at the head whose call gives the rate of a step")
    def write(call):
        call.helper(name)
        return call.updated.with_changes(func=cst.Name(name))


for _name in _SCHEDULES.split():
    _schedule(_name)
