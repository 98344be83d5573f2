"""How MindSpore's errors name a value that they refuse: its Python type, its kind to the compiler, to the
parser of calls, itself."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.operators.calls import describe
from ms2torch._core.operators.rules import kind
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor


def renderings(value) -> dict[str, str]:
    """Each way in which an error may name ``value``, by the name of its hole in a template."""
    raw = value._t if isinstance(value, Tensor) else value
    cls = "<class 'mindspore.common.tensor.Tensor'>" if isinstance(raw, torch.Tensor) else str(type(raw))
    word = kind(raw)
    return {
        "cls": cls.replace("ms2torch.", "mindspore."),
        "type": "Tensor" if isinstance(raw, torch.Tensor) else
                "bool_" if isinstance(raw, np.bool_) else type(raw).__name__,
        "kind": word,
        "word": word[7:-1] if isinstance(raw, torch.Tensor) else word,
        "call": describe(raw),
        "value": "" if isinstance(raw, (torch.Tensor, np.ndarray)) else str(raw)[:200],
        **shapes(tuple(raw.shape) if isinstance(raw, (torch.Tensor, np.ndarray)) else ()),
        "of": kind_of(raw),
    }


def shapes(sizes: tuple[int, ...]) -> dict[str, str]:
    """The ways in which errors print a shape."""
    return {
        "shape": str(list(sizes)),
        "tuple": str(sizes),
        "vector": f"[const vector]{{{', '.join(map(str, sizes))}}}",
        "dims": f"[{''.join(f'{n},' for n in sizes)}]",
        "rank": str(len(sizes)),
    }


def kind_of(value) -> str:
    """The word by which the tables call a value's kind."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, np.ndarray):
        return "numpy"
    if isinstance(value, (Type, torch.dtype)):
        return "dtype"
    if value is None:
        return "None"
    for told in (bool, int, float, complex, str, list, tuple, dict):
        if isinstance(value, told):
            return told.__name__
    return "object"
