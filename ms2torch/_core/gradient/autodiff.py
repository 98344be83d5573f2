"""Functional gradients over ``torch.autograd.grad``.

``differentiate`` is the one engine: ``grad``, ``value_and_grad``, ``GradOperation``, ``vjp``, ``jvp``,
Jacobians and the train cells select from what it returns. Gradients come out as values; no ``.grad`` is ever
written.
"""

from __future__ import annotations

import torch
from torch.autograd.graph import _engine_run_backward

from ms2torch._core.gradient import levels, overflow, recording
from ms2torch._core.gradient.levels import Level, detach_, tensors_of
from ms2torch._core.random import random_streams
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor, wrap


class Differentiated:
    """What a differentiation gives: the function's output, raw torch gradients per position and weight."""

    __slots__ = ("inputs", "output", "weights")

    def __init__(self, output, inputs, weights) -> None:
        self.output, self.inputs, self.weights = output, inputs, weights


def differentiate(
    fn, args: tuple, kwargs: dict, positions, weights, sens=None, has_aux=False
) -> Differentiated:
    """Run ``fn`` once and differentiate its output (the first one alone with ``has_aux``).

    ``positions`` index Tensors in ``args``; ``weights`` is a sequence of Parameters. ``sens`` is None for
    ones, else a Tensor or a structure like the output's. What the output does not depend on gets zeros.
    """
    if levels.depth == 0:
        if levels.beginnings:
            levels.begin()
        known = recording.take(fn, args, kwargs, positions, weights)
        if known is not None:
            found = _from_recording(known, fn, args, kwargs, positions, weights, sens, has_aux)
            return _noted(found, weights)
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return _under_functorch(fn, args, kwargs, positions, weights, sens, has_aux)
    return _noted(_run(fn, args, kwargs, positions, weights, sens, has_aux), weights)


def _noted(found: Differentiated, weights) -> Differentiated:
    if levels.reduction is not None and levels.depth == 0 and found.weights:
        found.weights = levels.reduction(found.weights, weights)
    if overflow.watching and levels.depth == 0:
        overflow.note((*found.inputs, *found.weights))
    return found


def _run(fn, args, kwargs, positions, weights, sens, has_aux) -> Differentiated:
    trainable = levels.trainable(weights)
    try:
        output, grads = _levelled(fn, args, kwargs, positions, trainable, sens, has_aux)
    except RuntimeError as err:
        if "modified by an inplace operation" not in str(err):
            raise
        # fn itself writes in place to something that autograd saved; torch can keep copies, at a price.
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            output, grads = _levelled(fn, args, kwargs, positions, trainable, sens, has_aux)
    if levels.depth == 0:
        detach_(output)
    count = len(positions)
    inputs = [_filled(grads[i], args[p]._t) for i, p in enumerate(positions)] if count else []
    integral = [p for p in positions if _is_integer(args[p]._t)] if count else ()
    if integral:
        _integer_gradients(fn, args, kwargs, positions, integral, inputs, sens, has_aux)
    found = _spread(grads[count:] if count else grads, trainable, weights)
    if len(trainable) < len(weights):
        _integer_weights(fn, args, kwargs, weights, found, sens, has_aux)
    return Differentiated(output, inputs, found)


def _levelled(fn, args, kwargs, positions, trainable, sens, has_aux):
    """One level: the body run over aliases, and its gradients (None where nothing flows)."""
    with Level(trainable) as level:
        wrt = level.aliases
        if positions:
            args = list(args)
            sources = []
            for p in positions:
                t = args[p]._t
                if t.is_floating_point() or t.is_complex():
                    args[p] = fresh = levels.fresh(t)
                    sources.append(fresh._t)
                else:
                    sources.append(None)
            wrt = sources + wrt
        output = fn(*args, **kwargs)
        return output, _backward(_differentiated(output, has_aux), sens, wrt, create_graph=levels.depth > 1)


