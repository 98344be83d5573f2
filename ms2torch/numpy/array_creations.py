"""Making arrays (``mindspore.numpy.array_creations``). Python ints become Int32, floats Float32, as nowhere
else.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.operators.registry import lowered
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lower, wrap

from .utils import arrays, as_array, cast

_F32 = _dtype.float32


def array(obj, dtype=None, copy=True, ndmin=0):
    """A Tensor from numbers, nested lists or a Tensor (``mindspore.numpy.array``): that Tensor itself where
    neither ``copy`` nor ``dtype`` nor ``ndmin`` asks for another."""
    given = lower(obj)
    t = cast(as_array(given), dtype)
    if t.ndim < ndmin:
        t = t.reshape((1,) * (ndmin - t.ndim) + tuple(t.shape))
    if t is not given:
        return wrap(t)
    return wrap(t.clone()) if copy else obj


def asarray(a, dtype=None):
    """``array`` without a copy where none is needed (``mindspore.numpy.asarray``)."""
    return array(a, dtype, copy=False)


@lowered
def asfarray(a, dtype=_F32):
    """A float Tensor (``mindspore.numpy.asfarray``)."""
    return cast(as_array(a), dtype)


@lowered
def arange(start, stop=None, step=None, dtype=None):
    """Evenly spaced numbers, Int32 or Float32 as the arguments are.

    MindSpore: ``mindspore.numpy.arange``; ops.arange: Int64.
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    values = [x.item() if isinstance(x, torch.Tensor) else x for x in (start, stop, step)]
    if len(range(math.ceil((values[1] - values[0]) / values[2]))) == 0:
        raise ValueError("zero shape Tensor is not currently supported.")
    kind = torch.float32 if any(isinstance(x, float) for x in values) else torch.int32
    exact = torch.arange(
        *values, dtype=torch.float64 if kind is torch.float32 else torch.int64, device=device()
    )
    return cast(exact.to(kind), dtype)


def _shape(shape):
    return (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)


def _filled(name, value, text):
    def make(shape, dtype=_F32):
        return torch.full(_shape(shape), value, dtype=_dtype.to_torch(dtype), device=device())

    make.__name__ = name
    make.__doc__ = f"{text}, Float32 unless ``dtype`` says (``mindspore.numpy.{name}``)."
    return lowered(make)


zeros = _filled("zeros", 0, "Zeros")
ones = _filled("ones", 1, "Ones")
empty = _filled("empty", 0, "A Tensor whose values do not matter (zeros here)")


@lowered
def full(shape, fill_value, dtype=None):
    """One value everywhere (``mindspore.numpy.full``)."""
    value = as_array(fill_value)
    return cast(value, dtype).expand(_shape(shape)).clone()


def _like(name, value, text):
    def make(a, dtype=None, shape=None):
        t = as_array(a)
        kind = t.dtype if dtype is None else _dtype.to_torch(dtype)
        return torch.full(t.shape if shape is None else _shape(shape), value, dtype=kind, device=t.device)

    make.__name__ = name
    make.__doc__ = f"{text} in the shape and dtype of ``a`` (``mindspore.numpy.{name}``)."
    return lowered(make)


zeros_like = _like("zeros_like", 0, "Zeros")
ones_like = _like("ones_like", 1, "Ones")


@lowered
def empty_like(prototype, dtype=None, shape=None):
    """Values that do not matter (zeros here) in the shape and dtype of ``prototype``."""
    return zeros_like.kernel(prototype, dtype, shape)


@lowered
def full_like(a, fill_value, dtype=None, shape=None):
    """One value in the shape and dtype of ``a`` (``mindspore.numpy.full_like``)."""
    t = as_array(a)
    kind = t.dtype if dtype is None else _dtype.to_torch(dtype)
    return as_array(fill_value).to(kind).expand(t.shape if shape is None else _shape(shape)).clone()


@lowered
def eye(N, M=None, k=0, dtype=_F32):
    """Ones on the k-th diagonal (``mindspore.numpy.eye``)."""
    rows, columns = (
        torch.arange(N, device=device())[:, None],
        torch.arange(N if M is None else M, device=device()),
    )
    return (columns - rows == k).to(_dtype.to_torch(dtype))


def identity(n, dtype=_F32):
    """The identity matrix (``mindspore.numpy.identity``)."""
    return eye(n, dtype=dtype)


@lowered
def tri(N, M=None, k=0, dtype=_F32):
    """Ones on and below the k-th diagonal (``mindspore.numpy.tri``)."""
    return torch.ones(N, N if M is None else M, device=device()).tril(k).to(_dtype.to_torch(dtype))


@arrays(1)
def tril(m, k=0):
    """The part on and below the k-th diagonal (``mindspore.numpy.tril``)."""
    return m.tril(k)


@arrays(1)
def triu(m, k=0):
    """The part on and above the k-th diagonal (``mindspore.numpy.triu``)."""
    return m.triu(k)


@arrays(1)
def diag(v, k=0):
    """A diagonal matrix from a vector, or a matrix's diagonal (``mindspore.numpy.diag``)."""
    return torch.diag(v, k)


