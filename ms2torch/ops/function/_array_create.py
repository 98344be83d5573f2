"""Operators that make tensors: constants, ranges, identity."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._naming import generations

from ._array_shape import ints

_VALID = "{0}()(shape=<list of int, int, Tensor, tuple of int>, dtype=<mindspore.dtype>)"
_LIKE = "{0}()(x=<Tensor>)"


def wanted(dtype, default: torch.dtype, name: str) -> torch.dtype:
    """The torch dtype of a MindSpore dtype, or ``default`` for None; TypeError for anything else."""
    return _dtype.given(dtype, name, default)


def sizes(shape, name: str):
    """A shape given as an int, tuple, list or tensor; ValueError for negative sizes."""
    shape = ints(shape)
    if shape.__class__ is int or isinstance(shape, np.integer):
        shape = (int(shape),)
    for i, n in enumerate(shape):
        if n < 0:
            if name == "new_empty":
                raise ValueError("negative dimensions are not allowed")
            the = "the" if name in ("Ones", "Empty") else "the the"             # MindSpore's words
            raise ValueError(f"For primitive[{name}], {the} {i}th dimension of input shape must be greater "
                             f"than or equal to 0, but got {n}.")
    return shape


# ---- constants ---------------------------------------------------------------------------------------------


@op(primitive="Ones", valid=_VALID.format("Ones"))
def ones(shape, dtype=None, *, type=None):
    """Ones, Float32 unless ``dtype`` says otherwise (``mindspore.ops.ones``); ``type`` is its name before
    2.0.
    """
    want = wanted(type or dtype, torch.float32, "Ones")
    return torch.ones(sizes(shape, "Ones"), dtype=want, device=device())


@op(primitive="Zeros", valid=_VALID.format("Zeros").replace("shape", "size"))
@spelled(shape="size")
def zeros(size, dtype=None):
    """Zeros, Float32 unless ``dtype`` says otherwise (``mindspore.ops.zeros``); ``shape`` is the name of
    ``size`` in older releases.
    """
    return torch.zeros(sizes(size, "Zeros"), dtype=wanted(dtype, torch.float32, "Zeros"), device=device())


@mint_form(name="ones")
def _ones_mint(size, *, dtype=None):
    """Ones of the shape ``size``, Float32 unless ``dtype`` says otherwise."""
    return ones.kernel(size, dtype)


@mint_form(name="zeros")
def _zeros_mint(size, *, dtype=None):
    """Zeros of the shape ``size``, Float32 unless ``dtype`` says otherwise."""
    return zeros.kernel(size, dtype)


@op
def full(size, fill_value, *, dtype=None):
    """``size`` filled with a value, Int64 unless ``dtype`` says otherwise, also for floats.

    (``mindspore.ops.full``.)
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"For 'ops.full', 'size' must be a tuple or list of ints, but got {type(size)}.")
    return filled(sizes(size, "FillV2"), fill_value, _of_full(dtype) or torch.int64)


@mint_form(name="full")
def _full_mint(size, fill_value, *, dtype=None):
    """``size`` filled with a value."""
    natural = None if isinstance(fill_value, torch.Tensor) else _dtype._TO_TORCH.get(type(fill_value))
    natural = natural or (fill_value.dtype if isinstance(fill_value, torch.Tensor) else
                          torch.bool if isinstance(fill_value, bool) else
                          torch.int64 if isinstance(fill_value, int) else torch.float32)
    return filled(sizes(size, "FillScalar"), fill_value, wanted(dtype, natural, "FillScalar"))


def _of_full(dtype) -> torch.dtype | None:
    if dtype is not None and not isinstance(dtype, _dtype.Type):
        raise TypeError(f"For 'ops.full', 'dtype' must be mindspore.type, but got {dtype}.")
    return None if dtype is None else _dtype.to_torch(dtype)


