"""Counting values in bins (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.lowering import lowered

from .utils import arrays, as_array, ask_float, refusal

__all__ = ["digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


@arrays(2)
def digitize(x, bins, right=False):
    """The number of the bin of each value, Int32; ``bins`` rise or fall (``mindspore.numpy.digitize``)."""
    if right:
        ask_float(x)
    bins = torch.atleast_1d(bins)
    if bins.ndim > 1:
        raise refusal(ValueError, "bins should be 1-dimensional")
    dtype = torch.promote_types(x.dtype, bins.dtype)
    x, bins = x.to(dtype).contiguous(), bins.to(dtype)
    if bins.numel() and bins[0] > bins[-1]:
        return (bins.numel() - torch.searchsorted(bins.flip(0), x, right=not right)).to(torch.int32)
    return torch.searchsorted(bins, x, right=not right).to(torch.int32)


def _edges(a, bins, range):
    """The edges of the bins of one axis."""
    if isinstance(bins, str):
        raise refusal(NotImplementedError, "string value for `bins` not implemented")
    if not isinstance(bins, int):
        bins = as_array(bins)
        if bins.ndim != 1:
            raise refusal(ValueError, "`bins` must be 1d, when an array")
        return bins
    if range is not None:
        if not isinstance(range, (list, tuple)) or len(range) != 2:
            raise refusal(ValueError, "`range` should take the form (start, end)")
        if range[0] > range[1]:
            raise refusal(ValueError, "max must be larger than min in range parameter")
    if bins < 0:
        raise refusal(ValueError, "cannot support Tensor with num=0.")
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
    if bins == 0:
        return low.reshape(1)
    return torch.where(steps == bins, high, low + steps * ((high - low) / bins))


@arrays(1)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of ``bins`` equal bins over ``range`` or all values
    (``mindspore.numpy.histogram_bin_edges``)."""
    _weights_like(a, weights)
    return _edges(a, bins, range)


def _weights_like(a, weights) -> None:
    if weights is not None and as_array(weights).shape != a.shape:
        raise refusal(ValueError, "weights should have the same shape as a")


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
    _weights_like(a, weights)
    edges = _edges(a, bins, range)
    return _counted([a.reshape(-1)], [edges], weights, density), edges


@lowered
def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """`histogram` over several axes: ``sample`` is (N, D), or a list of D arrays.

    The counts and a list of edges (``mindspore.numpy.histogramdd``).
    """
    if isinstance(sample, (list, tuple)):
        columns = [as_array(x).reshape(-1) for x in sample]
        if len({len(c) for c in columns}) > 1:
            shapes = ", ".join(f"[const vector]{{{len(c)}, 1}}" for c in columns)
            raise refusal(ValueError, "For primitive[Concat], shapes of tensors must match except in given "
                          "concat axis 1, but got mismatch in 0(all input shapes are [const vector]"
                          f"{{{shapes}}})!")
    else:
        if not isinstance(sample, torch.Tensor):
            raise refusal(TypeError, "sample should be (N, D) array, or (D, N) array_like")
        if sample.ndim != 2:
            raise refusal(ValueError, "when an array, sample should be 2-dimensional")
        columns = list(sample.unbind(1))
    if not isinstance(bins, (int, tuple, list, torch.Tensor)):
        raise refusal(TypeError, "bins should be int or sequence")
    bins = [bins] * len(columns) if isinstance(bins, int) else list(bins)
    if len(bins) != len(columns):
        raise refusal(ValueError, "The dimension of bins must be equal to the dimension of the sample")
    ranges = [None] * len(columns) if range is None else range
    if len(ranges) != len(columns):
        raise refusal(ValueError, "range argument must have one entry per dimension")
    edges = [_edges(c, b, r) for c, b, r in zip(columns, bins, ranges, strict=True)]
    if any(e.numel() < 2 for e in edges):
        raise refusal(ValueError, "n is bigger then the specified dimension, this will result in an empty "
                                  "tensor.")
    return _counted(columns, edges, weights, density), edges


@lowered
def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """`histogram` over two axes: counts, edges of x, edges of y (``mindspore.numpy.histogram2d``)."""
    counts, edges = histogramdd.kernel((x, y), bins, range, weights, density)
    return counts, *edges
