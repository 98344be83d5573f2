"""Distributions that are one of torch's, under MindSpore's names.

The formulas are those of ``torch.distributions``. Parameters may be given when a distribution is made, or
with each call; all of them broadcast. Draws are MindSpore's where its CPU has them, and come from torch's
generator, which ``set_seed`` seeds, elsewhere.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.distributions import kl_divergence

from ms2torch import _checkparam as check
from ms2torch._core.devices.device import device
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor, lower, wrap
from ms2torch.nn.cell import Cell
from ms2torch.ops.function.random_func import stream

from .distribution import Distribution, _common, broadcast

_MEANS = {"mean": "mean", "sd": "stddev", "var": "variance", "mode": "mode"}


def _values(value, dtype: torch.dtype) -> torch.Tensor:
    if isinstance(value, tuple):
        name = from_torch(dtype)
        raise TypeError(f"Unable to convert input of type <class 'tuple'> to a Tensor of type {name}")
    value = lower(value)
    if not isinstance(value, torch.Tensor):
        if isinstance(value, list):
            if np.array(value).dtype.kind in "OUS":
                raise TypeError(f"For Tensor, the input_data is {value} that contain unsupported element.")
        elif not isinstance(value, (int, float, np.ndarray, np.generic)):
            raise TypeError(f"Unable to convert input of type {type(value)} to a Tensor of type "
                            f"{from_torch(dtype)}")
        value = torch.from_numpy(np.array(value, dtype=np.float32)).to(device())
    return value.to(dtype)


class OverTorch(Distribution):
    """Base of distributions; ``param`` are its parameters by name (None: given with each call).

    A subclass of ours says by `_made` which torch distribution it is, and by ``has`` which of the methods
    MindSpore has for it.
    """

    has: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    shown: dict[str, str] = {}
    _quantile = None

    def __init__(self, seed, dtype, name, param) -> None:
        Cell.__init__(self)
        given = {key: value for key, value in param.items() if key not in ("self", "__class__")}
        values = {k: v for k, v in given.items() if k not in ("seed", "dtype", "name", "param_dict")}
        check.check_value_type("name", name, [str], type(self).__name__)
        check.check_non_negative_int(0 if seed is None else seed, "seed", name)
        self._name, self._seed, self._dtype = name, seed or 0, dtype
        self._given = {**values, "seed": seed, "dtype": dtype, "name": name, "param_dict": values}
        self._wide = dtype.torch if dtype.torch.is_floating_point else torch.float32
        self._fixed = {k: None if v is None else _values(v, self._wide) for k, v in values.items()}
        self.parameter_type = _common(values, dtype)
        fixed = self._fixed.values()
        self._batch_shape = self._broadcast_shape = None if None in fixed else broadcast(fixed)
        self._is_scalar_batch = all(v is None or isinstance(v, (int, float)) for v in values.values())

    # ---- what it is ----------------------------------------------------------------------------------------

    def __getattr__(self, name: str):
        fixed = self.__dict__.get("_fixed", {})
        if name in fixed:
            return None if fixed[name] is None else wrap(fixed[name])
        return super().__getattr__(name)

    def extend_repr(self) -> str:
        if self.shown and not self._is_scalar_batch:
            return f"batch_shape = {self._batch_shape}"
        return ", ".join(f"{word} = {getattr(self, key)}" for key, word in self.shown.items())

    def _get_dist_type(self) -> str:
        return type(self).__name__ if "sample" in self.has else self._lacks("get_dist_type")

    def get_dist_args(self, *args):
        """The parameters; those of the call stand in for the first ones."""
        if "sample" not in self.has:                # MindSpore's other distributions do not tell them
            self._lacks("get_dist_args")
        found = dict(zip(self._fixed, args, strict=False))
        return tuple(found[key] if found.get(key) is not None else wrap(value)
                     for key, value in self._fixed.items())

    # ---- computation ---------------------------------------------------------------------------------------

    def _made(self, **values):
        """The torch distribution with these parameters."""
        raise NotImplementedError(f"{self._name} has no formulas here; override the methods that you call.")

    def _with(self, args, method: str, before: int = 1, least: int | None = None):
        """The torch distribution with the parameters of a call, or one's own. ``before``: how many arguments
        ``method`` has before them, ``least`` how many it needs."""
        most = len(self._fixed)
        if len(args) > most:
            raise TypeError(f"{type(self).__name__}._{method}() takes from {least or before} to "
                            f"{before + most} positional arguments but {before + len(args)} were given")
        return self._made(**self._resolved(args))

    def _resolved(self, args) -> dict[str, torch.Tensor]:
        values = {}
        for key, fixed, given in zip(self._fixed, self._fixed.values(),
                                     (*args, *[None] * len(self._fixed)), strict=False):
            if given is None and fixed is None:
                raise TypeError(f"the type {key} must be subclass of Tensor. It can not be None since it is "
                                "not specified during initialization.")
            values[key] = fixed if given is None else _values(given, self._wide)
        if len(values) > 1:
            values = dict(zip(values, torch.broadcast_tensors(*values.values()), strict=True))
        return values

    def _check(self, method: str) -> None:
        if method in self.undefined:
            word = {"sd": "standard deviation", "var": "variance"}.get(method, method)
            raise ValueError(f"{word} is undefined for {type(self).__name__} distribution.")
        if self.has and method not in self.has:
            self._lacks(method)

    def _at(self, value, args, method):
        self._check(method)
        if not isinstance(value, Tensor):
            raise TypeError("For value, input type must be a Tensor or Parameter.")
        return self._with(args, method, 2), value._t.to(self._wide)

    def log_prob(self, value, *args):
        """The logarithm of the density (or probability) at ``value``."""
        made, at = self._at(value, args, "log_prob")
        return wrap(self._log_density(made, at))

    def prob(self, value, *args):
        """The density (or probability) at ``value``."""
        made, at = self._at(value, args, "prob")
        return wrap(self._log_density(made, at).exp())

    def cdf(self, value, *args):
        """The probability of at most ``value``."""
        made, at = self._at(value, args, "cdf")
        return wrap(self._below(made, at))

    def _log_density(self, made, at):
        return made.log_prob(at)

    def _below(self, made, at):
        return made.cdf(at)

    def _log_above(self, made, at):
        return (1 - self._below(made, at)).log()

    def log_cdf(self, value, *args):
        """The logarithm of the probability of at most ``value``."""
        made, at = self._at(value, args, "cdf" if "cdf" in self.has else "log_cdf")
        return wrap(self._below(made, at).log())

    def survival_function(self, value, *args):
        """The probability of more than ``value``."""
        made, at = self._at(value, args, "cdf" if "cdf" in self.has else "survival_function")
        return wrap(1 - self._below(made, at))

    def log_survival(self, value, *args):
        """The logarithm of the probability of more than ``value``."""
        made, at = self._at(value, args, "cdf" if "cdf" in self.has else "log_cdf")
        return wrap(self._log_above(made, at))

    def _figure(self, method, args):
        self._check(method)
        return wrap(getattr(self._with(args, method), _MEANS[method]))

    def mean(self, *args):
        """The mean."""
        return self._figure("mean", args)

    def sd(self, *args):
        """The standard deviation."""
        return self._figure("sd", args)

    def var(self, *args):
        """The variance."""
        return self._figure("var", args)

    def mode(self, *args):
        """The most probable value."""
        found = self._figure("mode", args)
        return found if self._dtype.torch.is_floating_point else found.astype(self._dtype)

    def entropy(self, *args):
        """The entropy, in nats."""
        self._check("entropy")
        return wrap(self._with(args, "entropy").entropy())

    def kl_loss(self, dist, *args):
        """The Kullback-Leibler divergence from another of its kind: its parameters, then one's own."""
        self._check("kl_loss")
        if dist != type(self).__name__:
            raise ValueError(f"Expected dist input is {type(self).__name__}, but got {dist}.")
        count = len(self._fixed)
        self._check_other("kl_loss", args)
        both = [*self._resolved(args[count:]).values(), *(_values(x, self._wide) for x in args[:count])]
        both = torch.broadcast_tensors(*both)
        own, other = (self._made(**dict(zip(self._fixed, part, strict=True)))
                      for part in (both[:count], both[count:]))
        return wrap(kl_divergence(own, other))

    def _check_other(self, method: str, args) -> None:
        """TypeError where parameters of the other distribution are missing."""
        if missing := [f"'{key}_b'" for key in list(self._fixed)[len(args):]]:
            few = f"{len(missing)} required positional argument{'s' * (len(missing) > 1)}"
            raise TypeError(f"{type(self).__name__}._{method}() missing {few}: {' and '.join(missing)}")

    def cross_entropy(self, dist, *args):
        """The entropy, and the divergence added."""
        self._check("cross_entropy")
        self._check_other("cross_entropy", args)
        return wrap(self.entropy(*args[len(self._fixed):])._t + self.kl_loss(dist, *args)._t)

    def sample(self, *args):
        """Draws of a shape (the first argument, () by default) for each of the parameters."""
        self._check("sample")
        shape, *rest = args or ((),)
        if not isinstance(shape, tuple):
            raise TypeError("For shape, input type must be a tuple.")
        made = self._with(rest, "sample", 2, 1)
        whole = (*shape, *made.batch_shape)
        return wrap(self._drawn_as(made, whole).to(self._dtype.torch).reshape(whole))

    def _drawn_as(self, made, shape):
        """Draws of ``shape``: torch's own, or MindSpore's uniform numbers where `_quantile` says how."""
        if not shape:
            shape = (1,)
        if self._quantile is None:
            return made.sample(shape[:len(shape) - len(made.batch_shape)])
        return self._quantile(made, stream(self._seed, "uniform").uniform(shape))
