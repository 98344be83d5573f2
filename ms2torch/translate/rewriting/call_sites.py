"""Calls: of MindSpore's functions and classes, of what they made, of methods."""

from __future__ import annotations

import ast
import re

import libcst as cst
import torch

from ms2torch._naming import generations

from ..rules import data, training
from ..rules.table import CALLS, INSTANCES, call_rule
from ..translation import site_of
from . import modes, pipelines, statements, staying
from .binding import bind, form_of
from .inferred import (
    PARAMETER,
    Class,
    Gradient,
    Of,
    OwnOf,
    Ref,
    Seq,
    is_a,
    is_cell,
    is_tensor,
    lineage,
    resolve,
)
from .joining import is_rate, path_got
from .sites import TAKEN_BACK, Call, Kept, without_rule
from .templates import code, fill, keep_line_breaks

_OF_CELLS = """
trainable_params get_parameters parameters_and_names cells_and_names set_train parameters_dict set_grad
add_flags
"""
# Modules of nothing but operators.
_OPERATORS = ("mindspore.ops", "mindspore.mint")
# What computes, where an argument that nobody reads would change a number; and what among it trains.
_COMPUTES = ("mindspore.ops.", "mindspore.mint.", "mindspore.numpy.", "mindspore.Tensor.")
# Functions whose rules write the later order alone.
_ORDERED_ANEW = ("mindspore.ops.avg_pool2d", "mindspore.ops.conv2d", "mindspore.ops.interpolate")
_TRAINS = ("mindspore.mint.optim.", "mindspore.mint.distributed.")
# Arguments of layers that say how a parameter starts, and that parameter.
_STARTS = {"weight_init": "weight", "bias_init": "bias"}
_TORCH_DTYPE = re.compile(r"torch\.((?:bfloat|float|uint|int|complex)\d+)")
# What takes networks and tensors, or is a tensor.
_BECOMES = ("mindspore.train.Callback", "mindspore.Model", "mindspore.Tensor", "mindspore.amp.LossScaler")
_AS_ARRAY = ".numpy(force=True)"
# Methods that only Tensors have, and those that only Cells have.
TENSORS_ALONE = frozenset(("asnumpy", "expand_dims", "set_data"))
CELLS_ALONE = frozenset(_OF_CELLS.split())


