"""Evaluation of a network whose stages are on different processes.

Once a pipeline is trained, a process has the weights of its stage alone. A call of the network, or of a Cell
of it, that is not differentiated then goes through the stages too: each waits for the one before it, and what
comes out is given to all of them.
"""

from __future__ import annotations

import torch
import torch.distributed as dist

from ms2torch._core.devices.device import device
from ms2torch._core.errors import unsupported
from ms2torch._core.processes import distributed, faults, pipeline
from ms2torch._core.processes.stages import Plan, Value, Walk, leaves_of, mapped
from ms2torch._core.tensor.tensor import Tensor, wrap


def evaluate(cell, args: tuple, kwargs: dict):
    """``cell(*args, **kwargs)`` by the stages of its pipeline: the same on every process."""
    if not distributed.staged():
        return cell._run_slow(*args, **kwargs)
    parameters = list(cell.get_parameters())
    pipeline.publish_all()
    at, plan = pipeline.column(), _plan(cell, parameters, args, kwargs)
    received = {}
    with faults.diagnosing("a pipeline's evaluation", at.ranks), torch.no_grad():
        for value in plan.crossing(at.stage) if at.stage else ():
            t = torch.empty(value.like.shape, dtype=value.like.dtype, device=device())
            dist.recv(t, at.ranks[at.stage - 1], group=at.group)
            received[value.place] = pipeline.spread(value, t)
        way = Walk(plan, parameters, at.stage, received)
        made = iter(leaves_of(pipeline.run_observed(way, cell, args, kwargs)))
        here = way.end()
        for value in plan.crossing(at.stage + 1) if at.stage < at.count - 1 else ():
            t = pipeline.local(value, here.get(value.place)).contiguous()
            dist.send(t, at.ranks[at.stage + 1], group=at.group)
        return mapped(lambda value: _for_all(value, next(made), at), plan.output)


def _plan(cell, parameters, args: tuple, kwargs: dict) -> Plan:
    """How a call goes through the stages; kept for the next call of its kind."""
    kind = pipeline.kind_of(tuple(leaves_of((args, kwargs)))), cell.training, distributed.stages
    known, plan = cell.__dict__.get("_staged_call", (None, None))
    if known != kind:
        plan = pipeline.survey(cell, parameters, args, kwargs)
        for p in parameters:
            held, read = cell._staged.uses.get(id(p)), plan.uses.get(id(p), set())
            if held is not None and not read <= held:
                raise unsupported("pipeline_stages", f"Parameter '{p.name}', which stage "
                                  f"{', '.join(map(str, sorted(held)))} holds, is read by stage "
                                  f"{', '.join(map(str, sorted(read - held)))} here.",
                                  "call the Cell that has the pipeline_stage, or one around it.")
        cell.__dict__["_staged_call"] = kind, plan
    return plan


def _for_all(value, found, at):
    """What one stage made, on all of them."""
    if value.__class__ is not Value:
        return found
    wrapped = isinstance(found, Tensor)
    if at.stage == value.stage:
        t = pipeline.local(value, found._t if wrapped else found).contiguous()
    else:
        t = torch.empty(value.like.shape, dtype=value.like.dtype, device=device())
    dist.broadcast(t, at.ranks[value.stage], group=at.group)
    t = pipeline.spread(value, t)
    return wrap(t) if wrapped else t
