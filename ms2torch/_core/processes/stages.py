"""Which stage of a pipeline computes what: one micro-batch's way through a network whose Cells have stages.

A Cell with a ``pipeline_stage`` is computed there. What is computed outside such Cells is computed where the
latest of its inputs was made; what is made of the network's own inputs alone, everywhere. A `Survey` runs the
network once, whole, and notes every *event*: a call of a Cell with a stage, or an operator outside on what
such Cells gave. From then on a `Walk` computes the events of this process's stage; for those of other stages
it gives what came from there, or a tensor without data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from ms2torch._core.devices.device import device
from ms2torch._core.errors import unsupported
from ms2torch._core.processes import distributed
from ms2torch._core.random import rng
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import WithoutTorchFunction, tree_leaves, tree_map

# What tells a program about a tensor's data, which outside of Cells with stages one process alone has.
_TELLING = frozenset({"item", "tolist", "numpy", "__bool__", "__float__", "__int__", "__index__",
                      "is_nonzero", "equal", "allclose", "__complex__"})
# Attributes that are tensors; and calls that tell how a tensor is, which one without data tells too.
_DERIVED = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
ABOUT = frozenset({"dim", "size", "numel", "nelement", "ndimension", "stride", "is_contiguous",
                    "element_size", "is_floating_point", "is_complex", "is_signed", "storage_offset",
                    "data_ptr", "__len__", "untyped_storage", "get_device", "is_conj", "is_neg", "_is_view",
                    "is_inference", "__hash__", "is_same_size", "result_type", "requires_grad_", "is_pinned",
                    "type"})

# What leaves a weight a weight, in another shape, dtype or place: it is done wherever the weight is read.
_LAYOUTS = frozenset({"T", "mT", "transpose", "permute", "t", "swapaxes", "swapdims", "movedim", "reshape",
                      "view", "flatten", "squeeze", "unsqueeze", "contiguous", "to", "float", "double",
                      "half", "bfloat16", "redistribute"})


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A tensor that an event makes: its number, its stage, what this process's part of it is like (without
    data), the shape of the whole, a DTensor's placements, whether a Tensor is around it."""

    place: int
    stage: int
    like: torch.Tensor
    shape: tuple
    placements: tuple | None
    wrapped: bool


@dataclass(frozen=True, slots=True)
class Passed:
    """A Tensor that a Cell hands through: which of its arguments'."""

    place: int


@dataclass(frozen=True, slots=True)
class Held:
    """A Parameter that a Cell gives as it is, by its id: whoever reads it holds it. ``whole``: it is the
    Parameter itself, not a Tensor of its value."""

    key: int
    whole: bool


class Event(NamedTuple):
    """What happens at a stage; ``outputs`` is its result with a `Value` for each tensor. ``seeds``: how far
    the operators' seeds went on."""

    name: str
    stage: int
    outputs: Any
    seeds: dict


