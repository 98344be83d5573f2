"""Replay buffers in a program's own Parameters: what is appended, read by place, and sampled.

A buffer is a list of Parameters with ``capacity`` rows each, and two Int32 Parameters: ``count`` rows are
there, and ``head`` is the place of the oldest. MindSpore had these operators from 1.5 to 2.6.
"""

from __future__ import annotations

import math

import torch

from ms2torch import _checkparam as check
from ms2torch._core.operators.registry import Primitive, primitive_class
from ms2torch._core.random.replaying import ReplayStream
from ms2torch._core.tensor.dtype import to_torch
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common import dtype as _dtype

from ._writing import whole_of, write, write_rows


class _Buffer(Primitive):
    """What the three know of a buffer."""

    def __init__(self, capacity, buffer_shape, buffer_dtype) -> None:
        super().__init__(type(self).__name__)
        check.check_value_type("shape of init data", buffer_shape, [tuple, list], self.name)
        check.check_int(capacity, 1, check.GE, "capacity", self.name)
        self.add_prim_attr("capacity", capacity)
        self.add_prim_attr("buffer_elements", [math.prod(shape) for shape in buffer_shape])
        self.add_prim_attr("buffer_dtype", buffer_dtype)
        self.add_prim_attr("side_effect_mem", True)
        self._shapes = [tuple(shape) for shape in buffer_shape]

    def _whole(self, data, count, head) -> list[Tensor]:
        """The Parameters of a buffer; the errors of one that is not the one that was announced."""
        if not isinstance(data, (tuple, list)) or len(data) != len(self._shapes):
            got = len(data) if isinstance(data, (tuple, list)) else type(data).__name__
            raise ValueError(f"For '{self.name}', 'data' must be {len(self._shapes)} Tensors, but got {got}.")
        data = [whole_of(held) for held in data]
        for place, (held, shape, kind) in enumerate(zip(data, self._shapes, self.buffer_dtype, strict=True)):
            if held.shape != (self.capacity, *shape):
                raise ValueError(f"For '{self.name}', the shape of 'data[{place}]' must be "
                                 f"{(self.capacity, *shape)}, but got {held.shape}.")
            if held._t.dtype is not to_torch(kind):
                raise TypeError(f"For '{self.name}', the dtype of 'data[{place}]' must be {kind}, but got "
                                f"{held.dtype}.")
        check.check_type_name("count type", count.dtype, _dtype.int32, self.name)
        check.check_type_name("head type", head.dtype, _dtype.int32, self.name)
        return data


@primitive_class
class BufferAppend(_Buffer):
    """Puts one row, or a batch of rows, behind those of a replay buffer; in a full one they take the places
    of the oldest (``mindspore.ops.BufferAppend``, 1.5 to 2.6)."""

    def __call__(self, data, exp, count, head) -> None:
        """Writes to ``data``, ``count`` and ``head``; ``exp`` is a Tensor for each of ``data``."""
        data = self._whole(data, count, head)
        if len(exp) != len(data):
            raise ValueError(f"For '{self.name}', the length of 'exp' must be that of 'data', {len(data)}, "
                             f"but got {len(exp)}.")
        batches = {self._rows(place, given, held)
                   for place, (given, held) in enumerate(zip(exp, data, strict=True))}
        if len(batches) != 1:
            raise ValueError(f"For '{self.name}', all of 'exp' must have as many rows, but got "
                             f"{sorted(b or 1 for b in batches)}.")
        batch, = batches
        there, first, capacity = int(count), int(head), self.capacity
        added = batch or 1
        kept = min(added, capacity)             # of more rows than there is room for the latest stay
        begin = (first + there + added - kept) % capacity
        places = begin if kept == 1 else (torch.arange(begin, begin + kept) % capacity).to(data[0]._t.device)
        for held, given in zip(data, exp, strict=True):
            rows = given._t if batch is None else given._t[added - kept:]
            write_rows(held, places, rows.reshape(held.shape[1:]) if kept == 1 else rows)
        total = there + added
        if total > capacity:
            write(head, lambda old: torch.full_like(old, (first + total - capacity) % capacity))
        if there < capacity:
            write(count, lambda old: torch.full_like(old, min(total, capacity)))

    def _rows(self, place, given, held) -> int | None:
        """How many rows an entry of ``exp`` has; None of one row without an axis for it."""
        if not isinstance(given, Tensor) or given._t.dtype is not held._t.dtype:
            raise TypeError(f"For '{self.name}', the dtype of 'exp[{place}]' must be {held.dtype}, but got "
                            f"{given.dtype if isinstance(given, Tensor) else type(given).__name__}.")
        if given.shape == held.shape[1:]:
            return None
        if given.shape[1:] == held.shape[1:] and given.ndim == held.ndim:
            return given.shape[0]
        raise ValueError(f"For '{self.name}', the shape of 'exp[{place}]' must be {held.shape[1:]}, or that "
                         f"behind an axis of rows, but got {given.shape}.")


@primitive_class
class BufferGetItem(_Buffer):
    """One row of a replay buffer, a tuple (``mindspore.ops.BufferGetItem``, 1.5 to 2.6).

    The oldest has index 0, the latest -1. IndexError for one that is not there, which MindSpore reads all the
    same.
    """

    def __call__(self, data, count, head, index) -> tuple:
        data = self._whole(data, count, head)
        there, place = int(count), int(index)
        if not -there <= place < there:
            raise IndexError(f"For '{self.name}', the index {place} is out of range: [{-there}, {there}).")
        place = (int(head) + place % there) % self.capacity
        return tuple(wrap(held._t[place].clone()) for held in data)


@primitive_class
class BufferSample(_Buffer):
    """``batch_size`` rows of a replay buffer at random, a tuple (``mindspore.ops.BufferSample``, 1.5 to 2.6).

    ``unique`` draws without repetition. A ``seed`` of 0 takes the system's randomness; with another one an
    instance draws the same rows in each run.
    """

    def __init__(self, capacity, batch_size, buffer_shape, buffer_dtype, seed=0, unique=False) -> None:
        super().__init__(capacity, buffer_shape, buffer_dtype)
        check.check_int(batch_size, capacity, check.LE, "batchsize", self.name)
        self.add_prim_attr("seed", seed)
        self.add_prim_attr("unique", unique)
        self.add_prim_attr("batch_size", batch_size)
        self._stream = ReplayStream(seed)

    def __call__(self, data, count, head) -> tuple:
        data = self._whole(data, count, head)
        there, wanted = int(count), self.batch_size
        if there == 0 or (self.unique and there < wanted):
            raise ValueError(f"For '{self.name}', the batch size {wanted} is larger than the {there} rows "
                             "that are in the buffer.")
        if self.unique:
            places = self._stream.order((self.capacity,), there)[:wanted]
        else:
            places = self._stream.integers((wanted,), 0, there).long()
        if there < self.capacity:
            places = (places + int(head)) % self.capacity
        return tuple(wrap(held._t[places.to(held._t.device)]) for held in data)
