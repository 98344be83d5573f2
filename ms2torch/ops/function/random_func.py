"""Random numbers (``mindspore.ops.function.random_func``).

Under ``set_seed``, or with a seed of their own, they give MindSpore's CPU bits where its generator is
known (``_core/random``): a functional form starts a stream at each call, a Primitive keeps its own.
The rest draws from torch's generator, which ``set_seed`` seeds too.
"""

from __future__ import annotations

from functools import cache

import torch

from ms2torch._checkparam import check_value_type
from ms2torch._core import mode
from ms2torch._core.checks.calls import type_description
from ms2torch._core.checks.odd import odd_error
from ms2torch._core.devices.device import device
from ms2torch._core.errors import asked, final
from ms2torch._core.operators.registry import (
    REQUIRED,
    Primitive,
    method,
    op,
    primitive,
    primitive_class,
)
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.random import random_streams
from ms2torch._core.random.philox_streams import CoinStream
from ms2torch._core.random.random_streams import Stream
from ms2torch._core.random.rejection import BoundedStream, GammaStream, PoissonStream
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, as_torch, lift, lower, wrap
from ms2torch._core.torch_private import standard_gamma, standard_gamma_grad
from ms2torch.common.generator import engine

from ._array_create import wanted
from ._array_shape import ints
from ._random_draws import (
    PERMUTED,
    float_dtype,
    int_dtype,
    integers,
    keep_stream,
    seeded,
    size_of,
    sizes,
    stream,
)
from ._random_inplace import random_, uniform_  # noqa: F401
from ._random_sampling import (  # noqa: F401
    log_uniform_candidate_sampler,
    multinomial_with_replacement,
    uniform_candidate_sampler,
)

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
        return wrap(self._stream.normal(sizes(lower(shape), "StandardNormal")))


@_random
class StandardLaplace(_Random):
    """Laplace(0, 1), Float32, of a shape (``mindspore.ops.StandardLaplace``)."""

    def __call__(self, shape) -> Tensor:
        return wrap(self._stream.laplace(sizes(lower(shape), "StandardLaplace")))


@_random
class UniformReal(_Random):
    """U(0, 1), Float32, of a shape (``mindspore.ops.UniformReal``)."""

    def __call__(self, shape) -> Tensor:
        return wrap(self._stream.uniform(sizes(lower(shape), "UniformReal")))


@_random
class UniformInt(_Random):
    """Integers in [minval, maxval), Int32, of a shape (``mindspore.ops.UniformInt``)."""

    def __call__(self, shape, minval, maxval) -> Tensor:
        for i, bound in enumerate((minval, maxval)):
            if not isinstance(bound, Tensor):
                kind = "Int64" if isinstance(bound, int) else type(bound).__name__
                raise TypeError(f"For primitive[UniformInt], the input[{i + 1}] should be a Tensor, but "
                                f"got {kind}.")
        shape = sizes(lower(shape), "UniformInt")
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
        def draw(weights):
            return self._stream.sample(weights, int(num_samples)).to(self.dtype.torch)

        weights = x._t.detach()
        return wrap(_RowsAtOnce.apply(weights, draw) if mode.mapped == 1 and weights.dim() == 1
                    else draw(weights))


class _RowsAtOnce(torch.autograd.Function):
    """Draws by one row of weights; `vmap` draws by all rows, one after another of one stream."""

    @staticmethod
    def forward(weights, draw):
        return draw(weights)

    @staticmethod
    def setup_context(ctx, inputs, output) -> None:
        """Nothing flows back."""

    @staticmethod
    def vmap(info, in_dims, weights, draw):
        return draw(weights.movedim(in_dims[0], 0)), 0


@_random
class RandomCategorical(Primitive):
    """Classes of each row drawn by its logits (``mindspore.ops.RandomCategorical``), a stream for a seed."""

    def __init__(self, dtype=_dtype.int64) -> None:
        super().__init__("RandomCategorical")
        self.add_prim_attr("dtype", dtype)
        self.add_prim_attr("side_effect_hidden", True)
        self._streams: dict[int, Stream] = {}

    def __call__(self, logits, num_sample, seed) -> Tensor:
        given = (("1", num_sample), ("2", seed))
        if wrong := odd_error("ops.RandomCategorical call", given, failed=False):
            raise wrong
        stream = self._streams.setdefault(int(seed), Stream(0, int(seed)))
        return wrap(stream.categories(logits._t.detach(), int(num_sample)).to(self.dtype.torch))


