"""Callbacks that a ``map`` calls while it runs (``mindspore.dataset.callback``)."""

from .ds_callback import DSCallback, WaitedDSCallback

__all__ = ["DSCallback", "WaitedDSCallback"]
