"""A step's life: eager, traced, compiled, compared, and eager again where it must be."""

from __future__ import annotations

import statistics
import time

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.errors import notice
from ms2torch._core.gradient import overflow, passes, recording
from ms2torch._core.processes import distributed
from ms2torch._core.random import random_streams
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import increment_versions, set_grad_enabled

from . import backends, comparing, settings
from .state import token
from .structures import Leaf, Untraceable, flatten, unflatten
from .updates import Counters

# Signatures that one step is compiled for; another is compiled once it was met so often.
VARIANTS, MET = 4, 8
# `auto`: seconds that a step has taken before compiling it is thought of, and how many times what compiling
# takes must be left where that is known (else be past).
PATIENCE, WORTH = 60.0, 5.0
COMPILING = 40.0        # seconds, until the first one was measured
GAIN = 1.03             # less than this is not kept


class Step:
    """One train cell or marked function: its compiled variants, by what they were compiled for."""

    def __init__(self, name: str, entries: tuple) -> None:
        self.name, self.entries = name, entries
        self.variants: list[Compiled] = []
        self.off = False
        self.met: dict = {}
        self.places: dict = {}          # places whose numbers change and are inputs, by their keys
        self.deciding: set = set()      # those whose numbers cannot be
        self.spent = 0.0
        self.compiling = 0.0
        self.times: list[float] = []

    def __deepcopy__(self, memo):
        return None

    def __reduce__(self):
        return (type(None), ())

    def __call__(self, eager, args: tuple, kwargs: dict):
        """``eager(*args, **kwargs)``, or what it would give."""
        if self.off:
            return eager(*args, **kwargs)
        if overflow.watching:
            return self._eagerly(overflow.READ, eager, args, kwargs)
        if mode.graphs == "auto" and not self.variants and not self._pays():
            return self._timed(eager, args, kwargs)
        leaves: list[Tensor] = []
        spec = flatten((args, kwargs), leaves)
        values: list = []
        signature = _signature(spec, leaves, values)
        constants, fitting = tuple(values), None
        for variant in self.variants:
            if variant.signature == signature:
                if variant.numbers.bind(values):
                    fitting = variant
                    if variant.watch.holds() and variant.fits():
                        return self._run(variant, eager, args, kwargs, leaves)
                constants = variant.numbers.constants(values)
        moved = self._moved(fitting)
        if moved:
            self.variants.remove(fitting)
        elif not self._wants((signature, constants), fitting is not None):
            return eager(*args, **kwargs)
        return self._first(signature, eager, args, kwargs, leaves, moved)

    # ---- whether -------------------------------------------------------------------------------------------

    def _pays(self) -> bool:
        """`auto`: whether compiling now is likely to pay for itself in this run."""
        if self.spent < PATIENCE or len(self.times) < 20:
            return False
        left = getattr(self.entries[0], "__dict__", {}).get("_steps_left")
        if left is None:
            return self.spent > WORTH * COMPILING
        return left * statistics.median(self.times[-20:]) > WORTH * COMPILING

    def _timed(self, eager, args, kwargs):
        start = time.perf_counter()
        try:
            return eager(*args, **kwargs)
        finally:
            took = time.perf_counter() - start
            self.spent += took
            self.times.append(took)
            if len(self.times) > 100:
                del self.times[:50]

    def _moved(self, variant: Compiled | None) -> tuple:
        """The places of the numbers that ``variant`` took for constants and that have changed, where nothing
        else has; none of those that decide more than a number of a graph."""
        moved = variant.watch.moved() if variant is not None else None
        return tuple(moved) if moved and not any(place.key in self.deciding for place in moved) else ()

    def _wants(self, signature, fits: bool) -> bool:
        """Whether what no variant fits is worth one: the first at once, others where they come often."""
        if not self.variants:
            return True
        key = hash(signature)
        self.met[key] = self.met.get(key, 0) + 1
        if self.met[key] < MET and not (fits and self.met[key] == 1):
            return False
        if len(self.variants) >= VARIANTS:
            self._say("what it is called with, or what it reads, changes too often (shapes, numbers, "
                      "attributes): what was not compiled so far runs eagerly")
            return False
        return True

    # ---- the first time ------------------------------------------------------------------------------------

    def _first(self, signature, eager, args, kwargs, leaves, moved=()):
        device = leaves[0]._t.device if leaves else torch.device("cpu")
        if distributed.joined():
            return self._eagerly("several processes train together", eager, args, kwargs)
        if not settings.can_compile(device):
            self.off = True
            return eager(*args, **kwargs)
        if passes.before_training:
            passes.prepare_training(self.entries[0] if isinstance(self.entries[0], torch.nn.Module) else None)
        start = time.perf_counter()
        try:
            from .effects import Handlers, Interrupted
            from .numbers import trace  # half a second of torch's modules, when it is needed

            with Handlers() as handlers:
                with handlers.waiting_for(), passes.threads.held():
                    known = tuple(self.places.values())
                    variant = Compiled(signature, *trace(eager, args, kwargs, self.entries, known, moved))
                variant.compile([x._t for x in leaves])
        except Interrupted as interrupted:
            raise interrupted.__cause__ from None
        except Untraceable as why:
            return self._eagerly(str(why), eager, args, kwargs)
        except Exception as error:
            return self._eagerly(_told(error), eager, args, kwargs)
        self.compiling = time.perf_counter() - start
        self.places |= {place.key: place for place in variant.numbers.places}
        self.deciding |= {place.key for place in moved} - self.places.keys()
        self.variants.append(variant)
        return self._run(variant, eager, args, kwargs, leaves)

    def _eagerly(self, why: str, eager, args, kwargs):
        """Give up on compiling this step."""
        self._say(f"{why}; it runs eagerly")
        self.off = True
        return eager(*args, **kwargs)

    def _say(self, text: str) -> None:
        if mode.graphs == "compile":
            notice(f"compile: {self.name}: {text}", f"--graph: {self.name} is not compiled: {text}.")

    # ---- running -------------------------------------------------------------------------------------------

    def _run(self, variant: Compiled, eager, args, kwargs, leaves):
        variant.runs += 1
        raw = [x._t for x in leaves]
        if variant.runs in CHECKED:
            return self._checked(variant, eager, args, kwargs, raw)
        start = time.perf_counter()
        counters = variant.counters()
        try:
            result = variant.step(raw, counters)
        except BaseException as error:
            if variant.ran:
                raise           # (the graph has written; what an optimizer raised after it is its own)
            _put_back(counters)
            if not isinstance(error, Exception):
                raise
            self._drop(variant, _told(error))
            return eager(*args, **kwargs)
        if variant.numbers.written:
            variant.watch.write(variant.numbers.writes())
        if mode.graphs == "auto":
            self._weigh(variant, time.perf_counter() - start)
        return result

    def _weigh(self, variant: Compiled, took: float) -> None:
        """`auto`: keep the compiled form if it is the faster one."""
        variant.times.append(took)
        if len(variant.times) == 20:
            gain = statistics.median(self.times[-20:]) / statistics.median(variant.times)
            if gain < GAIN:
                self._drop(variant, None)
            else:
                notice(f"compile: {self.name}: auto",
                       f"{self.name} is compiled from here on: {gain:.1f} times as fast, after "
                       f"{self.compiling:.0f} s of compiling (--graph eager turns this off). "
                       f"已编译，快 {gain:.1f} 倍。")

    def _checked(self, variant: Compiled, eager, args, kwargs, raw):
        """Both ways from the same state; the eager one counts."""
        written = variant.everything()
        held = [p._rest for p in written]
        before = [t.detach().clone() for t in held]
        counters = variant.counters()
        journal = random_streams.begin_journal()
        ours, failure = None, ""
        try:
            inputs = variant.prepared(raw)
            inputs_before = variant.before(inputs, dict(zip(map(id, held), before, strict=True)))
            out = variant.executed(inputs, [])
            ours = [t.detach().clone() for t in (*out[:variant.count], *held)]
        except Exception as error:
            failure = _told(error)
        finally:
            _put_back(counters)
            with torch.no_grad():
                for t, old in zip(held, before, strict=True):
                    t.copy_(old)
            random_streams.end_journal(journal, True)
        writes = variant.numbers.writes()
        mode.comparing = True           # (no Cell in it is compiled for this call's sake)
        try:
            result = eager(*args, **kwargs)
        finally:
            mode.comparing = False
        results: list[Tensor] = []
        flatten(result, results)
        if ours is None or len(results) != variant.count:
            self._drop(variant, failure or "it gives another number of results")
            return result
        theirs = [t._t for t in results] + [p._rest for p in written]
        found = comparing.differ(
            ours, theirs, [None] * variant.count + before,
            lambda *how, **units: variant.exact(inputs_before, written, *how, **units))
        miscounted = [place.called for place, value in writes if place.get() != value]
        if found is not None or miscounted:
            what = (miscounted[0] if miscounted else f"result {found}" if found < variant.count
                    else f"Parameter '{written[found - variant.count].name}'")
            notice(f"compile: {self.name}: differs",
                   f"--graph: the compiled form of {self.name} differs from the eager one in {what}; it is "
                   "dropped, and the eager one runs. 编译后的结果与 eager 不同，已弃用编译形式。")
            self._drop(variant, None)
        return result

    def _drop(self, variant: Compiled, why: str | None) -> None:
        self.variants.remove(variant)
        self.off = True
        if why:
            self._say(f"{why}; it runs eagerly")


