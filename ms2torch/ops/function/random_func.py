"""Random numbers (``mindspore.ops.function.random_func``).

Under ``set_seed``, or with a seed of their own, they give MindSpore's CPU bits where its generator is
known (``_core/random``): a functional form starts a stream at each call, a Primitive keeps its own.
The rest draws from torch's generator, which ``set_seed`` seeds too.
"""

from __future__ import annotations

import inspect
from numbers import Integral, Real

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.errors import final
from ms2torch._core.operators.calls import type_description, wrong_inputs
from ms2torch._core.operators.dispatch import ABSENT
from ms2torch._core.operators.registry import (
    METHODS,
    REQUIRED,
    Primitive,
    method,
    mint_form,
    op,
    primitive,
    primitive_class,
)
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.random import random_streams
from ms2torch._core.random.random_streams import Stream
from ms2torch._core.random.rng import graph_seeds, philox
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, as_torch, lower, wrap
from ms2torch.common.generator import engine

from ._array_create import wanted
from ._array_shape import ints

_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)


def stream(seed, name: str) -> Stream:
    """The stream of one use of the functional form ``name`` that asked for ``seed``."""
    return Stream(*graph_seeds(seed, name))


def _sizes(shape, name: str) -> tuple:
    shape = ints(shape)
    if not isinstance(shape, (tuple, list)):
        kind = f"AbstractScalar(Type: Int64, Value: {shape}, Shape: NoShape)"
        raise TypeError(f"For '{name}', input must be a Int, a tuple, or a Tensor with all Int elements, "
                        f"but got: {kind}.")
    return tuple(shape)


# ---- Primitives with a stream ------------------------------------------------------------------------------


class _Random(Primitive):
    """A random operator: its stream goes on from call to call."""

    def __init__(self, seed=0, seed2=0) -> None:
        super().__init__(type(self).__name__)
        self.add_prim_attr("seed", seed)
        self.add_prim_attr("seed2", seed2)
        self.add_prim_attr("side_effect_hidden", True)
        # Unlike the functional forms', its seeds are its own: set_seed does not reach them.
        self._stream = Stream(seed, seed2)

    def set_seed(self, seed=0, seed2=0) -> None:
        self.__init__(seed, seed2)


def _random(cls):
    cls.__module__ = "mindspore.ops"
    return primitive_class(cls)


@_random
class StandardNormal(_Random):
    """N(0, 1), Float32, of a shape (``mindspore.ops.StandardNormal``)."""

    def __call__(self, shape) -> Tensor:
        return wrap(self._stream.normal(_sizes(lower(shape), "StandardNormal")))


@_random
class StandardLaplace(_Random):
    """Laplace(0, 1), Float32, of a shape (``mindspore.ops.StandardLaplace``)."""

    def __call__(self, shape) -> Tensor:
        return wrap(self._stream.laplace(_sizes(lower(shape), "StandardLaplace")))


@_random
class UniformReal(_Random):
    """U(0, 1), Float32, of a shape (``mindspore.ops.UniformReal``)."""

    def __call__(self, shape) -> Tensor:
        return wrap(self._stream.uniform(_sizes(lower(shape), "UniformReal")))


@_random
class UniformInt(_Random):
    """Integers in [minval, maxval), Int32, of a shape (``mindspore.ops.UniformInt``)."""

    def __call__(self, shape, minval, maxval) -> Tensor:
        for i, bound in enumerate((minval, maxval)):
            if not isinstance(bound, Tensor):
                kind = "Int64" if isinstance(bound, int) else type(bound).__name__
                raise TypeError(f"For primitive[UniformInt], the input[{i + 1}] should be a Tensor, but "
                                f"got {kind}.")
        shape = _sizes(lower(shape), "UniformInt")
        return wrap(self._stream.integers(shape, int(minval), int(maxval)))


