"""The slow path of a Cell's call: hooks, precision, recording, custom gradients, recomputation.

Mixed into Cell.
"""

from __future__ import annotations

from functools import partial
from itertools import chain

import torch

from ms2torch import language
from ms2torch._core import mode
from ms2torch._core.gradient import passes, recording
from ms2torch._core.gradient.custom import backward_hooked, custom_bprop
from ms2torch._core.operators import autocast
from ms2torch._core.processes import distributed
from ms2torch._core.random.repeating import Replay
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.language import differentiating
from ms2torch.nn import _described_inputs


class CellCall:
    """How a Cell marked ``_slow`` is called."""

    _parameter_hooks = ()

    # Whether it is an optimizer.
    _updates_weights = False
    # Whether its Parameters' names are each one's own: seen to at the first call.
    _names_checked = False

    # In a Cell that is evaluated: whether it is slow for anything beside that.
    _evaluated = None

    # Whether it calls its network for each micro-batch of a pipeline (`wrap.own_pipelines`).
    _micro_batched = False

    # Where stages of a pipeline are trained: what reads which Parameter (`stages.Plan`).
    _staged = None

    def _mark_slow(self) -> None:
        mode.changes += 1
        self.__dict__["_slow"] = True
        if self._evaluated is not None:
            self.__dict__["_evaluated"] = True

    def _mark_evaluated(self) -> None:
        """Have calls at rest compiled where graphs are."""
        if self._evaluated is None and not (self._trainer or self._never_recorded):
            self.__dict__["_evaluated"] = self._slow
            self.__dict__["_slow"] = True

    def _slow_call(self, args: tuple, kwargs: dict):
        if mode.way is not None and "_pipeline_stage" in self.__dict__ and self._of_one_stage():
            return mode.way.cell(type(self).__name__, self._pipeline_stage, self._run_slow, args, kwargs)
        if mode.differentiation is None:
            if self._staged is not None:
                if mode.way is not None:
                    return self._run_slow(*args, **kwargs)
                from ms2torch._core.processes import staged_evaluation

                return staged_evaluation.evaluate(self, args, kwargs)
            part = recording.training is not None or mode.mapped
            if "_dynamic_shape_inputs" in self.__dict__ and not part and (
                    mode.graph or hasattr(type(self).construct, "_graph_source")):
                _described_inputs.check(self._dynamic_shape_inputs, self.construct, args, kwargs)
            if self._trainer and (self._never_recorded or not self._is_recorded() or self._updates()):
                return self._call_as_trainer(args, kwargs)
            evaluated = self._evaluated
            if evaluated is not None and not self.training and language.begins() and (
                    mode.graph or mode.graphs == "compile"):
                from ms2torch.compiler import steps

                return steps.of_cell(self, self._run_slow, args, kwargs, "the evaluation")
            if evaluated is not False and not self._never_recorded and self._is_recorded():
                return recording.record(self, self._run_slow, args, kwargs)
        return self._run_slow(*args, **kwargs)

    def _is_recorded(self) -> bool:
        """Whether a call at rest keeps what a gradient needs; a graph does for gradients of its own."""
        return recording.training is not None if mode.graph or mode.inside else self.requires_grad

    def _updates(self) -> bool:
        """Whether there is an optimizer in it: a train cell, not a loss that differentiates."""
        return any(cell._updates_weights for _, cell in self.cells_and_names())

    def _of_one_stage(self) -> bool:
        """Whether no Cell in this one belongs to another stage of a pipeline."""
        stage = self._pipeline_stage
        return all(cell.__dict__.get("_pipeline_stage", stage) == stage for _, cell in self.cells_and_names())

    def _call_as_trainer(self, args: tuple, kwargs: dict):
        """A construct that differentiates is one graph in MindSpore: compiled where that is wanted."""
        if not self._names_checked:
            self.__dict__["_names_checked"] = True
            self.check_names_and_refresh_name()
        if mode.tracing is None and (mode.graphs == "compile" or (mode.graphs == "auto" and mode.graph)):
            from ms2torch.compiler import steps

            return steps.of_cell(self, self._train_step, args, kwargs)
        return self._train_step(*args, **kwargs)

    def _train_step(self, *args, **kwargs):
        """One forward for loss and gradients."""
        if not self._children_marked:
            self._mark_children()
        if passes.before_training:
            passes.prepare_training(self)
        with self._training(args, kwargs):
            output = self._run_slow(*args, **kwargs)
            return _values(output) if mode.graph else output

    def _training(self, args: tuple, kwargs: dict) -> recording.Training:
        if not mode.graph:
            return recording.Training()
        written = getattr(type(self).construct, "_graph_source", type(self).construct)
        outside = chain(self.__dict__.values(), differentiating.outer_values(written))
        return recording.Training((*args, *kwargs.values()), outside,
                                  differentiating.several_times(written, self))

    def _mark_children(self) -> None:
        self.__dict__["_children_marked"] = True
        for child in self._modules.values():
            if isinstance(child, CellCall):
                child._mark_slow()

    def _run_slow(self, *args, **kwargs):
        hooks = self._cell_hooks
        if hooks:
            args, kwargs = _before(self, hooks.get("forward_pre"), args, kwargs)
        compute = partial(_constructed, self)
        if self._float is not None:
            args, kwargs = _cast(args, self._float), _cast(kwargs, self._float)
            compute = partial(_in_precision, self)
        if self._parameter_hooks:
            compute = partial(_with_hooked_parameters, self)
        if hooks and (hooks.get("backward") or hooks.get("backward_pre")) and passes.is_differentiating():
            output = backward_hooked(self, hooks, compute, args, kwargs)
        else:
            output = compute(*args, **kwargs)
        if hooks:
            output = _after(self, hooks.get("forward"), args, kwargs, output)
        return output


