"""PyTorch's .pt files, written one tensor at a time: a zip of a pickle and each tensor's bytes as they are.

``torch.save`` wants all tensors in memory at once; the files are the same to ``torch.load``, mapped or not.
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import torch

from ms2torch._core import torch_private
from ms2torch.train._checkpoint_file import raw_bytes

_ALIGNMENT = 64
_ROOT = "archive"
_CLASSES = {
    torch.float64: "Double",
    torch.float32: "Float",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.int64: "Long",
    torch.int32: "Int",
    torch.int16: "Short",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.bool: "Bool",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}


@dataclass
class Slot:
    """Where a tensor is to stand. ``storage`` is one number for all that share their memory."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    storage: int = -1


class _Storage:
    def __init__(self, slot: Slot) -> None:
        self.slot = slot


class _Pickler(pickle.Pickler):
    """Writes what torch.save would: a slot as a tensor over a storage, a storage by its number."""

    def reducer_override(self, obj):
        if not isinstance(obj, Slot):
            return NotImplemented
        stride, step = [], 1
        for n in reversed(obj.shape):
            stride.insert(0, step)
            step *= max(n, 1)
        rest = (_Storage(obj), 0, obj.shape, tuple(stride), False, OrderedDict())
        if obj.dtype in _CLASSES:
            return torch_private.rebuild_tensor, rest
        return torch_private.rebuild_tensor_of_dtype, (*rest, obj.dtype)

    def persistent_id(self, obj):
        if not isinstance(obj, _Storage):
            return None
        slot, count = obj.slot, math.prod(obj.slot.shape)
        if slot.dtype in _CLASSES:
            return (
                "storage",
                getattr(torch, f"{_CLASSES[slot.dtype]}Storage"),
                str(slot.storage),
                "cpu",
                count,
            )
        return "storage", torch.UntypedStorage, str(slot.storage), "cpu", count * slot.dtype.itemsize


def write(file, content, slots: list[Slot], get: Callable[[str], torch.Tensor]) -> None:
    """Write ``content``, in which slots stand for tensors; ``get`` gives each tensor when its turn comes."""
    described = io.BytesIO()
    _Pickler(described, protocol=2).dump(content)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _record(file, archive, "data.pkl", memoryview(described.getvalue()))
        _record(file, archive, "byteorder", memoryview(b"little"))
        written = set()
        for slot in slots:
            if slot.storage not in written:
                written.add(slot.storage)
                _record(file, archive, f"data/{slot.storage}", raw_bytes(get(slot.name)))
        _record(file, archive, "version", memoryview(b"3\n"))


def _record(file, archive: zipfile.ZipFile, name: str, content: memoryview) -> None:
    """One file of the archive, whose bytes begin at a multiple of 64 so that they can be mapped."""
    info = zipfile.ZipInfo(f"{_ROOT}/{name}", date_time=(1980, 1, 1, 0, 0, 0))
    large = len(content) >= 1 << 30
    begin = file.tell() + 30 + len(info.filename) + 4 + (20 if large else 0)
    padding = -begin % _ALIGNMENT
    info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    with archive.open(info, "w", force_zip64=large) as record:
        for at in range(0, len(content), 1 << 26):
            record.write(content[at : at + (1 << 26)])
