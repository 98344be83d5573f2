"""Shapes in the gradients of Fourier transforms (``mindspore.ops._grad_experimental.grad_math_ops``)."""

from __future__ import annotations

import math

from ms2torch._naming.surface import install_lazy


def _fft_rank_offset(norm_shape, rank: int) -> int:
    """How many elements the last ``rank`` axes have."""
    return math.prod(norm_shape[len(norm_shape) - rank:])


def _rfft_reshape(shape_a, shape_b) -> tuple:
    """``shape_b`` as the last two axes of as many as ``shape_a`` has."""
    return (1,) * (len(shape_a) - 2) + tuple(shape_b)


def _rfft_tile_reshape(shape_a) -> tuple:
    """``shape_a`` with its last two axes of one element."""
    return (*shape_a[:-2], 1, 1)


def _rfft_last_term_shape(shape_a, shape_b) -> tuple:
    """``shape_b`` after an axis of one element for each of ``shape_a`` but the last."""
    return (1,) * (len(shape_a) - 1) + tuple(shape_b)


install_lazy(__name__, globals())
