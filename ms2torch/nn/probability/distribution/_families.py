"""Families of distributions, each a torch distribution under MindSpore's names of its parameters."""

from __future__ import annotations

import torch
from torch import distributions as td

from ms2torch._core import dtype as _dtype
from ms2torch._core.tensor import wrap

from .distribution import Distribution

_FLOATS = [_dtype._NAMED[name] for name in ("float16", "float32", "float64", "bfloat16")]
_KINDS = [*_FLOATS, *(_dtype._NAMED[name] for name in ("float8_e4m3fn", "float8_e5m2", "hifloat8"))]
_DENSITY = ("log_prob", "prob", "cdf")
_ALL = (*_DENSITY, "mean", "sd", "var", "mode", "entropy", "kl_loss", "cross_entropy", "sample")


def _float(dtype, name: str):
    if dtype not in _FLOATS:
        raise TypeError(f"For '{name}', the 'dtype' should be one of {_KINDS}, but got '{dtype!r}'.")
    return dtype


def _positive(value, words: str) -> None:
    if value is not None and bool((value <= 0).any()):
        raise ValueError(f"{words} must be greater than zero.")


def _probabilities(value) -> None:
    if value is not None:
        if bool((value <= 0).any()):
            raise ValueError("Probabilities must be greater than zero")
        if bool((value >= 1).any()):
            raise ValueError("Probabilities must be less than one")


class Normal(Distribution):
    """The normal distribution (``mindspore.nn.probability.distribution.Normal``)."""

    has = _ALL
    shown = {"mean": "mean", "sd": "standard deviation"}

    def __init__(self, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="Normal"):
        super().__init__(seed, _float(dtype, "Normal"), name, {"mean": mean, "sd": sd})
        _positive(self._fixed["sd"], "Standard deviation")

    def _made(self, mean, sd):
        return td.Normal(mean, sd, validate_args=False)


class _AlmostNormal(Normal):
    has = ("log_prob",)
    shown = {}


class Laplace(_AlmostNormal):
    """The Laplace distribution, of which MindSpore has ``log_prob``."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="Laplace"):
        super().__init__(mean, sd, seed, _float(dtype, "Laplace"), name)

    def _made(self, mean, sd):
        return td.Laplace(mean, sd, validate_args=False)


class HalfNormal(_AlmostNormal):
    """The normal distribution above its mean, of which MindSpore has ``log_prob``; it mirrors below."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="HalfNormal"):
        super().__init__(mean, sd, seed, _float(dtype, "HalfNormal"), name)

    def log_prob(self, value, *args):
        return wrap(super().log_prob(value, *args)._t + torch.log(torch.tensor(2.0)).item())


class StudentT(Distribution):
    """Student's distribution, of which MindSpore has ``log_prob``."""

    has = ("log_prob",)

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="StudentT"):
        super().__init__(seed, _float(dtype, "StudentT"), name, {"df": df, "mean": mean, "sd": sd})
        _positive(self._fixed["sd"], "Standard deviation")
        _positive(self._fixed["df"], "Degrees of freedom")

    def _made(self, df, mean, sd):
        return td.StudentT(df, mean, sd, validate_args=False)


class Uniform(Distribution):
    """The uniform distribution (``mindspore.nn.probability.distribution.Uniform``)."""

    has = tuple(name for name in _ALL if name != "mode")
    shown = {"low": "low", "high": "high"}

    def __init__(self, low=None, high=None, seed=None, dtype=_dtype.float32, name="Uniform"):
        super().__init__(seed, _float(dtype, "Uniform"), name, {"low": low, "high": high})
        low, high = self._fixed.values()
        if low is not None and high is not None and bool((low >= high).any()):
            raise ValueError("low must be less than high")

    def _made(self, low, high):
        return _Uniform(low, high, validate_args=False)


class _Uniform(td.Uniform):
    def log_prob(self, value):
        """Both ends belong to it."""
        inside = (value >= self.low) & (value <= self.high)
        return torch.where(inside, -(self.high - self.low).log(), -torch.inf)


@td.register_kl(_Uniform, _Uniform)
def _kl_uniform(p, q):
    apart = ((q.high - q.low) / (p.high - p.low)).log()
    return torch.where((q.low <= p.low) & (q.high >= p.high), apart, torch.inf)


class Exponential(Distribution):
    """The exponential distribution (``mindspore.nn.probability.distribution.Exponential``)."""

    has = _ALL
    shown = {"rate": "rate"}

    def __init__(self, rate=None, seed=None, dtype=_dtype.float32, name="Exponential"):
        super().__init__(seed, _float(dtype, "Exponential"), name, {"rate": rate})
        _positive(self._fixed["rate"], "rate")

    def _made(self, rate):
        return td.Exponential(rate, validate_args=False)


class Cauchy(Distribution):
    """The Cauchy distribution, which has no moments."""

    has = _ALL
    undefined = ("mean", "sd", "var")
    shown = {"loc": "location", "scale": "scale"}

    def __init__(self, loc=None, scale=None, seed=None, dtype=_dtype.float32, name="Cauchy"):
        super().__init__(seed, _float(dtype, "Cauchy"), name, {"loc": loc, "scale": scale})
        _positive(self._fixed["scale"], "scale")

    def _made(self, loc, scale):
        return td.Cauchy(loc, scale, validate_args=False)


