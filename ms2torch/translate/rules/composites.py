"""What is written around operators: functions over many tensors, and what keeps an order."""

from __future__ import annotations

import ast
import re

import libcst as cst

from ..rewriting.inferred import Ref
from ..rewriting.templates import code
from .table import instance, rule


@rule("ops.depend ops.Depend", "expr; value")
def depend(call):
    if isinstance(call.nodes.get("expr"), ast.Call) and not _comes_first(call):
        return "({expr}, {value})[1]"
    if isinstance(call.nodes.get("expr"), ast.Call):
        if not isinstance(call.nodes.get("value"), (ast.Name, ast.Constant, ast.Attribute)):
            call.refuse("what it gives is computed there")
        if code(call.args["expr"]) != "_gone_":
            call.beforehand(code(call.args["expr"]))
    return "{value}"


def _comes_first(call) -> bool:
    """Whether nothing else in its statement is computed before a call."""
    node, parents = call.node, call.rewriter.parents
    parent = parents[id(node)]
    while not isinstance(parent, ast.stmt):
        before = getattr(parent, "args", None) or getattr(parent, "elts", [])
        if isinstance(parent, ast.Call) and node in parent.args:
            before = [parent.func, *parent.args] if not isinstance(parent.func, ast.Name) else parent.args
        for one in before[: before.index(node)] if node in before else ():
            if any(isinstance(n, ast.Call) and not _is_depend(call, n) for n in ast.walk(one)):
                return False
        if not isinstance(parent, (ast.Call, ast.Tuple, ast.List)):
            return isinstance(parent, ast.Subscript)
        node, parent = parent, parents[id(parent)]
    return True


def _is_depend(call, node: ast.Call) -> bool:
    return call.rewriter.reading.inferred(node.func) == "mindspore.ops.depend"


@rule("ops.partial", "functools.partial(f, x)")
def partial(call):
    return call.updated.with_changes(func=cst.Name("partial"))


@rule("ops.Partial", "functools.partial(f, x)")
def partial_primitive(call):
    return call.updated.with_changes(func=cst.Name("partial"))


@rule("ops.make_range", "tuple(range(start, end, step))")
def make_range(call):
    numbers = call.updated.with_changes(func=cst.Name("range"))
    return cst.Call(cst.Name("tuple"), [cst.Arg(numbers)])


@rule(
    "ops.clip_by_global_norm",
    "clip_by_global_norm(gradients, norm), eight lines at the head",
    "torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm and works in place",
    "torch.nn.utils.clip_grad_norm_ 给范数加 1e-6，而且原地修改",
)
def clip_by_global_norm(call):
    if "use_norm" in call:
        call.refuse("its use_norm= has no counterpart")
    call.helper("clip_by_global_norm")
    call.args.setdefault("clip_norm", cst.parse_expression("1.0"))
    return "clip_by_global_norm({x}, {clip_norm})"


@rule(
    "ops.clip_by_norm",
    "clip_by_total_norm(x, norm), at the head",
    "torch.nn.utils.clip_grad_norm_ is the same, in place",
    "torch.nn.utils.clip_grad_norm_ 相同，但原地修改",
)
def clip_by_norm(call):
    if "norm_type" in call or "error_if_nonfinite" in call:
        call.refuse("another norm than 2 has no counterpart")
    call.helper("clip_by_total_norm")
    return "clip_by_total_norm({x}, {max_norm})"


@rule("amp.all_finite", "torch.stack([x.isfinite().all() for x in gradients]).all()")
def all_finite(call):
    return "torch.stack([x.isfinite().all() for x in {inputs}]).all()"


@rule("ops.HyperMap ops.Map", "[f(g) for g in gradients]")
def make_hyper_map(call):
    if call.updated.args:
        call.refuse("it is made with a function")
    parent = call.rewriter.parents.get(id(call.node))
    if isinstance(parent, ast.Call):
        return call.updated
    if call.target() is None:
        call.refuse("it is handed on")
    return cst.Name("_gone_")


@instance(
    "ops.HyperMap ops.Map",
    "[f(g) for g in gradients]",
    "a nested list stays as it is: one level is mapped",
    "只映射一层列表",
)
def hyper_map(call):
    args = call.updated.args
    given = call.node.args
    if not args or any(a.star or a.keyword for a in args) or len(args) < 2:
        call.refuse("what it maps is not told")
    rewriter = call.rewriter
    from .table import call_rule

    function, lists = args[0].value, args[1:]
    letters = _letters(len(lists), code(function))
    inferred = rewriter.reading.inferred(given[0])
    made = None
    if isinstance(inferred, Ref):
        from ..rewriting.binding import form_of
        from ..rewriting.templates import fill as filled

        form = form_of(inferred)
        one = call_rule(inferred, form.kernel if form else None)
        if one is not None and one.write is None:
            names = [n for n in form.order if n not in form.defaults][: len(lists)]
            made = code(filled(one.form, dict(zip(names, map(cst.Name, letters), strict=True))))
    if made is None and isinstance(function, cst.Call) and code(function.func) == "partial":
        first, *rest = [code(a).rstrip(", ") for a in function.args]
        made = f"{_called(function.args[0].value, first)}({', '.join([*rest, *letters])})"
    made = made or f"{_called(function, code(function))}({', '.join(letters)})"
    if len(lists) == 1:
        return cst.parse_expression(f"[{made} for {letters[0]} in {code(lists[0].value)}]")
    zipped = ", ".join(code(a.value) for a in lists)
    return cst.parse_expression(f"[{made} for {', '.join(letters)} in zip({zipped})]")


def _called(function: cst.BaseExpression, text: str) -> str:
    return f"({text})" if isinstance(function, cst.Lambda) else text


def _letters(count: int, function: str) -> list[str]:
    """Names for what is mapped, of which the function has none."""
    letters = {1: ["g"], 2: ["a", "b"]}.get(count, [])
    taken = re.findall(r"\w+", function)
    return letters if letters and not {*letters} & {*taken} else [f"x{i}" for i in range(count)]


@rule(
    "ops.MultitypeFuncGraph",
    "a plain function",
    "one that has several kinds of arguments stays",
    "有多种参数类型的仍保留",
)
def overloaded(call):
    from ..rewriting.classes import registrations

    target = call.target()
    if target is None or registrations(call.rewriter, target) != 1:
        call.refuse("it has several functions, by the kinds of arguments")
    return cst.Name("_gone_")
