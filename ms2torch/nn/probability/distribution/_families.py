"""Families of distributions, each a torch distribution under MindSpore's names of its parameters."""

from __future__ import annotations

import math

import torch
from torch import distributions as td

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.nn.layer.math import DiGamma, LBeta
from ms2torch.nn.probability.bijector import Exp, GumbelCDF, Invert
from ms2torch.ops.function.random_func import stream

from ._over_torch import OverTorch
from .distribution import FLOATS, INTEGERS
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

_FLOATS = [_dtype._NAMED[name] for name in ("float16", "float32", "float64", "bfloat16")]
_KINDS = [*_FLOATS, *(_dtype._NAMED[name] for name in ("float8_e4m3fn", "float8_e5m2", "hifloat8"))]
_DENSITY = ("log_prob", "prob", "cdf")
_ALL = (*_DENSITY, "mean", "sd", "var", "mode", "entropy", "kl_loss", "cross_entropy", "sample")


def _float(dtype, name: str):
    if dtype not in _FLOATS:
        raise TypeError(f"For '{name}', the 'dtype' should be one of {_KINDS}, but got "
                        f"'{getattr(dtype, '__name__', None) or repr(dtype)}'.")
    return dtype


def _no_scalars(**parameters) -> None:
    """TypeError for a plain number."""
    for key, value in parameters.items():
        if isinstance(value, (int, float)):
            raise TypeError(f"Input {key} can't be scalar")


def _positive(value, words: str) -> None:
    if value is not None and not bool((value > 0).all()):         # nan neither
        raise ValueError(f"{words} must be greater than zero.")


def _from(least, at, inside, outside: float):
    """``inside`` where ``at`` is ``least`` or more, ``outside`` elsewhere."""
    return torch.where(at < least, outside, inside)


def _probabilities(value) -> None:
    if value is not None:
        if not bool((value > 0).all()):
            raise ValueError("Probabilities must be greater than zero")
        if bool((value >= 1).any()):
            raise ValueError("Probabilities must be less than one")


class _AlmostNormal(OverTorch):
    has = ("log_prob", "prob")

    def __init__(self, mean, sd, seed, dtype, name) -> None:
        super().__init__(seed, dtype, name, {"mean": mean, "sd": sd})
        _positive(self._fixed["sd"], "Standard deviation")

    def _made(self, mean, sd):
        return td.Normal(mean, sd, validate_args=False)


class Laplace(_AlmostNormal):
    """The Laplace distribution, of which MindSpore has ``log_prob`` and ``prob``."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="Laplace"):
        super().__init__(mean, sd, seed, _float(dtype, "Laplace"), name)

    def _made(self, mean, sd):
        return td.Laplace(mean, sd, validate_args=False)


class HalfNormal(_AlmostNormal):
    """The normal distribution above zero whatever its mean; MindSpore has ``log_prob`` and ``prob``."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="HalfNormal"):
        super().__init__(mean, sd, seed, _float(dtype, "HalfNormal"), name)

    def _log_density(self, made, at):
        return _from(0, at, made.log_prob(at) + math.log(2), -math.inf)


class StudentT(OverTorch):
    """Student's distribution, of which MindSpore has ``log_prob`` and ``prob``."""

    has = ("log_prob", "prob")

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=_dtype.float32, name="StudentT"):
        super().__init__(seed, _float(dtype, "StudentT"), name, {"df": df, "mean": mean, "sd": sd})
        _positive(self._fixed["sd"], "Standard deviation")
        _positive(self._fixed["df"], "Degrees of freedom")

    def _made(self, df, mean, sd):
        return td.StudentT(df, mean, sd, validate_args=False)


class Exponential(OverTorch):
    """The exponential distribution (``mindspore.nn.probability.distribution.Exponential``)."""

    has = _ALL
    shown = {"rate": "rate"}

    def __init__(self, rate=None, seed=None, dtype=_dtype.float32, name="Exponential"):
        super().__init__(seed, _float(dtype, "Exponential"), name, {"rate": rate})
        _positive(self._fixed["rate"], "rate")

    def _made(self, rate):
        return td.Exponential(rate, validate_args=False)

    def _log_density(self, made, at):
        return _from(0, at, made.log_prob(at), -math.inf)

    def _below(self, made, at):
        return made.cdf(at.clamp_min(0))

    def _log_above(self, made, at):
        return -made.rate * at.clamp_min(0)

    def _quantile(self, made, share):
        return -share.log() / made.rate


