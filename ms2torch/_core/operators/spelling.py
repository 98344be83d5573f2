"""The arguments of a form: those of its definition, or others that a signature in words declares.

A form that differs from its definition in names, defaults or kinds of arguments alone is declared by its
signature: ``mint="bmm(input, mat2)"``. Its arguments are the definition's in their order; it may leave out
the last ones. ``other|tensor2`` takes either name. Where other releases call arguments of the definition
itself by other names, `spelled` says so.
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any, NamedTuple

_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class Omitted:
    """The default of an argument that may be left out and may not be None; it is shown as None."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "None"


OMITTED = Omitted()


class Arguments(NamedTuple):
    """What a form takes: names and defaults as in ``def f(*positional, *, named)``."""

    positional: tuple[str, ...]
    defaults: tuple = ()                            # of the last positional ones
    named: tuple[str, ...] = ()
    kwdefaults: dict[str, Any] | None = None
    also: dict[str, str] = {}                       # other names -> the names above

    @property
    def names(self) -> tuple[str, ...]:
        return self.positional + self.named

    def default(self, place: int):
        """The default of an argument by its place in `names`; ``inspect.Parameter.empty`` where none."""
        if place >= len(self.positional):
            return (self.kwdefaults or {}).get(self.names[place], inspect.Parameter.empty)
        back = place - len(self.positional)
        return self.defaults[back] if -back <= len(self.defaults) else inspect.Parameter.empty

    def signature(self) -> inspect.Signature:
        kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(self.positional)
        kinds += [inspect.Parameter.KEYWORD_ONLY] * len(self.named)
        return inspect.Signature([inspect.Parameter(n, kind, default=self.default(i))
                                  for i, (n, kind) in enumerate(zip(self.names, kinds, strict=True))])


def told_apart(shown: Arguments, names) -> Arguments:
    """``shown``, in which a None that was given for one of ``names`` is another thing than one left out."""
    def apart(n: str, default):
        return OMITTED if default is None and any(
            shown.also.get(other, other) == n for other in names) else default

    free = shown.positional[len(shown.positional) - len(shown.defaults):]
    named = shown.kwdefaults and {n: apart(n, d) for n, d in shown.kwdefaults.items()}
    return shown._replace(defaults=tuple(map(apart, free, shown.defaults)), kwdefaults=named)


def arguments(kernel) -> Arguments | None:
    """Those of a definition; None where they cannot be counted."""
    code = getattr(kernel, "__code__", None)
    if code is None or code.co_flags & _VARIADIC or hasattr(kernel, "__wrapped__"):
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return Arguments(names[: code.co_argcount], kernel.__defaults__ or (), names[code.co_argcount :],
                     kernel.__kwdefaults__, getattr(kernel, "also", {}))


def declared(text: str) -> tuple[str, Arguments | None]:
    """Name and arguments of a form from its declaration; no arguments where it is a name alone."""
    if "(" not in text:
        return text, None
    also = {}
    for name, others in re.findall(r"(\w+)\|([\w|]+)", text):
        also.update(dict.fromkeys(others.split("|"), name))
    made = ast.parse(f"def {re.sub(r'[|][|_a-zA-Z0-9]+', '', text)}: 0").body[0]
    takes, values = made.args, ast.literal_eval
    named = tuple(a.arg for a in takes.kwonlyargs)
    kwdefaults = {n: values(d) for n, d in zip(named, takes.kw_defaults, strict=True) if d is not None}
    return made.name, Arguments(tuple(a.arg for a in takes.args), tuple(map(values, takes.defaults)), named,
                                kwdefaults or None, also)


def spelled(**names):
    """Let a definition take the argument names of other releases too: ``spelled(axis="dim")`` takes axis=
    for dim=.
    """

    def decorate(kernel):
        kernel.also = names
        return kernel

    return decorate