@_random
class RandomShuffle(_Random):
    """The first axis in a random order (``mindspore.ops.RandomShuffle``)."""

    def __call__(self, x) -> Tensor:
        return wrap(_shuffled(x._t, self._stream))


@_random
class Multinomial(_Random):
    """Positions drawn by weight, with replacement, Int32 (``mindspore.ops.Multinomial``)."""

    def __init__(self, seed=0, seed2=0, dtype=_dtype.int32) -> None:
        super().__init__(seed, seed2)
        self.del_prim_attr("side_effect_hidden")
        self.add_prim_attr("dtype", dtype)
        self.add_prim_attr("side_effect_hidden", True)

    def __call__(self, x, num_samples) -> Tensor:
        return wrap(self._stream.sample(x._t.detach(), int(num_samples)).to(self.dtype.torch))


@_random
class RandomChoiceWithMask(Primitive):
    """``count`` places where the mask is True, and which of the rows are such.

    (``mindspore.ops.RandomChoiceWithMask``.)
    """

    def __init__(self, count=256, seed=0, seed2=0) -> None:
        super().__init__("RandomChoiceWithMask")
        for name, value in (("count", count), ("seed", seed), ("seed2", seed2), ("side_effect_hidden", True)):
            self.add_prim_attr(name, value)

    def __call__(self, input_x):
        index, mask = _choice(input_x._t, self.count)
        return wrap(index), wrap(mask)


@_random
class Randperm(Primitive):
    """A permutation of 0 ... n-1, filled up to ``max_length`` with ``pad``."""

    def __init__(self, max_length=1, pad=-1, dtype=_dtype.int32) -> None:
        super().__init__("Randperm")
        for name, value in (("max_length", max_length), ("pad", pad), ("dtype", dtype)):
            self.add_prim_attr(name, value)

    def __call__(self, n) -> Tensor:
        order = torch.full((self.max_length,), self.pad, dtype=self.dtype.torch, device=device())
        count = int(n)
        order[:count] = torch.randperm(count, device=order.device).to(order.dtype)
        return wrap(order)


# ---- of a shape --------------------------------------------------------------------------------------------


@op
def standard_normal(shape, seed=None):
    """N(0, 1), Float32 (``mindspore.ops.standard_normal``)."""
    return stream(seed, "standard_normal").normal(_sizes(shape, "StandardNormal"))


@op
def standard_laplace(shape, seed=None):
    """Laplace(0, 1), Float32 (``mindspore.ops.standard_laplace``)."""
    return stream(seed, "standard_laplace").laplace(_sizes(shape, "StandardLaplace"))


@op
def normal(shape, mean, stddev, seed=None):
    """N(mean, stddev^2), Float32; both numbers or tensors that broadcast with ``shape``.

    (``mindspore.ops.normal``.)
    """
    return stream(seed, "normal").normal(_sizes(shape, "StandardNormal")) * stddev + mean


@op
def laplace(shape, mean, lambda_param, seed=None):
    """Laplace(mean, lambda_param), Float32 (``mindspore.ops.laplace``)."""
    return stream(seed, "laplace").laplace(_sizes(shape, "StandardLaplace")) * lambda_param + mean


@op
@spelled(low="minval", high="maxval")
def uniform(shape, minval, maxval, seed=None, dtype=_dtype.float32):
    """U(minval, maxval), or with ``dtype`` int32 integers in [minval, maxval) (``mindspore.ops.uniform``).

    Both bounds are Tensors: TypeError otherwise.
    """
    if not isinstance(minval, torch.Tensor) or not isinstance(maxval, torch.Tensor):
        raise TypeError("For functional operator[uniform], the input[minval] and input[maxval] must be a "
                        "Tensor.")
    draw = stream(seed, "uniform")
    shape = _sizes(shape, "UniformReal")
    if dtype is _dtype.int32:
        return draw.integers(shape, int(minval), int(maxval))
    return draw.uniform(shape) * (maxval - minval) + minval


def _size_of(size) -> tuple:
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)


