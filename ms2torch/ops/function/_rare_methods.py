"""Methods of Tensor and functions of ``mint`` that few programs use."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import OPS, method, mint_form
from ms2torch._core.tensor.dtype import int64

from . import _array_rare, linalg_func, math_func, nn_func, random_func  # noqa: F401


def _as_function(name: str) -> None:
    """A method that is the function of the same name, the Tensor first."""
    method(OPS[name].functional, name=name, on_tensors=True)


for _name in ("adjoint", "geqrf", "inner", "hardshrink", "soft_shrink", "lstsq", "orgqr", "lu_solve"):
    _as_function(_name)


@method(on_tensors=True)
def approximate_equal(self, other, tolerance=1e-5):
    """Whether elements differ by less than ``tolerance`` (``Tensor.approximate_equal``)."""
    return OPS["approximate_equal"].functional(self, other, tolerance)


@method(on_tensors=True)
def random_categorical(self, num_sample, seed=0, dtype=int64):
    """``num_sample`` classes for each row of logits (``Tensor.random_categorical``)."""
    return OPS["random_categorical"].functional(self, num_sample, seed, dtype)


@method(on_tensors=True)
def eigvals(self):
    """Eigenvalues of square matrices (``Tensor.eigvals``); complex."""
    return OPS["eigvals"].functional(self)


@method(on_tensors=True)
def qr(self, some=True):
    """QR decomposition (``Tensor.qr``): reduced, or complete where ``some`` is False."""
    return OPS["qr"].functional(self, "reduced" if some else "complete")


@method(on_tensors=True)
def set_(self, source=None, storage_offset=0, size=None, stride=None):
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


@mint_form
def bitwise_not(input):
    """Every bit turned over; logical negation of bools (``mindspore.mint.bitwise_not``)."""
    return torch.bitwise_not(input)


@mint_form
def vdot(input, other):
    """The dot product of two vectors, the first one conjugated (``mindspore.mint.vdot``)."""
    return torch.vdot(input, other)


@mint_form
def kthvalue(input, k, dim=-1, keepdim=False):
    """The ``k``-th smallest elements along an axis, from 1, and where they are
    (``mindspore.mint.kthvalue``)."""
    return tuple(torch.kthvalue(input, k, dim, keepdim))


@mint_form
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """``X`` of ``A @ X = b``, or of ``A.T @ X = b``, for a triangular ``A``; and ``A``
    (``mindspore.mint.triangular_solve``)."""
    matrix = A.transpose(-2, -1) if transpose else A
    solved = torch.linalg.solve_triangular(matrix, b, upper=upper != transpose, unitriangular=unitriangular)
    return solved, A.clone()


@mint_form
def conv_tbc(input, weight, bias, pad=0):
    """1-d convolution of (time, batch, channels) with (kernel, in, out) (``mindspore.mint.conv_tbc``)."""
    return torch.conv_tbc(input, weight, bias, pad)
