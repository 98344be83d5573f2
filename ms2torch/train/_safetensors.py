"""safetensors files: an 8-byte length, a JSON header, the tensors' bytes.

Written as the safetensors library writes them (larger element types first, then by name; the header padded
with blanks to a multiple of 8), so that the files are the same to the bit. Reading checks every offset
against the file before anything is allocated.
"""

from __future__ import annotations

import json
import math
from typing import NamedTuple

import torch

from ._checkpoint_file import Damaged, copy_bytes, raw_bytes

# In the library's order of element types.
_NAMES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "U16": torch.uint16,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I32": torch.int32,
    "U32": torch.uint32,
    "F32": torch.float32,
    "C64": torch.complex64,
    "F64": torch.float64,
    "I64": torch.int64,
    "U64": torch.uint64,
}
_ORDER = {dtype: (rank, name) for rank, (name, dtype) in enumerate(_NAMES.items())}


class Place(NamedTuple):
    """A tensor's dtype and shape, and the span of its bytes in the file."""

    dtype: torch.dtype
    shape: list[int]
    begin: int
    end: int


def write(path: str, tensors: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
    """Write named tensors; TypeError for an element type that the format does not have."""
    with open(path, "wb") as file:
        stream(file, {n: (t.dtype, t.shape) for n, t in tensors.items()}, metadata, lambda n: (tensors[n],))


def stream(file, described: dict[str, tuple], metadata: dict[str, str], get) -> None:
    """Write tensors of known dtypes and shapes, the pieces of each asked for at its turn by its name."""
    for name, (dtype, _) in described.items():
        if dtype not in _ORDER:
            raise TypeError(f"safetensors has no element type for {name}: {dtype}.")
    header, end = {"__metadata__": metadata} if metadata else {}, 0
    ordered = sorted(described.items(), key=lambda item: (-_ORDER[item[1][0]][0], item[0]))
    for name, (dtype, shape) in ordered:
        begin, end = end, end + math.prod(shape) * dtype.itemsize
        header[name] = {"dtype": _ORDER[dtype][1], "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for name, _ in ordered:
        for piece in get(name):
            file.write(raw_bytes(piece))


def read(file, size: int, wanted=lambda name: True) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The wanted tensors by name, and the metadata, of an open file of ``size`` bytes. Raises `Damaged`."""
    places, metadata = index(file, size)
    found = {}
    for name, place in places.items():
        if wanted(name):
            file.seek(place.begin)
            found[name] = torch.empty(place.shape, dtype=place.dtype)
            copy_bytes(found[name], [memoryview(file.read(place.end - place.begin))])
    return found, metadata


def index(file, size: int) -> tuple[dict[str, Place], dict[str, str]]:
    """Where the tensors of an open file of ``size`` bytes lie, by name; the metadata. Raises `Damaged`."""
    header, start = _header(file, size)
    metadata = header.pop("__metadata__", {})
    found, filled = {}, 0
    try:
        for name in sorted(header):
            entry = header[name]
            begin, end = entry["data_offsets"]
            dtype, shape = _NAMES[entry["dtype"]], entry["shape"]
            if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)) or (
                math.prod(shape) * dtype.itemsize != end - begin or start + end > size
            ):
                raise Damaged(name)
            filled += end - begin
            found[name] = Place(dtype, shape, start + begin, start + end)
    except (KeyError, TypeError, ValueError) as err:
        raise Damaged(str(err)) from None
    if start + filled != size:
        raise Damaged("bytes that belong to no tensor")
    return found, metadata


def _header(file, size: int) -> tuple[dict, int]:
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise Damaged("cut")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError):
        raise Damaged("header") from None
    if not isinstance(header, dict) or not isinstance(header.get("__metadata__", {}), dict):
        raise Damaged("header")
    return header, 8 + length
