"""The same entries as TensorBoard reads them, in a folder ``tensorboard`` beside MindSpore's file.

In protobuf's language (numbers are the fields'; what is not here is not written):

    Event     { double wall_time = 1; int64 step = 2; string file_version = 3; bytes graph_def = 4;
                Summary summary = 5; }
    Summary   { repeated Value value = 1; }
    Value     { string tag = 1; float simple_value = 2; Image image = 4; Histogram histo = 5; }
    Histogram { double min = 1; double max = 2; double num = 3; double sum = 4; double sum_squares = 5;
                repeated double bucket_limit = 6; repeated double bucket = 7; }
    Graph     { repeated Node node = 1; }
    Node      { string name = 1; string op = 2; repeated string input = 3; }

A tensor is shown as its histogram, because TensorBoard has no page of bare tensors. A network is shown as the
tree of its Cells, each fed by its parameters: how values flow between Cells only a run tells.
"""

from __future__ import annotations

import platform
import time
from pathlib import Path

import numpy as np

from ms2torch._core.protobuf import content, float32, float64, integer

from ._events import _bins, image_field
from .writer import BaseWriter

FOLDER = "tensorboard"


class TensorBoardWriter(BaseWriter):
    """The file for TensorBoard; its folder is made with it."""

    plugins = (FOLDER,)

    def __init__(self, folder: str, second: int, rank: int) -> None:
        self._folder = Path(folder, FOLDER)
        super().__init__(str(self._folder / f"events.out.tfevents.{second}.{platform.node()}.{rank}"))

    @property
    def writer(self):
        """The open file."""
        self._folder.mkdir(exist_ok=True)
        return super().writer

    def init_writer(self) -> None:
        """The event with the format's version."""
        self.write(FOLDER, float64(1, time.time()) + content(3, "brain.Event:2"))


def summary_event(entries: list[tuple[str, str, object]], step: int, wall_time: float) -> bytes:
    """One step's entries ``(kind, tag, value)``; what TensorBoard cannot show is left out."""
    values = []
    for kind, tag, value in entries:
        field = _FIELDS[kind](tag, value) if kind in _FIELDS else None
        if field is not None:
            values.append(content(1, content(1, tag) + field))
    return float64(1, wall_time) + integer(2, step) + content(5, b"".join(values))


def graph_event(network, wall_time: float) -> bytes:
    """The network's Cells and parameters as a graph; a parameter stands in the innermost Cell that has it."""
    cells = [(name.replace(".", "/") or network.cls_name, cell, list(cell.parameters_and_names(expand=False)))
             for name, cell in network.cells_and_names()]
    leaves: dict[int, str] = {}
    for place, _, parameters in sorted(cells, key=lambda c: -c[0].count("/")):
        for name, parameter in parameters:
            leaves.setdefault(id(parameter), f"{place}/{name.replace('/', '.')}")
    nodes = [content(1, content(1, leaf) + content(2, "Parameter")) for leaf in leaves.values()]
    scopes = {leaf.rpartition("/")[0] for leaf in leaves.values()} | {network.cls_name}
    for place, cell, parameters in cells:
        kind = type(cell).__name__
        # A scope and a node may not share a name: the Cell's own node lies inside its scope.
        own = f"{place}/{kind}" if place in scopes else place
        inputs = b"".join(content(3, leaves[id(parameter)]) for _, parameter in parameters)
        nodes.append(content(1, content(1, own) + content(2, kind) + inputs))
    return float64(1, wall_time) + content(4, b"".join(nodes))


def _scalar(tag: str, value: np.ndarray) -> bytes | None:
    return float32(2, value.flat[0]) if value.size else None


def _histogram(tag: str, value: np.ndarray) -> bytes | None:
    valid = value[np.isfinite(value)].astype(np.float64)
    if not valid.size or value.dtype == bool:
        return None
    counts, edges = np.histogram(valid, bins=_bins(valid.size))
    packed = content(6, edges[1:].astype("<f8").tobytes()) + content(7, counts.astype("<f8").tobytes())
    numbers = (valid.min(), valid.max(), valid.size, valid.sum(), np.square(valid).sum())
    return content(5, b"".join(float64(i, n) for i, n in enumerate(numbers, 1)) + packed)


_FIELDS = {"scalar": _scalar, "image": image_field, "histogram": _histogram, "tensor": _histogram}
