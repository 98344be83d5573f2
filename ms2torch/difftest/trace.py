"""Reads the traces that the recorder writes (FORMAT.md)."""

from __future__ import annotations

import base64
import json
import math
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .recorder import statistics

MAGIC = b"MS2TRACE "
FORMATS = (1,)
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class TraceError(ValueError):
    """A file that is no trace, of an unknown version, or damaged."""


class Trace:
    """A trace on disk; records are read when they are asked for, one frame at a time.

    Iterating gives the records in order, as dicts; a record of kind ``"tensor"`` has its whole array under
    ``"array"`` where the trace holds it (bfloat16 as float32).
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        with _opened(self.path) as file:
            _check_magic(file.readline(64), self.path)
        # Where frames begin, and the first and last step of each; filled by the first whole reading.
        self._index: list[tuple[int, int, int]] | None = None
        self.header: dict = {}
        self.cells: list[dict] = []
        self.parameters: list[dict] = []
        # The names of those that came into sight with one root, each time.
        self.roots: list[set[str]] = []
        self.adaptations: list[dict] = []
        self.optimizers: dict[int, dict] = {}  # their records, by the number of their updates
        self.updates: dict[int, set[int]] = {}  # by step, the numbers of the optimizers that were called
        self.idle: set[int] = set()  # steps in which no optimizer was seen to be called
        # Whether every step was a graph, its update too.
        self.in_graphs = False
        self.end: dict | None = None
        self.truncated = False
        self._scan()

    @property
    def steps(self) -> int:
        """How many steps were completed."""
        return self._steps

    def turns(self) -> dict[int, tuple[int, int]]:
        """By step, the turn of the program's own loop and which of its updates the step is, for programs with
        several optimizers (a step ends with an update); {} for others. A turn ends where an optimizer is
        called again."""
        found, called, turn, part = {}, set(), 0, 0
        for step, now in sorted(self.updates.items()):
            again = not turn or bool(called & now)
            turn, part, called = (turn + 1, 1, set(now)) if again else (turn, part + 1, called | now)
            found[step] = turn, part
        return found if any(part > 1 for _, part in found.values()) else {}

    @property
    def length(self) -> int:
        """How many steps of the program's own loop it holds, some of the last perhaps in part."""
        return self.turns().get(self.steps, (self.steps, 1))[0]

    def updates_in(self, loop_steps) -> list[int]:
        """The steps, each up to an update, of these steps of the program's own loop."""
        turns = self.turns()
        return [s for s, (turn, _) in turns.items() if turn in loop_steps] if turns else sorted(loop_steps)

    def last_in(self, loop_steps: int | None) -> int | None:
        """The step, up to an update, with which so many steps of the program's loop end; None for all."""
        if loop_steps is None:
            return None
        return max(self.updates_in(range(1, loop_steps + 1)), default=0)

    def __iter__(self) -> Iterator[dict]:
        for _, records in self._frames():
            yield from records

    def step(self, number: int) -> list[dict]:
        """The records of one step, without reading the others."""
        found = []
        for place, first, last in self._index:
            if first <= number <= last:
                for _, records in self._frames(place, one=True):
                    found += [r for r in records if r.get("step", r.get("number")) == number]
        return found

    def _scan(self) -> None:
        """Read all but the arrays once: what there is, where each step lies, whether the end is there."""
        self._index, self._steps = [], 0
        for place, records in self._frames(arrays=False, values=False):
            numbers = [n for r in records if (n := r.get("step", r.get("number"))) is not None]
            if numbers:
                self._index.append((place, min(numbers), max(numbers)))
            for record in records:
                self._note(record)
        if not self.header:
            raise TraceError(f"{self.path} has no header: nothing was recorded before it was cut off")
        self.truncated = self.end is None

    def _note(self, record: dict) -> None:
        match record["kind"]:
            case "tensor":
                if record["stage"] in ("learning_rate", "gradient", "optimizer"):
                    self.updates.setdefault(record["step"], set()).add(record.get("update", 0))
            case "header":
                self.header, self.in_graphs = record, record.get("mode") == "graph"
                self.adaptations += record.get("adaptations", ())
                if record.get("format") not in FORMATS:
                    raise TraceError(f"{self.path} has format {record.get('format')}; "
                                     f"this ms2torch reads {', '.join(map(str, FORMATS))}")
            case "cells":
                self.cells += record["cells"]
                self.parameters += record["parameters"]
                self.roots.append({p["name"] for p in record["parameters"]})
            case "optimizer":
                self.optimizers[record["update"]] = record
            case "adaptation":
                self.adaptations.append({"name": record["name"], "text": record["text"]})
            case "step" if record["event"] == "end":
                self._steps = max(self._steps, record["number"])
                if not record.get("gradients", True):
                    self.idle.add(record["number"])
                self.in_graphs = self.in_graphs and not record.get("gradients", True)
            case "end":
                self.end = record

    def _frames(self, place: int | None = None, arrays: bool = True, one: bool = False, values: bool = True):
        """(offset, records) of each whole frame from ``place`` on, statistics without ``values`` as they are
        stored. Part of a frame at the file's end is what
        a killed program leaves, so reading stops there; damage before that is an error."""
        with _opened(self.path) as file:
            size = os.fstat(file.fileno()).st_size
            if place is None:
                file.readline(64)
            else:
                file.seek(place)
            while True:
                place = file.tell()
                head = file.read(8)
                length, check = struct.unpack("<II", head) if len(head) == 8 else (0, 0)
                if len(head) < 8 or place + 8 + length > size:
                    return
                packed = file.read(length)
                if zlib.crc32(packed) != check:
                    raise TraceError(f"{self.path} is damaged at byte {place}")
                yield place, _records(zlib.decompress(packed), arrays, values)
                if one:
                    return


