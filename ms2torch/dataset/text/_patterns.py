r"""ICU's regular expressions as Python's: ``\p{...}`` and ``\P{...}`` spelled out as ranges of characters."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

# How the names of a script's characters begin.
_SCRIPTS = {
    "Han": ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI RADICAL", "HANGZHOU NUMERAL",
            "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC NUMBER ZERO"),
    **{name: (name.upper(),) for name in (
        "Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Georgian", "Greek", "Hangul",
        "Hebrew", "Hiragana", "Katakana", "Latin", "Tamil", "Thai", "Tibetan")},
}
_PART = re.compile(r"\\([pP])\{\s*([^}]*?)\s*\}|\\.|\[\^?\]?|\]", re.DOTALL)


@lru_cache(64)
def compiled(pattern: str) -> re.Pattern:
    """A pattern of ICU's; re.error for what is none."""
    made, end, depth = [], 0, 0
    for part in _PART.finditer(pattern):
        made.append(pattern[end:part.start()])
        end, text = part.end(), part[0]
        if part[1]:
            inner = _ranges(part[2], part[1] == "P")
            text = inner if depth else f"[{inner}]"
        elif text.startswith("["):
            depth += 1
        elif text == "]" and depth:
            depth -= 1
        made.append(text)
    return re.compile("".join([*made, pattern[end:]]))


@lru_cache(64)
def _ranges(name: str, outside: bool) -> str:
    """The characters with a property, or ``outside`` it, as a class of a regular expression holds them."""
    name = name.partition("=")[2] or name
    if name in _SCRIPTS:
        begin = _SCRIPTS[name]

        def has(char):
            return unicodedata.category(char)[0] in "LMN" and unicodedata.name(char, "").startswith(begin)
    elif len(name) <= 2 and name[:1] in "CLMNPSZ":

        def has(char):
            return unicodedata.category(char).startswith(name)
    else:
        raise re.error(f"unknown property {name}")
    found, start = [], None
    for number in range(sys.maxunicode + 2):
        wanted = number <= sys.maxunicode and has(chr(number)) is not outside
        if wanted and start is None:
            start = number
        elif not wanted and start is not None:
            found.append(f"\\U{start:08x}-\\U{number - 1:08x}")
            start = None
    return "".join(found)
