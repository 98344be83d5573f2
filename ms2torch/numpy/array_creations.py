"""Making arrays (``mindspore.numpy.array_creations``). Python ints become Int32, floats Float32, as nowhere
else.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.checks.calls import class_text, failed_call, wrong_inputs
from ms2torch._core.devices.device import device
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lower, wrap

from ._grids import MGridClass, NdGrid, OGridClass  # noqa: F401 - MindSpore has them here
from .utils import (
    arrays,
    as_array,
    as_constant,
    ask_known,
    axis_in_range,
    broadcast,
    cast,
    checked_dtype,
    common_shape,
    narrow,
    refusal,
)

_F32 = _dtype.float32


def array(obj, dtype=None, copy=True, ndmin=0):
    """A Tensor from numbers, nested lists or a Tensor (``mindspore.numpy.array``): that Tensor itself where
    neither ``copy`` nor ``dtype`` nor ``ndmin`` asks for another."""
    given = lower(obj)
    kind = None if dtype is None else checked_dtype(dtype)
    t = as_constant(given, kind)
    if t.ndim < ndmin:
        if not t.numel():
            raise refusal(ValueError, "Empty tensor cannot be expanded beyond the current dimension.")
        t = t.reshape((1,) * (ndmin - t.ndim) + tuple(t.shape))
    if t is not given:
        return wrap(t)
    return wrap(t.clone()) if copy else obj


def asarray(a, dtype=None):
    """``array`` without a copy where none is needed (``mindspore.numpy.asarray``)."""
    return array(a, dtype, copy=False)


@lowered
def asfarray(a, dtype=_F32):
    """A float Tensor, Float32 for any other ``dtype`` (``mindspore.numpy.asfarray``)."""
    if dtype is None:
        return as_constant(a)
    kind = checked_dtype(dtype)
    return as_constant(a, kind if kind.is_floating_point else torch.float32)


def _single(x):
    """The number that an array of numpy's holds; what is no array as it is."""
    if isinstance(x, np.ndarray) and x.size != 1:
        raise refusal(TypeError, "only length-1 arrays can be converted to Python scalars")
    return x.item() if isinstance(x, np.ndarray) else x


@lowered
def arange(start, stop=None, step=None, dtype=None):
    """Evenly spaced numbers, Int32 or Float32 as the arguments are.

    MindSpore: ``mindspore.numpy.arange``; ops.arange: Int64.
    """
    if isinstance(start, np.ndarray) and stop is not None:
        raise failed_call(f"Add()(input=Tensor, other={class_text(start)})",
                          "Add()(input=<Number, Tensor>, other=<Number, Tensor>)")
    given = [x for x in (start, stop, step) if x is not None]
    if any(isinstance(x, torch.Tensor) and x.numel() != 1 for x in given):
        raise refusal(ValueError, "Only one element tensors can be converted to Python scalars")
    whole = all(isinstance(x, int) for x in given)
    truth = all(isinstance(x, bool) for x in given)
    values = [x.item() if isinstance(x, torch.Tensor) else _single(x) for x in (start, stop, step)]
    start, stop, step = (0, values[0], values[2]) if stop is None else values
    step = 1 if step is None else step
    if math.ceil((stop - start) / step) <= 0:
        raise refusal(ValueError, "zero shape Tensor is not currently supported.")
    exact = torch.arange(start, stop, step, dtype=torch.int64 if whole else torch.float64, device=device())
    made = exact.to(torch.bool if truth else torch.int32 if whole else torch.float32)
    return cast(made if dtype is None else exact if whole else made, dtype)


