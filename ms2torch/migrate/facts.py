"""The differences between PyTorch and MindSpore that bite when code moves, each with a call on either side.

``facts.tsv`` is the table: a topic, PyTorch's call and what it gives, MindSpore's call and what it gives, and
a sentence in English and in Chinese. The calls are expressions that anyone can run; the tests do, on the real
MindSpore too.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Fact(NamedTuple):
    """One difference. ``torch`` and ``mindspore`` are expressions, ``*_gives`` the reprs of their values."""

    topic: str
    torch: str
    torch_gives: str
    mindspore: str
    mindspore_gives: str
    en: str
    zh: str


def facts() -> list[Fact]:
    """All rows, in the order of the table."""
    lines = Path(__file__).with_name("facts.tsv").read_text(encoding="utf-8").splitlines()
    return [Fact(*line.split("\t")) for line in lines[1:]]


def torch_names() -> dict:
    """What PyTorch's expressions are made of."""
    import torch
    from torch import nn, optim

    def weight():
        return nn.Parameter(torch.ones(1))

    def stepped(make, gradient: float) -> float:
        """The weight 1.0 after one step of an optimizer."""
        w = weight()
        w.grad = torch.full((1,), gradient)
        make([w]).step()
        return round(float(w.detach()), 6)

    def moved(norm) -> float:
        """The moving mean of a new layer after a batch of ones."""
        norm(torch.ones(4, 1))
        return round(float(norm.running_mean), 4)

    names = {"torch": torch, "nn": nn, "F": nn.functional, "optim": optim, "lr_scheduler": optim.lr_scheduler}
    names |= {"tensor": torch.tensor, "ones": torch.ones, "zeros": torch.zeros, "error": error}
    names |= {"weight": weight, "stepped": stepped, "moved": moved}
    names["arange"] = lambda n: torch.arange(float(n))
    names["int32"] = lambda values: torch.tensor(values, dtype=torch.int32)
    return names


def mindspore_names(ms) -> dict:
    """What MindSpore's expressions are made of; ``ms`` is ms2torch or the real MindSpore."""
    import numpy as np

    def array(dtype):
        return lambda values: ms.Tensor(np.array(values, dtype))

    def ones(*shape):
        return ms.Tensor(np.ones(shape, np.float32))

    def weight():
        return ms.Parameter(ones(1), name="w")

    def stepped(make, gradient: float) -> float:
        w = weight()
        make([w])((ms.Tensor(np.full(1, gradient, np.float32)),))
        return round(float(w.asnumpy()[0]), 6)

    def moved(norm) -> float:
        norm.set_train()(ones(4, 1))
        return round(float(norm.moving_mean.asnumpy()[0]), 4)

    names = {"ms": ms, "nn": ms.nn, "ops": ms.ops, "square": square, "double_first": double_first,
             "by_whole_part": by_whole_part}
    names |= {"float32": array(np.float32), "int32": array(np.int32), "int64": array(np.int64), "ones": ones}
    names |= {"error": error, "weight": weight, "stepped": stepped, "moved": moved}
    names["zeros"] = lambda *shape: ms.Tensor(np.zeros(shape, np.float32))
    names["arange"] = lambda n: ms.Tensor(np.arange(n), ms.float32)
    return names


def value(expression: str, names: dict) -> str:
    """The repr of an expression's value; shapes of either framework are tuples."""
    return repr(_plain(eval(expression, dict(names))))


def square(x):
    return x**2


def by_whole_part(x):
    return x * x.int()


def double_first(x, y):
    return 2 * x


def error(call) -> str | None:
    """The type of the error that a call ends with."""
    try:
        call()
    except Exception as raised:
        return _Name(type(raised).__name__)
    return None


class _Name(str):
    """A name, shown without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _plain(found):
    if isinstance(found, list):
        return [_plain(v) for v in found]
    return tuple(_plain(v) for v in found) if isinstance(found, tuple) else found
