"""Callback, the context it gets, and the manager that calls it (``mindspore.train.callback._callback``)."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.tensor.printing import plain_repr
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import install_lazy

__all__ = ["Callback", "CallbackManager", "InternalCallbackParam", "RunContext"]


class Callback:
    """Base of callbacks: override what should happen when (``mindspore.train.Callback``).

    ``on_train_*`` and ``on_eval_*`` are called by ``Model.train``/``fit`` and ``Model.eval``; unless
    overridden they call the older ``begin``, ``epoch_begin``, ``step_begin``, ``step_end``, ``epoch_end``,
    ``end``, which serve both.
    """

    __repr__ = plain_repr

    def __enter__(self):
        return self

    def __exit__(self, *err):
        """Nothing to release."""

    def begin(self, run_context) -> None:
        """Before anything."""

    def epoch_begin(self, run_context) -> None:
        """Before each epoch."""

    def epoch_end(self, run_context) -> None:
        """After each epoch."""

    def step_begin(self, run_context) -> None:
        """Before each step."""

    def step_end(self, run_context) -> None:
        """After each step."""

    def end(self, run_context) -> None:
        """After everything."""

    def on_train_begin(self, run_context) -> None:
        """Called once before training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context) -> None:
        """Called before each epoch."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context) -> None:
        """Called after each epoch."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context) -> None:
        """Called before each step."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context) -> None:
        """Called after each step."""
        self.step_end(run_context)

    def on_train_end(self, run_context) -> None:
        """Called once after training."""
        self.end(run_context)

    def on_eval_begin(self, run_context) -> None:
        """Called once before evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context) -> None:
        """Called before each epoch."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context) -> None:
        """Called after each epoch."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context) -> None:
        """Called before each step."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context) -> None:
        """Called after each step."""
        self.step_end(run_context)

    def on_eval_end(self, run_context) -> None:
        """Called once after evaluation."""
        self.end(run_context)


_MOMENTS = (
    "begin",
    "epoch_begin",
    "epoch_end",
    "step_begin",
    "step_end",
    "end",
    "on_train_begin",
    "on_train_epoch_begin",
    "on_train_epoch_end",
    "on_train_step_begin",
    "on_train_step_end",
    "on_train_end",
    "on_eval_begin",
    "on_eval_epoch_begin",
    "on_eval_epoch_end",
    "on_eval_step_begin",
    "on_eval_step_end",
    "on_eval_end",
)


class CallbackManager(Callback):
    """Enters a list of callbacks and calls them in order; TypeError for anything but Callbacks."""

    def __init__(self, callbacks) -> None:
        if callbacks is None or isinstance(callbacks, Callback):
            callbacks = [] if callbacks is None else [callbacks]
        if not isinstance(callbacks, list):
            raise TypeError("The 'callbacks' is not a Callback or a list of Callback.")
        if not all(isinstance(callback, Callback) for callback in callbacks):
            raise TypeError(
                "When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions."
            )
        self._callbacks = list(callbacks)
        self._stack = ExitStack()

    def __enter__(self):
        entered = [(callback, self._stack.enter_context(callback)) for callback in self._callbacks]
        self._callbacks = [
            target if isinstance(target, Callback) else callback for callback, target in entered
        ]
        # What each step calls, found once: a step of a small network takes as long as ten such calls.
        self.beginning = _answers(self._callbacks, "on_train_step_begin", "step_begin")
        self.ending = _answers(self._callbacks, "on_train_step_end", "step_end")
        return self

    def __exit__(self, *err):
        return self._stack.__exit__(*err)


def _each(moment: str):
    def call(self, run_context) -> None:
        for callback in self._callbacks:
            getattr(callback, moment)(run_context)

    call.__name__ = moment
    return call


def listening(callbacks: list, moment: str, older: str) -> list:
    """The callbacks that do something at ``moment``; the others need not be called at each step."""
    silent = getattr(Callback, moment), getattr(Callback, older)
    return [c for c in callbacks if moment in vars(c) or older in vars(c)
            or (getattr(type(c), moment, None), getattr(type(c), older, None)) != silent]


def _answers(callbacks: list, moment: str, older: str) -> list:
    """What `listening` callbacks do at ``moment``: their methods of that name, or of the older one alone."""
    own = getattr(Callback, moment)
    return [getattr(c, moment if moment in vars(c) or getattr(type(c), moment, None) is not own else older)
            for c in listening(callbacks, moment, older)]


for _moment in _MOMENTS:
    setattr(CallbackManager, _moment, _each(_moment))


class _NoSuchParameter(KeyError, AttributeError):
    """A KeyError, as in MindSpore, that hasattr and getattr understand."""


class InternalCallbackParam(dict):
    """What a callback sees of the run: a dict whose keys are attributes (``cur_epoch_num``, ...)."""

    def __getattr__(self, name: str):
        try:
            return self[name]
        except KeyError:
            raise _NoSuchParameter(name) from None

    def __setattr__(self, name: str, value) -> None:
        self[name] = value


_InternalCallbackParam = InternalCallbackParam


class RunContext:
    """What a callback is given: the run's parameters, a dict, and a way to stop it. TypeError for no dict."""

    def __init__(self, original_args) -> None:
        if not isinstance(original_args, dict):
            raise with_public_classes(TypeError(
                "The argument 'original_args' of RunContext should be dict type, "
                f"but got {type(original_args)}."
            ))
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> InternalCallbackParam:
        """The run's parameters."""
        return self._original_args

    def request_stop(self) -> None:
        """End training after this step or epoch."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop_requested


def _handle_loss(outputs):
    """The loss among a network's outputs: the first of a tuple, or a lone Tensor's mean as a float."""
    if isinstance(outputs, (tuple, list)):
        if isinstance(outputs[0], Tensor):
            return outputs[0]
    elif isinstance(outputs, Tensor):
        if outputs._t.numel() == 1:         # (what a training prints at each step)
            return float(outputs._t.item())
        return float(np.mean(outputs.asnumpy()))
    return outputs


install_lazy(__name__, globals())


_current: list = [None]


def set_cur_net(net) -> None:
    """Note the network in training, as programs that train without a Model do for their callbacks."""
    _current[0] = net


def checkpoint_cb_for_save_op(parameter_list) -> bool:
    """Put ``{"name", "data"}`` entries into the noted network, which is forgotten then; False without one."""
    from ms2torch.common.parameter import Parameter
    from ms2torch.train.serialization import load_param_into_net

    if _current[0] is None:
        return False
    found = {entry["name"]: Parameter(entry["data"], name=entry["name"]) for entry in parameter_list}
    parameter_list.clear()
    load_param_into_net(_current[0], found, strict_load=True)
    set_cur_net(None)
    return True
