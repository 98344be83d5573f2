"""Functional gradients over torch's autograd engine.

``differentiate`` is the one way: ``grad``, ``value_and_grad``, ``GradOperation`` and the train cells select
from what it returns; `transforms` has ``vjp``, ``jvp`` and Jacobians. Gradients come out as values; no
``.grad`` is ever written. The body runs once.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import is_transforming, run_backward

from . import copy_on_write, integers, overflow, passes, recording, rows
from .passes import Pass, Valued, is_integral, tensors_of

# What has a gradient in a tuple, list or dict.
_DIFFERENTIABLE = (Tensor, int, float, tuple, list, dict, Valued)
_FLOATS = frozenset((torch.float32, torch.float16, torch.bfloat16, torch.float64))


class Differentiated:
    """What a differentiation gives: the function's output, raw torch gradients by place and by weight.

    The gradient of a place that holds a tuple, list or dict is one of gradients.
    """

    __slots__ = ("inputs", "output", "weights")

    def __init__(self, output, inputs, weights) -> None:
        self.output, self.inputs, self.weights = output, inputs, weights


def differentiate(
    fn, args: tuple, kwargs: dict, places, weights, sens=None, has_aux=False
) -> Differentiated:
    """Run ``fn`` once and differentiate its output (the first one alone with ``has_aux``).

    ``places`` are positions in ``args`` and names in ``kwargs``; ``weights`` is a sequence of Parameters.
    ``sens`` is None for ones, else a Tensor or a structure like the output's. What the output does not depend
    on gets zeros.
    """
    outermost = mode.differentiation is None
    if mode.spreading is not None:
        return mode.spreading.differentiated(
            differentiate, fn, args, kwargs, places, weights, sens, has_aux)
    if outermost:
        if passes.before_training:
            passes.prepare_training()
        known = recording.claim_recording(fn, args, kwargs, places, weights)
        if known is not None:
            return _noted(_from_recording(known, args, places, weights, sens, has_aux), weights)
    if is_transforming():
        from .transforms import under_functorch

        return under_functorch(fn, args, kwargs, places, weights, sens, has_aux)
    found = _run(fn, args, kwargs, places, weights, sens, has_aux)
    return _noted(found, weights) if outermost else found


def value_and_gradients(fn, args: tuple, weights, sens=None) -> Differentiated:
    """One run of ``fn`` that is differentiated by ``weights``, whatever recordings wait.

    ``sens`` is a function from the output to its sensitivity, None for ones.
    """
    return _noted(_run(fn, args, {}, (), weights, sens, False), weights)


def _noted(found: Differentiated, weights) -> Differentiated:
    if passes.reduction is not None and found.weights:
        found.weights = passes.reduction(rows.densify(found.weights), weights)
    if passes.settling is not None:
        settle, passes.settling = passes.settling, None
        settle(found, weights)
    if overflow.watching:
        raw = [g for g in found.inputs if isinstance(g, torch.Tensor)]
        overflow.check((*raw, *rows.densify(found.weights)))
    return found


def _run(fn, args, kwargs, places, weights, sens, has_aux) -> Differentiated:
    wanted = weights if mode.graph else [w for w in weights if w.requires_grad]
    with _PassOverIntegers(wanted) as opened:
        inputs = Inputs(args, kwargs, places, opened)
        opened.given = inputs.given()
        opened.origins = [*args, *kwargs.values()]
        output = fn(*inputs.args, **inputs.kwargs)
        found = _differentiated(output, has_aux)
        if callable(sens):
            sens = sens(output)
        grads = backward(found, sens, inputs.sources + opened.sources, opened.received,
                         opened.outer is not None)
        for place, dtype in opened.retyped.items():
            place += len(inputs.sources)
            if grads[place] is not None:
                grads[place] = grads[place].to(dtype)
        for call in opened.hooked:
            call.finish()
        opened.remember(output)
        count = len(inputs.sources)
        if count:
            return Differentiated(output, inputs.arranged(grads[:count]),
                                  _spread(grads[count:], wanted, weights, opened.usual))
        return Differentiated(output, inputs.arranged(()), _spread(grads, wanted, weights, opened.usual))


class _PassOverIntegers(Pass):
    """A pass whose integer weights have shadows; ``sources`` is what to differentiate by.

    ``usual``: none has one, nor shares its gradients. ``retyped``: the dtypes of gradients, by their
    places, of weights that the body gave another dtype.
    """

    __slots__ = ("retyped", "sources", "usual")

    def __enter__(self) -> Pass:
        self.sources = []
        self.retyped = {}
        self.usual = True
        return super().__enter__()

    def _take_all(self) -> None:
        taken, aliases, sources, alone = self._taken, self.aliases, self.sources, mode.mesh is None
        for w in self.weights:
            if w._share is None and w._home is None and alone:      # (reading a shared one would gather it)
                t = w._t
                if t.dtype in _FLOATS and not t.requires_grad:
                    w._t = new = t.detach().requires_grad_()        # what `alias` does for most
                    taken.append((w, t, new))
                    aliases.append(new)
                    sources.append(new)
                    continue
            self.usual = False
            self._take(w)

    def alias(self, weight) -> torch.Tensor:
        new = source = self.leaf(weight)
        if new is None:
            new, source = integers.differentiable(weight._t)
        self.sources.append(source)
        return new


    def torchs(self, weight) -> torch.Tensor:
        new = super().torchs(weight)
        if new is weight._of_torch:
            self.sources.append(new)
        return new

    def differ(self, old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        place = next((i for i, source in enumerate(self.sources) if source is old), None)
        if place is None or not new.is_floating_point():
            return new
        self.usual = False
        if new.dtype is not old.dtype:
            self.retyped[place] = new.dtype
        if new.shape == old.shape:
            return copy_on_write.overwrite(old, new.to(old.dtype)).to(new.dtype)
        self.sources[place] = leaf = new.detach().requires_grad_()
        return leaf


class Inputs:
    """The arguments of a call with fresh aliases in the places that are differentiated.

    ``sources`` are the aliases, in the order of the places; a tuple, list or dict has one for each Tensor.
    What is `mutable` may hold numbers, and be one: their gradients are 0.
    """

    __slots__ = ("_likes", "_opened", "args", "kwargs", "sources")

    def __init__(self, args: tuple, kwargs: dict, places, opened: Pass) -> None:
        self.sources: list[torch.Tensor] = []
        self._likes: list = []
        self._opened = opened
        self.args, self.kwargs = list(args), dict(kwargs)
        for place in places:
            of = self.args if place.__class__ is int else self.kwargs
            self._likes.append(of[place])
            of[place] = self._fresh(of[place])
        if mode.graph:
            passes.values_of_their_own(self.args, self.kwargs, places)

    def given(self) -> list:
        """The arguments, as a body must not write to them."""
        return [*self.args, *self.kwargs.values()]

    def _fresh(self, value):
        if isinstance(value, Tensor):
            # (A weight that is an argument too is another variable there.)
            alias, source = integers.differentiable(self._opened.at_rest(value))
            self.sources.append(source)
            return passes.standing_for(value, alias, source)
        if isinstance(value, dict):
            return _kind_of(value, dict)({key: self._fresh(item) for key, item in value.items()})
        if isinstance(value, (tuple, list)):
            made = _kind_of(value, list if isinstance(value, list) else tuple)
            return made([self._fresh(item) for item in value])
        if isinstance(value, (int, float)) and value.__class__ is not bool:
            return float(value) if isinstance(value, float) else int(value)
        if isinstance(value, Valued):
            return value._with(self._fresh(value.values))
        return value

    def arranged(self, grads: list) -> list:
        """For each place its gradient, in the structure of what stood there; zeros for None."""
        grads = iter(grads)
        return [_arranged(like, grads) for like in self._likes]


def _kind_of(value, plain: type) -> type:
    """A container's class where it is `mutable`, which an inner gradient asks for; ``plain`` elsewhere."""
    return value.__class__ if hasattr(value, "__ms_mutable__") else plain


