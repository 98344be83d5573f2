"""Calls in which one argument is something that no program would give there, one is given twice, or one is
too many: drawn by lot, the same ones on either side."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

SIGNATURES = Path(__file__).resolve().parents[2] / "tests" / "signatures_2_10.tsv"


def strange(args: tuple, kwargs: dict, name: str, kind: str, seed: int, count: int):
    """``(what is strange, args, kwargs)``: ``count`` of such calls, the same ones for a name and a seed.

    ``kind`` is "make" or "call", of an object that was made.
    """
    values = _values()
    ways = [(place, what) for place in (*range(len(args)), *kwargs) for what in values]
    ways += [("twice", n) for n in _twice(name, kind, len(args)) if n not in kwargs] * 4
    ways += [("one too many", what) for what in ("an int", "a Tensor", "None")]
    chosen = random.Random(f"{name} {kind} {seed}").sample(range(len(ways)), min(count, len(ways)))
    for place, what in dict.fromkeys(ways[k] for k in sorted(chosen)):
        if place == "twice":
            yield f"twice {what}", args, {**kwargs, what: args[_twice(name, kind, len(args))[what]]}
            continue
        try:
            other = values[what]()
        except Exception:               # this side has none
            continue
        if place == "one too many":
            yield f"one too many: {what}", (*args, other), kwargs
        elif isinstance(place, int):
            yield f"argument {place + 1}: {what}", (*args[:place], other, *args[place + 1:]), kwargs
        else:
            yield f"{place}: {what}", args, {**kwargs, place: other}


def _values() -> dict:
    """What makes each strange value, by what it is called."""
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn

    rows = Tensor([0, 1], ms.int32)
    return {
        "a COOTensor": lambda: ms.COOTensor(Tensor([[0, 1], [1, 0]], ms.int32), Tensor([1.0, 2.0]), (2, 2)),
        "a CSRTensor": lambda: ms.CSRTensor(Tensor([0, 1, 2], ms.int32), rows, Tensor([1.0, 2.0]), (2, 2)),
        "a Parameter": lambda: ms.Parameter(Tensor([1.0, 2.0]), name="other"),
        "a Tensor": lambda: Tensor([1.0, 2.0]), "a Tensor 0-d": lambda: Tensor(1),
        "a bool Tensor": lambda: Tensor([True, False]),
        "the class Tensor": lambda: Tensor, "the class int": lambda: int, "a Cell": nn.ReLU,
        "a function": lambda: abs, "a dtype": lambda: ms.float32, "numpy's dtype": lambda: np.float32,
        "a slice": lambda: slice(0, 2), "...": lambda: ..., "None": lambda: None,
        "numpy's int": lambda: np.int64(1), "numpy's float": lambda: np.float32(2),
        "numpy's double": lambda: np.float64(0.5), "numpy's bool": lambda: np.bool_(True),
        "numpy's str": lambda: np.str_("mean"), "numpy's nan": lambda: np.float64("nan"),
        "an array": lambda: np.array([1.0, 2.0], np.float32), "an array 0-d": lambda: np.array(1),
        "an array of ints": lambda: np.array([0, 1]),
        "an int": lambda: 1, "-1": lambda: -1, "-7": lambda: -7, "2**31": lambda: 2**31,
        "2**63": lambda: 2**63,
        "a float": lambda: 1.5, "nan": lambda: float("nan"), "inf": lambda: float("inf"),
        "True": lambda: True, "a word": lambda: "mean", "no word": lambda: "", "bytes": lambda: b"ab",
        "a complex": lambda: 1 + 2j, "a dict": lambda: {"a": 1}, "an empty dict": dict,
        "a set": lambda: {1, 2},
        "a range": lambda: range(2),
        "()": tuple, "[]": list, "(1, 2)": lambda: (1, 2), "[-3]": lambda: [-3],
        "nested": lambda: ((1, 2), (3, 4)), "a ragged one": lambda: (1, (2,)),
        "a None inside": lambda: (None,), "a bool inside": lambda: (True, 1),
        "a word inside": lambda: (1, "a"),
        "floats": lambda: [0.5, 1.5], "a Tensor inside": lambda: (Tensor(1),),
        "Tensors": lambda: [Tensor([1.0, 2.0]), Tensor([3.0, 4.0])],
        "numpy's int inside": lambda: (np.int64(1),), "an array inside": lambda: [np.array([1.0, 2.0])],
        "a dtype inside": lambda: (ms.float32,)}


def _twice(name: str, kind: str, given: int) -> dict[str, int]:
    """The arguments by name that stand at the places of the first ``given``, one for each form."""
    forms = _forms().get(name.partition("#")[0], "")
    made, _, called = forms.partition(" call ")
    found = {}
    for form in (called if kind == "call" else made).split(" | "):
        names = [part.partition("=")[0].partition(":")[0].strip() for part in _parts(form.strip()[1:-1])]
        if "*" in names:
            names = names[: names.index("*")]
        for k, n in enumerate(names[:given]):
            if n.isidentifier():
                found.setdefault(n, k)
    return found


def _parts(text: str) -> list[str]:
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


@cache
def _forms() -> dict[str, str]:
    return dict(line.split("\t") for line in SIGNATURES.read_text().splitlines()[1:] if line.count("\t") == 1)