class Plan:
    """What a survey found."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.values: list[Value] = []
        self.needs: dict[int, set[int]] = {}        # a value's number: the stages that need it
        self.uses: dict[int, set[int]] = {}         # a Parameter's id: the stages that read it
        self.output: Value | None = None

    def crossing(self, stage: int) -> list[Value]:
        """What ``stage`` is sent by the one before it: for itself and for later ones."""
        return [v for v in self.values if v.stage < stage <= max(self.needs.get(v.place, {-1}))]


class _Way(TorchFunctionMode):
    """What survey and walk have in common: who made which tensor, and where an operator belongs."""

    def __init__(self, plan: Plan, parameters) -> None:
        super().__init__()
        self.plan = plan
        self.inside: int | None = None
        self._noting = False        # what is done meanwhile is not the network's
        self._parameters = {id(p): p for p in parameters}
        self._weights = {id(Tensor._t.__get__(p)): p for p in parameters}
        self._relaid: list[torch.Tensor] = []

    def end(self) -> None:
        """Let go of tensors: they know their way, and would be kept by one that keeps them until somebody
        looks for circles."""
        self._relaid = []

    def of(self, t) -> Value | None:
        """What is known of a tensor that an event of this way made."""
        found = getattr(t, "_made_by", None)
        return found[1] if found is not None and found[0] is self else None

    def made(self, t: torch.Tensor, value: Value) -> torch.Tensor:
        t._made_by = self, value
        return t

    def is_weight(self, t: torch.Tensor) -> bool:
        return id(t) in self._weights or isinstance(t, torch.nn.Parameter) or (
            t.requires_grad and t.is_leaf and self.of(t) is None)

    def relays(self, name: str, tensors) -> bool:
        """Whether an operator outside of Cells with stages gives a weight in another layout."""
        return (self.inside is None and name in _LAYOUTS and len(tensors) == 1 and self.is_weight(tensors[0])
                and self.of(tensors[0]) is None)

    def relaid(self, weight: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        self._weights[id(t)] = self._weights.get(id(weight))
        self._relaid.append(t)
        return t

    def stage_of(self, tensors) -> int | None:
        """Where an operator on ``tensors`` outside of Cells with stages belongs; None: everywhere."""
        stages = [value.stage for t in tensors if (value := self.of(t)) is not None]
        if stages:
            return max(stages)
        return 0 if any(map(self.is_weight, tensors)) else None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self._noting or (self.inside is not None and not self.looks_inside):
            return func(*args, **kwargs)
        name = getattr(func, "__name__", str(func))
        if name == "__get__":
            name = func.__self__.__name__
            if name not in _DERIVED:
                found = func(*args, **kwargs)
                return device() if name == "device" and found.type == "meta" else found
        if name in ABOUT:
            return func(*args, **kwargs)
        return self.operator(name, func, args, kwargs)

    def call(self, name: str, func, *args):
        """``func(*args)`` as an operator that torch does not announce."""
        with WithoutTorchFunction():
            if self._noting or (self.inside is not None and not self.looks_inside):
                return func(*args)
            return self.operator(name, func, args, {})

    def function(self, name: str, run, args):
        """``run(*args)``, of which every part belongs to one stage, and whose operators nobody may see."""
        if self._noting:
            return run(*args)
        given = _tensors(args)
        stage = self.inside if self.inside is not None else self.stage_of(given)
        self._used(given, stage)
        return run(*args) if stage is None else self.cell(name, stage, run, args, {})

    def _used(self, tensors, stage: int | None) -> None:
        """``stage`` reads these."""


def leaves_of(tree) -> list:
    """What is in nested lists, tuples and dicts, Tensors as they are."""
    return tree_leaves(tree, is_leaf=_is_tensor)


def mapped(function, tree):
    """Such a tree with what ``function`` gives for each leaf."""
    return tree_map(function, tree, is_leaf=_is_tensor)


def _is_tensor(x) -> bool:
    return isinstance(x, Tensor)


def _tensors(tree) -> list[torch.Tensor]:
    found = []
    for x in leaves_of(tree):
        if isinstance(x, torch.Tensor):
            found.append(x)
        elif isinstance(x, Tensor):
            found.append(x._t)
    return found


class Survey(_Way):
    """The first way: everything is computed, and noted."""

    looks_inside = True

    def operator(self, name: str, func, args, kwargs):
        tensors = _tensors((args, kwargs))
        if self.relays(name, tensors):
            return self.relaid(tensors[0], func(*args, **kwargs))
        stage = self.inside if self.inside is not None else self.stage_of(tensors)
        self._used(tensors, stage)
        if stage is None or self.inside is not None:
            return func(*args, **kwargs)
        if name in _TELLING:
            raise unsupported("pipeline_stages", "outside of Cells with a pipeline_stage the network asks "
                              f"for the data of a Tensor ({name}), which stage {stage} alone has.",
                              "do it inside a Cell with a pipeline_stage.")
        return self._note(name, stage, func(*args, **kwargs), {}, ())

    def _used(self, tensors, stage: int | None) -> None:
        for t in tensors:
            p = self._weights.get(id(t))
            if p is not None and stage is not None:
                self.plan.uses.setdefault(id(p), set()).add(stage)
            value = self.of(t)
            if value is not None and value.stage != stage:
                if value.stage > stage:
                    if distributed.interleaved:
                        raise unsupported(
                            "pipeline_config's pipeline_interleave", "a stage is one part of the network, "
                            f"but a Cell with pipeline_stage {stage} is called after one of stage "
                            f"{value.stage}.", "number the stages upwards: what comes out is the same.")
                    raise ValueError(f"A Cell with pipeline_stage {stage} is called after one of stage "
                                     f"{value.stage} and with what that made: stages go upwards.")
                self.plan.needs.setdefault(value.place, set()).add(stage)

    def cell(self, name: str, stage: int, run, args, kwargs):
        if self.inside is not None:
            return run(*args, **kwargs)
        given = _tensors((args, kwargs))
        self._used(given, stage)
        before = dict(rng.kernel_seeds)
        self.inside = stage
        try:
            output = run(*args, **kwargs)
        finally:
            self.inside = None
        seeds = {k: n - before.get(k, 0) for k, n in rng.kernel_seeds.items() if n != before.get(k)}
        return self._note(name, stage, output, seeds, given)

    def _note(self, name: str, stage: int, output, seeds: dict, given):
        self._noting = True
        passed = {id(t): i for i, t in enumerate(given)}

        def noted(x):
            t = x._t if isinstance(x, Tensor) else x
            if not isinstance(t, torch.Tensor):
                return x
            if id(t) in passed:
                return Passed(passed[id(t)])
            p = self._weights.get(id(t))
            if p is not None and x is not t and Tensor._t.__get__(p) is t:
                return Held(id(p), x is p)
            local, placements = t, None
            if hasattr(t, "to_local"):
                placements = whole_sums(t.placements)
                local = t.redistribute(placements=placements).to_local()
            like = torch.empty_like(local, device="meta", requires_grad=t.requires_grad)
            value = Value(len(self.plan.values), stage, like, tuple(t.shape), placements, t is not x)
            self.plan.values.append(value)
            self.made(t, value)
            return value

        self.plan.events.append(Event(name, stage, mapped(noted, output), seeds))
        self._noting = False
        return output


def whole_sums(placements) -> tuple:
    """A DTensor's placements without sums that are still to be made."""
    from ms2torch._core.torch_private import Replicate

    return tuple(Replicate() if one.is_partial() else one for one in placements)


