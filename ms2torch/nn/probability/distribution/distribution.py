"""The base of distributions: what follows from what (``...probability.distribution.distribution``)."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch import _checkparam as check
from ms2torch._core.errors import final
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.dtype import float32, float64
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell

from .._parameters import FLOATS, INTEGERS, broadcast  # noqa: F401


def _tensor(value, dtype) -> Tensor:
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool):
        raise TypeError("Input cannot be Type Bool")
    if isinstance(value, (Tensor, np.ndarray, list, int, float)):
        return Tensor(value, dtype=dtype)
    raise TypeError(f"Unable to convert input of type {type(value)} to a Tensor of type {dtype}")


def _common(arguments: dict, dtype):
    """The dtype that parameters are computed with: theirs, or for Python's numbers that of the samples."""
    common = None
    for name, value in arguments.items():
        if hasattr(value, "dtype"):
            own = value.dtype
            if isinstance(value, np.ndarray):
                own = _dtype.from_torch(_dtype.to_torch(own))
            if common is not None and own != common:
                raise TypeError(f"{name} should have the same dtype as other arguments.")
            common = own
    if isinstance(common, np.dtype):                     # of a number of numpy's: none of MindSpore's
        number = next(v for v in arguments.values() if isinstance(v, np.generic))
        if not isinstance(number, float):
            raise TypeError(f"Unable to convert input of type {type(number)} to a Tensor of type {float32}")
        Tensor(number, dtype=common)                     # raises the error
    if common in INTEGERS or common == float64:
        return float32
    if common is None:
        return float32 if dtype is None or dtype in INTEGERS else dtype
    return common


def same_name(given, expected: str) -> None:
    """ValueError unless the other distribution is of the same kind."""
    if given is None:
        raise ValueError("Input dist must be a constant which is not None.")
    if given != expected:
        raise ValueError(f"Expected dist input is {expected}, but got {given}.")


def data(value):
    """The numbers of a Parameter or Tensor that a check looks at."""
    return value._t.detach()


def _then(change, method):
    """``method`` whose results go through ``change``, a function over torch tensors."""
    return lambda *args, **kwargs: wrap(change(method(*args, **kwargs)._t))


