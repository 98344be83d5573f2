"""Tensor methods about memory: bytes, files, pinned pages."""

from __future__ import annotations

import math

import torch

from ms2torch._core.checks.calls import compiled_name
from ms2torch._core.checks.compiled_methods import one_argument, without_arguments
from ms2torch._core.operators.registry import method
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap


@method(on_tensors=True)
def get_bytes(self):
    """The elements' bytes in order (``mindspore.Tensor.get_bytes``)."""
    return self._t.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def convert_bytes_to_tensor(*args):
    """A Tensor of bytes that `get_bytes` gave, of which more than the shape takes are left.

    (``mindspore.Tensor.convert_bytes_to_tensor(data, shape, dtype)``.)
    """
    if len(args) != 3:
        raise TypeError(f"function takes exactly 3 arguments ({len(args)} given)")
    data, shape, dtype = args
    if not isinstance(shape, tuple):
        raise SystemError("Objects/tupleobject.c:101: bad argument to internal function")
    if wrong := [n for n in shape if not isinstance(n, int)]:
        raise RuntimeError(f"Unable to cast Python instance of type {type(wrong[0])} to C++ type 'int'")
    read = torch.frombuffer(bytearray(data), dtype=_dtype.to_torch(dtype))
    return wrap(read[:math.prod(shape)].reshape(shape))


Tensor.convert_bytes_to_tensor = staticmethod(convert_bytes_to_tensor)


@method(on_tensors=True)
@without_arguments
def is_pinned(self):
    """Whether the memory is locked for transfers to a GPU."""
    return self._t.is_pinned()


@method(on_tensors=True)
@without_arguments
def is_init(self):
    """False, as MindSpore's answers for data and for initializers (``mindspore.Tensor.is_init``)."""
    return False


@method(on_tensors=True)
@one_argument
def offload(self, file_name):
    """Move the elements to a file, from which they are read when needed (``mindspore.Tensor.offload``).

    The file keeps them; later writes to the Tensor stay in memory.
    """
    if not isinstance(file_name, str):
        raise TypeError(f"argument 1 must be str, not {compiled_name(file_name).strip(chr(39))}")
    t = self._t.detach()
    t.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tofile(file_name)
    self._t = torch.from_file(file_name, shared=False, size=t.numel(), dtype=t.dtype).reshape(t.shape)
    return True


@method(name="set_", on_tensors=True)
def _set(self, source=None, storage_offset=0, size=None, stride=None):
    """Make this Tensor one over the memory of ``source`` (``Tensor.set_``); empty without one."""
    if source is None:
        self._t = torch.empty(0, dtype=self._t.dtype, device=self._t.device)
    elif size is None:
        self._t = source._t
    else:
        size = tuple(size)
        stride = torch.empty(size, device="meta").stride() if stride is None else tuple(stride)
        self._t = source._t.as_strided(size, stride, storage_offset)
    return self
