"""Pipeline parallelism: stages of a network on different processes, on torch.distributed.pipelining.

With ``stages`` stages the processes are that many blocks, one after the other; the processes at one place of
each block are a *column*, along which a micro-batch goes. A training step is one of torch's schedules over a
`_Part`, which is the network with a `stages.Walk` around it. The first micro-batch of each kind is surveyed
by every process first. After the first step a process keeps the Parameters that its stage reads; the others,
and what optimizers keep of them, have no memory any more.

Gradients are there when the forward call returns: the loss that comes out hands them on, times the
sensitivity that it is asked with.
"""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.distributed as dist

from ms2torch._core import mode
from ms2torch._core.devices.device import device
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.gradient import amp, passes, recording
from ms2torch._core.processes import distributed, faults, reducing, zero
from ms2torch._core.processes.elsewhere import free_memory, gradient_of
from ms2torch._core.processes.stages import Plan, Survey, Value, Walk, leaves_of, mapped
from ms2torch._core.random import random_streams, repeating
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import says

# Torch's schedule by MindSpore's scheduler; of the others, which change the order alone, 1F1B stands in.
_SCHEDULES = {"gpipe": "ScheduleGPipe"}


class Column:
    """This process among the stages: its ``stage``, its ``column`` (torch's group) and its ``block``."""

    def __init__(self, count: int) -> None:
        world = distributed.size()
        if world % count:
            raise ValueError(f"pipeline_stages={count} does not divide the number of processes, {world}.")
        self.count, self.width = count, world // count
        self.stage, self.place = divmod(distributed.rank(), self.width)
        mesh = zero.mesh_by((count, self.width))
        self.group = mesh.get_group(0)
        self.ranks = [s * self.width + self.place for s in range(count)]
        self.block = distributed.Group("pipeline block", range(self.stage * self.width,
                                                               (self.stage + 1) * self.width),
                                       mesh.get_group(1))

    def between(self, some) -> distributed.Group:
        """The processes of this column at ``some`` of the stages."""
        name = f"pipeline {self.place} {sorted(some)}"
        return distributed.group(name) or distributed.make_group(name, [self.ranks[s] for s in sorted(some)])


_columns: dict[int, Column] = {}
# Weights that several stages read, with whose they are.
_following: list[tuple] = []


def column() -> Column:
    """This process among the stages; made once for each number of stages."""
    count = distributed.stages
    if count not in _columns:
        _columns[count] = Column(count)
        amp.in_any_stage = lambda found: sum_over_stages(found.float()) > 0
    return _columns[count]


def release() -> None:
    """The processes part."""
    _columns.clear()
    amp.in_any_stage = None
    _following.clear()


def sum_over_stages(t: torch.Tensor) -> torch.Tensor:
    """A number of which each stage has its own share, summed over the stages."""
    if not distributed.staged():
        return t
    t = t.detach().clone()
    with faults.diagnosing("a sum over the stages", column().ranks):
        dist.all_reduce(t, group=column().group)
    return t


# ---- one step ----------------------------------------------------------------------------------------------