class Distribution(Cell):
    """Base class of distributions (``mindspore.nn.probability.distribution.Distribution``).

    A subclass defines some of ``_mean``, ``_sd``, ``_var``, ``_mode``, ``_entropy``, ``_prob``,
    ``_log_prob``, ``_cdf``, ``_log_cdf``, ``_survival_function``, ``_log_survival``, ``_cross_entropy``,
    ``_kl_loss``, ``_sample``; the others follow from them, or raise NotImplementedError. All take the
    parameters of the distribution as further arguments, in the place of those that it was made with.
    ``param`` has ``param_dict``, the parameters by name. Called as a Cell, the first argument names the
    method.
    """

    def __init__(self, seed, dtype, name, param) -> None:
        super().__init__()
        seed = 0 if seed is None else seed
        check.check_value_type("name", name, [str], type(self).__name__)
        check.check_non_negative_int(seed, "seed", name)
        self._name, self._seed, self._dtype = name, seed, dtype
        self._given = {k: v for k, v in param.items() if k != "self" and not k.startswith("_")}
        arguments = self._given.get("param_dict", {})
        self.parameter_type = _common(arguments, dtype)
        self.default_parameters, self.parameter_names = [], []
        self._batch_shape = self._shape_of(arguments)
        self._broadcast_shape = self._batch_shape
        self._is_scalar_batch = all(v is None or isinstance(v, (int, float)) for v in arguments.values())

    @staticmethod
    def _shape_of(arguments: dict):
        if any(v is None for v in arguments.values()):
            return None
        return broadcast(arguments.values())

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def seed(self) -> int:
        return self._seed

    @property
    def parameters(self) -> dict:
        """What the distribution was made with (not torch's ``Module.parameters``)."""
        return self._given

    @property
    def is_scalar_batch(self) -> bool:
        """Whether its parameters are plain numbers."""
        return self._is_scalar_batch

    @property
    def batch_shape(self):
        """The shape of its parameters together; None where some are given only at calls."""
        return self._batch_shape

    @property
    def broadcast_shape(self):
        return self._broadcast_shape

    # ---- for subclasses ------------------------------------------------------------------------------------

    def _add_parameter(self, value, name: str):
        """Keep a parameter as a Tensor, under ``name``; the order is that of further arguments."""
        tensor = None if value is None else _tensor(value, self.parameter_type)
        self.default_parameters.append(tensor)
        self.parameter_names.append(name)
        return tensor

    def _reset_parameters(self) -> None:
        self.default_parameters, self.parameter_names = [], []

    def _check_value(self, value, name: str):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"For {name}, input type must be a Tensor or Parameter.")
        return value

    def _check_param_type(self, *args):
        """The parameters for one call, as Tensors of one shape: those given, else the distribution's."""
        found = []
        for value, name, default in zip(args, self.parameter_names, self.default_parameters, strict=False):
            value = self._check_value(value, name)
            value = default if value is None else value
            if value is None:
                raise TypeError(f"the type {name} must be subclass of Tensor. It can not be None since it is "
                                "not specified during initialization.")
            found.append(value._t.to(self.parameter_type.torch))
        found = [wrap(t) for t in torch.broadcast_tensors(*found)]
        return found[0] if len(found) == 1 else tuple(found)

    def _raw(self, *args):
        """As ``_check_param_type``, as a list of torch tensors."""
        found = self._check_param_type(*args)
        return [x._t for x in found] if isinstance(found, tuple) else [found._t]

    def _raw_value(self, value, dtype=None, name: str = "value"):
        """One checked Tensor as a torch tensor of ``dtype``, the parameters' where it is None."""
        return self._check_value(value, name)._t.to((dtype or self.parameter_type).torch)

    def _lacks(self, what: str):
        raise final(NotImplementedError(f"{what} is not implemented for {self.name} distribution."))

    def _derived(self, what: str, *ways):
        """The first of ``ways`` (method, change) whose method the class has, with its change applied."""
        for method, change in ways:
            found = getattr(self, method, None)
            if found is not None:
                return found if change is None else _then(change, found)
        return lambda *args, **kwargs: self._lacks(what)

    # ---- moments -------------------------------------------------------------------------------------------

    def mean(self, *args, **kwargs):
        """The expected value."""
        return self._derived("mean", ("_mean", None))(*args, **kwargs)

    def mode(self, *args, **kwargs):
        """The most probable value."""
        return self._derived("mode", ("_mode", None))(*args, **kwargs)

    def sd(self, *args, **kwargs):
        """The standard deviation."""
        return self._derived("sd", ("_sd", None), ("_var", torch.sqrt))(*args, **kwargs)

    def var(self, *args, **kwargs):
        """The variance."""
        return self._derived("var", ("_var", None), ("_sd", torch.square))(*args, **kwargs)

    def entropy(self, *args, **kwargs):
        """The entropy, in nats."""
        return self._derived("entropy", ("_entropy", None))(*args, **kwargs)

    # ---- probabilities -------------------------------------------------------------------------------------

    def prob(self, value, *args, **kwargs):
        """The density, or the probability, of ``value``."""
        return self._derived("prob", ("_prob", None), ("_log_prob", torch.exp))(value, *args, **kwargs)

    def log_prob(self, value, *args, **kwargs):
        """The logarithm of ``prob``."""
        return self._derived("log_prob", ("_log_prob", None), ("_prob", torch.log))(value, *args, **kwargs)

    def cdf(self, value, *args, **kwargs):
        """The probability of at most ``value``."""
        return self._derived(
            "cdf", ("_cdf", None), ("_log_cdf", torch.exp), ("_survival_function", lambda p: 1.0 - p),
            ("_log_survival", lambda p: 1.0 - p.exp()))(value, *args, **kwargs)

    def log_cdf(self, value, *args, **kwargs):
        """The logarithm of ``cdf``."""
        if hasattr(self, "_log_cdf"):
            return self._log_cdf(value, *args, **kwargs)
        return wrap(self.cdf(value, *args, **kwargs)._t.log())

    def survival_function(self, value, *args, **kwargs):
        """The probability of more than ``value``."""
        return self._derived(
            "survival_function", ("_survival_function", None), ("_log_survival", torch.exp),
            ("_cdf", lambda p: 1.0 - p), ("_log_cdf", lambda p: 1.0 - p.exp()))(value, *args, **kwargs)

    def log_survival(self, value, *args, **kwargs):
        """The logarithm of ``survival_function``."""
        if hasattr(self, "_log_survival"):
            return self._log_survival(value, *args, **kwargs)
        return wrap(self.survival_function(value, *args, **kwargs)._t.log())

    # ---- against another, samples --------------------------------------------------------------------------

    def kl_loss(self, dist, *args, **kwargs):
        """The Kullback-Leibler divergence from this to the distribution of kind ``dist``, whose parameters
        follow."""
        return self._derived("kl_loss", ("_kl_loss", None))(dist, *args, **kwargs)

    def cross_entropy(self, dist, *args, **kwargs):
        """The cross entropy with the distribution of kind ``dist``, whose parameters follow."""
        return self._derived("cross_entropy", ("_cross_entropy", None))(dist, *args, **kwargs)

    def sample(self, *args, **kwargs):
        """Samples: ``(shape=(), *parameters)`` to shape + batch shape."""
        return self._derived("sample", ("_sample", None))(*args, **kwargs)

    def _drawn(self, draw, shape, *args):
        """``draw(whole shape, *parameters)``, where a scalar is drawn as one element."""
        if not isinstance(shape, tuple):
            raise TypeError("For shape, input type must be a tuple.")
        found = self._raw(*args)
        whole = (*shape, *found[0].shape)
        return wrap(draw(whole or (1,), *found).to(self.dtype.torch).reshape(whole))

    def get_dist_args(self, *args, **kwargs):
        """The parameters: those given, else the distribution's."""
        names = self.parameter_names
        given = [*args, *[None] * (len(names) - len(args))]
        given = [self._check_value(kwargs.get(n, g), n) for n, g in zip(names, given, strict=True)]
        return tuple(d if g is None else g for g, d in zip(given, self.default_parameters, strict=True))

    def get_dist_type(self) -> str:
        """The kind of distribution, by name."""
        return self._get_dist_type()

    def _get_dist_type(self):
        return self._lacks("get_dist_type")

    def _shown(self, **values) -> str:
        if self.is_scalar_batch:
            return ", ".join(f"{k.replace('_', ' ')} = {v}" for k, v in values.items())
        return f"batch_shape = {self._broadcast_shape}"

    def construct(self, name, *args, **kwargs):
        if name == "get_dist_type":     # whatever its arguments are
            return self.get_dist_type()
        if name in _METHODS:
            return getattr(self, name)(*args, **kwargs)
        return self._lacks(name)


_METHODS = frozenset((
    "prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival", "var", "sd", "mode", "mean",
    "entropy", "kl_loss", "cross_entropy", "sample", "get_dist_args", "get_dist_type"))