@_random
class RandomChoiceWithMask(Primitive):
    """``count`` places where the mask is True, and which of the rows are places, not filling.

    (``mindspore.ops.RandomChoiceWithMask``.)
    """

    def __init__(self, count=256, seed=0, seed2=0) -> None:
        super().__init__("RandomChoiceWithMask")
        for name, value in (("count", count), ("seed", seed), ("seed2", seed2), ("side_effect_hidden", True)):
            self.add_prim_attr(name, value)
        self._stream = Stream(seed, seed2)

    def __call__(self, input_x):
        index, mask = _choice(input_x._t, self.count, self._stream)
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
    return stream(seed, "standard_normal").normal(sizes(shape, "StandardNormal"))


@op
def standard_laplace(shape, seed=None):
    """Laplace(0, 1), Float32 (``mindspore.ops.standard_laplace``)."""
    return stream(seed, "standard_laplace").laplace(sizes(shape, "StandardLaplace"))


@op
def normal(shape, mean, stddev, seed=None):
    """N(mean, stddev^2), Float32; both numbers or tensors that broadcast with ``shape``.

    (``mindspore.ops.normal``.)
    """
    return stream(seed, "normal").normal(_positive(shape, "StandardNormal")) * stddev + mean


def _positive(shape, name: str) -> tuple:
    """A tuple of positive ints, which `normal` and `laplace` ask for."""
    if not isinstance(shape, tuple):
        raise asked(TypeError(f"Type of 'shape' must be tuple, but got: {type(lift(shape))}"))
    for v in shape:
        if isinstance(v, (int, float)) and v <= 0:
            raise asked(ValueError(f"Elements of 'shape' must be positive int, but got: {v}"))
        if not isinstance(v, int):
            raise asked(TypeError(f"Elements of 'shape' must be int, but got: {type(v)}"))
    return sizes(shape, name)


def _consistent(name: str, dtype, *tensors) -> None:
    """TypeError unless what is drawn and the ``tensors`` that it goes with are of one dtype."""
    for t in tensors:
        if isinstance(t, torch.Tensor) and t.dtype is not dtype.torch:
            raise TypeError(f"For '{name}', the value data type '{dtype}' is not consistent with assigned "
                            f"tensor data type {_dtype.from_torch(t.dtype)}.")


@op
def laplace(shape, mean, lambda_param, seed=None):
    """Laplace(mean, lambda_param), Float32 (``mindspore.ops.laplace``)."""
    _consistent("laplace", _dtype.float32, mean, lambda_param)
    return stream(seed, "laplace").laplace(_positive(shape, "StandardLaplace")) * lambda_param + mean


@op
@spelled(low="minval", high="maxval")
def uniform(shape, minval, maxval, seed=None, dtype=_dtype.float32):
    """U(minval, maxval), or with ``dtype`` int32 integers in [minval, maxval) (``mindspore.ops.uniform``).

    Both bounds are Tensors: TypeError otherwise.
    """
    if not isinstance(minval, torch.Tensor) or not isinstance(maxval, torch.Tensor):
        raise TypeError("For functional operator[uniform], the input[minval] and input[maxval] must be a "
                        "Tensor.")
    _consistent("uniform", dtype, minval, maxval)
    draw = stream(seed, "uniform")
    shape = sizes(shape, "UniformReal")
    if dtype is _dtype.int32:
        return draw.integers(shape, int(minval), int(maxval))
    return draw.uniform(shape) * (maxval - minval) + minval


@op
def rand(*size, dtype=None, seed=None):
    """U(0, 1), Float32 unless another float ``dtype`` is given (``mindspore.ops.rand``)."""
    want = float_dtype(dtype, torch.float32, "rand")
    return stream(seed, "rand").uniform(_sizes(size)).to(want)


@op
def randn(*size, dtype=None, seed=None):
    """N(0, 1), Float32 unless another float ``dtype`` is given (``mindspore.ops.randn``)."""
    want = float_dtype(dtype, torch.float32, "randn")
    return stream(seed, "randn").normal(_sizes(size)).to(want)


def _sizes(size) -> tuple:
    sizes = size_of(size)
    if len(size) == 1 and isinstance(size[0], (str, float, complex, dict, set, slice, type(...))):
        raise TypeError("If the length of the argument 'shape' is 1, the type of the argument 'shape' must "
                        f"be one of ['int', 'list', 'tuple'], but got {size[0]}.")
    if len(sizes) > 1 and (wrong := [n for n in sizes if not isinstance(n, int)]):
        raise TypeError("If the length of the argument 'shape' is > 1, the type of the argument 'shape' must "
                        f"all be int, but got {wrong[0]}.")
    return sizes


