"""Operators of reinforcement learning (``mindspore.ops.operations._rl_inner_ops``, 1.6 to 2.6): queues and
replay buffers on the host, returns, and copies of many Parameters.

MindSpore's own environments on a GPU (``EnvCreate``), its exchange between servers (``MuxSend``) and cuDNN's
packed GRU are not here.
"""

from __future__ import annotations

from collections import deque

import torch

from ms2torch import _checkparam as check
from ms2torch._core.gradient import threads
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common import dtype as _dtype
from ms2torch.ops.function._writing import whole_of, write

from ._handles import Clear, Close, Handles, Size, element
from ._host_buffers import Priorities, Reservoir

_KINDS = (*_dtype.number_type, _dtype.bool_)


class BatchAssign(Primitive):
    """Writes many Tensors to as many Parameters, all or none of which another thread sees."""

    def __init__(self, lock=True) -> None:
        super().__init__("BatchAssign")
        self.add_prim_attr("lock", check.check_value_type("lock", lock, (bool,), self.name))
        self.add_prim_attr("side_effect_mem", True)

    def __call__(self, dst_model, source_model) -> None:
        check.check_equal_int(len(dst_model), len(source_model), "inputs elements", self.name)
        for target, source in zip(dst_model, source_model, strict=True):
            if target.shape != source.shape:
                raise ValueError(f"For '{self.name}', the shapes of elements must be the same, but got "
                                 f"{target.shape} and {source.shape}.")
            check.check_tensors_dtypes_same_and_valid(
                {"dst": whole_of(target).dtype, "source": source.dtype}, _KINDS, self.name)
        with threads.held():
            for target, source in zip(dst_model, source_model, strict=True):
                write(target, lambda old, new=source._t: new.detach().clone())


class DiscountedReturn(Primitive):
    """The returns of a sequence of rewards, last_state_value being what follows it:
    G[t] = reward[t] + (1 - done[t]) * gamma * G[t + 1]."""

    def __init__(self, gamma) -> None:
        super().__init__("DiscountedReturn")
        check.check_float_range(gamma, 0, 1, check.INC_RIGHT, "gamma", self.name)
        self.add_prim_attr("gamma", gamma)
        self.init_prim_io_names(["reward", "done", "last_state_value"], ["output"])

    def __call__(self, reward, done, last_state_value) -> Tensor:
        check.check_tensors_dtypes_same_and_valid(
            {"reward": reward.dtype, "last_state_value": last_state_value.dtype},
            (_dtype.float16, _dtype.float32), self.name)
        check.check_type_name("done", done.dtype, _dtype.bool_, self.name)
        if reward.shape[1:] != last_state_value.shape:
            raise ValueError(f"For '{self.name}', the shape of a step's reward must be that of "
                             f"'last_state_value', but got {reward.shape[1:]} and {last_state_value.shape}.")
        if done.shape != reward.shape[:done.ndim]:
            raise ValueError(f"For '{self.name}', the shape of 'done' must be the first axes of that of "
                             f"'reward', but got {done.shape} and {reward.shape}.")
        rewards, value = reward._t, last_state_value._t
        goes_on = (~done._t).reshape(*done.shape, *[1] * (reward.ndim - done.ndim)).to(rewards.dtype)
        found = []
        for now, factor in zip(rewards.unbind()[::-1], goes_on.unbind()[::-1], strict=True):
            value = now + factor * self.gamma * value
            found.append(value)
        return wrap(torch.stack(found[::-1]) if found else rewards.clone())


# ---- queues ----------------------------------------------------------------------------------------------


class _Queue:
    def __init__(self, kind, shapes, size: int) -> None:
        self.kind, self.shapes, self.size = kind, [tuple(shape) for shape in shapes], size
        self.held: deque[list[torch.Tensor]] = deque()


_queues: Handles[_Queue] = Handles("TensorsQueue")