class Pipelined:
    """The steps of one network, with micro-batches of one kind."""

    def __init__(self, network, parameters, plan: Plan, micro: int) -> None:
        from torch.distributed import pipelining

        self.network, self.parameters, self.plan, self.micro = network, parameters, plan, micro
        self.at = column()
        stage, last = self.at.stage, self.at.count - 1
        self.arriving = plan.crossing(stage) if stage else []
        self.leaving = plan.crossing(stage + 1) if stage < last else []
        self.batches: list = []
        # What the network gave for each micro-batch, without what `losses` of the last stage are.
        self.outputs: list[list] = []
        self.published = True
        self.losses = losses_of(plan)
        # How much of each micro-batch's losses the gradients are of.
        self.shares = np.ones((micro, len(self.losses)))
        self.scale, self.made_again = 1.0, 0
        shown = [tuple(map(_example, some)) for some in (self.arriving, self.leaving)]
        if not self.leaving:
            shown[1] = (torch.empty((), dtype=_joint(self.losses), device=device()).requires_grad_(),)
        part = pipelining.PipelineStage(_Part(self), stage, self.at.count, device(), shown[0], shown[1],
                                        group=self.at.group)
        schedule = getattr(pipelining, _SCHEDULES.get(distributed.schedule, "Schedule1F1B"))
        self.schedule = schedule(part, micro, loss_fn=self._loss)

    def divided(self, output) -> tuple[list, list]:
        """What the network gave: the losses, where this stage makes them, and all else."""
        losses, others, last = [], [], self.at.stage == self.at.count - 1
        for known, x in zip(leaves_of(self.plan.output), leaves_of(output), strict=True):
            t = getattr(x, "_t", x)
            if known.__class__ is not Value:
                others.append(wrap(t.detach()) if isinstance(x, Tensor) else x)
            elif last:
                t = t.full_tensor() if hasattr(t, "full_tensor") else t
                losses.append(t.reshape(()).to(_joint(self.losses)))
        return losses, others

    def whole(self, losses: list, place: int) -> torch.Tensor:
        """Of the losses of a micro-batch what the schedule differentiates."""
        total = None
        for t, share in zip(losses, self.shares[place].tolist(), strict=True):
            if t.requires_grad and share:
                part = t if share == 1.0 else t * share
                total = part if total is None else total + part
        if total is None:       # (nobody asks for gradients of this micro-batch)
            total = next((t for t in losses if t.requires_grad), losses[0]) * 0.0
        return total

    def held(self) -> list:
        """The Parameters that this process goes on to hold: those its stage reads, and any that none does."""
        return [p for p in self.parameters if self.at.stage in self.plan.uses.get(id(p), (self.at.stage,))]

    def _loss(self, output, target):
        return output * self.scale if self.scale != 1.0 else output

    def step(self, batches: list):
        """(all losses, a row for each micro-batch; gradients of the open pass's weights by place)."""
        opened = mode.differentiation
        if not self.published:
            publish(self.parameters)
        self.published = False
        self.batches, self.outputs, stage = list(batches), [], self.at.stage
        last = stage == self.at.count - 1
        target = torch.zeros(self.micro) if last else None
        with faults.diagnosing("a pipeline's step", self.at.ranks), torch.enable_grad():
            try:
                self.schedule.step(target=target, losses=[] if last else None, return_outputs=False)
            except RuntimeError as err:
                if err.__cause__ is not None and says(err, "stage failed"):
                    raise err.__cause__ from None
                raise
            if last:
                found = torch.stack([torch.stack(row[0]) for row in self.outputs])
            else:
                found = torch.empty(self.micro, len(self.losses), dtype=_joint(self.losses), device=device())
            dist.broadcast(found, self.at.ranks[-1], group=self.at.group)
        grads = []
        for alias in opened.aliases:
            grads.append(alias.grad)
            alias.grad = None
        return found, self._reduced(grads, opened.weights)

    def _reduced(self, grads: list, weights) -> list:
        """Gradients are summed over the block; those of weights that several stages read over these stages,
        for the first, which updates them."""
        stage = self.at.stage
        for i, w in enumerate(weights):
            readers = self.plan.uses.get(id(w), ())
            if len(readers) > 1 and stage in readers:
                g = grads[i] if grads[i] is not None else torch.zeros_like(w._t)
                if hasattr(g, "to_local"):      # (laid out as the weight, which is so on all stages)
                    g = g.redistribute(placements=mode.differentiation.aliases[i].placements)
                with faults.diagnosing("the sum of a gradient over stages", self.at.ranks):
                    dist.reduce(getattr(g, "_local_tensor", g), self.at.ranks[min(readers)],
                                group=self.at.between(readers).handle)
                grads[i] = g if stage == min(readers) else None
        if mode.mesh is None and self.at.block.size > 1:
            places = [i for i, g in enumerate(grads) if g is not None]
            found = reducing.reduce([grads[i] for i in places], self.at.block, 1.0 / self.at.block.size)
            for i, g in zip(places, found, strict=True):
                grads[i] = g
        return grads


class _Part(torch.nn.Module):
    """This process's stage of a network, for torch's schedules: what arrives to what leaves, or the loss."""

    def __init__(self, owner: Pipelined) -> None:
        super().__init__()
        self.__dict__["owner"] = owner

    def forward(self, *arriving):
        own = self.owner
        received = {v.place: spread(v, t) for v, t in zip(own.arriving, arriving, strict=True)}
        way = Walk(own.plan, own.parameters, own.at.stage, received)
        output = run_observed(way, own.network, own.batches.pop(0), {})
        here = way.end()
        losses, others = own.divided(output)
        own.outputs.append(([t.detach() for t in losses], others))
        if own.at.stage == own.at.count - 1:
            return own.whole(losses, len(own.outputs) - 1)
        found = [local(v, here.get(v.place)) for v in own.leaving]
        # (What is only handed on is a view, so that it has a gradient of its own.)
        return tuple([t.view_as(t) if t.is_leaf else t.contiguous() for t in found])


