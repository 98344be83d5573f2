"""What MindSpore's operators make of the attributes that they are given: ``ops.Conv2D(3, 2).stride`` is
(1, 1, 1, 1).

The table ``attribute_forms.tsv`` has a line for each such operator. A form is ``upper``, ``float``, ``list``,
or ``k+n``: a number n times (a tuple of n as it is), behind k ones for the axes of batch and channels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path


@cache
def _table() -> dict[str, dict[str, Callable]]:
    found = {}
    for line in Path(__file__).with_suffix(".tsv").read_text().splitlines():
        name, given = line.split("\t")
        forms = (one.split("=") for one in given.split())
        found[name] = {attribute: _form(form) for attribute, form in forms}
    return found


def _form(form: str) -> Callable:
    if "+" not in form:
        return {"upper": _upper, "float": _float, "list": _list}[form]
    ones, count = map(int, form.split("+"))
    return partial(_spread, ones, count)


def _upper(value):
    return value.upper() if isinstance(value, str) else value


def _float(value):
    return float(value) if value.__class__ is int else value


def _list(value):
    return [value] if value.__class__ is int else value


def _spread(ones: int, count: int, value):
    if value.__class__ is int:
        value = (value,) * count
    elif not (isinstance(value, (tuple, list)) and len(value) == count):
        return value
    return (1,) * ones + tuple(value)


def converted_attributes(name: str, values: dict) -> dict:
    """Those attributes of the operator ``name`` that MindSpore keeps in another form than they came in."""
    return {attribute: form(values[attribute]) for attribute, form in _table().get(name, {}).items()
            if attribute in values}
