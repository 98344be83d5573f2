"""Tensor (``mindspore.common.tensor``)."""

import numpy as np
import torch

from ms2torch._core.errors import final
from ms2torch._core.tensor.dtype import Type, to_torch
from ms2torch._core.tensor.tensor import Tensor, as_torch, wrap
from ms2torch._naming.surface import install_lazy

__all__ = ["Tensor", "frombuffer", "tensor"]

# What print(type(x)) shows in MindSpore.
Tensor.__module__ = "mindspore.common.tensor"


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None) -> Tensor:
    """A new Tensor; the arguments are ``Tensor``'s. Data is always copied (``mindspore.tensor``)."""
    if isinstance(input_data, Tensor) and dtype is None and shape is None and init is None:
        return wrap(as_torch(input_data).clone())
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def frombuffer(buffer, dtype, count=-1, offset=0) -> Tensor:
    """A 1-d Tensor over the memory of a buffer, ``count`` elements from byte ``offset`` on, shared.

    MindSpore: ``mindspore.frombuffer``. ValueError where the buffer is too short.
    """
    try:
        readonly = memoryview(buffer).readonly
    except TypeError:
        raise final(RuntimeError("object does not implement Python buffer protocol.")) from None
    if any(not isinstance(n, (int, np.integer)) for n in (count, offset)):
        raise final(TypeError("frombuffer(): incompatible function arguments."))
    if not isinstance(dtype, Type):
        raise final(RuntimeError(f"dtype must be mindspore dtype object, but got{dtype}"))
    if readonly:                     # torch would share it, and warn that it may be written to
        buffer = bytearray(buffer)
    return wrap(torch.frombuffer(buffer, dtype=to_torch(dtype), count=count, offset=offset))


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange what two Tensors are: class, attributes and memory; each stays the same Python object."""
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    t1._t, t2._t = t2._t, t1._t


class _TensorMeta(type):
    """The metaclass that libraries take for their own subclasses of Tensor."""


install_lazy(__name__, globals())
