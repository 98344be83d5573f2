"""What MindSpore's operators make of the attributes that they are given: ``ops.Conv2D(3, 2).stride`` is
(1, 1, 1, 1).

The table ``attribute_forms.tsv`` has a line for each such operator. A form is ``upper``, ``float``, ``list``,
``tuple``, or ``k+n``: a number n times (a tuple of n as it is), behind k ones for the axes of batch and
channels; ``enum``, ``id``, ``older``, ``ge`` and ``name`` are the numbers and names that MindSpore's core has
for words and dtypes (`attribute_words`); ``None:value`` says what None is kept as. ``form>attribute`` is kept
under that name, beside the argument as it came (``>>``: which the operator's own attribute is too);
``form|argument`` takes that other argument's value where its own is none.

``further_attributes.tsv`` has the names of an operator's inputs and outputs where it keeps them, and the
attributes that it has beside its arguments: literals, or the names of arguments; ``-`` where it keeps none of
its arguments.

``attribute_numbers.tsv`` names those that may be Tensors of one number, and behind a second tab those whose
elements may.
"""

from __future__ import annotations

import inspect
import re
from ast import literal_eval
from collections.abc import Callable
from functools import cache, partial, wraps
from pathlib import Path

import torch

from ms2torch._core.operators import attribute_words
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor

_UNSHOWN = ("input_names", "output_names")


@cache
def _table() -> dict[str, dict[str, Callable]]:
    found = {}
    for line in Path(__file__).with_suffix(".tsv").read_text().splitlines():
        name, given = line.split("\t")
        forms = (one.split("=") for one in given.split())
        found[name] = {attribute: _form(re.split("[>|]", form)[0]) for attribute, form in forms}
    return found


@cache
def _standing_in() -> dict[tuple[str, str], str]:
    """By operator and argument: the argument whose value it has where its own is none."""
    rows = (line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text().splitlines())
    return {(name, one.partition("=")[0]): one.partition("|")[2]
            for name, given in rows for one in given.split() if "|" in one}


@cache
def _added() -> dict[tuple[str, str], str]:
    """By operator and argument: the attribute that its form is kept as, its own being as it came."""
    rows = (line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text().splitlines())
    return {(name, one.partition("=")[0]): one.partition(">>")[2]
            for name, given in rows for one in given.split() if ">>" in one}


@cache
def _elsewhere() -> dict[str, dict[str, str]]:
    """Of each operator: the arguments whose form is kept under another name."""
    found: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_suffix(".tsv").read_text().splitlines():
        name, given = line.split("\t")
        for argument, form in (one.split("=") for one in given.split()):
            if ">" in form and ">>" not in form:
                found.setdefault(name, {})[argument] = form.partition(">")[2]
    return found


def _form(form: str) -> Callable:
    if form.startswith("None:"):
        return partial(_for_none, literal_eval(form[5:]))
    if form in attribute_words.FORMS:
        return attribute_words.FORMS[form]
    if "+" not in form:
        return {"upper": _upper, "float": _float, "list": _list, "tuple": _tuple}[form]
    ones, count = map(int, form.split("+"))
    return partial(_spread, ones, count)


def _upper(value):
    return value.upper() if isinstance(value, str) else value


def _float(value):
    return float(value) if value.__class__ is int else value


def _list(value):
    return [value] if value.__class__ is int else value


def _tuple(value):
    return (value,) if value.__class__ is int else tuple(value) if value.__class__ is list else value


def _for_none(instead, value):
    return (instead if instead.__class__ is not list else [*instead]) if value is None else value


def _spread(ones: int, count: int, value):
    if value.__class__ is int:
        value = (value,) * count
    elif not (isinstance(value, (tuple, list)) and len(value) == count):
        return value
    return (1,) * ones + tuple(value)


@cache
def _further() -> dict[str, tuple[bool, dict, dict]]:
    """Of each operator: whether its arguments are attributes, others' values, others' arguments."""
    found = {}
    for line in Path(__file__).with_name("further_attributes.tsv").read_text().splitlines():
        name, inputs, outputs, others = (*line.split("\t"), "", "")[:4]
        values = {"input_names": _names(inputs), "output_names": _names(outputs)} if inputs or outputs else {}
        pairs = [one.partition("=")[::2] for one in others.split() if one != "-"]
        meant = {key: value for key, value in pairs if value.isidentifier() and value != "True"}
        values.update((key, None if key in meant else literal_eval(value)) for key, value in pairs)
        found[name] = "-" not in others.split(), values, meant
    return found