# The compiled steps that are compared with the eager one.
CHECKED = frozenset((1, 2, 10, 100, 1000, 10_000, 100_000))


class Compiled:
    """One compiled graph and what it holds for."""

    def __init__(self, signature, traced, numbers) -> None:
        self.signature, self.numbers, self.runs = signature, numbers, 0
        self.ran = False        # whether the graph of the step under way has run
        self.times: list[float] = []
        self.gm, self.lifted, self.watch = traced.gm, traced.inputs, traced.watch
        self.result, self.count, self.mutated = traced.result, traced.count, traced.mutated
        self.updates, self.tails = traced.updates, traced.tails
        self.conditional = [i for i, u in enumerate(traced.updates) if u.unless is not None]
        self.flags = self.count + sum(len(tail.raw) for tail in self.tails)
        self.trained = [*self.mutated, *[p for tail in self.tails for p in tail.optimizer.parameters]]
        self.grads = [p.requires_grad for p in self.trained]
        self.known = -1         # the `mode.changes` at which `grads` were so
        self.function = None

    # ---- what it needs -------------------------------------------------------------------------------------

    def fits(self) -> bool:
        if self.known != mode.changes:
            if [p.requires_grad for p in self.trained] != self.grads:
                return False
            self.known = mode.changes
        return True

    def everything(self) -> list:
        """All Parameters that a step writes: the graph, and the optimizers after it."""
        more = [p for tail in self.tails for p in (*tail.optimizer.parameters,
                                                   *tail.optimizer.get_parameters())]
        return list({id(p): p for p in (*self.mutated, *more)}.values())

    def counters(self) -> list[Counters]:
        """The host's state of the optimizers, whose steps may be taken back."""
        return [Counters(u.optimizer, u.alone) for u in self.updates]

    def inputs(self, raw: list) -> list[torch.Tensor]:
        return [*raw, *[x if isinstance(x, torch.Tensor) else x() for x in self.lifted]]

    def compile(self, raw: list) -> None:
        journal = random_streams.begin_journal()
        try:
            inputs = self.inputs(raw)
        finally:
            random_streams.end_journal(journal, True)
        kept = [len(raw) + i for i, x in enumerate(self.lifted) if isinstance(x, torch.Tensor)]
        self.function = backends.compiled(self.gm, inputs, kept, self.count)

    # ---- one step ------------------------------------------------------------------------------------------

    def step(self, raw: list, counters: list):
        """What the eager step would give, and have done."""
        out = self.executed(self.prepared(raw), counters)
        return unflatten(self.result, list(map(wrap, out[:self.count])))

    def prepared(self, raw: list) -> list[torch.Tensor]:
        """The graph's inputs, after the host's part of the step."""
        self.ran = False
        for update in self.updates:
            if not update.plan():
                raise Untraceable(f"{type(update.optimizer).__name__} changed how it updates")
        return self.inputs(raw)

    def executed(self, inputs: list, counters: list) -> list[torch.Tensor]:
        """Run the graph and the optimizers after it; gives the graph's outputs."""
        mutated = self.mutated
        with recording.Updating(mutated):
            recorded = torch.is_grad_enabled()
            set_grad_enabled(False)
            try:
                out = self.function(*inputs)
            finally:
                set_grad_enabled(recorded)
            self.ran = True
            if mutated:
                increment_versions([p._rest for p in mutated])
        for at, flag in zip(self.conditional, out[self.flags:], strict=True):
            if counters and bool(flag):
                counters[at].put_back()
        at = self.count
        for tail in self.tails:
            tail.step(list(out[at : at + len(tail.raw)]))
            at += len(tail.raw)
        return out

    # ---- in float64 ----------------------------------------------------------------------------------------

    def before(self, inputs: list, saved: dict) -> list[torch.Tensor]:
        """The inputs as they are before the graph writes to them."""
        return [saved.get(id(t), t) for t in inputs]

    def exact(self, inputs: list, written: list, *how, **units) -> list | None:
        """The results and the written Parameters in float64 or as the graph gives them, see
        `comparing.in_float64`; None where it does not run so, or optimizers make their steps after it."""
        if self.tails:
            return None
        given = len(inputs) - len(self.lifted)
        places = {id(x): given + i for i, x in enumerate(self.lifted)}
        found = comparing.in_float64(self.gm, inputs, *how, **units)
        if found is None:
            return None
        after = found[len(found) - len(inputs):]
        return [*found[:self.count], *[after[places[id(p._rest)]] for p in written]]