def _floats(dtype, default, name):
    want = wanted(dtype, default, name)
    if want not in _FLOATS:
        raise ValueError(f"For '{name}', the 'dtype' must be a float type, but got "
                         f"{_dtype.from_torch(want)}.")
    return want


@op
def rand(*size, dtype=None, seed=None):
    """U(0, 1), Float32 unless another float ``dtype`` is given (``mindspore.ops.rand``)."""
    want = _floats(dtype, torch.float32, "rand")
    return stream(seed, "rand").uniform(_size_of(size)).to(want)


@op
def randn(*size, dtype=None, seed=None):
    """N(0, 1), Float32 unless another float ``dtype`` is given (``mindspore.ops.randn``)."""
    want = _floats(dtype, torch.float32, "randn")
    return stream(seed, "randn").normal(_size_of(size)).to(want)


@op
def rand_like(input, seed=None, *, dtype=None):
    """U(0, 1) in the shape and dtype of ``input`` (``mindspore.ops.rand_like``)."""
    want = _floats(dtype, input.dtype, "rand_like")
    return stream(seed, "rand_like").uniform(input.shape).to(want)


@op
def randn_like(input, seed=None, *, dtype=None):
    """N(0, 1) in the shape and dtype of ``input`` (``mindspore.ops.randn_like``)."""
    want = _floats(dtype, input.dtype, "randn_like")
    return stream(seed, "randn_like").normal(input.shape).to(want)


def _integers(low, high, shape, seed, name, want):
    for bound, which in ((low, "low"), (high, "high")):
        if isinstance(bound, bool) or not isinstance(bound, int):
            # MindSpore names the other function, in both.
            raise TypeError(f"For 'randint_like', '{which}' must be an int, but got {type(bound)}.")
    if want.is_floating_point or want is torch.bool:
        raise ValueError(f"For '{name}', the 'dtype' must be an int type, but got {_dtype.from_torch(want)}.")
    try:
        return stream(seed, name).integers(shape, low, high).to(want)
    except RuntimeError as err:
        raise final(err) from None


@op
def randint(low, high, size, seed=None, *, dtype=None):
    """Integers in [low, high), Int64 unless another integer ``dtype`` is given.

    (``mindspore.ops.randint``.)
    """
    if not isinstance(size, tuple):
        raise ValueError(f"For 'randint', the input 'size' must be a tuple, but got {size}.")
    return _integers(low, high, size, seed, "randint", wanted(dtype, torch.int64, "randint"))


@op
def randint_like(input, low, high, seed=None, *, dtype=None):
    """Integers in [low, high) in the shape of ``input``, and in its dtype.

    (``mindspore.ops.randint_like``.)
    """
    want = wanted(dtype, input.dtype, "randint_like")
    return _integers(low, high, tuple(input.shape), seed, "randint_like", want)


@op
def randperm(n, seed=0, offset=0, dtype=_dtype.int64):
    """A permutation of 0 ... n-1 (``mindspore.ops.randperm``): with the same ``seed``, the same at each
    call.
    """
    return random_streams.randperm(int(n), seed, offset).to(wanted(dtype, torch.int64, "randperm"))


# ---- of a distribution -------------------------------------------------------------------------------------


def _shuffled(x, draw: Stream):
    return x[draw.shuffle(x.shape).to(x.device)] if x.ndim else x


@op
def shuffle(x, seed=None):
    """The first axis in a random order (``mindspore.ops.shuffle``)."""
    if not isinstance(x, torch.Tensor):
        raise TypeError("For Primitive[RandomShuffle], the type of input argument[input_x] must be Tensor "
                        f"but got {type_description(x)}.")
    return _shuffled(x, stream(seed, "shuffle"))


