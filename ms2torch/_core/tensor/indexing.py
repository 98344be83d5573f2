"""Reading and writing elements, ``x[index]`` and ``x[index] = value``, by MindSpore's rules.

Ints and forward slices go straight to torch and give views. Everything else is planned first: slices (also
backward ones, which torch refuses) by views, then all index tensors in one ``aten::index``. Unlike in torch,

- an int beside an index tensor counts as one, as in numpy: ``x[0, :, [0, 2]]`` has shape (2, ...);
- a 0-d index tensor copies; uint8 tensors are no masks; numpy arrays and scalars are no indices;
- a list is an index tensor if it holds ints or bools alone, else the same as a tuple;
- a Python float that is written to a view of a float64 tensor goes through float32.

Defects of MindSpore 2.10 are not copied: backward slices whose bounds lie outside read foreign memory,
beside index tensors they read nothing, most cannot be written, and ``x[[False, False]] = 1`` writes
everywhere. All of these mean here what they mean in numpy.
"""

from __future__ import annotations

import ctypes
import operator
from itertools import zip_longest

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.tensor import index_errors as errors

_index = torch.ops.aten.index.Tensor
_index_put_ = torch.ops.aten.index_put_.default
_INTEGERS = frozenset((torch.int64, torch.int32, torch.int16, torch.int8))
_INT64 = range(-1 << 63, 1 << 63)
_ALL = slice(None)


def getitem(t: torch.Tensor, index) -> torch.Tensor:
    """``t[index]``: a view for ints, forward slices, None and Ellipsis, a copy for the rest."""
    out = view(t, index)
    return copy(t, index) if out is None else out


def copy(t: torch.Tensor, index) -> torch.Tensor:
    """``t[index]`` where ``view`` has none."""
    if isinstance(index, torch.Tensor):
        return _take(t, index)
    plan = _Plan(t, _entries(t, index))
    out = plan.view
    if plan.flips:
        out = out.flip(plan.flips)
    if plan.tensors is None:
        return out.clone() if isinstance(index, list) else out
    try:
        return _index(out, plan.tensors)
    except (IndexError, RuntimeError) as err:
        raise errors.reading(t, plan, err) from None


def setitem(t: torch.Tensor, index, value) -> None:
    """``t[index] = value`` in place, cast to t's dtype: a tensor, a number, or nested lists of these."""
    listed = isinstance(value, (list, tuple))
    value = _value(value)
    target = view(t, index, errors.axis_bound)
    if target is not None:
        if listed and target.ndim == 0:
            raise errors.uneven()
        if index is Ellipsis and isinstance(value, torch.Tensor) and value.ndim > t.ndim:
            value = errors.reshaped(value, t.shape)
        _fill(target, value)
        return
    if t.ndim == 0 and (index.__class__ is list or (
            isinstance(index, torch.Tensor) and index.dtype is not torch.bool)):
        raise errors.no_dimension()
    if isinstance(index, torch.Tensor):
        if index.dtype is torch.bool:
            _put_masked(t, index, value)
            return
        _put_at(t, errors.integers_to_write(index, _INTEGERS), value)
        return
    if _selects_nothing(index):
        return
    fraction = None if isinstance(index, float) else _first_float(index)
    if fraction is not None:                # (reading takes them)
        raise errors.not_an_entry(fraction)
    if t.ndim == 0 and isinstance(index, slice):
        raise errors.no_dimension()
    entries = _entries(t, index)
    if isinstance(index, list) and entries[0] is not index:
        entries = _numbers(entries)
        if len(entries) > t.ndim and all(isinstance(e, (int, list)) for e in entries):
            raise errors.beyond_shape(entries, t.shape)
        errors.check_against_first(entries, t.shape[0])
    plan = _Plan(t, entries, writing=True)
    if plan.tensors is None:
        _fill(plan.view, value, plan.flips)
        return
    try:
        if plan.flips:
            places = torch.arange(t.numel(), device=t.device).reshape(t.shape)
            _put(t, list(torch.unravel_index(getitem(places, index), t.shape)), value)
        else:
            _put(plan.view, plan.tensors, value)
    except (IndexError, RuntimeError) as err:
        raise errors.writing(plan, err) from None


