"""Networks on the other side: a Cell as a Module, and a Module as a Cell."""

from __future__ import annotations

import copy
from contextlib import nullcontext

import torch

from ms2torch._core import mode
from ms2torch._core.errors import unsupported
from ms2torch._core.gradient import passes
from ms2torch._core.tensor.tensor import Tensor, lift, lower
from ms2torch._core.torch_private import is_transformed
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim._groups import with_torchs
from ms2torch.nn.optim.optimizer import Optimizer


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
        self.__dict__["_held"] = {name.partition(".")[0] for name, _ in cell.parameters_and_names()}
        # Whether it is a step of training, which differentiates by itself and nothing goes back through.
        self.__dict__["_is_step"] = any(isinstance(x, Optimizer) for _, x in cell.cells_and_names())
        self.training = cell.training
        for name, param in cell.parameters_and_names():
            if not param._away:
                self.__pairs.append(_pair(param, *self._branch(name)))

    def __getattr__(self, name: str):
        """What the Cell has, as torch has it."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            cell = vars(self).get("_CellModule__cell")
            shown = cell is not None and not name.startswith("_") and name not in vars(self)["_held"]
            if not shown or not hasattr(cell, name):
                raise
        from .crossing import as_torch

        return as_torch(getattr(cell, name))

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
        recording, is_step = torch.is_grad_enabled(), vars(self)["_is_step"]
        lent = self._lent()
        opened = nullcontext() if is_step else passes.Lent(*lent)
        with opened, torch.set_grad_enabled(recording and not is_step):
            made = lift(args)
            outputs = lower(self.__cell(*made, **lift(kwargs)))
        keep_written(args, made)
        if not _traced(self.__pairs):
            for pair in self.__pairs:        # what the forward pass wrote lies in memory of its own
                self._own(pair)
        return outputs


def _pair(param, branch, leaf) -> list:
    """A Parameter, where the torch tensor over its storage is from now on, and where that storage is."""
    if _trains(param) and param._of_torch is not None:
        param._of_torch_follows()
        branch.register_parameter(leaf, param._of_torch)
    elif _trains(param):
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


class CellOfTorch(Cell):
    """A Cell over a torch Module: it computes what that does, and its Parameters, which have the Module's
    names, lie in the memory of the Module's own."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__(auto_prefix=False)
        self._hidden = (module,)  # not a child
        self.__dict__["training"] = module.training
        buffers = {n: b for n, b in module.named_buffers() if not n.endswith("num_batches_tracked")}
        held = dict(module.named_parameters())
        held |= {n: torch.nn.Parameter(b, requires_grad=False) for n, b in buffers.items()}
        for name, made in zip(held, with_torchs([*held.values()]), strict=True):
            made.name = name
            self.insert_param_to_cell(name, made, check_name_contain_dot=False)

    def __getattr__(self, name: str):
        """What the Module's own class has, as MindSpore has it."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            hidden = vars(self).get("_hidden")
            shown = hidden and not name.startswith("_") and not hasattr(torch.nn.Module, name)
            if not shown or not hasattr(type(hidden[0]), name):
                raise
        from .crossing import as_mindspore

        return as_mindspore(getattr(hidden[0], name))

    def add_flags(self, **flags) -> Cell:
        """``training`` is the Module's too."""
        if "training" in flags:
            self._hidden[0].train(flags["training"])
        return super().add_flags(**flags)

    def lower_module(self, level: str, dtype: torch.dtype = torch.float16) -> Cell:
        """Let the Module itself compute as a level of mixed precision has it, over its weights in Float32."""
        from ms2torch.translate.helpers import layers

        if dtype is not torch.float16:
            raise unsupported(
                "mindspore.amp.auto_mixed_precision(dtype=)",
                "a network of torch's is lowered to Float16 alone.",
                "put it under torch.autocast.",
            )
        module, before = self._hidden[0], vars(self._hidden[0]).get("_amp_level")
        if before is not None and before != level:
            raise unsupported(
                "mindspore.amp.auto_mixed_precision(amp_level=)",
                f"the level of this network of torch's is {before} already.",
                "make another network for another level.",
            )
        if before is None:
            module._amp_level = level
            if level in ("O1", "auto"):
                (layers.lower_layers if level == "O1" else layers.lower_operators)(module)
            else:
                _in_float16(module, layers, level == "O2")
        return self

    def construct(self, *inputs):
        module, inputs = self._hidden[0], [lower(x) for x in inputs]
        for p in self.get_parameters():
            p._of_torch_follows()
        if isinstance(module, (torch.nn.CrossEntropyLoss, torch.nn.NLLLoss)) and len(inputs) > 1:
            inputs[1] = inputs[1] if inputs[1].is_floating_point() else inputs[1].long()
        # At rest nothing is recorded, although the Module's parameters ask for it.
        with torch.set_grad_enabled(mode.differentiation is not None and torch.is_grad_enabled()):
            return lift(module(*inputs))


def _in_float16(module: torch.nn.Module, layers, keep_norms: bool) -> None:
    within = layers.LowPrecision(copy.copy(module), keep_norms)

    def forward(*inputs):
        within.module.training = module.training
        return layers.cast(within(*inputs), torch.float16)

    module.forward = forward


def keep_written(given, made) -> None:
    """Where a call wrote new values into a Tensor that stands for a torch tensor, that has them too."""
    for mine, other in zip(given, made, strict=True):
        stands = type(other) is Tensor and isinstance(mine, torch.Tensor)
        if stands and mine is not other._t and mine.shape == other.shape:
            mine.data.copy_(other._t)


class ScaleUpdateOfTorch(Cell):
    """A Cell over what moves the loss scale of a training step of torch's."""

    def __init__(self, update) -> None:
        super().__init__(auto_prefix=False)
        self._hidden = (update,)
        self.get_loss_scale = update.get_loss_scale

    def construct(self, scale, overflow):
        self._hidden[0](scale._t, lower(overflow))
        return overflow