def _arranged(like, grads):
    if isinstance(like, Tensor):
        return zeros_if_none(next(grads), like._t)
    if isinstance(like, (int, float)):
        return 0.0 if isinstance(like, float) else 0
    if isinstance(like, Valued):
        gradient = _arranged(like.values, grads)
        return like._with(wrap(gradient)) if mode.graph else gradient
    if isinstance(like, dict):
        return {key: _arranged(v, grads) for key, v in like.items() if isinstance(v, _DIFFERENTIABLE)}
    items = [_arranged(item, grads) for item in like if isinstance(item, _DIFFERENTIABLE)]
    return items if isinstance(like, list) else tuple(items)


def _spread(grads, wanted, weights, usual=False):
    """Gradients of the wanted weights back in the order of ``weights``; frozen ones get zeros, those too that
    the run itself froze.

    ``usual``: each gradient that there is has its weight's dtype.
    """
    if len(wanted) == len(weights) and (mode.graph or all(w.requires_grad for w in weights)):
        for g, w in zip(grads, weights, strict=True):
            if g is None or "_grad_hooks" in w.__dict__ or not (usual or _is_float(w)):
                break
        else:
            return grads
        return [_hooked(w, zeros_if_none(g, _like(w))) for g, w in zip(grads, weights, strict=True)]
    found = {id(w): g for w, g in zip(wanted, grads, strict=True) if w.requires_grad or mode.graph}
    return [_hooked(w, zeros_if_none(found.get(id(w)), _like(w))) for w in weights]