@op(method=True)
def multinomial(input, num_samples, replacement=True, seed=None):
    """``num_samples`` positions drawn by the weights in the last axis, Int32 (``mindspore.ops.multinomial``).

    ValueError where, without replacement, more are asked for than there are.
    """
    if replacement:
        return stream(seed, "multinomial").sample(input.detach(), num_samples)
    n = input.shape[-1]
    if num_samples > n:
        raise ValueError("For 'multinomial', the 'num_samples' must be less than the last dimension of "
                         "input without "
                         f"'replacement', but got 'num_samples': {num_samples} and 'replacement': "
                         f"{replacement}")
    # The largest of log(u)/weight are a draw without replacement (Efraimidis and Spirakis, 2006).
    u = stream(seed, "multinomial").uniform(input.shape).to(input.device)
    return torch.topk(torch.log(u) / (input + 1e-6), num_samples).indices.to(torch.int32)


@op(method=True)
def random_categorical(logits, num_sample, seed=0, dtype=_dtype.int64):
    """``num_sample`` classes of each row drawn by its logits (``mindspore.ops.random_categorical``)."""
    return torch.multinomial(torch.softmax(logits.float(), -1), num_sample, True).to(dtype.torch)


@op
@spelled(x="input")
def bernoulli(input, p=0.5, seed=None):
    """1 with probability ``p``, else 0, in the shape and dtype of ``input`` (``mindspore.ops.bernoulli``)."""
    if not isinstance(p, torch.Tensor):
        if not isinstance(p, (int, float)):
            raise TypeError(f"For bernoulli, p should be a Tensor or a float, but got {type(p)}.")
        if not 0 <= p <= 1:
            raise ValueError(f"For bernoulli, p should be in [0, 1], but got {p}.")
    return (torch.rand(input.shape, device=input.device, generator=_seeded(seed)) < p).to(input.dtype)


def _seeded(seed):
    """torch's generator, or a fresh one for an operator's own seed."""
    return None if seed in (None, -1, 0) else torch.Generator(device()).manual_seed(seed)


def _as_tensor(x):
    return x if isinstance(x, torch.Tensor) else as_torch(float(x))


@op
def gamma(shape, alpha, beta, seed=None):
    """Gamma(alpha, rate beta) of ``shape`` and the broadcast parameters' (``mindspore.ops.gamma``)."""
    alpha, beta = torch.broadcast_tensors(_as_tensor(alpha), _as_tensor(beta))
    size = (*_sizes(shape, "Gamma"), *alpha.shape)
    return torch._standard_gamma(alpha.expand(size).contiguous(), generator=_seeded(seed)) / beta


@op
def random_gamma(shape, alpha, seed=None):
    """Gamma(alpha, 1) of ``shape`` and the parameter's (``mindspore.ops.random_gamma``)."""
    size = (*_sizes(shape, "RandomGamma"), *alpha.shape)
    return torch._standard_gamma(alpha.expand(size).contiguous(), generator=_seeded(seed))


@op
def poisson(shape, mean, seed=None):
    """Poisson(mean), Float32, of a shape (``mindspore.ops.poisson``)."""
    size = torch.broadcast_shapes(_sizes(shape, "Poisson"), mean.shape)
    return torch.poisson(mean.float().expand(size).contiguous(), generator=_seeded(seed))


@op
def random_poisson(shape, rate, seed=None, dtype=_dtype.float32):
    """Poisson(rate) of ``shape`` and the parameter's (``mindspore.ops.random_poisson``)."""
    size = (*_sizes(shape, "RandomPoisson"), *rate.shape)
    drawn = torch.poisson(rate.float().expand(size).contiguous(), generator=_seeded(seed))
    return drawn.to(wanted(dtype, torch.float32, "random_poisson"))


def _choice(mask, count):
    places = torch.nonzero(mask)
    places = places[torch.randperm(len(places), device=places.device)][:count].int()
    index = torch.zeros((count, mask.ndim), dtype=torch.int32, device=mask.device)
    index[:len(places)] = places
    return index, torch.arange(count, device=mask.device) < len(places)


