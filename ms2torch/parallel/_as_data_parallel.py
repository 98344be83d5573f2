"""Automatic parallelism where no strategy is given, run data-parallel.

SEMI_AUTO_PARALLEL and AUTO_PARALLEL split the tensors of one program over devices; what comes out is what one
device computes from the whole batch. Here every process holds the whole network: each computes its share of
the batch (``dataset_strategy="data_parallel"``) or all of it (``full_batch``), and every gradient of a weight
is the mean over the processes, as MindSpore's mirror operators reduce it where it arises. A program
that gives strategies runs spread (`_strategies`).
"""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.gradient import passes
from ms2torch._core.processes import distributed, ranks

MODES = ("semi_auto_parallel", "auto_parallel")
_compared: set[int] = set()
# What spread the networks before a program set another mode: loss monitors do, for one all-reduce in a step.
_left: list = []


def apply_settings(values: dict, going_on: bool = False) -> None:
    """Reduce gradients where they arise, as long as the settings ask for automatic parallelism. ``going_on``:
    what is spread stays so when they do again."""
    automatic = values["parallel_mode"] in MODES
    stages = values["pipeline_stages"] if automatic else 1
    if stages > 1 and ranks.place().size > 1:
        distributed.check_release("pipeline_stages")
    distributed.stages = stages
    distributed.schedule = values["pipeline_config"]["pipeline_scheduler"]
    distributed.interleaved = values["pipeline_config"]["pipeline_interleave"]
    if not automatic:
        passes.reduction = None
        if mode.mesh is None:
            if not going_on or mode.spreading is not None:
                _left[:] = [mode.spreading] if going_on else []
            mode.spreading = None
        return
    if going_on and _left and mode.spreading is None and mode.mesh is None:
        mode.spreading = _left.pop()
    if not isinstance(values["dataset_strategy"], str) and ranks.place().size > 1:
        from . import _strategies

        _strategies.current_spread()
    if mode.spreading is not None:
        mode.spreading.set_dataset_strategy(values["dataset_strategy"])
    if passes.reduction is None:
        passes.reduction = lambda grads, weights: _reduced(values, grads, weights)


def _reduced(values: dict, grads: list, weights) -> list:
    if not distributed.joined():
        return grads
    _check(values)
    if mode.mesh is not None:
        return mode.mesh.settled(grads, weights)
    if distributed.staged():        # (reduced as the step ended)
        return grads
    from ms2torch._core.processes import reducing

    group = distributed.group()
    if id(weights[0]) not in _compared:
        _compared.add(id(weights[0]))
        reducing.compare(list(weights), group)
    found, scale = list(grads), 1.0 / group.size
    for shared in (False, True):
        places = [i for i, w in enumerate(weights) if (w._share is not None) is shared]
        some = [found[i] for i in places]
        if shared and places:
            from ms2torch._core.processes import zero

            some = zero.reduce(some, [weights[i]._share for i in places], scale)
        elif places:
            some = reducing.reduce(some, group, scale)
        for i, t in zip(places, some, strict=True):
            found[i] = t
    return found


def _check(values: dict) -> None:
    name = values["parallel_mode"].upper()
    if distributed.staged() and passes.settling is None:
        raise unsupported(
            f"set_auto_parallel_context(parallel_mode={name}, pipeline_stages={values['pipeline_stages']})",
            "a network without micro-batches is not cut into stages.",
            "nn.PipelineCell(network_with_loss, micro_size), and cell.pipeline_stage for its Cells.",
        )
    if mode.mesh is not None or distributed.staged():
        return
    notice(
        f"auto parallel {name}",
        f"{name} runs data-parallel on {distributed.size()} processes: each holds the whole network, "
        "gradients are averaged, a loss is that of the process's own share. For networks that do not fit: "
        "enable_parallel_optimizer=True, or strategies of operators (Primitive.shard, Cell.shard).",
    )