class Walk(_Way):
    """The way of one micro-batch through the stage ``stage``; ``received`` are the values that came from
    earlier ones, by number."""

    looks_inside = False

    def __init__(self, plan: Plan, parameters, stage: int, received: dict[int, torch.Tensor]) -> None:
        super().__init__(plan, parameters)
        self.stage, self.received = stage, received
        self.at = 0
        # What this stage made, by number.
        self.here: dict[int, torch.Tensor] = {}

    def end(self) -> dict[int, torch.Tensor]:
        """`_Way.end`; what this stage received and made, by number."""
        super().end()
        found = {**self.received, **self.here}
        self.received, self.here = {}, {}
        return found

    def operator(self, name: str, func, args, kwargs):
        tensors = _tensors((args, kwargs))
        if self.relays(name, tensors):
            return self.relaid(tensors[0], func(*args, **kwargs))
        stage = self.stage_of(tensors)
        if stage is None:
            return func(*args, **kwargs)
        event = self._next(name, stage)
        if stage != self.stage:
            return self._elsewhere(event, ())
        return self._here(event, func(*args, **kwargs))

    def cell(self, name: str, stage: int, run, args, kwargs):
        if self.inside is not None:
            return run(*args, **kwargs)
        event = self._next(name, stage)
        if stage != self.stage:
            for key, count in event.seeds.items():
                rng.kernel_seeds[key] = rng.kernel_seeds.get(key, 0) + count
            return self._elsewhere(event, leaves_of((args, kwargs)))
        self.inside = stage
        try:
            output = run(*args, **kwargs)
        finally:
            self.inside = None
        return self._here(event, output)

    def _next(self, name: str, stage: int) -> Event:
        event = self.plan.events[self.at] if self.at < len(self.plan.events) else None
        self.at += 1
        if event is None or event.name != name or event.stage != stage:
            raise RuntimeError(
                f"The pipeline's first micro-batch and this one go different ways: '{name}' of stage {stage} "
                f"comes where {f'{event.name!r} of stage {event.stage}' if event else 'the end'} was.")
        return event

    def _here(self, event: Event, output):
        self._noting = True
        for value, x in zip(leaves_of(event.outputs), leaves_of(output), strict=True):
            if value.__class__ is Value:
                self.here[value.place] = self.made(x._t if value.wrapped else x, value)
        self._noting = False
        return output

    def _elsewhere(self, event: Event, given):
        self._noting = True
        tensors = [x for x in given if isinstance(x, (torch.Tensor, Tensor))]

        def stand_in(value):
            if value.__class__ is Passed:
                return tensors[value.place]
            if value.__class__ is Held:
                p = self._parameters[value.key]
                return p if value.whole else wrap(Tensor._t.__get__(p))
            if value.__class__ is not Value:
                return value
            found = None
            if self.stage in self.plan.needs.get(value.place, ()):
                found = self.received.get(value.place)
            if found is None:
                found = torch.empty(value.shape, dtype=value.like.dtype, device="meta",
                                    requires_grad=value.like.requires_grad)
            found = self.made(found, value)
            return wrap(found) if value.wrapped else found

        found = mapped(stand_in, event.outputs)
        self._noting = False
        return found
