"""MindSpore's .ckpt files: protobuf messages, written and read by hand.

The messages, in protobuf's language (a file is a run of ``Checkpoint``s, which is one with all their values):

    Checkpoint   { repeated Value value = 1; }
    Value        { string tag = 1; TensorProto tensor = 2; }
    TensorProto  { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3; }

A tensor of more than 512 MiB goes into several Values of one tag, each with the dims of the whole. A string
has the type ``str``, dims ``[0]`` and UTF-32 content. At the end may stand ``crc_num`` and ten bytes of
CRC-32. A field of another number is passed over by every reader: in `NOTE` a converted file keeps where it
came from. Nothing in a file is executed, and nothing is allocated that the file does not hold.
"""

from __future__ import annotations

import itertools
import math
import mmap
import os
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch

from ms2torch._core import protobuf
from ms2torch._core.protobuf import Damaged, varint
from ms2torch._core.tensor import dtype as _dtype

SLICE = 512 * 1024 * 1024
NOTE = 1000
_CRC_MARK = b"crc_num"
_TYPES = {str(t): torch_dtype for torch_dtype, t in _dtype._FROM_TORCH.items() if not torch_dtype.is_complex}
# MindSpore writes complex tensors too, and cannot load what it wrote.
WRITTEN = {str(t): torch_dtype for torch_dtype, t in _dtype._FROM_TORCH.items()}


# ---- writing -----------------------------------------------------------------------------------------------


class Piecewise(NamedTuple):
    """A tensor whose elements come in order, some at a time, in flat tensors of its dtype."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    pieces: Iterable[torch.Tensor]


def write(
    path: str, values: Iterable[tuple[str, torch.Tensor | Piecewise | str]], crc: bool = False, encrypt=None,
    note: bytes = b"",
) -> None:
    """Write named tensors and strings; a tensor without elements leaves no trace, as in MindSpore.

    ``encrypt``: the whole content to the parts that are written in its place.
    """
    checksum = 0
    parts = (part for tag, value in values for part in _messages(tag, value))
    if note:
        parts = itertools.chain([protobuf.content(NOTE, note)], parts)
    with open(path, "wb") as file:
        for part in parts if encrypt is None else encrypt(b"".join(parts)):
            file.write(part)
            if crc:
                checksum = zlib.crc32(part, checksum)
        if crc:
            file.write(_CRC_MARK + checksum.to_bytes(10, "big"))


def _messages(tag: str, value) -> Iterator[bytes | memoryview]:
    if isinstance(value, str):
        content = memoryview(value.encode("utf-32-le") or bytes(4))
        dims, kind, size, contents = (0,), "str", len(content), (content,)
    else:
        dims, kind = value.shape, _dtype.from_torch(value.dtype)._text
        whole = not isinstance(value, Piecewise)
        size = math.prod(dims) * (value.element_size() if whole else value.dtype.itemsize)
        contents = map(raw_bytes, (value,) if whole else value.pieces)
    head = b"".join(b"\x08" + varint(n) for n in dims) + protobuf.content(2, kind.encode())
    name = protobuf.content(1, tag.encode())
    room = 0
    for content in contents:
        while content:
            if not room:
                room = min(size, SLICE)
                size -= room
                before = head + b"\x1a" + varint(room)
                tensor = b"\x12" + varint(len(before) + room)
                yield b"\x0a" + varint(len(name) + len(tensor) + len(before) + room) + name + tensor + before
            part, content = content[:room], content[room:]
            room -= len(part)
            yield part


def raw_bytes(t: torch.Tensor) -> memoryview:
    """The elements of ``t`` in order, without a copy where they lie so on the CPU."""
    flat = t.detach().to("cpu").contiguous().reshape(-1)
    return memoryview(flat.view(torch.uint8).numpy())


# ---- reading -----------------------------------------------------------------------------------------------


def read(
    path: str, wanted=lambda tag: True, crc: bool = False, decrypt=None
) -> dict[str, torch.Tensor | str]:
    """The wanted tensors and strings of a file, in its order; ``decrypt`` makes its content of its bytes.

    Raises `Damaged` for bytes that are no checkpoint or fail the checksum, ValueError for a value that
    contradicts itself, NotImplementedError for a MapParameter, OSError for a file that cannot be read.
    """
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return {}
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as data:
            end = len(data)
            if data[-17:-10] == _CRC_MARK:
                end -= 17
                if crc and zlib.crc32(data[:end]) != int.from_bytes(data[-10:], "big"):
                    raise Damaged("checksum")
            if decrypt is not None:
                with memoryview(decrypt(bytes(data[:end]))) as plain:
                    return _values(plain, len(plain), wanted)
            return _values(data, end, wanted)


def has_crc(path: str) -> bool:
    """Whether a file ends with a checksum."""
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 17))
        return file.read(7) == _CRC_MARK


class Place(NamedTuple):
    """Where a tensor or string lies: its dims and type as written, and the spans of its bytes."""

    dims: list[int]
    kind: str
    pieces: list[tuple[int, int]]


def index(path: str) -> tuple[dict[str, Place], bytes]:
    """Where everything in a file lies, without reading it, and the file's note."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return {}, b""
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as data:
            end = len(data) - 17 if data[-17:-10] == _CRC_MARK else len(data)
            notes = [place for number, place in _fields(data, 0, end)
                     if number == NOTE and isinstance(place, tuple)]
            return _places(data, end), bytes(data[slice(*notes[0])]) if notes else b""