def filled(size, value, dtype: torch.dtype) -> torch.Tensor:
    """A value cast to ``dtype`` in every place; differentiable by a tensor ``value``."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype).reshape(()).expand(tuple(size)).clone()
    if not dtype.is_floating_point and not dtype.is_complex and dtype is not torch.bool:
        value = int(value)
    return torch.full(tuple(size), value, dtype=dtype, device=device())


def _need_one_number(value) -> None:
    if isinstance(value, torch.Tensor) and (value.ndim > 1 or value.numel() != 1):
        what, limits, got = (("dimension", "in [0,1]", value.ndim) if value.ndim > 1
                             else ("size", "equal to 1", value.numel()))
        raise ValueError(f"For primitive[FillV2], the {what} of the input [fill_value] must be {limits}, but "
                         f"got {got}.")


@op
def fill(type, shape, value):
    """``shape`` filled with ``value`` cast to ``type`` (``mindspore.ops.fill``)."""
    if type is not None and not isinstance(type, _dtype.Type):
        raise TypeError(f"For 'Fill', the 'type' must be a mindspore dtype, but got {type}.")
    _need_one_number(value)
    # (A number is no size there, nor an array of numpy's.)
    none = shape.__class__ in (int, float) or isinstance(shape, (np.generic, np.ndarray))
    shape = () if none else sizes(shape, "FillV2")
    if type is None:                                       # what numbers are by themselves
        type = _dtype.int64 if isinstance(value, int) else _dtype.float32
    return filled(shape, value, _dtype.to_torch(type))


@primitive("Fill")
def _fill(dtype, dims, x):
    """``dims`` filled with ``x``, a number or a Tensor that broadcasts to it (``mindspore.ops.Fill``)."""
    if not isinstance(dims, (tuple, torch.Tensor)):
        raise TypeError("For 'Fill', input[1] must be tensor.")
    if not isinstance(x, torch.Tensor) or x.numel() == 1:
        return fill.kernel(dtype, dims, x)
    shape = sizes(dims, "FillV2")
    try:
        return x.to(_dtype.to_torch(dtype)).broadcast_to(tuple(shape)).clone()
    except RuntimeError:
        shapes = [f"{tuple(s)}".replace(" ", "") for s in (x.shape, shape)]
        text = "could not broadcast input array from shape {} into shape {}"
        raise ValueError(text.format(*shapes)) from None


@op(primitive="Fills", method=True)
def fills(x, value):
    """``x``'s shape and dtype filled with ``value`` (``mindspore.ops.fills``)."""
    return filled(x.shape, value, x.dtype)


@primitive("FillV2")
def _fill_v2(shape, value):
    """``shape`` filled with a 0-d Tensor's value, in its dtype."""
    _need_one_number(value)
    return filled(() if isinstance(shape, int) else sizes(shape, "FillV2"), value, value.dtype)


@op(mint=True)
def ones_like(input, *, dtype=None):
    """Ones in the shape of ``input``, and in its dtype unless another is given.

    (``mindspore.ops.ones_like``.)
    """
    return torch.ones_like(_tensor(input, "OnesLike"), dtype=wanted(dtype, None, "Cast"))


@op(mint=True)
def zeros_like(input, *, dtype=None):
    """Zeros in the shape of ``input``, and in its dtype unless another is given.

    (``mindspore.ops.zeros_like``.)
    """
    return torch.zeros_like(_tensor(input, "ZerosLike"), dtype=wanted(dtype, None, "Cast"))


def _tensor(input, name):
    if not isinstance(input, torch.Tensor):
        from ms2torch._core.checks.calls import describe, failed_call

        raise failed_call(f"{name}()(x={describe(input)})", _LIKE.format(name))
    return input


@primitive("OnesLike", valid=_LIKE.format("OnesLike"))
def _ones_like(x):
    """Ones in the shape and dtype of ``x``."""
    return torch.ones_like(x)


@primitive("ZerosLike", valid=_LIKE.format("ZerosLike"))
def _zeros_like(x):
    """Zeros in the shape and dtype of ``x``."""
    return torch.zeros_like(x)


@op(mint=True)
def full_like(input, fill_value, *, dtype=None):
    """``fill_value`` in the shape of ``input``, and in its dtype unless another is given."""
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"For ops.full_like, the argument 'x' must be tensor, but got {type(input)}")
    return filled(input.shape, fill_value, _of_full(dtype) or input.dtype)


@op(primitive="Eye", valid="Eye()(n=<int>, m=<int>, dtype=<mindspore.dtype>)")
def eye(n, m=None, dtype=None):
    """Ones on the diagonal of an n by m matrix (``mindspore.ops.eye``); ``m`` is n by default, the dtype
    Float32.
    """
    if n < 0 or (m is not None and m < 0):
        raise ValueError(f"Eye error: {'n' if n < 0 else 'm'} value can not be negative.")
    dtype = wanted(dtype, torch.float32, "Eye")
    made = torch.eye(n, n if m is None else m, dtype=torch.int32 if dtype in _dtype.UNSIGNED else dtype,
                     device=device())
    return made.to(dtype)


mint_form(eye.kernel, name="eye")


# ---- ranges ------------------------------------------------------------------------------------------------


def _number(x):
    return x.item() if isinstance(x, torch.Tensor) else x


