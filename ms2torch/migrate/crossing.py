"""What goes from one side to the other, and back, in a program that is PyTorch's in part."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from types import FunctionType, MethodType

import torch

from ms2torch._core.tensor import dtype
from ms2torch._core.tensor.tensor import Tensor, lift, lower
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim._groups import with_torchs
from ms2torch.ops.composite.base import GradOperation
from ms2torch.train.callback._callback import Callback
from ms2torch.train.metrics.loss import Loss
from ms2torch.train.metrics.metric import Metric

from .cells import CellModule, CellOfTorch, ScaleUpdateOfTorch, keep_written

# Functions that are told weights: a torch Parameter is one of these, and no operand.
_OF_WEIGHTS = frozenset(("value_and_grad", "grad", "save_checkpoint", "load_param_into_net", "get_grad"))
_PLAIN = (int, float, str, bool, type(None), Tensor, torch.Size)


def as_mindspore(value, weights: bool = True):
    """What MindSpore's takes for something of torch's: Tensors for tensors, Cells for Modules, its own
    optimizers, callbacks and metrics. ``weights``: torch Parameters are Parameters, else Tensors."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, torch.Tensor):
        is_weight = weights and isinstance(value, torch.nn.Parameter)
        return with_torchs([value])[0] if is_weight else lift(value)
    if isinstance(value, torch.dtype):
        return dtype.from_torch(value)
    if type(value) in (list, tuple, dict):
        if isinstance(value, dict):
            return {name: as_mindspore(x, weights) for name, x in value.items()}
        return type(value)(as_mindspore(x, weights) for x in value)
    if isinstance(value, Iterator) and inspect.isgenerator(value):
        return [as_mindspore(x, weights) for x in value]
    if isinstance(value, torch.nn.Module):
        return _cell(value)
    if isinstance(value, (FunctionType, MethodType)):
        return _given(value)
    return lift(_thing(value))


def _cell(module: torch.nn.Module) -> Cell:
    if isinstance(module, Cell):
        return module
    own = vars(module)
    if isinstance(module, CellModule):
        return own["_CellModule__cell"]
    made = own.get("_as_cell")
    if made is None or made._hidden[0] is not module:  # (a copy of the Module has the original's)
        made = own["_as_cell"] = CellOfTorch(module)
    return made


def _thing(value):
    """The counterpart of an object of torch's or of a translated program's; itself where it has none."""
    from .callbacks import CallbackOverTorchs, MetricOverTorchs
    from .optimizers import OptimizerOfTorch, OptimizerOverTorchs
    from .rows import Rows, rows_of

    if hasattr(value, "mindspore") and isinstance(value, (Kept, Callback, OptimizerOfTorch, Rows)):
        return value.mindspore
    if isinstance(value, torch.utils.data.DataLoader):
        return rows_of(value)
    if isinstance(value, (Callback, Metric, type)):
        return value
    own = getattr(value, "__dict__", {})
    if "_as_mindspore" in own:
        return own["_as_mindspore"]
    if isinstance(value, torch.optim.Optimizer):
        made = OptimizerOverTorchs(value)
    elif callable(getattr(value, "get_loss_scale", None)) and callable(value):
        made = ScaleUpdateOfTorch(value)
    elif hasattr(value, "on_train_step_end"):
        made = CallbackOverTorchs(value)
    elif type(value).__name__ == "LossMetric":
        made = Loss()
    elif all(callable(getattr(value, name, None)) for name in ("clear", "update", "eval")):
        made = MetricOverTorchs(value)
    else:
        return value
    own["_as_mindspore"] = made
    return made


def _given(call):
    """A function over torch tensors for MindSpore's to call."""
    if hasattr(call, "mindspore"):
        return call.mindspore

    @functools.wraps(call)
    def run(*args, **kwargs):
        return as_mindspore(call(*as_torch(args), **as_torch(kwargs)), weights=False)

    return run


def as_torch(value):
    """What torch's takes for something of MindSpore's, the opposite of `as_mindspore`."""
    from .to_torch import to_torch

    if isinstance(value, Parameter):
        return value._t if value._of_torch is None else value._of_torch
    if isinstance(value, Tensor):
        return value._t
    if type(value) is dict:
        return {name: as_torch(x) for name, x in value.items()}
    if isinstance(value, (list, tuple)):
        return lower(value) if hasattr(value, "_fields") else _sequence(value)
    if isinstance(value, Cell):
        hidden = vars(value).get("_hidden")
        return hidden[0] if hidden else to_torch(value)
    if isinstance(value, (FunctionType, MethodType)):
        return function(value)
    return value


def _sequence(value):
    found = [as_torch(x) for x in value]
    return found if isinstance(value, list) else tuple(found)


def function(call):
    """``call`` over torch tensors; torch's autograd goes through it."""
    told = getattr(call, "__name__", "") in _OF_WEIGHTS or isinstance(call, GradOperation)
    weights = told or getattr(call, "__qualname__", "").startswith("Parameter.")

    @functools.wraps(call, updated=())
    def run(*args, **kwargs):
        made = [as_mindspore(x, weights) for x in args]
        result = as_torch(call(*made, **{k: as_mindspore(v, weights) for k, v in kwargs.items()}))
        keep_written(args, made)
        return result

    run.mindspore = call
    return run


class Kept:
    """An object of MindSpore's whose methods take what is torch's."""

    def __init__(self, thing) -> None:
        self.mindspore = thing

    def __getattr__(self, name: str):
        found = getattr(vars(self)["mindspore"], name)
        return function(found) if isinstance(found, (FunctionType, MethodType)) else as_torch(found)


class KeptScaler(Kept):
    """A loss scaler of MindSpore's, which is told by a Tensor whether gradients were finite."""

    def adjust(self, finite):
        return self.mindspore.adjust(lift(torch.as_tensor(finite)))