def shape_of(shape) -> tuple[int, ...]:
    """The sizes that a shape means: an int, some of them, or a Tensor of them; MindSpore's errors."""
    if isinstance(shape, torch.Tensor):
        shape = shape.tolist()
    if not isinstance(shape, (int, tuple, list)):
        raise refusal(TypeError, "only int, tuple, list and tensor are allowed for shape, but got "
                      f"{type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise refusal(TypeError, "each entry in shape should be int.")
        if size < 0:
            raise refusal(ValueError, "each entry in shape should no less than 0.")
    return tuple(int(size) for size in sizes)


def _filled(name, value, text):
    def make(shape, dtype=_F32):
        return torch.full(shape_of(shape), value, dtype=checked_dtype(dtype), device=device())

    make.__name__ = name
    make.__doc__ = f"{text}, Float32 unless ``dtype`` says (``mindspore.numpy.{name}``)."
    return lowered(make)


zeros = _filled("zeros", 0, "Zeros")
ones = _filled("ones", 1, "Ones")


@lowered
def empty(shape, dtype=_F32):
    """A Tensor whose values do not matter (zeros here), Float32 unless ``dtype`` says
    (``mindspore.numpy.empty``)."""
    return OPS["zeros"].kernel(shape, dtype)


@lowered
def full(shape, fill_value, dtype=None):
    """One value everywhere (``mindspore.numpy.full``): a number in ``dtype``, an array in its own."""
    return _full(shape_of(shape), fill_value, None if dtype is None else checked_dtype(dtype))


def _full(shape, value, dtype):
    if not isinstance(value, (bool, int, float, list, tuple, torch.Tensor)):
        raise refusal(TypeError, "fill value should be int, float, bool, list, tuple, Tensor, but got"
                      f"{'' if value is None else class_text(value)}")
    number = isinstance(value, (bool, int, float))
    made = as_constant(value, dtype if number else None)
    if number or 0 in shape:
        made = made if dtype is None else made.to(dtype)
        return narrow(made.new_zeros(shape)) if 0 in shape else made.expand(shape).clone()
    return broadcast(made, shape)


def _like_what(a, dtype, shape) -> tuple:
    """The shape and dtype of an array that is made like another."""
    if not isinstance(a, (bool, int, float, list, tuple, torch.Tensor)):
        raise refusal(TypeError, "prototype should be int, float, bool, list, tuple, Tensor, but got"
                      f"{'' if a is None else class_text(a)}")
    if dtype is None or shape is None or (isinstance(shape, (list, tuple)) and not shape):
        made = as_constant(a)
        dtype = _dtype.from_torch(made.dtype) if dtype is None else dtype
        shape = shape if shape is not None and not (isinstance(shape, (list, tuple)) and not shape) \
            else tuple(made.shape)
    return shape, dtype


def _like(name, maker, text):
    def make(a, dtype=None, shape=None):
        return maker.kernel(*_like_what(a, dtype, shape))

    make.__name__ = name
    make.__doc__ = f"{text} in the shape and dtype of ``a`` (``mindspore.numpy.{name}``)."
    return lowered(make)


zeros_like = _like("zeros_like", zeros, "Zeros")
ones_like = _like("ones_like", ones, "Ones")


@lowered
def empty_like(prototype, dtype=None, shape=None):
    """Values that do not matter (zeros here) in the shape and dtype of ``prototype``."""
    return empty.kernel(*_like_what(prototype, dtype, shape))


@lowered
def full_like(a, fill_value, dtype=None, shape=None):
    """One value in the shape and dtype of ``a`` (``mindspore.numpy.full_like``)."""
    shape, dtype = _like_what(a, dtype, shape)
    return full.kernel(shape, fill_value, dtype)


@lowered
def eye(N, M=None, k=0, dtype=_F32):
    """Ones on the k-th diagonal (``mindspore.numpy.eye``)."""
    kind = checked_dtype(dtype)
    M = N if M is None else M
    if not all(isinstance(size, int) for size in (N, M, k)):
        raise refusal(TypeError, "Input tensor dimensions should be integers.")
    if N < 0 or M < 0:
        return OPS["eye"].kernel(N, M, dtype)
    rows, columns = torch.arange(N, device=device())[:, None], torch.arange(M, device=device())
    return (columns - rows == k).to(kind)


def identity(n, dtype=_F32):
    """The identity matrix (``mindspore.numpy.identity``)."""
    return eye(n, dtype=dtype)


def _triangle(keep: str, m, k):
    """The part of the last two axes that torch's ``tril`` or ``triu`` keeps; the rest times 0."""
    if not isinstance(k, int) or isinstance(k, bool):
        raise refusal(TypeError, f"For '{keep}', the type of 'k value' must be 'int', but got "
                      f"'{type(k).__name__}'.")
    return getattr(torch, keep)(torch.ones_like(m), k) * m


@lowered
def tri(N, M=None, k=0, dtype=_F32):
    """Ones on and below the k-th diagonal (``mindspore.numpy.tri``)."""
    sizes = N, N if M is None else M
    if not all(_is_size(n) for n in sizes):
        raise refusal(*_said(wrong_inputs("Ones", shape=sizes, dtype=_F32)))
    if dtype is None:
        raise refusal(TypeError, "For 'Cast', the input 'dtype' should be mindspore dtype, but got None.")
    return _triangle("tril", OPS["ones"].kernel(sizes, dtype), k)


def _is_size(n) -> bool:
    whole = isinstance(n, (int, np.integer)) and not isinstance(n, bool)
    return whole or (isinstance(n, torch.Tensor) and not n.ndim and not n.is_floating_point())


def _said(err: Exception) -> tuple[type[Exception], str]:
    return type(err), str(err)


def _part(name, text):
    def keep(m, k=0):
        m = as_constant(m)
        if not m.ndim:
            raise refusal(ValueError, "input m's rank should be larger than 0")
        if m.ndim == 1:
            ask_known(m)
            m = m.expand(len(m), len(m))
        if not m.shape[-1]:
            raise refusal(RuntimeError, "For tril in cpu backend, input matrix width should >= 1, but got: 0")
        return _triangle(name, m, k)

    keep.__name__ = name
    keep.__doc__ = f"The part on and {text} the k-th diagonal (``mindspore.numpy.{name}``)."
    return lowered(keep)


tril, triu = _part("tril", "below"), _part("triu", "above")


@arrays(1)
def diag(v, k=0):
    """A diagonal matrix from a vector, or a matrix's diagonal (``mindspore.numpy.diag``)."""
    ask_known(v)
    return torch.diag(v, int(k) if isinstance(k, bool) else k)


@arrays(1)
def diagflat(v, k=0):
    """A diagonal matrix from all elements (``mindspore.numpy.diagflat``)."""
    ask_known(v)
    return torch.diagflat(v, int(k))


def _of_matrices(a):
    """An array of numpy's, whose diagonal is one of numpy's."""
    if a.ndim < 2:
        raise refusal(ValueError, "diag requires an array of at least two dimensions")
    return a


@lowered
def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal in two axes (``mindspore.numpy.diagonal``)."""
    if isinstance(a, (np.ndarray, np.generic)):
        return _of_matrices(a).diagonal(offset, axis1, axis2)
    return torch.diagonal(as_array(a), offset, axis1, axis2)


@lowered
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of the diagonal in two axes (``mindspore.numpy.trace``)."""
    if isinstance(a, (np.ndarray, np.generic)):
        return _of_matrices(a).trace(offset, axis1, axis2, dtype)
    a = as_array(a)
    if dtype is not None and not isinstance(dtype, (_dtype.Type, torch.dtype)):
        raise refusal(TypeError, "For 'TraceV2', the input 'dtype' should be mindspore dtype, "
                      f"but got {dtype}.")
    if a.ndim > 1 and axis1 == axis2:
        raise refusal(RuntimeError, "For Primitive[Tracev2], the value of 'axis1' and 'axis2' must be "
                      f"different, but got 'axis1': {axis1} and 'axis2': {axis2}")
    of = torch.diagonal(a, offset, axis1, axis2)
    return cast(of.any(-1) if a.dtype is torch.bool else of.sum(-1), dtype)


def _checked_ends(start, stop, num, endpoint, dtype):
    """The ends, broadcast together in double precision, and the dtype of the numbers between them."""
    for name, end in (("start", start), ("end", stop)):
        if not isinstance(end, (bool, int, float, list, tuple, torch.Tensor)):
            raise refusal(TypeError, f"{name} should be int, float, bool, list, tuple, Tensor, but got"
                          f"{'' if end is None else class_text(end)}")
    if not isinstance(num, int):
        raise refusal(TypeError, f"num should be an integer, but got {'' if num is None else type(num)}")
    if not isinstance(endpoint, bool):
        raise refusal(TypeError, "endpoint should be an boolean, but got "
                      f"{'' if endpoint is None else type(endpoint)}")
    kind = torch.float32 if dtype is None else checked_dtype(dtype)
    ends = [as_array(end) for end in (start, stop)]
    if all(isinstance(end, torch.Tensor) for end in (start, stop)):
        try:
            _dtype.common(stop.dtype, start.dtype)
        except TypeError as unlike:
            raise refusal(TypeError, str(unlike)) from None
    ends = [end.to(torch.float64) for end in ends]
    shape = common_shape(*[end.shape for end in ends])
    if 0 in shape:
        raise refusal(RuntimeError, "For 'Tile', fast stride can not be equal to 0")
    return *[end.expand(shape) for end in ends], kind


def _spaced(start, stop, num, endpoint):
    """``num`` numbers along a new first axis, and their distance."""
    if num < 1:
        raise refusal(ValueError, "cannot support Tensor with num=0.")
    steps = max(num - 1 if endpoint else num, 1)
    ticks = torch.arange(num, dtype=torch.float64, device=start.device).reshape(-1, *[1] * start.ndim)
    step = (stop - start) / steps
    return start + ticks * step, step


def _axis_of(axis, ndim: int) -> int:
    """Where the numbers lie: an axis, or a sequence with that alone."""
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    return axis_in_range(axis, ndim)


@lowered
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """``num`` numbers at equal distances (``mindspore.numpy.linspace``)."""
    start, stop, kind = _checked_ends(start, stop, num, endpoint, dtype)
    axis = _axis_of(axis, start.ndim + 1)
    if not isinstance(retstep, bool):
        raise refusal(TypeError, "retstep should be an boolean, but got "
                      f"{'' if retstep is None else type(retstep)}")
    values, step = _spaced(start, stop, num, endpoint)
    values = values.to(torch.float32).to(kind).movedim(0, axis)
    return (values, math.nan if num == 1 and endpoint else step.to(torch.float32)) if retstep else values


@lowered
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """``base`` to powers at equal distances (``mindspore.numpy.logspace``)."""
    start, stop, kind = _checked_ends(start, stop, num, endpoint, dtype)
    axis = _axis_of(axis, start.ndim + 1)
    if not isinstance(base, (bool, int, float)):
        said = "<class 'mindspore.common.tensor.Tensor'>" if isinstance(base, torch.Tensor) else type(base)
        raise refusal(TypeError, f"base should be a number, but got {'' if base is None else said}")
    values, _ = _spaced(start, stop, num, endpoint)
    return torch.pow(float(base), values).to(torch.float32).to(kind).movedim(0, axis)


@lowered
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """``num`` numbers at equal ratios (``mindspore.numpy.geomspace``)."""
    start, stop, kind = _checked_ends(start, stop, num, endpoint, dtype)
    axis = _axis_of(axis, start.ndim + 1)
    root = num - 1 if endpoint else num
    ratio = torch.pow(stop / start, math.inf if root == 0 else 1 / root)
    exponents, _ = _spaced(torch.zeros_like(start), torch.full_like(start, root), num, endpoint)
    exponents = exponents.to(kind).to(torch.float64)
    return (torch.pow(ratio, exponents) * start).to(torch.float32).to(kind).movedim(0, axis)


@lowered
def meshgrid(*xi, sparse=False, indexing="xy"):
    """Coordinate matrices, a list of them (``mindspore.numpy.meshgrid``)."""
    if all(isinstance(x, torch.Tensor) for x in xi) and not isinstance(sparse, bool):
        raise refusal(TypeError, "argument sparse should be boolean")
    if indexing not in ("xy", "ij"):
        raise TypeError("Valid values for `indexing` are 'xy' and 'ij'.")
    for x in xi:
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"expect Tensor, but got {type(x)}")
    if not all(x.numel() for x in xi):
        return ones.kernel([x.numel() for x in xi])
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
    if not isinstance(sparse, bool):
        raise refusal(TypeError, "argument sparse should be boolean")
    if not isinstance(dimensions, (tuple, list)):
        raise refusal(TypeError, "Shape of the grid must be tuple or list")
    lines = [arange.kernel(n, dtype=dtype) for n in dimensions]
    if sparse:
        return [x.reshape([-1 if i == j else 1 for j in range(len(lines))]) for i, x in enumerate(lines)]
    return [x.clone() for x in torch.meshgrid(*lines, indexing="ij")]


