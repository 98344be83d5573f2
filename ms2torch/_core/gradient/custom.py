"""Custom gradients as autograd Functions: ``bprop``, backward hooks, gradients that are looked at on their
way."""

from __future__ import annotations

import dis
import inspect
import types
from functools import cache
from itertools import pairwise

import torch

from ms2torch._core import mode
from ms2torch._core.gradient.functions import unbroadcast
from ms2torch._core.gradient.integers import Shadowed, shadowed, tracked
from ms2torch._core.gradient.passes import is_integral, tensors_of
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap
from ms2torch._core.torch_private import as_subclass


class _Bprop(torch.autograd.Function):
    """Forward as it is, backward by a Python function over (inputs, output, output's gradient)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(run, *raw):
        return run.forward(raw)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.run, *raw = inputs
        ctx.save_for_backward(*raw, *output)
        ctx.count = len(raw)

    @staticmethod
    def backward(ctx, *grads):
        saved = ctx.saved_tensors
        inputs, outs = saved[: ctx.count], saved[ctx.count :]
        if mode.mesh is not None:
            return (None, *mode.mesh.in_shares(ctx.run.backward, inputs, outs, grads))
        return (None, *ctx.run.backward(inputs, outs, grads))


class _Run:
    """One call of a function with its own ``bprop``: how nested arguments map to flat tensors and back."""

    def __init__(self, function, bprop, args: tuple, kwargs: dict) -> None:
        self.function, self.bprop, self.args, self.kwargs = function, bprop, args, kwargs
        self.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.output = None
        self.kinds = {}                          # what a gradient of integers comes back as

    def forward(self, raw):
        call = list(self.args)
        for i, t in zip(self.places, raw, strict=True):
            call[i] = wrap(t)
        with torch.no_grad():
            self.output = self.function(*call, **self.kwargs)
        return tuple(
            t._t.view_as(t._t) if any(t._t is r for r in raw) else t._t for t in tensors_of(self.output)
        )

    def backward(self, inputs, outs, grads):
        call = list(self.args)
        for i, t in zip(self.places, inputs, strict=True):
            call[i] = wrap(t)
        rest = iter(outs)
        out = _refill(self.output, rest)
        dout = _refill(self.output, iter(grads))
        found = self._gradients(call, out, dout)
        if not isinstance(found, (tuple, list)):
            found = (found,)
        if (
            len(found) == 2
            and isinstance(found[0], (tuple, list))
            and isinstance(found[1], (tuple, list, dict))
        ):
            found = found[0]
        if len(found) < len(self.args):
            raise RuntimeError(
                f"Grad size should lager than forward inputs, but got {len(found)} vs {len(self.args)}"
            )
        result = []
        for i, t in zip(self.places, inputs, strict=True):
            g = found[i] if i < len(found) else None
            if isinstance(g, (int, float)) and not isinstance(g, bool):
                g = wrap(t.new_tensor(float(g)))
            elif isinstance(g, str):
                raise TypeError(f"Unreasonable data type: {type(g)}.")
            kind = self.kinds.get(t.dtype, t.dtype)
            result.append(unbroadcast(g._t, t.shape, kind) if isinstance(g, Tensor) else None)
        return result

    def _gradients(self, call, out, dout):
        if mode.graph:
            _check_parameters(self.bprop, len(call))
        elif hasattr(self.bprop, "_graph_source"):
            raise RuntimeError("Decorating bprop with '@jit' is not supported.")
        found = self.bprop(*call, out, dout)
        if found is None:
            raise TypeError("The python function output is none.")
        if mode.graph and not isinstance(found, tuple):
            raise TypeError(f"For bprop function, output should be a tuple, but got {found}.")
        if mode.graph and len(found) < len(call):
            raise RuntimeError("The output size of the 'bprop' must match the number of parameters in its "
                               f"corresponding primal function : {len(found)} vs. {len(call)}.")
        return found


def _check_parameters(bprop, inputs: int) -> None:
    """Graph mode counts what a ``bprop`` takes, and lets it read no Parameter of its Cell."""
    code = getattr(bprop, "__code__", None)
    if code is None:
        return
    if not _own_attributes(code).isdisjoint(getattr(getattr(bprop, "__self__", None), "_params", ())):
        raise RuntimeError(
            "The user defined 'bprop' function in scope Default does not support using Parameter.")
    rest = bool(code.co_flags & inspect.CO_VARARGS)
    taken = code.co_argcount - isinstance(bprop, types.MethodType) + rest
    if taken < 2:
        raise RuntimeError("The function 'bprop' of Primitive or Cell requires at least 2 params 'out' and "
                           f"'dout', but got only {taken}.")
    if not rest and taken != inputs + 2:
        raise TypeError("The params of function 'bprop' of Primitive or Cell requires the forward inputs as "
                        "well as the 'out' and 'dout'.")


@cache
def _own_attributes(code) -> frozenset[str]:
    """The names that a method reads from its first argument."""
    found = set()
    for before, after in pairwise(dis.get_instructions(code)):
        loaded = before.argval[-1:] if isinstance(before.argval, tuple) else (before.argval,)
        if before.opname.startswith("LOAD_FAST") and after.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found.update({after.argval} if loaded == code.co_varnames[:1] else ())
    return frozenset(found)


def _refill(obj, tensors):
    """``obj`` with its Tensors replaced, in order, by new ones around ``tensors``."""
    if isinstance(obj, Tensor):
        return wrap(next(tensors))
    if isinstance(obj, (tuple, list)):
        return tuple(_refill(x, tensors) for x in obj)
    if isinstance(obj, dict):
        return {k: _refill(v, tensors) for k, v in obj.items()}
    return obj


def custom_bprop(function, bprop, args: tuple, kwargs: dict):
    """Call ``function`` with ``bprop(*inputs, out, dout)`` as its gradient."""
    if not mode.graph:
        args, kwargs = _with_defaults(function, bprop, args, kwargs)
    run = _Run(function, bprop, args, kwargs)
    raw = [args[i]._t for i in run.places]
    integers = any(isinstance(t, Shadowed) for t in raw)
    outs = _of_integers(run, raw) if integers else _Bprop.apply(run, *raw)
    return _refill(run.output, iter(outs))


def _with_defaults(function, bprop, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The call as ``bprop`` wants it where it takes what the call leaves to defaults, or gives by name."""
    code = getattr(bprop, "__code__", None)
    if code is None or code.co_argcount - isinstance(bprop, types.MethodType) <= len(args) + 2:
        return args, kwargs
    call = inspect.signature(function).bind(*args, **kwargs)
    call.apply_defaults()
    return call.args, call.kwargs


