"""Primitive and what marks functions for MindSpore's compiler (``mindspore.ops.primitive``)."""

from __future__ import annotations

import functools
import types

import torch

from ms2torch._core import mode
from ms2torch._core.operators import primitive
from ms2torch._core.operators.registry import Primitive

__all__ = ["Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "constexpr", "prim_attr_register"]


def _by_name(made: Primitive):
    from ms2torch.ops import _derived

    return _derived.by_name(made)


primitive.by_name = _by_name


class PrimitiveWithInfer(Primitive):
    """A Primitive of the user's with ``infer_shape``/``infer_dtype``; without ``__call__`` it computes what
    the operator of its name does."""

    def infer_shape(self, *args):
        return None

    def infer_dtype(self, *args):
        return None

    def infer_value(self, *args):
        return None


class PrimitiveWithCheck(Primitive):
    """A Primitive of the user's with ``__check__``; without ``__call__`` it computes what the operator of its
    name does."""

    def __check__(self, *args):
        pass


def prim_attr_register(fn):
    """Decorates a Primitive's ``__init__``: its arguments become attributes and show in ``repr``."""
    import inspect

    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def wrapper(self, *args, **kwargs):
        Primitive.__init__(self, type(self).__name__)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        self.init_attrs = dict(list(bound.arguments.items())[1:])
        for name, value in self.init_attrs.items():
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return wrapper


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Marks a function that MindSpore evaluates while compiling, as Python. It is the function itself, but in
    a compiled one it gets None for functions and Cells, which have no value there, and for numbers and texts
    that only the running graph tells."""
    if fn is None:
        return constexpr

    @functools.wraps(fn)
    def evaluated(*args, **kwargs):
        if mode.inside:
            args = tuple(None if isinstance(a, (types.FunctionType, torch.nn.Module)) else a for a in args)
        return fn(*args, **kwargs)

    evaluated._of_constants = "constexpr"
    return evaluated


_primexpr = constexpr
