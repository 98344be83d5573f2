"""MindIR files of networks: traces by torch.export, told in MindSpore's primitives (``mindspore.export``)."""

from __future__ import annotations

import inspect
import os
import stat
from functools import partial

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.dtype import to_torch as to_torch_dtype
from ms2torch._core.tensor.tensor import Tensor, lower
from ms2torch.nn.cell import Cell
from ms2torch.train import _encryption

VERSION = "2.10.0"  # of MindSpore, whose form of the file this is
_LARGEST = 2 << 30  # bytes that one protobuf message can hold
_OPEN_SIZES = (6, 7, 9, 10, 11, 13, 14, 15)


class _Function(Cell):
    """A function of Tensors alone, as the construct of a Cell."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def construct(self, *inputs):
        return self.function(*inputs)


def export(net, *inputs, file_name: str, enc_key=None, enc_mode="AES-GCM", **kwargs) -> None:
    """What ``mindspore.export`` does for MINDIR: ``file_name`` may end with .mindir."""
    if inspect.isfunction(net):
        net = _Function(net)
    if not isinstance(net, Cell):
        raise unsupported(
            "mindspore.export(file_format='MINDIR')", f"{net!r} is no Cell.", "put it into one."
        )
    for name in ("custom_func", "obf_func", "preprocess"):
        if kwargs.get(name) is not None:
            raise unsupported(f"mindspore.export({name}=...)", "only the network is written.")
    encrypt = None
    if enc_key is not None:
        if not isinstance(enc_key, bytes):
            raise ValueError(
                f"The parameter 'enc_key' must be isinstance of <class 'bytes'>, but got {enc_key}."
            )
        if enc_mode not in ("AES-GCM", "AES-CBC", "SM4-CBC"):
            raise ValueError(f"MindIR only support AES-GCM/AES-CBC/SM4-CBC encryption, but got {enc_mode}")
        encrypt = partial(_encryption.encrypted, key=enc_key, mode=enc_mode)
    needed = [
        p for p in inspect.signature(net.construct).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    least = sum(p.default is p.empty for p in needed)
    if not least <= len(inputs) <= len(needed) and len(needed) == len(
        inspect.signature(net.construct).parameters
    ):
        raise TypeError(
            f"The parameters number of the function is {len(needed)}, but the number of provided "
            f"arguments is {len(inputs)}."
        )
    for x in inputs:
        if not isinstance(x, Tensor):
            raise unsupported(
                "mindspore.export(file_format='MINDIR')",
                f"an input is a {type(x).__name__}.",
                "give Tensors, and build a Cell that makes what else is needed of them.",
            )
    path = os.path.realpath(file_name if file_name.endswith(".mindir") else f"{file_name}.mindir")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(net, inputs, path, encrypt)


def write(net, inputs, path: str, encrypt=None) -> None:
    """``net``, as it is set, as the file ``path``; ``inputs`` are examples, or Tensors of open shapes.

    Control flow is that which the inputs take. NotImplementedError for an operator that no primitive of
    MindSpore's stands for, for a choice by numbers that a run gives, and for what cannot stay open.
    """
    from ms2torch.migrate.to_torch import to_torch

    from . import tracing
    from .graph import Graph

    size = sum(p._t.numel() * p._t.element_size() for p in net.get_parameters())
    if size >= _LARGEST:
        raise unsupported(
            "mindspore.export(file_format='MINDIR')",
            f"{size >> 20} MiB are more than one file can hold.",
            "save_checkpoint for the weights.",
        )
    examples, shapes = _examples(inputs)
    with torch.no_grad():
        program = tracing.traced(to_torch(net), examples, shapes)
        graph = Graph(type(net).__name__)
        tracing.tell(program, graph, _names(net, len(examples)))
    made = graph.model(VERSION)
    part = f"{path}.part{os.getpid()}"
    try:
        with open(part, "wb") as file:
            file.writelines([made] if encrypt is None else encrypt(made))
        os.chmod(part, stat.S_IRUSR)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)


def _names(net, count: int) -> list[str]:
    """What ``construct`` calls its inputs; "input_" stands before the name of a Parameter."""
    taken = {p.name for p in net.get_parameters()}
    given = inspect.signature(getattr(net, "function", net.construct)).parameters
    names = [f"input_{name}" if name in taken else name for name in given]
    return names[:count] if len(names) >= count else [f"x{k}" for k in range(count)]


def _examples(inputs) -> tuple[tuple, tuple | None]:
    """Torch's tensors for the inputs, and which of their sizes are open."""
    examples, shapes = [], []
    for x in inputs:
        shape = tuple(x.shape) if isinstance(x, Tensor) else ()
        if not any(n is None or n < 0 for n in shape):
            examples.append(lower(x).detach())  # of a Parameter its numbers, which vary
            shapes.append(None)
            continue
        whole = tuple(_OPEN_SIZES[k % 8] if n is None or n < 0 else n for k, n in enumerate(shape))
        dtype = to_torch_dtype(x.dtype)
        examples.append(torch.zeros(whole, dtype=dtype))
        shapes.append({k: torch.export.Dim.AUTO for k, n in enumerate(shape) if n is None or n < 0})
    return tuple(examples), {"args": tuple(shapes)} if any(shapes) else None
