"""What the functions of ``mindspore.numpy`` share: array-like arguments in, Tensors out."""

from __future__ import annotations

import inspect
from functools import wraps

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.operators.registry import lowered
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import as_torch, lower, wrap


def as_array(obj) -> torch.Tensor:
    """A torch tensor from a tensor, number or nested list: Python ints become Int32, floats Float32."""
    if isinstance(obj, torch.Tensor):
        return obj
    if isinstance(obj, bool):
        return torch.tensor(obj, device=device())
    if isinstance(obj, int):
        return torch.tensor(obj, dtype=torch.int32, device=device())
    if isinstance(obj, float):
        return torch.tensor(obj, dtype=torch.float32, device=device())
    if isinstance(obj, (list, tuple)):
        t = as_torch([wrap(x) if isinstance(x, torch.Tensor) else x for x in obj])
        plain = not any(isinstance(x, torch.Tensor) for x in obj)
        return t.to(torch.int32) if plain and t.dtype is torch.int64 else t
    raise TypeError(
        f"input data must be `int`, `float`, `bool`, `Tensor`, `list`, `tuple`, but got {type(obj)}"
    )


def floating(t: torch.Tensor) -> torch.Tensor:
    """``t``, Float32 where it holds integers or bools."""
    return t if t.is_floating_point() or t.is_complex() else t.to(torch.float32)


def _to_tensor(*args):
    """Tensors from array-like values; one alone for one argument (an old helper that programs import)."""
    made = tuple([wrap(as_array(lower(a))) for a in args])
    return made[0] if len(made) == 1 else made


# What numpy's letters mean, and Python's types: Int32 and Float32, where numpy has 64 bits.
_LETTERS = {
    "?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "q": "int64", "B": "uint8",
    "H": "uint16", "I": "uint32", "L": "uint64", "e": "float16", "f": "float32", "d": "float64",
}
_PYTHON = {int: torch.int32, float: torch.float32, bool: torch.bool}
_NARROW = {"int": torch.int32, "float": torch.float32}


def named_dtype(dtype, letters: bool = False) -> torch.dtype:
    """The torch dtype that an argument names as ``mindspore.numpy`` reads it; ``letters`` lets numpy's codes
    ("f4", "?") in. TypeError for what names none."""
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    if isinstance(dtype, str):
        if dtype.lower() in _NARROW:
            return _NARROW[dtype.lower()]
        if letters:
            try:
                return _dtype.to_torch(_LETTERS.get(dtype, dtype))
            except TypeError:
                raise TypeError(f"data type '{dtype}' not understood") from None
    return _dtype.to_torch(dtype)


def cast(t: torch.Tensor, dtype):
    return t if dtype is None else t.to(_dtype.to_torch(dtype))


def arrays(count: int):
    """Decorator: the first ``count`` arguments of the kernel are array-like, the rest is left as it is."""

    def decorate(kernel):
        @wraps(kernel)
        def call(*args, **kwargs):
            return kernel(*[as_array(a) if i < count else a for i, a in enumerate(args)], **kwargs)

        return lowered(call, kernel.__name__)

    return decorate


def signature(first: str, dtype: bool = True) -> inspect.Signature:
    """``(first, dtype=None)``, or ``(first)``."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    rest = [inspect.Parameter("dtype", kind, default=None)] if dtype else []
    return inspect.Signature([inspect.Parameter(first, kind), *rest])


def number_or_array(x):
    """An operand: a number beside a tensor stays one, and takes part by the rules of operators."""
    return x if isinstance(x, (bool, int, float, np.generic)) else as_array(x)
