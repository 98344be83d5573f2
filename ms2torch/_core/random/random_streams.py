"""The random streams of MindSpore's CPU operators, bit for bit.

MindSpore's kernels run C++'s own `engines` under libstdc++'s `distributions`: ``minstd_rand0`` for normals,
dropout masks, samples and shuffles, ``mt19937`` for uniforms, integers and permutations. One operator
instance has one stream for each input shape, which its calls continue; two instances with equal seeds give
equal values.

On CUDA, where MindSpore has other kernels, torch's generators serve instead.
"""

from __future__ import annotations

import math
import secrets
import threading
from functools import lru_cache, wraps

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.devices.device import device
from ms2torch._core.random import graph_streams, repeating
from ms2torch._core.random.distributions import (
    _BELOW_ONE,
    doubles,
    floats,
    integers,
    normals,
    permutation,
)
from ms2torch._core.random.engines import MT19937, MinStd
from ms2torch._core.random.rng import graph_seeds, kernel_seed, kernel_seeds


@lru_cache(256)
def _below(probability: float) -> np.uint64:
    """How many of MinStd's outputs count as less than ``probability`` when both are float32."""
    bound = np.float32(probability)
    low, high = 0, MinStd.range + 1
    while low < high:
        middle = (low + high) // 2
        if np.float32(middle) * np.float32(2.0**-31) < bound:
            low = middle + 1
        else:
            high = middle
    return np.uint64(low)


# ---- taking draws back -----------------------------------------------------------------------------------

# While a journal is kept: the engines that were used since it began, with their states before.
_journal: dict | None = None
_keeper = 0         # the thread that keeps it: what others draw stays drawn


def begin_journal() -> tuple:
    """Note from here on what is drawn, so that `end_journal` can take it back; journals nest."""
    global _journal, _keeper
    begun = _journal, _keeper, dict(kernel_seeds)
    _journal, _keeper = {}, threading.get_ident()
    return begun


def end_journal(begun: tuple, take_back: bool) -> None:
    """End the journal that `begin_journal` began; with ``take_back`` streams and seeds are as they were."""
    global _journal, _keeper
    outer, keeper, seeds = begun
    if take_back:
        for engine, state in _journal.values():
            engine.set_state(state)
        kernel_seeds.clear()
        kernel_seeds.update(seeds)
    elif outer is not None:
        for key, entry in _journal.items():
            outer.setdefault(key, entry)
    _journal, _keeper = outer, keeper


def _note(key, holder) -> None:
    """Keep in the journal how ``holder``, an engine or the like, was before it first changed."""
    if _journal is not None and key not in _journal and threading.get_ident() == _keeper:
        _journal[key] = holder, holder.get_state()


# ---- places in graphs ------------------------------------------------------------------------------------


class Place:
    """Where a graph draws: a call gives the stream that stands there in the graph of the call under way, made
    where there is none. (A compiled step holds for several graphs, those of other numbers.)"""

    __slots__ = ("_key", "_make")

    def __init__(self, graph, operator, make) -> None:
        _note(("graph", id(graph)), graph)
        operator = operator, graph_streams.here.call.way
        count = graph.used.get(operator, 0)
        graph.used[operator] = count + 1
        self._key, self._make = (operator, count), make

    def __call__(self) -> Stream:
        graph = graph_streams.here.call.graph()
        _note(("graph", id(graph)), graph)
        stream = graph.streams.get(self._key)
        if stream is None:
            stream = graph.streams[self._key] = self._make(graph)
            stream.place = self
        return stream


def _of_the_place(stream: Stream) -> Stream:
    """What an operator's ``stream`` is in the graph that is under way: one with its seeds for each place."""
    if stream.place is not None:
        return stream
    graph = graph_streams.here.call.graph()
    return stream if graph is None else Place(graph, stream.__reduce__(), lambda graph: stream.restarted())()


def stream_of_call(seed: int | None, name: str, kind=None) -> Stream:
    """The stream, of a ``kind``, of one use of the functional form ``name`` that asked for ``seed``."""
    kind = kind or Stream
    call = graph_streams.here.call
    graph = call.graph() if call is not None else None
    if graph is None:
        return kind(*graph_seeds(seed, name))
    site = name, seed, *call.site()

    def make(graph) -> Stream:
        if site not in graph.seeds:
            graph.seeds[site] = graph_seeds(seed, name)
        return kind(*graph.seeds[site])

    return Place(graph, site, make)()


# ---- streams ---------------------------------------------------------------------------------------------


def _start(kind, seed: int):
    return torch.Generator(kind).manual_seed(seed % 2**63) if isinstance(kind, torch.device) else kind(seed)


def drawn(draw):
    """A method that draws: a step that is traced draws again whenever it runs."""

    @wraps(draw)
    def method(self, *args):
        if graph_streams.here.call is not None:
            self = _of_the_place(self)
        if mode.tracing is None:
            return draw(self, *args)
        return mode.tracing.draw(self, draw, args)

    return method


