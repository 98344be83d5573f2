"""to_torch: a Cell for torch's own tools: optimizers, DDP, ``loss.backward()``, torch.func, torch.export."""

from __future__ import annotations

import functools

from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.amp import LossScaler
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim.optimizer import Optimizer
from ms2torch.ops.composite.base import GradOperation
from ms2torch.train.callback._callback import Callback
from ms2torch.train.model import Model

from .callbacks import CallbackOfTorch
from .cells import CellModule
from .crossing import Kept, KeptScaler, as_mindspore, function
from .optimizers import OptimizerOfTorch
from .rows import Rows


def to_torch(cell):
    """What MindSpore has, for torch tensors.

    A Cell becomes the torch.nn.Module for everything of torch's that wants parameters that require grad, an
    operator or another function one over torch tensors, a Tensor a torch tensor; a dataset or an iterator
    gives them. An optimizer that was made over torch's parameters becomes one of torch's; a class of Cells
    makes Modules, one of operators functions.
    """
    if isinstance(cell, Tensor):
        return cell._t
    if isinstance(cell, type):
        return _making(cell)
    if isinstance(cell, Callback):
        return CallbackOfTorch(cell)
    if isinstance(cell, (Model, LossScaler)):
        return Kept(cell) if isinstance(cell, Model) else KeptScaler(cell)
    if callable(cell) and not isinstance(cell, Cell):
        return function(cell)
    if not isinstance(cell, Cell) and hasattr(cell, "__iter__"):
        return Rows(cell)
    if isinstance(cell, Optimizer) and all(p._of_torch is not None for p in cell.parameters):
        return OptimizerOfTorch(cell)
    return CellModule(cell)


# What becomes something of torch's, and not only what it is.
_BECOMES = (Cell, Callback, Model, LossScaler, Primitive, GradOperation, Tensor)


def _making(cls: type):
    """A class that is given what is torch's; what it makes is torch's where it becomes that."""

    @functools.wraps(cls, updated=())
    def make(*args, **kwargs):
        made = cls(*map(as_mindspore, args), **{k: as_mindspore(v) for k, v in kwargs.items()})
        return to_torch(made) if issubclass(cls, _BECOMES) else made

    return make
