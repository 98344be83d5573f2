"""Cosine transforms (``mindspore.scipy.fft``): type 2 and its inverse, orthonormal whatever ``norm`` says."""

from __future__ import annotations

import math

import torch

from ms2torch._core.checks.enum_words import meant
from ms2torch._core.errors import final
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor.dtype import from_torch

__all__ = ["dct", "dctn", "idct", "idctn"]


_WIDE = {torch.int16: torch.float32, torch.int32: torch.float32, torch.int64: torch.float32,
         torch.float16: torch.float32, torch.bfloat16: torch.float32,
         **{d: d for d in (torch.float32, torch.float64, torch.complex64, torch.complex128)}}


def _checked(x, norm, api: str, sizes, axes):
    if norm is not None and meant(norm, "backward", "forward", "ortho") != "ortho":
        raise final(ValueError('Only norm "ortho" is supported currently.'))
    for n in sizes:
        if isinstance(n, int) and n < 1:
            raise final(ValueError(f"The argument[{'n' if api[-1] == 't' else 's'}] must be greater than 0, "
                                   f"but got {n}."))
    many = api[-1] == "n"
    name, limit = ("axes", x.ndim) if many else ("axis", max(x.ndim - 1, 1))
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


def _forward(x, n, axis):
    x = _sized(x, n, axis).movedim(axis, -1)
    return (x @ _matrix(x.shape[-1], x).mT).movedim(-1, axis)


def _backward(x, n, axis):
    x = _sized(x, n, axis).movedim(axis, -1)
    return (x @ _matrix(x.shape[-1], x)).movedim(-1, axis)


def _over_axes(one, x, s, axes, norm, api):
    x = _checked(x, norm, api, s or (), axes or ())
    if axes is None:
        axes = tuple(range(x.ndim)) if s is None else tuple(range(x.ndim - len(s), x.ndim))
    if s is not None and len(s) != len(axes):
        raise final(ValueError("When given, dim and s arguments must have the same length."))
    if len({axis % x.ndim for axis in axes}) < len(axes):
        raise final(ValueError("The dims must be unique."))
    for axis, n in zip(axes, s or (None,) * len(axes), strict=True):
        x = one(x, n, axis)
    return x


@lowered
def dct(x, type=2, n=None, axis=-1, norm=None):
    """The cosine transform along ``axis``, cut or filled up to ``n`` (``mindspore.scipy.fft.dct``)."""
    return _forward(_checked(x, norm, "dct", (n,), (axis,)), n, axis)


@lowered
def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct` (``mindspore.scipy.fft.idct``)."""
    return _backward(_checked(x, norm, "idct", (n,), (axis,)), n, axis)


@lowered
def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several axes, all by default, to the sizes ``s`` (``mindspore.scipy.fft.dctn``)."""
    return _over_axes(_forward, x, s, axes, norm, "dctn")


@lowered
def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn` (``mindspore.scipy.fft.idctn``)."""
    return _over_axes(_backward, x, s, axes, norm, "idctn")