class _IntegerBprop(torch.autograd.Function):
    """`_Bprop` beside the integers: autograd follows their shadows, the ``bprop`` sees the integers."""

    @staticmethod
    def forward(ctx, run, plain, outs, *shadows):
        ctx.run, ctx.plain, ctx.outs = run, plain, outs
        ctx.set_materialize_grads(True)
        return tuple(out.double() if is_integral(out) else out.clone() for out in outs)

    @staticmethod
    def backward(ctx, *grads):
        grads = [grad.to(out.dtype) for grad, out in zip(grads, ctx.outs, strict=True)]
        found = ctx.run.backward(ctx.plain, ctx.outs, grads)
        return None, None, None, *found


def _of_integers(run: _Run, raw: list) -> list:
    plain = [as_subclass(t, torch.Tensor) if isinstance(t, Shadowed) else t for t in raw]
    outs = run.forward(plain)
    run.kinds = {t.dtype: torch.float64 for t in plain if is_integral(t)}
    continued = _IntegerBprop.apply(run, plain, outs, *map(tracked, raw))
    run.output = _refill(run.output, iter(outs))
    return [shadowed(out, real) if is_integral(out) else real
            for out, real in zip(outs, continued, strict=True)]


class _Watch(torch.autograd.Function):
    """Identity whose backward pass shows all gradients at once to ``see`` and takes what it returns.

    ``all_of_them``: also those of what needs none, but of integers.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(see, all_of_them, *raw):
        return tuple(t.view_as(t) for t in raw)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.see, all_of_them, *_ = inputs
        whole = [not (t.is_floating_point() or t.is_complex()) for t in output]
        ctx.mark_non_differentiable(*[t for t, w in zip(output, whole, strict=True) if w])
        ctx.shown = [not w for w in whole] if all_of_them else None

    @staticmethod
    def backward(ctx, *grads):
        needed = ctx.shown or ctx.needs_input_grad[2:]
        found = ctx.see(tuple(g if need else None for g, need in zip(grads, needed, strict=True)))
        return (None, None, *[g if need else None for g, need in zip(found, needed, strict=True)])


def observe_gradients(obj, see, all_of_them=False):
    """``obj`` passed on; ``see(gradients)`` gets the raw gradients of its Tensors, None where there is none
    (or, with ``all_of_them``, where there can be none), and gives those to go on with."""
    raw = [t._t for t in tensors_of(obj)]
    if not raw:
        return obj
    return _refill(obj, iter(_Watch.apply(see, all_of_them, *raw)))


_SIZE = "The backward hook return value size is {} not equal to expect grad input size {}"
_PRE_SIZE = "The backward pre hook return value size is {} not equal to expect output size {}"


def from_hook(result, name: str) -> Tensor:
    """What a hook called ``name`` gives for one gradient; TypeError where it is no Tensor."""
    if not isinstance(result, Tensor):
        kind = type(result).__name__
        raise TypeError(f"The output type of function: {name} should be a tensor but got {kind}.")
    return result


def _from_cell_hook(result, name: str, sizes: str, shown: tuple) -> tuple:
    """What a Cell's hook gives for the gradients ``shown``."""
    if result is None:
        return shown
    found = result if isinstance(result, tuple) else (result,)
    if isinstance(result, tuple) and len(found) != len(shown):
        raise TypeError(sizes.format(len(found), len(shown)))
    return tuple(from_hook(g, name) for g in found)