@arrays(1)
def diagflat(v, k=0):
    """A diagonal matrix from all elements (``mindspore.numpy.diagflat``)."""
    return torch.diagflat(v, int(k))


@arrays(1)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal in two axes (``mindspore.numpy.diagonal``)."""
    return torch.diagonal(a, offset, axis1, axis2)


@arrays(1)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of the diagonal in two axes (``mindspore.numpy.trace``)."""
    return cast(torch.diagonal(a, offset, axis1, axis2).sum(-1), dtype)


def _spaced(start, stop, num, endpoint):
    start, stop = (as_array(x).to(torch.float64) for x in (start, stop))
    steps = max(num - 1 if endpoint else num, 1)
    ticks = torch.arange(num, dtype=torch.float64, device=start.device).reshape(
        -1, *[1] * max(start.ndim, stop.ndim)
    )
    step = (stop - start) / steps
    return start + ticks * step, step


@lowered
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """``num`` numbers at equal distances (``mindspore.numpy.linspace``)."""
    values, step = _spaced(start, stop, num, endpoint)
    values = cast(values.to(torch.float32), dtype).movedim(0, axis)
    return (values, step.to(torch.float32)) if retstep else values


@lowered
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """``base`` to powers at equal distances (``mindspore.numpy.logspace``)."""
    values, _ = _spaced(start, stop, num, endpoint)
    return cast(torch.pow(float(base), values).to(torch.float32), dtype).movedim(0, axis)


@lowered
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """``num`` numbers at equal ratios (``mindspore.numpy.geomspace``)."""
    values, _ = _spaced(*[torch.log(as_array(x).to(torch.float64)) for x in (start, stop)], num, endpoint)
    return cast(torch.exp(values).to(torch.float32), dtype).movedim(0, axis)


@lowered
def meshgrid(*xi, sparse=False, indexing="xy"):
    """Coordinate matrices, a list of them (``mindspore.numpy.meshgrid``)."""
    if indexing not in ("xy", "ij"):
        raise TypeError("Valid values for `indexing` are 'xy' and 'ij'.")
    for x in xi:
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"expect Tensor, but got {type(x)}")
    axis = {0: 1, 1: 0} if indexing == "xy" and len(xi) > 1 else {}
    lines = [
        as_array(x).reshape([-1 if axis.get(i, i) == j else 1 for j in range(len(xi))])
        for i, x in enumerate(xi)
    ]
    if sparse:
        return lines
    shape = torch.broadcast_shapes(*[line.shape for line in lines])
    return [line.expand(shape).clone() for line in lines]


@lowered
def indices(dimensions, dtype=_dtype.int32, sparse=False):
    """The indices of a grid, a list of one array for each axis (``mindspore.numpy.indices``).

    ``sparse`` ones are as long as their axis and 1 along the others.
    """
    if isinstance(dimensions, (tuple, list)) and not dimensions:
        return []
    lines = [torch.arange(n, dtype=_dtype.to_torch(dtype), device=device()) for n in dimensions]
    if sparse:
        return [x.reshape([-1 if i == j else 1 for j in range(len(lines))]) for i, x in enumerate(lines)]
    return [x.clone() for x in torch.meshgrid(*lines, indexing="ij")]


def _window(name, function):
    def make(M):
        return torch.from_numpy(function(int(M)).astype(np.float32)).to(device())

    make.__name__ = name
    make.__doc__ = f"The {name} window of ``M`` points (``mindspore.numpy.{name}``)."
    return lowered(make)


bartlett, blackman = _window("bartlett", np.bartlett), _window("blackman", np.blackman)
hamming, hanning = _window("hamming", np.hamming), _window("hanning", np.hanning)


def _triangle_indices(name, function):
    def find(n, k=0, m=None):
        n, m = (max(0, math.ceil(size)) for size in (n, n if m is None else m))
        return tuple(function(n, m, k, device=device()).to(torch.int32).unbind())

    find.__name__ = name
    find.__doc__ = f"Row and column indices, as ``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return lowered(find)


tril_indices = _triangle_indices("tril_indices", torch.tril_indices)
triu_indices = _triangle_indices("triu_indices", torch.triu_indices)


def _draw(maker):
    from ms2torch import ops

    return getattr(ops, maker)


def rand(*shape, dtype=_F32):
    """Uniform numbers from [0, 1) (``mindspore.numpy.rand``)."""
    return _draw("rand")(*(shape[0] if shape and isinstance(shape[0], (tuple, list)) else shape), dtype=dtype)


def randn(*shape, dtype=_F32):
    """Standard normal numbers (``mindspore.numpy.randn``)."""
    return _draw("randn")(
        *(shape[0] if shape and isinstance(shape[0], (tuple, list)) else shape), dtype=dtype
    )


def randint(minval, maxval=None, shape=None, dtype=_dtype.int32):
    """Integers from [minval, maxval), or [0, minval) (``mindspore.numpy.randint``)."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return _draw("randint")(low, high, _shape(() if shape is None else shape), dtype=dtype)


__all__ = [
    "arange",
    "array",
    "asarray",
    "asfarray",
    "bartlett",
    "blackman",
    "diag",
    "diagflat",
    "diagonal",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "trace",
    "tri",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "zeros",
    "zeros_like",
]