def _example(value: Value) -> torch.Tensor:
    """A tensor like this process's part of the value."""
    like = torch.empty(value.like.shape, dtype=value.like.dtype, device=device())
    return like.requires_grad_(value.like.requires_grad)


def spread(value: Value, t: torch.Tensor) -> torch.Tensor:
    if value.placements is None:
        return t
    from ms2torch._core.torch_private import DTensor

    return DTensor.from_local(t, mode.mesh.mesh, value.placements, run_check=False)


def local(value: Value, t: torch.Tensor) -> torch.Tensor:
    return t if value.placements is None else t.redistribute(placements=value.placements).to_local()


def losses_of(plan: Plan) -> list[Value]:
    """The numbers that a network gives and that its stages make."""
    return [one for one in leaves_of(plan.output) if one.__class__ is Value]


def _joint(losses: list) -> torch.dtype:
    """The dtype in which the losses travel together."""
    dtypes = {one.like.dtype for one in losses}
    return dtypes.pop() if len(dtypes) == 1 else torch.float64


def updated_elsewhere(p) -> bool:
    """Whether another stage updates the Parameter."""
    return bool(p._away) or (bool(p._read_by) and column().stage != p._read_by[0])


def publish_all() -> None:
    """`publish` what was updated since it last was."""
    for owner in {id(owner): owner for owner, _ in _following}.values():
        if not owner.published:
            publish(owner.parameters)


def publish(parameters) -> None:
    """After an update: the first of the stages that read a weight, which updates it, sends it on."""
    for p in parameters:
        if p._read_by and column().stage in p._read_by:
            _send(p, p._read_by, "the exchange of updated weights")
    for owner, p in _following:
        if any(p is one for one in parameters):
            owner.published = True


# ---- the first micro-batch of a kind -----------------------------------------------------------------------


def kind_of(batch: tuple) -> tuple:
    """What micro-batches of one kind have in common."""
    return tuple([(x._t.shape, x._t.dtype, getattr(x._t, "placements", None)) if isinstance(x, Tensor) else x
                  for x in batch])


def prepare(network, batches: list, plan: Plan | None = None) -> Pipelined:
    """The steps of ``network`` on such micro-batches."""
    return Pipelined(network, list(network.get_parameters()), plan or planned(network, batches[0]),
                     len(batches))


def planned(network, batch: tuple, several: bool = False) -> Plan:
    """How such micro-batches go through the stages; ``several``: a network may give several losses."""
    plan = _first_survey(network, list(network.get_parameters()), batch)
    _check(plan, several)
    return plan


def _first_survey(network, parameters, args: tuple) -> Plan:
    """`survey`; processes that still hold the whole network compare it first."""
    if not any(p._away for p in parameters):
        reducing.compare(parameters, distributed.group())
    return survey(network, parameters, args)


def survey(network, parameters, args: tuple, kwargs: dict | None = None) -> Plan:
    """Run the network on one micro-batch, whole, and note which stage makes and reads what; nothing of it
    stays."""
    plan = Plan()
    away = [p for p in parameters if p._away]
    asked = {id(w) for w in mode.differentiation.weights} if mode.differentiation is not None else ()
    stand_ins = [torch.zeros((), dtype=p._rest.dtype, device=device()).expand(p._rest.shape)
                 .requires_grad_(id(p) in asked) for p in away]
    begun = random_streams.begin_journal()
    try:
        with passes.Discarded(away, stand_ins):
            way = Survey(plan, parameters)
            output = run_observed(way, network, args, kwargs or {})
            plan.output = mapped(lambda x: way.of(getattr(x, "_t", x)) or x, output)
            way.end()
    finally:
        random_streams.end_journal(begun, True)
    return plan


def run_observed(way, network, args: tuple, kwargs: dict):
    """``network(*args, **kwargs)`` whose every operator and Cell ``way`` sees."""
    outer, mode.way = mode.way, way
    try:
        with way:
            return network(*args, **kwargs)
    finally:
        mode.way = outer


def _check(plan: Plan, several: bool) -> None:
    made, stages = {event.stage for event in plan.events}, distributed.stages
    for stage in range(stages):
        if stage not in made:
            raise ValueError(f"pipeline_stages={stages}, but no Cell of the network has pipeline_stage "
                             f"{stage}: cell.pipeline_stage = {stage}, or stage_config of nn.PipelineCell.")
    beyond = [event for event in plan.events if event.stage >= stages]
    if beyond:
        raise ValueError(f"'{beyond[0].name}' has pipeline_stage {beyond[0].stage}, but pipeline_stages is "
                         f"{stages}.")
    losses = losses_of(plan)
    if not losses or max(one.stage for one in losses) != stages - 1:
        raise ValueError(f"The loss must be made by the last stage, {stages - 1}.")
    if not (several or isinstance(plan.output, Value)) or any(math.prod(one.shape) != 1 for one in losses):
        raise unsupported("nn.PipelineCell", "its network must give one number, the loss.",
                          "nn.PipelineCell(nn.WithLossCell(net, loss_fn), micro_size).")
    for one in losses:
        if one.stage != stages - 1:     # (the last stage hands them out)
            plan.needs.setdefault(one.place, set()).add(stages - 1)