def _canonical(engine: MinStd, count: int) -> np.ndarray:
    """``std::generate_canonical<double, 53>``: two outputs make a number."""
    words, outputs = engine.draw(2 * count).astype(np.float64), MinStd.range + 1.0
    return (words[0::2] + words[1::2] * outputs) / outputs**2


def _sizes(shape, operator: str) -> tuple:
    """A shape that can be drawn: MindSpore's error for a size below 0."""
    shape = tuple(shape)
    if min(shape, default=0) >= 0:
        return shape
    words = "the attribute[shape] should be a vector with all positive item. but got " \
        f"[{''.join(f'{n}, ' for n in shape)}]."
    if operator.startswith("Uniform"):
        place = next(i for i, n in enumerate(shape) if n < 0)
        words = f"the the {place}th dimension of input shape must be greater than or equal to 0, but got " \
            f"{shape[place]}."
    wrong = ValueError(f"For primitive[{operator}], {words}")
    wrong.asked = True                               # no table knows it better
    raise wrong


class Stream:
    """The random numbers of one operator instance made with the seed pair (seed, seed2).

    (0, 0) seeds it from the system, as MindSpore does. All methods give torch tensors on the device in use.
    A copy starts anew from the seeds, as that of a MindSpore operator does.
    """

    __slots__ = ("_engines", "place", "seed", "seed2")

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        self.seed, self.seed2 = int(seed), int(seed2)
        self._engines: dict = {}
        self.place: Place | None = None
        if mode.tracing is not None:
            mode.tracing.born(self)

    def __reduce__(self):
        return Stream, (self.seed, self.seed2)

    def restarted(self) -> Stream:
        """A stream with the same seeds that has drawn nothing."""
        kind, seeds = self.__reduce__()
        return kind(*seeds)

    def _start(self, kind, seed: int):
        return _start(kind, seed)

    def _engine(self, kind, shape: tuple):
        """The engine for ``shape``: of class ``kind``, or torch's generator where ``kind`` is a device."""
        key = (kind, shape)
        engine = self._engines.get(key)
        if engine is None:
            seed = kernel_seed(self.seed, self.seed2) if self.seed or self.seed2 else secrets.randbits(32)
            engine = self._engines[key] = self._start(kind, seed)
        _note((id(engine), key), engine)
        if repeating.under_way:
            at, again = repeating.starting_state(engine.get_state)
            if again:
                engine = _start(kind, 0)
                engine.set_state(at)
        return engine

    @drawn
    def dropout_mask(self, shape, probability: float) -> torch.Tensor:
        """Dropout's mask, bool: True with ``probability``. (MindSpore scales by float32(1/probability).)"""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            engine = self._engine(where, shape)
            return torch.rand(shape, device=where, generator=engine) < probability
        # One more than what ``draw`` gives, so "at most" is "less" here.
        words = self._engine(MinStd, shape).outputs(math.prod(shape))
        return torch.from_numpy((words <= _below(probability)).reshape(shape))

    @drawn
    def normal(self, shape) -> torch.Tensor:
        """N(0, 1), float32 (``StandardNormal``)."""
        shape = _sizes(shape, "StandardNormal")
        where = device()
        if where.type != "cpu":
            return torch.randn(shape, device=where, generator=self._engine(where, shape))
        return torch.from_numpy(normals(self._engine(MinStd, shape), math.prod(shape))).reshape(shape)

    @drawn
    def laplace(self, shape) -> torch.Tensor:
        """Laplace(0, 1), float32 (``StandardLaplace``): the distribution inverted at U(-1, 1)."""
        shape = _sizes(shape, "StandardLaplace")
        where = device()
        if where.type != "cpu":
            u = torch.rand(shape, device=where, generator=self._engine(where, shape)) * 2 - 1
            return -u.sign() * torch.log1p(-u.abs())
        # The lower end is the first number above -1, so that the logarithm is finite.
        low = -_BELOW_ONE
        u = floats(self._engine(MinStd, shape), math.prod(shape)) * (np.float32(1) - low) + low
        values = -np.sign(u) * np.log1p(-np.abs(u).astype(np.float64)).astype(np.float32)
        return torch.from_numpy(values).reshape(shape)

    @drawn
    def uniform(self, shape) -> torch.Tensor:
        """U(0, 1), float32 (``UniformReal``)."""
        shape = _sizes(shape, "UniformReal")
        where = device()
        if where.type != "cpu":
            return torch.rand(shape, device=where, generator=self._engine(where, shape))
        values = doubles(self._engine(MT19937, shape), math.prod(shape)).astype(np.float32)
        return torch.from_numpy(values).reshape(shape)

    @drawn
    def integers(self, shape, low: int, high: int) -> torch.Tensor:
        """Integers in [low, high), int32 (``UniformInt``). RuntimeError where high is not above low."""
        if high <= low:
            raise RuntimeError(f"For 'Random', invalid min/max values: ({low}/{high})")
        shape = _sizes(shape, "UniformInt")
        where = device()
        if where.type != "cpu":
            return torch.randint(low, high, shape, dtype=torch.int32, device=where,
                                 generator=self._engine(where, shape))
        values = integers(self._engine(MT19937, shape), math.prod(shape), low, high).astype(np.int32)
        return torch.from_numpy(values).reshape(shape)

    @drawn
    def sample(self, weights: torch.Tensor, count: int) -> torch.Tensor:
        """``count`` positions a row drawn by weight with replacement, int32 (``Multinomial``); rows one after
        another from one stream."""
        where = weights.device
        if where.type != "cpu":
            engine = self._engine(where, (*weights.shape, count))
            return torch.multinomial(weights.float(), count, True, generator=engine).to(torch.int32)
        rows = weights.numpy().astype(np.float32).reshape(-1, weights.shape[-1])
        u = floats(self._engine(MinStd, (*weights.shape, count)), len(rows) * count).reshape(len(rows), count)
        totals = np.cumsum(rows, axis=1, dtype=np.float32)
        totals /= totals[:, -1:]
        found = np.stack([np.searchsorted(t, x, side="left") for t, x in zip(totals, u, strict=True)])
        return torch.from_numpy(found.astype(np.int32)).reshape(*weights.shape[:-1], count)

    @drawn
    def order(self, shape, count: int) -> torch.Tensor:
        """The order of ``count`` places of a tensor of ``shape`` (``RandomChoiceWithMask``), int64."""
        where = device()
        if where.type != "cpu":
            return torch.randperm(count, device=where, generator=self._engine(where, tuple(shape)))
        return torch.from_numpy(permutation(self._engine(MinStd, tuple(shape)), count))

    @drawn
    def categories(self, logits: torch.Tensor, count: int) -> torch.Tensor:
        """``count`` classes of each row of logits, int64 (``RandomCategorical``): rows share the draws, and
        all is rounded to the dtype of the logits."""
        where = logits.device
        if where.type != "cpu":
            engine = self._engine(where, (*logits.shape, count))
            return torch.multinomial(logits.float().softmax(-1), count, True, generator=engine)
        rows = logits.numpy()
        totals = np.cumsum(np.exp(rows - rows.max(-1, keepdims=True)), -1, dtype=rows.dtype)
        u = _canonical(self._engine(MinStd, (*logits.shape, count)), count).astype(rows.dtype)
        found = [np.searchsorted(t, u * t[-1], side="left") for t in totals.reshape(-1, rows.shape[-1])]
        return torch.from_numpy(np.stack(found)).reshape(*logits.shape[:-1], count)

    @drawn
    def shuffle(self, shape) -> torch.Tensor:
        """The order that ``RandomShuffle`` brings the first axis of a tensor of ``shape`` into, int64."""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            return torch.randperm(shape[0], device=where, generator=self._engine(where, shape))
        return torch.from_numpy(permutation(self._engine(MinStd, shape), shape[0]))


