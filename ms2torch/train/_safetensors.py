"""safetensors files: an 8-byte length, a JSON header, the tensors' bytes.

Written as the safetensors library writes them (larger element types first, then by name; the header padded
with blanks to a multiple of 8), so that the files are the same to the bit. Reading checks every offset
against the file before anything is allocated.
"""

from __future__ import annotations

import json
import math

import torch

from ._checkpoint_file import Damaged, fill, raw_bytes

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


def write(path: str, tensors: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
    """Write named tensors; TypeError for an element type that the format does not have."""
    for name, t in tensors.items():
        if t.dtype not in _ORDER:
            raise TypeError(f"safetensors has no element type for {name}: {t.dtype}.")
    header, end = {"__metadata__": metadata} if metadata else {}, 0
    ordered = sorted(tensors.items(), key=lambda item: (-_ORDER[item[1].dtype][0], item[0]))
    for name, t in ordered:
        begin, end = end, end + t.numel() * t.element_size()
        header[name] = {"dtype": _ORDER[t.dtype][1], "shape": list(t.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, t in ordered:
            file.write(raw_bytes(t))


def read(file, size: int, wanted=lambda name: True) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The wanted tensors by name, and the metadata, of an open file of ``size`` bytes. Raises `Damaged`."""
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
            if wanted(name):
                file.seek(start + begin)
                found[name] = torch.empty(shape, dtype=dtype)
                fill(found[name], [memoryview(file.read(end - begin))])
    except (KeyError, TypeError) as err:
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
