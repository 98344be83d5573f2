"""Gradients of integers and bools, which autograd cannot differentiate by.

MindSpore gives them one in their own dtype: that of the function continued to real numbers, then cast. So an
integer that is asked for goes through the body as a `Shadowed` tensor: its integers, and beside them the same
numbers in float64, which autograd follows. An operator computes both; where its result is a float, the float
follows the shadows. What has no continuation (an index, a comparison, a draw) ends the shadow there, and its
gradient is zero. The gradient that comes back from each use is cast: 0.6 of one use and 0.6 of another are 0.

A cast of a float to integers or bools begins a shadow too: MindSpore's gradient passes any cast straight
through, where torch's ends.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations, islice

import torch

from ms2torch._core import mode
from ms2torch._core.errors import final
from ms2torch._core.torch_private import as_subclass, tree_any, tree_leaves, tree_map

from . import passes
from .passes import is_integral

# Flat operators, for which torch has no gradient.
_STEPS = ("floor_divide", "floordiv")
# Properties that are views of the same numbers.
_TRANSPOSES = ("T", "mT", "H", "mH")
# What a shadow must not go through: its result would be drawn or written twice.
_DRAWS = ("rand", "bernoulli", "normal", "dropout", "multinomial", "uniform", "exponential", "poisson")


class Shadowed(torch.Tensor):
    """An integer tensor with a float64 ``shadow`` of the same numbers."""

    shadow: torch.Tensor

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "").partition(".")[0]      # (of ``aten.add.Tensor`` too)
        writes = (name.endswith("_") and not name.endswith("__")) or name in ("__setitem__", "__iadd__")
        if writes and isinstance(args[0], torch.Tensor) and not isinstance(args[0], Shadowed):
            if args[0].is_floating_point():
                return _write_into_floats(function, args, kwargs)
            _begin_shadow(args[0])
        plain, plain_kwargs = tree_map(_plain, (args, kwargs))
        result = function(*plain, **plain_kwargs)
        if name == "__get__" and function.__self__.__name__ in _TRANSPOSES:
            name = "transpose"
        if name == "__get__" or not _holds_numbers(result) or any(d in name for d in (*_DRAWS, *_STEPS)):
            return result
        if writes and not isinstance(args[0], Shadowed):
            return result
        # (A view's shadow is one of the shadow itself, for the view may be written to.)
        as_it_is = writes or _is_view(result) or _makes_floats(name, result, (args, kwargs))
        used = _itself if as_it_is else _Used.apply
        continued = _over_shadows(function, used, writes, args, kwargs)
        return result if continued is None else args[0] if writes else _beside(result, continued)


def shadowed(t: torch.Tensor, shadow: torch.Tensor | None = None) -> Shadowed:
    """``t``, an integer tensor, beside its float64 shadow: where none is given a fresh leaf, connected to an
    outer pass where there is one."""
    if shadow is None:
        outer = tracked(t)
        shadow = outer.view_as(outer) if outer.requires_grad else t.detach().double().requires_grad_()
    out = as_subclass(t.detach(), Shadowed)
    out.shadow = shadow
    return out


def _begin_shadow(t: torch.Tensor) -> None:
    """Give ``t``, plain integers to which shadowed ones are about to be written, a shadow (and what it is a
    view of)."""
    whole = t._base if t._is_view() else t
    if whole.__class__ is torch.Tensor:
        shadow = whole.double()
        if shadow.stride() != whole.stride():
            return
        whole.__class__ = Shadowed
        whole.shadow = shadow
    if t is not whole and isinstance(whole, Shadowed):
        t.__class__ = Shadowed
        t.shadow = whole.shadow.as_strided(
            t.shape, t.stride(), t.storage_offset() - whole.storage_offset())


def _write_into_floats(function, args, kwargs):
    """A write whose target holds floats: the shadows' numbers are written, once."""
    if _over_shadows(function, _Used.apply, True, args, kwargs) is None:
        plain, plain_kwargs = tree_map(_plain, (args, kwargs))
        return function(*plain, **plain_kwargs)
    return args[0]