class CallSites:
    """The part of `Rewriter` that rewrites calls, each by its rule, or keeps them with a reason."""

    def visit_Call(self, node: cst.Call) -> None:
        self.callees.add(id(node.func))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call):
        node = self.node(original_node)
        if not isinstance(node, ast.Call):
            return updated_node
        if self._is_of_nn(node.func):
            return fill("ms2torch.to_torch({made})", {"made": updated_node})
        special = statements.call(self, node, original_node, updated_node)
        if special is not None:
            return special
        if getattr(node.func, "id", "") == "getattr":
            return self._got(node, original_node, updated_node)
        if getattr(node.func, "id", "") == "hasattr":
            return self._answer(node, updated_node)
        if getattr(node.func, "id", "") in ("float", "int") and len(node.args) == 1:
            return self._number(node.args[0], updated_node)
        callee = self.reading.inferred(node.func)
        if (
            isinstance(callee, Class)
            and not any(c is not None and c.is_cell for c in self.classes)
            and modes.depends_on_mode(self.reading, callee)
        ):
            return fill("{net}.eval()", {"net": updated_node})
        if isinstance(callee, Class) and self.is_raw(callee):
            made = fill("ms2torch.to_torch({cls})", {"cls": updated_node.func})
            return updated_node.with_changes(func=made)
        at, fact = site_of(node), self.reading.facts.at(*site_of(node))
        try:
            if isinstance(callee, Ref):
                return self._of_ref(callee, node, original_node, updated_node)
            if isinstance(callee, Of) and self._inherited(node.func) is None:
                return self._of_instance(callee, node, original_node, updated_node)
            if isinstance(callee, Gradient):
                return training.differentiated(self, callee, node, original_node, updated_node)
            if isinstance(node.func, ast.Attribute):
                return self._of_method(node, original_node, updated_node, fact)
            return updated_node
        except Kept as kept:
            self.keep_site(at, kept.name, kept.reason, kept.told)
            return kept.form or self._kept(kept.name, node, original_node, updated_node)

    def _is_of_nn(self, node: ast.expr) -> bool:
        """Whether it is ``getattr(nn, name)``."""
        asks = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr"
        told = path_got(node, self.reading.inferred) is not None
        return asks and not told and self.reading.inferred(node.args[0]) == Ref("mindspore.nn")

    def _got(self, node: ast.Call, original: cst.Call, updated: cst.Call):
        """``getattr(ops, "exp")`` as ``ops.exp``; an operator whose name is not told stays ms2torch's."""
        path = path_got(node, self.reading.inferred)
        if path is not None:
            return updated if id(original) in self.callees else self._value(path, node, updated)
        owner = self.reading.inferred(node.args[0]) if len(node.args) == 2 else None
        if isinstance(owner, Ref) and owner.startswith(_OPERATORS):
            return fill("ms2torch.to_torch({made})", {"made": updated})
        return updated

    def _number(self, node: ast.expr, updated: cst.Call):
        """``x.item()`` for ``float(x.numpy(force=True))``, an array of one number."""
        value = updated.args[0].value
        if not code(value).endswith(_AS_ARRAY) or not isinstance(value, cst.Call):
            return updated
        item = fill("{x}.item()", {"x": value.func.value})
        fact = self.reading.facts.at(*site_of(node))
        told = fact.arguments[0].dtype if fact is not None and fact.arguments and fact.arguments[0] else ""
        if code(updated.func) == "float" and told.startswith("Float"):
            return item
        return updated.with_changes(args=[updated.args[0].with_changes(value=item)])

    def call_of(self, name, form, node, original, updated, owner=None, made=None) -> Call:
        """What a rule sees of a call."""
        args = [*([cst.Arg(owner[1])] if owner else []), *updated.args]
        olds = [*([cst.Arg(owner[0])] if owner else []), *original.args]
        names, order, rest = (form.names, form.order, form.rest) if form else ({}, (), "")
        if made is False:  # a class is called
            order = form.made if form else ()
        if owner and rest and not order:
            order = ("self",)
        bound, old = bind(names, order, args, rest), bind(names, order, olds, rest)
        if bound is None and (form is None or (form.kernel is None and not owner)):
            bound, old = {}, {}  # rules of such classes look at the arguments themselves
        if bound is None:
            raise Kept(name, "its arguments are not told one by one")
        if made:
            bound |= made[0]
        nodes = {n: self.node(v) for n, v in old.items() if isinstance(v, cst.CSTNode)}
        nodes |= made[1] if made else {}
        return Call(self, name, node, original, updated, bound, nodes, form)

    def _of_ref(self, path: Ref, node, original, updated):
        at = site_of(node)
        if at in self.keep:
            raise Kept(path, TAKEN_BACK)
        thing = resolve(path)
        if path.startswith("mindspore.dataset.") and not self.data.moved:
            self.keep_site(at, path, self.data.reason, is_a(path, "mindspore.dataset.Dataset"))
            return data.kept(path, updated)
        form = form_of(path)
        if isinstance(thing, type) and is_a(path, "mindspore.ops.Primitive"):
            return self.primitives.made(self, path, form, node, original, updated)
        rule = call_rule(path, form.kernel if form else None)
        if rule is None:
            raise Kept(path, without_rule(path))
        if self.keeps_files and rule.name.rpartition(".")[2] in staying.FILES:
            raise Kept(path, "another call keeps checkpoints in MindSpore's format")
        call = self.call_of(
            path, form, node, original, updated, made=False if isinstance(thing, type) else None
        )
        return self.written(rule, call, at)

    def _of_instance(self, instance: Of, node, original, updated):
        at = site_of(node)
        if self.stays(instance) and not is_a(instance.cls, "mindspore.nn.Optimizer"):
            raise Kept(instance.cls, "what it is a call of stays", updated, told=False)
        if is_a(instance.cls, "mindspore.ops.Primitive") and instance.cls not in INSTANCES:
            return self.primitives.called(self, instance, node, original, updated)
        rule = next((INSTANCES[c] for c in lineage(instance.cls) if c in INSTANCES), None)
        if rule is None:
            return updated
        call = self.call_of(instance.cls, form_of(instance.cls), node, original, updated)
        call.instance = instance
        return self.written(rule, call, at)

    def _of_method(self, node: ast.Call, original, updated, fact):
        owner, at = self.reading.inferred(node.func.value), site_of(node)
        name = self._inherited(node.func) or self._method(owner, node.func.attr, fact)
        if is_rate(node.func.value):
            name = name or f"mindspore.Tensor.{node.func.attr}"
        unknown = name is None and fact is None and is_tensor(owner)
        if unknown and not hasattr(torch.Tensor, node.func.attr):
            raise Kept(f"mindspore.Tensor.{node.func.attr}", "Tensors have no such method", updated)
        if name is None or not isinstance(updated.func, cst.Attribute):
            return updated
        reads_rows = name.startswith("mindspore.dataset.") and name.endswith("_iterator")
        if self.stays(owner) and not is_cell(owner.cls) and not reads_rows:
            raise Kept(name, "what it is a method of stays", updated, told=False)
        if at in self.keep and not name.startswith("mindspore.nn.Cell."):  # (a Module has no Cell's methods)
            raise Kept(name, TAKEN_BACK)
        if is_rate(node.func.value) and node.func.attr in ("asnumpy", "item", "numpy", "value"):
            self.settle(at, name, name)
            return updated.func.value
        if name.startswith("mindspore.dataset."):
            name = f"{pipelines.DATASET}.{node.func.attr}"
            if not self.data.moved and not name.endswith("_iterator"):
                return updated
        form = form_of(name)
        rule = call_rule(name, form.kernel if form else None)
        if rule is None:
            lacks = _is_of_torchs(name.rpartition(".")[0]) and not isinstance(owner, OwnOf)  # its base has it
            if lacks or name.startswith("mindspore.Tensor."):
                raise Kept(name, "there is no rule for it yet")
            return updated
        pair = original.func.value, updated.func.value
        return self.written(rule, self.call_of(name, form, node, original, updated, pair), at)

    def _inherited(self, function: ast.expr) -> str | None:
        """The MindSpore name of a method, or of a Cell to call, that a class has from its base."""
        owner = self.reading.inferred(function.value) if isinstance(function, ast.Attribute) else None
        if not isinstance(owner, OwnOf) or owner.cls.function(function.attr) is not None:
            return None
        names = (f"{cls}.{function.attr}" for cls in lineage(owner.cls.root()))
        return next((name for name in names if name in CALLS), None)

    def _method(self, owner, attr: str, fact) -> str | None:
        """The MindSpore name of a method."""
        of_parameter = f"mindspore.Parameter.{attr}"
        if of_parameter in CALLS and (owner == PARAMETER or (fact is not None and fact.name == of_parameter)):
            return of_parameter
        if fact is not None and fact.name.startswith("mindspore.nn.Optimizer."):  # which is a Cell too
            kinds = (f"{cls}.{attr}" for cls in lineage("mindspore.nn.Optimizer"))
            return next((name for name in kinds if name in CALLS), fact.name)
        if fact is not None and fact.name:
            of_tensor = fact.name.replace("mindspore.Parameter.", "mindspore.Tensor.", 1)
            return of_tensor if of_tensor in CALLS else fact.name
        if is_tensor(owner):
            return (
                f"mindspore.Tensor.{attr}"
                if form_of(f"mindspore.Tensor.{attr}") or f"mindspore.Tensor.{attr}" in CALLS
                else None
            )
        if isinstance(owner, OwnOf):
            base = owner.cls.root()
        else:
            base = owner.cls if isinstance(owner, Of) else ""
        for cls in lineage(base):
            if f"{cls}.{attr}" in CALLS:
                return f"{cls}.{attr}"
        if isinstance(owner, Of) and _is_of_torchs(base) and form_of(f"{base}.{attr}"):
            return f"{base}.{attr}"
        if owner is None and attr in TENSORS_ALONE:
            return f"mindspore.Tensor.{attr}"
        if owner is None and attr in CELLS_ALONE:
            return f"mindspore.nn.Cell.{attr}"
        if isinstance(owner, Seq) and f"mindspore.ParameterTuple.{attr}" in CALLS and is_tensor(owner.item):
            return f"mindspore.ParameterTuple.{attr}"
        return None

    def written(self, rule, call: Call, at):
        """What a rule makes of a call, whose site is settled with it."""
        change = generations.CHANGES.get(call.name)
        # (a rule that is written out asks for the release itself)
        asks = rule.write is not None and call.name not in _ORDERED_ANEW
        if not asks and change and change.when and generations.has_old_meaning(call.name):
            raise Kept(call.name, f"{change.before} before {'.'.join(map(str, change.release))}")
        try:
            made = rule.write(call) if rule.write else rule.form
        except (KeyError, IndexError, StopIteration):  # what the rule asks for is not in the call
            raise Kept(call.name, "its arguments are not told one by one") from None
        if isinstance(made, str) and rule.name.startswith(_COMPUTES) and not rule.name.startswith(_TRAINS):
            call.refuse_unread(made)
        try:
            made = fill(made, self.defaulted(made, call)) if isinstance(made, str) else made
        except KeyError as absent:
            starred = any(arg.star for arg in getattr(call.updated, "args", ()))
            absent = f"its argument {absent} is not given"
            why = "its arguments are not told one by one" if starred else absent
            raise Kept(call.name, why) from None
        self.settle(at, call.name, rule.name)
        return keep_line_breaks(call.updated, made) if isinstance(made, cst.BaseExpression) else made

    def defaulted(self, template: str, call: Call) -> dict:
        """A call's arguments, and the defaults of those that are absent and that the template needs.

        Such is one without a keyword before another that is given. KeyError: it has no default.
        """
        values = dict(call.args)
        defaults = call.form.defaults if call.form else {}
        for name in re.findall(r"\{(\w+)\*?\}", template):
            if name not in values and isinstance(defaults.get(name), (int, float, str, tuple, bool)):
                values[name] = cst.parse_expression(repr(defaults[name]))
        by_place = re.findall(r"(?<!=)\{(\w+)\?\}", template)
        for i, name in enumerate(by_place):
            if name not in values and any(later in call.args for later in by_place[i + 1 :]):
                values[name] = cst.parse_expression(repr(defaults[name]))
        return values

    def _kept(self, name: str, node, original, updated):
        """A call that stays ms2torch's, torch tensors in and out."""
        target = name.replace("mindspore.", "ms2torch.", 1)
        thing = resolve(name)
        if isinstance(thing, type):
            updated = updated.with_changes(args=[_own_dtype(arg) for arg in updated.args])
        if isinstance(thing, type) and not is_cell(name) and not is_a(name, "mindspore.ops.Primitive"):
            if any(is_a(name, cls) for cls in _BECOMES) or staying.crosses(self, name, node):
                return _crossed(target, updated)
            return updated.with_changes(func=cst.parse_expression(target))
        if isinstance(thing, type):
            return self._kept_layer(name, target, node, updated)
        args = list(updated.args)
        if thing is None and resolve(name.replace("Tensor.", "Parameter.")) is not None:
            target = target.replace("Tensor.", "Parameter.")
        owner, _, method = name.rpartition(".")
        if isinstance(resolve(owner), type) and not owner.startswith("mindspore.Tensor"):
            told = isinstance(node.func, ast.Attribute) and node.func.attr == method
            if told and not isinstance(self.reading.inferred(node.func.value), Ref):
                return updated  # a method of what stays too
        if name.startswith("mindspore.Tensor."):
            args.insert(0, cst.Arg(updated.func.value))
        return updated.with_changes(func=cst.parse_expression(f"ms2torch.to_torch({target})"), args=args)

    def _kept_layer(self, name: str, target: str, node, updated):
        """A layer that stays ms2torch's; initialisers among its arguments, PyTorch's by now, go over it."""
        args, starts = [], []
        names = form_of(name).made
        olds = [*node.args, *(k.value for k in node.keywords)]
        for i, (old, arg) in enumerate(zip(olds, updated.args, strict=True)):
            key = arg.keyword.value if arg.keyword else names[i] if i < len(names) else ""
            inferred = self.reading.inferred(old)
            if key in _STARTS and isinstance(inferred, Of) and ".initializer." in inferred.cls:
                starts.append(f"{_STARTS[key]}={code(arg.value)}")
            else:
                args.append(arg)
        given = staying.crosses(self, name, ast.Call(node.func, *_without(node, starts, names)))
        inner = _crossed(target, updated.with_changes(args=args), given)
        if not starts:
            return inner
        self.helpers.add("initialised")
        return fill(f"initialised({{inner}}, {', '.join(starts)})", {"inner": inner})


