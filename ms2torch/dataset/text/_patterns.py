r"""ICU's regular expressions as Python's.

A class of characters (``[\p{L}&&[^a-c]]``, ``\w``) becomes one flag for each character, on which ICU's set
operations are numpy's, and is written as ranges; the rest is read from left to right and written as Python
has it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from ms2torch._core.errors import unsupported

from ._characters import as_class, cases, holding, none, of_escape, ranges, with_property

# Ends of lines.
_ENDS = r"\n-\r\x85\u2028\u2029"
_NOT_INSIDE = r"(?!(?<=\r)\n)"
_AT_LAST_END = rf"(?:(?=(?:\r\n|[{_ENDS}])?\Z){_NOT_INSIDE})"
_PLACES = {
    "^": r"(?:\A)", "$": _AT_LAST_END, "d^": r"(?:\A)", "d$": r"(?:(?=\n?\Z))",
    "m^": rf"(?:\A|(?<=[{_ENDS}])(?!\Z){_NOT_INSIDE})", "m$": rf"(?:\Z|(?=[{_ENDS}]){_NOT_INSIDE})",
    "dm^": r"(?:\A|(?<=\n)(?!\Z))", "dm$": r"(?:\Z|(?=\n))",
}
# Escapes that stand for one character, in a class and outside.
_CHARACTER = re.compile(
    r"\\(?:x\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|0([0-3]?[0-7]{1,2})"
    r"|c(.)|([aefnrt]))", re.DOTALL)
_CONTROLS = dict(zip("aefnrt", "\a\x1b\f\n\r\t", strict=True))
_PROPERTY = re.compile(r"\\[pP]\{([^}]*)\}")
_POSIX_CLASS = re.compile(r"\[:(\^?)([^:\]]*):\]")
_REST_OF_LINE = re.compile(r"[^\n\r]*")
_REPEATED = re.compile(r"\{\d+(?:,\d*)?\}|[*+?]")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_LOOKS = re.compile(r"\(\?(?:<?[=!]|>)")
_NAMED = re.compile(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")


class _Reader:
    """Reads a pattern of ICU's and writes it as Python has it; re.error for what is none."""

    def __init__(self, pattern: str) -> None:
        self.text, self.at, self.groups = pattern, 0, 0
        self.closed: set[int] = set()
        self.latest = 0                     # the last group that is referred to
        self.flags: frozenset[str] = frozenset()

    def whole(self) -> str:
        made = "|".join(self._alternatives())
        if self.at < len(self.text) or self.latest > self.groups:
            raise re.error("unbalanced parenthesis, or no such group")
        return made

    def _take(self, wanted: str) -> bool:
        found = self.text.startswith(wanted, self.at)
        self.at += len(wanted) * found
        return found

    def _match(self, pattern: re.Pattern) -> re.Match | None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise re.error("unexpected end of pattern")
        self.at += 1
        return self.text[self.at - 1]

    # ---- outside of classes ----------------------------------------------------------------------------

    def _alternatives(self) -> list[str]:
        """What stands in a group, to its end. A change of flags holds to there, in later alternatives too."""
        before, made, parts, ignoring = self.flags, [], [], ""
        while self.at < len(self.text) and not self.text.startswith(")", self.at):
            if self._take("|"):
                made.append("".join(parts) + ")" * bool(ignoring))
                parts = [ignoring]
            elif self._changes_flags():
                parts.append(")" if ignoring else "")
                ignoring = self._ignoring(before)
                parts.append(ignoring)
            else:
                parts.append(self._item())
        self.flags = before
        return [*made, "".join(parts) + ")" * bool(ignoring)]

    def _ignoring(self, before: frozenset[str]) -> str:
        """The begin of a group in which case counts otherwise than ``before``; nothing where it doesn't."""
        ignores = "i" in self.flags
        return "" if ignores == ("i" in before) else "(?i:" if ignores else "(?-i:"

    def _changes_flags(self) -> bool:
        start, found = self.at, self._match(_FLAGS)
        if found is None or found[3] == ":":
            self.at = start
            return False
        self._set_flags(found)
        return True

    def _set_flags(self, found: re.Match) -> None:
        if bad := set(found[1] + (found[2] or "")) - set("imsxwdu"):
            raise re.error(f"unknown flag {min(bad)}")
        self.flags = (self.flags | set(found[1])) - set(found[2] or "")

    def _item(self) -> str:
        """One thing that may be repeated, and how often it is."""
        if self._take("\\Q"):
            quoted, _, _ = self.text[self.at:].partition("\\E")
            self.at += len(quoted) + 2
            return re.escape(quoted)
        if "x" in self.flags and self.text[self.at] in " \t\n\f\v\r\x85\u200e\u200f\u2028\u2029":
            self.at += 1
            return ""
        if "x" in self.flags and self._take("#"):
            self._match(_REST_OF_LINE)
            return ""
        if self._take("(?#"):
            self.at = self.text.index(")", self.at) + 1 if ")" in self.text[self.at:] else len(self.text)
            return ""
        if found := self._match(_REPEATED):
            return found[0] + ("?" if self._take("?") else "+" if self._take("+") else "")
        return self._thing()

    def _thing(self) -> str:
        if found := self._match(_CHARACTER):
            return re.escape(_character(found))
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return as_class(self._bracketed())
        if char == "\\":
            return self._escape()
        if char == ".":
            ends = r"\n" if "d" in self.flags else _ENDS
            return r"(?:\r\n|[\s\S])" if "s" in self.flags else f"[^{ends}]"
        if char in "^$":
            return _PLACES["".join(sorted(self.flags & {"d", "m"})) + char]
        if char in "{}":
            raise re.error("a brace that repeats nothing")
        return re.escape(char)

    def _group(self) -> str:
        self.at -= 1
        before, number, looks = self.flags, 0, None
        if named := self._match(_NAMED):
            begin = f"(?P<{named[1]}>"
        elif flags := self._match(_FLAGS):
            self._set_flags(flags)
            begin = self._ignoring(before) or "(?:"
        elif looks := self._match(_LOOKS):
            begin = looks[0]
        elif self._take("(?"):
            raise re.error("unknown extension")
        else:
            begin = self._next()
        if named or begin == "(":
            self.groups = number = self.groups + 1
        inner = self._alternatives()
        if not self._take(")"):
            raise re.error("missing )")
        self.flags = before
        self.closed.add(number)
        if looks and begin != "(?>":
            self._repeats_nothing()
        if begin in ("(?<=", "(?<!"):       # Python wants one length, which each alternative may have
            return "(?:" + ("|" if begin == "(?<=" else "").join(f"{begin}{one})" for one in inner) + ")"
        return f"{begin}{'|'.join(inner)})"

    def _repeats_nothing(self) -> None:
        if self.text[self.at:self.at + 1] in tuple("*+?{"):
            raise re.error("nothing to repeat")

    def _escape(self) -> str:
        """What follows a backslash, of what is no character."""
        char = self._next()
        if char in "pP":
            self.at -= 2
            return as_class(self._property())
        if char in "sSwWdDhHvV":
            return as_class(of_escape(char))
        if char in "bB" and "w" not in self.flags:
            self._repeats_nothing()
            return f"(?:{_edge()})" if char == "b" else f"(?!{_edge()})"
        if char in "bBGX":
            raise unsupported(f"\\{char} in a regular expression", "Python's patterns have nothing like it.",
                              "spell out what it should match.")
        if char in "AzZR":
            return {"A": r"\A", "z": r"\Z", "Z": _AT_LAST_END, "R": rf"(?:\r\n|[{_ENDS}])"}[char]
        if char == "k":
            if not (found := self._match(re.compile("<([a-zA-Z][a-zA-Z0-9]*)>"))):
                raise re.error("bad name of a group")
            return f"(?P={found[1]})"
        if char in "N0xuU":
            raise re.error("bad escape")
        if char in "123456789":
            while self.at < len(self.text) and self.text[self.at].isdigit():
                if int(char + self.text[self.at]) > max(self.groups, 9):
                    break
                char += self._next()
            self.latest = max(self.latest, int(char))
            return f"(?:\\{char})" if int(char) in self.closed else "(?!)"     # what is not yet there
        return re.escape(char)

    # ---- classes of characters -------------------------------------------------------------------------

    def _property(self) -> np.ndarray:
        outside = self.text[self.at + 1] == "P"
        if not (found := self._match(_PROPERTY)):
            raise re.error("bad property")
        held = with_property(found[1])
        return ~held if outside else held

    def _bracketed(self) -> np.ndarray:
        """A class, from behind its bracket: unions first, then ``&&`` and ``--`` from left to right."""
        self.at -= 1
        if found := self._match(_POSIX_CLASS):
            held = with_property(found[2])
            return ~held if found[1] else held
        self.at += 1
        outside = self._take("^")
        held, whole, how = none(), None, None
        after, low = "start", ""
        if self._take("]"):
            held[ord("]")], after, low = True, "character", "]"
        while not (self.text.startswith("]", self.at) and after != "operator"):
            if after != "start" and (self._take("&&") or self._take("--")):
                whole, held = _combined(whole, how, held), none()
                how, after = self.text[self.at - 1], "operator"
            elif after == "set" and self.text[self.at:self.at + 2] in ("&[", "-["):
                how_once = self._next()
                self.at += 1
                held = _combined(held, how_once, self._bracketed())
            elif self._take("["):
                held, after = held | self._bracketed(), "set"
            elif after == "start" and self.text[self.at:self.at + 2] in ("&&", "--"):
                raise re.error("an operator without its first operand")
            elif self._take("\\Q"):
                quoted, _, _ = self.text[self.at:].partition("\\E")
                self.at += len(quoted) + 2
                held[[ord(char) for char in quoted]] = True
                after = "set"
            elif (kind := self.text[self.at:self.at + 2]) in (r"\p", r"\P"):
                held, after = held | self._property(), "set"
            elif kind[:1] == "\\" and kind[1:] in tuple("sSwWdDhHvV"):
                self.at += 2
                held, after = held | of_escape(kind[1]), "range"
            elif after == "character" and self._begins_range():
                high = self._one()
                if ord(high) < ord(low):
                    raise re.error("bad range")
                held[ord(low):ord(high) + 1], after = True, "range"
            elif "x" in self.flags and self.text[self.at:self.at + 1].isspace():
                self.at += 1
            else:
                low, after = self._one(), "character"
                held[ord(low)] = True
        self.at += 1
        held = _combined(whole, how, held)
        if "i" in self.flags:
            for one, other in cases():
                held[one] = held[other] = held[one] | held[other]
        return ~held if outside else held

    def _begins_range(self) -> bool:
        """Whether a dash that is next makes a range, which is then behind it."""
        spaces = r"\s*" if "x" in self.flags else ""
        return self._match(re.compile(rf"{spaces}-{spaces}(?![\[\]])")) is not None

    def _one(self) -> str:
        """One character of a class."""
        if found := self._match(_CHARACTER):
            return _character(found)
        char = self._next()
        if char != "\\":
            return char
        char = self._next()
        if char in "NxuU0" or (self.text[self.at - 3] == "-" and char in "sSwWdD"):
            raise re.error("bad escape")
        return char


