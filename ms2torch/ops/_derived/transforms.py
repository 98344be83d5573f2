"""Steps of cosine and Fourier transforms, least squares, the gradient of triangles out of one matrix."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch._core.errors import final
from ms2torch.ops.function._cosine_transforms import backward, checked, forward, over_axes

from .pull import shape


def _along_one(one, name):
    return lambda x, type=2, n=None, axis=-1, norm=None: one(
        checked(x, norm, name, (n,), (axis,), type), n, axis
    )


def _along_some(one, name):
    return lambda x, type=2, s=None, axes=None, norm=None: over_axes(one, x, s, axes, norm, name, type)


def _doubled(input, n, dim=-1):
    """Twice what stands for two numbers of the whole: not the first, nor of an even ``n`` the last."""
    if not input.is_complex():
        raise final(TypeError("For 'IRFFTDouble', the dtype of 'input' must be complex."))
    size = input.shape[dim]
    scale = torch.full((size,), 2, dtype=input.dtype, device=input.device)
    scale[0] = 1
    if n % 2 == 0 and n // 2 < size:
        scale[n // 2] = 1
    return (input.movedim(dim, -1) * scale).movedim(-1, dim)


def _orthonormal(input, axes=None, forward=True):
    """Scaled as cosine transforms are to be orthonormal, or back."""
    if input.is_complex():
        raise final(TypeError("For 'FFTOrtho', the dtype of 'input' must be real."))
    for axis in axes or ():
        scale = torch.full((input.shape[axis],), math.sqrt(2 * input.shape[axis]), dtype=input.dtype)
        scale[0] *= math.sqrt(2)
        scale = scale.to(input.device)
        moved = input.movedim(axis, -1)
        input = (moved / scale if forward else moved * scale).movedim(-1, axis)
    return input


def _cut_or_filled(dout, size):
    """``dout`` cut, or filled up with zeros, to another shape."""
    return F.pad(dout, [n for old, new in zip(reversed(dout.shape), reversed(shape(size)), strict=True)
                        for n in (0, new - old)])


def _least_squares(A, B, driver=None):
    """The solution, squared residuals, rank and singular values, as far as the driver finds them."""
    driver = "gelsy" if driver is None else driver
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise final(ValueError(f'Failed to convert the value "{driver}" of input \'driver\' of \'LstsqV2\' '
                               "to enum."))
    return tuple(torch.linalg.lstsq(A, B, driver=driver))


def _of_triangles(L_grad, U_grad, LU_data, L_grad_flag, U_grad_flag):
    """Both triangles' gradients in the shape of the matrix that held them."""
    rows, columns = LU_data.shape[-2:]
    return (
        F.pad(L_grad.tril(-1), (0, columns - L_grad.shape[-1])),
        F.pad(U_grad.triu(), (0, 0, 0, rows - U_grad.shape[-2])),
    )


ROWS = {
    "DCT": _along_one(forward, "dct"),
    "IDCT": _along_one(backward, "idct"),
    "DCTN": _along_some(forward, "dctn"),
    "IDCTN": _along_some(backward, "idctn"),
    "IRFFTDouble": _doubled,
    "FFTOrtho": _orthonormal,
    "FFTShapeCopy": _cut_or_filled,
    "LstsqV2": _least_squares,
    "LuUnpackGrad": _of_triangles,
}