@op
def rand_like(input, seed=None, *, dtype=None):
    """U(0, 1) in the shape and dtype of ``input`` (``mindspore.ops.rand_like``)."""
    want = float_dtype(dtype, input.dtype, "rand_like")
    return stream(seed, "rand_like").uniform(input.shape).to(want)


@op
def randn_like(input, seed=None, *, dtype=None):
    """N(0, 1) in the shape of ``input``, Float32 by default (``mindspore.ops.randn_like``)."""
    want = float_dtype(dtype, torch.float32, "randn_like")
    return stream(seed, "randn_like").normal(input.shape).to(want)


@op
def randint(low, high, size, seed=None, *, dtype=None):
    """Integers in [low, high), Int64 unless another integer ``dtype`` is given.

    (``mindspore.ops.randint``.)
    """
    if not isinstance(size, tuple):
        raise ValueError(f"For 'randint', the input 'size' must be a tuple, but got {size}.")
    return integers(low, high, size, seed, "randint", int_dtype(dtype, torch.int64, "randint"))


@op
def randint_like(input, low, high, seed=None, *, dtype=None):
    """Integers in [low, high) in the shape of ``input``, and in its dtype.

    (``mindspore.ops.randint_like``.)
    """
    want = int_dtype(dtype, input.dtype, "randint_like")
    return integers(low, high, tuple(input.shape), seed, "randint_like", want)


@op
def randperm(n, seed=0, offset=0, dtype=_dtype.int64):
    """A permutation of 0 ... n-1 (``mindspore.ops.randperm``): with the same ``seed``, the same at each
    call.
    """
    want = wanted(dtype, torch.int64, "RandpermV2")
    if want not in PERMUTED:
        raise TypeError("For primitive[RandpermV2], the input argument[dtype] must be a type of {Float16, "
                        "Float32, Float64, Int16, Int32, Int64, Int8, UInt8}, but got "
                        f"{_dtype.from_torch(want)}.")
    count = int(n)
    if count < 1:
        raise ValueError(f"For 'RandpermV2', the input 'n' must be greater than 0, but got data: {count}.")
    return random_streams.randperm(count, seed, offset).to(want)


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
@spelled(inputs="input", num_sample="num_samples")
def multinomial(input, num_samples, replacement=True, seed=None):
    """``num_samples`` positions drawn by the weights in the last axis, Int32 (``mindspore.ops.multinomial``).

    ``inputs`` and ``num_sample`` are the names before 2.0. ValueError where, without replacement, more are
    asked for than there are.
    """
    if replacement:
        return stream(seed, "multinomial").sample(input.detach(), num_samples)
    n = input.shape[-1]
    if num_samples > n:
        raise ValueError("For 'multinomial', the 'num_samples' must be less than the last dimension of input "
                         f"without 'replacement', but got 'num_samples': {num_samples} and 'replacement': "
                         f"{replacement}")
    # The largest of log(u)/weight are a draw without replacement (Efraimidis and Spirakis, 2006).
    u = stream(seed, "multinomial").uniform(input.shape).to(input.device)
    return torch.topk(torch.log(u) / (input + 1e-6), num_samples).indices.to(torch.int32)


@op(method=True)
def random_categorical(logits, num_sample, seed=0, dtype=_dtype.int64):
    """``num_sample`` classes of each row drawn by its logits (``mindspore.ops.random_categorical``)."""
    if dtype not in (_dtype.int16, _dtype.int32, _dtype.int64):
        raise final(TypeError("For 'RandomCategorical', the 'dtype' should be one of [mindspore.int32, "
                              "mindspore.int16, mindspore.int64], but got "
                              f"'{getattr(dtype, '__name__', None) or repr(dtype)}'."))
    return Stream(0, int(seed)).categories(logits.detach(), int(num_sample)).to(dtype.torch)


@op
@spelled(x="input")
def bernoulli(input, p=0.5, seed=None):
    """1 with probability ``p``, else 0, in the shape and dtype of ``input`` (``mindspore.ops.bernoulli``)."""
    return _bernoulli_of(input, p, seed, 0)


def _bernoulli_of(input, p, seed, offset):
    if not isinstance(p, torch.Tensor):
        if not isinstance(p, (int, float)):
            raise TypeError(f"For bernoulli, p should be a Tensor or a float, but got {type(p)}.")
        if not 0 <= p <= 1:
            raise ValueError(f"For bernoulli, p should be in [0, 1], but got {p:g}.")
    elif bool(((p < 0) | (p > 1)).any()):
        raise ValueError("For bernoulli, p should be in [0, 1].")
    seed = -1 if seed is None else seed
    if seed < -1:
        raise ValueError(f"Seed must be -1 or a non-negative integer, but got {seed}.")
    if seed == -1:                                      # MindSpore's draws are free
        return (torch.rand(input.shape, device=input.device) < p).to(input.dtype)
    kinds = input.shape, input.dtype, (p.shape, p.dtype) if isinstance(p, torch.Tensor) else None
    return _coin_stream(seed, offset).coins(input.shape, kinds, p).to(input.dtype)


