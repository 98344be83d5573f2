"""Initializers of weights (``mindspore.common.initializer``).

Under the same ``set_seed``, in the same order, they give the bits that MindSpore 2.10 gives on the CPU. An
initializer fills a numpy array in place: ``init(array)``. Subclasses override ``_initialize(self, arr)``.
"""

from __future__ import annotations

import math
import numbers

import numpy as np

from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.random import rng as _rng
from ms2torch._core.random.random_streams import Stream
from ms2torch._core.tensor.dtype import float32 as _float32
from ms2torch._core.tensor.printing import plain_repr
from ms2torch._core.tensor.tensor import Tensor, wrap

from .seed import _get_graph_seed, get_seed

__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "initializer",
]

# Names that ``initializer("...")`` knows, in lower case.
_INITIALIZER_ALIAS: dict[str, type[Initializer]] = {}


def _register(*aliases: str):
    """Class decorator: ``initializer`` finds the class by its name in lower case and by ``aliases``."""
    def register(cls):
        for name in (cls.__name__.lower(), *aliases):
            _INITIALIZER_ALIAS.setdefault(name, cls)
        return cls

    return register


class Initializer:
    """Base of all initializers.

    A subclass overrides ``_initialize(self, arr)``, which fills the numpy array ``arr`` in place, usually by
    ``arr[:] = ...`` or ``_assignment(arr, value)``. Keyword arguments are only kept.
    """

    def __init__(self, **kwargs) -> None:
        self._kwargs = kwargs
        self._seed = None

    __repr__ = plain_repr

    @property
    def seed(self) -> tuple[int, int]:
        """The seed pair for operators that an initializer of one's own runs; settable to a number."""
        if self._seed is None:
            return _get_graph_seed(get_seed(), "init")
        return self._seed + 1, 0

    @seed.setter
    def seed(self, value) -> None:
        self._seed = value

    def _initialize(self, *kwargs):
        raise NotImplementedError("Must be overridden!")

    def __call__(self, arr: np.ndarray):
        try:
            return self._initialize(arr)
        except (TypeError, ValueError, AttributeError) as err:
            raise with_public_classes(err) from None


# ---- helpers, which initializers of users take too -------------------------------------------------------


def _assignment(arr: np.ndarray, num) -> np.ndarray:
    """Write ``num``, a number or an array, into ``arr``, also a 0-d one, and give ``arr`` back."""
    arr[...] = num
    return arr


def _check_sigma(sigma: float) -> None:
    if sigma < 0:
        raise ValueError("sigma < 0")


def _float(value, fill) -> float:
    """What has a float in it; TypeError, as MindSpore's generators raise it, for the rest."""
    kind = type(value)
    try:
        if hasattr(kind, "__float__") or hasattr(kind, "__index__"):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{_GENERATORS[fill.__name__]}(): incompatible function arguments. The following "
                    f"argument types are supported: float. Invoked with: {value}")


_GENERATORS = {"fill_normal": "_random_normal", "fill_uniform": "_random_uniform",
               "fill_truncated_normal": "_truncated_normal"}


def _draw(fill, arr: np.ndarray, *parameters: float) -> None:
    """Let ``fill`` fill ``arr``; values are drawn as float32 whatever the dtype of ``arr``."""
    parameters = [_float(one, fill) for one in parameters]
    if arr.dtype == np.float32:
        fill(arr, *parameters)
    else:
        data = np.empty(arr.shape, np.float32)
        fill(data, *parameters)
        arr[...] = data


def _init_random_normal(mean: float, sigma: float, shape) -> np.ndarray:
    """A float32 array of N(mean, sigma^2). ValueError for a negative sigma."""
    _check_sigma(sigma)
    data = np.empty(shape, np.float32)
    _rng.fill_normal(data, mean, sigma)
    return data


def random_normal(shape, seed: int, seed2: int, output_tensor: Tensor) -> None:
    """Fill ``output_tensor`` with N(0, 1): what initializers of programs of 1.2 to 1.5 import."""
    output_tensor.assign_value(wrap(Stream(seed, seed2).normal(tuple(shape))))


