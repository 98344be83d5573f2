"""Helper of gradients over arrays (``mindspore.ops._grad_experimental.grad_array_ops``)."""

from __future__ import annotations

from ms2torch._naming.surface import install_lazy


def _generate_inverse_index(x_shape, axis: int, batch_dims: int = 0) -> tuple:
    """The permutation that takes an axis which ``gather`` put first (after the batch) back to its place."""
    ndim = len(x_shape)
    axis %= ndim
    return (*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, ndim))


install_lazy(__name__, globals())