def _is_float(w) -> bool:
    rest = w.__dict__.get("_rest")
    return not is_integral(w._t if rest is None else rest)


def _like(w) -> torch.Tensor:
    """What a gradient of ``w`` is like."""
    return w._t if w._share is None else w._share.template()


def _hooked(w, g: torch.Tensor) -> torch.Tensor:
    hooks = w.__dict__.get("_grad_hooks")
    if hooks:
        for hook in tuple(hooks.values()):
            shown = rows.as_gradient(g)
            new = hook(shown)
            if new is not None:
                g = new._t
            elif shown.__class__ is Tensor:
                g = shown._t
    return g


def zeros_if_none(g, like: torch.Tensor) -> torch.Tensor:
    """A gradient for ``like``, in its dtype: zeros where there is none."""
    if g is None:
        return torch.zeros_like(like, requires_grad=False)
    return g if g.dtype is like.dtype or not is_integral(like) else integers.cast(g, like.dtype)


def _differentiated(output, has_aux: bool) -> list[torch.Tensor]:
    if has_aux:
        if not isinstance(output, (tuple, list)) or len(output) < 2:
            raise ValueError("When has_aux is True, origin fn requires more than one outputs.")
        output = output[0]
    return [t._t for t in tensors_of(output)]


def backward(outs: list[torch.Tensor], sens, wrt, received, create_graph: bool) -> list:
    """Gradients by ``wrt`` with ones (or ``sens``) as sensitivity and None where nothing flows.

    ``received`` are the tensors whose gradient the pass asks for beside (`Pass.received`).
    """
    asked = [*wrt, *received] if received else wrt
    if sens is None:
        outs = [integers.tracked(o) for o in outs]
        outs = [o for o in outs if o.requires_grad]
        given = [torch.ones_like(o, requires_grad=False) for o in outs]
    else:
        given = [s._t for s in tensors_of(sens)]
        if outs and len(given) != len(outs):
            raise ValueError(
                f"The number of sensitivities must be the number of outputs, {len(outs)}, "
                f"but got {len(given)}."
            )
        pairs = [(integers.tracked(o), check_sensitivity(s, o)) for o, s in zip(outs, given, strict=False)]
        outs = [o for o, _ in pairs if o.requires_grad]
        given = [s.to(o.dtype) for o, s in pairs if o.requires_grad]
    if not outs or not asked:
        return [None] * len(wrt)
    grads = run_backward(
        tuple(outs), tuple(given), create_graph, create_graph, tuple(asked), True, accumulate_grad=False
    )
    return list(grads) if len(grads) == len(wrt) else list(grads[: len(wrt)])


def check_sensitivity(sens: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """The sensitivity ``sens`` for ``out``; TypeError or ValueError where it does not fit."""
    if sens.dtype is not out.dtype:
        raise TypeError(
            f"The dtype should be {from_torch(out.dtype)}, but got {from_torch(sens.dtype)}, "
            "for the sensitivity must have the output's dtype."
        )
    if mode.mesh is not None:
        sens = mode.mesh.spread(sens)
    if sens.shape != out.shape:
        if sens.numel() == out.numel() == 1:  # programs of r1.x pass a scale of shape (1,) for a loss of ()
            return sens.reshape(out.shape)
        raise ValueError(
            f"The shape should be {list(out.shape)}, but got {list(sens.shape)}, "
            "for the sensitivity must have the output's shape."
        )
    return sens


def _from_recording(known, args, places, weights, sens, has_aux) -> Differentiated:
    _differentiated(known.output, has_aux)
    attached = [known.attached[id(t)] for t in tensors_of(known.output[0] if has_aux else known.output)]
    sources = [known.inputs[p] for p in places]
    wanted = [w for w in weights if id(w) in known.sources]
    lent = (passes.Lent(known.recomputes, [known.sources[id(w)] for w in known.recomputes])
            if known.recomputes else passes.threads.held())
    with lent:
        grads = backward(attached, sens, [*sources, *[known.sources[id(w)] for w in wanted]],
                         known.received, False)
        for call in known.hooked:
            call.finish()
    inputs = [zeros_if_none(g, args[p]._t) for g, p in zip(grads, places, strict=False)]
    return Differentiated(known.output, inputs, _spread(grads[len(places):], wanted, weights))
