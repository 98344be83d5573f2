"""Pipeline stages in ``ms2torch plan``: few micro-batches stand for many, one stage for those like it.

Under 1F1B stage s of S has S - s micro-batches under way, under GPipe every stage all of them. Each holds the
same, so two (three) are run, and what each further one adds is what the forward pass of the last one left.
"""

from __future__ import annotations

import gc
import hashlib
from collections import Counter

import torch
from torch.distributed.pipelining import schedules

from ms2torch._core.processes import distributed, pipeline
from ms2torch._core.processes.meter import Meter
from ms2torch._core.processes.stages import Survey, leaves_of
from ms2torch._core.torch_private import tree_leaves, without_modes


class StageMeter(Meter):
    """A `Meter` that counts in-flight micro-batches and tells stages apart."""

    def __init__(self) -> None:
        super().__init__()
        # The peak outside of schedules; inside of them, and what a further micro-batch adds to it.
        self.flat = self.steep = self.slope = 0
        self.survey: Survey | None = None
        self._digests: dict[int, hashlib._Hash] = {}

    def restart(self) -> None:
        super().restart()
        self.flat = self.steep = self.slope = 0

    def peaks(self) -> list[int]:
        """The peak outside of schedules, the one inside, what it grows by with each micro-batch under way."""
        return [max(self.flat, self.peak), self.steep, self.slope]

    def tell(self, stage: int, *facts) -> None:
        """Stages are alike that were told the same."""
        self._digests.setdefault(stage, hashlib.sha256()).update(repr(facts).encode())

    def kinds(self) -> list[int]:
        """For each stage the first one like it; without a survey each is its own."""
        told = [self._digests[s].digest() if s in self._digests else s for s in range(distributed.stages)]
        return [told.index(one) for one in told]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = super().__torch_dispatch__(func, types, args, kwargs)
        if self.survey is not None and self.survey.inside is not None and found is not NotImplemented:
            self.tell(self.survey.inside, func.__name__,
                      [_like(t) for t in tree_leaves(found) if isinstance(t, torch.Tensor)])
        return found


def _like(t: torch.Tensor) -> tuple:
    return tuple(t.shape), t.dtype, t.requires_grad


def watch(meter: StageMeter) -> None:
    """Let the stages of this process's program be counted."""
    _alone()
    _told_apart(meter)
    _few_micro_batches(meter)


def _alone() -> None:
    """Stages of a pipeline ask each other nothing: what each says holds for all."""
    try:
        from ms2torch._core.torch_private import InferenceMode
    except ImportError:         # (earlier releases of torch do not ask)
        return

    def alone(self, stages, has_backward, p2p_done):
        for stage in stages:
            asks = InferenceMode.needs_dynamic(stage._user_meta, has_backward)
            stage._inference_mode = InferenceMode.DYNAMIC if asks else InferenceMode.STATIC

    schedules._PipelineSchedule._warmup_p2p = alone


def _told_apart(meter: StageMeter) -> None:
    """The survey of a network, in which a process runs all stages, tells of each its operators, what these
    leave in memory, its weights, and what it is sent and sends on."""
    survey, note = pipeline.survey, Survey._note

    def noted(self, name, stage, output, *rest):
        found = note(self, name, stage, output, *rest)
        values = [one for one in leaves_of(self.plan.events[-1].outputs) if hasattr(one, "like")]
        meter.tell(stage, name, meter.live - self.__dict__.get("_before", 0),
                   [(*_like(one.like), one.placements) for one in values])
        self._before = meter.live
        return found

    def surveyed(network, parameters, *args, **kwargs):
        collects = gc.isenabled()
        gc.disable()            # (what is live then depends on what was done alone)
        try:
            plan = survey(network, parameters, *args, **kwargs)
        finally:
            meter.survey = None
            if collects:
                gc.enable()
        for stage in range(distributed.stages):
            meter.tell(stage, sorted((tuple(p.shape), str(p._rest.dtype), p.requires_grad,
                                      [other - stage for other in uses] if len(uses) > 1 else ())
                                     for p in parameters if stage in (uses := plan.uses.get(id(p), ()))),
                       *([(*_like(one.like), one.placements) for one in crossing]
                         for crossing in (plan.crossing(stage), plan.crossing(stage + 1))))
        return plan

    made = Survey.__init__

    def begun(self, *args):
        made(self, *args)
        meter.survey, self._before = self, meter.live

    Survey.__init__, Survey._note, pipeline.survey = begun, noted, surveyed


def _few_micro_batches(meter: StageMeter) -> None:
    """A step makes as many micro-batches as are under way at a time, of which two do, and one more, so that
    gradients are added up. What goes over the wire is multiplied: but for what the first micro-batch alone
    sends, which is weights that were updated."""
    sent: list[Counter] = []        # in each micro-batch's forward pass
    left: list[int] = []            # live bytes after it

    def forward(self, *arriving):
        before = Counter(meter.by_kind)
        found = pass_forward(self, *arriving)
        sent.append(Counter(meter.by_kind) - before)
        left.append(meter.live)
        return found

    def few(self, network, parameters, plan, micro):
        make(self, network, parameters, plan, micro)
        at = self.at
        if distributed.schedule == "gpipe":
            under_way = micro
            some = count = min(micro, 3)
        else:
            under_way = min(micro, at.count - at.stage)
            some = min(under_way, 2)
            count = some + (micro > under_way)
            self.schedule._num_stages = at.stage + some
        self.schedule._n_microbatches = count
        # (torch has a place for what arrives and for what comes back, for each micro-batch.)
        meter.live += (micro - count) * sum(_bytes(one.like) for one in (*self.arriving, *self.leaving))
        step = self.schedule.step

        def scheduled(*args, **kwargs):
            before = Counter(meter.by_kind)
            sent.clear()
            left.clear()
            gc.collect()        # (or something of the step before goes away somewhere in this one)
            meter.flat, meter.peak = max(meter.flat, meter.peak), meter.live
            step(*args, **kwargs)
            slope = left[some - 1] - left[some - 2] if some > 1 else 0
            steep = meter.peak + (under_way - some) * slope
            if steep > meter.steep:
                meter.steep, meter.slope = steep, slope
            meter.peak = meter.live
            if micro > count:
                meter.repeat(before + (sent[0] - sent[1]), micro / count)
            self.outputs += self.outputs[-1:] * (micro - count)     # (the losses of all are handed out)

        self.schedule.step = scheduled

    apart = pipeline.gradient_of

    def gradient_of(*args):
        with without_modes():
            return apart(*args)

    pipeline.gradient_of = gradient_of
    pipeline._common = lambda sens, owner, shares: 1.0        # (values are not known here)
    make, pass_forward = pipeline.Pipelined.__init__, pipeline._Part.forward
    pipeline.Pipelined.__init__, pipeline._Part.forward = few, forward


def _bytes(t: torch.Tensor) -> int:
    return t.numel() * t.element_size()