def randperm(count: int, seed: int = 0, offset: int = 0) -> torch.Tensor:
    """``ops.randperm``'s permutation of 0 ... count-1, int64: the same at each call.

    ``offset`` goes before ``seed``; (-1, 0) draws a seed from the system.
    """
    start = secrets.randbits(32) if (seed, offset) == (-1, 0) else offset or seed
    if device().type != "cpu":
        return torch.randperm(count, device=device(), generator=_start(device(), start))
    return torch.from_numpy(permutation(MT19937(start), count))


class KernelStream(Stream):
    """The stream of Dropout2D's and Dropout3D's kernels: it starts from the engine's own seed, whatever the
    program's; kernels are kept by what they were made for, so that all calls of one kind go on with it."""

    __slots__ = ()

    def __init__(self) -> None:
        self.seed, self.seed2, self._engines, self.place = 1, 0, {}, None

    def __reduce__(self):
        return KernelStream, ()

    def _engine(self, kind, shape: tuple):
        if (kind, shape) not in self._engines:
            self._engines[kind, shape] = _start(kind, 1)
        return super()._engine(kind, shape)

    @drawn
    def channel_mask(self, shape, probability: float) -> torch.Tensor:
        """Which channels stay, bool: ``std::bernoulli_distribution`` for each."""
        shape, where = tuple(shape), device()
        if where.type != "cpu":
            return torch.rand(shape, device=where, generator=self._engine(where, shape)) < probability
        drawn = _canonical(self._engine(MinStd, shape), math.prod(shape))
        return torch.from_numpy((drawn < np.float32(probability)).reshape(shape))
