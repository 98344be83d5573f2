"""The base of layers that take nothing when they are made."""

from __future__ import annotations

from ..cell import Cell


class PlainCell(Cell):
    """A Cell without settings: an argument when it is made is a TypeError, as in MindSpore."""

    def __init__(self) -> None:
        super().__init__()
