"""Classes of characters as ICU has them, a flag for each character: by property, script or escape."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache
from pathlib import Path

import numpy as np

from ms2torch._core.errors import unsupported

_CATEGORIES = {
    "letter": "L", "casedletter": "LC", "uppercaseletter": "Lu", "lowercaseletter": "Ll",
    "titlecaseletter": "Lt", "modifierletter": "Lm", "otherletter": "Lo", "mark": "M",
    "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me", "number": "N",
    "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P",
    "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf",
    "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc",
    "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z", "spaceseparator": "Zs",
    "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C", "control": "Cc", "format": "Cf",
    "privateuse": "Co", "surrogate": "Cs", "unassigned": "Cn",
}
# Properties that ICU has, and that nothing here knows.
_UNKNOWN = frozenset((
    "cased", "ideographic", "unifiedideograph", "math", "dash", "idstart", "xids", "idcontinue", "xidc",
    "ahex",
    "asciihexdigit", "diacritic", "extender", "quotationmark", "terminalpunctuation", "graphemeextend",
    "graphemebase", "regionalindicator", "radical",
))


# Letters beyond the categories of letters: circled and squared ones, and two joiners.
_LETTERS_ELSEWHERE = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189),
                      (0x200C, 0x200D))


def _is_word(char: str) -> bool:
    kind = unicodedata.category(char)
    return (kind[0] in "LM" or kind in ("Nd", "Nl", "Pc")
            or any(first <= ord(char) <= last for first, last in _LETTERS_ELSEWHERE))


# The combining classes of marks that are alphabetic: not those of viramas, nuktas, tones and accents.
_VOWEL_SIGNS = frozenset((0, *range(10, 33), 84, 91, 103, 118, 129, 130, 132, 240))


def _is_letter(char: str, kind: str) -> bool:
    vowel = kind in ("Mn", "Mc") and unicodedata.combining(char) in _VOWEL_SIGNS
    return kind[0] == "L" or kind == "Nl" or vowel or any(
        first <= ord(char) <= last for first, last in _LETTERS_ELSEWHERE[:-1])


_POSIX = {
    "alpha": _is_letter, "digit": lambda char, kind: kind == "Nd", "punct": lambda char, kind: kind[0] == "P",
    "alnum": lambda char, kind: kind == "Nd" or _is_letter(char, kind),
    "upper": lambda char, kind: char.isupper(), "lower": lambda char, kind: char.islower(),
    "word": lambda char, kind: _is_word(char), "cntrl": lambda char, kind: kind == "Cc",
    "blank": lambda char, kind: char == "\t" or kind == "Zs",
    "space": lambda char, kind: char in "\t\n\v\f\r\x85" or kind[0] == "Z",
    "graph": lambda char, kind: kind[0] != "Z" and kind not in ("Cc", "Cs", "Cn"),
    "print": lambda char, kind: kind not in ("Cc", "Cs", "Cn", "Zl", "Zp"),
    "any": lambda char, kind: True, "assigned": lambda char, kind: kind != "Cn",
    "ascii": lambda char, kind: char < "\x80",
    "xdigit": lambda char, kind: kind == "Nd" or unicodedata.normalize("NFKC", char) in tuple("abcdefABCDEF"),
}
_POSIX.update((long, _POSIX[short]) for long, short in (
    ("alphabetic", "alpha"), ("uppercase", "upper"), ("lowercase", "lower"), ("whitespace", "space"),
    ("hexdigit", "xdigit")))
_ESCAPES = {
    "w": _POSIX["word"], "s": _POSIX["space"], "d": _POSIX["digit"], "h": _POSIX["blank"],
    "v": lambda char, kind: char in "\n\v\f\r\x85\u2028\u2029",
}


def none() -> np.ndarray:
    return np.zeros(sys.maxunicode + 1, bool)


def as_class(held: np.ndarray) -> str:
    """A class of Python's."""
    return f"[{ranges(held)}]" if held.any() else "(?!)"


def ranges(held: np.ndarray) -> str:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], held, [False])).astype(np.int8)))
    return "".join(f"\\U{first:08x}-\\U{end - 1:08x}" for first, end in edges.reshape(-1, 2).tolist())


@lru_cache(1)
def cases() -> list[tuple[int, int]]:
    """Characters and what they are in the other case."""
    return [(number, ord(other)) for number, char in enumerate(map(chr, range(0x20000)))
            for other in {char.lower(), char.upper()} - {char} if len(other) == 1]


@lru_cache(32)
def holding(has) -> np.ndarray:
    """The characters for which ``has(char, category)`` is true."""
    every = map(chr, range(sys.maxunicode + 1))
    return np.fromiter((has(char, unicodedata.category(char)) for char in every), bool)


def of_escape(char: str) -> np.ndarray:
    """What ``\\w``, ``\\s`` and the like hold; capitals, what they do not."""
    held = holding(_ESCAPES[char.lower()])
    return ~held if char.isupper() else held


@lru_cache(1)
def _scripts() -> dict[str, str]:
    """Of each script, by its name and its code of four letters, the ranges of its characters."""
    found = {"qaai": "zinh", "qaac": "copt"}
    lines = Path(__file__).with_name("scripts.tsv").read_text(encoding="utf-8").splitlines()[1:]
    held = {}
    for name, code, characters in (line.split("\t") for line in lines):
        held[name.replace("_", "").lower()] = held[code] = characters
    return held | {alias: held[code] for alias, code in found.items()}


def _of_script(characters: str) -> np.ndarray:
    held = none()
    for span in characters.split():
        first, _, last = span.partition("-")
        held[int(first, 16):int(last or first, 16) + 1] = True
    return held


@lru_cache(32)
def with_property(name: str) -> np.ndarray:
    """The characters with a property, by any of its spellings."""
    kind, said, value = name.rpartition("=")
    if said and not kind:
        raise re.error(f"unknown property {name}")
    loose, kind = (re.sub(r"[\s_-]", "", word).lower() for word in (value, kind))
    if kind not in ("", "gc", "generalcategory", "sc", "script"):
        return _refused_property(name, loose)
    spelt = loose.removeprefix("is") if not kind else loose
    category = _CATEGORIES.get(spelt, spelt)
    if category.lower() == "lc":
        return holding(lambda char, found: found in ("Lu", "Ll", "Lt"))
    if kind[:1] != "s" and category.capitalize() in {*"CLMNPSZ", *_CATEGORIES.values()}:
        return holding(lambda char, found: found.startswith(category.capitalize()))
    if (script := _scripts().get(spelt)) is not None:
        return _of_script(script)
    if not kind and spelt in _POSIX:
        return holding(_POSIX[spelt])
    return _refused_property(name, spelt)


def _refused_property(name: str, loose: str) -> np.ndarray:
    known = "=" in name or loose in _UNKNOWN or loose.startswith(("in", "java"))
    if not known or name.lower().startswith(("gc=", "generalcategory=", "general_category=")):
        raise re.error(f"unknown property {name}")
    raise unsupported(f"\\p{{{name}}} in a regular expression", "of ICU's properties of characters the "
                      "general categories, POSIX's classes and most scripts are known.",
                      "spell the characters out as ranges.")