def _names(text: str):
    return literal_eval(text) if text[:1] in ("'", "[") else text.split()


def keeps_arguments(name: str) -> bool:
    """Whether the arguments that the operator ``name`` is made with are its attributes."""
    return _further().get(name, (True,))[0]


def all_attributes(name: str, values: dict, converted: dict) -> dict:
    """The attributes of the operator ``name`` that was made with ``values``, kept as ``converted``."""
    kept, others, meant = _further().get(name, (True, {}, {}))
    elsewhere = _elsewhere().get(name, {})
    forms = {k: v for k, v in converted.items() if k not in elsewhere} if elsewhere else converted
    found = {**values, **forms} if kept else {**forms}
    found.update((key, converted[argument]) for argument, key in elsewhere.items() if argument in converted)
    for key, one in others.items():
        if key not in meant:
            found[key] = [*one] if one.__class__ is list else one
        elif meant[key] in values:
            found[key] = values[meant[key]]
    return found


def converted_attributes(name: str, values: dict) -> dict:
    """Those attributes of the operator ``name`` that MindSpore keeps in another form than they came in."""
    found = {attribute: form(values[attribute]) for attribute, form in _table().get(name, {}).items()
             if attribute in values}
    for attribute in found:
        if not values[attribute] and (other := _standing_in().get((name, attribute))):
            found[attribute] = _table()[name][attribute](values[other])
    return {_added().get((name, attribute), attribute): value for attribute, value in found.items()}


def keeping(cls: type) -> type:
    """A Primitive's class that is written by hand, which keeps what it was made with as MindSpore's do."""
    name, made = cls.__name__, cls.__init__
    parameters = list(inspect.signature(made).parameters.values())[1:]
    names = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    defaults = {one.name: one.default for one in parameters}
    kept, others, _ = _further().get(name, (True, {}, {}))

    @wraps(made)
    def __init__(self, *args, **kwargs):
        made(self, *args, **kwargs)
        if kept:
            given = {**dict(zip(names, args, strict=False)), **kwargs}
            self.init_attrs = {n: given.get(n, defaults[n]) for n in names}
        for key, value in others.items():
            self.attrs.setdefault(key, [*value] if value.__class__ is list else value)
            if key in _UNSHOWN:
                setattr(self, key, self.attrs[key])

    cls.__init__ = __init__
    return cls


@cache
def _numbers() -> dict[str, list[list[str]]]:
    lines = Path(__file__).with_name("attribute_numbers.tsv").read_text().splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: [names.split() for names in (*kinds, "")[:2]] for name, *kinds in rows}


def with_numbers(name: str, given: dict) -> dict:
    """What an operator is made with, with numbers for the Tensors that stand for them."""
    single = _numbers()[name][0] if name in _numbers() else ()
    tensors = {n: given[n] for n in single if isinstance(given.get(n), Tensor)}
    return given | {n: _number(name, n, value) for n, value in tensors.items()} if tensors else given


def with_sequences(name: str, values: dict) -> dict:
    """The same with tuples of numbers for lists, Tensors and what holds Tensors."""
    inside = _numbers()[name][1] if name in _numbers() else ()
    return values | {n: _sequence(name, n, values[n]) for n in inside}


def _number(name: str, argument: str, value: Tensor):
    told = f"For '{name}', the value of '{argument}' is invalid: '{value}'."
    if value.ndim:
        raise ValueError(told, "Only support 0-dim tenor to scalar.")
    if value._t.is_complex() or value._t.dtype is torch.bfloat16:
        raise TypeError(told, "Only support integral, floating-point and bool tenor to scalar.")
    return value._t.item()


def _sequence(name: str, argument: str, value):
    if isinstance(value, Tensor):
        return tuple(value._t.tolist())
    if not isinstance(value, (tuple, list)):
        return value
    return tuple(_whole(name, argument, v._t) if isinstance(v, Tensor) else v for v in value)


def _whole(name: str, argument: str, value: torch.Tensor) -> int | None:
    if value.is_floating_point() or value.is_complex() or value.dtype is torch.bool:
        raise ValueError(f"For '{name}', the input '{argument}' should be integral tensor, but got "
                         f"{from_torch(value.dtype)}.")
    return value.item() if value.numel() == 1 else None
