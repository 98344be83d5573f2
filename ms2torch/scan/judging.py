"""From what was read in a file to what is to know about it."""

from __future__ import annotations

import ast
import inspect
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType

from ms2torch._naming import generation
from ms2torch._naming.generations import CHANGES

from . import calls
from .answers import by_release, look_up
from .captures import captures
from .findings import API, DIFFERS, FAILING, Finding, Read
from .reading import Reader
from .unkept import unkept

_PYTHON_2 = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal",
    "invalid decimal literal",
    "expected ':'",
    "invalid syntax",
)


def parse(source: bytes | str) -> ast.Module:
    """The syntax tree; SyntaxError or ValueError where it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes are the program's own matter
        return ast.parse(source)


def is_text(source: bytes) -> bool:
    """Whether a file is text in UTF-8, as Python takes it where the file names no other encoding."""
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in source


def unreadable(path: str, error: Exception, source: bytes) -> Finding:
    """The finding for a file that is no Python 3."""
    line, text = getattr(error, "lineno", 1) or 1, getattr(error, "msg", str(error))
    if isinstance(error, RecursionError):
        text = "too deeply nested to be read"
    elif text.startswith(_PYTHON_2) and _is_python_2(source):
        text = f"Python 2 ({text}): translate the file with 2to3 first."
    elif not is_text(source):
        text = f"It could not be read, for it is no text that Python takes: {text}"
    return Finding(path, line, "syntax", "SyntaxError", text)


def _is_python_2(source: bytes) -> bool:
    words = (
        b"\nprint ",
        b"    print ",
        b"\tprint ",
        b"xrange(",
        b".has_key(",
        b"raw_input(",
        b".iteritems()",
    )
    comma = any(
        line.strip().startswith(b"except ") and b"," in line and b"(" not in line
        for line in source.splitlines()
    )
    return comma or any(word in b"\n" + source for word in words)


def judge(
    path: str,
    source: bytes | str,
    *,
    api: str | None = None,
    main: bool | None = None,
    installed: Callable[[str], bool | None] | None = None,
) -> tuple[Reader | None, Read]:
    """Read one file's source: the reader, for what the file imports, and what is to know."""
    raw = source if isinstance(source, bytes) else source.encode()
    lines = raw.count(b"\n") + (not raw.endswith(b"\n") and bool(raw))
    try:
        tree = parse(source)
        reader = Reader(main, installed)
        reader.read(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return None, Read(path, lines, [unreadable(path, error, raw)], Counter(), b"mindspore" in raw)
    found: dict[tuple, Finding] = {}
    for line, kind, name, text, state in _all(reader, api):
        if state:
            if kind not in FAILING:
                continue
            kind = state
        finding = Finding(path, line, kind, name, text)
        # A failure is shown at every line; what is only to know, once for a file.
        found.setdefault((name, text, line if finding.fails else kind), finding)
    for line, name, text in captures(tree) if reader.uses else ():
        found.setdefault((name, text, line), Finding(path, line, DIFFERS, name, text))
    for line, name, text in unkept(tree, source) if reader.uses else ():
        found.setdefault((name, text, line), Finding(path, line, "name", name, text))
    names = Counter(use.name for use in reader.uses if not use.imported)
    written = frozenset(reader.written)
    return reader, Read(path, lines, list(found.values()), names, bool(reader.uses), written)


def without_written(reads: list[Read]) -> list[Read]:
    """What some files of one program give, without the names that one of them writes itself."""
    written = frozenset().union(*(read.written for read in reads))
    return [
        read._replace(findings=[f for f in read.findings if not _is_written(f, written)]) for read in reads
    ]


def _is_written(finding: Finding, written: frozenset[str]) -> bool:
    owner, _, leaf = finding.name.rpartition(".")
    if finding.kind != "never" or not owner:
        return False
    return finding.name in written or (f".{leaf}" in written and isinstance(look_up(owner).found, type))


def _all(reader: Reader, api: str | None) -> Iterator[tuple[int, str, str, str, str]]:
    """(line, kind, name, text, state) of everything in a file."""
    for use in reader.uses:
        answer = look_up(use.name)
        if answer.kind and (not use.imported or answer.kind == "never"):
            yield use.line, answer.kind, answer.name, answer.text, use.state
    for call in reader.calls:
        name, found, bound = _callee(call)
        text = _called(call.name) if call.method else None
        if text:
            yield call.node.lineno, "argument", name, text, call.state
        if found is not None:
            for kind, text in calls.call_findings(name, found, call.node, bound, api, call.given):
                yield call.node.lineno, kind, name, text, call.state
    for member in reader.members:
        text = _lacks(member.cls, member.name)
        if text:
            yield member.line, "never", f"{member.cls}.{member.name}", text, member.state
    for line, state in () if api or generation.is_set() else reader.lent:
        yield line, API, "mindspore.jit", by_release(CHANGES["mindspore.jit"]), state
    for module in reader.modules:
        if not module.level and reader.installed(module.name) is False:
            package = module.name.partition(".")[0]
            if reader.installed(package) is False:
                name, text = package, f"is not installed here: pip install {package}"
            else:
                name, text = module.name, f"is no module of the {package} that is here"
            yield module.line, "module", name, text, module.state


@cache
def _lacks(cls: str, name: str) -> str | None:
    return calls.lacks_member(look_up(cls).found, name)


@cache
def _called(name: str) -> str | None:
    owner, _, method = name.rpartition(".")
    return calls.no_method(look_up(owner).found, method)


def _callee(call) -> tuple[str, object, bool]:
    """The name and function that a call goes to, and whether its first argument is the instance."""
    if not call.method:
        answer = look_up(call.name)
        usable = answer.name == call.name and not answer.kind and not isinstance(answer.found, ModuleType)
        return call.name, answer.found if usable and callable(answer.found) else None, False
    owner, _, method = call.name.rpartition(".")
    cls = look_up(owner).found
    if method == "__call__" and hasattr(cls, "construct"):
        method = "construct"
    found = inspect.getattr_static(cls, method, None)
    if isinstance(found, (staticmethod, classmethod)):
        return call.name, getattr(cls, method), False
    return call.name, found if inspect.isfunction(found) else None, True