# ---- views ------------------------------------------------------------------------------------------------


_BASIC = frozenset((int, slice, type(None), type(Ellipsis)))


def _is_plain(i) -> bool:
    if i.__class__ is slice:
        start, stop, step = i.start, i.stop, i.step
        return ((start is None or start.__class__ is int) and (stop is None or stop.__class__ is int)
                and (step is None or (step.__class__ is int and step > 0)))
    return i.__class__ is int or i is None or i is Ellipsis


def is_basic(index) -> bool:
    """Whether ``index`` is of numbers and slices, in a tuple also ``None`` and ``...``."""
    if index.__class__ is tuple:
        return all(i.__class__ in _BASIC for i in index)
    return index.__class__ is int or index.__class__ is slice


def view(t: torch.Tensor, index, bound=None) -> torch.Tensor | None:
    """What torch and MindSpore agree on, and None for what has to be planned (or is wrong)."""
    kind = index.__class__
    if kind is int:
        try:
            return t[index]
        except (IndexError, RuntimeError, OverflowError):
            if t.ndim == 0:
                raise errors.no_dimension() from None
            if -t.shape[0] <= index < t.shape[0]:
                raise
            raise (bound or errors.bound)(index, t.shape[0]) from None
    if kind is tuple:
        if not all(map(_is_plain, index)) or index.count(Ellipsis) > 1:
            return None
    elif not _is_plain(index):
        return None
    try:
        return t[index]
    except (IndexError, RuntimeError, TypeError, ValueError):
        return None                      # the plan finds the words


# ---- what an index means ----------------------------------------------------------------------------------


def _entries(t: torch.Tensor, index) -> list:
    """An index that is no tensor as the list of its entries."""
    if isinstance(index, tuple):
        return list(index)
    if index is True:
        return [None]
    if index is False:
        raise IndexError("When tensor is indexed by a bool object, the value only support 'True'.")
    if isinstance(index, (slice, list)) and t.ndim == 0:
        raise ValueError("The input data's dim must in the range of [1, 8], but got '0'.")
    if isinstance(index, list):
        if all(i.__class__ in (int, bool) for i in index):
            if not index or (len(index) == t.shape[0] and all(i is False for i in index)):
                raise IndexError("When tensor is indexed by list, the list can't be empty.")
            return [index]
        return list(index)
    if index is None or index is Ellipsis or isinstance(index, (int, slice)):
        return [index]
    if isinstance(index, (float, np.ndarray)):
        raise errors.not_an_index(index)
    raise errors.unsupported_type(index)


def _numbers(e):
    """Lists within a list as writing takes them: True and False are 1 and 0 there."""
    if isinstance(e, (list, tuple)):
        return [*map(_numbers, e)]
    return int(e) if e.__class__ is bool else e


def _first_float(index) -> float | None:
    """The first float within the lists of an index."""
    if isinstance(index, (list, tuple)):
        return next((f for f in map(_first_float, index) if f is not None), None)
    return index if isinstance(index, float) else None


def _selects_nothing(index) -> bool:
    """Whether writing passes an index over that reading refuses: False, an empty list, also in a tuple."""
    if index is False or (isinstance(index, list) and all(i is False for i in index)):
        return True
    if not isinstance(index, tuple):
        return False
    return any(i is False or (isinstance(i, (list, tuple)) and not i) for i in index)