def _init_random_uniform(a: float, b: float, shape) -> np.ndarray:
    """A float32 array of U(a, b)."""
    data = np.empty(shape, np.float32)
    _rng.fill_uniform(data, a, b)
    return data


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape) -> np.ndarray:
    """A float32 array of N(mean, sigma^2) within [a, b]. ValueError for a negative sigma."""
    _check_sigma(sigma)
    data = np.empty(shape, np.float32)
    _rng.fill_truncated_normal(data, a, b, mean, sigma)
    return data


def _fans(shape) -> tuple[int, int]:
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


def _calculate_fan_in_and_fan_out(shape) -> tuple[int, int]:
    """(fan_in, fan_out) of a weight of ``shape`` (out, in, *kernel). ValueError below two dimensions."""
    if len(shape) < 2:
        raise ValueError(
            "'fan_in' and 'fan_out' can not be computed for tensor with fewer than 2 dimensions, "
            f"but got dimensions {len(shape)}.")
    return _fans(shape)


def _calculate_in_and_out(arr) -> tuple[int, int]:
    """(n_in, n_out) of the array ``arr``. ValueError below two dimensions."""
    if len(arr.shape) < 2:
        raise ValueError(
            "If initialize data with xavier uniform, the dimension of data must be greater than 1, "
            f"but got {len(arr.shape)}.")
    return _fans(arr.shape)


def _calculate_correct_fan(shape, mode: str) -> int:
    """The fan that ``mode`` names, "fan_in" or "fan_out" in any case. ValueError for another."""
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"'mode' {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(shape)[modes.index(mode)]


_UNIT_GAIN = {"linear", "sigmoid", "conv1d", "conv2d", "conv3d",
              "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}


def _calculate_gain(nonlinearity: str, param=None) -> float:
    """The factor for weights before ``nonlinearity``; ``param`` is leaky_relu's slope (None: 0.01)."""
    if not isinstance(nonlinearity, str):
        nonlinearity, given = "", nonlinearity
    else:
        given = nonlinearity
    if nonlinearity in _UNIT_GAIN:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(
                f"For 'HeUniform', 'negative_slope' {param} is not a valid number."
                "When 'nonlinearity' has been set to 'leaky_relu', 'negative_slope' should be int or "
                f"float type, but got {type(param)}.")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(
        "For 'HeUniform', the argument 'nonlinearity' should be one of ['sigmoid', 'tanh', 'relu' or "
        f"'leaky_relu'], but got {given}.")


# ---- fixed values ----------------------------------------------------------------------------------------


@_register("zeros")
class Zero(Initializer):
    """Zeros (``"zeros"``, ``"zero"``)."""

    def _initialize(self, arr):
        arr.fill(0)


@_register("ones")
class One(Initializer):
    """Ones (``"ones"``, ``"one"``)."""

    def _initialize(self, arr):
        arr.fill(1)


class Constant(Initializer):
    """The number ``value`` everywhere; ``initializer(number, shape)`` makes one."""

    def __init__(self, value) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr):
        arr.fill(self.value)


@_register()
class Identity(Initializer):
    """Ones on the diagonal of a matrix, zeros elsewhere. ValueError unless 2-d."""

    def _initialize(self, arr):
        _check_matrix("Identity", arr)
        _assignment(arr, np.eye(*arr.shape))