class _OfElements(Primitive):
    """An operator that is told what a queue's elements are."""

    def __init__(self, dtype, shapes) -> None:
        super().__init__(type(self).__name__)
        check.check_type_name("dtype", dtype, _KINDS, self.name)
        check.check_int(len(shapes), 1, check.GE, "elements_num", self.name)
        self.add_prim_attr("dtype", dtype)
        self.add_prim_attr("shapes", shapes)
        self.add_prim_attr("elements_num", len(shapes))
        self.add_prim_attr("side_effect_mem", True)

    def _queue(self, handle) -> _Queue:
        queue = _queues[handle]
        if queue.kind != self.dtype or queue.shapes != [tuple(shape) for shape in self.shapes]:
            raise TypeError(f"For '{self.name}', the queue holds {queue.kind} of shapes {queue.shapes}, but "
                            f"{self.dtype} of {self.shapes} is asked for.")
        return queue


class TensorsQueueCreate(_OfElements):
    """Makes a queue of tuples of Tensors with room for ``size``, and gives its handle, an Int64 Tensor."""

    def __init__(self, dtype, shapes, size=0, name="Q") -> None:
        super().__init__(dtype, shapes)
        check.check_int(size, 0, check.GE, "size", self.name)
        self.add_prim_attr("size", size)

    def __call__(self) -> Tensor:
        return _queues.add(_Queue(self.dtype, self.shapes, self.size))


class TensorsQueuePut(_OfElements):
    """Puts a tuple of Tensors to the queue's end. RuntimeError in a full one, of which MindSpore waits 100 s
    that another graph takes something."""

    def __call__(self, handle, value) -> None:
        queue = self._queue(handle)
        check.check_equal_int(len(value), self.elements_num, "inputs elements", self.name)
        tensors = [element(self.name, f"value[{i}]", v, queue.kind, shape)
                   for i, (v, shape) in enumerate(zip(value, queue.shapes, strict=True))]
        if len(queue.held) >= queue.size:
            raise RuntimeError(f"For '{self.name}', the queue is full: it has room for {queue.size}.")
        queue.held.append([tensor.detach().clone() for tensor in tensors])


class TensorsQueueGet(_OfElements):
    """The tuple of Tensors at the queue's front, which ``pop_after_get`` takes out. RuntimeError in an empty
    one, of which MindSpore waits 100 s that another graph puts something."""

    def __init__(self, dtype, shapes, pop_after_get=False) -> None:
        super().__init__(dtype, shapes)
        check.check_bool(pop_after_get, "pop_after_get", self.name)
        self.add_prim_attr("pop_after_get", pop_after_get)

    def __call__(self, handle) -> tuple[Tensor, ...]:
        held = self._queue(handle).held
        if not held:
            raise RuntimeError(f"For '{self.name}', the queue is empty.")
        return tuple(wrap(t) if self.pop_after_get else wrap(t.clone())
                     for t in (held.popleft() if self.pop_after_get else held[0]))


class TensorsQueueSize(Size):
    """How many elements the queue holds, an Int64 Tensor."""

    handles = _queues


class TensorsQueueClear(Clear):
    """Empties the queue."""

    handles = _queues


class TensorsQueueClose(Close):
    """Forgets the queue; its handle is gone."""

    handles = _queues


# ---- replay buffers --------------------------------------------------------------------------------------


_priorities: Handles[Priorities] = Handles("PriorityReplayBuffer", (1,))
_reservoirs: Handles[Reservoir] = Handles("ReservoirReplayBuffer", (1,))


class _Create(Primitive):
    def __init__(self, capacity, shapes, dtypes, seed0, seed1) -> None:
        super().__init__(type(self).__name__)
        check.check_int(capacity, 1, check.GE, "capacity", self.name)
        check.check_value_type("shape of init data", shapes, [tuple, list], self.name)
        check.check_value_type("dtypes of init data", dtypes, [tuple, list], self.name)
        for name, seed in (("seed0", seed0), ("seed1", seed1)):
            check.check_int(seed, 0, check.GE, name, self.name)
        self._made_of = shapes, dtypes, seed0, seed1
        for name, value in (("capacity", capacity), ("shapes", shapes), ("dtypes", dtypes),
                            ("seed0", seed0), ("seed1", seed1)):
            self.add_prim_attr(name, value)


