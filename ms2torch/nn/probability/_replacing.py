"""Layers of a finished network exchanged for others."""

from __future__ import annotations

from ms2torch.nn.cell import Cell
from ms2torch.nn.layer import CellList, SequentialCell


def put(network: Cell, name: str, layer: Cell) -> None:
    """Make ``layer`` the child ``name`` of ``network``; a container calls it in the old one's place too."""
    if isinstance(network, (SequentialCell, CellList)):
        network[list(network.name_cells()).index(name)] = layer
    else:
        setattr(network, name, layer)
