"""Operators that a program makes once and calls later: ``self.cat = ops.Concat(1)``.

Where all that happens to such an object is that it is called, its line goes and the calls become PyTorch's.
Else it becomes a function of the same arguments.
"""

from __future__ import annotations

import ast

import libcst as cst

from ..rules.table import call_rule
from ..translation import site_of
from .binding import bind
from .inferred import MIXED, Of, is_a
from .joining import span_of
from .sites import TAKEN_BACK, Kept, without_rule
from .templates import code, fill


class Plan:
    """Which of the operators that are made go into their calls; ``gone`` are the lines that made them."""

    def __init__(self) -> None:
        self.inlined: set[tuple] = set()
        self.gone: dict[tuple, set[int]] = {}
        self.idle: set[tuple] = set()  # those that nothing calls
        self.mixed: dict[str, int] = {}  # names of one operator or another, and how many inputs these take

    def made(self, rewriter, path, form, node, original, updated):
        """A call that makes an operator."""
        at = site_of(node)
        rule = call_rule(path, form.kernel if form else None)
        if rule is None and span_of(node) in self.idle:
            rewriter.settle(at, path)
            return updated
        if rule is None:
            raise Kept(path, without_rule(path))
        args, olds = (bind(form.names, form.made, call.args) for call in (updated, original))
        if args is None:
            raise Kept(path, "its arguments are not told one by one")
        nodes = {n: rewriter.node(v) for n, v in olds.items()}
        rewriter.made[span_of(node)] = args, nodes
        rewriter.settle(at, path, rule.name)
        outer = rewriter.parents.get(id(node))
        if span_of(node) in self.inlined or (isinstance(outer, ast.Call) and outer.func is node):
            return updated
        count = sum(n not in form.defaults for n in form.order) or 1
        names = list(form.order[: max(count, self.mixed.get(_kept_as(rewriter, node), 0))])
        call = rewriter.call_of(
            path,
            form,
            node,
            cst.Call(cst.Name("f")),
            cst.Call(cst.Name("f"), [cst.Arg(cst.Name(n)) for n in names]),
            made=(args, nodes),
        )
        value = rule.write(call) if rule.write else rule.form
        try:
            value = fill(value, rewriter.defaulted(value, call)) if isinstance(value, str) else value
        except KeyError as absent:
            raise Kept(path, f"its argument {absent} is not given") from None
        return as_lambda(names, value)

    def called(self, rewriter, instance: Of, node, original, updated):
        """A call of an operator that was made before."""
        at = site_of(node)
        direct = isinstance(node.func, ast.Call)
        if instance.call is None or not (direct or span_of(instance.call) in self.inlined):
            return updated
        from .binding import form_of

        form = form_of(instance.cls)
        rule = call_rule(instance.cls, form.kernel if form else None)
        if rule is None:
            return updated
        made = rewriter.made.get(span_of(instance.call)) or _parsed(rewriter, instance.call, form)
        try:
            if at in rewriter.keep:
                raise Kept(instance.cls, TAKEN_BACK)
            call = rewriter.call_of(instance.cls, form, node, original, updated, made=made)
            return rewriter.written(rule, call, at)
        except Kept as kept:
            raise Kept(
                kept.name, kept.reason, updated.with_changes(func=_as_kept(instance.cls, made[0]))
            ) from None


def _as_kept(path: str, made: dict) -> cst.BaseExpression:
    """An operator of ms2torch, made where it is called, torch tensors in and out."""
    given = ", ".join(f"{name}={code(value)}" for name, value in made.items())
    return cst.parse_expression(f"ms2torch.to_torch({path.replace('mindspore', 'ms2torch', 1)}({given}))")


def as_lambda(names: list[str], value: cst.BaseExpression) -> cst.BaseExpression:
    """``lambda x: f(x)``, or ``f`` where that is the same."""
    if (
        isinstance(value, cst.Call)
        and [code(a.value) for a in value.args] == names
        and not any(a.keyword or a.star for a in value.args)
    ):
        return value.func
    return cst.parse_expression(f"lambda {', '.join(names)}: {code(value)}")


def _parsed(rewriter, call: ast.Call, form):
    """The arguments of a call that stands further down in the file."""
    given = dict(zip(form.made, call.args, strict=False))
    given |= {form.names.get(k.arg, k.arg): k.value for k in call.keywords if k.arg}
    text = {n: cst.parse_expression(ast.get_source_segment(rewriter.source, v)) for n, v in given.items()}
    return text, given


def plan(tree: ast.Module, reading) -> Plan:
    """Look at every operator that is made, where it goes, and what happens to it there."""
    found = Plan()
    uses: dict[tuple, list[tuple[ast.expr, bool]]] = {}
    callees = {id(n.func): n for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in ast.walk(tree):
        inferred = reading.inferred(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if isinstance(inferred, Of) and inferred.call is not None and isinstance(node.ctx, ast.Load):
            uses.setdefault(span_of(inferred.call), []).append((node, id(node) in callees))
        if inferred is MIXED and isinstance(node.ctx, ast.Load):
            count = len(callees[id(node)].args) if id(node) in callees else 0
            found.mixed[_name(node)] = max(count, found.mixed.get(_name(node), 0))
    local = _local_names(tree)
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        for i, (left, made) in enumerate(pairs):
            inferred = reading.inferred(made)
            if not (
                isinstance(made, ast.Call)
                and isinstance(inferred, Of)
                and inferred.call is made
                and is_a(inferred.cls, "mindspore.ops.Primitive")
                and isinstance(left, (ast.Name, ast.Attribute))
                and _name(left) not in found.mixed
            ):
                continue
            at = span_of(made)
            every = uses.get(at, [])
            if (
                all(called for _, called in every)
                and _portable(made, local, statement, every, reading)
                and (not every or _has_rule(inferred.cls))
                and not _is_asked_elsewhere(left, reading)
            ):
                found.inlined.add(at)
                found.idle |= set() if every else {at}
                found.gone.setdefault((statement.lineno, statement.col_offset), set()).add(i)
    return found


def _name(node: ast.Name | ast.Attribute) -> str:
    """The last part of a name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id


def _kept_as(rewriter, node: ast.expr) -> str:
    """The name that an expression is assigned to, as a whole or as one of several choices."""
    while isinstance(node, ast.expr):
        node = rewriter.parents[id(node)]
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return _name(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""


def _is_asked_elsewhere(target: ast.expr, reading) -> bool:
    """Whether a class of another file may call what this class keeps."""
    asked = reading.project.asked if reading.project is not None else ()
    return isinstance(target, ast.Attribute) and target.attr in asked


def _has_rule(path: str) -> bool:
    from .binding import form_of

    form = form_of(path)
    return call_rule(path, form.kernel if form else None) is not None


def _portable(made: ast.Call, local, statement, uses, reading) -> bool:
    """Whether the arguments that an operator is made with mean the same where it is called."""
    held = isinstance(statement.targets[0], ast.Attribute) or any(
        isinstance(n, ast.Attribute) for t in statement.targets for n in ast.walk(t)
    )
    for argument in (*made.args, *(k.value for k in made.keywords)):
        if isinstance(argument, ast.Starred):
            return False
        for node in ast.walk(argument):
            if isinstance(node, ast.Name) and held and node.id in local and node.id != "self":
                return False
    return True


def _local_names(tree: ast.Module) -> set[str]:
    """Names that functions bind: what stands for one thing in one function and another in the next."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            names |= {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
            names |= {
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
    return names