class PriorityReplayBufferCreate(_Create):
    """Makes a buffer of prioritized experience replay, and gives its handle, an Int64 Tensor of shape (1,).

    ``alpha`` from 0, where all are drawn alike, to 1, in proportion to their priorities.
    """

    def __init__(self, capacity, alpha, shapes, dtypes, seed0, seed1) -> None:
        super().__init__(capacity, shapes, dtypes, seed0, seed1)
        check.check_float_range(alpha, 0.0, 1.0, check.INC_BOTH, "alpha", self.name)
        self.add_prim_attr("alpha", alpha)

    def __call__(self) -> Tensor:
        return _priorities.add(Priorities(self.capacity, self.alpha, *self._made_of))


class ReservoirReplayBufferCreate(_Create):
    """Makes a buffer in which all that ever came is with the same probability, and gives its handle, an Int64
    Tensor of shape (1,)."""

    def __call__(self) -> Tensor:
        return _reservoirs.add(Reservoir(self.capacity, *self._made_of))


class _OfBuffer(Primitive):
    """An operator on the buffer of ``handle``, an int."""

    buffers: Handles

    def __init__(self, handle) -> None:
        super().__init__(type(self).__name__)
        check.check_int(handle, 0, check.GE, "handle", self.name)
        self.add_prim_attr("handle", handle)


class _Push(_OfBuffer):
    """Puts a transition, a tuple of Tensors, into the buffer; gives the handle."""

    def __call__(self, *transition) -> Tensor:
        if len(transition) == 1 and isinstance(transition[0], (tuple, list)):
            transition, = transition
        self.buffers[self.handle].push(self.name, transition)
        return self.buffers.told(self.handle)


class _Sample(_OfBuffer):
    def __init__(self, handle, batch_size, shapes, dtypes) -> None:
        super().__init__(handle)
        check.check_int(batch_size, 1, check.GE, "batch_size", self.name)
        check.check_value_type("shape of init data", shapes, [tuple, list], self.name)
        check.check_value_type("dtypes of init data", dtypes, [tuple, list], self.name)
        for name, value in (("batch_size", batch_size), ("shapes", shapes), ("dtypes", dtypes)):
            self.add_prim_attr(name, value)


class _Destroy(_OfBuffer):
    """Forgets the buffer; gives the handle, which names nothing from then on."""

    def __call__(self) -> Tensor:
        self.buffers.close(self.handle)
        return self.buffers.told(self.handle)


class PriorityReplayBufferPush(_Push):
    """Puts a transition, a tuple of Tensors, into the buffer, with the highest priority so far; gives the
    handle."""

    buffers = _priorities


class PriorityReplayBufferSample(_Sample):
    """``batch_size`` transitions by priority: their indices (Int64), the weights (Float32) that correct for
    it, from ``beta`` 0, not at all, to 1, fully, and the Tensors."""

    buffers = _priorities

    def __call__(self, beta) -> tuple[Tensor, ...]:
        return self.buffers[self.handle].sample(self.name, self.batch_size, float(beta))


class PriorityReplayBufferUpdate(_OfBuffer):
    """Gives the transitions of ``indices`` other priorities; gives the handle."""

    buffers = _priorities

    def __call__(self, indices, priorities) -> Tensor:
        self.buffers[self.handle].update(self.name, indices, priorities)
        return self.buffers.told(self.handle)


class PriorityReplayBufferDestroy(_Destroy):
    __doc__ = _Destroy.__doc__
    buffers = _priorities


class ReservoirReplayBufferPush(_Push):
    """Puts a transition, a tuple of Tensors, into the buffer, or passes it over; gives the handle."""

    buffers = _reservoirs


class ReservoirReplayBufferSample(_Sample):
    """``batch_size`` transitions at random, with repetition: their Tensors."""

    buffers = _reservoirs

    def __call__(self) -> tuple[Tensor, ...]:
        return self.buffers[self.handle].sample(self.name, self.batch_size)


class ReservoirReplayBufferDestroy(_Destroy):
    __doc__ = _Destroy.__doc__
    buffers = _reservoirs
