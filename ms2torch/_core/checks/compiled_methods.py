"""Methods of Tensor that MindSpore has compiled: Python tells wrong calls of these in other words."""

from __future__ import annotations

from functools import wraps


def without_arguments(run):
    """The method ``run`` of a Tensor alone, whose errors about arguments are a compiled one's."""
    name = f"Tensor.{run.__name__.lstrip('_')}()"

    @wraps(run)
    def call(self, *args, **kwargs):
        if kwargs:
            raise TypeError(f"{name} takes no keyword arguments")
        if args:
            raise TypeError(f"{name} takes no arguments ({len(args)} given)")
        return run(self)

    return call


def one_argument(run):
    """The method ``run`` of a Tensor and one argument more, which a compiled one takes by position alone."""

    @wraps(run)
    def call(self, *args, **kwargs):
        if kwargs:
            raise TypeError(f"{run.__name__}() takes no keyword arguments")
        if len(args) != 1:
            raise TypeError(f"function takes exactly 1 argument ({len(args)} given)")
        return run(self, *args)

    return call
