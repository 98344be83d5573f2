"""The last touch: what stands there only because the rules wrote it call by call."""

from __future__ import annotations

import ast
import re

import libcst as cst

from .branches import ANSWERS
from .statements import GONE
from .templates import code


def tidied(module: cst.Module, before: ast.Module) -> cst.Module:
    """A translated module as a person leaves it; ``before`` is the original."""
    read = {n.id for n in ast.walk(before) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for touch in (_Walked(), _Rest(), _Called(), _Seeded(), _Unread(read)):
        module = module.visit(touch)
    return _spaced(module, before)


_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _spaced(module: cst.Module, before: ast.Module) -> cst.Module:
    """What stands below a function or class, where the line between went: as far below as all do."""
    gaps = [
        min([below.lineno, *(d.lineno for d in getattr(below, "decorator_list", ()))]) - above.end_lineno - 1
        for above, below in zip(before.body, before.body[1:], strict=False)
        if isinstance(above, _DEFINED)
    ]
    wanted, body = min(gaps, default=0), list(module.body)
    for i, statement in enumerate(body[1:], 1):
        lines = getattr(statement, "leading_lines", ())
        missing = min(wanted, 2) - sum(line.comment is None for line in lines)
        if isinstance(body[i - 1], (cst.FunctionDef, cst.ClassDef)) and missing > 0:
            body[i] = statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * missing, *lines])
    return module.with_changes(body=body)


_TAKES_ANY = """
filter zip map enumerate sum any all sorted list tuple set AdaMax AdamWeightDecay FTRL Lamb RMSProp
"""
_GOES_OVER = frozenset(_TAKES_ANY.split())
_WALKS = re.compile(r"list\(([\w.\[\]]+\.(?:parameters|named_parameters|named_modules|children)\(\))\)")


def quoted_apart(text: cst.FormattedString) -> cst.FormattedString:
    """An f-string whose expressions have texts of their own, in other quotes than its own: before Python 3.12
    it would end at theirs."""
    if len(text.end) > 1:
        return text
    parts = [
        part.with_changes(expression=part.expression.visit(_Quoted(text.end)))
        if isinstance(part, cst.FormattedStringExpression) else part
        for part in text.parts
    ]  # fmt: skip
    return text.with_changes(parts=parts)


class _Quoted(cst.CSTTransformer):
    def __init__(self, taken: str) -> None:
        super().__init__()
        self.taken, self.free = taken, "'" if taken == '"' else '"'

    def leave_SimpleString(self, original_node, updated_node):
        if updated_node.quote != self.taken or self.free in updated_node.value or "\\" in updated_node.value:
            return updated_node
        return updated_node.with_changes(value=updated_node.value.replace(self.taken, self.free))


class _Walked(cst.CSTTransformer):
    """``net.parameters()`` where it is only gone over, for ``list(net.parameters())``."""

    def leave_For(self, original_node, updated_node):
        text = code(updated_node.body)
        if any(word in text for word in ("setattr", "add_module", "register_", "del ")):
            return updated_node
        return updated_node.with_changes(iter=self._walk(updated_node.iter))

    def leave_CompFor(self, original_node, updated_node):
        return updated_node.with_changes(iter=self._walk(updated_node.iter))

    def leave_Call(self, original_node, updated_node):
        name = code(updated_node.func)
        if name == "list" and [type(a.value) for a in updated_node.args] == [cst.ListComp]:
            return updated_node.args[0].value
        if not (name.startswith("torch.optim.") or name in _GOES_OVER):
            return updated_node
        args = [a.with_changes(value=self._walk(a.value)) for a in updated_node.args]
        return updated_node.with_changes(args=args)

    def leave_Subscript(self, original_node, updated_node):
        """``next(net.parameters())`` for the first of them."""
        walked = self._walk(updated_node.value)
        if walked is updated_node.value or code(updated_node)[len(code(updated_node.value)) :] != "[0]":
            return updated_node
        return cst.Call(cst.Name("next"), [cst.Arg(walked)])

    def _walk(self, node: cst.BaseExpression) -> cst.BaseExpression:
        found = _WALKS.fullmatch(code(node)) if isinstance(node, cst.Call) else None
        return node.args[0].value if found else node


class _Rest(cst.CSTTransformer):
    """What went and stands in the midst of an expression is None: nothing asks for its value.

    Answers that nothing went by are bools.
    """

    def leave_Name(self, original_node, updated_node):
        if updated_node.value in ANSWERS:
            return updated_node.with_changes(value=str(ANSWERS[updated_node.value]))
        return updated_node.with_changes(value="None") if updated_node.value == GONE else updated_node


