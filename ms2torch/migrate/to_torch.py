"""to_torch: a Cell for torch's own tools: optimizers, DDP, ``loss.backward()``, torch.func, torch.export."""

from __future__ import annotations

import functools

import torch

from ms2torch._core.gradient import passes
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor import dtype
from ms2torch._core.tensor.tensor import Tensor, lift, lower
from ms2torch._core.torch_private import is_transformed
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim.optimizer import Optimizer
from ms2torch.train.callback._callback import Callback

from .callbacks import CallbackOfTorch, CellOfTorch


class _Branch(torch.nn.Module):
    """A plain Module that only holds what its Cell holds, under the same names."""


class CellModule(_Branch):
    """A torch Module around a Cell: torch tensors in and out, parameters over the Cell's own storage.

    ``parameters()`` are the Cell's trainable parameters and require grad; what does not train (BatchNorm's
    statistics) are buffers. ``state_dict`` has the Cell's names. An update through either side is seen by the
    other.
    """

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        if not isinstance(cell, Cell):
            raise TypeError(f"ms2torch.to_torch takes a mindspore.nn.Cell, but got {type(cell)}.")
        # Under names that no Cell's own parts have.
        self.__dict__["_CellModule__cell"] = cell
        self.__dict__["_CellModule__pairs"] = []
        self.training = cell.training
        for name, param in cell.parameters_and_names():
            if not param._away:
                self.__pairs.append(_pair(param, *self._branch(name)))

    def _branch(self, name: str):
        *path, leaf = name.split(".")
        found = self
        for part in path:
            if part not in found._modules:
                found.add_module(part, _Branch())
            found = found._modules[part]
        return found, leaf

    def _as_they_lie(self) -> None:
        """Hold what the Cell holds now: processes that train together may have come to keep a part of a
        weight, or to leave it to another stage, since the last look."""
        for pair in self.__pairs:
            param, branch, leaf, _ = pair
            if param._away:
                delattr(branch, leaf)
            elif type(_entry(branch, leaf).data) is not type(param._rest.data):
                pair[:] = _pair(param, branch, leaf)
            else:
                self._own(pair)
        self.__pairs[:] = [pair for pair in self.__pairs if not pair[0]._away]

    def _own(self, pair) -> torch.Tensor:
        """This side's tensor of a pair, over the storage of whichever side moved since the last look."""
        param, branch, leaf, place = pair
        mine = _entry(branch, leaf)
        rest = param._rest
        if rest.data_ptr() != place or mine.data_ptr() != place:
            if rest.data_ptr() != place:
                mine.data = rest.data
            else:
                rest.data = mine.data
            pair[3] = rest.data_ptr()
        return mine

    def _lent(self) -> tuple[list, list[torch.Tensor]]:
        """The Parameters to lend this side's tensors to, and these."""
        if not _traced(self.__pairs):
            tensors = [self._own(pair) for pair in self.__pairs]
            training = [i for i, pair in enumerate(self.__pairs) if _trains(pair[0])]
            return [self.__pairs[i][0] for i in training], [tensors[i] for i in training]
        # What torch's tracers put in the parameters' and buffers' places has no storage of its own.
        return [pair[0] for pair in self.__pairs], [_entry(*pair[1:3]) for pair in self.__pairs]

    def __repr__(self) -> str:
        shown = repr(self.__cell).replace("\n", "\n  ")
        return f"CellModule(\n  {shown}\n)"

    def state_dict(self, *args, **kwargs):
        """By the Cell's names; of processes that train together, what each keeps: parts are torch's DTensors,
        and what another stage of a pipeline keeps is left out."""
        self._as_they_lie()
        return super().state_dict(*args, **kwargs)

    def load_state_dict(self, *args, **kwargs):
        """Load what `state_dict` gives."""
        self._as_they_lie()
        return super().load_state_dict(*args, **kwargs)

    def train(self, mode: bool = True) -> CellModule:
        self.__cell.set_train(mode)
        return super().train(mode)

    def forward(self, *args, **kwargs):
        recording = torch.is_grad_enabled()
        with passes.Lent(*self._lent()), torch.set_grad_enabled(recording):
            outputs = lower(self.__cell(*lift(args), **lift(kwargs)))
        if not _traced(self.__pairs):
            for pair in self.__pairs:        # what the forward pass wrote lies in memory of its own
                self._own(pair)
        return outputs


def _pair(param, branch, leaf) -> list:
    """A Parameter, where the torch tensor over its storage is from now on, and where that storage is."""
    if _trains(param):
        branch.register_parameter(leaf, torch.nn.Parameter(param._rest.detach(), requires_grad=True))
    else:
        branch.register_buffer(leaf, param._rest.detach())
    return [param, branch, leaf, param._rest.data_ptr()]