@op
def choice_with_mask(input_x, count=256, seed=None):
    """``count`` places where ``input_x`` is True, and which of the rows are such.

    (``ops.choice_with_mask``.)
    """
    return _choice(input_x, count)


@primitive("RandomCategorical", init={"dtype": _dtype.int64})
def _random_categorical(logits, num_sample, seed, dtype=_dtype.int64):
    return torch.multinomial(torch.softmax(logits.float(), -1), num_sample, True).to(dtype.torch)


@primitive("TruncatedNormal", init={"dtype": _dtype.float32, "seed": 0, "seed2": 0})
def _truncated_normal(shape, dtype=_dtype.float32, seed=0, seed2=0):
    """N(0, 1) within two standard deviations."""
    out = torch.empty(_sizes(shape, "TruncatedNormal"), device=device())
    return torch.nn.init.trunc_normal_(out, generator=_seeded(seed)).to(dtype.torch)


@primitive("RandomGamma", init={"seed": 0, "seed2": 0})
def _random_gamma(shape, alpha, seed=0, seed2=0):
    return random_gamma.kernel(shape, alpha, seed)


@primitive("RandomPoisson", init={"seed": 0, "seed2": 0, "dtype": _dtype.int64})
def _random_poisson(shape, rate, seed=0, seed2=0, dtype=_dtype.int64):
    return random_poisson.kernel(shape, rate, seed, dtype)


@primitive("Gamma", init={"seed": 0, "seed2": 0})
def _gamma(shape, alpha, beta, seed=0, seed2=0):
    return gamma.kernel(shape, alpha, beta, seed)


@primitive("Poisson", init={"seed": 0, "seed2": 0})
def _poisson(shape, mean, seed=0, seed2=0):
    return poisson.kernel(shape, mean, seed).to(torch.int32)


@primitive("Bernoulli", init={"seed": -1, "offset": 0})
def _bernoulli(x, p, seed=-1, offset=0):
    return bernoulli.kernel(x, p, seed)


# ---- mint and Tensor methods in place ----------------------------------------------------------------------


def _mint(name, draw, with_engine):
    def drawn(shape, want, generator=None):
        source = engine(generator)
        if source is None:
            return draw(stream(None, name), shape).to(want)
        return with_engine(shape, generator=source, device=device()).to(want)

    @mint_form(name=name)
    def form(*size, generator=None, dtype=None, device=None):
        return drawn(_size_of(size), _floats(dtype, torch.float32, name), generator)

    @mint_form(name=f"{name}_like")
    def like(input, *, dtype=None, device=None):
        return drawn(tuple(input.shape), _floats(dtype, input.dtype, f"{name}_like"))


_mint("rand", Stream.uniform, torch.rand)
_mint("randn", Stream.normal, torch.randn)


@mint_form(name="randint")
def _randint_mint(*args, generator=None, dtype=None, device=None):
    low, high, size = args if len(args) == 3 else (0, *args)
    want, source = wanted(dtype, torch.int64, "randint"), engine(generator)
    if source is not None:
        return torch.randint(low, high, tuple(size), generator=source, device=source.device).to(want)
    return _integers(low, high, tuple(size), None, "randint", want)


@mint_form(name="randperm")
def _randperm_mint(n, *, generator=None, dtype=_dtype.int64):
    drawn = torch.randperm(n, generator=engine(generator), device=device())
    return drawn.to(wanted(dtype, torch.int64, "randperm"))


@mint_form(name="normal")
def _normal_mint(mean=0.0, std=1.0, size=None, generator=None):
    if size is None:
        size = torch.broadcast_shapes(*(v.shape for v in (mean, std) if isinstance(v, torch.Tensor)))
    source = engine(generator)
    if source is not None:
        return torch.randn(size, generator=source, device=device()) * std + mean
    return stream(None, "normal").normal(size) * std + mean


