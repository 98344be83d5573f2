"""One spelling for signatures, so that MindSpore's and ours can be compared as text.

Annotations are left out; a default is spelled by its value where it has one, else by its kind:
``(x, axis=None, *, dtype=mindspore.float32, interpolation=Inter.LINEAR, fn=<function>)``.
Runs in the reference environment too: standard library alone.
"""

from __future__ import annotations

import enum
import inspect
import re
import types

ANYTHING = "(*args, **kwargs)"


def default(value) -> str:
    """How a default value is spelled."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(default, value))
        closing = ",)" if isinstance(value, tuple) and len(value) == 1 else ")"
        return f"({inner}{closing}" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{default(k)}: {default(v)}" for k, v in value.items()) + "}"
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, types.FunctionType):
        return "<function>"
    shown = repr(value)
    return shown if re.fullmatch(r"mindspore\.\w+|Prim\[.*", shown) else f"<{type(value).__name__}>"


def _unwrapped(function):
    """The function under decorators that hide its arguments."""
    seen = set()
    while id(function) not in seen:
        seen.add(id(function))
        if hasattr(function, "__wrapped__"):
            function = function.__wrapped__
            continue
        if not isinstance(function, types.FunctionType) or function.__closure__ is None:
            break
        shown = [p.kind for p in inspect.signature(function).parameters.values() if p.name != "self"]
        if shown != [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
            break
        cells = [c.cell_contents for c in function.__closure__ if c.cell_contents is not None]
        inner = [c for c in cells if isinstance(c, types.FunctionType)]
        if len(inner) == 1:
            function = inner[0]
    return function


def of_function(function, bound: bool = False) -> str | None:
    """The text of a function's signature, without ``self`` if ``bound``; None where there is none to see."""
    try:
        signature = inspect.signature(_unwrapped(function))
    except (TypeError, ValueError):
        return None
    parameters = list(signature.parameters.values())
    if bound and parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        parameters = parameters[1:]
    return of_parameters(parameters)


def of_parameters(parameters) -> str:
    """The text for a list of parameters."""
    parts, starred = [], False
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            parts.append("*" + p.name)
            starred = True
        elif p.kind is p.VAR_KEYWORD:
            parts.append("**" + p.name)
        else:
            if p.kind is p.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            parts.append(p.name if p.default is p.empty else f"{p.name}={default(p.default)}")
    return f"({', '.join(parts)})"


def of_class(cls: type) -> str | None:
    """The text of what a class takes when it is made."""
    if issubclass(cls, enum.Enum):
        return None
    for part in cls.__mro__[:-1]:
        given = part.__dict__.get("__signature__")
        if isinstance(given, inspect.Signature):
            return of_parameters(given.parameters.values())
        made = part.__dict__.get("__init__")
        if made is not None:
            return of_function(made, bound=True)
    return "()"


def split_arguments(text: str) -> list[str]:
    """The top-level parts of an argument list: ``a, b=(1, 2)`` as ``a`` and ``b=(1, 2)``."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [p for p in parts if p]
