"""Cases: written once, run on ms2torch and on the real MindSpore, compared. How to write one: README.md.

This file is imported by both interpreters: it needs numpy, and pytest only where pytest runs it.
"""
from __future__ import annotations

import ast
import contextlib
import enum
import hashlib
import inspect
import io
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.reference.encoding import differences, encode, plain

CASES: dict[str, list[Case]] = {}      # by module, in the order of the file


@dataclass(frozen=True)
class Case:
    """One function with one set of arguments in one mode."""

    function: Callable
    arguments: dict[str, Any]
    name: str                           # test_sum[Float32-0]
    mode: str                           # ms2torch runs in this mode,
    judge: str                          # the real MindSpore in this one
    raises: bool | str = False
    rtol: float | None = None
    atol: float | None = None
    xfail: str | None = None
    digest: str = field(default="", compare=False)

    def __repr__(self):
        return self.name


def case(function=None, *, each=None, raises=False, mode="PYNATIVE", judge=None, rtol=None, atol=None,
         reason=None, xfail=None):
    """Decorator: make a function a case, or one per combination in `each`. README.md has the arguments."""
    if function is None:
        return lambda f: case(f, each=each, raises=raises, mode=mode, judge=judge, rtol=rtol, atol=atol,
                              reason=reason, xfail=xfail)
    if (rtol is not None or atol is not None or judge is not None) and not reason:
        raise TypeError(f"{function.__name__}: a wider tolerance or another mode's judgement needs a reason")
    cases = []
    for arguments in _combinations(each):
        for run_in in ("PYNATIVE", "GRAPH") if mode == "BOTH" else (mode,):
            labels = [_label(v) for v in arguments.values()] + ([run_in] if mode == "BOTH" else [])
            name = function.__name__ + (f"[{'-'.join(labels)}]" if labels else "")
            digest = _digest(function, arguments, judge or run_in)
            cases.append(Case(function, arguments, name, run_in, judge or run_in, raises,
                              rtol, atol, xfail, digest))
    if len({one.name for one in cases}) < len(cases):
        raise TypeError(f"{function.__name__}: two of its cases have one name, and would share one record")
    CASES.setdefault(function.__module__, []).extend(cases)
    return _as_test(function, cases)


