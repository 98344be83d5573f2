"""``python -m ms2torch --check train.py``: what will not work, before anything runs.

Reads the script and the modules that it imports from its own folder, follows the names that stand for
MindSpore (``import mindspore as ms``, ``from mindspore import nn``, ``P = ops.operations``), and asks
ms2torch itself about each: is it there, does it take that argument. Methods of objects are out of sight.
Nothing of the program is executed.
"""

from __future__ import annotations

import ast
import csv
import difflib
import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

FAILS, API, DIFFERS = "fails", "api", "differs"


class Finding(NamedTuple):
    """One thing to know: where, how bad (fails, api, differs), about which name, and what."""

    path: str
    line: int
    kind: str
    name: str
    text: str


@cache
def _attention() -> dict[str, list[dict[str, str]]]:
    """Facts about supported names that a user should know, by name."""
    found: dict[str, list[dict[str, str]]] = {}
    with open(Path(__file__).parent / "data" / "attention.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found.setdefault(row["name"], []).append(row)
    from ms2torch._naming.generations import CHANGES

    for name, change in CHANGES.items():
        if change.when:
            release = "{}.{}".format(*change.release)
            text = f"before {release}: {change.before}; since {release}: {change.since}. --api settles it."
            found.setdefault(name, []).append({"name": name, "when": change.when, "kind": API, "text": text})
    return found


class _Scan(ast.NodeVisitor):
    """Follows names through one file: every use of a MindSpore name, and every call of one."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, str | None]] = [{}]
        self.stars: list[str] = []
        self.guarded = 0
        self.imports: list[tuple[str, int, bool]] = []  # (dotted name, line, guarded by try/except)
        self.uses: list[tuple[str, int, bool]] = []
        self.calls: list[tuple[str, ast.Call]] = []
        self.locals: list[tuple[str, int]] = []  # modules that may lie in the program's folder: (name, level)

    def bind(self, name: str, path: str | None) -> None:
        self.scopes[-1][name] = path

    def path_of(self, node: ast.AST) -> str | None:
        """The dotted MindSpore name that an expression stands for, or None."""
        if isinstance(node, ast.Attribute):
            base = self.path_of(node.value)
            return base and f"{base}.{node.attr}"
        if not isinstance(node, ast.Name):
            return None
        for scope in reversed(self.scopes):
            if node.id in scope:
                return scope[node.id]
        from ms2torch._naming import surface

        return next((f"{m}.{node.id}" for m in self.stars if node.id in surface.names(m)), None)

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            if item.name.partition(".")[0] != "mindspore":
                self.locals.append((item.name, 0))
                self.bind(item.asname or item.name.partition(".")[0], None)
                continue
            self.imports.append((item.name, node.lineno, self.guarded > 0))
            self.bind(item.asname or "mindspore", item.name if item.asname else "mindspore")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or module.partition(".")[0] != "mindspore":
            self.locals.append((module, node.level))
            for item in node.names:
                self.locals.append((f"{module}.{item.name}".strip("."), node.level))
                self.bind(item.asname or item.name, None)
            return
        self.imports.append((module, node.lineno, self.guarded > 0))
        for item in node.names:
            if item.name == "*":
                self.stars.append(module)
            else:
                self.imports.append((f"{module}.{item.name}", node.lineno, self.guarded > 0))
                self.bind(item.asname or item.name, f"{module}.{item.name}")

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        path = self.path_of(node.value)
        for target in node.targets:
            for name in (n for n in ast.walk(target) if isinstance(n, ast.Name)):
                if isinstance(name.ctx, ast.Store):
                    self.bind(name.id, path if name is target else None)
            if not isinstance(target, ast.Name):
                self.visit(target)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        for name in (n for n in ast.walk(node.target) if isinstance(n, ast.Name)):
            self.bind(name.id, None)
        for child in (*node.body, *node.orelse):
            self.visit(child)

    def visit_Try(self, node: ast.Try) -> None:
        caught = {n.id for h in node.handlers if h.type for n in ast.walk(h.type) if isinstance(n, ast.Name)}
        guards = any(h.type is None for h in node.handlers) or caught & {
            "ImportError",
            "ModuleNotFoundError",
            "AttributeError",
            "NotImplementedError",
            "Exception",
        }
        self.guarded += bool(guards)
        for child in node.body:
            self.visit(child)
        self.guarded -= bool(guards)
        for child in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(child)

    def _inner(self, node, arguments: ast.arguments | None) -> None:
        """Visit a function, lambda or class in a scope of its own."""
        for outer in (*getattr(node, "decorator_list", ()), *getattr(node, "bases", ())):
            self.visit(outer)
        scope: dict[str, str | None] = {}
        if arguments is not None:
            for default in (*arguments.defaults, *(d for d in arguments.kw_defaults if d)):
                self.visit(default)
            every = (
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                arguments.vararg,
                arguments.kwarg,
            )
            scope = {a.arg: None for a in every if a is not None}
        self.scopes.append(scope)
        for child in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(child)
        self.scopes.pop()

    def visit_FunctionDef(self, node) -> None:
        self.bind(node.name, None)
        self._inner(node, node.args)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner(node, node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name, None)
        self._inner(node, None)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self.path_of(node)
        if path is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self.uses.append((path, node.lineno, self.guarded > 0))

    def visit_Name(self, node: ast.Name) -> None:
        path = self.path_of(node)
        if path is not None and isinstance(node.ctx, ast.Load):
            self.uses.append((path, node.lineno, self.guarded > 0))

    def visit_Call(self, node: ast.Call) -> None:
        path = self.path_of(node.func)
        if path is not None:
            self.calls.append((path, node))
        self.generic_visit(node)


@cache
def _ask(path: str):
    """What ms2torch answers for a dotted MindSpore name: the object, and the name up to it."""
    from ms2torch._naming import surface

    parts = path.split(".")
    found: object = importlib.import_module("ms2torch")
    for i, part in enumerate(parts[1:], 2):
        name = ".".join(parts[:i])
        if isinstance(found, surface.Missing):
            break
        if not isinstance(found, ModuleType) or part.startswith("__"):
            return found, ".".join(parts[: i - 1])  # attributes of classes and objects are out of sight
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(surface.our_name(name))
            except ImportError:
                near = difflib.get_close_matches(part, surface.names(".".join(parts[: i - 1])), 1)
                return _Never(
                    f"MindSpore has no such name.{f' Did you mean {near[0]}?' if near else ''}"
                ), name
    return found, path


class _Never(str):
    """The answer for a name that no release of MindSpore had."""


def _name_findings(path: str, file: str, line: int) -> Iterator[Finding]:
    from ms2torch._naming import surface

    found, name = _ask(path)
    if isinstance(found, _Never):
        yield Finding(file, line, FAILS, name, str(found))
    elif isinstance(found, surface.Missing):
        kind, reason, instead = surface.status(found._full)
        text = f"{kind}: {reason.removeprefix(f'{kind}, ')} Instead: {instead}"
        yield Finding(file, line, FAILS, name, text)


def _parameters(function) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _takes(name: str, function, call: ast.Call) -> Iterator[str]:
    """Arguments of a call that the function does not take."""
    parameters = _parameters(function)
    if parameters is None:
        return
    kinds = {p.kind for p in parameters}
    named = [p.name for p in parameters if p.kind not in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if name.endswith(".set_context"):
        from ms2torch import context

        named = [*context._SETTINGS, *context._ACCEPTED, *context._REMOVED]
    elif inspect.Parameter.VAR_KEYWORD in kinds:
        named = [k.arg for k in call.keywords if k.arg]
    for keyword in call.keywords:
        if keyword.arg and keyword.arg not in named:
            near = difflib.get_close_matches(keyword.arg, named, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            yield f"does not take the argument {keyword.arg!r}.{hint}"
    most = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    if inspect.Parameter.VAR_POSITIONAL not in kinds and not starred and len(call.args) > most:
        yield f"takes at most {most} positional arguments, but {len(call.args)} are given."


def _applies(when: str, call: ast.Call) -> bool:
    """Whether a fact concerns this call: ``keyword`` or nth positional ``(n)`` given, ``-keyword`` not."""
    given = {k.arg: k.value for k in call.keywords if k.arg}
    for condition in when.split(","):
        keyword, equals, value = condition.partition("=")
        if condition.startswith("("):
            hit = len(call.args) >= int(condition.strip("()"))
        elif condition.startswith("-"):
            hit = condition[1:] not in given
        elif equals:
            hit = isinstance(given.get(keyword), ast.Constant) and str(given[keyword].value) == value
        else:
            hit = not condition or keyword in given
        if hit:
            return True
    return False


def _call_findings(path: str, call: ast.Call, file: str, api: str | None) -> Iterator[Finding]:
    from ms2torch._naming import surface

    found, name = _ask(path)
    if name != path or isinstance(found, (surface.Missing, _Never, ModuleType)):
        return
    known = getattr(found, "__name__", path.rpartition(".")[2])
    for text in _takes(path, found, call):
        yield Finding(file, call.lineno, FAILS, name, text)
    for fact_name, facts in _attention().items():
        if fact_name.rpartition(".")[2] != known or _ask(fact_name)[0] is not found:
            continue
        for fact in facts:
            if not (fact["kind"] == API and api) and _applies(fact["when"], call):
                yield Finding(file, call.lineno, fact["kind"], name, fact["text"])


def _local_file(root: Path, file: Path, name: str, level: int) -> list[Path]:
    """The files of the program's folder that an import of ``name`` runs, itself and its packages'."""
    base = root
    if level:
        base = file.parent
        for _ in range(level - 1):
            base = base.parent
    found = []
    for part in name.split(".") if name else []:
        base = base / part
        if (base / "__init__.py").is_file():
            found.append(base / "__init__.py")
        elif base.with_suffix(".py").is_file():
            found.append(base.with_suffix(".py"))
    return found


def scan(script: str, api: str | None = None) -> tuple[list[Finding], int, int]:
    """All findings in a script and its local modules; how many MindSpore names and files were looked at."""
    root, todo = Path(script).resolve().parent, [Path(script).resolve()]
    seen: set[Path] = set()
    findings: dict[tuple, Finding] = {}
    names: set[str] = set()
    while todo:
        path = todo.pop(0)
        if path in seen:
            continue
        seen.add(path)
        shown = os.path.relpath(path)
        try:
            tree = ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError) as err:
            line = getattr(err, "lineno", 1) or 1
            findings[shown, line] = Finding(shown, line, FAILS, "SyntaxError", getattr(err, "msg", str(err)))
            continue
        walk = _Scan()
        walk.visit(tree)
        names.update(name for name, *_ in walk.uses)
        found: list[Finding] = []
        for name, line, guarded in walk.imports:
            if not guarded and isinstance(_ask(name)[0], _Never):
                found.extend(_name_findings(name, shown, line))
        for name, line, guarded in walk.uses:
            if not guarded:
                found.extend(_name_findings(name, shown, line))
        for name, call in walk.calls:
            found.extend(_call_findings(name, call, shown, api))
        for finding in found:
            # A failure is shown at every line; what is only to know, once for a file.
            key = (finding.path, finding.name, finding.text, finding.line if finding.kind == FAILS else 0)
            findings.setdefault(key, finding)
        for name, level in walk.locals:
            todo.extend(_local_file(root, path, name, level))
    return sorted(findings.values()), len(names), len(seen)


def _show(findings: list[Finding]) -> None:
    if not sys.stdout.isatty():
        for f in findings:
            print(f"{f.path}:{f.line}: {f.kind}: {f.name}: {f.text}")
        return
    from rich.console import Console
    from rich.table import Column, Table

    table = Table("where", "", Column("name", overflow="fold"), "what")
    colours = {FAILS: "red", API: "yellow", DIFFERS: "cyan"}
    for f in findings:
        table.add_row(f"{f.path}:{f.line}", f"[{colours[f.kind]}]{f.kind}[/]", f.name, f.text)
    Console().print(table)


def main(arguments: list[str], api: str | None = None) -> int:
    """Print the findings for the scripts; 1 if something would fail, 2 if a script is not there, else 0."""
    if not arguments:
        print("ms2torch: --check needs a script", file=sys.stderr)
        return 2
    script = arguments[0]  # the rest are the program's own arguments
    if not os.path.isfile(script):
        print(f"ms2torch: can't open file {os.path.abspath(script)!r}: no such file", file=sys.stderr)
        return 2
    if api:
        from ms2torch._naming import generation

        generation.set_api(api)
    findings, names, files = scan(script, api)
    _show(findings)
    fails = sum(f.kind == FAILS for f in findings)
    notes = len(findings) - fails
    print(f"{script}: {names} MindSpore names in {files} files; {fails} would fail, {notes} to know about.")
    return 1 if fails else 0
