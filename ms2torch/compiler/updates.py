"""Optimizers in a traced step.

An optimizer's own `construct` runs at each step, as eagerly: it counts, and computes rates, decays and powers
of beta on the host. Its kernel alone is replaced by a formula in the graph, whose numbers are an input. An
optimizer without a formula here takes the graph's gradients and makes its whole step itself.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from ms2torch._core import mode
from ms2torch._core.gradient.rows import RowGradient
from ms2torch._core.tensor.tensor import wrap
from ms2torch._core.torch_private import without_modes
from ms2torch.nn.optim import _sgd, adam, momentum, sgd
from ms2torch.nn.optim._step import Stepping, fitted

_OWN = {sgd.SGD.construct, momentum.Momentum.construct, adam.AdamBase.construct,
        adam.AdamWeightDecay.construct}
_EXACT = (torch.float32, torch.float64)


# ---- formulas: new values of a parameter and its slots -----------------------------------------------------
# ``numbers``: tensors of the parameter's dtype, in the order of the function beside; a decay of zero is None,
# for a product of matrices that something is added to costs a pass of its own.


def _sgd_formula(static, numbers, p, g, slots):
    (nesterov,) = static
    rate, decay, kept, taken, ahead = numbers
    g = _decayed(g, decay, p)
    if not slots:
        return p - rate * g, ()
    moment = kept * slots[0] + taken * g
    return p - rate * (g + ahead * moment if nesterov else moment), (moment,)


def _sgd_numbers(kernel, rate, decay):
    momentum, dampening, _, first = kernel.args
    return rate, decay, 0.0 if first else momentum, 1.0 if first else 1.0 - dampening, momentum


def _adam_formula(static, numbers, p, g, slots):
    beta1, beta2, eps = static
    rate, decay = numbers
    g = _decayed(g, decay, p)
    first, second, *largest = slots
    first = first + (g - first) * (1 - beta1)
    second = second * beta2 + (1 - beta2) * g * g
    if largest:
        largest = [torch.maximum(largest[0], second)]
    return p - rate * first / ((largest[0] if largest else second).sqrt() + eps), (first, second, *largest)


def _nesterov_formula(static, numbers, p, g, slots):
    beta1, beta2, eps = static
    rate, decay = numbers
    g = _decayed(g, decay, p)
    first, second = slots
    first = first + (g - first) * (1 - beta1)
    second = second * beta2 + (1 - beta2) * g * g
    return p - rate * (beta1 * first + (1 - beta1) * g) / (second.sqrt() + eps), (first, second)


def _decoupled_formula(static, numbers, p, g, slots):
    beta1, beta2, eps = static
    rate, decay = numbers
    first, second = slots
    first = first + (g - first) * (1 - beta1)
    second = second * beta2 + (1 - beta2) * g * g
    step = rate * first / (second.sqrt() + eps)
    return p - step if decay is None else p - rate * decay * p - step, (first, second)


def _decayed(g, decay, p):
    return g if decay is None else g + decay * p


class _Kernel(NamedTuple):
    """What stands for a kernel in a graph: its formula, what of its arguments is fixed, and its numbers."""

    formula: object
    static: object
    numbers: object


_KERNELS = {
    _sgd.sgd: _Kernel(_sgd_formula, lambda k: (k.args[2],), _sgd_numbers),
    adam.adam_kernel: _Kernel(_adam_formula, lambda k: k.args[1],
                              lambda k, rate, decay: (rate * k.args[2], decay)),
    adam._nesterov: _Kernel(_nesterov_formula, lambda k: k.args[0],
                            lambda k, rate, decay: (rate * k.args[1], decay)),
    adam._adam_weight_decay: _Kernel(_decoupled_formula, lambda k: k.args[1],
                                     lambda k, rate, decay: (rate, decay)),
}


# ---- plans -------------------------------------------------------------------------------------------------


class _Plan:
    """What an optimizer's `construct` hands to `_update`, without its gradients: the host's part of a step.

    ``structure`` is what a graph holds fast, ``numbers`` what changes from step to step.
    """

    __slots__ = ("decays", "kernel", "numbers", "prepare", "slots", "structure")

    def __init__(self, optimizer, kernel, slots, prepare: bool) -> None:
        self.kernel, self.slots, self.prepare = kernel, slots, prepare
        step = optimizer._count_step()
        known = _KERNELS[kernel.func]
        self.numbers: list[float] = []
        self.decays: list[bool] = []        # by bucket
        for bucket in optimizer._buckets:
            rate = optimizer._rate(bucket.rate or optimizer.learning_rate, step)
            if isinstance(rate, torch.Tensor):
                rate = float(rate)
            # (A formula adds the decay itself; where it is not for the kernel, it is added before.)
            decay = optimizer._decay(bucket, step)
            self.decays.append(decay != 0 or optimizer.dynamic_weight_decay)
            self.numbers += known.numbers(kernel, rate, decay)
        self.structure = (kernel.func, known.static(kernel), len(slots), prepare, optimizer.need_scale,
                          optimizer.loss_scale, optimizer.exec_weight_decay, self.decays)


def _planned(optimizer) -> _Plan:
    plans: list[_Plan] = []

    def plan(stepping, gradients, kernel, slots, prepare):
        plans.append(_Plan(stepping, kernel, slots, prepare))
        return stepping._done

    mode.planning = plan
    try:
        optimizer.construct(None)
    finally:
        mode.planning = None
    return plans[0]


class Counters:
    """The host's state of an optimizer before a step, to be put back: counters, powers of beta, and what is
    known of them."""

    __slots__ = ("_copies", "_fresh", "_known", "_optimizer", "_params")

    def __init__(self, optimizer, alone: list | None = None) -> None:
        own = optimizer.__dict__
        self._optimizer, self._fresh = optimizer, own.get("_fresh")
        self._params = [*(_alone(optimizer) if alone is None else alone), *_started(optimizer)]
        # (What the host knows may be old: a program has written the Parameter since.)
        hosted = own.get("_hosted", {})
        self._known = {id(p): hosted[id(p)] for p in self._params if id(p) in hosted
                       and hosted[id(p)][0] == (p._rest.data_ptr(), p._rest._version)}
        self._copies = [(p, p._rest.detach().clone()) for p in self._params if id(p) not in self._known]

    def put_back(self) -> None:
        own = self._optimizer.__dict__
        for p in self._params:
            if id(p) in self._known:
                p._rest.fill_(self._known[id(p)][1])
            own.get("_hosted", {}).pop(id(p), None)
        for p, value in self._copies:
            p._rest.copy_(value)
        if "_fresh" in own:
            own["_fresh"] = None


def _alone(optimizer) -> list:
    """The Parameters of one element that an optimizer counts in."""
    trained = {id(p) for p in optimizer.parameters}
    return [p for p in optimizer._params.values()
            if p is not None and p._rest.numel() <= 1 and id(p) not in trained]


def _started(optimizer) -> list:
    """SGD's ``stat`` before its first step."""
    own = optimizer.__dict__
    fresh = own.get("_fresh")
    return list(own.get("stat", ())) if fresh is None or fresh[1] else []


