"""Callbacks and metrics on the other side: MindSpore's where a loop of torch's calls them, and the other way
round."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import torch

from ms2torch._core.tensor.tensor import lower
from ms2torch.train.callback._callback import Callback, InternalCallbackParam, RunContext
from ms2torch.train.metrics.metric import Metric

from .crossing import as_mindspore, as_torch
from .optimizers import OptimizerOverTorchs

_MOMENTS = tuple(name for name in vars(Callback) if not name.startswith("_"))


class CallbackOfTorch(Callback):
    """A callback of MindSpore's that a training loop over torch's Modules calls."""

    def __init__(self, callback: Callback) -> None:
        self.mindspore, self._state, self._entered = callback, None, False
        for name in _MOMENTS:
            setattr(self, name, partial(self._told, getattr(callback, name)))

    def __enter__(self) -> CallbackOfTorch:
        self._entered = True
        self.mindspore.__enter__()
        return self

    def __exit__(self, *error):
        self._entered = False
        return self.mindspore.__exit__(*error)

    def __getattr__(self, name: str):
        return getattr(vars(self)["mindspore"], name)

    def failed(self) -> None:
        """Training ends by an error: a checkpoint stays, where that is wanted."""
        save, state = getattr(self.mindspore, "_save_on_exception", None), self._state
        if save is not None and state is not None:
            step = (state.cur_step_num - 1) % state.batch_num + 1
            save(as_mindspore(state.network), state.cur_epoch_num, step)
        if self._entered:
            self.__exit__(None, None, None)

    def _told(self, hook, run) -> None:
        state = run.original_args()
        given = state if isinstance(state, dict) else vars(state)
        if not any(_is_of_torch(value) for value in given.values()):
            hook(run)
            return
        self._state = state
        # What a Model of MindSpore's does around its training, and tells beside what this loop has.
        if hook.__name__ == "on_train_begin" and not self._entered:
            self.__enter__()
        shown = InternalCallbackParam(
            mode="train", dataset_sink_mode=False, list_callback=[self.mindspore], device_number=_processes()
        )
        shown.update({name: as_mindspore(x) for name, x in given.items()})
        shown.setdefault("train_network", shown.get("network"))
        rates = [x for x in shown.values() if isinstance(x, OptimizerOverTorchs)]
        for optimizer in rates:
            optimizer.show_rate()
        context = RunContext(shown)
        hook(context)
        for optimizer in rates:
            optimizer.take_rate()
        if context.get_stop_requested():
            run.request_stop()
        if hook.__name__ == "on_train_end" and self._entered:
            self.__exit__(None, None, None)


def _processes() -> int:
    together = torch.distributed.is_available() and torch.distributed.is_initialized()
    return torch.distributed.get_world_size() if together else 1


def _is_of_torch(value) -> bool:
    return isinstance(value, torch.nn.Module) and as_mindspore(value) is not value


class CallbackOverTorchs(Callback):
    """A callback of a training loop over torch's Modules that a Model of MindSpore's calls."""

    def __init__(self, callback) -> None:
        self.torchs = callback
        for name in _MOMENTS:
            hook = getattr(callback, name, None)
            if hook is not None:
                setattr(self, name, partial(self._told, hook))

    def _told(self, hook, context) -> None:
        state = _Shown(context.original_args())
        hook(SimpleNamespace(original_args=lambda: state, request_stop=context.request_stop))


class _Shown:
    """What a Model tells its callbacks, as torch has it."""

    def __init__(self, state) -> None:
        self.__dict__["_state"] = state

    def __getattr__(self, name: str):
        if name not in self._state:
            raise AttributeError(name)
        return as_torch(self._state[name])

    def __setattr__(self, name: str, value) -> None:
        self._state[name] = as_mindspore(value)

    def __contains__(self, name: str) -> bool:
        return name in self._state

    def __getitem__(self, name: str):
        return as_torch(self._state[name])

    def get(self, name: str, default=None):
        return as_torch(self._state.get(name, default))


class MetricOverTorchs(Metric):
    """A metric over torch tensors that a Model of MindSpore's updates."""

    def __init__(self, metric) -> None:
        super().__init__()
        self.torchs = metric

    def clear(self) -> None:
        self.torchs.clear()

    def update(self, *inputs) -> None:
        self.torchs.update(*lower(inputs))

    def eval(self):
        return self.torchs.eval()
