"""Files that say how MindSpore split a network's parameters over devices: protobuf, or json.

What they hold of a parameter is a `ParallelLayouts` with the fields of MindSpore's own message.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from dataclasses import field as made

from .._core import protobuf
from .._core.protobuf import Damaged
from ..train._checkpoint_file import _fields


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
            name = protobuf.text(data, value)
        elif number == 2:
            for key, one in _fields(data, *value):
                if key in _LISTS:
                    getattr(layout, _LISTS[key]).append(Dimensions(repeated_integers(data, *one)))
                elif key in _NUMBERS:
                    setattr(layout, _NUMBERS[key], one)
    return name, layout


def repeated_integers(data: memoryview, start: int, end: int) -> list[int]:
    """The repeated integers of field 1, packed or one by one."""
    found: list[int] = []
    for number, value in _fields(data, start, end):
        if number == 1:
            found += [value] if isinstance(value, int) else protobuf.packed(data, *value)
    return [n - (1 << 64) if n >= 1 << 63 else n for n in found]


def ranks_to_restore(path: str) -> list[int]:
    """The ranks that a file about groups of processes names for restoring."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    places = [place for number, place in _fields(data, 0, len(data)) if number == 2]
    return [n for place in places for n in repeated_integers(data, *place)]


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


# ---- writing -----------------------------------------------------------------------------------------------


def write(path: str, layouts: dict[str, ParallelLayouts], stage: int = 0, operators=None) -> None:
    """Write layouts by parameter name, and strategies by operator name: protobuf, or json by its ending.
    Its folder is made where there is none."""
    operators = operators or {"parameters": [[1]]}
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    if path.endswith(".json"):
        items = {name: {key: [n for one in getattr(layout, key) for n in one.dim] for key in _LISTS.values()}
                 for name, layout in layouts.items()}
        for name, layout in layouts.items():
            items[name].update({key: getattr(layout, key) for key in _NUMBERS.values()})
        found = {"current_stage": 1, "parallel_strategy_item": {
            name: {"stage": stage, "parallel_strategy": dict(enumerate(parts))}
            for name, parts in operators.items()}, "parallel_layout_item": items}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(found, file)
        return
    data = [protobuf.integer(1, 1)]
    for name, parts in operators.items():
        strategies = protobuf.integer(1, stage) + b"".join(protobuf.content(2, _dims(one)) for one in parts)
        data.append(protobuf.content(2, protobuf.content(1, name) + protobuf.content(2, strategies)))
    for name, layout in layouts.items():
        lists = b"".join(protobuf.content(number, _dims(one.dim))
                         for number, key in _LISTS.items() for one in getattr(layout, key))
        lists += b"".join(protobuf.integer(number, getattr(layout, key)) for number, key in _NUMBERS.items())
        data.append(protobuf.content(3, protobuf.content(1, name) + protobuf.content(2, lists)))
    with open(path, "wb") as file:
        file.writelines(data)


def _dims(values) -> bytes:
    return b"".join(protobuf.integer(1, n) for n in values)


def stage_of(path: str) -> int:
    """The stage of a strategy file's first operator; ValueError where it has none."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            operators = json.load(file).get("parallel_strategy_item") or {}
        stages = [one.get("stage") for one in operators.values()]
    else:
        with open(path, "rb") as file:
            data = memoryview(file.read())
        stages = [_stage_of(data[slice(*place)]) for number, place in _fields(data, 0, len(data))
                  if number == 2]
    if not stages:
        raise ValueError(f"The strategy file {path} if empty.")
    return stages[0]


def merge_text(paths: list[str], path: str) -> None:
    """One json file of those of several stages; of each stage the first counts."""
    found: dict = {"current_stage": 1, "parallel_strategy_item": {}, "parallel_layout_item": {}}
    merged = []
    for one in paths:
        with open(one, encoding="utf-8") as file:
            content = json.load(file)
        layouts, operators = content.get("parallel_layout_item"), content.get("parallel_strategy_item")
        if not operators or not layouts:
            raise ValueError(f"The strategy file {one} is empty")
        stage = next(iter(operators.values())).get("stage")
        if stage not in merged:
            merged.append(stage)
            found["parallel_layout_item"].update({f"{stage}-{name}": item for name, item in layouts.items()})
            found["parallel_strategy_item"].update(operators)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)


def merge_binary(paths: list[str], path: str) -> None:
    """The same of protobuf files."""
    operators, layouts, merged, seen = [], [], [], set()
    for one in paths:
        with open(one, "rb") as file:
            content = file.read()
        if content in seen:
            continue
        seen.add(content)
        data = memoryview(content)
        fields = list(_fields(data, 0, len(data)))
        of_operators = [bytes(data[a:b]) for number, (a, b) in (f for f in fields if f[0] == 2)]
        of_layouts = [place for number, place in fields if number == 3]
        if not of_operators or not of_layouts:
            raise ValueError(f"The strategy file {one} is empty")
        stage = _stage_of(memoryview(of_operators[0]))
        if stage in merged:
            continue
        merged.append(stage)
        operators += [protobuf.content(2, item) for item in of_operators]
        for place in of_layouts:
            (_, name), (_, layout) = (f for f in _fields(data, *place) if f[0] in (1, 2))
            layouts.append(protobuf.content(3, protobuf.content(1, f"{stage}-{protobuf.text(data, name)}")
                                             + protobuf.content(2, bytes(data[slice(*layout)]))))
    with open(path, "wb") as file:
        file.writelines([protobuf.integer(1, 1), *operators, *layouts])


def _stage_of(item: memoryview) -> int:
    strategies = next(place for number, place in _fields(item, 0, len(item)) if number == 2)
    return next(value for number, value in _fields(item, *strategies) if number == 1)