@op
def arange(start=0, end=None, step=1, *, dtype=None):
    """``start``, ``start + step``, ... short of ``end`` (``mindspore.ops.arange``).

    Int64 from ints, Float32 where one of them is a float. Unlike torch's, ValueError for an empty range.
    """
    if end is None:
        start, end = 0, start
    made = ranged(start, end, step)
    return made if dtype is None else made.to(wanted(dtype, None, "Cast"))


@mint_form(name="arange")
def _arange_mint(start=0, end=None, step=1, *, dtype=None):
    """start, start + step, ... below ``end``."""
    if end is None:
        start, end = 0, start
    start, end, step = _number(start), _number(end), _number(step)
    if step and (end - start) * step < 0:
        sign, than = ("positive", "<") if step > 0 else ("negative", ">")
        raise ValueError(f"For Arange, step cannot be {sign} when end {than} start.")
    natural = torch.float32 if any(isinstance(v, float) for v in (start, end, step)) else torch.int64
    return torch.arange(start, end, step, dtype=wanted(dtype, natural, "Arange"), device=device())


def ranged(start, end, step):
    """Shared kernel of ``arange`` and ``range``: Int64, or Float32 where one of them is a float."""
    start, end, step = _number(start), _number(end), _number(step)
    if step == 0:
        raise ValueError("For Range, delta cannot be equal to zero.")
    if step > 0 and start > end:
        raise ValueError("For Range, delta cannot be positive when limit < start.")
    if step < 0 and start < end:
        raise ValueError("For Range, delta cannot be negative when limit > start.")
    floating = any(isinstance(v, float) for v in (start, end, step))
    return torch.arange(start, end, step, dtype=torch.float32 if floating else torch.int64, device=device())


@op(primitive="Range", init={"maxlen": 1000000})
def range__(start, end, step, maxlen=1000000):
    """``arange`` with all three given, as numbers or 0-d tensors (``mindspore.ops.range``)."""
    made = ranged(start, end, step)
    if getattr(start, "dtype", None) is torch.int32 and generations.has_old_meaning("mindspore.ops.range"):
        return made.int()
    return made


@primitive("LinSpace", valid="LinSpace()(start=<Number, Tensor>, stop=<Number, Tensor>, num=<Tensor, int>)")
def _linspace(start, stop, num):
    """``num`` numbers from ``start`` to ``stop`` at equal distances."""
    return _evenly(start, stop, num)


@op
@spelled(stop="end", num="steps")
def linspace(start, end, steps):
    """``steps`` numbers from ``start`` to ``end`` at equal distances, Float32 (``mindspore.ops.linspace``).

    ``stop`` and ``num`` are the names before 2.0.
    """
    return _evenly(start, end, steps)


def _evenly(start, stop, num):
    double = False
    for v, name in ((start, "start"), (stop, "stop")):
        if isinstance(v, torch.Tensor):
            double = double or v.dtype is torch.float64
            if not v.is_floating_point():
                raise TypeError(f"For primitive[LinSpace], the input argument[{name} type] must be a type of "
                                "{Tensor[Float32], Tensor[Float64]}, but got "
                                f"Tensor[{_dtype.from_torch(v.dtype)}].")
            if v.ndim:
                raise ValueError(f"For primitive[LinSpace], the rank of '{name}' must be equal to 0, but "
                                 f"got {v.ndim}.")
    start, stop = (v.item() if isinstance(v, np.ndarray) and not v.ndim else v for v in (start, stop))
    num = _number(num)
    if not isinstance(num, (int, np.integer)) or isinstance(num, bool):
        from ms2torch._core.checks.calls import failed_call

        raise failed_call(f"LinSpace()(start=Tensor, stop=Tensor, num={type(num).__name__})",
                          "LinSpace()(start=<Tensor>, stop=<Tensor>, num=<Tensor, int>)")
    if num <= 0:
        raise ValueError(f"For primitive[LinSpace], the num must be greater than 0, but got {num}.")
    dtype = torch.float64 if double else torch.float32
    return torch.linspace(_number(start), _number(stop), int(num), dtype=dtype, device=device())


@mint_form(name="linspace")
def _linspace_mint(start, end, steps, *, dtype=None):
    """``steps`` numbers from ``start`` to ``end`` at equal distances."""
    dtype = wanted(dtype, torch.float32, "LinSpaceExt")
    return torch.linspace(_number(start), _number(end), steps, dtype=dtype, device=device())


