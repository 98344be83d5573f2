"""PyTorch's .pt files, written piece by piece: a zip of a pickle and each tensor's bytes as they are.

``torch.save`` wants all tensors in memory at once; the files are the same to ``torch.load``, mapped or not.
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterable
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


def write(file, content, slots: list[Slot], get: Callable[[str], Iterable[torch.Tensor]]) -> None:
    """Write ``content``, in which slots stand for tensors; ``get`` gives each one's pieces at its turn."""
    described = io.BytesIO()
    _Pickler(described, protocol=2).dump(content)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _small(file, archive, "data.pkl", described.getvalue())
        _small(file, archive, "byteorder", b"little")
        written = set()
        for slot in slots:
            if slot.storage not in written:
                written.add(slot.storage)
                size = math.prod(slot.shape) * slot.dtype.itemsize
                with _record(file, archive, f"data/{slot.storage}", size) as record:
                    for piece in get(slot.name):
                        record.write(raw_bytes(piece))
        _small(file, archive, "version", b"3\n")


def _small(file, archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    with _record(file, archive, name, len(content)) as record:
        record.write(content)


def _record(file, archive: zipfile.ZipFile, name: str, size: int):
    """A file of the archive, for ``size`` bytes that begin at a multiple of 64 so that they can be mapped."""
    info = zipfile.ZipInfo(f"{_ROOT}/{name}", date_time=(1980, 1, 1, 0, 0, 0))
    large = size >= 1 << 30
    begin = file.tell() + 30 + len(info.filename) + 4 + (20 if large else 0)
    padding = -begin % _ALIGNMENT
    info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    return archive.open(info, "w", force_zip64=large)