@mint_form(name="multinomial")
def _multinomial_mint(input, num_samples, replacement=False, *, generator=None):
    source = engine(generator)
    if source is not None:
        return torch.multinomial(input.detach(), num_samples, replacement, generator=source)
    return multinomial.kernel(input, num_samples, replacement).long()


@mint_form(name="bernoulli")
def _bernoulli_mint(input, *, generator=None):
    return torch.bernoulli(input, generator=engine(generator))


@method(name="bernoulli")
def _bernoulli_method(input, *, generator=None):
    """1 with the probability that the element is, else 0."""
    return torch.bernoulli(input, generator=engine(generator))


_PRIMITIVES_IN_PLACE = {"random_": ("InplaceRandom", Integral, None), "uniform_": ("InplaceUniform", Real, 1)}


def _check_limits(name, input, from_=0, to=ABSENT) -> None:
    """TypeError for limits that are no numbers; those of ``random_`` are whole, and ``to`` may be None."""
    called, kinds, default = _PRIMITIVES_IN_PLACE[name]
    whole, to = kinds is Integral, default if to is ABSENT else to

    def fits(value):
        return isinstance(value, (kinds, Tensor)) and not (whole and isinstance(value, bool))

    if not isinstance(input, Tensor) or not fits(from_) or not (fits(to) or (whole and to is None)):
        seed = torch.zeros(())
        raise wrong_inputs(called, input=lower(input), from_=from_, to=to, seed=seed, offset=seed)


def _fills_in_place(name, fill):
    @method(name=name, on_tensors=True)
    def in_place(self, *args, generator=None, **kwargs):
        if name in _PRIMITIVES_IN_PLACE:
            _check_limits(name, self, *args, **kwargs)
        self._write(lambda t: fill(t, *args, generator=engine(generator), **kwargs))
        return self

    *shown, _ = inspect.signature(fill).parameters.values()
    shown.append(inspect.Parameter("generator", inspect.Parameter.KEYWORD_ONLY, default=None))
    in_place.__signature__ = inspect.Signature(shown)
    in_place.__doc__ = f"Fills the Tensor with random numbers, in place (``mindspore.Tensor.{name}``)."


_fills_in_place("uniform_", lambda t, from_=0, to=1, **how: t.uniform_(from_, to, **how))
_fills_in_place("normal_", lambda t, mean=0, std=1, **how: t.normal_(mean, std, **how))
_fills_in_place("random_", lambda t, from_=0, to=None, **how: t.random_(from_, to, **how)
                if to is not None else t.random_(from_, **how) if from_ else t.random_(**how))
_fills_in_place("bernoulli_", lambda t, p=0.5, **how: t.bernoulli_(p, **how))
_fills_in_place("exponential_", lambda t, lambd=1, **how: t.exponential_(lambd, **how))


@primitive("NonDeterministicInts", init={"dtype": _dtype.int64})
def _non_deterministic_ints(shape, dtype=_dtype.int64):
    """Integers of the whole range of their dtype (``mindspore.ops.NonDeterministicInts``)."""
    bounds = torch.iinfo(dtype.torch)
    return torch.randint(bounds.min, bounds.max, tuple(ints(shape)), dtype=dtype.torch, device=device())


@primitive("LogNormalReverse", init={"mean": 1.0, "std": 2.0})
def _log_normal_reverse(input, mean=1.0, std=2.0):
    """Numbers whose logarithm is normal, in the shape of ``input`` (``mindspore.ops.LogNormalReverse``)."""
    return torch.empty_like(input).log_normal_(mean, std)