@_register()
class Dirac(Initializer):
    """Convolution weights (3 to 5 dimensions) that hand their input on, in each of ``groups`` groups.

    ValueError for another dimension, or for output channels that ``groups`` does not divide.
    """

    def __init__(self, groups=1) -> None:
        super().__init__()
        self.groups = groups

    def _initialize(self, arr):
        shape = arr.shape
        if len(shape) not in (3, 4, 5):
            raise ValueError(
                "For Dirac initializer, only support to initialize tensor with dimension of 3, 4 or 5, "
                f"but got {len(shape)}.")
        if shape[0] % self.groups != 0:
            raise ValueError(
                "For Dirac initializer, the first dimension ofthe initialized tensor must be divisible "
                f"by groups, but got first dimension{shape[0]}, groups{self.groups}.")
        size = shape[0] // self.groups
        middle = tuple(n // 2 for n in shape[2:])
        arr.fill(0)
        for first in range(0, shape[0], size):
            for channel in range(min(size, shape[1])):
                arr[(first + channel, channel, *middle)] = 1


# ---- normal ----------------------------------------------------------------------------------------------


@_register()
class Normal(Initializer):
    """N(mean, sigma^2)."""

    def __init__(self, sigma=0.01, mean=0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr):
        _check_sigma(self.sigma)
        _draw(_rng.fill_normal, arr, self.mean, self.sigma)


@_register()
class TruncatedNormal(Initializer):
    """N(mean, sigma^2) cut to [a, b].

    The bounds are values, not multiples of ``sigma``, as in torch: 0.01 and the default bounds cut nothing.
    """

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr):
        _check_sigma(self.sigma)
        if self.sigma == 0:
            raise RuntimeError(f"TruncatedNormal: invalid sigma {self.sigma:g}.")
        _draw(_rng.fill_truncated_normal, arr, self.a, self.b, self.mean, self.sigma)


@_register("xavier_normal")
class XavierNormal(Initializer):
    """N(0, gain^2 * 2 / (fan_in + fan_out)) (Glorot). ValueError below two dimensions."""

    def __init__(self, gain=1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        sigma = self.gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        _check_sigma(sigma)
        _draw(_rng.fill_normal, arr, 0, sigma)


class _He(Initializer):
    """What the two Kaiming initializers share: the standard deviation gain / sqrt(fan)."""

    def _keep(self, negative_slope, mode, nonlinearity) -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _deviation(self, shape) -> float:
        fan = _calculate_correct_fan(shape, self.mode)
        return _calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)


@_register("he_normal")
class HeNormal(_He):
    """N(0, gain^2 / fan) (Kaiming). ``mode`` names the fan; ``nonlinearity``, with ``negative_slope`` for
    leaky_relu, the gain. ValueError for what is none of them, and below two dimensions."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu") -> None:
        self._keep(negative_slope, mode, nonlinearity)

    def _initialize(self, arr):
        _draw(_rng.fill_normal, arr, 0, self._deviation(arr.shape))


# ---- uniform ---------------------------------------------------------------------------------------------


@_register()
class Uniform(Initializer):
    """U(-scale, scale)."""

    def __init__(self, scale=0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr):
        _draw(_rng.fill_uniform, arr, -self.scale, self.scale)


@_register("xavier_uniform")
class XavierUniform(Initializer):
    """U(-b, b) with b = gain * sqrt(6 / (fan_in + fan_out)) (Glorot). ValueError below two dimensions."""

    def __init__(self, gain=1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        bound = self.gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        _draw(_rng.fill_uniform, arr, -bound, bound)


@_register("he_uniform")
class HeUniform(_He):
    """U(-b, b) with b = gain * sqrt(3 / fan) (Kaiming); arguments and errors as ``HeNormal``'s."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu") -> None:
        self._keep(negative_slope, mode, nonlinearity)

    def _initialize(self, arr):
        bound = math.sqrt(3.0) * self._deviation(arr.shape)
        _draw(_rng.fill_uniform, arr, -bound, bound)


# ---- structured ------------------------------------------------------------------------------------------


def _check_matrix(name: str, arr: np.ndarray) -> None:
    if arr.ndim != 2:
        raise ValueError(f"For {name} initializer, the dimension of the initialized tensor should be 2, "
                         f"but got {arr.ndim}.")


