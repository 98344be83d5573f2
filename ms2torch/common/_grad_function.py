"""``mindspore.common._grad_function``: functions with a forward and a backward pass of their own."""

from __future__ import annotations

import inspect

from ms2torch._core.gradient import functions

__all__ = ["_Function"]


class _Function:
    """Base of functions with their own gradient (``mindspore.common._Function``), called by ``apply``.

    A subclass has static methods ``forward(ctx, *args)``, whose Tensors are what the function gives, and
    ``backward(ctx, *gradients)``, which gives a gradient (a Tensor or None) for each argument: one gradient
    comes in for each result, zeros where nothing depends on it. With ``setup_context(ctx, inputs, output)``
    ``forward`` takes no ``ctx``. A gradient is summed and cast to its argument's shape and dtype.
    RuntimeError for too few gradients, or one of the wrong kind.
    """

    _has_setup_context = False
    dirty_tensors = non_differentiable = ()
    materialize_grads = True

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """What the function computes; subclasses have it."""
        raise NotImplementedError("forward function should be customized.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients for the arguments; subclasses have it."""
        raise NotImplementedError("backward function should be customized.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keep for ``backward`` what it needs; subclasses may have it."""
        raise NotImplementedError("setup_context is not implemented.")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call the function; the gradient functions use its ``backward``."""
        cls._has_setup_context = cls.setup_context is not _Function.setup_context
        if cls._has_setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        return functions.apply(cls, args, kwargs)

    def save_for_backward(self, *tensors):
        """Keep Tensors for ``backward``, which reads them from ``saved_tensors``."""
        self.saved_tensors = tensors

    def mark_dirty(self, *args):
        """Say which arguments ``forward`` wrote to; all of them must be results. RuntimeError otherwise."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Say which results have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool):
        """Whether ``backward`` gets zeros (True, as at first) or None for an unused result."""
        self.materialize_grads = value