class _Called(cst.CSTTransformer):
    """``f(x)`` for ``(lambda y: f(y))(x)``, where a rule's function is called at once."""

    def leave_Call(self, original_node, updated_node):
        made = updated_node.func
        if not isinstance(made, cst.Lambda) or len(made.params.params) != len(updated_node.args):
            return updated_node
        names = [p.name.value for p in made.params.params if p.default is None]
        values = [a.value for a in updated_node.args if not a.star and a.keyword is None]
        plain = all(isinstance(v, (cst.Name, cst.Attribute)) for v in values)
        inner = any(word in code(made.body) for word in ("lambda", " for "))
        if inner or not (len(names) == len(values) == len(updated_node.args) and plain):
            return updated_node
        return made.body.visit(_Named(dict(zip(names, values, strict=True))))


class _Named(cst.CSTTransformer):
    """An expression with other expressions where these names stand."""

    def __init__(self, values: dict[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.values = values

    def leave_Name(self, original_node, updated_node):
        return self.values.get(updated_node.value, updated_node)

    def leave_Arg(self, original_node, updated_node):
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Attribute(self, original_node, updated_node):
        return updated_node.with_changes(attr=original_node.attr)


_SEEDS = re.compile(r"(?:\w+\.)*(?:seed|set_seed|manual_seed)\([\w.]*\)")


class _Seeded(cst.CSTTransformer):
    """A generator is seeded once where set_seed, which seeds numpy's too, stands beside numpy's own seed."""

    def leave_IndentedBlock(self, original_node, updated_node):
        return updated_node.with_changes(body=_seeded_once(updated_node.body))

    def leave_Module(self, original_node, updated_node):
        return updated_node.with_changes(body=_seeded_once(updated_node.body))


def _seeded_once(body) -> list[cst.BaseStatement]:
    """Statements without a seed that another gives again with nothing but seeds between."""
    made, below = [], set()
    for statement in reversed(body):
        parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
        text = code(parts[0]) if len(parts) == 1 else ""
        if not _SEEDS.fullmatch(text):
            below = set()
        elif text in below and not any(line.comment for line in statement.leading_lines):
            continue
        else:
            below.add(text)
        made.append(statement)
    return made[::-1]


# What can go with the name that it is given, because working it out does nothing else.
_IDLE = re.compile(r"[\w.]+|[\w.]+ if [\w.]+(\(\))? else [\w.]+")
_ASKS = re.compile(r"torch\.distributed\.(get_world_size|get_rank|is_initialized)\(\)")
_INNER = re.compile(r"\([\w.]+ if [\w.]+ else [\w.]+\)")


class _Unread(cst.CSTTransformer):
    """Takes away what a function names and reads no more, where the original read it."""

    def __init__(self, read: set[str]) -> None:
        super().__init__()
        self.read, self.scopes = read, []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        tree = ast.parse(code(node.with_changes(leading_lines=[], decorators=[])))
        names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
        loaded = {n.id for n in names if not isinstance(n.ctx, ast.Store)}
        shared = {x for n in ast.walk(tree) if isinstance(n, (ast.Global, ast.Nonlocal)) for x in n.names}
        asks = loaded & {"locals", "vars", "eval", "exec", "dir"}
        self.scopes.append(set() if asks else {n.id for n in names} & self.read - loaded - shared)

    def leave_FunctionDef(self, original_node, updated_node):
        self.scopes.pop()
        return updated_node

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.scopes.append(set())  # what a class names are its attributes

    def leave_ClassDef(self, original_node, updated_node):
        self.scopes.pop()
        return updated_node

    def leave_SimpleStatementLine(self, original_node, updated_node):
        unread = self.scopes[-1] if self.scopes else set()
        statement = updated_node.body[0] if len(updated_node.body) == 1 else None
        if not unread or not isinstance(statement, cst.Assign) or len(statement.targets) > 1:
            return updated_node
        target = code(statement.targets[0].target)
        said = updated_node.trailing_whitespace.comment or any(e.comment for e in updated_node.leading_lines)
        idle = _IDLE.fullmatch(_INNER.sub("torch", _ASKS.sub("torch", code(statement.value))))
        return cst.RemoveFromParent() if target in unread and idle and not said else updated_node

    def leave_IndentedBlock(self, original_node, updated_node):
        return updated_node if updated_node.body else updated_node.with_changes(body=original_node.body)