def _trains(param) -> bool:
    """Whether it is a parameter of torch's: integers, which MindSpore calls trainable, are a buffer."""
    return param.requires_grad and (param._rest.is_floating_point() or param._rest.is_complex())


def _entry(branch, leaf) -> torch.Tensor:
    mine = branch._parameters.get(leaf)
    return branch._buffers[leaf] if mine is None else mine


def _traced(pairs) -> bool:
    """Whether torch.export, torch.onnx or torch.func runs the Module on stand-ins for its parameters."""
    if torch.compiler.is_compiling():
        return True
    return bool(pairs) and is_transformed(_entry(*pairs[0][1:3]))


def _as_mindspore(value):
    """What a function of MindSpore's takes for one of torch's: Tensors for tensors, dtypes for dtypes, Cells
    for Modules."""
    if isinstance(value, torch.dtype):
        return dtype.from_torch(value)
    if isinstance(value, CellModule):
        return vars(value)["_CellModule__cell"]
    if isinstance(value, torch.nn.Module) and not isinstance(value, Cell):
        return CellOfTorch(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(_as_mindspore, value)) if type(value) in (list, tuple) else lift(value)
    return lift(value)


def _function(call):
    """``call`` over torch tensors; torch's autograd goes through it."""

    @functools.wraps(call, updated=())
    def run(*args, **kwargs):
        return lower(call(*map(_as_mindspore, args), **{k: _as_mindspore(v) for k, v in kwargs.items()}))

    return run


class OptimizerOfTorch(torch.optim.Optimizer):
    """A torch optimizer whose step is that of a MindSpore optimizer, which was made over torch's parameters.

    Rates and decay are MindSpore's own: what is written into ``param_groups`` changes nothing. ``state_dict``
    has MindSpore's names.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.mindspore = optimizer
        super().__init__([p._of_torch for p in optimizer.parameters], {})

    @torch.no_grad()
    def step(self, closure=None) -> None:
        """Move the parameters by their ``grad``; one without a ``grad`` has a gradient of zeros."""
        parameters = self.param_groups[0]["params"]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        self.mindspore(lift(tuple(gradients)))

    def state_dict(self) -> dict[str, torch.Tensor]:
        return {name: p._rest.detach() for name, p in self._state()}

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, torch.Tensor]) -> None:
        for name, p in self._state():
            p._rest.copy_(state_dict[name])

    def _state(self):
        return [(name, p) for name, p in self.mindspore.parameters_and_names() if not hasattr(p, "_of_torch")]


def to_torch(cell):
    """What MindSpore has, for torch tensors.

    A Cell becomes the torch.nn.Module for everything of torch's that wants parameters that require grad, an
    operator or another function one over torch tensors, a Tensor a torch tensor; a dataset or an iterator
    gives them. An optimizer that was made over torch's parameters becomes one of torch's; a class of Cells
    makes Modules, one of operators functions.
    """
    if isinstance(cell, Tensor):
        return cell._t
    if isinstance(cell, type) and issubclass(cell, Cell):
        return functools.wraps(cell, updated=())(lambda *args, **kwargs: to_torch(cell(*args, **kwargs)))
    if isinstance(cell, type) and issubclass(cell, Primitive):
        return functools.wraps(cell, updated=())(lambda *args, **kwargs: _function(cell(*args, **kwargs)))
    if callable(cell) and not isinstance(cell, (Cell, type)):
        return _function(cell)
    if isinstance(cell, Callback):
        return CallbackOfTorch(cell)
    if not isinstance(cell, Cell) and hasattr(cell, "__iter__"):
        return _Rows(cell)
    if isinstance(cell, Optimizer) and all(hasattr(p, "_of_torch") for p in cell.parameters):
        return OptimizerOfTorch(cell)
    return CellModule(cell)


class _Rows:
    """A dataset or an iterator of MindSpore's, in torch tensors."""

    def __init__(self, rows) -> None:
        self.rows = rows
        # One iterator over all epochs: each pass is the next of them, as where MindSpore trains.
        self._epochs = rows.create_tuple_iterator() if hasattr(rows, "create_tuple_iterator") else rows

    def __iter__(self):
        return map(lower, iter(self._epochs))

    def __next__(self):
        return lower(next(self._epochs))

    def __len__(self) -> int:
        return self.rows.get_dataset_size() if hasattr(self.rows, "get_dataset_size") else len(self.rows)