# ---- helpers -----------------------------------------------------------------------------------------------


def _put_back(counters: list) -> None:
    for of in counters:
        of.put_back()


def _signature(spec, leaves: list, numbers: list) -> tuple:
    """What a variant is for, the dtypes of Parameters among it; the Python numbers in ``spec`` go to
    ``numbers``."""
    raw = [x._t for x in leaves]
    return _token(spec, numbers), mode.casts, tuple([(t.shape, t.dtype, t.device, t.stride()) for t in raw])


def _token(spec, numbers: list):
    kind = spec.__class__
    if kind is Leaf:
        return Leaf
    if kind in (tuple, list):
        return kind, tuple([_token(x, numbers) for x in spec])
    if kind is dict:
        return kind, tuple([(k, _token(v, numbers)) for k, v in spec.items()])
    if kind is int or kind is float:
        numbers.append(spec)
        return kind
    if isinstance(spec, (bool, complex, str, bytes, np.generic, type(None))):
        return kind, spec
    return token(spec) if kind is np.ndarray else Same(spec)


class Same:
    """An object among the arguments, by which one it is; it lives on, so that no other gets its address."""

    __slots__ = ("_value",)

    def __init__(self, value) -> None:
        self._value = value

    def __hash__(self) -> int:
        return id(self._value)

    def __eq__(self, other) -> bool:
        return other.__class__ is Same and other._value is self._value


def _told(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


# ---- where steps begin -------------------------------------------------------------------------------------


def of_cell(cell, eager, args: tuple, kwargs: dict, what: str = "the step"):
    """A call of a train cell at rest, or of a network that is evaluated."""
    step = cell.__dict__.get("_compiled_step")
    if step is None or step.entries[0] is not cell:         # (a copy of a Cell has steps of its own)
        step = cell.__dict__["_compiled_step"] = Step(f"{what} of {type(cell).__name__}", (cell,))
    return step(eager, args, kwargs)


def of_function(known: dict, function, eager, args: tuple, kwargs: dict):
    """A call of a marked function at rest; ``known`` keeps its step."""
    step = known.get("step")
    if step is None:
        name = getattr(function, "__name__", type(function).__name__)
        step = known["step"] = Step(f"{name}()", (function,))
    return step(eager, args, kwargs)