class Trained(torch.autograd.Function):
    """The losses of a step that has its gradients already: they go out times the sensitivity."""

    @staticmethod
    def forward(ctx, losses, made, grads, hidden, *weights):
        ctx.made, ctx.grads = made, grads
        ctx.scale, ctx.shares = made.owner.scale, made.owner.shares
        return torch.zeros_like(losses) if hidden else losses.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, sens):
        made, grads, scale = ctx.made, ctx.grads, ctx.scale
        sens = made.agreed(sens)
        factor = _common(sens, made.owner, ctx.shares)
        if factor is None:
            grads, factor, scale = made.again(sens)
        # A sensitivity that scales half precision up is taken into the next step, where it must act.
        dtypes = {g.dtype for g in grads if g is not None}
        if torch.float16 in dtypes and factor > 0:
            made.owner.scale = 2.0 ** round(math.log2(factor))
        factor = factor / scale
        return (None, None, None, None, *[None if g is None else g * factor for g in grads])


def _common(sens: torch.Tensor, owner: Pipelined, shares: np.ndarray) -> float | None:
    """The one factor by which the sensitivities of all losses are their shares in the gradients; None where
    there is none."""
    differ = [i for i, one in enumerate(owner.losses) if one.like.requires_grad]
    told, shares = sens[:, differ].double().cpu().numpy(), shares[:, differ]
    shared = shares != 0
    if not told.any():
        return 0.0
    if told[~shared].any():
        return None
    found = told[shared] / shares[shared]
    if not np.isclose(found, found[0], rtol=1e-6, atol=0, equal_nan=True).all():
        return None
    return float(found[0])


class Made:
    """A step as it was made, for gradients by other sensitivities than it foresaw."""

    def __init__(self, owner: Pipelined, batches: list, several: bool) -> None:
        self.owner, self.batches, self.several = owner, batches, several
        self.weights, self.draws = mode.differentiation.weights, repeating.Replay()

    def run(self) -> tuple:
        """`Pipelined.step`; what it draws and writes is noted where it may be asked for once more."""
        if not self.several:
            return self.owner.step(self.batches)
        mode.differentiation.recomputes = True
        with self.draws:
            return self.owner.step(self.batches)

    def agreed(self, sens: torch.Tensor) -> torch.Tensor:
        """The sensitivities that the last stage has, whose the losses are."""
        sens = sens.full_tensor() if hasattr(sens, "full_tensor") else sens
        if not self.several:
            return sens
        at, sens = self.owner.at, sens.detach().clone()
        with faults.diagnosing("the exchange of sensitivities", at.ranks):
            dist.broadcast(sens, at.ranks[-1], group=at.group)
        return sens

    def again(self, sens: torch.Tensor) -> tuple:
        """(gradients, the factor that they still lack, the scale that they have) of the same step with such
        sensitivities, which the next step foresees."""
        owner, before = self.owner, self.owner.shares
        told = sens.double().cpu().numpy()
        told[:, [not one.like.requires_grad for one in owner.losses]] = 0
        largest = np.abs(told).max()
        finite = bool(np.isfinite(told).all())
        owner.shares = told / largest if finite else told
        owner.made_again += 1
        if owner.made_again == 2:
            notice("sensitivities", "the losses of a pipeline's step are differentiated by other "
                   "sensitivities in each step: each one runs a second time for them.")
        with self.draws:
            grads = owner.step(self.batches)[1]
        found = {id(w): g for w, g in zip(mode.differentiation.weights, grads, strict=True)}
        if not finite:
            owner.shares = before
        return [found.get(id(w)) for w in self.weights], float(largest if finite else 1.0), owner.scale


