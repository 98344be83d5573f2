"""Cosine transforms (``mindspore.scipy.fft``): type 2 and its inverse, orthonormal whatever ``norm`` says."""

from __future__ import annotations

from ms2torch._core.operators.lowering import lowered
from ms2torch.ops.function._cosine_transforms import backward, checked, forward, over_axes

__all__ = ["dct", "dctn", "idct", "idctn"]


@lowered
def dct(x, type=2, n=None, axis=-1, norm=None):
    """The cosine transform along ``axis``, cut or filled up to ``n`` (``mindspore.scipy.fft.dct``)."""
    return forward(checked(x, norm, "dct", (n,), (axis,), type), n, axis)


@lowered
def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct` (``mindspore.scipy.fft.idct``)."""
    return backward(checked(x, norm, "idct", (n,), (axis,), type), n, axis)


@lowered
def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several axes, all by default, to the sizes ``s`` (``mindspore.scipy.fft.dctn``)."""
    return over_axes(forward, x, s, axes, norm, "dctn", type)


@lowered
def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn` (``mindspore.scipy.fft.idctn``)."""
    return over_axes(backward, x, s, axes, norm, "idctn", type)