def _chosen(x, seed, offset, numsamples, replacement):
    if seed == offset == 0:
        return torch.multinomial(x.double(), numsamples, replacement)
    weights = np.atleast_2d(x.detach().double().cpu().numpy()).copy()
    count = len(weights) * numsamples
    n = np.arange(-(-count // 4), dtype=np.uint64)
    words = np.stack(philox((n, np.uint64(0), np.uint64(offset & 0xFFFFFFFF), np.uint64(offset >> 32)),
                            (seed & 0xFFFFFFFF, seed >> 32)), axis=1).reshape(-1)[:count]
    draws = ((words & np.uint64(0x7FFFFF)) / 2**23).reshape(-1, numsamples)
    found = np.empty(draws.shape, np.int64)
    for row, numbers, places in zip(weights, draws, found, strict=True):
        for i, number in enumerate(numbers):
            ends = row.cumsum()
            places[i] = np.searchsorted(ends, number * ends[-1], side="right")
            if not replacement:
                row[places[i]] = 0.0
    return torch.from_numpy(found.reshape(*x.shape[:-1], numsamples)).to(x.device)


@op(primitive="MultinomialWithReplacement", init={"numsamples": REQUIRED, "replacement": False})
def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """``numsamples`` classes of each row by its weights (``mindspore.ops.multinomial_with_replacement``).

    The numbers are MindSpore's for a ``seed`` and ``offset``, and free where both are 0. ValueError for
    negative weights, for a row without any, and for more samples than classes without ``replacement``.
    """
    if not replacement and numsamples > x.shape[-1]:
        raise final(ValueError("For 'MultinomialWithReplacement', the value of numsamples must equal or less "
                               f"than x_shape[-1], but got {numsamples}."))
    if bool((x < 0).any()):
        raise final(ValueError("For 'MultinomialWithReplacement' , each element of 'x' must be equal or "
                               "greater than 0. "))
    if bool((x.sum(-1) <= 0).any()):
        raise final(ValueError("For 'MultinomialWithReplacement' , the sum of each row of 'x' must be "
                               "greater than 0. "))
    return _chosen(x, int(seed), int(offset), numsamples, replacement)


def _candidates(true_classes, num_true, num_sampled, unique, range_max):
    if unique and num_sampled > range_max:
        raise final(ValueError("For 'UniformCandidateSampler', 'num_sampled' must not exceed 'range_max' "
                               f"when 'unique' is True, but got {num_sampled} and {range_max}."))
    drawn: dict[int, None] = {}
    tries = 0
    while unique and len(drawn) < num_sampled:
        drawn[int(torch.randint(range_max, ()))] = None
        tries += 1
    sampled = torch.tensor(list(drawn)) if unique else torch.randint(range_max, (num_sampled,))
    chance = 1 - (1 - 1 / range_max) ** tries if unique else num_sampled / range_max
    sampled = sampled.to(true_classes.device)
    expected = torch.full((), chance, dtype=torch.float32, device=true_classes.device)
    return (sampled.to(true_classes.dtype), expected.expand(true_classes.shape).clone(),
            expected.expand(num_sampled).clone())


@op
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0,
                              remove_accidental_hits=False):
    """Classes in [0, range_max) drawn evenly, and how often true and drawn ones are expected.

    MindSpore: ``mindspore.ops.uniform_candidate_sampler``; its numbers for a seed are not reproduced.
    """
    return _candidates(true_classes, num_true, num_sampled, unique, range_max)


@primitive("UniformCandidateSampler", init={
    "num_true": REQUIRED, "num_sampled": REQUIRED, "unique": REQUIRED, "range_max": REQUIRED, "seed": 0,
    "remove_accidental_hits": False})
def _uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0,
                               remove_accidental_hits=False):
    return _candidates(true_classes, num_true, num_sampled, unique, range_max)


def _filled(name):
    def fill(input, from_=0, to=None if name == "random_" else 1, *, generator=None):
        if not isinstance(input, Tensor):
            _check_limits(name, input, from_, to)
        return METHODS[name](input, from_, to, generator=generator)

    fill.__name__ = name
    fill.__doc__ = f"Fills a Tensor with random numbers, in place (``mindspore.ops.{name}``)."
    return op(fill, on_tensors=True)


random_, uniform_ = _filled("random_"), _filled("uniform_")
