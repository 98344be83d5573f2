"""Functions over functions (``mindspore.ops.composite``)."""

from ms2torch.ops.function.grad_func import grad, value_and_grad

from .base import GradOperation, HyperMap, Map, MultitypeFuncGraph, add_flags, core, env_get, partial, vmap

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "add_flags",
    "core",
    "env_get",
    "grad",
    "partial",
    "value_and_grad",
    "vmap",
]


def __getattr__(name: str):
    # C.clip_by_value, C.ones_like and their kind: the functional forms under MindSpore's older path.
    from ms2torch import ops

    try:
        return ops.__dict__[name]
    except KeyError:
        raise AttributeError(f"module 'mindspore.ops.composite' has no attribute '{name}'") from None
