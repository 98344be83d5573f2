"""Whether an argument's word is one that MindSpore takes: ``pad_mode="sam"``, ``amp_level="O9"``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache

from .answers import DATA, look_up

# So many words are not listed.
_MANY = 9
# Arguments whose words are taken as they are written alone, as datasets' are: "gpu" is no device.
_EXACT = ("device_target",)
# Arguments that are numbers with names, where a name is written as a word.
_NUMBERS = {"mode": "mindspore.GRAPH_MODE (0) or mindspore.PYNATIVE_MODE (1)"}
# Arguments that take an initializer's name.
_STARTS = ("weight_init", "bias_init", "gamma_init", "beta_init", "embedding_table", "table_init")


def wrong_words(found, values: dict[str, object]) -> Iterator[str]:
    """What is wrong with the words among a call's arguments, in words. Letters' case is so for few."""
    taken = _taken().get(id(found), {})
    for name, value in values.items():
        if name in _NUMBERS and "device_target" in taken and (isinstance(value, str) or value not in (0, 1)):
            yield f"does not take {value!r} for {name!r}. It takes {_NUMBERS[name]}."
            continue
        words = taken.get(name) or (_initializers() if name in _starts(found) else ())
        if not (isinstance(value, str) and words):
            continue
        exact = name in _EXACT or getattr(found, "__module__", "").startswith("ms2torch.dataset")
        if value in words or (not exact and value.lower() in map(str.lower, words)):
            continue
        near = difflib.get_close_matches(value.lower(), list(map(str.lower, words)), 1, 0.7)
        hint = f" Did you mean {next(w for w in words if w.lower() == near[0])!r}?" if near else ""
        listed = f" It takes {', '.join(map(repr, words))}." if not near and len(words) < _MANY else ""
        yield f"does not take {value!r} for {name!r}.{hint}{listed}"


@cache
def _taken() -> dict[int, dict[str, list[str]]]:
    """The words of arguments, by what has them, as ``scripts/make_words.py`` reads them off MindSpore."""
    found: dict[int, dict[str, list[str]]] = {}
    for line in (DATA / "words.tsv").read_text(encoding="utf-8").splitlines():
        name, argument, words = line.split("\t")
        found.setdefault(id(look_up(name).found), {})[argument] = words.split()
    return found


def _starts(found) -> tuple[str, ...]:
    from ms2torch.common.initializer import initializer

    return ("init",) if found is initializer else _STARTS


@cache
def _initializers() -> list[str]:
    from ms2torch.common import initializer

    return sorted(initializer._INITIALIZER_ALIAS)