def backward_hooked(cell, hooks: dict, compute, args: tuple, kwargs: dict):
    """Run ``compute`` with the Cell's backward hooks around it: identities at its inputs and its output.

    (torch's full backward hooks do not fire on wrapper outputs.)
    """
    watch = _Hooked(cell, hooks)
    if mode.differentiation is not None:
        mode.differentiation.hooked.append(watch)
    if watch.backward:
        watch.waiting = bool(tensors_of(args))
        # Tensors inside tuples are no inputs to the hooks.
        if mode.graph or mode.inside:
            args = tuple(map(_asked_for, args))
        given = tuple(a for a in args if isinstance(a, Tensor))
        if any(a._t.requires_grad for a in given):
            rest = iter(observe_gradients(given, watch.at_inputs, all_of_them=True))
            args = tuple(next(rest) if isinstance(a, Tensor) else a for a in args)
    return observe_gradients(compute(*args, **kwargs), watch.at_output)


def _asked_for(value):
    """An input of a Cell with a hook: a graph computes its gradient, although nobody else needs it."""
    opened = mode.differentiation
    if value.__class__ is not Tensor or opened is None or value._t.requires_grad or (
            not value._t.is_floating_point()):
        return value
    leaf = value._t.detach().requires_grad_()
    opened.received.append(leaf)
    return wrap(leaf)


class _Hooked:
    """One call of a Cell with backward hooks, while its gradients come by."""

    def __init__(self, cell, hooks: dict) -> None:
        self.cell, self.waiting, self.grad_output = cell, False, None
        self.backward, self.before = hooks.get("backward") or {}, hooks.get("backward_pre") or {}

    def at_output(self, grads):
        shown = lift(tuple(grads))
        for hook, _ in tuple(self.before.values()):
            shown = _from_cell_hook(hook(self.cell, shown), "hook_backward_pre_grad", _PRE_SIZE, shown)
        self.grad_output = shown
        return lower(shown)

    def at_inputs(self, grads):
        shown = self._show(lift(tuple(grads)))
        self.waiting = False
        return lower(shown)

    def finish(self) -> None:
        """The backward pass has ended. Where it did not come to the inputs the hooks are told one None."""
        if self.grad_output is not None and self.waiting:
            self._show((None,))

    def _show(self, shown):
        for hook, _ in tuple(self.backward.values()):
            found = hook(self.cell, shown, self.grad_output)
            shown = _from_cell_hook(found, "hook_backward_grad", _SIZE, shown)
        return shown