class _Plan:
    """How to index: ``view`` (slices, ints, new axes), then ``flips`` of its dimensions, then ``tensors``.

    ``tensors`` is None, or has an index tensor or None for each dimension of the view. For error texts,
    ``starts`` says where each begins in the source (None for a new axis), ``sizes`` how long that is.
    """

    __slots__ = ("flips", "sizes", "starts", "tensors", "view", "writing")

    def __init__(self, t: torch.Tensor, entries: list, writing: bool = False) -> None:
        self.writing = writing
        for e in entries:
            _check(e, writing)
        entries = _expand(t, entries)
        advanced = any(e is True or isinstance(e, (torch.Tensor, list, tuple)) for e in entries)
        basic: list = []
        self.flips: list[int] = []
        self.starts: list[int | None] = []
        self.sizes: list[int] = []
        tensors: list[torch.Tensor | None] = []
        dim = 0

        def add(how, tensor, start, size):
            basic.append(how)
            tensors.append(tensor)
            self.starts.append(start)
            self.sizes.append(size)

        for e in entries:
            if e is None or e is True:
                add(None, None if e is None else torch.zeros(1, dtype=torch.int64, device=t.device), None, 1)
                continue
            n = t.shape[dim]
            if isinstance(e, slice):
                how, backward = _forward(e, n)
                if backward:
                    self.flips.append(len(tensors))
                add(how, None, how.start, n)
            elif isinstance(e, int):
                if not -n <= e < n:
                    raise errors.bound(e, n)
                if advanced:
                    add(_ALL, torch.tensor(e, device=t.device), 0, n)
                else:
                    basic.append(e)
            else:
                for tensor in _index_tensors(e, t, dim):
                    add(_ALL, tensor, 0, t.shape[dim])
                    dim += 1
                continue
            dim += 1
        self.tensors = tensors if advanced else None
        self.view = t[tuple(basic)]


def _check(e, writing: bool) -> None:
    """Raise for what cannot be an entry of a tuple."""
    if isinstance(e, torch.Tensor):
        if e.dtype is not torch.bool and e.dtype not in _INTEGERS:
            raise errors.entry_dtype(e, writing)
    elif isinstance(e, (float, np.ndarray)) and not isinstance(e, np.generic):
        raise errors.not_an_entry(e)
    elif e is False:
        raise IndexError("Bool element of tuple index must be 'True', but got 'False'.")
    elif isinstance(e, np.generic) or not (
            e is None or e is Ellipsis or isinstance(e, (int, slice, list, tuple))):
        raise errors.unsupported_type(e)


def _expand(t: torch.Tensor, entries: list) -> list:
    """The entries with an Ellipsis written out."""
    dots = [i for i, e in enumerate(entries) if e is Ellipsis]
    if len(dots) > 1:
        raise IndexError("An index can only have a single ellipsis('...')")
    rest = t.ndim - sum(_width(e) for e in entries)
    if rest < 0:
        raise IndexError(f"too many indices for tensor of dimension{t.ndim}")
    if dots:
        entries = entries[:dots[0]] + [_ALL] * rest + entries[dots[0] + 1:]
    return entries


def _width(e) -> int:
    """How many dimensions of the source an entry indexes."""
    if e is None or e is Ellipsis or e is True:
        return 0
    if isinstance(e, torch.Tensor):
        return e.ndim if e.dtype is torch.bool else 1
    return _depth(e) if _holds_bools(e) else 1


def _forward(s: slice, n: int) -> tuple[slice, bool]:
    """A slice with a positive step over the same elements, and whether they come in the opposite order."""
    start, stop, step = (_bound(b) for b in (s.start, s.stop, s.step))
    if step == 0:
        raise ValueError("For 'StridedSlice', 'strides' cannot contain 0")
    first, stop, step = slice(start, stop, step).indices(n)
    count = len(range(first, stop, step))
    if count == 0:
        return slice(0, 0, 1), False
    if step > 0:
        return slice(first, stop, step), False
    return slice(first + (count - 1) * step, first + 1, -step), True


def _bound(b) -> int | None:
    if b is None or b.__class__ is int:
        if b is not None and b not in _INT64:
            raise errors.too_long(b)
        return b
    if isinstance(b, (np.generic, np.ndarray)):
        raise errors.slice_bound()
    if getattr(b, "ndim", 0):            # a Tensor; those inside slices come as they are
        raise TypeError("Only integer scalar tensors can be converted to a scalar index")
    try:
        return operator.index(b)
    except TypeError:
        raise errors.slice_bound() from None