def train(owner: Pipelined, batches: list, hidden: bool = False, several: bool = False) -> torch.Tensor:
    """One step over the micro-batches inside an open differentiation; their losses, a row for each, or where
    they are to be ``hidden`` zeros. ``several``: they may be differentiated by different sensitivities."""
    opened = mode.differentiation
    if opened.outer is not None:
        raise unsupported("pipeline_stages", "gradients of gradients do not go through stages.")
    given = [x for batch in batches for x in batch if isinstance(x, Tensor) and x._t.requires_grad]
    if given and type(opened) is not recording._RecordedPass:
        raise unsupported("pipeline_stages", "gradients by the network's inputs do not go through stages.",
                          "gradients by its weights.")
    opened.staged = True
    batches = [tuple([wrap(x._t.detach()) if isinstance(x, Tensor) else x for x in batch])
               for batch in batches]
    made = Made(owner, batches, several)
    found, grads = made.run()
    passes.settling = Settling(owner)
    return Trained.apply(found, made, grads, hidden, *opened.aliases)


def sum_of_losses(owner: Pipelined, batches: list) -> Tensor:
    """`train` of a network that gives one loss: the sum over the micro-batches."""
    rows, total = train(owner, batches).reshape(-1), None
    for one in rows.unbind():
        total = one if total is None else total + one
    return wrap(total.reshape(owner.losses[0].like.shape))


class Settling:
    """What is done after a step: Parameters that other stages read are let go of."""

    def __init__(self, owner: Pipelined) -> None:
        self.owner = owner

    def __call__(self, found, weights) -> None:
        own = self.owner
        let_go(own.network, own.parameters, own.plan)
        for p in own.parameters:
            readers = own.plan.uses.get(id(p), ())
            if len(readers) > 1 and own.at.stage in readers and not p._read_by:
                p._read_by = first, *_ = tuple(sorted(readers))
                _following.append((own, p))
                if own.at.stage != first:
                    free_memory(p.__dict__.get("_twins", ()), (first,), twins=True)
                    mode.kept += 1
        found.weights = [gradient_of(w, own.at.stage) if updated_elsewhere(w) else g
                         for g, w in zip(found.weights, weights, strict=True)]
        for g, w in zip(found.weights, weights, strict=True):
            _accumulate(g, w)


def _accumulate(g: torch.Tensor, w) -> None:
    """What a program made by ``weights.clone(prefix="accu_grads")`` holds the sums of gradients over the
    micro-batches, of whose names MindSpore's compiler knows it."""
    for twin in w.__dict__.get("_twins", ()):
        if twin.name == f"accu_grads.{w.name}" and not g.is_meta:
            with torch.no_grad():
                twin._rest.add_(g)


def lay_out(network, args: tuple) -> None:
    """Before any training, keep of the network what this process's stage reads when it is called so."""
    parameters = list(network.get_parameters())
    let_go(network, parameters, _first_survey(network, parameters, args))


def share(network) -> None:
    """Weights that several stages read become what the first of them has; where each process still holds the
    whole network, and none knows who reads what, all weights what the stage has whose Cell owns them."""
    staged = [cell._staged for _, cell in network.cells_and_names() if cell._staged is not None]
    plans = {id(plan): plan for plan in staged}.values()
    owners = {} if plans else _owners(network, 0, {})
    for p in network.get_parameters():
        readers = sorted(set().union(*[plan.uses.get(id(p), ()) for plan in plans]))
        if owners:
            first = owners[id(p)]
            readers = [first, *(stage for stage in range(column().count) if stage != first)]
        if len(readers) > 1 and column().stage in readers:
            _send(p, readers, "the exchange of shared weights")


def _owners(cell, stage: int, found: dict[int, int]) -> dict[int, int]:
    """The first stage of a Cell that has each Parameter, by its id."""
    stage = cell.__dict__.get("_pipeline_stage", stage)
    for p in cell.get_parameters(expand=False):
        found[id(p)] = min(stage, found.get(id(p), stage))
    for part in cell.cells():
        _owners(part, stage, found)
    return found


def _send(p, readers, what: str) -> None:
    """The first of the stages ``readers`` gives a weight to the others."""
    with faults.diagnosing(what, column().ranks), torch.no_grad():
        t = getattr(p._rest, "_local_tensor", p._rest.detach())
        dist.broadcast(t, column().ranks[readers[0]], group=column().between(readers).handle)


def let_go(network, parameters, plan: Plan) -> None:
    """Free the Parameters that other stages alone read; from then on calls go through the stages."""
    stage = column().stage
    for _, cell in network.cells_and_names():
        if cell._staged is None and any(True for _ in cell.get_parameters()):
            cell._mark_slow()
            cell.__dict__["_staged"] = plan
    for p in parameters:
        readers = plan.uses.get(id(p))
        if readers and stage not in readers and not p._away:
            free_memory((p,), readers)
            free_memory(p.__dict__.get("_twins", ()), readers, twins=True)
