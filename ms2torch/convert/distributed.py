"""Distributed checkpoints of torch's: a folder with ``.metadata`` and files of parts.

Read part by part, as any number of processes wrote them, and written whole by one; any layout of processes
loads what is written. Nothing that ``.metadata`` names is executed.
"""

from __future__ import annotations

import enum
import io
import os
import pickle
import re
import warnings
from functools import partial

import torch

from ms2torch._core.torch_private import alone
from ms2torch.train import _shards

from .entries import KEY, STATE, TORCH, Bad, Checkpoint, Entry

ENDING = ".dcp"
METADATA = ".metadata"
_REMEMBERED = f"{KEY}.json"
# What training programs put around the names of a network's weights and of its optimizer's state.
_AROUND = (re.compile(r"(?:app\.|state_dict\.)?(?:model|model_state_dict|module|network)\.(.+)"),
           re.compile(r"(?:app\.|state_dict\.)?(?:optim|optimizer|optimizer_state_dict)\.state\.(.+)"))
_DTYPES = frozenset(name for name in dir(torch) if isinstance(getattr(torch, name), torch.dtype))
_NAMED = frozenset({
    ("torch", "Size"), ("torch.serialization", "_get_layout"), ("pathlib", "PosixPath"),
    ("pathlib", "PurePosixPath"), ("pathlib._local", "PosixPath"), ("pathlib", "WindowsPath"),
    ("torch.distributed.checkpoint.filesystem", "_StorageInfo"),
    *[("torch.distributed.checkpoint.metadata", name) for name in (
        "Metadata", "TensorStorageMetadata", "BytesStorageMetadata", "TensorProperties",
        "ChunkStorageMetadata", "MetadataIndex", "StorageMeta", "_MEM_FORMAT_ENCODING")]})


def _member(kind, name: str):
    """A member of an enumeration, which Python 3.11.0 to 3.11.3 pickle as ``getattr(kind, name)``."""
    if not (isinstance(kind, type) and issubclass(kind, enum.Enum) and name in kind.__members__):
        raise pickle.UnpicklingError("builtins.getattr")
    return kind[name]


class _Described(pickle.Unpickler):
    """Makes what describes tensors, and nothing else."""

    def find_class(self, module: str, name: str):
        if (module, name) == ("builtins", "getattr"):
            return _member
        if (module, name) in _NAMED or (module == "torch" and name in _DTYPES):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


def is_one(path: str) -> bool:
    """Whether the folder is a distributed checkpoint."""
    return os.path.isfile(os.path.join(path, METADATA))


def open_folder(path: str) -> tuple[Checkpoint, str]:
    """The tensors of a distributed checkpoint, and what it remembers of a conversion. Raises `Bad`."""
    try:
        with open(os.path.join(path, METADATA), "rb") as file:
            found = _Described(file).load()
        described, stored = dict(found.state_dict_metadata), {}
        for index, info in found.storage_data.items():
            stored[index.fqn, tuple(index.offset or ())] = info
    except pickle.UnpicklingError as err:
        raise Bad(f"{path}/{METADATA} holds more than descriptions of tensors ({err}); nothing of it was run."
                  ) from None
    except MemoryError:
        raise
    except Exception as err:
        raise Bad(f"{path}/{METADATA} is damaged ({type(err).__name__}).") from None
    opened = Checkpoint(path, TORCH, {})
    bare = _plain_names(described)
    for name, one in described.items():
        if not hasattr(one, "chunks"):
            opened.left.append(name)
            continue
        try:
            dtype, shape = one.properties.dtype, tuple(map(int, one.size))
            parts = [(tuple(part.offsets), tuple(part.sizes), stored[name, tuple(part.offsets)])
                     for part in one.chunks]
        except (KeyError, AttributeError, TypeError, ValueError):
            raise Bad(f"{path}/{METADATA} does not say where {name} is.") from None
        opened.entries[bare[name]] = Entry(bare[name], dtype, shape,
                                           partial(_read, path, name, dtype, shape, parts))
    memory = ""
    if os.path.isfile(os.path.join(path, _REMEMBERED)):
        with open(os.path.join(path, _REMEMBERED), encoding="utf-8") as file:
            memory = file.read()
    return opened, memory


def _plain_names(names) -> dict[str, str]:
    """Each name as a file of one network and its optimizer has it; as it is where two would be one."""
    found = {}
    for name in names:
        weight, state = (pattern.fullmatch(name) for pattern in _AROUND)
        found[name] = STATE + state[1] if state else weight[1] if weight else name
    return found if len(set(found.values())) == len(found) else {name: name for name in names}


def _read(path: str, name: str, dtype, shape, parts) -> torch.Tensor:
    whole = torch.empty(shape, dtype=dtype)
    filled = 0
    for offsets, sizes, info in parts:
        t = _part(path, name, info)
        try:
            if tuple(t.shape) != sizes or t.dtype is not dtype:
                raise ValueError
            at = whole
            for dim, (start, count) in enumerate(zip(offsets, sizes, strict=True)):
                at = at.narrow(dim, start, count)
            at.copy_(t)
        except (ValueError, RuntimeError, IndexError):
            raise Bad(f"{path}: a part of {name} is not as {METADATA} has it.") from None
        filled += t.numel()
    if filled < whole.numel():
        raise Bad(f"{path} lacks parts of {name}.")
    return whole


def _part(path: str, name: str, info) -> torch.Tensor:
    try:
        place = _shards.beside(os.path.join(path, METADATA), str(getattr(info, "relative_path", "")))
    except ValueError as err:
        raise Bad(str(err)) from None
    if getattr(info, "transform_descriptors", None):
        raise Bad(f"{path}: {name} is compressed; load it with torch and save it plain.")
    try:
        with open(place, "rb") as file:
            file.seek(info.offset)
            content = file.read(info.length)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as err:
        raise Bad(f"{path}: {name} is damaged ({type(err).__name__}).") from None


def write(folder: str, described: dict, get, memory: str) -> None:
    """Write the named tensors, one at a time in memory, as one process of torch's would."""
    import torch.distributed.checkpoint as dcp

    class OneByOne(dcp.DefaultSavePlanner):
        def lookup_object(self, index):
            dtype, shape = described[index.fqn]
            whole = torch.empty(shape, dtype=dtype)
            at = 0
            for piece in get(index.fqn):
                whole.view(-1)[at : at + len(piece)] = piece
                at += len(piece)
            return whole

    state = {name: torch.empty(shape, dtype=dtype, device="meta")
             for name, (dtype, shape) in described.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # (that there is one process)
        dcp.save(state, storage_writer=dcp.FileSystemWriter(folder), planner=OneByOne(), **alone(dcp.save))
    if memory:
        with open(os.path.join(folder, _REMEMBERED), "w", encoding="utf-8") as file:
            file.write(memory)