# Functions, not methods: programs give their Cells methods with names like these.


def _in_precision(cell: CellCall, *args, **kwargs):
    """``construct`` with the Cell's constant Tensors cast as its parameters are."""
    own, dtype = cell.__dict__, cell._float
    constants = {n: v for n, v in own.items() if v.__class__ is Tensor and v._t.dtype is not dtype}
    cast = {name: _cast(value, dtype) for name, value in constants.items()}
    own.update(cast)
    try:
        with autocast.autocast_off():
            return _constructed(cell, *args, **kwargs)
    finally:
        own.update({name: constants[name] for name in cast if own.get(name) is cast[name]})


def _with_hooked_parameters(cell: CellCall, *args, **kwargs):
    """``construct`` with what their hooks make of parameters in their slots."""
    before = [(p, p._t) for p, _ in cell._parameter_hooks]
    try:
        for p, hook in cell._parameter_hooks:
            p._t = lower(hook(wrap(p._t)))
        return _constructed(cell, *args, **kwargs)
    finally:
        for p, t in before:
            p._t = t


def _constructed(cell: CellCall, *args, **kwargs):
    inside = cell._in_slow_construct
    cell.__dict__["_in_slow_construct"] = True
    try:
        if cell.has_bprop and passes.is_differentiating():
            run = partial(custom_bprop, cell.construct, cell.bprop)
            if mode.way is None:
                return run(args, kwargs)
            return mode.way.function(type(cell).__name__, lambda *args: run(args, kwargs), args)
        if cell._micro_batched and distributed.staged() and mode.way is None and (
                mode.differentiation is not None):
            from ms2torch.nn.wrap import own_pipelines

            return own_pipelines.through_stages(cell, args, kwargs)
        if mode.differentiation is not None and cell._recompute:
            return checkpointed(cell.construct, args, kwargs)
        return cell.construct(*args, **kwargs)
    finally:
        cell.__dict__["_in_slow_construct"] = inside


def _before(cell: CellCall, table, args: tuple, kwargs: dict):
    for hook, how in tuple(table.values()) if table else ():
        if how["with_kwargs"]:
            result = hook(cell, args, kwargs)
            if result is not None:
                args, kwargs = result
        else:
            result = hook(cell, args)
            if result is not None:
                args = result if isinstance(result, tuple) else (result,)
    return args, kwargs


def _after(cell: CellCall, table, args: tuple, kwargs: dict, output):
    for hook, how in tuple(table.values()) if table else ():
        result = hook(cell, args, kwargs, output) if how["with_kwargs"] else hook(cell, args, output)
        if result is not None:
            output = result
    return output


def _values(output):
    """``output`` as a graph hands it out: a Parameter in it is a Tensor of its value at the end."""
    if output.__class__ is Parameter:
        return wrap(output._t.clone())
    if output.__class__ is tuple:
        return tuple([_values(x) for x in output])
    return output


def _cast(obj, dtype: torch.dtype):
    """Float Tensors in ``obj`` cast to ``dtype``."""
    if isinstance(obj, Tensor):
        t = obj._t
        return wrap(t.to(dtype)) if t.is_floating_point() and t.dtype is not dtype else obj
    if obj.__class__ in (tuple, list):
        return obj.__class__([_cast(x, dtype) for x in obj])
    if obj.__class__ is dict:
        return {k: _cast(v, dtype) for k, v in obj.items()}
    return obj


def checkpointed(construct, args: tuple, kwargs: dict):
    """``construct`` without what autograd saves of it: it runs again in the backward pass, with the same
    draws and in the same dtypes. What a compiled step keeps its compiler decides."""
    if mode.tracing is not None:
        return construct(*args, **kwargs)
    from torch.utils.checkpoint import checkpoint

    mode.differentiation.recomputes = True
    draws, low = Replay(), autocast.low_dtype()

    def run(*raw, **named):
        with draws, autocast.casting_to(low):
            return lower(construct(*lift(raw), **lift(named)))

    return lift(checkpoint(run, *lower(args), use_reentrant=False, **lower(kwargs)))
