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
from ast import literal_eval
from collections.abc import Callable
from functools import cache, partial, wraps
from pathlib import Path
from typing import NamedTuple

import torch

from ms2torch._core.operators import attribute_words
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor

_UNSHOWN = ("input_names", "output_names")


class Kept(NamedTuple):
    """How an argument is kept: in which form; under which name, ``beside`` it as it came or instead; with the
    value of ``instead`` where its own is none."""

    form: Callable
    name: str
    beside: bool
    instead: str


@cache
def _table() -> dict[str, dict[str, Kept]]:
    found = {}
    for line in Path(__file__).with_suffix(".tsv").read_text().splitlines():
        name, given = line.split("\t")
        found[name] = dict(map(_kept, given.split()))
    return found


def _kept(entry: str) -> tuple[str, Kept]:
    argument, form = entry.split("=")
    form, _, instead = form.partition("|")
    form, arrow, name = form.partition(">")
    return argument, Kept(_form(form), name.removeprefix(">") or argument, bool(arrow) and name[:1] != ">",
                          instead)


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
    beside = {a: one.name for a, one in _table().get(name, {}).items() if one.beside and a in converted}
    forms = {k: v for k, v in converted.items() if k not in beside} if beside else converted
    found = {**values, **forms} if kept else {**forms}
    found.update((key, converted[argument]) for argument, key in beside.items())
    for key, one in others.items():
        if key not in meant:
            found[key] = [*one] if one.__class__ is list else one
        elif meant[key] in values:
            found[key] = values[meant[key]]
    return found


def converted_attributes(name: str, values: dict) -> dict:
    """Those attributes of the operator ``name`` that MindSpore keeps in another form than they came in."""
    found = {}
    for argument, kept in _table().get(name, {}).items():
        if argument in values:
            given = values[argument] or values[kept.instead] if kept.instead else values[argument]
            found[argument if kept.beside else kept.name] = kept.form(given)
    return found


def keeping(cls: type) -> type:
    """A Primitive's class that is written by hand, which keeps what it was made with as MindSpore's do."""
    made = cls.__init__

    @cache
    def told():
        named = [p for p in inspect.signature(made).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        return {one.name: one.default for one in named[1:]}, *_further().get(cls.__name__, (True, {}, {}))[:2]

    @wraps(made)
    def __init__(self, *args, **kwargs):
        made(self, *args, **kwargs)
        defaults, kept, others = told()
        if kept:
            given = {**dict(zip(defaults, args, strict=False)), **kwargs}
            self.init_attrs = {n: given.get(n, default) for n, default in defaults.items()}
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


def holds_number(name: str, attribute: str) -> bool:
    """Whether a Tensor may stand for an attribute of the Primitive ``name``."""
    return name in _numbers() and attribute in _numbers()[name][0]


def with_numbers(name: str, given: dict) -> dict:
    """What an operator is made with, with numbers for the Tensors that stand for them."""
    single = _numbers()[name][0] if name in _numbers() else ()
    tensors = {n: given[n] for n in single if isinstance(given.get(n), Tensor)}
    return given | {n: number_of(name, n, value) for n, value in tensors.items()} if tensors else given


def with_sequences(name: str, values: dict) -> dict:
    """The same with tuples of numbers for lists, Tensors and what holds Tensors."""
    inside = _numbers()[name][1] if name in _numbers() else ()
    return values | {n: _sequence(name, n, values[n]) for n in inside}


def number_of(name: str, argument: str, value: Tensor):
    """The number that a Tensor holds which is given as an attribute of a Primitive."""
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
