"""LambdaCallback (``mindspore.train.LambdaCallback``)."""

from __future__ import annotations

from ._callback import Callback


def _nothing(run_context) -> None:
    """Where no function was given."""


class LambdaCallback(Callback):
    """Calls the given functions, each with the run's context, at the moments that they are named after."""

    def __init__(
        self,
        on_train_epoch_begin=None,
        on_train_epoch_end=None,
        on_train_step_begin=None,
        on_train_step_end=None,
        on_train_begin=None,
        on_train_end=None,
        on_eval_epoch_begin=None,
        on_eval_epoch_end=None,
        on_eval_step_begin=None,
        on_eval_step_end=None,
        on_eval_begin=None,
        on_eval_end=None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name.startswith("on_")}
        super().__init__()
        for moment, function in given.items():
            setattr(self, moment, function or _nothing)
