"""Callbacks of training and evaluation (``mindspore.train.callback``)."""

from ms2torch._core.surface import install_lazy

from ._callback import Callback, CallbackManager, InternalCallbackParam, RunContext, _InternalCallbackParam
from ._loss_monitor import LossMonitor
from ._time_monitor import TimeMonitor

_CallbackManager = CallbackManager

__all__ = [
    "Callback",
    "CallbackManager",
    "InternalCallbackParam",
    "LossMonitor",
    "RunContext",
    "TimeMonitor",
    "_CallbackManager",
    "_InternalCallbackParam",
]

install_lazy(__name__, globals())
