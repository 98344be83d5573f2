"""Counting values in bins (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import lowered

from .utils import arrays, as_array

__all__ = ["digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


@arrays(2)
def digitize(x, bins, right=False):
    """The number of the bin of each value, Int32; ``bins`` rise or fall (``mindspore.numpy.digitize``)."""
    bins = torch.atleast_1d(bins)
    dtype = torch.promote_types(x.dtype, bins.dtype)
    x, bins = x.to(dtype).contiguous(), bins.to(dtype)
    if bins.numel() and bins[0] > bins[-1]:
        return (bins.numel() - torch.searchsorted(bins.flip(0), x, right=right)).to(torch.int32)
    return torch.searchsorted(bins, x, right=not right).to(torch.int32)


def _edges(a, bins, range, api: str):
    """The edges of the bins of one axis."""
    if isinstance(bins, str):
        raise unsupported(f"mindspore.numpy.{api}", f"bins={bins!r} is not here.", "give a number of bins.")
    if not isinstance(bins, int):
        return as_array(bins)
    a = a.reshape(-1).to(torch.float32)
    if range:
        low, high = (torch.tensor(float(x), device=a.device) for x in range)
    elif a.numel():
        low, high = a.aminmax()
    else:
        low, high = a.new_tensor(0.0), a.new_tensor(1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    steps = torch.arange(bins + 1, device=a.device, dtype=torch.float32)
    return torch.where(steps == bins, high, low + steps * ((high - low) / bins))


@arrays(1)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of ``bins`` equal bins over ``range`` or all values
    (``mindspore.numpy.histogram_bin_edges``)."""
    return _edges(a, bins, range, "histogram_bin_edges")


def _counted(columns, edges, weights, density):
    """Values in the bins that ``edges`` make along each axis, as Float32; the last bin holds its upper edge.
    """
    sizes = [e.numel() - 1 for e in edges]
    inside = torch.ones_like(columns[0], dtype=torch.bool)
    place = torch.zeros_like(columns[0], dtype=torch.int64)
    for column, edge, size in zip(columns, edges, sizes, strict=True):
        column, edge = column.to(torch.float32), edge.to(torch.float32)
        number = torch.searchsorted(edge, column.contiguous(), right=True) - 1
        number = torch.where(column == edge[-1], size - 1, number)
        inside &= (number >= 0) & (number < size)
        place = place * size + number.clamp(0, size - 1)
    given = torch.ones(columns[0].shape) if weights is None else as_array(weights).reshape(-1)
    given = given.to(columns[0].device)
    total = 1
    for size in sizes:
        total *= size
    counts = torch.zeros(total, dtype=torch.float32, device=place.device)
    counts = counts.index_add(0, place[inside], given.to(torch.float32)[inside]).reshape(sizes)
    if density:
        volume = torch.ones((), device=counts.device)
        for edge in edges:
            volume = volume[..., None] * edge.to(torch.float32).diff()
        counts = counts / counts.sum() / volume
    return counts


@arrays(1)
def histogram(a, bins=10, range=None, weights=None, density=False):
    """How many values lie in each bin, Float32, and the bins' edges (``mindspore.numpy.histogram``).

    ``weights`` counts each value with its weight, ``density`` divides by the sum and the bins' widths.
    """
    edges = _edges(a, bins, range, "histogram")
    return _counted([a.reshape(-1)], [edges], weights, density), edges


@lowered
def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """`histogram` over several axes: ``sample`` is (N, D), or a list of D arrays.

    The counts and a list of edges (``mindspore.numpy.histogramdd``).
    """
    if isinstance(sample, (list, tuple)):
        columns = [as_array(x).reshape(-1) for x in sample]
    else:
        columns = list(sample.unbind(1)) if sample.ndim > 1 else [sample]
    bins = [bins] * len(columns) if isinstance(bins, int) else list(bins)
    if len(bins) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample.")
    ranges = [None] * len(columns) if range is None else range
    edges = [_edges(c, b, r, "histogramdd") for c, b, r in zip(columns, bins, ranges, strict=True)]
    return _counted(columns, edges, weights, density), edges


@lowered
def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """`histogram` over two axes: counts, edges of x, edges of y (``mindspore.numpy.histogram2d``)."""
    if not isinstance(bins, int):
        bins = [bins, bins] if isinstance(bins, torch.Tensor) or len(bins) != 2 else list(bins)
    columns = [as_array(x).reshape(-1), as_array(y).reshape(-1)]
    ranges = [None, None] if range is None else range
    pairs = [bins, bins] if isinstance(bins, int) else bins
    edges = [_edges(c, b, r, "histogram2d") for c, b, r in zip(columns, pairs, ranges, strict=True)]
    return _counted(columns, edges, weights, density), *edges
