"""Which Cells MindSpore writes the tensors of (``mindspore.set_dump``)."""

from __future__ import annotations

from ms2torch import log

__all__ = ["set_dump"]


def set_dump(target, enabled=True) -> None:
    """Accepted with a warning, as on MindSpore's CPU: its dumps are Ascend's. ``ms2torch diff`` records what
    a network computes. ValueError for what is no Cell or Primitive, and for an ``enabled`` that is no bool.
    """
    from ms2torch.nn import Cell
    from ms2torch.ops import Primitive

    if not isinstance(target, (Cell, Primitive)):
        raise ValueError('The "target" parameter must be an instance of Cell or Primitive, but got an '
                         f"instance of {type(target)}.")
    if not isinstance(enabled, bool):
        raise ValueError('The "enabled" parameter must be bool.')
    log.warning("set_dump changes nothing here: MindSpore's dumps are Ascend's. ms2torch diff records what a "
                "network computes.")