# ---- in a trace --------------------------------------------------------------------------------------------


class Update:
    """An optimizer's step inside a graph."""

    __slots__ = ("_latest", "alone", "optimizer", "structure", "unless")

    def __init__(self, optimizer, plan: _Plan, unless) -> None:
        self.optimizer, self.structure, self.unless = optimizer, plan.structure, unless
        self.alone = _alone(optimizer)
        self._latest = None

    def plan(self) -> bool:
        """Run the host's part of the next step; False where the graph does not fit it."""
        plan = _planned(self.optimizer)
        self._latest = plan.numbers
        return plan.structure == self.structure

    def numbers(self) -> torch.Tensor:
        """The numbers that the host's part gave, an input of the graph."""
        device = self.optimizer.parameters[0]._rest.device
        return torch.tensor(self._latest, dtype=torch.float64, device=device)


class Tail:
    """An optimizer's own step after the graph, on the gradients that it gives."""

    __slots__ = ("kind", "optimizer", "raw", "unless")

    def __init__(self, optimizer, gradients, unless) -> None:
        self.optimizer, self.unless = optimizer, unless
        self.kind = gradients.__class__ if gradients.__class__ in (tuple, list) else tuple
        self.raw = [g._t.detach() for g in gradients]
        if unless is not None:
            self.raw.append(unless._t)

    def step(self, raw: list) -> None:
        if self.unless is not None and bool(raw.pop()):
            return
        self.optimizer(self.kind([wrap(t) for t in raw]))


