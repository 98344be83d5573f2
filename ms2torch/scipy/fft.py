"""Cosine transforms (``mindspore.scipy.fft``): type 2 and its inverse, orthonormal whatever ``norm`` says."""

from __future__ import annotations

import math

import torch

from ms2torch._core.checks.enum_words import meant
from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import lowered

__all__ = ["dct", "dctn", "idct", "idctn"]


def _checked(x, type, norm, api: str):
    if type != 2:
        raise unsupported(f"mindspore.scipy.fft.{api}(type={type})", "only type 2 is here.", "type=2.")
    if norm is not None and meant(norm, "backward", "forward", "ortho") != "ortho":
        raise final(ValueError('Only norm "ortho" is supported currently.'))
    return x if x.is_floating_point() else x.float()


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


def _over_axes(one, x, s, axes):
    if axes is None:
        axes = tuple(range(x.ndim)) if s is None else tuple(range(x.ndim - len(s), x.ndim))
    for axis, n in zip(axes, s or (None,) * len(axes), strict=True):
        x = one(x, n, axis)
    return x


@lowered
def dct(x, type=2, n=None, axis=-1, norm=None):
    """The cosine transform along ``axis``, cut or filled up to ``n`` (``mindspore.scipy.fft.dct``)."""
    return _forward(_checked(x, type, norm, "dct"), n, axis)


@lowered
def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct` (``mindspore.scipy.fft.idct``)."""
    return _backward(_checked(x, type, norm, "idct"), n, axis)


@lowered
def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several axes, all by default, to the sizes ``s`` (``mindspore.scipy.fft.dctn``)."""
    return _over_axes(_forward, _checked(x, type, norm, "dctn"), s, axes)


@lowered
def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn` (``mindspore.scipy.fft.idctn``)."""
    return _over_axes(_backward, _checked(x, type, norm, "idctn"), s, axes)
