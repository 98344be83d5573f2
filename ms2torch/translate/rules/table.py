"""The table itself: rules by MindSpore name, and by the definition behind it, whichever form names it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ms2torch.scan.answers import statements_of

from . import alike


class Rule(NamedTuple):
    """A MindSpore name's PyTorch form, in what they differ (English, Chinese), and the evidence.

    ``form`` is a template (see ``rewriting.templates``); where it depends on the arguments ``write`` makes it, and
    ``form`` is what is shown.
    """

    name: str
    form: str
    en: str = ""
    zh: str = ""
    evidence: str = ""
    write: Callable | None = None


# By kind of site: a call of a function, of a class, of an instance of a class; a method; a name that is not called; a
# class that is descended from.
CALLS: dict[str, Rule] = {}
INSTANCES: dict[str, Rule] = {}
VALUES: dict[str, Rule] = {}
_KERNELS: dict[object, Rule] = {}


def full_name(name: str) -> str:
    """``ops.concat`` as MindSpore's dotted name."""
    return name if name.startswith("mindspore.") else f"mindspore.{name}"


def table(prefix: str, text: str, evidence: str = "") -> None:
    """Rules in words, one a line: names, a template, and what differs in English and Chinese if anything."""
    for line in text.strip().splitlines():
        names, form, *words = (part.strip() for part in line.split(" | "))
        en, zh = (*words, "", "")[:2]
        for name in names.split():
            add(Rule(full_name(f"{prefix}.{name}"), form, en, zh, evidence))


def add(rule: Rule, where: dict[str, Rule] | None = None) -> None:
    where = CALLS if where is None else where
    if rule.name in where:
        raise ValueError(f"{rule.name} has two rules")
    where[rule.name] = rule


# What several rules say of a difference, in both languages.
GRADIENTS_OF_CASTS = (
    "a gradient passes through a cast to integers in MindSpore, and ends there in PyTorch",
    "MindSpore 的梯度会穿过转成整数的 cast，PyTorch 的梯度到此为止",
)


def rule(names: str, form: str = "", en: str = "", zh: str = "", where: dict[str, Rule] | None = None):
    """A rule that a function writes: it gets the call and gives a template or an expression.

    ``<name>`` in the form is the last part of each of the names.
    """

    def decorate(function):
        for name in names.split():
            shown = form.replace("<name>", name.rpartition(".")[2]) or "depends on the arguments"
            add(Rule(full_name(name), shown, en, zh, "", function), where)
        return function

    return decorate


def instance(names: str, form: str = "", en: str = "", zh: str = ""):
    """A rule for calls of instances of a class."""
    return rule(names, form, en, zh, INSTANCES)


@cache
def _by_kernel() -> dict[object, Rule]:
    from ..rewriting.binding import form_of

    found: dict[object, Rule] = {}
    for name, one in CALLS.items():
        form = form_of(name)
        if form is not None and form.kernel is not None:
            found.setdefault(form.kernel, one)
    return found


def call_rule(name: str, kernel=None) -> Rule | None:
    """The rule for a call of a function or a method: its own, its definition's, or what its definition says."""
    if name in CALLS:
        return CALLS[name]
    found = _by_kernel().get(kernel) if kernel is not None else None
    return found or _alike_rule(name) or (derived_rule(name, kernel) if kernel is not None else None)


@cache
def _alike_rule(name: str) -> Rule | None:
    """The rule of a name that PyTorch has alike."""
    target = alike.counterpart(name)
    if target is None:
        return None
    return Rule(name, f"{target}(...)", evidence="the name and the arguments are PyTorch's", write=alike.written)


_TOLD = (
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Tuple,
    ast.keyword,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
)


@cache
def derived_rule(name: str, kernel) -> Rule | None:
    """The rule of an operator whose definition is one expression over torch."""
    try:
        (statement,) = statements_of(kernel)
    except ValueError:
        return None
    value = getattr(statement, "value", None)
    if not isinstance(statement, ast.Return) or value is None:
        return None
    arguments = inspect.signature(kernel).parameters
    nodes = list(ast.walk(value))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    private = any(isinstance(n, ast.Attribute) and n.attr == "torch" for n in nodes)
    if private or not names <= {*arguments, "torch", "F"} or not all(isinstance(n, _TOLD) for n in nodes):
        return None
    return Rule(
        name,
        ast.unparse(_Places(arguments).visit(ast.parse(ast.unparse(value), mode="eval").body)),
        evidence="its definition is this expression",
    )


class _Places(ast.NodeTransformer):
    """Puts places where an argument's name stands; one that has a default and stands alone may be absent."""

    def __init__(self, arguments) -> None:
        self.arguments = arguments

    def visit_Call(self, node: ast.Call):
        signature = list(self.arguments)
        for i, argument in enumerate(node.args):
            name = getattr(argument, "id", "")
            if i and name in self.arguments and self._optional(name) and _named(node, name):
                node.keywords[:0] = [
                    ast.keyword(name, argument)
                    for argument in node.args[i:]
                    for name in [getattr(argument, "id", "")]
                ]
                node.args = node.args[:i]
                break
        node.func = self.visit(node.func)
        node.args = [self.visit(a) for a in node.args]
        for keyword in node.keywords:
            name = getattr(keyword.value, "id", "")
            if name in signature and self._optional(name):
                keyword.value = ast.Name(f"{{{name}?}}")
            else:
                keyword.value = self.visit(keyword.value)
        return node

    def visit_Name(self, node: ast.Name):
        return ast.Name(f"{{{node.id}}}") if node.id in self.arguments else node

    def _optional(self, name: str) -> bool:
        return self.arguments[name].default is not inspect.Parameter.empty


def _named(node: ast.Call, name: str) -> bool:
    """Whether torch's function takes every argument from this one on by the name that the definition has."""
    import torch

    try:
        target = eval(ast.unparse(node.func), {"torch": torch, "F": torch.nn.functional})
        takes = inspect.signature(target).parameters
    except (ValueError, TypeError, AttributeError, NameError):
        return False
    names = [getattr(a, "id", "") for a in node.args]
    return all(n in takes for n in names[names.index(name) :])