def open(path: str | os.PathLike) -> Trace:
    """The trace at ``path``; TraceError if it is none, if its version is unknown, or if it is damaged."""
    return Trace(path)


def _opened(path: Path):
    try:
        return path.open("rb")
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error


def _check_magic(line: bytes, path: Path) -> None:
    if not line.startswith(MAGIC) or not line.endswith(b"\n"):
        raise TraceError(f"{path} is not a trace")
    number = line[len(MAGIC):].strip().decode("ascii", "replace")
    if number not in map(str, FORMATS):
        known = ", ".join(map(str, FORMATS))
        raise TraceError(f"{path} has trace format {number}; this ms2torch reads {known}")


def _records(payload: bytes, arrays: bool, values: bool = True) -> list[dict]:
    length = struct.unpack_from("<I", payload)[0]
    content = json.loads(payload[4 : 4 + length])
    for record in content["records"]:
        stats = record.get("stats")
        if stats is not None and values:
            _read(stats)
        if arrays and record.get("full") is not None:
            described = content["arrays"][record["full"]]
            record["array"] = _array(payload, 4 + length, described, record["dtype"])
    return content["records"]


def _read(stats: dict) -> dict:
    """Statistics with their texts as numbers."""
    for key in ("norm", "mean"):
        stats[key] = _SPECIAL.get(stats[key], stats[key])
    kind, text = stats["sample"][:3], stats["sample"][3:]
    stats["sample"] = np.frombuffer(base64.b64decode(text), kind).tolist()
    return stats


def with_array(record: dict, array: np.ndarray) -> dict:
    """A record of another value in its place."""
    return {**record, "array": array, "shape": list(array.shape), "stats": _read(statistics(array))}


def _array(payload: bytes, base: int, described: dict, dtype: str) -> np.ndarray:
    shape = described["shape"]
    count = math.prod(shape)
    flat = np.frombuffer(payload, np.dtype(described["dtype"]), count, base + described["offset"])
    if dtype == "bfloat16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    return flat.reshape(shape)