class Cauchy(OverTorch):
    """The Cauchy distribution, which has no moments."""

    has = _ALL
    undefined = ("mean", "sd", "var")
    shown = {"loc": "location", "scale": "scale"}

    def __init__(self, loc=None, scale=None, seed=None, dtype=_dtype.float32, name="Cauchy"):
        super().__init__(seed, _float(dtype, "Cauchy"), name, {"loc": loc, "scale": scale})
        _positive(self._fixed["scale"], "scale")

    def _made(self, loc, scale):
        return td.Cauchy(loc, scale, validate_args=False)

    def _quantile(self, made, share):
        return made.icdf(share)


class Logistic(OverTorch):
    """The logistic distribution; torch has none, so the formulas are here."""

    has = tuple(name for name in _ALL if name not in ("kl_loss", "cross_entropy"))
    shown = {"loc": "location", "scale": "scale"}

    def __init__(self, loc=None, scale=None, seed=None, dtype=_dtype.float32, name="Logistic"):
        super().__init__(seed, _float(dtype, "Logistic"), name, {"loc": loc, "scale": scale})
        _positive(self._fixed["scale"], "scale")

    def _made(self, loc, scale):
        return _Logistic(loc, scale)

    def _log_above(self, made, at):
        return torch.nn.functional.logsigmoid((made.loc - at) / made.scale)

    def _quantile(self, made, share):
        return made.loc + made.scale * torch.logit(share)


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


class _Counted(OverTorch):
    """Distributions of integers with one probability."""

    has = _ALL
    shown = {"probs": "probs"}

    def __init__(self, probs=None, seed=None, dtype=_dtype.int32, name=None) -> None:
        super().__init__(seed, dtype, name or type(self).__name__, {"probs": probs})
        _probabilities(self._fixed["probs"])


class Geometric(_Counted):
    """Failures before the first success (``mindspore.nn.probability.distribution.Geometric``)."""

    def __init__(self, probs=None, seed=None, dtype=_dtype.int32, name="Geometric"):
        check.check_type_name("dtype", dtype, (*INTEGERS, *FLOATS), type(self).__name__)
        super().__init__(probs, seed, dtype, name)

    def _made(self, probs):
        return td.Geometric(probs, validate_args=False)

    def _log_density(self, made, at):
        return _from(0, at, made.log_prob(at.floor()), -math.inf)

    def _below(self, made, at):
        return _from(0, at, 1 - (1 - made.probs) ** (at.floor() + 1), 0.0)

    def _quantile(self, made, share):
        return (share.log() / torch.log1p(-made.probs)).floor()

    def mode(self, *args):
        self._check("mode")
        return wrap(torch.zeros_like(self._with(args, "mode").probs).to(self._dtype.torch))


class LogNormal(OverTorch, TransformedDistribution):
    """The exponential of a normal variable (``mindspore.nn.probability.distribution.LogNormal``)."""

    has = _ALL
    shown = {"loc": "loc", "scale": "scale"}

    def __init__(self, loc=None, scale=None, seed=0, dtype=_dtype.float32, name="LogNormal"):
        normal = Normal(loc, scale, dtype=dtype)
        super().__init__(seed, dtype, name, {"loc": loc, "scale": scale})
        self._bijector, self._distribution = Exp(), normal

    bijector = property(lambda self: self._bijector)
    distribution = property(lambda self: self._distribution)

    def _made(self, loc, scale):
        return td.LogNormal(loc, scale, validate_args=False)

    def _at(self, value, args, method):
        if not isinstance(value, Tensor):
            raise TypeError("For input value of bijector, input type must be a Tensor or Parameter.")
        if not value._t.is_floating_point():
            raise TypeError("For input value of bijector , the type must be or be subclass of Float, but got "
                            f"{value.dtype}")
        return super()._at(value, args, method)

    def _below(self, made, at):
        return _from(0, at, made.cdf(at.clamp_min(0)), 0.0)

    def _drawn_as(self, made, shape):
        return (made.loc + made.scale * stream(self._distribution.seed, "normal").normal(shape or (1,))).exp()