def _spread(grads, trainable, weights):
    """Gradients of the trainable weights back in the order of ``weights``; frozen ones get zeros."""
    if len(trainable) == len(weights):
        if not any(g is None or "_grad_hooks" in w.__dict__ for g, w in zip(grads, weights, strict=True)):
            return grads
        return [_hooked(w, _filled(g, w._t)) for g, w in zip(grads, weights, strict=True)]
    found = dict(zip(map(id, trainable), grads, strict=True))
    return [_hooked(w, _filled(found.get(id(w)), w._t)) for w in weights]


def _hooked(w, g: torch.Tensor) -> torch.Tensor:
    hooks = w.__dict__.get("_grad_hooks")
    if hooks:
        for hook in tuple(hooks.values()):
            new = hook(wrap(g))
            if new is not None:
                g = new._t
    return g


def _filled(g, like: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(like, requires_grad=False) if g is None else g


def _differentiated(output, has_aux: bool) -> list[torch.Tensor]:
    if has_aux:
        if not isinstance(output, (tuple, list)) or len(output) < 2:
            raise ValueError("When has_aux is True, origin fn requires more than one outputs.")
        output = output[0]
    return [t._t for t in tensors_of(output)]


def _backward(outs: list[torch.Tensor], sens, wrt, create_graph: bool) -> list:
    """Gradients with ones (or ``sens``) as sensitivity and None where nothing flows."""
    asked = [t for t in wrt if t is not None]
    whole = len(asked) == len(wrt)
    if levels.received:
        asked += levels.received
        levels.received.clear()
    if sens is None:
        outs = [o for o in outs if o.requires_grad]
        given = [torch.ones_like(o, requires_grad=False) for o in outs]
    else:
        given = [s._t for s in tensors_of(sens)]
        if len(given) != len(outs):
            raise ValueError(
                f"The number of sensitivities must be the number of outputs, {len(outs)}, "
                f"but got {len(given)}."
            )
        given = [_fit(s, o) for s, o in zip(given, outs, strict=True) if o.requires_grad]
        outs = [o for o in outs if o.requires_grad]
    if not outs or not asked:
        return [None] * len(wrt)
    # What `torch.autograd.grad` calls once it has checked what is right by construction here: a third of
    # its time for a small operator.
    grads = _engine_run_backward(
        tuple(outs), tuple(given), create_graph, create_graph, tuple(asked), True, accumulate_grad=False
    )
    if whole:
        return list(grads) if len(grads) == len(wrt) else list(grads[: len(wrt)])
    grads = iter(grads)
    return [None if t is None else next(grads) for t in wrt]


def _fit(sens: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    if sens.dtype is not out.dtype:
        raise TypeError(
            f"The dtype should be {from_torch(out.dtype)}, but got {from_torch(sens.dtype)}, "
            "for the sensitivity must have the output's dtype."
        )
    if sens.shape != out.shape:
        if sens.numel() == out.numel() == 1:  # programs of r1.x pass a scale of shape (1,) for a loss of ()
            return sens.reshape(out.shape)
        raise ValueError(
            f"The shape should be {list(out.shape)}, but got {list(sens.shape)}, "
            "for the sensitivity must have the output's shape."
        )
    return sens


def _from_recording(known, fn, args, kwargs, positions, weights, sens, has_aux) -> Differentiated:
    _differentiated(known.output, has_aux)
    attached = [known.attached[id(t)] for t in tensors_of(known.output[0] if has_aux else known.output)]
    sources = [known.inputs.get(p) for p in positions]
    trainable = levels.trainable(weights)
    aliases = [known.aliases[id(w)] for w in trainable]
    with levels.lock:
        grads = _backward(attached, sens, [*sources, *aliases], create_graph=False)
    inputs = [_filled(g, args[p]._t) for g, p in zip(grads, positions, strict=False)]
    integral = [p for p in positions if _is_integer(args[p]._t)]
    if integral:
        _integer_gradients(fn, args, kwargs, positions, integral, inputs, sens, has_aux)
    found = _spread(grads[len(positions) :], trainable, weights)
    if len(trainable) < len(weights):
        _integer_weights(fn, args, kwargs, weights, found, sens, has_aux)
    return Differentiated(known.output, inputs, found)


def _is_integer(t: torch.Tensor) -> bool:
    return not (t.is_floating_point() or t.is_complex() or t.dtype is torch.bool)


def _integer_gradients(fn, args, kwargs, positions, integral, inputs, sens, has_aux) -> None:
    """Gradients of integer inputs, through a run with float shadows; zeros where the function needs integers.

    A label or an index cannot be a float, so that run fails and the gradient is zero, as in MindSpore. The
    shadow run leaves no trace: random state and parameters are as before.
    """
    shadow = list(args)
    for p in integral:
        shadow[p] = wrap(args[p]._t.double())
    with random_streams.as_before(), levels.dry():
        try:
            found = _run(fn, tuple(shadow), kwargs, integral, (), sens, has_aux)
        except (RuntimeError, TypeError, ValueError, IndexError):
            return
    for p, g in zip(integral, found.inputs, strict=True):
        inputs[list(positions).index(p)] = g.to(args[p]._t.dtype)


class _Shadows(Level):
    """A level in which integer weights are float64."""

    def _alias(self, t: torch.Tensor) -> torch.Tensor:
        return t.double().requires_grad_()


def _integer_weights(fn, args, kwargs, weights, grads, sens, has_aux) -> None:
    """The gradients of trainable integer weights (positions, counts), as `_integer_gradients` finds them.

    Where the run fails with all of them as floats, each is tried alone: an index among them has none.
    """

    def shadowed(whole) -> bool:
        with random_streams.as_before(), levels.dry():
            try:
                with _Shadows(whole) as level:
                    outs = _differentiated(fn(*args, **kwargs), has_aux)
                    fitting = None
                    if sens is not None:
                        given = zip(tensors_of(sens), outs, strict=True)
                        fitting = [wrap(s._t.to(o.dtype)) for s, o in given]
                    found = _backward(outs, fitting, level.aliases, create_graph=False)
            except (RuntimeError, TypeError, ValueError, IndexError):
                return False
        for i, w in enumerate(weights):
            g = next((g for v, g in zip(whole, found, strict=True) if v is w), None)
            if g is not None:
                grads[i] = g.to(w._t.dtype)
        return True

    whole = [w for w in weights if w.requires_grad and _is_integer(w._t)]
    if whole and not shadowed(whole) and len(whole) > 1:
        for w in whole:
            shadowed([w])


def _under_functorch(fn, args, kwargs, positions, weights, sens, has_aux) -> Differentiated:
    """Inside ``vmap`` autograd's own switches are off; ``torch.func.vjp`` is the way that nests."""
    trainable = levels.trainable(weights)
    held = {}

    def pure(inputs, values):
        call = list(args)
        for p, t in zip(positions, inputs, strict=True):
            call[p] = wrap(t)
        saved = [w._t for w in trainable]
        try:
            for w, t in zip(trainable, values, strict=True):
                w._t = t
            output = fn(*call, **kwargs)
        finally:
            for w, t in zip(trainable, saved, strict=True):
                w._t = t
        held["output"] = output
        return tuple(_differentiated(output, has_aux)), [t._t for t in tensors_of(output)]

    outs, pull, values = torch.func.vjp(
        pure, [args[p]._t for p in positions], [w._t for w in trainable], has_aux=True
    )
    for wrapper, t in zip(tensors_of(held["output"]), values, strict=True):
        wrapper._t = t
    given = tuple(torch.ones_like(o) for o in outs) if sens is None else tuple(s._t for s in tensors_of(sens))
    inputs, grads = pull(given)
    return Differentiated(held["output"], list(inputs), _spread(list(grads), trainable, weights))


def jvp(fn, args, tangents, has_aux=False):
    """Output, aux and directional derivative, by differentiating the pull-back twice (works at any depth)."""
    for a, v in zip(args, tangents, strict=True):
        _fit(v._t, a._t)
    with Level() as _:
        call = [levels.fresh(a._t) for a in args]
        sources = [c._t for c in call]
        output = fn(*call)
        primal, aux = (output[0], output[1:]) if has_aux else (output, None)
        outs = [t._t for t in tensors_of(primal)]
        dummies = [torch.zeros_like(o, requires_grad=True) for o in outs]
        flowing = [(o, d) for o, d in zip(outs, dummies, strict=True) if o.requires_grad]
        pulled = (
            torch.autograd.grad(
                [o for o, _ in flowing],
                sources,
                [d for _, d in flowing],
                create_graph=True,
                allow_unused=True,
            )
            if flowing
            else [None] * len(sources)
        )
        pairs = [
            (g, v._t.to(g.dtype))
            for g, v in zip(pulled, tangents, strict=True)
            if g is not None and g.requires_grad
        ]
        pushed = (
            torch.autograd.grad(
                [g for g, _ in pairs],
                dummies,
                [v for _, v in pairs],
                allow_unused=True,
                create_graph=levels.depth > 1,
            )
            if pairs
            else [None] * len(outs)
        )
    if levels.depth == 0:
        detach_(output)
    return (
        primal,
        aux,
        [
            _filled(g, o).detach() if levels.depth == 0 else _filled(g, o)
            for g, o in zip(pushed, outs, strict=True)
        ],
    )


def vjp(fn, args, weights=(), has_aux=False):
    """Output, aux and a pull-back that can be called any number of times."""
    trainable = levels.trainable(weights)
    with Level(trainable) as level:
        call = [levels.fresh(a._t) if isinstance(a, Tensor) else a for a in args]
        sources = [c._t for c in call if isinstance(c, Tensor)]
        aliases = list(level.aliases)
        output = fn(*call)
        primal, aux = (output[0], output[1:]) if has_aux else (output, None)
        outs = [t._t for t in tensors_of(primal)]
    nested = levels.depth > 0
    if not nested:
        detach_(output)

    def pull(sens):
        given = [s._t for s in tensors_of(sens)]
        pairs = [(o, _fit(s, o)) for o, s in zip(outs, given, strict=True) if o.requires_grad]
        wrt = [*sources, *aliases]
        grads = (
            torch.autograd.grad(
                [o for o, _ in pairs],
                wrt,
                [s for _, s in pairs],
                retain_graph=True,
                create_graph=levels.depth > 0,
                allow_unused=True,
            )
            if pairs
            else [None] * len(wrt)
        )
        filled = [_filled(g, t) for g, t in zip(grads, wrt, strict=True)]
        return filled[: len(sources)], _spread(grads[len(sources) :], trainable, weights)

    return primal, aux, pull


def jacobian(fn, args, positions, has_aux=False):
    """For each output and position the Jacobian (output shape + input shape); also the aux outputs."""
    with Level() as _:
        call = list(args)
        sources = []
        for p in positions:
            call[p] = fresh = levels.fresh(args[p]._t)
            sources.append(fresh._t)
        output = fn(*call)
        primal, aux = (output[0], output[1:]) if has_aux else (output, None)
        nested = levels.depth > 1
        rows = []
        for wrapper in tensors_of(primal):
            out = wrapper._t
            if not out.requires_grad:
                rows.append([s.new_zeros(out.shape + s.shape) for s in sources])
                continue
            basis = torch.eye(out.numel(), dtype=out.dtype, device=out.device).reshape(
                out.numel(), *out.shape
            )
            grads = torch.autograd.grad(
                out,
                sources,
                basis,
                is_grads_batched=True,
                retain_graph=True,
                create_graph=nested,
                allow_unused=True,
            )
            rows.append(
                [
                    s.new_zeros(out.shape + s.shape) if g is None else g.reshape(out.shape + s.shape)
                    for g, s in zip(grads, sources, strict=True)
                ]
            )
    if levels.depth == 0:
        detach_(output)
    return primal, aux, rows