@cache
def _coin_stream(seed: int, offset: int) -> CoinStream:
    return CoinStream(seed, offset)


def _none_empty(size, name: str):
    """``size``, of which no axis may be empty."""
    for i, n in enumerate(size):
        if n < 1:
            raise final(ValueError(f"For '{name}', the 'shape[{i}]' must be int and must > 0, but got '{n}' "
                                   "with type 'int'."))
    return size


def _as_tensor(x):
    return x if isinstance(x, torch.Tensor) else as_torch(float(x))


@op
def gamma(shape, alpha, beta, seed=None):
    """Gamma(alpha, rate beta) of ``shape``, with which the parameters broadcast (``mindspore.ops.gamma``)."""
    alpha, beta = torch.broadcast_tensors(_as_tensor(alpha), _as_tensor(beta))
    size = sizes(shape, "Gamma")
    _none_empty(size, "Gamma")
    size = torch.broadcast_shapes(size, alpha.shape)
    if not bool((alpha > 0).all() & (beta > 0).all()):
        raise final(RuntimeError("For 'Gamma', 'alpha' and 'beta' must be greater than 0."))
    return standard_gamma(alpha.expand(size).contiguous(), generator=seeded(seed)) / beta


def _random_gamma_of(shape, alpha, draw: GammaStream):
    size = ints(shape)
    if min((*size, *alpha.shape), default=1) < 1:
        raise final(ValueError("For RandomGamma, each dimension must be greater than 0."))
    found = draw.gamma(size, alpha.detach())
    if not alpha.requires_grad:
        return found
    # The number stays, and moves with alpha as torch says.
    return found + standard_gamma_grad(alpha.detach().expand(found.shape), found) * (alpha - alpha.detach())


@op
def random_gamma(shape, alpha, seed=None):
    """Gamma(alpha, 1) of ``shape`` and the parameter's (``mindspore.ops.random_gamma``)."""
    return _random_gamma_of(shape, alpha, stream(seed, "random_gamma", GammaStream))


@op
def poisson(shape, mean, seed=None):
    """Poisson(mean), Float32, of a shape (``mindspore.ops.poisson``)."""
    if not bool((mean > 0).all()):
        raise final(RuntimeError("For 'Poisson', 'mean' must be greater than 0."))
    size = torch.broadcast_shapes(_none_empty(sizes(shape, "Poisson"), "Poisson"), mean.shape)
    return torch.poisson(mean.float().expand(size).contiguous(), generator=seeded(seed))


def _random_poisson_of(shape, rate, draw: PoissonStream, dtype):
    number = isinstance(rate, (int, float)) and rate.__class__ is not bool
    rate = torch.as_tensor(rate, device=device()) if number else rate
    size = sizes(shape, "RandomPoisson")
    if min(size, default=0) < 0:
        raise asked(ValueError("For primitive[RandomPoisson], the attribute[shape] should be a vector with "
                               f"all positive item. but got [{''.join(f'{n}, ' for n in size)}]."))
    found, want = draw.poisson(size, rate), wanted(dtype, torch.float32, "random_poisson")
    return (found if want.is_floating_point else found.nan_to_num(posinf=0.0)).to(want)


@op
def random_poisson(shape, rate, seed=None, dtype=_dtype.float32):
    """Poisson(rate) of ``shape`` and the parameter's (``mindspore.ops.random_poisson``)."""
    return _random_poisson_of(shape, rate, stream(seed, "random_poisson", PoissonStream), dtype)


def _choice(mask, count, stream):
    places = torch.nonzero(mask)
    places = places[stream.order(mask.shape, len(places))][:count].int()
    index = torch.zeros((count, mask.ndim), dtype=torch.int32, device=mask.device)
    index[:len(places)] = places
    kept = torch.zeros(count, dtype=torch.bool, device=mask.device)
    kept[:len(places)] = True
    return index, kept


@op
def choice_with_mask(input_x, count=256, seed=None):
    """``count`` places where ``input_x`` is True, and which of the rows are places, not filling.

    (``ops.choice_with_mask``.)
    """
    return _choice(input_x, count, stream(seed, "choice_with_mask"))