def cast(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """``t`` as ``dtype``; gradients pass through, whatever ``dtype`` is."""
    if not t.requires_grad or dtype not in passes.WHOLE:
        return t.to(dtype)
    if mode.tracing is not None:
        mode.tracing.refuse_cast()
    whole = t.detach().to(dtype)
    if type(whole) is not torch.Tensor:         # in parts on several ranks: the gradient ends here
        return whole
    return shadowed(whole, _Through.apply(t, whole.double()))


def without_bprop(name: str, result: torch.Tensor, *given) -> torch.Tensor:
    """The ``result`` of a Primitive that MindSpore cannot differentiate: RuntimeError where a gradient comes
    back to it on its way to one of ``given``."""
    sources = [tracked(t) for t in given if isinstance(t, torch.Tensor)]
    sources = [t for t in sources if t.requires_grad]
    if not sources:
        return result
    plain = _plain(result).detach()
    if not is_integral(plain):
        return _NoBprop.apply(name, plain, *sources)
    return shadowed(plain, _NoBprop.apply(name, plain.double(), *sources))


class _NoBprop(torch.autograd.Function):
    """``numbers`` of the Primitive ``name`` of the others, which has no backward pass."""

    generate_vmap_rule = True

    @staticmethod
    def forward(name, numbers, *sources):
        return numbers.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.name = inputs[0]

    @staticmethod
    def backward(ctx, gradient):
        raise final(RuntimeError(f"Illegal primitive {ctx.name}'s bprop not defined"))


class _Through(torch.autograd.Function):
    """The ``numbers`` that stand for ``t``, whose gradient is theirs."""

    generate_vmap_rule = True

    @staticmethod
    def forward(t, numbers):
        return numbers.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.dtype = inputs[0].dtype

    @staticmethod
    def backward(ctx, gradient):
        return gradient.to(ctx.dtype), None


def _plain(x):
    return as_subclass(x, torch.Tensor) if isinstance(x, Shadowed) else x


class _Used(torch.autograd.Function):
    """A shadow for one use: its gradient is cast to the integers' ``dtype`` and back."""

    generate_vmap_rule = True

    @staticmethod
    def forward(shadow, dtype):
        return shadow.view_as(shadow)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.dtype = inputs[1]

    @staticmethod
    def backward(ctx, gradient):
        return _Whole.apply(gradient, ctx.dtype), None


class _Whole(_Used):
    """A gradient cast to integers and back; so are gradients of higher order."""

    @staticmethod
    def forward(gradient, dtype):
        return gradient.to(dtype).to(gradient.dtype)


def _over_shadows(function, used, writes: bool, args, kwargs):
    """What an operator makes of the shadows; None where it has no continuation.

    It may take integers alone in some places (indices, masks): there they stay as they are. It may ask for
    one dtype: then integers without a shadow are float64 too.
    """
    for left, widened in islice(_ways(args, kwargs, keeps=id(args[0]) if writes else None), 64):
        try:
            shadows, shadow_kwargs = tree_map(partial(_shadow, used, left, widened), (args, kwargs))
            return function(*shadows, **shadow_kwargs)
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
            continue
    return None


def _ways(args, kwargs, keeps):
    """Which shadows are left out and which plain integers widened: as few as can be, and never ``keeps``."""
    given = {id(x): isinstance(x, Shadowed) for x in tree_leaves((args, kwargs))
             if isinstance(x, torch.Tensor) and is_integral(x)}
    shadows = [x for x, has_one in given.items() if has_one and x != keeps]
    plain = [x for x, has_one in given.items() if not has_one]
    for count in range(sum(given.values())):
        for left in combinations(shadows, count):
            for widened in range(len(plain) + 1):
                yield from ((left, chosen) for chosen in combinations(plain, widened))


def _itself(shadow, dtype):
    return shadow


def _makes_floats(name: str, result, args) -> bool:
    """Whether an operator itself goes from integers to floats (a division, a root); elsewhere a cast does."""
    return (isinstance(result, torch.Tensor) and result.is_floating_point() and name not in _CASTS
            and not tree_any(_is_float, args))


_CASTS = ("to", "type", "float", "double", "half", "bfloat16")


def _is_float(x) -> bool:
    return isinstance(x, float) or (isinstance(x, torch.Tensor) and x.is_floating_point())


def _is_view(result) -> bool:
    first = result[0] if isinstance(result, (tuple, list)) else result
    return isinstance(first, torch.Tensor) and first._is_view()


def _shadow(used, left: tuple, widened: tuple, x):
    """What ``x`` is for the operator over shadows: plain where ``left``, float64 where ``widened``."""
    if id(x) in widened:
        return x.double()
    if isinstance(x, Shadowed):
        return _plain(x) if id(x) in left else used(x.shadow, x.dtype)
    return torch.float64 if isinstance(x, torch.dtype) and x in passes.WHOLE else x


def _holds_numbers(result) -> bool:
    return isinstance(result, torch.Tensor) or (
        isinstance(result, (tuple, list)) and tree_any(lambda x: isinstance(x, torch.Tensor), result))


def _beside(result, continued):
    """``result`` with the gradient of ``continued``, tensor by tensor."""
    if isinstance(result, (tuple, list)):
        if not isinstance(continued, (tuple, list)) or len(continued) != len(result):
            return result
        pairs = [_beside(r, c) for r, c in zip(result, continued, strict=True)]
        return pairs if isinstance(result, list) else tuple(pairs)
    if not (isinstance(result, torch.Tensor) and isinstance(continued, torch.Tensor)):
        return result
    if result.shape != continued.shape or not continued.requires_grad:
        return result
    if is_integral(result):
        return shadowed(result, continued)
    # The numbers of the integers' own run, the gradient of the shadows'.
    continued = continued.to(result.dtype)
    return continued + (result.detach() - continued.detach())


def differentiable(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What stands for ``t`` while it is differentiated by, and what autograd is asked for."""
    if is_integral(t):
        alias = shadowed(t)
        return alias, alias.shadow
    alias = passes.alias(t)
    return alias, alias


def tracked(t: torch.Tensor) -> torch.Tensor:
    """What autograd follows of ``t``: the shadow of an integer that has one."""
    return t.shadow if t.__class__ is Shadowed else t