def _without(node: ast.Call, starts: list[str], names) -> tuple[list, list]:
    """A call's arguments without those that say how parameters start, where these go elsewhere."""
    if not starts:
        return node.args, node.keywords
    args = [x for i, x in enumerate(node.args) if i >= len(names) or names[i] not in _STARTS]
    return args, [k for k in node.keywords if k.arg not in _STARTS]


def _crossed(target: str, updated: cst.Call, given: bool = True) -> cst.BaseExpression:
    """A class of ms2torch's made as PyTorch has it; ``given``: what it is given may be PyTorch's too."""
    if given:
        return updated.with_changes(func=cst.parse_expression(f"ms2torch.to_torch({target})"))
    made = updated.with_changes(func=cst.parse_expression(target))
    return fill("ms2torch.to_torch({made})", {"made": made})


def _is_of_torchs(cls: str) -> bool:
    """Whether what becomes of an object of this class has none of MindSpore's methods."""
    return is_a(cls, "mindspore.nn.Optimizer") or is_a(cls, "mindspore.Model")


def _own_dtype(arg: cst.Arg) -> cst.Arg:
    """A dtype given to what stays ms2torch's, which asks for its own."""
    told = _TORCH_DTYPE.fullmatch(code(arg.value))
    return arg.with_changes(value=cst.parse_expression(f"ms2torch.{told[1]}")) if told else arg