def _values(data: memoryview, end: int, wanted) -> dict:
    return {tag: _value(data, *place) for tag, place in _places(data, end, wanted).items()}


def _places(data: memoryview, end: int, wanted=lambda tag: True) -> dict[str, Place]:
    values = [place for number, place in _fields(data, 0, end) if number == 1]
    if not all(isinstance(place, tuple) for place in values):
        raise Damaged("a value that is a number")
    elements = [_element(data, *place) for place in values]
    found, pieces = {}, []
    for i, (tag, dims, kind, place) in enumerate(elements):
        if not wanted(tag):
            continue
        pieces.append(place)
        if i + 1 == len(elements) or elements[i + 1][0] != tag:
            found[tag] = Place(dims, kind, pieces)
            pieces = []
    return found


def _element(data: memoryview, start: int, end: int) -> tuple:
    fields = dict(_fields(data, start, end))
    if not isinstance(fields.get(1), tuple):
        raise Damaged("a value without a tag")
    tag = protobuf.text(data, fields[1])
    if not isinstance(fields.get(2), tuple):
        from ms2torch._core.errors import unsupported

        raise unsupported(
            f"mindspore.load_checkpoint, the MapParameter {tag!r}", "hash-table parameters are not supported."
        )
    dims, kind, content = [], "", (0, 0)
    for number, value in _fields(data, *fields[2]):
        if number == 1:
            dims += [value] if isinstance(value, int) else protobuf.packed(data, *value)
        elif number == 2 and isinstance(value, tuple):
            kind = protobuf.text(data, value)
        elif number == 3 and isinstance(value, tuple):
            content = value
    return tag, dims, kind, content


def _value(data: memoryview, dims: list[int], kind: str, pieces: list[tuple[int, int]]):
    if kind == "str":
        return b"".join(data[start:end] for start, end in pieces).decode("utf-32-le").rstrip("\0")
    dtype, dims = checked_tensor(dims, kind, pieces)
    tensor = torch.empty(dims, dtype=dtype)
    copy_bytes(tensor, (data[start:end] for start, end in pieces))
    return tensor


def checked_tensor(
    dims: list[int], kind: str, pieces: list[tuple[int, int]], types: dict[str, torch.dtype] = _TYPES
) -> tuple[torch.dtype, list[int]]:
    """The dtype and shape of a tensor whose bytes are those of its shape; ValueError for any other."""
    total = sum(end - start for start, end in pieces)
    if kind not in types:
        raise ValueError(repr(kind))
    dtype = types[kind]
    if dims == [0] and total:
        dims = []  # how older releases wrote a scalar
    if any(n < 0 for n in dims) or math.prod(dims) * dtype.itemsize != total:
        raise ValueError(f"A tensor of shape {dims} and type {kind} can not have {total} bytes.")
    return dtype, dims


def copy_bytes(tensor: torch.Tensor, pieces: Iterable[memoryview]) -> None:
    """Copy bytes into a new tensor."""
    target, at = tensor.reshape(-1).view(torch.uint8).numpy(), 0
    for piece in pieces:
        target[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        at += len(piece)


def _fields(data: memoryview, start: int, end: int) -> Iterator[tuple[int, int | tuple[int, int]]]:
    """``(number, value)`` of each field: an int, or where its bytes lie. Fixed-width ones are passed over."""
    return ((number, value) for number, wire, value in protobuf.fields(data, start, end) if wire in (0, 2))
