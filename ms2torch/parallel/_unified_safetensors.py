"""Whole parameters of what the ranks of a training saved in parts, in safetensors files with an index, and
each rank's part of them."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator

from ms2torch._core.tensor.tensor import wrap

from ..common.parameter import Parameter
from ..communication.management import get_rank
from ..train import _checkpoint_file, _safetensors, _shards
from ..train.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from . import _checkpoint_layouts as layouts
from . import _slices

INDEX, OTHERS = "param_name_map.json", "hyper_param.safetensors"
LARGEST = 3 * 2**30         # bytes in a file, about


def unified_safetensors(src_dir, src_strategy_file, dst_dir, merge_with_redundancy=True, file_suffix=None,
                        max_process_num=64, choice_func=None, split_dst_file=()) -> None:
    """Write the whole parameters of what ranks saved (``src_dir/rank_N/*.safetensors``) into ``dst_dir``:
    ``part0.safetensors`` and so on, in ``param_name_map.json`` which file has which, and in
    ``hyper_param.safetensors`` what the strategy file does not name.

    ``choice_func`` of a name is whether its parameter is taken, or its new name. ``split_dst_file`` (number,
    of how many) writes a share of the files. Whether the ranks left out what others hold is read off the
    files. ValueError where a file is missing or ``src_dir`` is one.
    """
    layouts._check_folder(src_strategy_file)
    os.makedirs(dst_dir, mode=0o700, exist_ok=True)
    if os.path.isfile(src_dir):
        raise ValueError("For 'unified_safetensors', the 'src_dir' can not be a file.")
    files = _files_by_rank(src_dir, file_suffix)
    if files and layouts._files_by_rank(src_dir, "ckpt"):
        raise ValueError("For 'unified_safetensors', the 'src_dir' cannot contain both ckpt file and "
                         "safetensors file simultaneously")
    source = layouts._layouts(src_strategy_file)
    for rank in layouts.rank_list_for_transform(0, src_strategy_file, None):
        if rank not in files:
            raise ValueError(f"The safetensor file of rank{rank} is needed for converting rank[0]'s "
                             "safetensor, but it is missing.")
    held = layouts._Files(files, "safetensors")
    chosen = {name: _chosen(choice_func, name) for name in held.sizes
              if name in source and not name.startswith("accu_grads")}
    chosen = {name: new for name, new in chosen.items() if new is not None}
    sizes = {name: held.sizes[name] * math.prod(source[name].parts()) for name in chosen}
    groups = _groups(sizes)
    number, of = split_dst_file or (1, 1)
    if number == 1:
        others = _held(files[0], lambda name: name not in chosen)
        if others:
            save_checkpoint(list(others.values()), os.path.join(dst_dir, OTHERS), format="safetensors")
        places = {chosen[name]: _part(i) for i, names in enumerate(groups) for name in names}
        index = os.path.join(dst_dir, INDEX)
        with open(index + ".part", "w", encoding="utf-8") as file:
            json.dump({"metadata": {"total_size": sum(sizes.values())}, "weight_map": places}, file, indent=4)
        os.replace(index + ".part", index)
    each, more = divmod(len(groups), of)
    start = each * (number - 1) + min(number - 1, more)
    for i in range(start, start + each + (number <= more)):
        whole = [Parameter(wrap(t), name=chosen[name]) for name, t in _wholes(held, source, groups[i])]
        save_checkpoint(whole, os.path.join(dst_dir, _part(i)), format="safetensors")


def _part(number: int) -> str:
    return f"part{number}.safetensors"


def _files_by_rank(folder, suffix) -> dict[int, str]:
    """Each rank's file, of several the one with the highest numbers in its name (epoch and step), or that the
    suffix names."""
    found = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        rank, place = name.removeprefix("rank_"), os.path.join(folder, name)
        if name == rank or not rank.isdigit() or not os.path.isdir(place):
            continue
        files = [one for one in os.listdir(place) if one.endswith(f"{suffix or ''}.safetensors")]
        if files:
            one = files[0] if len(files) == 1 else _of_several(files, suffix)
            found[int(rank)] = os.path.join(place, one)
        elif suffix is not None:
            raise ValueError(f"No safetensors files found in directory '{place}' with suffix '{suffix}' and "
                             "format 'safetensors'. Please verify the directory contains the expected files. "
                             "Recommend setting file_suffix to the longest common suffix.")
    return found


def _of_several(files: list[str], suffix) -> str:
    if suffix is None:
        return max(files, key=lambda one: [int(n) for n in re.findall(r"\d+", one)[-2:]])
    lead = "_" if re.fullmatch(r"_?\d+(-\d+_\d+)?", suffix) else "-"
    ending = f"{lead}{suffix.lstrip('_-')}.safetensors"
    matched = sorted((one for one in files if one.endswith(ending)), key=len)
    if not matched or (len(matched) > 1 and len(matched[0]) == len(matched[1])):
        raise ValueError(f"Multiple files with suffix '{suffix}' found in {files}. Please set file_suffix to "
                         "the longest common suffix of all files.")
    return matched[0]


def _chosen(choose, name: str) -> str | None:
    """The name under which a parameter is written; None where it is not."""
    found = True if choose is None else choose(name)
    return found if isinstance(found, str) else None if found is False else name


def _groups(sizes: dict[str, int]) -> list[list[str]]:
    """Names in as many groups as files are wanted, the largest first, each to the smallest group."""
    count = min(math.ceil(sum(sizes.values()) / LARGEST), len(sizes))
    groups: list[list[str]] = [[] for _ in range(count)]
    totals = [0] * count
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        least = totals.index(min(totals))
        groups[least].append(name)
        totals[least] += sizes[name]
    return groups


def _wholes(files, source, names) -> Iterator[tuple]:
    """The whole of each parameter."""
    for some in files.chunks(names):
        for name, held in files.read(some).items():
            mine = {rank % source[name].devices: t for rank, t in held.items()}
            yield name, _slices.slice_for_rank(0, mine, source[name], None)


def load_unified(network, folder, strategy, target, rank, output_format, name_map, as_dict: bool):
    """`load_distributed_checkpoint` of such a folder: a rank's part into a network, or of each rank (or one)
    into files below the folder ``target``."""
    if network is not None:
        found = _of_rank(folder, strategy, get_rank(), name_map or {})
        return found if as_dict else load_param_into_net(network, found)
    if target is None:
        raise ValueError("For 'load_distributed_checkpoint', 'dst_safetensors_dir' can not be None when "
                         "network is None.")
    there = layouts._layouts(strategy)
    count = layouts._devices(there) * layouts._stages(there) if there else 1
    for one in range(count) if rank is None else (rank,):
        place = os.path.join(target, f"rank_{one}")
        os.makedirs(place, mode=0o700, exist_ok=True)
        save_checkpoint(list(_of_rank(folder, strategy, one, name_map or {}).values()),
                        os.path.join(place, f"net.{output_format}"), format=output_format)
    return None


def _of_rank(folder, strategy, rank: int, name_map: dict) -> dict[str, Parameter]:
    """A rank's part of the parameters in a folder, by the names that ``name_map`` gives for those there."""
    _, target = layouts._of_stage(rank, None, strategy)
    places = _places(folder, name_map)
    found = {}
    for file in sorted(set(places.values())):
        wanted = {name_map.get(name, name): name for name, place in places.items()
                  if place == file and (target is None or name in target)}
        for stored, value in _held(file, wanted.__contains__).items():
            name = wanted[stored]
            own = None if target is None else target[name]
            part = _slices.slice_for_rank(rank % own.devices if own else 0, {0: value._t}, None, own)
            found[name] = Parameter(wrap(part), name=name)
    if os.path.exists(os.path.join(folder, OTHERS)):
        found.update(_held(os.path.join(folder, OTHERS)))
    return found


def _places(folder, name_map: dict) -> dict[str, str]:
    """The file of each parameter: of one file its own names tell, of several the index."""
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".safetensors")]
    if len(files) == 1:
        back = {stored: name for name, stored in name_map.items()}
        return {back.get(name, name): files[0] for name in _names(files[0])}
    path = os.path.join(folder, INDEX)
    if not os.path.exists(path):
        raise ValueError("For 'load_parallel_checkpoint', there must be a JSON file named "
                         "'param_name_map.json' in the 'total_safetensors_dir'.")
    return _shards.read_index(path)


def _names(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            return list(_safetensors.index(file, os.path.getsize(path))[0])
    except _checkpoint_file.Damaged:
        load_checkpoint(path, format="safetensors")         # says so in MindSpore's words
        raise


def _held(path: str, wanted=lambda name: True) -> dict[str, Parameter]:
    """The wanted parameters of a file, which may have none."""
    if not any(map(wanted, _names(path))):
        return {}
    found = load_checkpoint(path, choice_func=wanted, format="safetensors")
    return {name: Parameter(value, name=name) for name, value in found.items()}
