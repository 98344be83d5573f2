"""``ms2torch explain``: a MindSpore name's PyTorch form, in what the two differ, how that is known."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import re
import sys
from pathlib import Path

from ms2torch.cli import Parser

from . import places
from .translation import NEEDS_LIBCST

# Where a bare name is looked for.
_MODULES = ("mindspore.nn", "mindspore.ops", "mindspore.mint", "mindspore.numpy", "mindspore.Tensor")
_USAGE = "ms2torch explain (NAME | FILE:LINE) [--zh]"


def parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch explain``."""
    p = Parser(
        "ms2torch explain",
        usage=_USAGE,
        description="What a MindSpore name is in PyTorch: its form, what differs, the evidence. A file and a "
        "line name all that stands there.",
        epilog="exit code: 0 explained, 1 there is no rule, 2 bad input",
    )
    p.add_argument("what", metavar="NAME", help="mindspore.nn.BatchNorm2d, nn.BatchNorm2d, or train.py:12")
    p.add_argument("--zh", action="store_true", help="the differences in Chinese")
    return p


def main(argv: list[str]) -> int:
    """``ms2torch explain``; the exit code."""
    asked = parser().parse_args(argv)
    zh = asked.zh or os.environ.get("LANG", "").startswith("zh")
    try:
        import libcst  # noqa: F401
    except ModuleNotFoundError:
        return _wrong(NEEDS_LIBCST)
    if not asked.what.strip():
        return _wrong(f"no name is given; {_USAGE}")
    path, _, line = asked.what.rpartition(":")
    if not path:
        if asked.what.endswith((".py", ".ipynb")) or os.path.isfile(asked.what):
            return _wrong(f"a file needs a line: {asked.what}:12; {_USAGE}")
        return _explain(asked.what, zh)
    if not line.isdecimal():
        return _wrong(f"{line!r} is no line; {_USAGE}")
    try:
        source = places.source_of(Path(path)).text
    except places.BadInput as error:
        return _wrong(str(error))
    count = len(source.splitlines())
    if not 0 < int(line) <= count:
        return _wrong(f"{path} has {count} lines")
    names = names_at(source, int(line))
    if not names:
        print(f"{asked.what}: no name of MindSpore stands there")
        return 1
    return max([_explain(name, zh) for name in names])


def _wrong(text: str) -> int:
    print(f"ms2torch explain: {text}", file=sys.stderr)
    return 2


def names_at(source: str, line: int) -> list[str]:
    """The MindSpore names on a line, as `translate_source` knows them; else those of the statement that it is
    a part of."""
    from . import translate_source

    sites = translate_source(source).sites
    names = [site.name for site in sites if site.line == line]
    if not names:
        around = [
            node for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.stmt) and not hasattr(node, "body")
            and node.lineno <= line <= node.end_lineno
        ]  # fmt: skip
        names = [s.name for node in around for s in sites if node.lineno <= s.line <= node.end_lineno]
    return list(dict.fromkeys(names))


def _explain(name: str, zh: bool) -> int:
    from ms2torch.scan.answers import look_up

    from .rules import rule_of
    from .rules.table import full_name

    name = re.sub(r"^ms\.", "mindspore.", name)
    rule = rule_of(name)
    path = full_name(name)
    if rule is None and _is_module(name):
        print(f"{name} is a module: ms2torch explain {name}.NAME")
        return 1
    if rule is None:
        answer = look_up(path)
        reason = answer.text or ("its calls stay ms2torch's" if answer.name == path else "no such name")
        meant = [] if "." in name else [n for n in (f"{m}.{name}" for m in _MODULES) if rule_of(n)]
        hint = f" Which is meant: {', '.join(meant)}?" if meant else ""
        print(f"{path}: there is no rule; {reason}{hint}")
        return 1
    print("\n".join(describe_rule(path, rule, zh)))
    return 0


def _is_module(name: str) -> bool:
    if name != "mindspore" and not name.startswith("mindspore."):
        return False
    try:
        return importlib.util.find_spec(f"ms2torch{name.removeprefix('mindspore')}") is not None
    except (ImportError, ValueError):
        return False


def describe_rule(path: str, rule, zh: bool) -> list[str]:
    """A rule in lines."""
    words = ("PyTorch", "不同之处", "依据") if zh else ("PyTorch", "differs", "evidence")
    differs = (rule.zh if zh else rule.en) or ("无" if zh else "in nothing that is known")
    lines = [path, f"  {words[0]}: {readable(rule.form)}", f"  {words[1]}: {differs}"]
    if rule.name != path:
        lines.insert(1, f"  = {rule.name}")
    return [*lines, *(f"  {words[2]}: {text}" for text in evidence(path, rule, zh))]


def evidence(path: str, rule, zh: bool) -> list[str]:
    """How a rule is known: its definition, or calls of either side that anyone can run."""
    from ms2torch.migrate import facts

    found = [rule.evidence] if rule.evidence else []
    call = re.compile(rf"\bnn\.{re.escape(path.rpartition('.')[2])}\(")
    gives = "得到" if zh else "gives"
    for fact in facts():
        if path.startswith("mindspore.nn.") and call.search(fact.mindspore):
            found.append(f"{fact.mindspore} {gives} {fact.mindspore_gives}; "
                         f"PyTorch {fact.torch} {gives} {fact.torch_gives}")
    return found


def readable(form: str) -> str:
    """A template as a person writes it: ``torch.cat(tensors, dim=axis)``."""
    for mark in ("?}", "*}", "}"):
        form = form.replace(mark, "")
    return form.replace("{", "")
