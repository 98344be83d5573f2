r"""ICU's regular expressions as Python's: ``\p{...}`` and ``\P{...}`` spelled out as ranges of characters."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

from ms2torch._core.errors import unsupported

# How the names of a script's characters begin.
_SCRIPTS = {
    "Han": ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI RADICAL", "HANGZHOU NUMERAL",
            "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC NUMBER ZERO"),
    **{name: (name.upper(),) for name in (
        "Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Georgian", "Greek", "Hangul",
        "Hebrew", "Hiragana", "Katakana", "Latin", "Tamil", "Thai", "Tibetan")},
}
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
    "privateuse": "Co", "unassigned": "Cn",
}
# Properties that ICU has, and that nothing here knows.
_UNKNOWN = frozenset((
    "alphabetic", "alpha", "uppercase", "upper", "lowercase", "lower", "whitespace", "space", "emoji",
    "emojipresentation", "ideographic", "math", "dash", "idstart", "idcontinue", "hexdigit", "ascii",
    "asciihexdigit", "diacritic", "extender", "quotationmark", "terminalpunctuation", "graphemeextend",
    "graphemebase", "common", "zyyy", "inherited", "zinh", "cherokee", "ethiopic", "gujarati", "gurmukhi",
    "kannada", "khmer", "lao", "malayalam", "mongolian", "myanmar", "ogham", "oriya", "runic", "sinhala",
    "syriac", "telugu", "thaana", "alnum", "punct", "blank", "cntrl", "graph", "print",
))
_PART = re.compile(r"\\([pP])\{\s*([^}]*?)\s*\}|\[:(\^?)(\w+):\]|\\.|\[\^?\]?|\]|\.", re.DOTALL)
# What Python's classes of characters lack of ICU's, or have beyond them.
_LINE_ENDS = r"\n-\r\x85\u2028\u2029"
_SPACES = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
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
    "xdigit": lambda char, kind: kind == "Nd" or unicodedata.normalize("NFKC", char) in tuple("abcdefABCDEF"),
}


@lru_cache(1)
def _words() -> str:
    """The characters of words."""
    return _listed(_is_word)


@lru_cache(1)
def _edge() -> str:
    """Where a word begins or ends: accents and joiners are passed over, up to two of them."""
    passed = _listed(lambda char: unicodedata.category(char) in ("Mn", "Me", "Cf"))
    word = _listed(lambda char: _is_word(char) and unicodedata.category(char) not in ("Mn", "Me", "Cf"))
    before = [f"[{word}]" + f"[{passed}]" * count for count in range(3)]
    outside = "".join(f"(?<!{one})" for one in before)
    inside = "|".join(f"(?<={one})" for one in before)
    return f"(?![{passed}])(?:{outside}(?=[{word}])|(?:{inside})(?![{word}]))"


def _own(text: str, inside: bool) -> str | None:
    """What stands for an escape or a dot of a pattern where Python means something else by it."""
    if text == "." and not inside:
        return f"[^{_LINE_ENDS}]"
    if text in (r"\s", r"\w") or (text in (r"\S", r"\W") and not inside):
        held = _SPACES if text.lower() == r"\s" else _words()
        return held if inside else f"[^{held}]" if text[1].isupper() else f"[{held}]"
    if text in (r"\b", r"\B") and not inside:
        return f"(?:{_edge()})" if text == r"\b" else f"(?!{_edge()})"
    return None


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
        elif part[4]:
            inner = _ranges(part[4], bool(part[3]), posix=True)
            text = inner if depth else f"[{inner}]"
        elif text.startswith("["):
            depth += 1
        elif text == "]" and depth:
            depth -= 1
        else:
            text = _own(text, depth > 0) or text
        made.append(text)
    return re.compile("".join([*made, pattern[end:]]))


@lru_cache(64)
def _ranges(name: str, outside: bool, posix: bool = False) -> str:
    """The characters with a property, or ``outside`` it, as a class of a regular expression holds them;
    ``posix``: of the name of one of POSIX's classes, which ICU has beyond ASCII."""
    if posix and name.lower() in _POSIX:
        return _listed(lambda char: _POSIX[name.lower()](char, unicodedata.category(char)) is not outside)
    name = name.partition("=")[2] or name
    name = _CATEGORIES.get(re.sub(r"[\s_-]", "", name).lower(), name)
    if name in _SCRIPTS:
        begin = _SCRIPTS[name]

        def has(char):
            return unicodedata.category(char)[0] in "LMN" and unicodedata.name(char, "").startswith(begin)
    elif name == "LC":

        def has(char):
            return unicodedata.category(char) in ("Lu", "Ll", "Lt")
    elif len(name) <= 2 and name[:1] in "CLMNPSZ":

        def has(char):
            return unicodedata.category(char).startswith(name)
    else:
        if re.sub(r"[\s_-]", "", name).lower() not in _UNKNOWN:
            raise re.error(f"unknown property {name}")
        raise unsupported(f"\\p{{{name}}} in a regular expression", "of ICU's properties of characters the "
                          "general categories and the common scripts are known.",
                          "spell the characters out as ranges.")
    return _listed(lambda char: has(char) is not outside)


def _listed(has) -> str:
    """All characters for which ``has`` is true, as ranges."""
    found, start = [], None
    for number in range(sys.maxunicode + 2):
        wanted = number <= sys.maxunicode and has(chr(number))
        if wanted and start is None:
            start = number
        elif not wanted and start is not None:
            found.append(f"\\U{start:08x}-\\U{number - 1:08x}")
            start = None
    return "".join(found)