def _character(found: re.Match) -> str:
    number = next((int(digits, 16) for digits in found.groups()[:4] if digits), None)
    if number is None:
        return (chr(int(found[5], 8)) if found[5] else chr(ord(found[6]) & 31) if found[6]
                else _CONTROLS[found[7]])
    if number > sys.maxunicode:
        raise re.error("no such character")
    return chr(number)


def _combined(whole: np.ndarray | None, how: str | None, held: np.ndarray) -> np.ndarray:
    return held if whole is None else whole & held if how == "&" else whole & ~held


@lru_cache(1)
def _edge() -> str:
    """Where a word begins or ends: accents and joiners are passed over, up to two of them."""
    joins = holding(lambda char, kind: kind in ("Mn", "Me", "Cf"))
    passed, word = ranges(joins), ranges(of_escape("w") & ~joins)
    before = [f"[{word}]" + f"[{passed}]" * count for count in range(3)]
    outside = "".join(f"(?<!{one})" for one in before)
    inside = "|".join(f"(?<={one})" for one in before)
    return f"(?![{passed}])(?:{outside}(?=[{word}])|(?:{inside})(?![{word}]))"


@lru_cache(64)
def compiled(pattern: str) -> re.Pattern:
    """A pattern of ICU's; re.error for what is none."""
    made = _Reader(pattern).whole()
    try:
        return re.compile(made)
    except re.error as error:
        if "fixed-width" in error.msg:
            raise unsupported(f"{pattern!r}, a regular expression", "Python looks behind by a fixed number "
                              "of characters.", "a pattern whose (?<=...) has one length.") from None
        raise


