"""Opening checkpoints: .ckpt, .safetensors, .pt/.pth/.bin, indexes of shards, distributed ones of torch's.

Nothing is executed: .pt files go through torch's loader for weights alone. Only names and shapes are read at
first, then one tensor at a time, so a file may be larger than memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import pickle
import re
import sys
import warnings
from functools import partial

import torch

from ms2torch.train import _checkpoint_file, _encryption, _safetensors, _shards

from . import distributed, torch_layout
from .entries import KEY, MINDSPORE, TORCH, Bad, Checkpoint, Entry

INDEX = ".index.json"
TORCH_ENDINGS = (".pt", ".pth", ".bin")
ENDINGS = (".ckpt", ".safetensors", *TORCH_ENDINGS)


def open_checkpoint(path: str) -> Checkpoint:
    """A file, an index of shards, or a folder with one of them. Raises `Bad`."""
    if distributed.is_one(path):
        opened, memory = distributed.open_folder(path)
        opened.memory = _memory(memory, path)
        return opened
    path = _file_of(path)
    try:
        if path.endswith(INDEX):
            return _indexed(path)
        with open(path, "rb") as file:
            start = file.read(8)
        if path.endswith(TORCH_ENDINGS) or (path.endswith(".ckpt") and start.startswith(b"PK\x03\x04")):
            return _torch(path)
        if path.endswith(".safetensors"):
            return _of_safetensors(path)
        if path.endswith(".ckpt"):
            if _encryption.is_encrypted(path):
                raise Bad(
                    f"{path} is encrypted: mindspore.load_checkpoint(path, dec_key=...) reads it, and "
                    "mindspore.save_checkpoint without enc_key= writes it plain."
                )
            return _ckpt(path)
    except _checkpoint_file.Damaged as err:
        raise Bad(f"{path} is damaged or no checkpoint ({err}).") from None
    except OSError as err:
        raise Bad(f"can't read {path}: {err.strerror or err}.") from None
    raise Bad(f"{path}: the ending says nothing; {', '.join(ENDINGS)} or *{INDEX} is needed.")


def _file_of(path: str) -> str:
    if not os.path.exists(path):
        raise Bad(f"no such file: {path}")
    if not os.path.isdir(path):
        return path
    names = sorted(os.listdir(path))
    for endings in ((INDEX,), (".safetensors",), (".bin",), (".ckpt",)):
        found = [name for name in names if name.endswith(endings)]
        if len(found) == 1:
            return os.path.join(path, found[0])
        if found:
            raise Bad(f"{path} holds several: {', '.join(found[:4])}; name one.")
    raise Bad(f"{path} holds no checkpoint.")


# ---- MindSpore's .ckpt -------------------------------------------------------------------------------------


def _ckpt(path: str) -> Checkpoint:
    try:
        places, note = _checkpoint_file.index(path)
        entries, strings = {}, {}
        for name, place in places.items():
            if place.kind == "str":
                raw = b"".join(_bytes(path, *piece) for piece in place.pieces)
                strings[name] = raw.decode("utf-32-le").rstrip("\0")
            else:
                dtype, shape = _checkpoint_file.checked_tensor(*place, _checkpoint_file.WRITTEN)
                entries[name] = _entry(name, path, dtype, tuple(shape), place.pieces)
    except (ValueError, NotImplementedError) as err:
        raise Bad(f"{path} is damaged or no checkpoint ({err}).") from None
    if not places:
        raise Bad(f"{path} holds nothing.")
    return Checkpoint(path, MINDSPORE, entries, strings, _memory(note, path))


def _entry(name: str, path: str, dtype: torch.dtype, shape: tuple[int, ...], pieces) -> Entry:
    """A tensor whose bytes lie in a file as they are."""

    def span(begin: int, end: int) -> torch.Tensor:
        a, b = begin * dtype.itemsize, end * dtype.itemsize
        return _read(path, dtype, (end - begin,), _within(pieces, a, b))

    return Entry(name, dtype, shape, partial(_read, path, dtype, shape, pieces), span=span)


def _within(pieces, begin: int, end: int):
    """The places of the bytes from ``begin`` to ``end`` of what lies in several pieces."""
    for first, last in pieces:
        a, b = max(begin, 0), min(end, last - first)
        if a < b:
            yield first + a, first + b
        begin, end = begin - (last - first), end - (last - first)


def _bytes(path: str, start: int, end: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(end - start)


def _read(path: str, dtype: torch.dtype, shape: tuple[int, ...], pieces) -> torch.Tensor:
    """A tensor, its bytes read into its own memory."""
    tensor = torch.empty(shape, dtype=dtype)
    target, at = memoryview(tensor.reshape(-1).view(torch.uint8).numpy()), 0
    with open(path, "rb", buffering=0) as file:
        for start, end in pieces:
            file.seek(start)
            stop = at + end - start
            while at < stop:
                count = file.readinto(target[at:stop])
                if not count:
                    raise Bad(f"{path} became shorter while it was read.")
                at += count
    return tensor


# ---- safetensors -------------------------------------------------------------------------------------------


def _of_safetensors(path: str) -> Checkpoint:
    with open(path, "rb") as file:
        places, metadata = _safetensors.index(file, os.fstat(file.fileno()).st_size)
    entries = {
        name: _entry(name, path, p.dtype, tuple(p.shape), [(p.begin, p.end)])
        for name, p in places.items()
    }
    side = {"ms": MINDSPORE, "pt": TORCH}.get(metadata.get("format"))
    return Checkpoint(path, side, entries, {}, _memory(metadata.get(KEY), path))


def _memory(text: str | bytes | None, path: str) -> dict | None:
    """What a converted file remembers; None where it says nothing that can be understood."""
    if not text:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError, TypeError):
        found = None
    if not isinstance(found, dict) or found.get("version") != 1:
        print(
            f"ms2torch: what {path} remembers of its conversion cannot be read; going by rules.",
            file=sys.stderr,
        )
        return None
    return found


# ---- shards ------------------------------------------------------------------------------------------------


def _indexed(path: str) -> Checkpoint:
    """All shards of an index, as one."""
    try:
        table = _shards.read_index(path)
    except ValueError as err:
        raise Bad(str(err)) from None
    whole = Checkpoint(path, None, {})
    for shard in dict.fromkeys(table.values()):
        if shard.endswith(INDEX):
            raise Bad(f"{path} names {os.path.basename(shard)!r}, an index, as a file of weights.")
        part = open_checkpoint(shard)
        wanted = [name for name, where in table.items() if where == shard]
        if missing := [name for name in wanted if name not in part.entries]:
            raise Bad(f"{shard} lacks {missing[0]}, which {path} says is there.")
        whole.entries |= {name: part.entries[name] for name in wanted}
        whole.side = whole.side or part.side
        whole.strings |= part.strings
        whole.container = whole.container or part.container
        whole.left += part.left
        if part.memory:
            whole.memory = whole.memory or {**part.memory, "makes": [], "values": {}}
            whole.memory["makes"] += part.memory.get("makes", [])
            whole.memory["values"] |= part.memory.get("values", {})
    return whole


# ---- PyTorch's ---------------------------------------------------------------------------------------------


def _torch(path: str) -> Checkpoint:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _load(path)
    except pickle.UnpicklingError as err:
        named = re.search(r"GLOBAL (\S+)", str(err))
        raise Bad(
            f"{path} holds more than tensors{f' ({named[1]})' if named else ''}, or is damaged; nothing of "
            "it was run. Save its state_dict alone."
        ) from None
    except MemoryError:
        raise
    except Exception as err:
        line = (str(err).splitlines() or [type(err).__name__])[0][:150]
        why = f" ({line})" if re.search("[a-z]{3}", line, re.I) else ""  # (a KeyError may be a number)
        raise Bad(f"{path} is damaged or no file of PyTorch's{why}.") from None
    opened = Checkpoint(path, TORCH, {})
    tensors, memory = torch_layout.flatten(found, opened)
    if memory is not None:
        opened.memory = _memory(memory, path)
    owners, mapped = {}, _mapped(path)
    for name, t in tensors.items():
        if t.layout is not torch.strided or t.is_quantized or t.device.type == "meta":
            raise Bad(f"{path}: {name} is no plain tensor ({t.layout}, {t.dtype}).")
        place = (t.data_ptr(), t.dtype, tuple(t.shape), t.stride()) if t.numel() else name
        shares = owners.setdefault(place, name)
        opened.entries[name] = Entry(
            name,
            t.dtype,
            tuple(t.shape),
            partial(_copied, t, mapped),
            None if shares == name else shares,
            partial(_copied_span, t, mapped) if t.is_contiguous() else None,
        )
    return opened


def _load(path: str):
    """What torch's safe loader makes of a file, without its tensors' bytes where it can be mapped."""
    with open(path, "rb") as file:
        mapped = file.read(4) == b"PK\x03\x04"          # a zip file; PyTorch before 1.6 wrote no such
    return torch.load(path, map_location="cpu", mmap=mapped, weights_only=True)


def _mapped(path: str) -> list[tuple[int, int]]:
    """Where in memory this process has mapped a file, as Linux tells it."""
    found = []
    with contextlib.suppress(OSError, ValueError), open("/proc/self/maps", encoding="utf-8") as file:
        inode = str(os.stat(path).st_ino)
        for line in file:
            span, _, _, _, number, *_ = line.split(maxsplit=5)
            if number == inode:
                found.append(tuple(int(end, 16) for end in span.split("-")))
    return found


def _copied(t: torch.Tensor, mapped: list[tuple[int, int]]) -> torch.Tensor:
    """A copy in memory of its own; the pages of a mapped file are given back."""
    whole = t.detach().clone(memory_format=torch.contiguous_format)
    storage = t.untyped_storage()
    first = storage.data_ptr() // mmap.PAGESIZE * mmap.PAGESIZE
    end = storage.data_ptr() + storage.nbytes()
    if any(a <= first and end <= b for a, b in mapped):
        with contextlib.suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), mmap.MADV_DONTNEED)
    return whole


def _copied_span(t: torch.Tensor, mapped: list[tuple[int, int]], begin: int, end: int) -> torch.Tensor:
    return _copied(t.reshape(-1)[begin:end], mapped)