class Logistic(Distribution):
    """The logistic distribution; torch has none, so the formulas are here."""

    has = tuple(name for name in _ALL if name not in ("kl_loss", "cross_entropy"))
    shown = {"loc": "location", "scale": "scale"}

    def __init__(self, loc=None, scale=None, seed=None, dtype=_dtype.float32, name="Logistic"):
        super().__init__(seed, _float(dtype, "Logistic"), name, {"loc": loc, "scale": scale})
        _positive(self._fixed["scale"], "scale")

    def _made(self, loc, scale):
        return _Logistic(loc, scale)


class _Logistic(td.TransformedDistribution):
    def __init__(self, loc, scale) -> None:
        self.loc, self.scale = loc, scale
        base = td.Uniform(torch.zeros_like(loc), torch.ones_like(loc), validate_args=False)
        steps = [td.SigmoidTransform().inv, td.AffineTransform(loc, scale)]
        super().__init__(base, steps, validate_args=False)

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale * torch.pi / 3 ** 0.5)
    variance = property(lambda self: self.stddev ** 2)

    def entropy(self):
        return self.scale.log() + 2


class _Counted(Distribution):
    """Distributions of integers with one probability."""

    has = _ALL
    shown = {"probs": "probs"}

    def __init__(self, probs=None, seed=None, dtype=_dtype.int32, name=None) -> None:
        super().__init__(seed, dtype, name or type(self).__name__, {"probs": probs})
        _probabilities(self._fixed["probs"])


class Bernoulli(_Counted):
    """1 with a probability, else 0 (``mindspore.nn.probability.distribution.Bernoulli``)."""

    def __init__(self, probs=None, seed=None, dtype=_dtype.int32, name="Bernoulli"):
        super().__init__(probs, seed, dtype, name)

    def _made(self, probs):
        return td.Bernoulli(probs, validate_args=False)

    def _below(self, made, at):
        inner = torch.where(at < 0, torch.zeros_like(made.probs), 1 - made.probs)
        return torch.where(at >= 1, torch.ones_like(inner), inner)


class Geometric(_Counted):
    """Failures before the first success (``mindspore.nn.probability.distribution.Geometric``)."""

    def __init__(self, probs=None, seed=None, dtype=_dtype.int32, name="Geometric"):
        super().__init__(probs, seed, dtype, name)

    def _made(self, probs):
        return td.Geometric(probs, validate_args=False)

    def _below(self, made, at):
        known = 1 - (1 - made.probs) ** (at.floor() + 1)
        return torch.where(at < 0, torch.zeros_like(known), known)

    def mode(self, *args):
        self._check("mode")
        return wrap(torch.zeros_like(self._with(args).probs).to(self._dtype.torch))


class Categorical(Distribution):
    """Categories with probabilities along the last axis, which sum to one.

    (``mindspore.nn.probability.distribution.Categorical``.) Mean, sd and var are those of the category's
    number, and keep that axis with size 1.
    """

    has = _ALL

    def __init__(self, probs=None, seed=None, dtype=_dtype.int32, name="Categorical"):
        super().__init__(seed, dtype, name, {"probs": probs})
        given = self._fixed["probs"]
        if given is not None:
            _probabilities(given)
            if bool((given.sum(-1) - 1).abs().gt(1e-6).any()):
                raise ValueError("Probabilities for each category should sum to one for Categorical "
                                 "distribution.")
            self._batch_shape = tuple(given.shape[:-1])

    @property
    def probs(self):
        """The probabilities; None where they come with each call."""
        probs = self._fixed["probs"]
        return None if probs is None else wrap(probs)

    def extend_repr(self) -> str:
        probs = self._fixed["probs"]
        return f"probs = {wrap(probs)}" if probs is not None and probs.ndim == 1 else super().extend_repr()

    def _made(self, probs):
        return td.Categorical(probs, validate_args=False)

    def _below(self, made, at):
        total = made.probs.cumsum(-1)
        place = at.floor().long().clamp(0, total.shape[-1] - 1)
        total = total.expand(*torch.broadcast_shapes(place.shape, total.shape[:-1]), total.shape[-1])
        return total.gather(-1, place.expand(total.shape[:-1])[..., None])[..., 0]

    def _moment(self, args, method, power):
        self._check(method)
        probs = self._with(args).probs
        numbers = torch.arange(probs.shape[-1], dtype=probs.dtype, device=probs.device)
        mean = (probs * numbers).sum(-1, keepdim=True)
        return mean if power == 1 else (probs * (numbers - mean) ** 2).sum(-1, keepdim=True)

    def mean(self, *args):
        return wrap(self._moment(args, "mean", 1))

    def var(self, *args):
        return wrap(self._moment(args, "var", 2))

    def sd(self, *args):
        return wrap(self._moment(args, "sd", 2).sqrt())


class LogNormal(Distribution):
    """The exponential of a normal variable (``mindspore.nn.probability.distribution.LogNormal``)."""

    has = _ALL

    def __init__(self, loc=None, scale=None, seed=0, dtype=_dtype.float32, name="LogNormal"):
        super().__init__(seed, _float(dtype, "LogNormal"), name, {"loc": loc, "scale": scale})
        _positive(self._fixed["scale"], "scale")

    def _made(self, loc, scale):
        return td.LogNormal(loc, scale, validate_args=False)
