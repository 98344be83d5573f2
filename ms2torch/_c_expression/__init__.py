"""``mindspore._c_expression``: of MindSpore's compiled core, the names that programs import.

Types for ``isinstance`` checks are ms2torch's own; switches of MindSpore's executor do nothing here.
"""

from __future__ import annotations

from inspect import isfunction

from .._core.random import rng
from ..common.tensor import Tensor
from . import typing

__all__ = ["MSContext", "Tensor", "TensorPy", "disable_multi_thread", "typing"]


class _Core(type):
    """Of classes that stand for what Tensor descends from in MindSpore: their instances are Tensors."""

    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, Tensor)

    def __subclasscheck__(cls, subclass) -> bool:
        return issubclass(subclass, Tensor)

    def __call__(cls, *args, **kwargs):
        return Tensor(*args, **kwargs)


# Tensor's methods as they are, also where a library has put others in their place that call these.
TensorPy = _Core("TensorPy", (), {name: one for name, one in vars(Tensor).items() if isfunction(one)})


class MSContext:
    """The compiled core's own context, which packages ask for the kind of Ascend chip."""

    @staticmethod
    def get_instance() -> MSContext:
        return MSContext()

    @staticmethod
    def get_ascend_soc_version() -> str:
        """Empty, as in MindSpore where there is no Ascend chip."""
        return ""


class ParamInfo:
    """What MindSpore's core keeps of a Parameter: attributes that libraries set and read."""

    def __init__(self) -> None:
        self.name = ""
        self.requires_grad = True
        self.layerwise_parallel = self.parallel_optimizer = False
        self.init_in_server = self.use_persistent_storage = False
        self.comm_fusion = 1
        self.parameter_shape: list[int] = []
        self.obj = None

    def clone(self) -> ParamInfo:
        """Another one with the same attributes."""
        made = ParamInfo()
        made.__dict__.update(self.__dict__)
        return made


def _random_normal(seed, data, mean, sigma) -> None:
    """Fill a float32 array with N(mean, sigma^2), as initializers do with a seed of numpy's."""
    rng.fill_normal(data, mean, sigma, seed)


def _random_uniform(seed, data, low, high) -> None:
    """Fill a float32 array with U(low, high)."""
    rng.fill_uniform(data, low, high, seed)


def _truncated_normal(seed, data, low, high, mean, sigma) -> None:
    """Fill a float32 array with N(mean, sigma^2) within [low, high]."""
    rng.fill_truncated_normal(data, low, high, mean, sigma, seed)


def disable_multi_thread() -> None:
    """Accepted: MindSpore's executor runs in several threads, ours in one."""


def _framework_profiler_step_start() -> None:
    """Accepted: marks a step for MindSpore's profiler."""


def _framework_profiler_step_end() -> None:
    """Accepted: marks a step for MindSpore's profiler."""