def _window(name, function):
    def make(M):
        if not isinstance(M, int):
            raise refusal(TypeError, "the number fo points should be an int")
        if abs(M) >= 2**63:
            raise refusal(OverflowError, "Python int too large to convert to C ssize_t")
        return torch.from_numpy(function(int(M)).astype(np.float32)).to(device())

    make.__name__ = name
    make.__doc__ = f"The {name} window of ``M`` points (``mindspore.numpy.{name}``)."
    return lowered(make)


bartlett, blackman = _window("bartlett", np.bartlett), _window("blackman", np.blackman)
hamming, hanning = _window("hamming", np.hamming), _window("hanning", np.hanning)


def triangle_places(n, k, m, below: bool) -> tuple:
    """The rows and columns of an n by m matrix that are on the k-th diagonal or to one side of it, Int32;
    none of the three need be whole."""
    for name, number in (("n", n), ("k", k), ("m", n if m is None else m)):
        if not isinstance(number, (int, float)):
            raise refusal(TypeError, f"Input {name} must be a number.")
    rows = torch.arange(max(0, math.ceil(n)), device=device())[:, None]
    columns = torch.arange(max(0, math.ceil(n if m is None else m)), device=device())
    inside = columns <= rows + k if below else columns >= rows + k
    return tuple(t.to(torch.int32) for t in inside.nonzero(as_tuple=True)) if inside.any() else \
        (torch.zeros(0, device=device()),) * 2


def _triangle_indices(name, below):
    def find(n, k=0, m=None):
        return triangle_places(n, k, m, below)

    find.__name__ = name
    find.__doc__ = f"Row and column indices, as ``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return lowered(find)


tril_indices = _triangle_indices("tril_indices", True)
triu_indices = _triangle_indices("triu_indices", False)


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
    "trace",
    "tri",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "zeros",
    "zeros_like",
]
