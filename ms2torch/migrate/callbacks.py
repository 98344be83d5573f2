"""What stays MindSpore's in a program that is PyTorch's by now, and takes networks: it gets Cells."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch._core.tensor.tensor import lift, lower
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim._groups import with_torchs
from ms2torch.train.callback._callback import Callback, InternalCallbackParam, RunContext


class CellOfTorch(Cell):
    """A Cell over a torch Module: it computes what that does, and its Parameters, which have the Module's
    names, lie in the memory of the Module's own."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__(auto_prefix=False)
        self._hidden = (module,)  # not a child
        buffers = {n: b for n, b in module.named_buffers() if not n.endswith("num_batches_tracked")}
        held = dict(module.named_parameters())
        held |= {n: torch.nn.Parameter(b, requires_grad=False) for n, b in buffers.items()}
        for name, made in zip(held, with_torchs([*held.values()]), strict=True):
            made.name = name
            self.insert_param_to_cell(name, made, check_name_contain_dot=False)

    def construct(self, *inputs):
        return lift(self._hidden[0](*map(lower, inputs)))


class CallbackOfTorch(Callback):
    """A callback of MindSpore's that a training loop over torch's Modules calls."""

    def __init__(self, callback: Callback) -> None:
        self.mindspore = callback
        self._cells: dict[int, CellOfTorch] = {}
        for name in (name for name in vars(Callback) if not name.startswith("_")):
            setattr(self, name, partial(self._told, getattr(callback, name)))

    def __enter__(self) -> CallbackOfTorch:
        self.mindspore.__enter__()
        return self

    def __exit__(self, *error):
        return self.mindspore.__exit__(*error)

    def __getattr__(self, name: str):
        return getattr(vars(self)["mindspore"], name)

    def _told(self, hook, run) -> None:
        state = run.original_args()
        given = state if isinstance(state, dict) else vars(state)
        if not any(_is_of_torch(value) for value in given.values()):
            hook(run)
            return
        context = RunContext(InternalCallbackParam({name: self._handed(x) for name, x in given.items()}))
        hook(context)
        if context.get_stop_requested():
            run.request_stop()

    def _handed(self, value):
        if not _is_of_torch(value):
            return lift(value) if isinstance(value, (torch.Tensor, tuple)) else value
        if id(value) not in self._cells:
            self._cells[id(value)] = CellOfTorch(value)
        return self._cells[id(value)]


def _is_of_torch(value) -> bool:
    return isinstance(value, torch.nn.Module) and not isinstance(value, Cell)
