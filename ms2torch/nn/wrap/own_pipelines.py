"""Pipelines that packages write themselves: a Cell that calls its network once for each micro-batch.

MindSpore's compiler knows them by an attribute of the operator that adds up what comes out,
``Add().add_prim_attr("pipeline_end", i)``. Such a ``construct`` runs twice here: first to find out what it
gives its network, then with what the stages made of that. Its results are the last stage's; elsewhere they
are 0, as in MindSpore, so that sums over the stages, which such packages take, are right.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.devices.device import device
from ms2torch._core.errors import unsupported
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.processes import distributed
from ms2torch._core.processes.stages import mapped
from ms2torch._core.tensor.tensor import Tensor, wrap


def adds_up_micro_batches(cell) -> bool:
    """Whether a Cell of a program says that it ends a pipeline's micro-batches."""
    for value in tuple(cell.__dict__.values()):
        for one in value if value.__class__ in (list, tuple) else (value,):
            if isinstance(one, Primitive) and "pipeline_end" in one.attrs:
                return True
    return False


def through_stages(cell, args: tuple, kwargs: dict):
    """``cell.construct(*args, **kwargs)`` whose network runs in stages."""
    from ms2torch._core.processes import pipeline

    name, network = _network_of(cell)
    known = cell.__dict__.setdefault("_own_steps", {})
    asked = _Asked(network, known)
    try:
        cell._modules[name] = asked
        cell.construct(*args, **kwargs)
        steps = known.get(asked.kind)
        count = len(asked.batches)
        if count < distributed.stages:
            raise ValueError("The size of micro_batch must be greater than or equal to stage_num. But got "
                             f"the size of micro_batch is {count} and the stage_num is {distributed.stages}.")
        if steps is None or steps.micro != count:
            steps = known[asked.kind] = pipeline.prepare(network, asked.batches, asked.plan)
            if mode.mesh is None and len(known) == 1:
                from ms2torch.parallel._strategies import write_file

                write_file(steps.held(), (steps.at.width,))
        last = steps.at.stage == steps.at.count - 1
        losses = pipeline.train(steps, asked.batches, hidden=not last, several=True)
        cell._modules[name] = _Answers(network, [
            _output(steps, losses[i], others, last) for i, (_, others) in enumerate(steps.outputs)])
        return cell.construct(*args, **kwargs)
    finally:
        cell._modules[name] = network


def _network_of(cell) -> tuple:
    found = [(name, one) for name, one in cell._modules.items()
             if one is not None and any(True for _ in one.get_parameters())]
    if len(found) != 1:
        raise unsupported(f"{type(cell).__name__} with pipeline_stages", "a Cell that adds up micro-batches "
                          f"must have one network; it has {len(found)} Cells with Parameters.",
                          "nn.PipelineCell(network_with_loss, micro_size).")
    return found[0]


class _InPlace:
    """What stands in the place of a network while a Cell around it runs."""

    def __init__(self, network) -> None:
        self.network = network

    def __getattr__(self, name: str):
        return getattr(self.network, name)


class _Asked(_InPlace):
    """Notes the micro-batches, and gives something like what will come of them."""

    def __init__(self, network, known: dict) -> None:
        super().__init__(network)
        self.known, self.batches, self.kind, self.plan = known, [], None, None

    def __call__(self, *args, **kwargs):
        from ms2torch._core.processes import pipeline

        if kwargs:
            raise unsupported("pipeline_stages", "a network gets its micro-batches by position.",
                              "network(*micro_batch).")
        self.batches.append(args)
        if self.kind is None:
            self.kind = (pipeline.kind_of(args), self.network.training, distributed.stages,
                         distributed.schedule)
            known = self.known.get(self.kind)
            self.plan = known.plan if known else pipeline.planned(self.network, args, several=True)
        return mapped(_blank, self.plan.output)


def _blank(known):
    like = getattr(known, "like", None)
    if like is None:
        return wrap(torch.zeros_like(known._t)) if isinstance(known, Tensor) else known
    return wrap(torch.zeros(like.shape, dtype=like.dtype, device=device()))


class _Answers(_InPlace):
    """Gives what came of them, in their order."""

    def __init__(self, network, answers: list) -> None:
        super().__init__(network)
        self.answers = answers

    def __call__(self, *args):
        return self.answers.pop(0)


def _output(steps, losses, others, last: bool):
    """What the network gave for one micro-batch, on each process."""
    losses, others = iter(losses.unbind()), iter(others)

    def given(known):
        like = getattr(known, "like", None)
        if like is None:
            found = next(others)
            return found if last or not isinstance(found, Tensor) else wrap(torch.zeros_like(found._t))
        t = next(losses)
        return wrap(t.to(like.dtype).reshape(like.shape))

    return mapped(given, steps.plan.output)