@_register()
class Sparse(Initializer):
    """A matrix of N(0, sigma^2) with the share ``sparsity`` of each column zero. ValueError unless 2-d."""

    def __init__(self, sparsity, sigma=0.01) -> None:
        super().__init__()
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr):
        _check_matrix("Sparse", arr)
        rows, columns = arr.shape
        zeros = int(np.ceil(self.sparsity * rows))
        data = _init_random_normal(0, self.sigma, arr.shape)
        for column in range(columns):
            data[np.random.permutation(rows)[:zeros], column] = 0.0
        _assignment(arr, data)


@_register()
class Orthogonal(Initializer):
    """``gain`` times a (semi-)orthogonal matrix; later dimensions count as one. ValueError below 2-d."""

    def __init__(self, gain=1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        if arr.ndim < 2:
            raise ValueError(
                "For Orthogonal initializer, the dimension of the initialized tensor should be no less "
                f"than 2, but got {arr.ndim}.")
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        data = _init_random_normal(0, 1, (rows, columns))
        q, r = np.linalg.qr(data.T if rows < columns else data)
        # Signs that make the decomposition unique.
        q *= np.sign(np.diag(r))
        _assignment(arr, ((q.T if rows < columns else q) * self.gain).reshape(arr.shape))


@_register()
class VarianceScaling(Initializer):
    """Values with variance scale / n, where ``mode`` makes n "fan_in", "fan_out" or "fan_avg", their mean.

    ``distribution`` is "untruncated_normal", "uniform" or "truncated_normal"; the last, though the default,
    draws the uniform one, because MindSpore 2.10 does. ValueError for anything else or a scale not above 0.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal") -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if scale <= 0.0:
            raise ValueError("For VarianceScaling initializer, the argument 'scale' must be greater than 0, "
                             f"but got {scale}.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "For VarianceScaling initializer, the argument 'mode' must be fan_in, fan_out or "
                f"fan_avg, but got {mode}.")
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError("For VarianceScaling initializer, the argument 'distribution' must be uniform, "
                             f"truncated_norm or untruncated_norm, but got {distribution}.")
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr):
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "untruncated_normal":
            _draw(_rng.fill_normal, arr, 0, math.sqrt(variance))
        else:
            bound = math.sqrt(3.0 * variance)
            _draw(_rng.fill_uniform, arr, -bound, bound)


# ---- by name, number or object ---------------------------------------------------------------------------


def initializer(init, shape=None, dtype=_float32) -> Tensor:
    """A Tensor of ``shape`` that ``init`` fills when the data is first needed (a Parameter needs it at once).

    ``init`` is an Initializer, the name of one ("normal", "zeros", ... in any case), a number, or a Tensor of
    that shape, which comes back as it is. TypeError for anything else; ValueError for an unknown name, for a
    shape that is not of positive ints, or for a Tensor of another shape.
    """
    if not isinstance(init, (Tensor, numbers.Number, str, Initializer)):
        raise TypeError(
            "For 'initializer', the type of the 'init' argument should be 'Tensor', 'number', 'string' "
            f"or 'initializer', but got {type(init)}.")
    if isinstance(init, Tensor):
        wanted = shape if isinstance(shape, (tuple, list)) else [shape]
        if init.shape != tuple(wanted):
            raise ValueError(
                "For 'initializer', the shape of the 'init' argument should be same as the argument "
                f"'shape', but got the 'init' shape {list(init.shape)} and the 'shape' {wanted}.")
        return init
    if isinstance(shape, list):
        shape = tuple(shape)
    elif isinstance(shape, numbers.Number):
        shape = (shape,)
    for n in shape or ():
        if not isinstance(n, int) or n <= 0:
            raise ValueError(
                "For 'initializer', the argument 'shape' is invalid, the value of 'shape' must be "
                f"positive integer, but got {shape}")
    if isinstance(init, str):
        cls = _INITIALIZER_ALIAS.get(init.lower())
        if cls is None:
            raise ValueError(f"For 'initializer', the class corresponding to '{init}' was not found.")
        init = cls()
    elif isinstance(init, numbers.Number):
        init = Constant(init)
    return Tensor(dtype=dtype, shape=init.shape if shape is None else shape, init=init)
