"""Read the docstring examples of an installed MindSpore: PYTHON extract.py < names > examples.json

Names come on stdin, one per line: ``mindspore.ops.Add``, and ``mindspore.ops.split#2`` for the second section
called Examples. Out goes a JSON object: name -> list of statements, each with its ``source`` and the output
that stands below it: ``want`` up to the blank line that closes it, ``want_long`` up to the next prompt.
The texts belong to MindSpore: they are read where it is installed and never stored here.
"""
from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import sys
import textwrap
import warnings

HEADING = re.compile(r"(\s*)Examples?\s*::?\s*$")
OTHER_HEADING = re.compile(
    r"\s*(Args|Arguments|Parameters|Keyword .*|Inputs?|Outputs?|Returns?|Raises?|Notes?|Warning|"
    r"See [Aa]lso|Symbols|Refer to|References|Tutorial Examples?|Supported .*|Yields|Attributes)\s*::?\s*$")
PROMPT = re.compile(r"\s*>>>(?: |$)?(.*)$")
CONTINUATION = re.compile(r"\s*\.\.\.(?: |$)(.*)$")
CLAUSE = re.compile(r"\s*(else|elif|except|finally)\b")
# Names that the documentation gives to objects whose module spells another path.
MOVED = {"mindspore.dataset.config": "mindspore.dataset.core.config",
         "mindspore.dataset.samplers": "mindspore.dataset.engine.samplers"}


def find(dotted: str):
    """The object of a dotted name; a method comes as its function, a property as itself."""
    for old, new in MOVED.items():
        if dotted.startswith(old + "."):
            dotted = new + dotted[len(old):]
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):        # a function wins over the module of its name
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = inspect.getattr_static(found, part) if inspect.isclass(found) else getattr(found, part)
            found = getattr(found, "__func__", found)
        return found
    raise ImportError(dotted)


def sections(doc: str):
    """The text of each section called Examples."""
    lines = doc.expandtabs(8).splitlines()
    start = 0
    while start < len(lines):
        heading = HEADING.match(lines[start])
        start += 1
        if not heading:
            continue
        indent, body = len(heading[1]), []
        while start < len(lines) and not _ends(lines[start], indent, body):
            body.append(lines[start])
            start += 1
        text = textwrap.dedent("\n".join(body)).strip("\n")
        if ">>>" in text:
            yield text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _ends(line: str, indent: int, body: list[str]) -> bool:
    """Whether ``line`` is the first one behind a section whose heading is indented by ``indent``."""
    if not line.strip() or _indent(line) > indent or line.lstrip().startswith((">>>", "...")):
        return False
    prompts_flush = any(b.lstrip().startswith(">>>") and _indent(b) <= indent for b in body)
    return not prompts_flush or _indent(line) < indent or bool(
        OTHER_HEADING.match(line) or HEADING.match(line) or line.lstrip().startswith(".. "))


def statements(text: str) -> list[dict]:
    """The statements of a section. Lenient: the documentation forgets blanks, and writes >>> for ``...``."""
    found: list[dict] = []
    reading_source = False
    for line in text.splitlines():
        if prompt := PROMPT.match(line):
            if reading_source and _continues(found[-1]["source"], prompt[1]):
                found[-1]["source"] += "\n" + prompt[1]
                continue
            found.append({"source": prompt[1], "output": []})
            reading_source = True
        elif (more := CONTINUATION.match(line)) and reading_source:
            found[-1]["source"] += "\n" + more[1]
        elif found:
            reading_source = False
            found[-1]["output"].append(line.rstrip())
    kept: list[dict] = []
    for one in found:
        source = one["source"].rstrip()
        short, long = _documented(one["output"])
        if all(not line.strip() or line.lstrip().startswith("#") for line in source.splitlines()):
            if not long:
                continue
            if kept and not kept[-1]["want"]:       # output that follows a comment behind it
                kept[-1].update(want=short, want_long=long)
                continue
            source = "pass"
        kept.append({"source": textwrap.dedent(source), "want": short, "want_long": long})
    return kept


def _documented(lines: list[str]) -> tuple[str, str]:
    """The output up to a blank line outside brackets, and all of it."""
    text = "\n".join(lines).strip("\n")
    short, depth = [], 0
    for line in text.split("\n"):
        if not line and depth <= 0:
            break
        short.append(line)
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
        depth += sum(bare.count(c) for c in "[({") - sum(bare.count(c) for c in "])}")
    return "\n".join(short), text


def _parses(source: str) -> bool:
    try:
        ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return False
    return True


def _continues(source: str, line: str) -> bool:
    """Whether a line with a prompt of its own still belongs to the statement before it."""
    code = [text for text in source.splitlines() if text.strip() and not text.lstrip().startswith("#")]
    if not code:
        return False
    whole, joined = _parses(source), _parses(source + "\n" + line)
    if line.strip() and line[0].isspace():
        return joined or not (whole and _indent(line) == 1)         # one blank too many is no body
    if whole:
        return bool(CLAUSE.match(line))
    unclosed = any(source.count(a) > source.count(b) for a, b in ("()", "[]", "{}"))
    return joined or unclosed or code[-1].lstrip().startswith("@")


def main() -> None:
    """Answer the names on stdin; a name that is not there, or has no such section, is left out."""
    warnings.filterwarnings("ignore")
    os.environ.setdefault("GLOG_v", "3")
    examples = {}
    for name in sys.stdin.read().split():
        dotted, _, number = name.partition("#")
        try:
            doc = find(dotted).__doc__
        except (ImportError, AttributeError):
            continue
        texts = list(sections(doc)) if isinstance(doc, str) else []
        if len(texts) >= int(number or 1):
            examples[name] = statements(texts[int(number or 1) - 1])
    json.dump(examples, sys.stdout)


if __name__ == "__main__":
    main()
