"""One Cell and its Module: the same weights, the same inputs; outputs, gradients, statistics.

How far they may lie apart is told by the Module in float64, and by the Module with every result on its way
moved by its rounding: ``K + 1`` times the greater and a floor of units in the last place, as the twin run
has it (`ms2torch.difftest.yardstick`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import NamedTuple

import torch

from ms2torch._core.torch_private import tree_flatten, tree_map
from ms2torch.difftest.double import Double, Wide
from ms2torch.difftest.yardstick import epsilon, tolerance
from ms2torch.migrate.to_torch import to_torch
from ms2torch.nn.cell import Cell

from . import twins
from .instances import Called
from .trembling import Trembling

# Where float64 cannot be had, so many units in the last place may be lost.
_WITHOUT_DOUBLE = 1e4
# A Module is run with moved results so often, from these seeds, before rounding is no explanation.
_SEEDS = (1, 2, 3)


class Difference(NamedTuple):
    """The first number that differs: of what (``output 0``, ``gradient of fc.weight``), how far, how far it
    may."""

    what: str
    error: float
    tolerance: float
    text: str = ""

    def sentence(self) -> str:
        if self.text:
            return f"{self.what}: {self.text}"
        return f"{self.what} differs by {self.error:.3g} of its norm (tolerance {self.tolerance:.2g})"


class Outcome(NamedTuple):
    """What one side made: outputs, gradients and written statistics by name."""

    outputs: list
    gradients: dict[str, torch.Tensor | None]
    written: dict[str, torch.Tensor]


def compare(cell: Cell, twin: torch.nn.Module, called: Called, given: Called) -> Difference | None:
    """The first difference of a Cell and the Module that stands for it, None where there is none.

    ``called`` is what the Cell was called with, ``given`` the same as the translation has it.
    """
    pairs, missing, extra = twins.pair_parameters(cell, twin)
    if missing or extra:
        who, names = ("the Module", missing) if missing else ("the Cell", extra)
        return Difference("parameters", math.nan, 0.0, f"{who} has nothing for {', '.join(names)}")
    weights = twins.weights_of(cell)
    twins.load_weights(weights, twin, pairs)
    cell.set_train(called.training)
    twin.train(called.training)
    original = to_torch(cell)
    for name, p in cell.parameters_and_names():  # what trains is the optimizer's matter, not the network's
        other = dict(twin.named_parameters()).get(pairs.get(name))
        if other is not None:
            other.requires_grad_(p.requires_grad)
    try:
        random = _is_random(original, called)
    except Exception as error:
        raise twins.Unpaired(f"the original fails: {type(error).__name__}: {error}") from error
    if random:
        _without_dropout(cell, twin)
        random = _is_random(original, called)
    if random:
        return Difference("outputs", math.nan, 0.0, RANDOM)
    with _kept(original):
        theirs = _outcome(original, called, {})

    def again(how=nullcontext) -> Outcome:
        twins.load_weights(weights, twin, pairs)
        with how():
            return _outcome(twin, given, {other: name for name, other in pairs.items()})

    ours = again()
    try:
        double = again(Double)
    except Exception:
        double = None
    found = _judged(theirs, ours, double)
    if found is not None and found.tolerance > 0 and found.error < math.inf:
        try:
            moved = [again(partial(Trembling, seed)) for seed in _SEEDS]
        except Exception:
            return found
        found = _judged(theirs, ours, double, moved)
    return found


RANDOM = "they are random, with dropout off, too"


def _is_random(module, called: Called) -> bool:
    """Whether two calls differ."""

    def once(seed: int):
        torch.manual_seed(seed)
        with torch.no_grad(), _kept(module):
            return _tensors(module(*called.arguments, **called.keywords))

    return any(not torch.equal(a, b) and not (a != a).any() for a, b in zip(once(1), once(2), strict=True))


@contextmanager
def _kept(module):
    """What a call writes into buffers is undone."""
    before = {name: t.detach().clone() for name, t in twins.tensors(module).items()}
    try:
        yield
    finally:
        with torch.no_grad():
            for name, t in twins.tensors(module).items():
                t.copy_(before[name])


def _without_dropout(cell: Cell, twin: torch.nn.Module) -> None:
    for _, part in cell.cells_and_names():
        if "Dropout" in type(part).__name__:
            part.set_train(False)
    for part in twin.modules():
        if "Dropout" in type(part).__name__:
            part.eval()


def _tensors(value) -> list[torch.Tensor]:
    return [v for v in tree_flatten(value)[0] if isinstance(v, torch.Tensor)]


def _differentiable(value) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _outcome(module: torch.nn.Module, called: Called, names: dict[str, str]) -> Outcome:
    """Run a Module forward and backward, from the sum of its outputs with fixed weights."""

    def entering(value):
        if not isinstance(value, torch.Tensor):
            return value
        return value.detach().clone().requires_grad_(value.requires_grad)

    arguments, keywords = tree_map(entering, called.arguments), tree_map(entering, called.keywords)
    inputs = [t for t in _tensors((arguments, keywords)) if t.requires_grad]
    weights = [(names.get(n, n), p) for n, p in module.named_parameters() if p.requires_grad]
    rng_state = torch.random.get_rng_state()
    torch.manual_seed(0)
    with torch.enable_grad():
        made = module(*arguments, **keywords)
        outputs = tree_flatten(made)[0]
        ends = [o for o in outputs if _differentiable(o) and o.requires_grad]
        wanted = [*inputs, *(p for _, p in weights)]
        found = [None] * len(wanted)
        if ends and wanted:
            found = torch.autograd.grad(ends, wanted, [_weights(o) for o in ends], allow_unused=True)
    torch.random.set_rng_state(rng_state)
    labels = [*(f"input {i}" for i in range(len(inputs))), *(n for n, _ in weights)]
    buffers = [(n, t) for n, t in module.named_buffers() if n.rpartition(".")[2] not in twins.UNCOUNTED]
    written = {names.get(n, n): t.detach().clone() for n, t in buffers}
    return Outcome([_settled(o) for o in outputs], dict(zip(labels, found, strict=True)), written)


def _settled(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


def _weights(output: torch.Tensor) -> torch.Tensor:
    """Fixed numbers between 0.5 and 1.5, the same for one size on all sides."""
    steps = torch.arange(output.numel(), dtype=torch.float64).reshape(output.shape)
    return (1 + 0.5 * torch.sin(1.7 * steps + 0.3)).to(output.dtype)


# ---- judging -----------------------------------------------------------------------------------------------


def _judged(
    theirs: Outcome, ours: Outcome, double: Outcome | None, moved: Sequence[Outcome] = ()
) -> Difference | None:
    if len(theirs.outputs) != len(ours.outputs):
        return Difference("outputs", math.inf, 0.0, f"{len(ours.outputs)} and not {len(theirs.outputs)}")
    for i, (one, two) in enumerate(zip(theirs.outputs, ours.outputs, strict=True)):
        found = _differs(f"output {i}", one, two, double and double.outputs[i], [m.outputs[i] for m in moved])
        if found:
            return found
    for what, sides in (("gradient of", "gradients"), ("the statistics", "written")):
        left, right, middle = (getattr(o, sides) if o else {} for o in (theirs, ours, double))
        for name, one in left.items():
            if name not in right:
                continue  # one side trains what the other keeps as a buffer
            two, others = _as_shaped(right[name], one), [getattr(m, sides)[name] for m in moved]
            found = _differs(f"{what} {name}", one, two, middle.get(name), others)
            if found:
                return found
    return None


def _as_shaped(two, one):
    """What belongs to a weight, in the shape that the other side has, where ones alone differ: of Conv1d."""
    if isinstance(one, torch.Tensor) and isinstance(two, torch.Tensor) and twins.alike(one.shape, two.shape):
        return two.reshape(one.shape)
    return two


def _differs(what: str, one, two, middle, moved: list) -> Difference | None:
    if not isinstance(one, torch.Tensor) or not isinstance(two, torch.Tensor):
        return _plainly(what, one, two)
    if list(one.shape) != list(two.shape):
        return Difference(what, math.inf, 0.0, f"shape {list(two.shape)} and not {list(one.shape)}")
    if _family(one) != _family(two):
        return Difference(what, math.inf, 0.0, f"dtype {two.dtype} and not {one.dtype}".replace("torch.", ""))
    apart = _distance(one, two)
    if not _differentiable(one):
        return Difference(what, apart, 0.0) if apart else None
    unit = epsilon(str(one.dtype).removeprefix("torch."))
    allowed = unit * _WITHOUT_DOUBLE
    if isinstance(middle, torch.Tensor):
        rounding = [_distance(middle, two), *(_distance(two, m) for m in moved if m is not None)]
        allowed = tolerance(max(rounding), unit)
    return Difference(what, apart, allowed) if not apart <= allowed else None


def _plainly(what: str, one, two) -> Difference | None:
    """Outputs of which one is no tensor: a gradient that is not there is zero."""
    if what.startswith("gradient"):
        there = next((t for t in (one, two) if isinstance(t, torch.Tensor)), None)
        if there is None or not there.any():
            return None
        return Difference(what, math.inf, 0.0, "only one side has it")
    try:
        same = bool(one == two) or abs(float(one) - float(two)) <= 1e-5 * abs(float(one))
    except (TypeError, ValueError, RuntimeError):
        same = type(one) is type(two)
    return None if same else Difference(what, math.inf, 0.0, f"{two!r:.60} and not {one!r:.60}")


def _family(t: torch.Tensor) -> str:
    """The dtype; integers of all widths are one."""
    if t.dtype is torch.bool or _differentiable(t):
        return str(t.dtype)
    return "integer"


def _distance(one: torch.Tensor, two: torch.Tensor) -> float:
    """As a part of the first one's norm; nan and infinities must be at the same places."""
    one, two = (_wide(t) for t in (one, two))
    special = ~torch.isfinite(one)
    if not torch.equal(special, ~torch.isfinite(two)) or not torch.equal(
        torch.nan_to_num(one[special]), torch.nan_to_num(two[special])
    ):
        return math.inf
    one, two = one[~special], two[~special]
    gap = float(torch.linalg.vector_norm(one - two))
    return gap / (float(torch.linalg.vector_norm(one)) or gap) if gap else 0.0


def _wide(t: torch.Tensor) -> torch.Tensor:
    t = (t.wide if isinstance(t, Wide) else t).detach().cpu().ravel()
    return t.to(torch.complex128 if t.is_complex() else torch.float64)
