"""``vjp``, ``jvp``, Jacobians, and gradients inside ``vmap``.

Inside one of torch's function transforms (``mindspore.vmap`` is one) autograd's own switches are off, so each
of them has a second form there over ``torch.func``, which nests.
"""

from __future__ import annotations

import contextlib

import torch

from ms2torch._core import mode
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import is_transforming

from . import integers, passes
from .autodiff import Differentiated, _differentiated, _spread, check_sensitivity, zeros_if_none
from .passes import Pass, detach_, is_integral, tensors_of


@contextlib.contextmanager
def _standing_in(weights, values):
    """A block in which ``values`` are the weights' contents."""
    saved = [(w, w._t) for w in weights]
    try:
        for w, t in zip(weights, values, strict=True):
            w._t = t
        yield
    finally:
        for w, t in reversed(saved):
            w._t = t


def under_functorch(fn, args, kwargs, places, weights, sens, has_aux) -> Differentiated:
    """``differentiate`` inside ``vmap``."""
    given = [(args if p.__class__ is int else kwargs)[p]._t for p in places]
    if any(map(is_integral, given)):
        return _of_integers(fn, args, kwargs, places, given, (weights, sens, has_aux))
    wanted = passes.trainable(weights)
    held = {}

    def pure(inputs, values):
        call, named = list(args), dict(kwargs)
        for p, t in zip(places, inputs, strict=True):
            (call if p.__class__ is int else named)[p] = wrap(t)
        with _standing_in(wanted, values):
            output = fn(*call, **named)
        held["output"] = output
        return tuple(_differentiated(output, has_aux)), [t._t for t in tensors_of(output)]

    outs, pull, values = torch.func.vjp(pure, given, [w._t for w in wanted], has_aux=True)
    for wrapper, t in zip(tensors_of(held["output"]), values, strict=True):
        wrapper._t = t
    ones = tuple(torch.ones_like(o) for o in outs) if sens is None else tuple(s._t for s in tensors_of(sens))
    inputs, grads = pull(ones)
    return Differentiated(held["output"], list(inputs), _spread(list(grads), wanted, weights))


def _of_integers(fn, args, kwargs, places, given, options) -> Differentiated:
    """`under_functorch` by integers: their function continued to real numbers. The output is that of a run of
    its own."""
    call, named = list(args), dict(kwargs)
    for p, t in zip(places, given, strict=True):
        (call if p.__class__ is int else named)[p] = wrap(t.double() if is_integral(t) else t)
    found = under_functorch(fn, call, named, places, *options)
    found.inputs = [g.to(t.dtype) for g, t in zip(found.inputs, given, strict=True)]
    found.output = fn(*args, **kwargs)
    return found


def _split(output, has_aux: bool):
    return (output[0], output[1:]) if has_aux else (output, None)


def _recalled(held: dict, values, has_aux: bool):
    """Primal and aux of the output that a pure function left in ``held``, over the transform's values."""
    for wrapper, t in zip(tensors_of(held["output"]), values, strict=True):
        wrapper._t = t
    return _split(held["output"], has_aux)


def _pure(fn, held: dict, has_aux: bool):
    """``fn`` over torch tensors: (outputs that are differentiated, all outputs)."""
    def pure(*raw):
        held["output"] = output = fn(*map(wrap, raw))
        primal, _ = _split(output, has_aux)
        return tuple(t._t for t in tensors_of(primal)), [t._t for t in tensors_of(output)]

    return pure


def jvp(fn, args, tangents, has_aux=False):
    """Output, aux and directional derivative, by differentiating the pull-back twice (works at any depth)."""
    for a, v in zip(args, tangents, strict=True):
        check_sensitivity(v._t, a._t)
    if is_transforming():
        return _jvp_transformed(fn, args, tangents, has_aux)
    with Pass() as opened:
        nested = opened.outer is not None
        made = [integers.differentiable(a._t) for a in args]
        sources = [source for _, source in made]
        output = fn(*[wrap(alias) for alias, _ in made])
        primal, aux = _split(output, has_aux)
        outs = [integers.tracked(t._t) for t in tensors_of(primal)]
        dummies = [torch.zeros_like(o, requires_grad=True) for o in outs]
        flowing = [(o, d) for o, d in zip(outs, dummies, strict=True) if o.requires_grad]
        pulled = _grad([o for o, _ in flowing], sources, [d for _, d in flowing], create_graph=True)
        pairs = [
            (g, v._t.to(g.dtype))
            for g, v in zip(pulled, tangents, strict=True)
            if g is not None and g.requires_grad
        ]
        pushed = _grad([g for g, _ in pairs], dummies, [v for _, v in pairs], create_graph=nested)
    if not nested:
        detach_(output)
    pushed = [zeros_if_none(g, t._t) for g, t in zip(pushed, tensors_of(primal), strict=True)]
    return primal, aux, pushed if nested else [g.detach() for g in pushed]


def _grad(outs, wrt, given, **options) -> list:
    """``torch.autograd.grad`` with None where nothing flows, also where nothing flows at all."""
    if not outs:
        return [None] * len(wrt)
    return list(torch.autograd.grad(outs, wrt, given, allow_unused=True, **options))


