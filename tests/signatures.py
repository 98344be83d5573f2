"""Our signatures beside those of MindSpore 2.10: reading its table, finding ours, saying what differs."""

from __future__ import annotations

import importlib
import inspect
import itertools
import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

import ms2torch
from ms2torch._core.module import Guarded
from ms2torch._naming import surface
from tests.signature_text import ANYTHING, of_class, of_function, split_arguments

THEIRS = Path(__file__).parent / "signatures_2_10.tsv"
EXTRAS = Path(__file__).parent / "signature_extras.txt"


class Extra(NamedTuple):
    """A listed difference: what ours looks like, and why."""

    signature: str
    reason: str


@cache
def theirs() -> dict[str, str]:
    """MindSpore's signatures by name; forms are joined by `` | ``."""
    return dict(line.split("\t") for line in THEIRS.read_text().splitlines())


@cache
def extras() -> dict[str, Extra]:
    """The listed differences: a line with ``# `` is the reason of the rows under it."""
    found, reason = {}, ""
    for line in EXTRAS.read_text().splitlines():
        if line.startswith("## "):
            continue
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            name, signature = line.split("\t")
            found[name] = Extra(signature, reason)
    return found


def find(full: str):
    """What ms2torch has under a public name of MindSpore's; None where it has nothing yet."""
    found: object = ms2torch
    parts = full.split(".")
    for i, part in enumerate(parts[1:], 2):
        if isinstance(found, type):
            owner = next((c for c in found.__mro__ if part in vars(c)), None)
            return None if owner is None else vars(owner)[part]
        if isinstance(found, surface.Missing):
            return None
        if inspect.isfunction(found) and surface.has_module(".".join(parts[: i - 1])):
            found = importlib.import_module(surface.our_name(".".join(parts[: i - 1])))  # common.tensor
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(surface.our_name(".".join(parts[:i])))
            except ImportError:
                return None
    return None if isinstance(found, surface.Missing) else found


def ours(full: str) -> str | None:
    """The text of our signature under a public name; None where there is nothing, or nothing to call."""
    found = find(full)
    if isinstance(found, type):
        text = of_class(found)
        if text is not None and " call" in theirs()[full]:
            text += " call" + of_function(found.__call__, bound=True)
        return text
    if isinstance(found, (property, Guarded)) or not callable(getattr(found, "__func__", found)):
        return None
    method = isinstance(find(full.rpartition(".")[0]), type)
    bound = method and not isinstance(found, staticmethod)
    return of_function(getattr(found, "__func__", found), bound)


def _names(text: str) -> list[str]:
    return [a.partition("=")[0] for a in split_arguments(text[1:-1])]


def _by_position(names: list[str]) -> float:
    """How many arguments go by position: any number where a name begins with one star."""
    before = list(itertools.takewhile(lambda n: not n.startswith("*"), names))
    return math.inf if any(n.startswith("*") and n.strip("*") for n in names[len(before) :]) else len(before)


def _accepts(mine: str, form: str, also: tuple[str, ...]) -> bool:
    """Whether a signature takes what a form names: every argument by its name, as many by position."""
    have, want = _names(mine), _names(form)
    named = {*have, *also}
    return (_by_position(have) >= min(_by_position(want), len(want))
            and all(n in named or n.startswith("*") or "**kwargs" in named for n in want))


def agree(mine: str, real: str, also: tuple[str, ...] = ()) -> bool:
    """Whether our signature is MindSpore's, or takes each of its forms where it has several.

    ``also`` are names that ours takes without showing them.
    """
    if real.startswith(ANYTHING) or mine == real:
        return True
    forms = real.split(" | ")
    return len(forms) > 1 and all(mine == form or _accepts(mine, form, also) for form in forms)


def also_taken(full: str) -> tuple[str, ...]:
    """The argument names of other releases that ours takes under a public name (see ``spelled``)."""
    return getattr(find(full), "also", ())