@op
def logspace(start, end, steps, base=10, *, dtype=_dtype.float32):
    """``base`` to the powers of ``linspace``, Float32 by default (``mindspore.ops.logspace``)."""
    dtype = _dtype.to_torch(dtype)
    return torch.logspace(_number(start), _number(end), steps, base, dtype=dtype, device=device())


@op
def tril_indices(row, col, offset=0, *, dtype=_dtype.int64):
    """Row and column numbers of the lower triangle, in two rows (``mindspore.ops.tril_indices``)."""
    want = wanted(dtype, torch.int64, "tril_indices")
    return torch.tril_indices(row, col, offset, dtype=want, device=device())


@op
def triu_indices(row, col, offset=0, *, dtype=_dtype.int64):
    """Row and column numbers of the upper triangle, in two rows (``mindspore.ops.triu_indices``)."""
    want = wanted(dtype, torch.int64, "triu_indices")
    return torch.triu_indices(row, col, offset, dtype=want, device=device())


@op
def sequence_mask(lengths, maxlen=None):
    """True in the first ``lengths`` places of a new last axis of size ``maxlen`` (by default the longest)."""
    maxlen = int(lengths.max()) if maxlen is None else maxlen
    return torch.arange(maxlen, device=lengths.device) < lengths.unsqueeze(-1)


@op
def vander(x, N=None):
    """The Vandermonde matrix of a vector, powers falling (``mindspore.ops.vander``)."""
    x = x if x.is_floating_point() or x.is_complex() else x.long()
    columns = len(x) if N is None else N
    if columns <= 0:
        raise ValueError(f"For vander, N must be greater than 0, but got {columns}.")
    return torch.stack([x**n for n in range(columns - 1, -1, -1)], 1)


# ---- Tensor methods ----------------------------------------------------------------------------------------


def _new(name, make):
    @method(name=name)
    def new(input, size, dtype=None, *, device=None):
        size = sizes(size, {"new_zeros": "Zeros", "new_ones": "Ones"}.get(name, name))
        return make(size, input, wanted(dtype, input.dtype, name))

    new.__doc__ = ("``size`` with the dtype of this Tensor unless another is given "
                   f"(``mindspore.Tensor.{name}``).")


_new("new_zeros", lambda size, t, dtype: torch.zeros(size, dtype=dtype, device=t.device))
_new("new_ones", lambda size, t, dtype: torch.ones(size, dtype=dtype, device=t.device))
_new("new_empty", lambda size, t, dtype: torch.zeros(size, dtype=dtype, device=t.device))


@method
def new_full(input, size, fill_value, *, dtype=None):
    """``size`` filled with a value, in the dtype of this tensor unless another is given."""
    return filled(size, fill_value, wanted(dtype, input.dtype, "new_full"))


@op(mint=True)
def empty(*size, dtype=None, device=None, pin_memory=False, **named):
    """A tensor of which nothing but the shape is set (``mindspore.mint.empty``)."""
    from ms2torch._core.devices.device import device as here

    if not size and "size" not in named:
        raise TypeError("empty() missing 1 required positional argument: size.")
    shape = named.get("size") if not size else size[0] if isinstance(size[0], (tuple, list)) else size
    fits = bool(size) + len(named) == 1 and (shape is size or len(size) <= 1) \
        and isinstance(shape, (tuple, list)) and all(map(_is_size, shape))
    if not fits or pin_memory.__class__ is not bool or not isinstance(device, (str, type(None))):
        raise TypeError                                     # told by its form
    if device not in (None, "cpu", "CPU", "npu", "Ascend"):
        raise ValueError(f'Failed to convert the value "{device}" of input \'device\' of \'empty\' to enum.')
    return torch.empty(sizes([int(n) for n in shape], "Empty"), dtype=wanted(dtype, torch.float32, "empty"),
                       device=here())


def _is_size(n) -> bool:
    if isinstance(n, torch.Tensor):
        return n.numel() == 1 and not n.is_floating_point()
    return isinstance(n, (int, np.integer)) and n.__class__ is not bool


@op(mint=True)
def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """A tensor in the shape of ``input`` whose values are not set (``mindspore.mint.empty_like``)."""
    return torch.empty_like(input, dtype=wanted(dtype, None, "empty_like"))


@primitive("LogSpace", init={"steps": 10, "base": 10, "dtype": _dtype.float32})
def _log_space(start, end, steps=10, base=10, dtype=_dtype.float32):
    """``steps`` powers of ``base`` whose exponents go evenly from ``start`` to ``end``."""
    return torch.logspace(start.item(), end.item(), steps, base, dtype=dtype.torch, device=device())