def matches(pattern: re.Pattern, text: str) -> Iterator[re.Match]:
    """All matches; behind an empty one the search goes on at the next character."""
    at = 0
    while at <= len(text) and (found := pattern.search(text, at)):
        yield found
        at = found.end() + (found.end() == found.start())


# A character by number, an escaped one, a group by number or name, what is wrong, text.
_REPLACEMENT = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.?))|\$(?:(\d+)|\{(\w*)\})|(\$)|([^\\$]+)", re.DOTALL)


def replaced(pattern: re.Pattern, text: str, by: str, everywhere: bool) -> str:
    """``text`` with ``by``, in which ICU finds groups, for its matches; re.error where a group is none."""
    made, at = [], 0
    for found in matches(pattern, text):
        made += [text[at:found.start()], *(_part(part, found) for part in _REPLACEMENT.finditer(by))]
        at = found.end()
        if not everywhere:
            break
    return "".join([*made, text[at:]])


def _part(part: re.Match, found: re.Match) -> str:
    short, long, escaped, number, name, wrong, text = part.groups()
    if short or long:
        return chr(int(short or long, 16))
    if number:                              # as many digits as make the number of a group
        for end in range(len(number), 0, -1):
            if int(number[:end]) <= found.re.groups:
                return (found[int(number[:end])] or "") + number[end:]
    if number or wrong or (name is not None and name not in found.re.groupindex):
        raise re.error("no such group")
    return (found[name] or "") if name else text or escaped
