"""What a graph says to a call of an overloaded Tensor method that fits none of its forms.

overloads.tsv has the forms of each method as MindSpore's compiler prints them, read off the real one; a
method without forms there has a single one, whose errors name no forms.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor

# Methods that take the numbers of one argument one by one.
_SPREAD = {"broadcast_to": "shape", "new_empty": "size", "new_ones": "size", "new_zeros": "size",
           "repeat": "repeats", "reshape": "shape", "view": "shape"}


class Form(NamedTuple):
    """One valid call: its text, and the kinds of its arguments by name; the first ``positional`` of them may
    be given by position."""

    text: str
    kinds: dict[str, tuple[str, ...]]
    positional: int

    def reason(self, args, kwargs) -> str:
        """Why these arguments do not fit, as MindSpore's list of forms says it; "" where it is silent."""
        count = len(args) + len(kwargs)
        if not self.positional <= count <= len(self.kinds):
            return ""
        if unknown := self.unknown(kwargs):
            return f"\n\tmatch failed because incorrect keyword name: {unknown}"
        shown, marks = [], []
        for place, (name, value) in enumerate([*((None, v) for v in args), *kwargs.items()]):
            text = described(value) if name is None else f"{name}={described(value)}"
            wrong = kwargs or len(args) > self.positional or not self.takes(name, place, value)
            shown.append(text)
            marks.append(("~" if wrong else " ") * (len(text) + 2))
        under = "".join(marks).rstrip() if len(marks) == 1 else _underline(shown, marks)
        return f"\n    match failed because invalid types: ({', '.join(shown)})\n{' ' * 41}{under}"

    def unknown(self, kwargs) -> str | None:
        return next((n for n in kwargs if n not in self.kinds), None)

    def takes(self, name, place: int, value) -> bool:
        if name is None:
            name = list(self.kinds)[place] if place < self.positional else None
        kinds = self.kinds.get(name, ())
        numbers = isinstance(value, (tuple, list)) and "int" in kinds
        fits = any(_is(value, kind) for kind in kinds)
        return fits and not (numbers and any(isinstance(v, str) for v in value))

    def fits(self, args, kwargs) -> bool:
        """Whether these arguments are of the right kinds and no Tensor is missing; the text does not say
        which of the others have defaults."""
        lacks = any(kinds == ("Tensor",) and place >= len(args) and name not in kwargs
                    for place, (name, kinds) in enumerate(self.kinds.items()))
        return not lacks and len(args) <= self.positional and not self.unknown(kwargs) and all(
            self.takes(n, k, v) for k, (n, v) in enumerate([*((None, v) for v in args), *kwargs.items()]))


def _underline(shown, marks) -> str:
    """Marks under a list of arguments; those of neighbours meet."""
    line, at = [" "] * (sum(map(len, shown)) + 2 * len(shown)), 0
    for text, mark in zip(shown, marks, strict=True):
        if mark[0] == "~":
            line[at : at + len(mark)] = mark
        at += len(text) + 2
    return "".join(line).rstrip()


@cache
def _forms() -> dict[str, tuple[Form, ...]]:
    table = {}
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines():
        name, _, forms = line.partition("\t")
        table[name] = tuple(_form(name, text) for text in forms.split("|")) if forms or "\t" in line else ()
    return table


def _form(name: str, text: str) -> Form:
    before = text.partition("*, ")[0]
    kinds = {n: tuple(k.split(",")) for n, k in re.findall(r"(\w+)=<([^>]*)>", text)}
    return Form(f"Tensor.{name}({text})", kinds, before.count("=<"))


