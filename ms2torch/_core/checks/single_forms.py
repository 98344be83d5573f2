"""Methods and functions of which MindSpore has one form: what its parser says to arguments that do not fit.

single_forms.tsv, which scripts/sweep/single_forms.py reads off the real one. A line: the public name, what
errors call it ("*" behind it: the first argument takes any number of ints too), the arguments; those by name
alone behind a "*". An argument: its name, what errors say that it must be, "?" where it has a default, the
classes of values that are taken. "mint.max 3" is the form of which MindSpore tells where an overloaded
function is given three arguments: the only one that takes as many.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from ms2torch._core.checks.calls import describe, type_name
from ms2torch._core.tensor.dtype import Type


class Argument(NamedTuple):
    """``kind`` is what errors say that it must be, ``taken`` the classes of what is taken."""

    name: str
    kind: str
    needed: bool
    taken: frozenset[str]


def _read() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    alone, counted = {}, {}
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, *rest = line.split("\t")
        name, _, counts = name.partition(" ")
        if not counts:
            alone[name] = rest
        for count in counts.split(","):
            counted[f"{name} {count}"] = rest
    return alone, counted


# By name; by name and the number of arguments.
SINGLE_FORMS, COUNTED_FORMS = _read()
_NOT_GIVEN = object()
_UNPACKED = {"Tensor.view": "shape", "Tensor.permute": "dims"}


@cache
def _arguments(public: str) -> tuple[tuple[Argument, ...], int]:
    """The arguments, and how many may go by position."""
    cells = (SINGLE_FORMS if public in SINGLE_FORMS else COUNTED_FORMS)[public][1:]
    found = []
    for cell in cells:
        if cell != "*":
            told, *taken = cell.split("+")
            name, kind = told.split("=")
            found.append(Argument(name, kind.rstrip("?"), "?" not in kind, frozenset(taken)))
    return tuple(found), cells.index("*") if "*" in cells else len(cells)


def single_form_error(public: str, given, named: dict, nullable=frozenset()) -> TypeError | None:
    """MindSpore's error where arguments by position and by name do not fit; ``nullable`` are those that may
    be None."""
    if public not in SINGLE_FORMS and (public := f"{public} {len(given) + len(named)}") not in COUNTED_FORMS:
        return None
    called, (arguments, count) = (SINGLE_FORMS.get(public) or COUNTED_FORMS[public])[0], _arguments(public)
    any_number, called = called.endswith("*"), called.rstrip("*")
    packed = any_number and given and not isinstance(given[0], (tuple, list, torch.Tensor, type(None)))
    if packed:
        given = [tuple(given)]
    elif any_number:
        if len(given) > 1:
            return TypeError(f"{called}() got extra positional args.")
        if named.get(arguments[0].name).__class__ is int:
            return _unfit(called, arguments[0], named[arguments[0].name], None, packed)
    if len(given) > count:
        was = "was" if len(given) == 1 else "were"
        return TypeError(f"{called}() takes {count} positional arguments but {len(given)} {was} given.")
    for place, argument in enumerate(arguments):
        value = given[place] if place < len(given) else named.get(argument.name, _NOT_GIVEN)
        if value is _NOT_GIVEN:
            if argument.needed:
                return TypeError(f"{called}() missing 1 required positional argument: {argument.name}.")
        elif not _fits(value, argument) or (
                packed and not place and _unpacking(called, argument.name, "", value)):
            at = place if place < len(given) else None
            return _unfit(called, argument, value, at, packed)
    for name in named:
        if name in [a.name for a in arguments[:len(given)]]:
            return TypeError(f"{called}() got multiple values for argument '{name}'.")
        if name not in [a.name for a in arguments]:
            return TypeError(f"{called}() got an unexpected keyword argument '{name}'.")
    for place, argument in enumerate(arguments):
        value = given[place] if place < len(given) else named.get(argument.name, _NOT_GIVEN)
        if value is None and (argument.needed or argument.name not in nullable):
            return TypeError(f"{called}(): missing 1 required positional argument: {argument.name}.")
    return None


def odd_classes(public: str) -> dict[str, frozenset[type]]:
    """By argument the classes of plain values that torch may take there, and MindSpore never does; None is
    one where it is no default. (Where it wants a Tensor torch does too.)"""
    arguments, _ = _arguments(public)
    return {a.name: frozenset((type(None), *(c for c, v in _PLAIN.items() if not _fits(v, a))))
            for a in arguments if a.kind != "Tensor" and not SINGLE_FORMS[public][0].endswith("*")}


def unpacking_error(public: str, given) -> TypeError | None:
    """What the parser says of sizes of which a later one is no int, by an overloaded method that takes any
    number of them."""
    name = _UNPACKED.get(public)
    return _unpacking(public.rpartition(".")[2], name, "tuple of int", given) if name and given and _is(
        given[0], "int") else None


def _unpacking(called: str, name: str, kind: str, values) -> TypeError | None:
    wrong = next((k for k, v in enumerate(values) if not (_is(v, "int") or _is(v, "numpy number"))), 0)
    return TypeError(f"{called}(): argument '{name}'(position 0) should be {kind}, but unpack failed at pos "
                     f"{wrong} (got {describe(values[wrong])}).") if wrong else None


def _unfit(called: str, argument: Argument, value, place: int | None, packed: bool) -> TypeError:
    name, kind, got = argument.name, argument.kind, type_name(value)
    if place is None:
        return TypeError(f"{called}(): argument '{name}' must be {kind} but got {got}.")
    at = f"argument '{name}' (position {place + 1}) must be {kind}"
    if packed:
        if wrong := _unpacking(called, name, kind, value):
            return wrong
        got = type_name(value[0])
    if "of" in kind and (isinstance(value, (tuple, list)) or called == "empty"):
        return TypeError(f"{called}(): {at} but found type of {got} at pos 0.")
    return TypeError(f"{called}(): {at}, not {got}.")


_PLAIN = {type(v): v for v in (True, 1, 1.0, 1j, "", (1,), [1], {}, np.zeros(1), np.bool_(1), np.int32(1),
                               np.int64(1), np.float32(1), np.float64(1), float)}


def _fits(value, argument: Argument) -> bool:
    if isinstance(value, np.bool_):                 # a number where bools are such, and no flag
        return {"numpy number", "bool"} <= argument.taken
    return value is None or any(_is(value, kind) for kind in argument.taken) or (
        isinstance(value, torch.Tensor) and value.ndim == 0 and argument.kind in ("int", "float", "Number"))


def _is(value, kind: str) -> bool:
    if kind == "Tensor":
        return isinstance(value, torch.Tensor)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "numpy number":
        return isinstance(value, np.number)
    if kind == "mstype":
        return isinstance(value, (Type, torch.dtype)) or value is bool
    holder, _, inner = kind.partition(" of ")
    if inner:
        return isinstance(value, {"tuple": tuple, "list": list}[holder]) and \
            (not value or _is(value[0], inner) or isinstance(value[0], (torch.Tensor, np.number)))
    return isinstance(value, {"float": float, "bool": bool, "str": str}.get(kind, ()))
