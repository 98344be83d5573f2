"""Files that say how MindSpore split a network's parameters over devices: protobuf, or json.

What they hold of a parameter is a `ParallelLayouts` with the fields of MindSpore's own message.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from dataclasses import field as made

from ..train._checkpoint_file import Damaged, _fields, _packed, _text


@dataclass
class Dimensions:
    """A list of numbers: ``dim``."""

    dim: list[int] = made(default_factory=list)


@dataclass
class ParallelLayouts:
    """How one parameter lies on devices: the matrix of devices, for each dimension the axis of the matrix
    that splits it (from the right, -1 for none), lengths of uneven slices, and how an optimizer splits it
    further."""

    dev_matrix: list[Dimensions] = made(default_factory=list)
    tensor_map: list[Dimensions] = made(default_factory=list)
    param_split_shape: list[Dimensions] = made(default_factory=list)
    indices_offset: list[Dimensions] = made(default_factory=list)
    field: int = 0
    opt_weight_shard_step: int = 0
    opt_weight_shard_size: int = 0


_LISTS = {1: "dev_matrix", 2: "tensor_map", 3: "param_split_shape", 4: "indices_offset"}
_NUMBERS = {5: "field", 6: "opt_weight_shard_step", 7: "opt_weight_shard_size"}


def read(path: str) -> dict[str, ParallelLayouts]:
    """Layouts by parameter name; TypeError for a file that is neither."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            found = json.load(file).get("parallel_layout_item", {})
        return {name: _from_json(one) for name, one in found.items()}
    with open(path, "rb") as file:
        data = memoryview(file.read())
    try:
        return dict(_item(data, *place) for number, place in _fields(data, 0, len(data)) if number == 3)
    except Damaged as err:
        raise TypeError("The strategy file type should be one of json or protobuf. When the file name "
                        "extension is not '.json', the file is considered as a protobuf file.") from err


def _from_json(item: dict) -> ParallelLayouts:
    lists = {name: [Dimensions(list(item.get(name, ())))] for name in _LISTS.values()}
    return ParallelLayouts(**lists, **{name: item[name] for name in _NUMBERS.values()})


def _item(data: memoryview, start: int, end: int) -> tuple[str, ParallelLayouts]:
    name, layout = "", ParallelLayouts()
    for number, value in _fields(data, start, end):
        if number == 1:
            name = _text(data, value)
        elif number == 2:
            for key, one in _fields(data, *value):
                if key in _LISTS:
                    getattr(layout, _LISTS[key]).append(Dimensions(numbers(data, *one)))
                elif key in _NUMBERS:
                    setattr(layout, _NUMBERS[key], one)
    return name, layout


def numbers(data: memoryview, start: int, end: int) -> list[int]:
    """The repeated integers of field 1, packed or one by one."""
    found: list[int] = []
    for number, value in _fields(data, start, end):
        if number == 1:
            found += [value] if isinstance(value, int) else _packed(data, *value)
    return [n - (1 << 64) if n >= 1 << 63 else n for n in found]


def ranks_to_restore(path: str) -> list[int]:
    """The ranks that a file about groups of processes names for restoring."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    return [n for number, place in _fields(data, 0, len(data)) if number == 2 for n in numbers(data, *place)]


def check(path) -> None:
    """TypeError and ValueError where the strategy file is none."""
    head = "For 'build_searched_strategy', "
    if not isinstance(path, str):
        raise TypeError(f"{head}the argument 'strategy_filename' should be string, but got {type(path)}.")
    if not os.path.isfile(path):
        raise ValueError(f"{head}no such strategy file: {path}. Please check whether the 'strategy_filename' "
                         "exists.")
    if os.path.getsize(path) == 0:
        raise ValueError(f"{head}the strategy file {path} should not be empty. Please check whether the "
                         "'strategy_filename' is correct.")


def check_groups(path) -> None:
    """TypeError and ValueError where the file about groups is none."""
    head = "For 'restore_group_info_list', "
    if not isinstance(path, str):
        raise TypeError(f"{head}the argument 'group_info_file_name' should be str, but got {type(path)}.")
    if not os.path.isfile(path):
        raise ValueError(f"{head}no such group information file: {path}.")
    if os.path.getsize(path) == 0:
        raise ValueError(f"{head}the group information file should not be empty.")
