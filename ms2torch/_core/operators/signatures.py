"""The signatures by which MindSpore makes the inputs of older Primitives ready: signatures.tsv.

A line: the Primitive, "named" where its errors name the input that may not be converted, its inputs with
their groups of dtypes: inputs of one group become the dtype that they have in common, those with a "!" are
written to and are never converted. A Primitive counts its inputs first, then looks for each group's dtype,
then for what is no Tensor and no number. All of this comes before it looks at shapes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from ms2torch._core.checks.calls import is_unconverted, type_description
from ms2torch._core.tensor.dtype import UNSIGNED, Type, common, from_torch


class Input(NamedTuple):
    """An input's name, its group, and whether it is written to."""

    name: str
    group: str
    written: bool


SIGNATURES: dict[str, list[str]] = {
    name: rest for name, *rest in (line.split("\t") for line in Path(__file__).with_suffix(".tsv")
                                   .read_text(encoding="utf-8").splitlines()[1:])}
_NUMBERS = (bool, int, float, np.number)


@cache
def _inputs(name: str) -> tuple[tuple[Input, ...], dict[str, list[int]]]:
    """The inputs, and the places of each group that has several."""
    inputs, places = [], {}
    for k, told in enumerate(SIGNATURES[name][1].split()):
        called, group = told.rstrip("!").split(":")
        inputs.append(Input(called, group, told.endswith("!")))
        places.setdefault(group, []).append(k)
    return tuple(inputs), {group: some for group, some in places.items() if len(some) > 1}


# Primitives without public names that count their inputs themselves, before anything else is asked.
_COUNTING = frozenset(("AdaptiveAvgPool2DGrad", "LRNGrad", "PSROIPoolingGrad"))


def count_error(name: str, count: int, takes: int = 0) -> ValueError | None:
    """MindSpore's error for a Primitive called with ``count`` inputs, where it takes another number."""
    if name in _COUNTING:
        return ValueError(f"For primitive[{name}], the input number must be equal to {takes}, "
                          f"but got {count}.")
    if name not in SIGNATURES or count == (takes := len(_inputs(name)[0])):
        return None
    return ValueError(f"{name} inputs number {count} does not match the requires signature size {takes}")


def signature_error(name: str, values) -> TypeError | None:
    """MindSpore's error for a Primitive whose inputs, torch tensors and plain values, cannot be converted."""
    if name not in SIGNATURES:
        return None
    inputs, groups = _inputs(name)
    if len(values) < len(inputs):
        return None
    values = _plain_bools(values)
    try:
        wanted = {group: _common([values[k] for k in places]) for group, places in groups.items()}
    except TypeError as err:                        # two have no dtype in common
        return err
    for k, (value, asked) in enumerate(zip(values, inputs, strict=False)):
        if isinstance(value, torch.Tensor):
            dtype = wanted.get(asked.group)
            if asked.written and dtype not in (None, value.dtype):
                which = f"the argument[{asked.name}]'s data type of primitive[{name}] is" \
                    if SIGNATURES[name][0] else "so data type"
                return TypeError(
                    "Data type conversion is not supported for a 'Parameter', nor for the input tensor of "
                    f"an in-place operator, {which} {from_torch(value.dtype)}, which cannot be converted to "
                    f"data type {from_torch(dtype)} automatically.")
        elif not _is_number(value) and (asked.group in groups or _of_tensors(value)):
            return TypeError(f"For '{name}', the {k + 1}th input {asked.name} can not be implicitly "
                             f"converted. Its type is {_kind(value)}. Only support Tensor or Scalar.")
    return None


def _is_number(value) -> bool:
    return isinstance(value, _NUMBERS) and not is_unconverted(value)


def as_tensors(name: str, values) -> list | None:
    """``values`` with tensors for the numbers in groups of several, of the dtype that the group has in
    common; None where there are none."""
    made = _converted(name, values, lambda v, dtype: torch.tensor(v, dtype=dtype)
                      if isinstance(v, _NUMBERS) else v)
    return made if any(a is not b for a, b in zip(made, values, strict=True)) else None


def converted(name: str, values) -> list:
    """``values`` as the Primitive looks at them: in groups of several all of the dtype in common, without
    data where they had another one."""
    return _converted(name, values, lambda v, dtype: torch.empty_like(v, dtype=dtype, device="meta")
                      if isinstance(v, torch.Tensor) and v.dtype is not dtype else
                      torch.empty((), dtype=dtype, device="meta") if isinstance(v, _NUMBERS) else v)


def _converted(name: str, values, convert) -> list:
    made = list(values := _plain_bools(values))
    for places in _inputs(name)[1].values() if name in SIGNATURES else ():
        dtype = _common([values[k] for k in places if k < len(values)])
        for k in places:
            if k < len(values) and dtype is not None:
                made[k] = convert(values[k], dtype)
    return made


def _plain_bools(values):
    """``values`` with Python's bools for numpy's, which beside a tensor alone are numbers."""
    if any(isinstance(v, np.bool_) for v in values) and any(isinstance(v, torch.Tensor) for v in values):
        return [bool(v) if isinstance(v, np.bool_) else v for v in values]
    return values


def _common(values) -> torch.dtype | None:
    """The dtype of a group: the tensors', made wider by numbers of another kind."""
    found, alone = None, False                  # so far, and whether it is that of numbers alone
    for value in values:
        number = isinstance(value, _NUMBERS)
        if number or isinstance(value, torch.Tensor):
            dtype = _of_number(value) if number else value.dtype
            if found is None or number is alone:
                found, alone = dtype if found is None else common(found, dtype), number
            else:
                found, alone = _beside(found, dtype, dtype if number else found), False
    return found


def _beside(found: torch.dtype, other: torch.dtype, number: torch.dtype) -> torch.dtype:
    """The dtype of a tensor and a number: the tensor's, unless the number is of a higher kind."""
    tensor = found if number is other else other
    if number is torch.bool or tensor.is_floating_point or tensor.is_complex:
        return tensor
    if tensor in UNSIGNED:
        raise TypeError(f"Type implicit conversion between Tensor[{from_torch(other)}] and "
                        f"{from_torch(found)} is not supported.")
    return number if number is torch.float32 or tensor is torch.bool else tensor


def _of_number(value) -> torch.dtype:
    if isinstance(value, (bool, np.bool_)):
        return torch.bool
    return torch.float32 if isinstance(value, (float, np.floating)) else torch.int64


def _of_tensors(value) -> bool:
    sequence = isinstance(value, (tuple, list)) and bool(value)
    return sequence and all(isinstance(v, torch.Tensor) for v in value)


def _kind(value) -> str:
    if isinstance(value, (tuple, list)):
        told = type_description([v for v in value if not isinstance(v, torch.Tensor)])
        return told.replace("List[", "Tuple[")
    if isinstance(value, str):
        return "String"
    plain = value is None or isinstance(value, (dict, Type))
    return f'None, value is "{value}"' if plain else \
        f'None, value is "PythonObject(type: {type(value)}, value: {value})"'
