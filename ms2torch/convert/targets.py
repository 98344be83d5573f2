"""Writing checkpoints, piece by piece and whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterable

import torch

from ms2torch.train import _checkpoint_file, _safetensors

from . import distributed, torch_file, torch_layout
from .entries import KEY, MINDSPORE, TORCH, Bad
from .sources import ENDINGS, INDEX, TORCH_ENDINGS

Described = dict[str, tuple[torch.dtype, tuple[int, ...]]]


def side_of(path: str) -> str | None:
    """Whose file an ending means; None for safetensors, which both write."""
    name = path.removesuffix(INDEX)
    torchs = (*TORCH_ENDINGS, distributed.ENDING)
    return TORCH if name.endswith(torchs) else MINDSPORE if name.endswith(".ckpt") else None


def check(path: str, source: str, force: bool, sharded: bool) -> None:
    """That ``path`` can be written. Raises `Bad`."""
    name = path.removesuffix(INDEX)
    if os.path.isdir(path) and not (name.endswith(distributed.ENDING) and distributed.is_one(path)):
        raise Bad(f"{path} is a folder; -o needs a file's name: {', '.join(ENDINGS)}.")
    if not name.endswith((*ENDINGS, distributed.ENDING)):
        raise Bad(f"-o {path}: the ending says nothing; one of {', '.join(ENDINGS)} is needed.")
    if sharded and name.endswith(distributed.ENDING):
        raise Bad("torch's distributed checkpoints have no shards with an index; leave --shard-size.")
    if sharded and name.endswith(".ckpt"):
        raise Bad("MindSpore's .ckpt files have no shards with an index; -o OUT.safetensors has.")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise Bad(f"no such folder: {folder}")
    if not os.access(folder, os.W_OK):
        raise Bad(f"can't write in {folder}: permission denied")
    if os.path.exists(path) and os.path.realpath(path) == os.path.realpath(source):
        raise Bad(f"IN and OUT are one file: {path}")
    there = path if not sharded else name + INDEX
    if os.path.exists(there) and not force:
        raise Bad(f"{there} exists; --force writes over it.")


class Output:
    """A file, or shards and their index, that appear together at the end of a ``with``, or not at all."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = os.path.dirname(os.path.abspath(path))
        self.parts: list[tuple[str, str]] = []

    def __enter__(self) -> Output:
        return self

    def place(self, name: str) -> str:
        """Where to write the file ``name`` for now."""
        part = os.path.join(self.folder, f".{name}.{os.getpid()}.part")
        self.parts.append((part, os.path.join(self.folder, name)))
        return part

    def __exit__(self, kind, *_) -> None:
        for part, final in self.parts:
            if kind is None:
                if os.path.isdir(final):        # a distributed checkpoint that --force writes over
                    shutil.rmtree(final)
                os.replace(part, final)
            elif os.path.isdir(part):
                shutil.rmtree(part, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.remove(part)


def write(
    path: str,
    side: str,
    described: Described,
    get: Callable[[str], Iterable[torch.Tensor]],
    *,
    shares: dict,
    memory: Callable[[list[str]], str],
    container: dict,
    strings: dict,
    shard_size: int | None,
) -> list[str]:
    """Write the named tensors; gives the names of the files. ``get``: the elements of one, in flat pieces.

    ``shares``: names whose memory is an earlier one's. ``memory``: what a file with these tensors remembers.
    """
    path = path.removesuffix(INDEX)
    groups = [list(described)] if shard_size is None else _groups(described, shares, shard_size)
    stem, ending = os.path.splitext(os.path.basename(path))
    names = [f"{stem}-{i + 1:05}-of-{len(groups):05}{ending}" for i in range(len(groups))]
    if shard_size is None:
        names = [os.path.basename(path)]
    try:
        with Output(path) as output:
            for i, (name, group) in enumerate(zip(names, groups, strict=True)):
                some = {n: described[n] for n in group}
                _file(
                    output.place(name),
                    ending,
                    side,
                    some,
                    get,
                    memory(group),
                    shares,
                    container,
                    strings if i == 0 else {},
                )
            if shard_size is not None:
                total = sum(_bytes(*d) for n, d in described.items() if n not in shares)
                table = {n: name for name, group in zip(names, groups, strict=True) for n in group}
                index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(table.items()))}
                names.append(os.path.basename(path) + INDEX)
                with open(output.place(names[-1]), "w", encoding="utf-8") as file:
                    json.dump(index, file, indent=2, ensure_ascii=False)
                    file.write("\n")
    except OSError as err:
        raise Bad(f"can't write {path}: {err.strerror or err}.") from None
    return names


def _bytes(dtype: torch.dtype, shape) -> int:
    count = dtype.itemsize
    for n in shape:
        count *= n
    return count


def _groups(described: Described, shares: dict, limit: int) -> list[list[str]]:
    """Names by shard, in order; a tensor larger than a shard has one of its own."""
    groups, room = [[]], limit
    where = {}
    for name, one in described.items():
        if name in shares:
            where[shares[name]].append(name)
            continue
        size = _bytes(*one)
        if size > room and groups[-1]:
            groups.append([])
            room = limit
        groups[-1].append(name)
        where[name] = groups[-1]
        room -= size
    return groups


def _file(
    place: str,
    ending: str,
    side: str,
    described: Described,
    get,
    memory: str,
    shares: dict,
    container: dict,
    strings: dict,
) -> None:
    if ending == distributed.ENDING:
        distributed.write(place, described, get, memory)
    elif ending == ".ckpt":
        for name, (dtype, _) in described.items():
            if dtype not in _checkpoint_file._TYPES.values():
                if dtype.is_complex:
                    raise Bad(f"{name} is {dtype}, which MindSpore writes to .ckpt files and cannot load.")
                raise Bad(f"{name} is {dtype}, which MindSpore's .ckpt files do not have; give --dtype.")
        values = ((n, _checkpoint_file.Piecewise(*one, get(n))) for n, one in described.items())
        _checkpoint_file.write(place, _chained(values, strings), note=memory.encode())
    elif ending == ".safetensors":
        metadata = {"format": "ms" if side == MINDSPORE else "pt"} | ({KEY: memory} if memory else {})
        try:
            with open(place, "wb") as file:
                _safetensors.stream(file, described, metadata, get)
        except TypeError as err:
            raise Bad(str(err)) from None
    else:
        numbers: dict[str, int] = {}
        slots = {}
        for name, one in described.items():
            number = numbers.setdefault(shares.get(name, name), len(numbers))
            slots[name] = torch_file.Slot(name, *one, number)
        with open(place, "wb") as file:
            content = torch_layout.nest(slots, container, memory)
            torch_file.write(file, content, list(slots.values()), get)


def _chained(values, strings: dict):
    yield from values
    yield from strings.items()
