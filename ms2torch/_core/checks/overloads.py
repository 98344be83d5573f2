"""The forms of methods and functions of which MindSpore has several: overloads.tsv, read off its errors.

A line: the public name, what its errors call it, the arguments of each form with their kinds. It is read
after a call has failed: where the arguments fit no form the error says so, whatever the computation said.
Before a call only arguments of a class that no form takes in their place are suspicious.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import torch

from ms2torch._core.tensor.dtype import Type


def _read() -> dict[str, list[str]]:
    text = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {name: rest for name, *rest in rows}


OVERLOADS = _read()
_NUMBERS = (int, float, np.number, np.bool_)
_WHOLE = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
_SEQUENCES = {"tuple": tuple, "list": list}
# Kinds of arguments that may be Tensors; for an int only a whole one without axes.
_TENSORS_TOO = {"Tensor", "Any", "Number", "float"}
_PLAIN = {type(v): v for v in (None, True, 1, 1.0, 1j, "", (1,), [1], {}, np.zeros(1), np.bool_(1),
                               np.int32(1), np.int64(1), np.float32(1), np.float64(1), float,
                               *map(np.dtype, "?bhilBHILefdFD"))}


@cache
def _forms(name: str) -> tuple[tuple[tuple[str, ...], dict[str, tuple[str, ...]]], ...]:
    """(names of the arguments that may go by position, kinds by name) of each form."""
    found = []
    for form in OVERLOADS[name][1:]:
        free, _, _ = form.partition("*")
        asked = (part.split("=") for part in form.split(", ") if "=" in part)
        kinds = {n: tuple(listed.split("|")) for n, listed in asked}
        found.append((tuple(n for n in kinds if f"{n}=" in free), kinds))
    return tuple(found)


def overload_error(name: str, given, named, call_text: str, unbound: bool) -> TypeError | None:
    """MindSpore's error where arguments by position and by name fit none of the forms of ``name``;
    ``unbound``: where some are missing or too many."""
    if name not in OVERLOADS or (not unbound and any(_fits(form, given, named) for form in _forms(name))):
        return None
    called = OVERLOADS[name][0]
    return TypeError(f'Failed calling {called} with "{called}{call_text}".{valid_calls(name)}')


def valid_calls(name: str) -> str:
    """What an error adds about the forms of ``name``; nothing where it has none here."""
    called, *forms = OVERLOADS.get(name, ("",))
    called = name if name.startswith("Tensor.") else called
    forms = [f'"{called}({_told(form)})"' for form in forms]
    return "\n".join(["\nThe valid calling should be:", *forms]) if forms else ""


def _told(form: str) -> str:
    """The arguments of a form in MindSpore's words: ``dim=None|int`` is ``dim=<None, int>``."""
    parts = (part.partition("=") for part in form.split(", "))
    return ", ".join(f"{n}=<{kinds.replace('|', ', ')}>" if kinds else n for n, _, kinds in parts)


@cache
def names_in_forms(name: str) -> frozenset[str]:
    """What the forms of ``name`` call their arguments."""
    return frozenset(n for _, takes in _forms(name) for n in takes) if name in OVERLOADS else frozenset()


@cache
def never_none(name: str) -> frozenset[str]:
    """The arguments of ``name`` that are None in none of its forms: there it is not what was left out."""
    kinds: dict[str, set[str]] = {}
    for _, takes in _forms(name) if name in OVERLOADS else ():
        for n, listed in takes.items():
            kinds.setdefault(n, set()).update(listed)
    return frozenset(n for n, listed in kinds.items() if listed.isdisjoint(("None", "Any")))


@cache
def suspicious(name: str) -> dict[str, frozenset[type]]:
    """By argument the classes of plain values that none of the forms of ``name`` takes there."""
    kinds: dict[str, set[str]] = {}
    for _, takes in _forms(name):
        for n, listed in takes.items():
            kinds.setdefault(n, set()).update(listed)
    return {n: found for n, listed in kinds.items()
            if (found := frozenset([*(c for c, v in _PLAIN.items() if not any(_is(v, k) for k in listed)),
                                    *([] if listed & _TENSORS_TOO else [torch.Tensor])]))}


def _fits(form, given, named) -> bool:
    places, kinds = form
    if len(given) > len(places) or not named.keys() <= kinds.keys() - set(places[:len(given)]):
        return False
    pairs = (*zip(places, given, strict=False), *named.items())
    return all(any(_is(value, kind) for kind in kinds[n]) for n, value in pairs)


def _is(value, kind: str) -> bool:
    if kind == "Tensor":
        return isinstance(value, torch.Tensor)
    if kind == "Any":
        return value is not None
    if kind == "None":
        return value is None
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int":
        return (isinstance(value, (int, np.integer)) and not isinstance(value, bool)) or (
            isinstance(value, torch.Tensor) and not value.ndim and value.dtype in _WHOLE)
    if kind in ("Number", "float"):
        return isinstance(value, _NUMBERS) or (isinstance(value, torch.Tensor) and not value.ndim)
    if kind == "string":
        return isinstance(value, str)
    if kind == "mstype":
        return isinstance(value, (Type, torch.dtype)) or value is bool
    holder, _, inner = kind.partition(" of ")
    return isinstance(value, _SEQUENCES[holder]) and (not inner or all(_is(v, "int") for v in value))
