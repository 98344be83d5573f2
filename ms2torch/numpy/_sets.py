"""Sets of values, and places of elements (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.checks.words import renderings
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.lowering import lowered

from .array_creations import arange, triangle_places
from .utils import arrays, as_array, as_constant, as_given, refusal

__all__ = ["argwhere", "diag_indices", "intersect1d", "ix_", "ravel_multi_index", "setdiff1d",
           "tril_indices_from", "triu_indices_from", "vander"]


def _first_places(flat):
    """Sorted values of a 1-d tensor, each once, and where each stands first."""
    values, inverse = torch.unique(flat, return_inverse=True)
    places = torch.full((values.numel(),), flat.numel(), dtype=torch.int64, device=flat.device)
    return values, places.scatter_reduce(0, inverse, torch.arange(flat.numel(), device=flat.device), "amin")


@arrays(2)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The values that both have, sorted; with their first places in both if asked (Int32).

    MindSpore: ``mindspore.numpy.intersect1d``.
    """
    if not isinstance(assume_unique, bool) or not isinstance(return_indices, bool):
        raise refusal(TypeError, "assume_unique or return_indices is not bool type.")
    a, b = arithmetic.promote_operands(ar1.reshape(-1), ar2.reshape(-1))
    if not assume_unique:
        (a, at_a), (b, at_b) = _first_places(a), _first_places(b)
    both, places = torch.cat((a, b)).sort(stable=True)
    common = both[1:] == both[:-1]          # as numpy: of what is not unique each that the next one equals
    if not return_indices:
        return both[:-1][common]
    places_a, places_b = places[:-1][common], places[1:][common] - a.numel()
    if not assume_unique:
        places_a, places_b = at_a[places_a], at_b[places_b]
    return both[:-1][common], places_a.to(torch.int32), places_b.to(torch.int32)


@arrays(2)
def setdiff1d(ar1, ar2, assume_unique=False):
    """The values of ``ar1`` that ``ar2`` lacks, sorted unless unique ones are promised.

    MindSpore: ``mindspore.numpy.setdiff1d``.
    """
    if not isinstance(assume_unique, bool):
        raise refusal(TypeError, "assume_unique is not bool type.")
    a = ar1.reshape(-1) if assume_unique else torch.unique(ar1)
    return a[~torch.isin(a, ar2)]


@arrays(1)
def argwhere(a):
    """The places of the elements that are not zero, a row for each (``mindspore.numpy.argwhere``)."""
    if not a.ndim:
        raise refusal(RuntimeError, "Launch kernel failed, name: NonZero")
    return (a != 0).nonzero()


@lowered
def ix_(*args):
    """Each of several 1-d arrays along an axis of its own (``mindspore.numpy.ix_``)."""
    lines = []
    for arg in args:
        if not isinstance(arg, torch.Tensor):
            raise refusal(TypeError, f"expect Tensor, but got {renderings(arg)['typed']}")
    for i, line in enumerate(args):
        if line.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        lines.append(line.reshape([-1 if i == j else 1 for j in range(len(args))]))
    return tuple(lines)


@lowered
def diag_indices(n, ndim=2):
    """The places of the diagonal of an array of ``ndim`` axes of length ``n``, Int32.

    MindSpore: ``mindspore.numpy.diag_indices``.
    """
    if not isinstance(n, int) or not isinstance(ndim, int):
        raise refusal(TypeError, "input must be integers")
    return (arange.kernel(0, n),) * ndim


def _of_matrix(name, below, text):
    def find(arr, k=0):
        arr = as_constant(arr)
        if arr.ndim != 2:
            raise refusal(ValueError, "input array must be 2-d")
        return triangle_places(arr.shape[0], k, arr.shape[1], below)

    find.__name__ = name
    find.__doc__ = f"The places at and {text} the ``k``-th diagonal of a matrix (``mindspore.numpy.{name}``)."
    return lowered(find)


tril_indices_from = _of_matrix("tril_indices_from", True, "below")
triu_indices_from = _of_matrix("triu_indices_from", False, "above")


@lowered
def vander(x, N=None, increasing=False):
    """The Vandermonde matrix of ``x``: falling powers, or rising (``mindspore.numpy.vander``)."""
    if not isinstance(x, (list, tuple, torch.Tensor)):
        raise refusal(TypeError, "Input x must be list, tuple or Tensor, but got "
                      f"{'' if x is None else type(x)}")
    x = as_constant(x)
    if x.ndim != 1:
        raise refusal(ValueError, f"Input x must be 1-D, but got dimension={x.ndim}")
    N = N or x.numel()
    if not isinstance(N, int):
        raise refusal(TypeError, "Input N must be an integer.")
    if N <= 0:
        raise refusal(ValueError, "Input N must > 0.")
    if not isinstance(increasing, bool):
        raise refusal(TypeError, "increasing must be a bool.")
    powers = torch.arange(N, device=x.device)
    return (x[:, None] ** (powers if increasing else powers.flip(0))).to(x.dtype)


@lowered
def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """One index from an index for each axis, Float32; those beyond are clipped, wrapped or refused.

    MindSpore: ``mindspore.numpy.ravel_multi_index``.
    """
    if mode == "raise":
        raise refusal(NotImplementedError, "'raise' mode is not implemented")
    if mode not in ("wrap", "clip"):
        raise refusal(ValueError, "invalid mode. Expected 'wrap' or 'clip'")
    if order not in ("C", "F"):
        raise refusal(ValueError, "invalid order. Expected 'C' or 'F'")
    whole = as_given(dims) if isinstance(dims, (int, float, tuple, list)) else dims
    if isinstance(whole, torch.Tensor) and (whole.is_floating_point() or whole.ndim > 1 or
                                            whole.dtype is torch.bool):
        raise refusal(TypeError, "only 1-D integer arrays are accepted.")
    if isinstance(multi_index, (bytes, set)):
        raise refusal(TypeError, "Expect input to be array like.")
    if isinstance(multi_index, (tuple, list)):
        multi_index = as_array(multi_index)
    total, sizes = 0, [dims] if isinstance(dims, int) else list(map(int, dims))
    if len(multi_index) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    pairs = zip(multi_index, sizes, strict=True)
    for index, size in pairs if order == "C" else reversed(list(pairs)):
        index = as_array(index)
        if index.is_floating_point():
            raise refusal(TypeError, "only int indices permitted")
        index = index % size if mode == "wrap" else index.clamp(0, size - 1)
        total = total * size + index
    return total.to(torch.float32)