def refused(name: str, args: list, kwargs: dict) -> TypeError | None:
    """The compiler's error for ``x.name(*args, **kwargs)``, None where a form takes it or none is known."""
    forms = _forms().get(name)
    together = len(args) == 1 and (forms or isinstance(args[0], (tuple, list, Tensor)))
    if name in _SPREAD and not kwargs and not together:
        wrong = next((k for k, v in enumerate(args) if not _is(v, "int")), None)
        return None if wrong is None else TypeError(
            f"{name}(): argument '{_SPREAD[name]}' (position {wrong + 1}) must be tuple of int, not "
            f"{described(args[wrong])}.")
    if forms is None:
        return None
    if not forms:
        return _of_one(name, args, kwargs)
    if (args or kwargs) and any(form.fits(args, kwargs) for form in forms):
        return None
    if not args and not kwargs and not all(form.kinds for form in forms):
        return None
    count = len(args) + len(kwargs)
    near = [form for form in forms if form.positional <= count <= len(form.kinds)]
    if len(near) == 1 and len(forms) > 1:
        return _nearly(name, near[0], args, kwargs)
    return _none(name, forms, args, kwargs)


def _none(name, forms, args, kwargs) -> TypeError:
    given = ", ".join([*map(described, args), *(f"{n}={described(v)}" for n, v in kwargs.items())])
    listed = "".join(f'\n"{form.text}"{form.reason(args, kwargs)}' for form in forms)
    return TypeError(f'Failed calling {name} with "{name}({given})".\nThe valid calling should be:{listed}\n')


def _nearly(name, form: Form, args, kwargs) -> TypeError:
    """The error where one form alone takes so many arguments."""
    if unknown := form.unknown(kwargs):
        return TypeError(f"match failed because incorrect keyword name: {unknown}")
    if len(args) > form.positional:
        return _too_many(name, form.positional, len(args))
    for place, value in enumerate(args):
        if not form.takes(None, place, value):
            argument = list(form.kinds)[place]
            return TypeError(f"{name}(): argument '{argument}' (position {place + 1}) must be "
                             f"{_said(form.kinds[argument])}, not {described(value)}.")
    argument, value = next((n, v) for n, v in kwargs.items() if not form.takes(n, 0, v))
    return TypeError(f"{name}(): argument '{argument}' must be {_said(form.kinds[argument])} but got "
                     f"{'list of Any' if isinstance(value, list) else described(value)}")


def _of_one(name, args, kwargs) -> TypeError | None:
    try:
        takes = list(inspect.signature(getattr(Tensor, name)).parameters.values())[1:]
    except (AttributeError, TypeError, ValueError):
        return None
    names = [p.name for p in takes if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in takes):
        return None
    if unknown := next((n for n in kwargs if n not in [p.name for p in takes]), None):
        return TypeError(f"match failed because incorrect keyword name: {unknown}")
    if len(args) > len(names):
        return _too_many(name, len(names), len(args))
    missing = [p for p in takes[len(args):] if p.default is p.empty and p.name not in kwargs]
    return TypeError(f"{name}() missing {len(missing)} required argument") if missing else None


def _too_many(name: str, most: int, count: int) -> TypeError:
    return TypeError(f"{name}() takes {most} positional arguments but {count} "
                     f"{'was' if count == 1 else 'were'} given.")


def _said(kinds: tuple[str, ...]) -> str:
    return {"number": "Number", "str": "string"}.get(kinds[0], kinds[0])


def described(value) -> str:
    """A value's kind as the compiler prints it in a call: ``list<int, string>``."""
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}<{', '.join(map(described, value))}>"
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, Type):
        return "mindspore.dtype"
    return {bool: "bool", int: "int", float: "float", str: "string", type(None): "None"}.get(
        type(value), type(value).__name__)


def _is(value, kind: str) -> bool:
    return {
        "Tensor": lambda: isinstance(value, Tensor),
        "int": lambda: isinstance(value, int) and not isinstance(value, bool),
        "number": lambda: isinstance(value, (int, float, complex)),
        "bool": lambda: isinstance(value, bool),
        "float": lambda: isinstance(value, float),
        "None": lambda: value is None,
        "Tuple": lambda: isinstance(value, tuple),
        "List": lambda: isinstance(value, list),
        "str": lambda: isinstance(value, str),
        "mstype": lambda: isinstance(value, Type),
    }.get(kind, lambda: True)()
