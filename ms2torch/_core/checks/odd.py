"""Arguments that torch takes for a number, a sequence or a word where MindSpore looks closer: Tensors,
numbers and arrays of numpy's, sequences with such inside, bytes, functions.

odd.tsv is read off the real one by scripts/sweep_errors.py --odd. A line: the name and whether it is made or
called, an argument (by name; by place where an object is called), kinds of `odd_kind`, the error's class, its
words with holes of `renderings_of`. `dispatch` asks for the arguments that have lines here, and only where
they are neither numbers nor words nor sequences of whole numbers, so that good calls pay nothing. A line
whose kinds (those of `strange_kind`) stand behind a "~" is no reason to look: it tells of a failed call.
"""

from __future__ import annotations

import builtins
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import torch

from ms2torch._core.checks import core_words
from ms2torch._core.checks.words import renderings, shown
from ms2torch._core.tensor.dtype import Type

_HOLE = re.compile(r"\{(\w+)\}")
_PLAIN = frozenset((int, float, bool, str, type(None)))
_FUNCTIONS = (type(abs), type(re.compile), type)
_INTS = frozenset((int,))
_SOFT = "\t~"                        # stands in lines that are no reason to look


def _read() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:]:
        called, _, rest = line.partition("\t")
        found.setdefault(called, []).append(rest)
    return found


ODD = _read()
# The names whose arguments are looked at before they are called.
LOOKED = frozenset(name for name, lines in ODD.items() if any(_SOFT not in line for line in lines))


@cache
def _rules(called: str, failed: bool) -> tuple[tuple[str, frozenset, str, str], ...]:
    """(place, kinds, error, words) of the lines of a name, all of them for a call that has ``failed``."""
    rows = (line.split("\t") for line in ODD.get(called, ()) if failed or _SOFT not in line)
    return tuple((place, frozenset(kinds.lstrip("~").split(",")), error, words.replace("\\n", "\n"))
                 for place, kinds, error, words in rows)


def odd_kind(value) -> str | None:
    """The word for an odd value; None for numbers, words and sequences of whole numbers."""
    if value.__class__ in _PLAIN:
        return None
    value = getattr(value, "_t", value)
    if isinstance(value, torch.Tensor):
        return "float Tensor" if value.dtype.is_floating_point else "Tensor 0-d" if not value.ndim else \
            "Tensor of 1" if value.numel() == 1 else "Tensor"
    if isinstance(value, (tuple, list)):
        return next((f"{kind} inside" for v in value if (kind := _inside(v))), None)
    if isinstance(value, np.ndarray):
        return "array" if value.ndim else "array 0-d"
    if isinstance(value, np.generic):
        return "numpy float64" if isinstance(value, float) else f"numpy {_KINDS.get(value.dtype.kind, 'str')}"
    return next((word for kinds, word in _OTHERS if isinstance(value, kinds)), None)


_KINDS = {"i": "int", "u": "int", "f": "float", "b": "bool"}
_OTHERS = ((complex, "complex"), (bytes, "bytes"), (range, "range"), (set, "set"),
           ((Type, torch.dtype), "dtype"), (_FUNCTIONS, "function"))


def _inside(value) -> str | None:
    if value.__class__ is int:
        return None
    if value is None or (isinstance(value, (bool, float, tuple, list)) and not isinstance(value, np.generic)):
        return "None" if value is None else "list" if isinstance(value, (tuple, list)) else \
            type(value).__name__
    return odd_kind(value)


def strange_kind(value) -> str:
    """The word for a value that no program would give there, finer than `odd_kind`; nothing for Tensors."""
    value = getattr(value, "_t", value)
    if isinstance(value, torch.Tensor):
        return ""
    if hasattr(value, "construct"):
        return "Cell"
    if type(value).__name__ in ("COOTensor", "CSRTensor"):
        return type(value).__name__
    if isinstance(value, (tuple, list)):
        told = type(value).__name__ if value.__class__ in (tuple, list) else "tuple"
        if not value:
            return f"empty {told}"
        inside = next((v for v in value if v.__class__ is not int), 0)
        if inside.__class__ is int:
            return told
        whole = all(isinstance(v, (tuple, list)) for v in value)
        what = "rows" if whole else "str" if isinstance(inside, str) else odd_kind(inside)
        return f"{told} of {what or strange_kind(inside)}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{'numpy ' * isinstance(value, np.generic)}{'nan' if math.isnan(value) else 'inf'}"
    if isinstance(value, int) and not isinstance(value, bool):
        return "huge" if abs(value) >= 1 << 63 else "large" if abs(value) >= 1 << 31 else \
            "negative" if value < 0 else "int"
    return next((word for kinds, word in _STRANGE if isinstance(value, kinds)), "")


