"""Our docstrings as the pages show them: found, cut into paragraphs, turned into Markdown."""

from __future__ import annotations

import inspect
import re
import textwrap
from types import ModuleType

from scripts.pages import chinese
from tests.signatures import find


def doc(found: object) -> str:
    """Our docstring of a public thing; a class's may stand in its ``__init__``. A module that took the place
    of its function, as an import of it makes it (``lazy_inline``), has the function's."""
    if isinstance(found, ModuleType):
        found = getattr(found, found.__name__.rpartition(".")[2], found)
    found = getattr(found, "__func__", getattr(found, "fget", None) or found)
    if isinstance(found, type):
        return inspect.cleandoc(
            vars(found).get("__doc__") or getattr(vars(found).get("__init__"), "__doc__", None) or ""
        )
    return inspect.cleandoc(getattr(found, "__doc__", None) or "")


def method_doc(full: str) -> str:
    """The docstring of a method: its own, else that of the class which has the method first."""
    owner, _, name = full.rpartition(".")
    made = [vars(base)[name] for base in getattr(find(owner), "__mro__", ()) if name in vars(base)]
    return next((text for text in map(doc, [find(full), *made]) if text), "")


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a docstring; code among them is told by ``code``."""
    return [block.rstrip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def code(paragraph: str) -> bool:
    """Whether a paragraph is code: indented or prompted lines."""
    return all(line.startswith(("    ", ">>>")) for line in paragraph.split("\n"))


def sentence(text: str, language: str) -> str:
    """The first sentence of a docstring, without the name that stands beside it."""
    first = chinese.said(next(iter(paragraphs(text)), ""), language)
    first = " ".join(re.sub(r"\s*[(（]``mindspore\.[\w.]+``[)）]", "", first).split())
    first = re.split(r"(?<=\.)\s|(?<=。)", first)[0]
    return textwrap.shorten(first, 160, placeholder=" …").rstrip(",;:，；：")


def escaped(text: str) -> str:
    """Text for Markdown: code stays code, other signs are themselves."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text)
    return "".join(p if p.startswith("`") else _signs(p) for p in parts)


def _signs(text: str) -> str:
    """Text without code: a backslash before what Markdown takes one for; it has none for < and >."""
    return re.sub(r"([*_\[\]#])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def prose(text: str, language: str) -> str:
    """A docstring as Markdown: paragraphs, and indented or prompted lines as code."""
    out = []
    for block in paragraphs(text):
        if code(block):
            out += ["```text", *(line.removeprefix("    ") for line in block.split("\n")), "```", ""]
        else:
            shown = escaped(chinese.said(block, language))
            out += [re.sub(r":(?:class|func|meth|mod|data|attr):(`[^`]+`)", r"\1", shown), ""]
    return "\n".join(out).strip()
