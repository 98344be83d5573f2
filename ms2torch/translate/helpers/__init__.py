"""Functions that a translated file gets at its head for what PyTorch lacks, each as it stands here.

Their modules are plain PyTorch: each function or class is copied as text, with those that it names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from symtable import SymbolTable, symtable

_LISTED = """
layers losses gradients optimizers holding rates drawing data processes steps loops callbacks metrics
"""
_FILES = tuple(_LISTED.split())


@cache
def _all() -> dict[str, tuple[str, frozenset[str]]]:
    """Every helper's text, and the names in it."""
    found = {}
    for file in _FILES:
        text = Path(__file__).with_name(f"{file}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                own = _with_decorators(text, node)
                found[node.name] = own, frozenset(_global_names(symtable(own, file, "exec")))
    return found


def _with_decorators(text: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    first = min((d.lineno for d in node.decorator_list), default=node.lineno)
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _global_names(scope: SymbolTable) -> Iterator[str]:
    """The names of the module that a text refers to, which those of its functions' own are not."""
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or scope.get_type() == "module"):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _global_names(inner)


def named_by(names: set[str]) -> set[str]:
    """These helpers and those that they need."""
    wanted, every = set(names), _all()
    while missing := {n for name in wanted for n in every[name][1] & every.keys()} - wanted:
        wanted |= missing
    return wanted


_AS_CLASSES = re.compile(r"\bclasses\(self\.\w+, (\w+)\)")


def sources(names: set[str], takes_classes: bool = True, program: str = "") -> list[str]:
    """The texts of these helpers and of those that they need, in the order of the files; where no loss takes
    classes they hand labels on as they are. Of each there is what the ``program`` uses."""
    words, known = words_of(program), None
    while words != known:
        known, texts = words, {}
        missing = set(names)
        while missing:
            texts |= {name: fitting(_all()[name][0], words) for name in missing}
            if not takes_classes:
                texts = {name: _AS_CLASSES.sub(r"\1", text) for name, text in texts.items()}
            named = {n for name in missing for n in _named_in(texts[name])}
            missing = named & _all().keys() - texts.keys()
        words = words | {word for text in texts.values() for word in _words(text)}
    return [texts[name] for name in _all() if name in texts]


@cache
def _named_in(text: str) -> frozenset[str]:
    return frozenset(_global_names(symtable(text, "<helper>", "exec")))


# ---- what of a helper a program uses --------------------------------------------------------------------

# A line of a helper that stands there where one of these is used; ``a&b`` where both are.
_WHERE = re.compile(r"  #\? (.+)$")
_DEFINED = re.compile(r"\bdef (\w+)\(|\b(on_train_\w+) ?=")
_RUN = re.compile(r"(\w+) *= *\w+\.original_args\(\)")
# Callbacks that stay MindSpore's, and may ask for anything.
_ASKS = "SummaryCollector BackupAndRestore OnRequestExit"
_OURS = r"train\.\w+(?:\.\w+)*|\w+(?:Callback|Checkpoint|Monitor|Scheduler|Stopping|Plateau)|History"
_STAYS = re.compile(rf"to_torch\(ms2torch\.(?:{_OURS})\)")
_MOMENTS = "begin epoch_begin step_begin step_end epoch_end end"
_OF_RUNS = "state:told epoch_num mode dataset_sink_mode train_network request_stop eval_results fit"


def words_of(program: str) -> frozenset[str]:
    """The names in a program; ``def:name`` for a function's, ``state:told`` where it asks how far a training
    is, ``state:dict`` where that is asked for more than attributes."""
    words = set(_words(program))
    if "original_args" in words:
        words.add("state:told")
        if re.search(r"\bin \w+\.original_args\(\)", program):
            words.add("state:dict")
        states = {*_RUN.findall(program), r"original_args\(\)"}
        if any(re.search(rf"\b{one}(?!\.(?!get\b)\w| *=[^=]|\w|$)", program, re.M) for one in states):
            words.add("state:dict")
    if words & set(_ASKS.split()) or _STAYS.search(program):
        words |= {"state:dict", *_OF_RUNS.split(), *(f"def:on_train_{name}" for name in _MOMENTS.split())}
    return frozenset(words)


def _words(text: str) -> frozenset[str]:
    named = (f"def:{one or other}" for one, other in _DEFINED.findall(text))
    return frozenset((*re.findall(r"\w+", text), *named))


def fitting(text: str, words: frozenset[str]) -> str:
    """A helper's text with the lines that a program of these words needs."""
    lines = []
    for line in text.splitlines():
        where = _WHERE.search(line)
        if where is None:
            lines.append(line)
        elif any(words.issuperset(part.split("&")) for part in where[1].split()):
            lines.append(line[: where.start()])
    made = "\n".join(lines)
    for pattern, put in _TIDY:
        made = pattern.sub(put, made)
    return made


def _joined(found: re.Match) -> str:
    """What stands on lines of its own in brackets, on one line where it fits."""
    parts = " ".join(found[1].split()).removesuffix(",")
    return f"({parts}){found[2]}" if len(parts) < 88 else found[0].removesuffix("  # fmt: skip")


_TIDY = (
    (re.compile(r"\n{2,}(?=\n)"), "\n"),
    # What a function or class did is gone, or what was written over several lines fits on one.
    (re.compile(r"^( *)((?:def|class) .*:)$(?!\n+\1 )", re.M), r"\1\2 ..."),
    (re.compile(r"\(\n((?: +[^\n]+,\n)+) +\)(:?)  # fmt: skip$", re.M), _joined),
    (re.compile(r'"""([^"\n]+)\n +"""$', re.M), r'"""\1"""'),
)
