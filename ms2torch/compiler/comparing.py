"""Whether a compiled step and the eager one may be called equal: the yardstick of ``ms2torch diff``.

Cheap first: the norm of the difference against that of the value, or of the change for what was written. What
is beyond that is measured by the same graph in float64: both sides may be off by rounding, and how much shows
in the one that is nearer to it, and in the graph run as it is, operator by operator, which the eager step's
rounding is. (Not in the eager step itself: it is far from a graph that computes something else, which is its
own truth.) Where that is not enough, the graph is run from inputs that are off by some units in the last
place: an activation that rounding moved over a ReLU's zero moves every gradient before it. Run as it is and
in float64 from inputs farther off, the graph gives other samples of its rounding: that of one place may be
small by luck, as in the loss of a net that fits its data, a logarithm of nearly 1.
"""

from __future__ import annotations

import torch

from ms2torch.difftest.yardstick import K, epsilon

# Units in the last place, of a result and of a change: a compiler may order sums as it likes, and powers
# and roots in an optimizer's kernels are less exact than sums of products.
FLOOR, FLOOR_OF_UPDATE = 100.0, 1024.0
# How often inputs are shaken, and by how many units: rounding adds up on the way to a deep activation.
SHAKEN, SHAKE = 3, 8.0
# By how many for another sample of the rounding: 1/256 of a float32.
APART = 2.0**15


def _norm(t: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(t.double()))


def _unit(t: torch.Tensor) -> float:
    return epsilon(str(t.dtype).rpartition(".")[2])


def close(ours: torch.Tensor, eager: torch.Tensor, before: torch.Tensor | None = None) -> bool:
    """Whether two results agree to within some units in the last place; ``before``: what a step changed."""
    if ours.shape != eager.shape or ours.dtype is not eager.dtype:
        return False
    if not (eager.is_floating_point() or eager.is_complex()):
        return torch.equal(ours, eager)
    if torch.equal(ours, eager):
        return True
    return _off(ours, eager) <= _allowed(eager, before)


def _off(a: torch.Tensor, b: torch.Tensor) -> float:
    """The norm of the difference; nan and infinity must stand in the same places."""
    a, b = a.double(), b.double()
    same = (a == b) | (a.isnan() & b.isnan())
    return _norm(torch.where(same, torch.zeros_like(a), a - b))


def _allowed(eager: torch.Tensor, before: torch.Tensor | None) -> float:
    finite = torch.where(eager.isfinite(), eager, torch.zeros_like(eager))
    if before is None:
        return FLOOR * _unit(eager) * _norm(finite)
    return _unit(eager) * (FLOOR_OF_UPDATE * _norm(finite.double() - before.double()) + _norm(finite))


def differ(ours: list, eager: list, before: list, truth) -> int | None:
    """The place of the first result that differs by more than rounding explains; None where none does.

    ``before`` holds what was there before the step, None for a plain result. ``truth(shaken)`` gives the same
    results in float64, from inputs a little off for a number ``shaken`` (``units``: how far), and
    ``truth(shaken, False)`` in their own dtypes; it is asked only where it matters, and may fail.
    """
    suspects = [i for i, (a, b, c) in enumerate(zip(ours, eager, before, strict=True)) if not close(a, b, c)]
    if not suspects:
        return None
    exact, plain = truth(None), truth(None, False)
    if exact is None or plain is None:
        return suspects[0]

    def off(side: list, i: int) -> float:
        return _off(side[i], exact[i].to(side[i].device))

    rounding = {i: max(min(off(ours, i), off(eager, i)), off(plain, i)) for i in suspects
                if eager[i].is_floating_point()}

    def beyond() -> list[int]:
        return [i for i in suspects if i not in rounding
                or not _off(ours[i], eager[i]) <= (K + 1) * rounding[i] + _allowed(eager[i], before[i])]

    for draw in range(SHAKEN):
        suspects = beyond()
        if not suspects:
            break
        runs = truth(draw), truth(draw, units=APART), truth(draw, False, units=APART)
        if any(run is None for run in runs):
            break
        near, elsewhere, plain = runs
        for i in rounding.keys() & set(suspects):
            rounding[i] = max(rounding[i], _off(near[i], exact[i]), _off(plain[i], elsewhere[i]))
    return next(iter(beyond()), None)


def in_float64(gm: torch.fx.GraphModule, inputs: list, shaken: int | None = None,
               wide: bool = True, units: float = SHAKE) -> list | None:
    """What the graph gives in float64: its results, then its inputs afterwards; None where it cannot.

    ``shaken``, the seed of noise: each float32 input is off by ``units`` in the last place. ``wide=False``:
    what it gives as it is.
    """
    inputs = [t.detach().clone() for t in inputs] if shaken is None else _shaken(inputs, shaken, units)
    if not wide:
        return _run(gm, inputs)
    graph = torch.fx.Graph()
    values = graph.graph_copy(gm.graph, {})
    graph.output(values)
    for node in graph.nodes:
        if node.kwargs.get("dtype") is torch.float32:
            node.kwargs = {**node.kwargs, "dtype": torch.float64}
        node.args = tuple(torch.float64 if a is torch.float32 else a for a in node.args)
    widened = torch.fx.GraphModule(gm, graph)
    for name, value in list(vars(widened).items()):
        if isinstance(value, torch.Tensor) and value.dtype is torch.float32:
            setattr(widened, name, value.double())
    return _run(widened, [t.double() if t.dtype is torch.float32 else t for t in inputs])


def _shaken(inputs: list, seed: int, units: float) -> list[torch.Tensor]:
    noise = torch.Generator().manual_seed(seed)
    made = []
    for t in inputs:
        if t.dtype is torch.float32:
            off = torch.randn(t.shape, generator=noise, dtype=torch.float64).to(t.device)
            t = (t.detach().double() * (1 + units * _unit(t) * off)).float()
        made.append(t.detach().clone())
    return made


def _run(gm, copies: list) -> list | None:
    try:
        with torch.no_grad():
            return [*gm(*copies), *copies]
    except (RuntimeError, TypeError, ValueError):
        return None
