"""Functions with a forward and a backward pass that a program wrote (``mindspore.common._Function``)."""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import is_transforming

from . import passes


class _Applied(torch.autograd.Function):
    """One call: the program's ``forward`` over its own Tensors, its ``backward`` over gradients."""

    @staticmethod
    def forward(ctx, call, *raw):
        ctx.call, ctx.metas = call, [(t.shape, t.dtype) for t in raw]
        with torch.no_grad():
            outs = call.forward()
        saved = [t for t in call.saved if isinstance(t, Tensor)]
        ctx.save_for_backward(*[t._t for t in saved])
        ctx.saved = saved
        found, plain = [], []
        given = {id(t) for t in raw}
        for out in outs:
            t = out._t
            fixed = any(out is n for n in call.context.non_differentiable) or not (
                t.is_floating_point() or t.is_complex())
            t = t.detach() if fixed else t.view_as(t) if id(t) in given else t
            found.append(t)
            plain += [t] if fixed else []
        ctx.mark_non_differentiable(*plain)
        ctx.set_materialize_grads(call.context.materialize_grads)
        return tuple(found)

    @staticmethod
    def backward(ctx, *grads):
        for saved, t in zip(ctx.saved, ctx.saved_tensors, strict=True):
            saved._t = t
        return (None, *ctx.call.backward(grads, ctx.metas))


class _Call:
    """How one call's arguments and results map to flat tensors and back."""

    def __init__(self, function, args: tuple, kwargs: dict) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.context = context = function()
        self.is_tensor = [isinstance(a, Tensor) for a in args]
        context.needs_input_grad = tuple(
            t and mode.differentiation is not None and a._t.requires_grad
            for t, a in zip(self.is_tensor, args, strict=True))

    @property
    def saved(self) -> tuple:
        return getattr(self.context, "saved_tensors", None) or ()

    def forward(self) -> list[Tensor]:
        """Run the program's forward pass; the Tensors among its results."""
        context = self.context
        given = [a for a in self.args if isinstance(a, Tensor)]
        leaves = [a for a in given if a._t.requires_grad and a._t.is_leaf]
        views = [a for a in given if a._t._is_view()]
        if self.function._has_setup_context:
            output = self.function.forward(*self.args, **self.kwargs)
            self.function.setup_context(context, self.args, output)
        else:
            output = self.function.forward(context, *self.args, **self.kwargs)
        self.output = output
        self.outputs = list(output) if isinstance(output, (tuple, list)) else [output]
        for dirty in context.dirty_tensors:
            if not any(dirty is out for out in self.outputs):
                raise RuntimeError("The dirty tensors must all be outputs of the forward function.")
            if any(dirty is leaf for leaf in leaves):
                raise RuntimeError(passes.WRITTEN_LEAF)
            if len(self.outputs) > 1 and any(dirty is view for view in views):
                raise RuntimeError("A view is one of output for multi output operator, which is forbidden. "
                                   "You can use out-of-place op to repalce.")
        return [out for out in self.outputs if isinstance(out, Tensor)]

    def results(self, raw: tuple):
        """What the program gets: its results over the tensors that autograd follows."""
        rest = iter(raw)
        made = [self._result(out, next(rest)) if isinstance(out, Tensor) else out for out in self.outputs]
        return type(self.output)(made) if isinstance(self.output, (tuple, list)) else made[0]

    def _result(self, out: Tensor, t: torch.Tensor) -> Tensor:
        if any(out is dirty for dirty in self.context.dirty_tensors):
            mode.differentiation.rebind(out, t)
            mode.differentiation.remember(out)
            return out
        return wrap(t)

    def backward(self, grads: tuple, metas: list) -> list:
        rest = iter(grads)
        given = [next(rest) if isinstance(out, Tensor) else None for out in self.outputs]
        found = self.function.backward(self.context, *[g if g is None else wrap(g) for g in given])
        found = found if isinstance(found, tuple) else (found,)
        if len(found) < len(self.args):
            raise RuntimeError(
                "Function backward return a wrong number of gradients, expect: "
                f"{len(self.args)}but: {len(found)}")
        for place, gradient in enumerate(found):
            if gradient is not None and not any(self.is_tensor[place:place + 1]):
                raise RuntimeError(f"Input is not tensor, but gradient is not none, position: {place} type: "
                                   f"{type(gradient)}")
            if gradient is not None and not isinstance(gradient, Tensor):
                raise RuntimeError(f"Gradient should be none or tensor, position: {place} type: "
                                   f"{type(gradient)}")
        asked = [g for tensor, g in zip(self.is_tensor, found, strict=False) if tensor]
        return [g if g is None else unbroadcast(g._t, *meta) for g, meta in zip(asked, metas, strict=True)]


def unbroadcast(gradient: torch.Tensor, shape, dtype) -> torch.Tensor | None:
    """``gradient`` summed to ``shape`` and cast to ``dtype``; None for what has no gradient."""
    if not (dtype.is_floating_point or dtype.is_complex):
        return None
    if gradient.shape != shape:
        try:
            gradient = gradient.sum_to_size(shape)
        except RuntimeError:
            raise RuntimeError(
                "For grad interface or custom function, grad tensor should be broadcast to expected shape, "
                f"but got {_vector(gradient.shape)} vs {_vector(shape)}") from None
    return gradient if gradient.dtype is dtype else gradient.to(dtype)


def _vector(shape) -> str:
    return "[const vector]{" + ", ".join(map(str, shape)) + "}"


def apply(function, args: tuple, kwargs: dict):
    """Call ``function``, a class with ``forward`` and ``backward``."""
    if is_transforming():
        raise unsupported("common._Function inside vmap", "its backward is the program's own Python.",
                          "a Cell with a bprop, or ops.vmap outside of it.")
    call = _Call(function, args, kwargs)
    if mode.differentiation is None or not any(call.context.needs_input_grad):
        call.forward()
        return call.output
    raw = [a._t for a in args if isinstance(a, Tensor)]
    opened = mode.differentiation
    refusal, opened.refusal = opened.refusal, passes.WRITTEN_LEAF
    try:
        return call.results(_Applied.apply(call, *raw))
    finally:
        opened.refusal = refusal


class _Seen(torch.autograd.Function):
    """Identity whose gradient passes through ``function(gradient)``."""

    generate_vmap_rule = True

    @staticmethod
    def forward(t, function):
        return t.view_as(t)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.function = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return ctx.function(grad), None


def with_gradient_of(t: torch.Tensor, function) -> torch.Tensor:
    """``t`` itself; its gradient becomes ``function(gradient)`` (``ops.InsertGradientOf``)."""
    return _Seen.apply(t, function)