def _index_tensors(e, t: torch.Tensor, dim: int) -> tuple[torch.Tensor, ...]:
    """Index tensors of type int64 for a tensor or sequence; a mask has one for each of its dimensions."""
    if isinstance(e, torch.Tensor):
        if e.dtype is torch.bool:
            return e.nonzero(as_tuple=True)
        return (e.long(),)
    if not e:
        raise errors.empty_sequence()
    if _holds_bools(e):
        mask = torch.tensor(e)
        for axis, n in enumerate(mask.shape):
            if n != t.shape[dim + axis]:
                raise IndexError(
                    f"dimension is {t.shape[dim + axis]} but corresponding boolean dimension is {n}")
        if not mask.any():
            raise errors.empty_sequence()
        return mask.to(t.device).nonzero(as_tuple=True)
    n = t.shape[dim]
    if all(i.__class__ is int for i in e):
        for i in e:
            if not -n <= i < n:
                raise errors.sequence_bound(i, n)
        return (torch.tensor(e, device=t.device),)
    places = _sequence(e)
    wrong = (places < -n) | (places >= n)
    if places.device.type == "cpu" and wrong.any():
        raise errors.sequence_bound(int(places[wrong][0]), n)
    return (places.to(t.device),)


def _sequence(e) -> torch.Tensor:
    if any(isinstance(i, torch.Tensor) for i in e):
        return torch.stack([i.long() if isinstance(i, torch.Tensor) else torch.tensor(i) for i in e])
    if any(isinstance(i, (list, tuple)) and any(isinstance(j, torch.Tensor) for j in i) for i in e):
        return torch.stack([_sequence(i) for i in e])
    array = np.array(e)
    if array.size == 0:
        raise errors.empty_sequence()
    if array.dtype == object:
        raise RuntimeError("Sequence as indices must have the same size across all dimensions and elements "
                           "must be integer (or boolean) type")
    return torch.from_numpy(array.astype(np.int64))


def _holds_bools(e) -> bool:
    """Whether a sequence, at any depth, holds bools and nothing else."""
    if not isinstance(e, (list, tuple)) or not e:
        return False
    return all(i.__class__ is bool or _holds_bools(i) for i in e)


def _depth(e) -> int:
    return 1 + _depth(e[0]) if isinstance(e, (list, tuple)) else 0


# ---- reading and writing by tensors -----------------------------------------------------------------------


