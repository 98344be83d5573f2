"""Which Cells MindSpore writes the tensors of (``mindspore.set_dump``)."""

from __future__ import annotations

from ms2torch import log

__all__ = ["set_dump"]


def set_dump(target, enabled=True) -> None:
    """Noted as ``dump`` among its flags or attributes, with a warning, as on MindSpore's CPU: its dumps are
    Ascend's. ``ms2torch diff`` records what a network computes. ValueError for what is no Cell or Primitive,
    and for an ``enabled`` that is no bool.
    """
    from ms2torch.nn import Cell
    from ms2torch.ops import Primitive

    if not isinstance(target, (Cell, Primitive)):
        raise ValueError('The "target" parameter must be an instance of Cell or Primitive, but got an '
                         f"instance of {type(target)}.")
    if not isinstance(enabled, bool):
        raise ValueError('The "enabled" parameter must be bool.')
    if isinstance(target, Cell):
        target.add_flags_recursive(dump=enabled)
        for _, cell in target.cells_and_names():
            for one in vars(cell).values():
                if isinstance(one, Primitive) and "dump" in one.attrs:
                    one.add_prim_attr("dump", str(enabled).lower())
    else:
        target.add_prim_attr("dump", str(enabled).lower())
    log.warning("set_dump changes nothing here: MindSpore's dumps are Ascend's. ms2torch diff records what a "
                "network computes.")
