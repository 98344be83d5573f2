"""Classes and functions: ``nn.Cell`` is ``nn.Module``, ``construct`` is ``forward``."""

from __future__ import annotations

import ast

import libcst as cst

from ..rules import alike
from ..rules.cells import BASES, moved_by
from ..translation import site_of
from .inferred import Class, Ref, is_a, is_cell

_RENAMED = {"construct": "forward", "extend_repr": "extra_repr"}
# Names that Modules need for themselves.
_OF_MODULES = "train type modules children float half eval forward training buffers to apply"
RESERVED = frozenset(_OF_MODULES.split())


def is_taken(cls: Class, name: str) -> bool:
    """Whether a Cell calls something of its own by a name that a Module needs: it gets another one."""
    own = cls.attribute(name) is not None or cls.function(name) is not None
    return name in RESERVED and cls.is_cell and own


def is_base(rewriter, node: ast.expr) -> bool:
    """Whether a name stands among a class's bases."""
    return id(node) in {id(b) for cls in rewriter.reading.classes for b in cls.bases}


def rewritten(rewriter, cls: Class | None, original: cst.ClassDef, updated: cst.ClassDef):
    """A class whose bases are PyTorch's."""
    if cls is None:
        return updated
    bases = []
    for new, node in zip(updated.bases, cls.node.bases, strict=True):
        inferred = rewriter.reading.inferred(node)
        if isinstance(inferred, Ref):
            root = inferred == cls.root()
            made = base_of(cls) if root else BASES.get(inferred, alike.counterpart(inferred))
            made = None if root and rewriter.is_raw(cls) else made
            if made is None:
                rewriter.keep_site(site_of(node), inferred, "a class descends from it")
                made = inferred.replace("mindspore.", "ms2torch.", 1)
            else:
                rewriter.settle(site_of(node), inferred, inferred)
                if made in _HELPERS:
                    rewriter.helpers.add(made)
            new = new.with_changes(value=cst.parse_expression(made)) if made else None
        if new is not None:
            bases.append(new)
    is_step = is_a(cls.root(), "mindspore.nn.TrainOneStepCell") and BASES.get(cls.root()) == "nn.Module"
    if is_step and not rewriter.is_raw(cls):
        updated = _with_step(rewriter, cls, updated)
    if bases:
        bases[-1] = bases[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated.with_changes(bases=bases)
    return updated.with_changes(bases=[], lpar=cst.MaybeSentinel.DEFAULT, rpar=cst.MaybeSentinel.DEFAULT)


_STEP = """def __init__(self, network, optimizer{sens}):
    super().__init__()
    self.network, self.optimizer{names} = network, optimizer{more}
    self.weights = {weights}
"""


def _with_step(rewriter, cls: Class, updated: cst.ClassDef) -> cst.ClassDef:
    """A training step without an ``__init__`` of its own, with what its base would have stored."""
    if cls.function("__init__") is not None:
        return updated
    asks = any(isinstance(n, ast.Attribute) and n.attr == "sens" for n in ast.walk(cls.node))
    parts = {"sens": ", sens=1.0", "names": ", self.sens", "more": ", sens"} if asks else {}
    parts["weights"] = moved_by(rewriter, "optimizer")
    text = _STEP.format_map({"sens": "", "names": "", "more": ""} | parts)
    body = list(updated.body.body)
    at = 1 if ast.get_docstring(cls.node) else 0
    body.insert(at, cst.parse_statement(text))
    if len(body) > at + 1:
        body[at + 1] = body[at + 1].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return updated.with_changes(body=updated.body.with_changes(body=body))


# Bases that stand at the file's head.
_HELPERS = ("Callback", "Metric", "LossBase", "ScaledTrainStep", "OptimizerBase", "Initializer")
# What a loss has from its base.
_OF_LOSSES = frozenset(("get_loss", "get_axis", "reduce", "average"))
# Losses that a class with a formula of its own descends from for what these have from theirs.
_ELEMENTWISE = frozenset(("mindspore.nn.L1Loss", "mindspore.nn.MSELoss"))


# What an optimizer or an initialiser has from its base, which the base at the head has too.
_OF_OPTIMIZERS = """
parameters get_lr is_group is_group_lr dynamic_lr loss_scale global_step global_step_increase_tensor
get_weight_decay decay_flags assignadd decay_weight scale_grad flatten_gradients gradients_centralization
hyper_map map_ cls_name
"""
_KNOWN = {"OptimizerBase": frozenset(_OF_OPTIMIZERS.split()), "Initializer": frozenset()}


def base_of(cls: Class) -> str | None:
    """What a class descends from in PyTorch: a loss that uses nothing of its base is a Module, an optimizer
    that uses what the one at the head lacks stays MindSpore's."""
    made = BASES.get(cls.root()) or alike.counterpart(cls.root())
    if cls.root() in _ELEMENTWISE and cls.function("construct") is not None:
        made = "LossBase"
    if made != "LossBase" and made not in _KNOWN:
        return made
    parts = [n for n in ast.walk(cls.node) if isinstance(n, ast.Attribute)]
    own = {n.attr for n in parts if isinstance(n.ctx, ast.Store)}
    used = {n.attr for n in parts if isinstance(n.value, ast.Name) and n.value.id == "self"} - own
    if made in _KNOWN:
        known = {n for n in used if cls.function(n) is not None or cls.attribute(n) is not None}
        return made if used - known <= _KNOWN[made] else None
    return "LossBase" if used & _OF_LOSSES else "nn.Module"


def function(rewriter, original: cst.FunctionDef, updated: cst.FunctionDef):
    """``construct`` of a Cell is ``forward``; decorators that PyTorch has no need of go."""
    cls = rewriter.classes[-1] if rewriter.classes else None
    is_method = cls is not None and rewriter.statement(original) in cls.node.body
    if is_method and is_taken(cls, updated.name.value):
        updated = updated.with_changes(name=cst.Name(f"{updated.name.value}_"))
    if rewriter.is_raw(cls):
        return updated
    is_torch = cls is not None and (base_of(cls) is not None or not cls.root())
    if is_torch and updated.name.value in _RENAMED and (cls.is_cell or cls.root() in BASES):
        name = _RENAMED[updated.name.value]
        if name == "forward" and not is_cell(cls.root()):
            name = "__call__"
        updated = updated.with_changes(name=cst.Name(name))
        if name == "forward" and original.name.value == "construct" and cls.function("bprop") is not None:
            rewriter.helpers.add("own_gradient")
            decorators = [*updated.decorators, cst.Decorator(cst.Name("own_gradient"))]
            updated = updated.with_changes(decorators=decorators)
    updated = _overload(rewriter, rewriter.statement(original), updated)
    kept = [
        d
        for d in updated.decorators
        if not (isinstance(d.decorator, cst.Name) and d.decorator.value == "_gone_")
    ]
    if len(kept) != len(updated.decorators):
        lines = updated.decorators[0].leading_lines
        updated = updated.with_changes(decorators=kept)
        if kept:
            kept[0] = kept[0].with_changes(leading_lines=lines)
        elif lines:
            updated = updated.with_changes(leading_lines=lines)
    return updated


def _overload(rewriter, node, updated: cst.FunctionDef) -> cst.FunctionDef:
    """The one function of a ``MultitypeFuncGraph`` is the function itself, under the graph's name."""
    for i, decorator in enumerate(getattr(node, "decorator_list", ())):
        graph = overloaded(rewriter, decorator)
        if graph is not None and registrations(rewriter, graph) == 1:
            kept = [d for j, d in enumerate(updated.decorators) if j != i]
            lines = updated.decorators[0].leading_lines
            if not lines:  # the graph's own line stood above
                lines = [cst.EmptyLine(indent=False)] * 2
            return updated.with_changes(decorators=kept, name=cst.Name(graph), leading_lines=lines)
    return updated


def overloaded(rewriter, decorator: ast.expr) -> str | None:
    """The name of the graph in ``@graph.register("Tensor")``."""
    function = getattr(decorator, "func", None)
    if not (
        isinstance(function, ast.Attribute)
        and function.attr == "register"
        and isinstance(function.value, ast.Name)
    ):
        return None
    inferred = rewriter.reading.inferred(function.value)
    return function.value.id if getattr(inferred, "cls", "") == "mindspore.ops.MultitypeFuncGraph" else None


def registrations(rewriter, graph: str) -> int:
    """How many functions a graph has."""
    return sum(
        overloaded(rewriter, d) == graph
        for n in ast.walk(rewriter.tree)
        for d in getattr(n, "decorator_list", ())
    )
