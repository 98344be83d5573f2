"""How the tensors of one file are made of those of the other, and the way back.

A `Make` names one new tensor, the tensors that it is made of, and steps. ``inverse`` turns a list of them
round, which is what a converted file remembers.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from ms2torch._core.tensor import dtype as _dtype

from .entries import Bad, Entry

_DTYPES = {str(t).lower(): torch_dtype for torch_dtype, t in _dtype._FROM_TORCH.items()}
_SMALL = 4096  # bytes of a tensor that has no place on the other side and is remembered whole


class Make(NamedTuple):
    """One new tensor: its name, the names of what it is made of, and the steps in order.

    Steps: ``squeeze 2``, ``unsqueeze 2`` (Conv1d's weights), ``t`` (a matrix turned), ``join AXIS`` (of
    several), ``part AXIS BEGIN END``, ``dtype NAME``, ``step`` and ``count`` (a number of steps as PyTorch's
    optimizers and as MindSpore's keep it).
    """

    name: str
    sources: tuple[str, ...]
    steps: tuple[str, ...] = ()
    how: str = ""


def build(one: Make, entries: dict[str, Entry]) -> torch.Tensor:
    """Carry it out; `describe` has said that it fits."""
    tensors = [entries[source].get() for source in one.sources]
    for step in one.steps:
        tensors = _step(step, tensors)
    return tensors[0]


def pieces(one: Make, entries: dict[str, Entry]) -> Iterator[torch.Tensor]:
    """Its elements in order, a bounded number at a time unless a step needs whole tensors."""
    steps = [step.split() for step in one.steps]
    rows = steps.pop(0)[1:] if steps and steps[0][:2] == ["part", "0"] else None
    if any(s[0] not in ("dtype", "squeeze", "unsqueeze") and s != ["join", "0"] for s in steps):
        yield build(one, entries).reshape(-1)
        return
    dtypes = [_DTYPES[rest[0]] for what, *rest in steps if what == "dtype"]
    for source in one.sources:
        entry = entries[source]
        ends = (int(row) * math.prod(entry.shape[1:]) for row in rows[1:]) if rows else ()
        for piece in entry.pieces(*ends):
            for dtype in dtypes:
                piece = piece.to(dtype)
            yield piece


def _step(step: str, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    what, *numbers = step.split()
    if what == "join":
        return [torch.cat(tensors, int(numbers[0]))]
    if what == "dtype":
        return [t.to(_DTYPES[numbers[0]]) for t in tensors]
    return [_one(what, [int(n) for n in numbers], t) for t in tensors]


def _one(what: str, numbers: list[int], t: torch.Tensor) -> torch.Tensor:
    if what == "squeeze":
        return t.squeeze(numbers[0])
    if what == "unsqueeze":
        return t.unsqueeze(numbers[0])
    if what == "t":
        return t.t().contiguous()
    if what == "part":
        axis, begin, end = numbers
        return t.narrow(axis, begin, end - begin).contiguous()
    if what == "step":
        return t.reshape(()).to(torch.float32)
    return t.reshape(1).to(torch.int32)  # count


def describe(one: Make, entries: dict[str, Entry]) -> tuple[torch.dtype, tuple[int, ...]]:
    """The dtype and shape that it will have, without reading anything. Raises `Bad`."""
    dtype, shapes = entries[one.sources[0]].dtype, [list(entries[s].shape) for s in one.sources]
    for step in one.steps:
        what, *rest = step.split()
        try:
            if what == "dtype":
                dtype = _DTYPES[rest[0]]
            else:
                shapes = _shapes(what, [int(n) for n in rest], shapes)
        except (ValueError, IndexError, KeyError, TypeError):
            was = " and ".join(str(list(entries[s].shape)) for s in one.sources)
            raise Bad(f"{one.name}: the step {step!r} does not fit {was}.") from None
        dtype = {"step": torch.float32, "count": torch.int32}.get(what, dtype)
    if len(shapes) != 1:
        raise Bad(f"{one.name}: {' + '.join(one.sources)} need a join.")
    return dtype, tuple(shapes[0])


def _shapes(what: str, numbers: list[int], shapes: list[list[int]]) -> list[list[int]]:
    """Shapes after a step; ValueError, IndexError or TypeError where it does not fit."""
    if what == "join":
        (axis,), rest = numbers, {tuple(s[: numbers[0]] + s[numbers[0] + 1 :]) for s in shapes}
        if len(rest) != 1 or axis < 0:
            raise ValueError
        return [[*shapes[0][:axis], sum(s[axis] for s in shapes), *shapes[0][axis + 1 :]]]
    return [_after(what, numbers, shape) for shape in shapes]


def _after(what: str, numbers: list[int], shape: list[int]) -> list[int]:
    if what in ("step", "count") and math.prod(shape) == 1:
        return [] if what == "step" else [1]
    if what == "t" and len(shape) <= 2:
        return shape[::-1]
    axis, *ends = numbers
    if what == "squeeze" and axis >= 0 and shape[axis] == 1:
        return shape[:axis] + shape[axis + 1 :]
    if what == "unsqueeze" and 0 <= axis <= len(shape):
        return [*shape[:axis], 1, *shape[axis:]]
    if what == "part" and axis >= 0 and 0 <= ends[0] <= ends[1] <= shape[axis]:
        return [*shape[:axis], ends[1] - ends[0], *shape[axis + 1 :]]
    raise ValueError(what)


def inverse(makes: list[Make], entries: dict[str, Entry]) -> list[Make]:
    """Makes of the old tensors out of the new ones, in the old order, where there is a way."""
    parts: dict[str, list[tuple[int, int, int, Make]]] = {}
    found: dict[str, Make] = {}
    for one in makes:
        if one.steps and one.steps[0] in ("step", "count"):
            continue
        cut = next((s for s in one.steps if s.startswith("part ")), None)
        if cut:
            axis, begin, end = (int(n) for n in cut.split()[1:])
            parts.setdefault(one.sources[0], []).append((axis, begin, end, one))
            continue
        at = 0
        for source in one.sources:
            steps = []
            for step in reversed(one.steps):
                if step.startswith("join "):
                    axis = int(step.split()[1])
                    length = _length(one, entries[source], axis)
                    steps.append(f"part {axis} {at} {at + length}")
                    at += length
                else:
                    steps.append(_inverse(step, entries[source]))
            found.setdefault(source, Make(source, (one.name,), tuple(steps)))
    for source, pieces in parts.items():
        axis = pieces[0][0]
        pieces.sort(key=lambda piece: piece[1])
        after = [tuple(s for s in piece[3].steps if not s.startswith("part ")) for piece in pieces]
        undone = [_inverse(step, entries[source]) for step in reversed(after[0])]
        ends = [0, *(piece[2] for piece in pieces)]
        whole = [piece[1] for piece in pieces] == ends[:-1] and ends[-1] == entries[source].shape[axis]
        if whole and len(set(after)) == 1:
            names = tuple(piece[3].name for piece in pieces)
            found.setdefault(source, Make(source, names, (*undone, f"join {axis}")))
    return [found[name] for name in entries if name in found]


def _length(one: Make, entry: Entry, axis: int) -> int:
    before = tuple(step for step in one.steps if not step.startswith("join "))
    return describe(Make(one.name, (entry.name,), before), {entry.name: entry})[1][axis]


def _inverse(step: str, entry: Entry) -> str:
    what, _, rest = step.partition(" ")
    if what == "dtype":
        return f"dtype {str(_dtype.from_torch(entry.dtype)).lower()}"
    return {"squeeze": "unsqueeze", "unsqueeze": "squeeze", "t": "t"}[what] + (f" {rest}" if rest else "")


def known_dtype(name: str) -> str | None:
    """A dtype by either framework's name as steps write it."""
    name = name.lower().removeprefix("torch.").removeprefix("mindspore.")
    return name if name in _DTYPES else None


# ---- what is remembered whole ------------------------------------------------------------------------------


def as_json(entry: Entry) -> dict | None:
    """A small tensor as JSON can hold it."""
    if entry.size > _SMALL:
        return None
    t = entry.get().reshape(-1).view(torch.uint8) if entry.size else torch.empty(0, dtype=torch.uint8)
    return {
        "dtype": str(_dtype.from_torch(entry.dtype)).lower(),
        "shape": list(entry.shape),
        "data": base64.b64encode(t.numpy().tobytes()).decode(),
    }


def from_json(name: str, value) -> Entry:
    """The tensor that was packed."""
    try:
        dtype, shape = _DTYPES[value["dtype"]], tuple(int(n) for n in value["shape"])
        content = bytearray(base64.b64decode(value["data"]))
        t = torch.frombuffer(content, dtype=dtype) if content else torch.empty(0, dtype=dtype)
        t = t.reshape(shape)
    except (KeyError, TypeError, ValueError, RuntimeError):
        raise Bad(f"what the file remembers of {name} is damaged.") from None
    return Entry(name, dtype, shape, lambda: t)