_STRANGE = ((np.generic, ""), (type(None), "None"), (bool, "bool"), (float, "float"), (str, "str"),
            (dict, "dict"), (slice, "slice"), (type(...), "ellipsis"), (type, "class"))


def odd_error(called: str, given, failed: bool = True) -> Exception | None:
    """MindSpore's error for a call with these arguments, (place, value) pairs, of which one is odd; for one
    that has not ``failed`` only where it is certain."""
    if called not in ODD:
        return None
    for place, value in given:
        rules = [rule for rule in _rules(called, failed) if rule[0] == place]
        kind, strange = (odd_kind(value), strange_kind(value)) if rules else (None, "")
        rules = [rule for rule in rules if strange in rule[1]] or rules
        for _, kinds, error, words in rules if kind or strange else ():
            if kind in kinds or strange in kinds or _is_no_number(value, kinds, words):
                if not words:       # (the real one, which takes a Tensor alone, has none)
                    if len(value) == 1:
                        continue
                    words = (f"For '{called.partition(' ')[0]}', argument {place} must hold whole numbers, "
                             "but got {text}: a Tensor in it is given as int(tensor).")
                holes = renderings_of(value)
                text = _HOLE.sub(lambda hole, holes=holes: holes.get(hole[1], hole[0]), words)
                return getattr(builtins, error, RuntimeError)(text)
    return None


def fuller(err: Exception, wrong: Exception) -> Exception:
    """``wrong``, or ``err`` where it says that and more: a table ends with the first sentence."""
    return err if err.__class__ is wrong.__class__ and str(err).startswith(str(wrong)) else wrong


def _is_no_number(value, kinds: frozenset, words: str) -> bool:
    """Whether this is a Tensor of bools, where one of fractions "can not be converted" to whole numbers."""
    return "float Tensor" in kinds and getattr(value, "dtype", None) is torch.bool and \
        "can not be converted" in words


def renderings_of(value) -> dict[str, str]:
    """How an error may name an odd value, or the first odd one inside, by the name of its hole."""
    raw = getattr(value, "_t", value)
    told = renderings(raw)
    ways = ("cls", "call", "type", "kind")
    text = shown(value)
    found = {"text": text, "printed": text.replace("value= ", "value="), "str": told["value"],
             "name": getattr(value, "__name__", "") or text, "core": core_words.core(value),
             "abstract": core_words.abstract(value), **{n: told[n] for n in (*ways, "shape", "word")}}
    if isinstance(raw, (tuple, list)) and (item := next((v for v in raw if _inside(v)), value)) is not value:
        told = renderings(getattr(item, "_t", item))
        found |= {"item_text": shown(item), **{f"item_{n}": told[n] for n in ways}}
    return found


class AcceptedKinds(set):
    """Kinds of arguments of one form against which nothing was found, so that a loop asks once."""

    MOST = 256

    def key(self, values) -> tuple:
        return tuple([(odd_kind(v) or v.__class__, v.__class__ in (tuple, list) and len(v) == 1)
                      for v in values])

    def add(self, key: tuple) -> None:
        if len(self) < self.MOST:
            super().add(key)


def plain_places(*called: str) -> frozenset[str]:
    """The arguments that are looked at more closely, of a form that goes by these names."""
    return frozenset(line.partition("\t")[0] for name in called for line in ODD.get(name, ())
                     if _SOFT not in line)


def is_whole(value) -> bool:
    """Whether this is a sequence of whole numbers."""
    return value.__class__ in (tuple, list) and _INTS.issuperset(map(type, value))


