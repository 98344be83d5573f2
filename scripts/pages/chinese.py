"""The reference's paragraphs in Chinese: ``chinese.po``, a gettext catalogue, for any editor of such files.

A docstring's paragraph is its own key. ``scripts/make_chinese.py`` brings the catalogue up to the docstrings.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

CATALOGUE = Path(__file__).with_name("chinese.po")
# Babel's own names the hour it was written; this one changes only where the text does.
_HEADER = b'msgid ""\nmsgstr ""\n"Language: zh_CN\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'


def key(paragraph: str) -> str:
    """What stands for a paragraph: its words, in whatever lines; a list keeps its lines."""
    lines = paragraph.split("\n")
    if any(line.startswith(("- ", "    ")) for line in lines):
        return paragraph
    return " ".join(paragraph.split())


def said(paragraph: str, language: str) -> str:
    """A paragraph in a language; in English where the catalogue has no other."""
    return (language == "zh" and translations().get(key(paragraph))) or paragraph


def update(paragraphs: dict[str, str]) -> list[str]:
    """Bring the catalogue up to paragraphs, with the name that has each; those that it has no Chinese for."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po

    made = Catalog("zh_CN", project="ms2torch", fuzzy=False)
    for text, name in paragraphs.items():
        made.add(text, translations().get(text, ""), [(name, None)])
    with CATALOGUE.open("wb") as file:
        file.write(_HEADER)
        write_po(file, made, width=110, omit_header=True)
    return [text for text in paragraphs if text not in translations()]


@cache
def translations() -> dict[str, str]:
    """The Chinese of every paragraph that has it."""
    from babel.messages.pofile import read_po

    with CATALOGUE.open("rb") as file:
        return {message.id: message.string for message in read_po(file) if message.id and message.string}