def data(shape, dtype="float32", seed=0):
    """A numpy array, the same in every process: normals, integers in [-9, 9] ([0, 9] unsigned), or bools."""
    random, dtype = np.random.RandomState(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(random.rand(*shape) < 0.5)
    if dtype.kind in "iu":
        return random.randint(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    values = random.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def printed(function, *args, **kwargs) -> str:
    """What a call writes to stdout."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*args, **kwargs)
    return out.getvalue()


def outcome(one: Case, mode: str) -> dict:
    """Run a case in `mode`: {"value": encoded result}. An exception passes through."""
    import mindspore as ms

    ms.set_context(mode=getattr(ms, f"{mode}_MODE"))
    np.random.seed(0)
    return {"value": encode(one.function(**one.arguments))}


def failure(error: BaseException) -> dict:
    """An exception as an outcome: its type's name and its text, less what differs from run to run."""
    text = re.split(r"\n+-{20,}\n", str(error))[0]            # what follows are C++ and graph stacks
    text = re.sub(r"(?<!\S)/\S*/([\w.]+\.py)\b", r"\1", text)               # folders are one machine's
    text = re.sub(r"In file \S*?([\w.]+):\d+", r"In file \1:", text)       # a line moves with every edit
    return {"error": [type(error).__name__, " ".join(plain(text).split())]}


def check(one: Case, theirs: dict) -> None:
    """Run a case on ms2torch and compare it with the real one's outcome."""
    try:
        ours = outcome(one, one.mode)
    except Exception as error:
        if not one.raises or "error" not in theirs:
            raise
        ours = failure(error)
    found = _error_differences(one, theirs, ours) if one.raises else differences(
        theirs["value"], ours["value"], one.rtol, one.atol)
    if found:
        import pytest

        pytest.fail(f"{one.name} differs from MindSpore:\n" + "\n".join(found), pytrace=False)


def as_declared(one: Case, theirs: dict) -> str | None:
    """Why a real outcome cannot stand as a record, or None: it raised without saying so, or did not raise."""
    if "error" in theirs and not one.raises:
        return f"raises {theirs['error'][0]}: {theirs['error'][1][:300]}"
    if "error" in theirs and theirs["error"][1].startswith("Parse Lambda Function Fail"):
        return "lets the real MindSpore parse a lambda: write it with def"
    if str(Path(__file__).parents[2]) in repr(theirs):
        return "names a folder of this machine"
    if "value" in theirs and one.raises:
        return "says raises=, but the real MindSpore returns a value"
    if isinstance(one.raises, str) and one.raises not in theirs["error"][1]:
        return f"the real text does not hold {one.raises!r}: {theirs['error'][1][:300]}"
    return None


def _error_differences(one, theirs, ours):
    if "error" not in ours:
        return ["  MindSpore raises {}: {}".format(*theirs["error"]), "  ms2torch returns a value"]
    (their_type, their_text), (our_type, our_text) = theirs["error"], ours["error"]
    same_text = one.raises in our_text if isinstance(one.raises, str) else our_text == their_text
    if their_type == our_type and same_text:
        return []
    return [f"  MindSpore {their_type}: {their_text}", f"  ms2torch  {our_type}: {our_text}"]


def _as_test(function, cases):
    try:
        import pytest
    except ImportError:                 # the reference environment has no pytest and needs none
        return function
    marks = [pytest.mark.xfail(strict=True, reason=c.xfail) if c.xfail else () for c in cases]
    names = [c.name[len(function.__name__) + 1:-1] or "case" for c in cases]

    @pytest.mark.parametrize("one", [pytest.param(c, marks=m, id=i)
                                     for c, m, i in zip(cases, marks, names, strict=True)])
    def test(one, reference):
        check(one, reference(one))

    test.__name__, test.__doc__, test.__module__ = function.__name__, function.__doc__, function.__module__
    return test


def _combinations(each):
    if not each:
        return [{}]
    if isinstance(each, dict):
        return [dict(zip(each, values, strict=True)) for values in itertools.product(*each.values())]
    return list(each)


def _label(value) -> str:
    if isinstance(value, enum.IntEnum):         # (Python 3.10 shows its name)
        value = int(value)
    text = value if isinstance(value, str) else getattr(value, "__name__", None) or str(value)
    return re.sub(r"\s+", "", text)


def _digest(function, arguments, mode) -> str:
    """Of the case's source and of all that it uses in its file and its helpers."""
    definitions = _definitions(inspect.getsourcefile(function))
    todo, used = [function.__name__], {}
    while todo:
        name = todo.pop()
        if name in definitions and name not in used:
            used[name], mentions = definitions[name]
            todo.extend(mentions)
    parts = [f"{name}\n{used[name]}" for name in sorted(used)]
    parts += [f"{key}={_label(value)}" for key, value in arguments.items()] + [mode]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


@cache
def _definitions(file) -> dict[str, tuple[str, frozenset[str]]]:
    """Top-level names of a file and of its helpers: source, less decorators and comments, and mentions."""
    with open(file, encoding="utf-8") as handle:
        text = handle.read()
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.reference."):
            helper = Path(__file__).with_name(node.module.rpartition(".")[2] + ".py")
            found.update(_definitions(helper) if helper != Path(__file__) else {})
            continue
        elif isinstance(node, ast.Assign):
            names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        else:
            continue
        lines = [line.rstrip() for line in (ast.get_source_segment(text, node) or "").splitlines()]
        source = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
        mentions = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        for name in names:
            found[name] = (source, mentions)
    return found