def _jvp_transformed(fn, args, tangents, has_aux):
    if any(is_integral(a._t) for a in args):             # their function continued to real numbers
        real = [[wrap(t._t.double()) if is_integral(a._t) else t for a, t in zip(args, given, strict=True)]
                for given in (args, tangents)]
        pushed = _jvp_transformed(fn, *real, has_aux)[2]
        primal, aux = _split(fn(*args), has_aux)
        return primal, aux, [p.to(o._t.dtype) for p, o in zip(pushed, tensors_of(primal), strict=True)]
    held: dict = {}
    _, pushed, values = torch.func.jvp(
        _pure(fn, held, has_aux), tuple(a._t for a in args), tuple(v._t for v in tangents), has_aux=True)
    return *_recalled(held, values, has_aux), list(pushed)


def vjp(fn, args, weights=(), has_aux=False):
    """Output, aux and a pull-back that can be called any number of times."""
    if is_transforming():
        return _vjp_transformed(fn, args, weights, has_aux)
    wanted = passes.trainable(weights)
    with Pass(wanted) as opened:
        nested = opened.outer is not None
        made = [integers.differentiable(a._t) if isinstance(a, Tensor) else None for a in args]
        sources = [m[1] for m in made if m is not None]
        likes = [a._t for a in args if isinstance(a, Tensor)]
        aliases = list(opened.aliases)
        output = fn(*[a if m is None else passes.standing_for(a, *m)
                      for a, m in zip(args, made, strict=True)])
        primal, aux = _split(output, has_aux)
        outs = [t._t for t in tensors_of(primal)]
    if not nested:
        detach_(output)

    def pull(sens):
        given = [s._t for s in tensors_of(sens)]
        pairs = [(integers.tracked(o), check_sensitivity(s, o)) for s, o in zip(given, outs, strict=True)]
        pairs = [(o, s.to(o.dtype)) for o, s in pairs if o.requires_grad]
        wrt = [*sources, *aliases]
        grads = _grad([o for o, _ in pairs], wrt, [s for _, s in pairs], retain_graph=True,
                      create_graph=mode.differentiation is not None)
        found = [zeros_if_none(g, t) for g, t in zip(grads, likes, strict=False)]
        return found, _spread(grads[len(sources):], wanted, weights)

    return primal, aux, pull


def _vjp_transformed(fn, args, weights, has_aux):
    wanted = passes.trainable(weights)
    held: dict = {}
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]

    def pure(inputs, values):
        call = list(args)
        for p, t in zip(places, inputs, strict=True):
            call[p] = wrap(t)
        with _standing_in(wanted, values):
            held["output"] = output = fn(*call)
        primal, _ = _split(output, has_aux)
        return tuple(t._t for t in tensors_of(primal)), [t._t for t in tensors_of(output)]

    given = [args[p]._t for p in places]
    _, backwards, values = torch.func.vjp(pure, given, [w._t for w in wanted], has_aux=True)
    primal, aux = _recalled(held, values, has_aux)

    def pull(sens):
        inputs, grads = backwards(tuple(s._t for s in tensors_of(sens)))
        return list(inputs), _spread(list(grads), wanted, weights)

    return primal, aux, pull


def jacobian(fn, args, positions, has_aux=False):
    """For each output and position the Jacobian (output shape + input shape); also the aux outputs."""
    if is_transforming():
        return _jacobian_transformed(fn, args, positions, has_aux)
    with Pass() as opened:
        nested = opened.outer is not None
        call = list(args)
        sources = []
        for p in positions:
            alias, source = integers.differentiable(args[p]._t)
            call[p] = wrap(alias)
            sources.append(source)
        output = fn(*call)
        primal, aux = _split(output, has_aux)
        _refuse_integers(tensors_of(primal))
        likes = [args[p]._t for p in positions]
        rows = [list(map(zeros_if_none, _row(w._t, sources, nested), likes)) for w in tensors_of(primal)]
    if not nested:
        detach_(output)
    return primal, aux, rows


def _refuse_integers(outputs) -> None:
    for output in outputs:
        if is_integral(output._t):
            raise TypeError(f"Type Join Failed: dtype1 = Float32, dtype2 = {output.dtype}. "
                            "(A Jacobian is one of floats.)")


def _row(out: torch.Tensor, sources: list, nested: bool) -> list[torch.Tensor]:
    if not out.requires_grad or not out.numel():
        return [s.new_zeros(out.shape + s.shape) for s in sources]
    basis = torch.eye(out.numel(), dtype=out.dtype, device=out.device).reshape(out.numel(), *out.shape)
    grads = torch.autograd.grad(out, sources, basis, is_grads_batched=True, retain_graph=True,
                                create_graph=nested, allow_unused=True)
    return [s.new_zeros(out.shape + s.shape) if g is None else g.reshape(out.shape + s.shape)
            for g, s in zip(grads, sources, strict=True)]


def _jacobian_transformed(fn, args, positions, has_aux):
    held: dict = {}

    def of_chosen(*chosen):
        call = list(args)
        for p, t in zip(positions, chosen, strict=True):
            call[p] = t
        return fn(*call)

    jacobians = torch.func.jacrev(
        _pure(of_chosen, held, has_aux), tuple(range(len(positions))), has_aux=True)
    rows, values = jacobians(*[args[p]._t for p in positions])
    return *_recalled(held, values, has_aux), [list(row) for row in rows]
