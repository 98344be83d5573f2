"""The callbacks that ``Model`` is given."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import numpy as np

from ms2torch._core.errors import notice
from ms2torch._core.tensor.tensor import Tensor

_OLD_MOMENTS = {"begin", "end", "epoch_begin", "epoch_end", "step_begin", "step_end"}


def as_list(callbacks) -> list:
    """``callbacks`` as a list: one, several or none."""
    if callbacks is None:
        return []
    return list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]


def is_ours(callback) -> bool:
    """Whether a callback is MindSpore's own, not the program's."""
    return type(callback).__module__.startswith("ms2torch.")


@contextlib.contextmanager
def kept_on_exception(model, callbacks: list):
    """Training in here leaves a checkpoint behind when it fails, where a ModelCheckpoint asks for that."""
    try:
        yield
    except BaseException:
        for callback in callbacks:
            save = getattr(callback, "_save_on_exception", None)
            if save is not None:
                save(model._train_network, model._current_epoch_num, model._current_step_num)
        raise


def check_callbacks(callbacks, where: str) -> None:
    """Refuse, or say once, what callbacks of older releases would not do in ``where``."""
    if isinstance(callbacks, (Tensor, np.ndarray)):
        bool(callbacks)                                     # (of several elements: its own error)
    for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
        kind = type(callback)
        if callback is None or is_ours(callback):
            continue
        old = set(vars(kind)) & _OLD_MOMENTS
        if old and where == "fit":
            raise ValueError(
                f"For {kind.__name__} callback, {old} methods may not be supported in later version, Use "
                "methods prefixed with 'on_train' or 'on_eval' instead when using customized callbacks."
            )
        if old:
            names = ", ".join(sorted(old))
            what = "are older names of callback methods"
            if len(old) == 1:
                what = "is an older name of a callback method"
            notice(
                f"callback:{kind.__name__}",
                f"{kind.__name__}: {names} {what}; on_train_* and on_eval_* tell training from evaluation.",
            )