class Beta(OverTorch):
    """The beta distribution (``mindspore.nn.probability.distribution.Beta``)."""

    has = tuple(name for name in _ALL if name != "cdf")
    shown = {"concentration1": "concentration1", "concentration0": "concentration0"}

    def __init__(self, concentration1=None, concentration0=None, seed=None, dtype=_dtype.float32,
                 name="Beta"):
        for key, value in (("concentration0", concentration0), ("concentration1", concentration1)):
            if isinstance(value, bool):
                raise TypeError("Input cannot be Type Bool")
            if isinstance(value, float):
                raise TypeError(f"Input {key} can't be scalar")
        super().__init__(seed, _float(dtype, "Beta"), name,
                         {"concentration1": concentration1, "concentration0": concentration0})
        for key, value in self._fixed.items():
            _positive(value, key)
        self.digamma, self.lbeta = DiGamma(), LBeta()

    def _made(self, concentration1, concentration0):
        return td.Beta(concentration1, concentration0, validate_args=False)

    def mode(self, *args):
        """The most probable value; nan unless both parameters are above 1."""
        values = list(self._resolved(args).values())
        found = super().mode(*args)._t
        return wrap(found.where((values[0] > 1) & (values[1] > 1), math.nan))


class Gamma(OverTorch):
    """The gamma distribution (``mindspore.nn.probability.distribution.Gamma``)."""

    has = _ALL
    shown = {"concentration": "concentration", "rate": "rate"}

    def __init__(self, concentration=None, rate=None, seed=None, dtype=_dtype.float32, name="Gamma"):
        _no_scalars(concentration=concentration, rate=rate)
        super().__init__(seed, _float(dtype, "Gamma"), name, {"concentration": concentration, "rate": rate})
        for key, value in self._fixed.items():
            _positive(value, key)
        self.digamma = DiGamma()

    def _made(self, concentration, rate):
        return td.Gamma(concentration, rate, validate_args=False)

    def mode(self, *args):
        """The most probable value; nan unless ``concentration`` is above 1."""
        found = super().mode(*args)._t
        return wrap(found.where(self._resolved(args)["concentration"] > 1, math.nan))


class Gumbel(OverTorch, TransformedDistribution):
    """The Gumbel distribution (``mindspore.nn.probability.distribution.Gumbel``)."""

    has = _ALL
    shown = {"loc": "loc", "scale": "scale"}

    def __init__(self, loc, scale, seed=0, dtype=_dtype.float32, name="Gumbel"):
        super().__init__(seed, _float(dtype, "Gumbel"), name, {"loc": loc, "scale": scale})
        _positive(self._fixed["scale"], "scale")
        inner = GumbelCDF(loc, scale)
        self._bijector, self._distribution = Invert(inner), Uniform(0.0, 1.0, dtype=dtype)
        self._batch_shape = ()                          # that of the uniform distribution, in MindSpore
        self._gumbel_bijector = inner

    bijector = property(lambda self: self._bijector)
    distribution = property(lambda self: self._distribution)

    def _made(self, loc, scale):
        return td.Gumbel(loc, scale, validate_args=False)

    def _with(self, args, method, before=1, least=None):
        if args and method in ("mean", "sd", "mode", "entropy", "var"):
            name = "sd" if method == "var" else method
            raise TypeError(f"Gumbel._{name}() takes 1 positional argument but {1 + len(args)} were given")
        return super()._with(args, method, before, least)

    def _below(self, made, at):
        return torch.exp(-torch.exp((made.loc - at) / made.scale))

    def _drawn_as(self, made, shape):
        # As in MindSpore the distribution underneath draws, by its own seed: the one given changes nothing.
        share = stream(self._distribution.seed, "uniform").uniform(shape or (1,))
        return made.loc - made.scale * (-share.log()).log()


class Poisson(OverTorch):
    """The Poisson distribution (``mindspore.nn.probability.distribution.Poisson``)."""

    has = tuple(name for name in _ALL if name not in ("entropy", "kl_loss", "cross_entropy"))
    shown = {"rate": "rate"}

    def __init__(self, rate=None, seed=None, dtype=_dtype.float32, name="Poisson"):
        _no_scalars(rate=rate)
        kinds = [*INTEGERS, *_KINDS]
        if dtype not in kinds:
            raise TypeError(f"For 'Poisson', the 'dtype' should be one of {kinds}, but got "
                            f"'{getattr(dtype, '__name__', None) or repr(dtype)}'.")
        super().__init__(seed, dtype, name, {"rate": rate})
        _positive(self._fixed["rate"], "rate")

    def _made(self, rate):
        return td.Poisson(rate, validate_args=False)

    def _below(self, made, at):
        return _from(0, at, torch.special.gammaincc(at.clamp_min(0) + 1, made.rate), 0.0)

    def _log_density(self, made, at):
        return _from(0, at, made.log_prob(at), -math.inf)

    def mode(self, *args):
        return wrap(self._with(args, "mode").rate.floor().to(self._dtype.torch))