def _take(t: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """``t[index]`` for one index tensor or mask."""
    if t.ndim == 0:
        raise ValueError("The input data's dim must in the range of [1, 7], but got '0'.")
    if index.dtype is torch.bool:
        if index.ndim == 0:
            raise RuntimeError("Launch kernel failed, name: NonZero")
        if index.ndim > t.ndim or index.shape != t.shape[:index.ndim]:
            raise errors.mask_to_read(t, index)
        return t[index]
    if index.dtype not in _INTEGERS:
        raise errors.integers_to_read(index)
    try:
        # torch takes a 0-d index tensor for an int and gives a view.
        return t[index.long()] if index.ndim else _index(t, [index.long()])
    except IndexError:
        raise errors.gather(t, index) from None


def _put_masked(t: torch.Tensor, mask: torch.Tensor, value) -> None:
    if mask.ndim > t.ndim or mask.shape != t.shape[:mask.ndim]:
        raise errors.mask_to_write(t, mask)
    value = _cast(value, t)
    if value.ndim == 0:
        # No nonzero() here: on an accelerator it would wait for the device.
        t.masked_fill_(mask.reshape(mask.shape + (1,) * (t.ndim - mask.ndim)), value)
        return
    shape = (int(mask.sum()), *t.shape[mask.ndim:])
    if 0 not in shape:
        errors.check_broadcast(value, shape)
        t[mask] = value


def _put_at(t: torch.Tensor, index: torch.Tensor, value) -> None:
    """``t[index] = value`` for one index tensor."""
    value = _cast(value, t)
    if value.ndim and index.numel():
        errors.check_broadcast(value, (*index.shape, *t.shape[1:]))
    try:
        _index_put_(t, [index.long()], value)
    except (IndexError, RuntimeError) as err:
        raise errors.writing(_Plan(t, [index], writing=True), err) from None


def _put(view: torch.Tensor, tensors: list, value) -> None:
    value = _cast(value, view)
    if value.ndim:
        shape = _result_shape(view.shape, tensors)
        if 0 in shape:
            return
        if value.ndim > len(shape):
            raise errors.uneven()
        errors.check_broadcast(value, shape)
    _index_put_(view, tensors, value)


def _result_shape(shape, tensors: list) -> tuple[int, ...]:
    """The shape of ``aten::index``: indexed dimensions stay in place if adjacent, else go to the front."""
    at = [i for i, x in enumerate(tensors) if x is not None]
    indexed = torch.broadcast_shapes(*[tensors[i].shape for i in at])
    kept = [n for n, x in zip_longest(shape, tensors) if x is None]
    first = at[0] if at == list(range(at[0], at[-1] + 1)) else 0
    return (*kept[:first], *indexed, *kept[first:])


# ---- values -----------------------------------------------------------------------------------------------


def _value(value):
    """A value to write: a tensor or a Python number."""
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        if value.__class__ is int and value not in _INT64:
            raise errors.too_long(value)
        return value
    if isinstance(value, (list, tuple)):
        return _tensor_of(value)
    if value is None or value is Ellipsis or isinstance(value, (slice, np.ndarray)):
        raise errors.not_a_value(value)
    raise errors.unsupported_type(value)


def _tensor_of(value) -> torch.Tensor:
    parts = [_tensor_of(v) if isinstance(v, (list, tuple)) else v for v in value]
    if any(isinstance(p, torch.Tensor) for p in parts):
        parts = [p if isinstance(p, torch.Tensor) else torch.tensor(errors.element(p)) for p in parts]
        for p in parts[1:]:
            if p.shape != parts[0].shape:
                raise errors.ragged(p.shape, parts[0].shape)
        return torch.stack(_common(parts))
    kinds = {errors.element(p).__class__ for p in parts}
    dtype = torch.complex128 if complex in kinds else torch.float64 if float in kinds else None
    return torch.tensor(parts, dtype=dtype)


def _common(parts: list[torch.Tensor]) -> list[torch.Tensor]:
    dtype = parts[0].dtype
    for p in parts[1:]:
        dtype = torch.promote_types(dtype, p.dtype)
    return [p.to(dtype) for p in parts]


def _cast(value, t: torch.Tensor) -> torch.Tensor:
    """The value as a tensor of t's dtype; a number wraps or is cut off where it does not fit."""
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value, dtype=torch.float64 if value.__class__ is float else None)
    if value.is_complex() and not t.is_complex():
        value = value.real
    if value.requires_grad and mode.differentiation is not None:
        value = mode.differentiation.cast(value, t.dtype)
    return apart(value.to(t.device if value.ndim else value.device, t.dtype), t)


def apart(value: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """``value``, which is to be written into ``t``: a copy where it is part of the same memory, which would
    change while it is read. ``t`` itself stays.
    """
    try:
        shared = value.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):         # inside a transform of torch.func
        return value
    if not shared or (value.data_ptr() == t.data_ptr() and value.shape == t.shape
                      and value.stride() == t.stride()):
        return value
    return value.clone()


def _fill(target: torch.Tensor, value, flips=()) -> None:
    """Write to a view of the tensor, whose ``flips`` dimensions are in reverse order."""
    if 0 in target.shape:
        return
    if value.__class__ is float and target.dtype in (torch.float64, torch.complex128):
        value = ctypes.c_float(value).value
    if not isinstance(value, torch.Tensor) and (value.__class__ is not float or target.is_floating_point()):
        try:
            target.fill_(value)
            return
        except RuntimeError:        # a number beyond the dtype, which is cast as C casts
            pass
    value = _cast(value, target)
    if target.ndim == 0:
        if value.ndim and value.shape != (1,):
            raise errors.one_value(value)
        value = value.reshape(())
    else:
        errors.check_broadcast(value, target.shape)
    if flips and value.ndim:
        value = value.expand(target.shape).flip(flips)
    target.copy_(value)