def trace(tracing, optimizer, gradients, unless):
    """Put the step of ``optimizer`` into the graph, where there is a formula for it."""
    if any(g.__class__ is RowGradient for g in gradients):
        raise TypeError("gradients of some rows of a table")
    if not _has_formula(optimizer):
        if any(tail.optimizer is optimizer for tail in tracing.tails):
            raise TypeError(f"{type(optimizer).__name__} makes two steps")
        tracing.tails.append(Tail(optimizer, gradients, unless))
        for param in optimizer.parameters:
            tracing.rebind(param, None)          # nobody may read it before the step was made
        return getattr(optimizer, "_done", True)
    with without_modes():
        counters = Counters(optimizer)
        try:
            plan = _planned(optimizer)
        finally:
            counters.put_back()
        update = Update(optimizer, plan, unless)
        update._latest = plan.numbers
        numbers = update.numbers()
    tracing.source(numbers, update.numbers)
    tracing.updates.append(update)
    _formulate(tracing, optimizer, plan, gradients, numbers, unless)
    return optimizer._done


def _has_formula(optimizer) -> bool:
    return (isinstance(optimizer, Stepping) and type(optimizer).construct in _OWN
            and not optimizer._mixed_places and optimizer._known_casts == mode.casts
            and all(p._rest.dtype in _EXACT for p in optimizer.parameters))


def _formulate(tracing, optimizer, plan: _Plan, gradients, numbers, unless) -> None:
    params = optimizer.parameters
    raw = [fitted(g, p._rest, optimizer.cls_name) for g, p in
           zip(optimizer._raw(gradients), params, strict=True)]
    known = _KERNELS[plan.kernel.func]
    static = known.static(plan.kernel)
    each = len(plan.numbers) // len(optimizer._buckets)
    mine = {}
    for b, bucket in enumerate(optimizer._buckets):         # parameters of one bucket have one dtype
        shared = [numbers[b * each + k].to(params[bucket.places[0]]._rest.dtype) for k in range(each)]
        if not plan.decays[b]:
            shared[1] = None
        mine |= {i: list(shared) for i in bucket.places}
    if plan.prepare and (optimizer.need_scale or optimizer._centralizes):
        # Decayed before it is centralized and unscaled, not by the kernel.
        for i, (g, p) in enumerate(zip(raw, params, strict=True)):
            raw[i] = _decayed(g, mine[i][1], p._t.detach())
            mine[i][1] = None
        raw = optimizer._centralized(raw) if optimizer._centralizes else raw
        raw = optimizer._unscaled(raw) if optimizer.need_scale else raw
    for i, (param, g) in enumerate(zip(params, raw, strict=True)):
        slots = [slot[i] for slot in plan.slots]
        new, changed = known.formula(static, mine[i], param._t.detach(), g, [s._t.detach() for s in slots])
        for holder, value in ((param, new), *zip(slots, changed, strict=True)):
            if unless is not None:
                value = torch.where(unless._t, holder._t, value)
            tracing.rebind(holder, value)
