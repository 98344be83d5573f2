"""Which argument of a MindSpore form is which: the definition's own names, whatever the form calls them."""

from __future__ import annotations

import inspect
from functools import cache
from typing import NamedTuple

from ms2torch._core.operators.registry import METHODS, Primitive

from .inferred import resolve

# What the recurrent layers take, whose signature does not say it.
_RECURRENT = (
    "input_size",
    "hidden_size",
    "num_layers",
    "has_bias",
    "batch_first",
    "dropout",
    "bidirectional",
)


class Form(NamedTuple):
    """How a MindSpore name takes its arguments: ``kernel``, the definition behind it (None where there is
    none), the definition's names by the form's, and the names in order. ``made`` are a class's own.
    """

    kernel: object
    names: dict[str, str]
    order: tuple[str, ...]
    made: tuple[str, ...] = ()
    defaults: dict[str, object] = {}
    rest: str = ""


def _signature(function) -> inspect.Signature:
    try:
        if isinstance(function, type) and inspect.isfunction(function.__init__) and not hasattr(
                function, "__signature__"):
            # (Before Python 3.11.4 `inspect` asks `__new__`, which a run that is watched gives every Cell.)
            own = inspect.signature(function.__init__)
            return own.replace(parameters=list(own.parameters.values())[1:])
        return inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.Signature()


@cache
def form_of(path: str) -> Form | None:
    """The form behind a dotted MindSpore name; ``mindspore.Tensor.x`` are Tensor's methods."""
    if path.startswith("mindspore.Tensor."):
        name = path.rpartition(".")[2]
        from ms2torch import Parameter, Tensor

        function = METHODS.get(name) or getattr(Tensor, name, None) or getattr(Parameter, name, None)
        return _of_function(function) if callable(function) else None
    thing = resolve(path)
    if isinstance(thing, type):
        return _of_class(thing)
    return _of_function(thing) if callable(thing) else None


def _of_function(function) -> Form:
    kernel = getattr(function, "kernel", None)
    shown = _signature(function).parameters
    kinds = {p.kind for p in shown.values()}
    names = {name: name for name, p in shown.items()}
    if kernel is not None and inspect.Parameter.VAR_POSITIONAL not in kinds:
        own = _signature(kernel).parameters
        names = dict(zip(shown, own, strict=False))
        names |= {other: name for other, name in getattr(function, "also", {}).items() if name in own}
        names = {n: names.get(m, m) for n, m in names.items()}
    order = tuple(
        names.get(n, n)
        for n, p in shown.items()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    )
    defaults = {names.get(n, n): p.default for n, p in shown.items() if p.default is not p.empty}
    rest = next((n for n, p in shown.items() if p.kind is p.VAR_POSITIONAL), "")
    return Form(kernel, names, order, (), defaults, rest)


def _of_class(cls: type) -> Form:
    if issubclass(cls, Primitive) and getattr(cls, "kernel", None) is not None:
        made = tuple(cls._init)
        own = _signature(cls.kernel).parameters
        order = tuple(n for n in own if n not in made)
        call = [n for n in _signature(cls.__call__).parameters if n != "self"]
        names = {**{n: n for n in own}, **dict(zip(call, order, strict=False))}
        defaults = {n: p.default for n, p in own.items() if p.default is not p.empty} | cls._init
        return Form(cls.kernel, names, order, made, defaults)
    made = dict(_signature(cls).parameters)
    rest = next((n for n, p in made.items() if p.kind is p.VAR_POSITIONAL), "")
    if cls.__name__ in ("LSTM", "GRU", "RNN"):
        made, rest = dict.fromkeys(_RECURRENT, inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY)), ""
    made = {n: p for n, p in made.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    call = getattr(cls, "construct", None) or cls.__call__
    order = tuple(n for n, p in _signature(call).parameters.items() if n != "self")
    defaults = {n: p.default for n, p in made.items() if p.default is not p.empty}
    names = {n: n for n in (*made, *order)}
    return Form(None, names, order, tuple(made), defaults, rest)


def bind(names, order, args, rest: str = "") -> dict[str, object] | None:
    """libcst arguments by name; None where they are not told one by one (``*args``) or do not fit."""
    bound: dict[str, object] = {}
    for i, arg in enumerate(args):
        if arg.star == "**":
            return None
        if arg.star:
            if rest and (i == 0 or i >= len(order)):
                bound.setdefault(rest, []).append(arg)
                continue
            return None
        if arg.keyword is not None:
            bound[names.get(arg.keyword.value, arg.keyword.value)] = arg.value
        elif i < len(order) and not (rest and i >= len(order)):
            bound[order[i]] = arg.value
        elif rest:
            bound.setdefault(rest, []).append(arg)
        else:
            return None
    return bound
