"""Cosine transforms: type 2 and its inverse, orthonormal whatever ``norm`` says."""

from __future__ import annotations

import math

import torch

from ms2torch._core.checks.enum_words import meant
from ms2torch._core.errors import final
from ms2torch._core.tensor.dtype import from_torch

_WIDE = {torch.int16: torch.float32, torch.int32: torch.float32, torch.int64: torch.float32,
         torch.float16: torch.float32, torch.bfloat16: torch.float32,
         **{d: d for d in (torch.float32, torch.float64, torch.complex64, torch.complex128)}}


def checked(x, norm, api: str, sizes, axes, type: int = 2):
    """``x`` in a dtype that is transformed; MindSpore's errors for what it does not transform."""
    if type != 2:
        raise final(ValueError("Only dct type II is supported currently."))
    if norm is not None and meant(norm, "backward", "forward", "ortho") != "ortho":
        raise final(ValueError('Only norm "ortho" is supported currently.'))
    for n in sizes:
        if isinstance(n, int) and n < 1:
            raise final(ValueError(f"The argument[{'n' if api[-1] == 't' else 's'}] must be greater than 0, "
                                   f"but got {n}."))
    many = api[-1] == "n"
    name, limit = ("axes", x.ndim) if many else ("axis", x.ndim - 1 if x.ndim else 1)
    for axis in axes:
        if isinstance(axis, int) and not -x.ndim <= axis < x.ndim:
            raise final(ValueError(f"For primitive[{api.upper()}], the {name} must be in "
                                   f"[-{x.ndim},{limit}), but got {axis}."))
    if x.dtype not in _WIDE:
        raise final(TypeError(f"For '{api}', the dtype of 'x' must be an integer of 16 bits or more, a float "
                              f"or complex, but got {from_torch(x.dtype)}."))
    return x.to(_WIDE[x.dtype])


def _sized(x, n, axis: int):
    """``x`` cut, or filled up with zeros, to ``n`` along ``axis``."""
    old = x.shape[axis]
    if n is None or n == old:
        return x
    if n < old:
        return x.narrow(axis, 0, n)
    shape = list(x.shape)
    shape[axis] = n - old
    return torch.cat([x, x.new_zeros(shape)], axis)


def _matrix(n: int, like):
    """The orthonormal matrix of the transform of length ``n``."""
    k = torch.arange(n, device=like.device, dtype=torch.float64)
    rows = torch.cos(math.pi / (2 * n) * k[:, None] * (2 * k[None] + 1)) * math.sqrt(2 / n)
    rows[0] *= math.sqrt(0.5)
    return rows.to(like.dtype)


def forward(x, n, axis):
    """The transform along ``axis``, cut or filled up to ``n``."""
    x = _sized(x, n, axis).movedim(axis, -1)
    return (x @ _matrix(x.shape[-1], x).mT).movedim(-1, axis)


def backward(x, n, axis):
    """The inverse of `forward`."""
    x = _sized(x, n, axis).movedim(axis, -1)
    return (x @ _matrix(x.shape[-1], x)).movedim(-1, axis)


def over_axes(one, x, s, axes, norm, api, type: int = 2):
    """``one``, `forward` or `backward`, along some axes or all."""
    x = checked(x, norm, api, s or (), axes or (), type)
    if axes is None:
        axes = tuple(range(x.ndim)) if s is None else tuple(range(x.ndim - len(s), x.ndim))
    if s is not None and len(s) != len(axes):
        raise final(ValueError("When given, dim and s arguments must have the same length."))
    if len({axis % x.ndim for axis in axes}) < len(axes):
        raise final(ValueError("The dims must be unique."))
    for axis, n in zip(axes, s or (None,) * len(axes), strict=True):
        x = one(x, n, axis)
    return x