@primitive("TruncatedNormal", init={"dtype": _dtype.float32, "seed": 0, "seed2": 0})
def _truncated_normal(shape, dtype=_dtype.float32, seed=0, seed2=0):
    """N(0, 1) within two standard deviations."""
    size = sizes(shape, "TruncatedNormal")
    if min(size, default=1) < 1:
        raise final(ValueError("Each dimension must be greater than zero."))
    return seed.truncated(size, dtype.torch)


@primitive("RandomGamma", init={"seed": 0, "seed2": 0})
def _random_gamma(shape, alpha, seed=0, seed2=0):
    """Gamma(alpha, 1) of ``shape`` and the parameter's."""
    return _random_gamma_of(shape, alpha, seed)


@primitive("RandomPoisson", init={"seed": 0, "seed2": 0, "dtype": _dtype.int64})
def _random_poisson(shape, rate, seed=0, seed2=0, dtype=_dtype.int64):
    """Poisson(rate) of ``shape`` and the parameter's, Int64 by default."""
    return _random_poisson_of(shape, rate, seed, dtype)


for _kept, _kind in ((_random_gamma, GammaStream), (_random_poisson, PoissonStream),
                     (_truncated_normal, BoundedStream)):
    keep_stream(_kept, lambda made, kind=_kind: kind(made.seed, made.seed2))


@primitive("Gamma", init={"seed": 0, "seed2": 0})
def _gamma(shape, alpha, beta, seed=0, seed2=0):
    """Gamma(alpha, rate beta) of ``shape``, with which the parameters broadcast."""
    return gamma.kernel(shape, alpha, beta, seed)


@primitive("Poisson", init={"seed": 0, "seed2": 0})
def _poisson(shape, mean, seed=0, seed2=0):
    """Poisson(mean) of ``shape``, with which the mean broadcasts, Int32."""
    return poisson.kernel(shape, mean, seed).to(torch.int32)


@primitive("Bernoulli", init={"seed": -1, "offset": 0})
def _bernoulli(x, p, seed=-1, offset=0):
    """1 with probability ``p``, else 0, in the shape of ``x``."""
    return _bernoulli_of(x, p, seed, offset)


@primitive("NonDeterministicInts", init={"dtype": _dtype.int64})
def _non_deterministic_ints(shape, dtype=_dtype.int64):
    """Integers of the whole range of their dtype (``mindspore.ops.NonDeterministicInts``)."""
    bounds, size = torch.iinfo(dtype.torch), tuple(ints(shape))
    if min(size, default=1) < 1:
        raise final(ValueError("For 'NonDeterministicInts', 'shape' can't contain non-positive dim."))
    return torch.randint(bounds.min, bounds.max, size, dtype=dtype.torch, device=device())


def _log_normal(t, mean, std):
    for name, value in (("mean", mean), ("std", std)):
        check_value_type(name, value, float, "LogNormalReverse")
    return torch.exp(mean + std * torch.randn_like(t, memory_format=torch.contiguous_format))


def _cauchy(shape, median, sigma):
    for name, value in (("median", median), ("sigma", sigma)):
        check_value_type(name, value, float, "Cauchy")
    return median + sigma * torch.empty(tuple(shape), device=device()).cauchy_()


@primitive("LogNormalReverse", init={"mean": 1.0, "std": 2.0})
def _log_normal_reverse(input, mean=1.0, std=2.0):
    """Numbers whose logarithm is normal, in the shape of ``input`` (``mindspore.ops.LogNormalReverse``)."""
    return _log_normal(input, mean, std)


@primitive("Cauchy", init={"size": REQUIRED, "median": 0.0, "sigma": 1.0})
def _cauchy_of_size(size, median=0.0, sigma=1.0):
    """Float32 numbers of a Cauchy distribution (``mindspore.ops.Cauchy``)."""
    return _cauchy(size, median, sigma)


@method
def cauchy(input, median=0.0, sigma=1.0):
    """Numbers of a Cauchy distribution in the Tensor's shape and dtype (``mindspore.Tensor.cauchy``)."""
    return _cauchy(input.shape, median, sigma).to(input.dtype)


@method
def log_normal(input, mean=1.0, std=2.0):
    """Numbers whose logarithm is normal in the Tensor's shape and dtype (``mindspore.Tensor.log_normal``)."""
    return _log_normal(input, mean, std)


@method(name="uniform")
def _uniform_method(input, from_=0.0, to=1.0, generator=None):
    """Numbers between ``from_`` and ``to`` in the Tensor's shape and dtype (``mindspore.Tensor.uniform``)."""
    return torch.empty_like(input).uniform_(from_, to, generator=engine(generator))
