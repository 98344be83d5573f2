"""What schedulers keep their numbers in, and how they check what they are given."""

from __future__ import annotations

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter


def number(value: float, name: str, dtype=_dtype.float32) -> Parameter:
    """A number that lives on the device."""
    return Parameter(Tensor(value, dtype), name=name)


def single(value) -> torch.Tensor:
    """A number on the host in single precision, as which MindSpore's schedulers compute with it."""
    return torch.tensor(float(value), dtype=torch.float32)


def check_float(cls: str, **named) -> None:
    """TypeError for a named argument of ``cls`` that is no float."""
    for name, value in named.items():
        if not isinstance(value, float):
            raise TypeError(f"For '{cls}', the '{name}' must be float, but got {type(value)}.")


def check_iterations(cls: str, total) -> None:
    """TypeError where ``total_iters`` is no int."""
    if not isinstance(total, int):
        raise TypeError(f"For '{cls}', the type of total_iters must be int, but got {type(total)}.")


def by_group(optimizer, given) -> list:
    """One function for each group, or the one for all. ValueError for another number than groups."""
    count = len(optimizer.param_groups)
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"Expected {count} lr_lambdas, but got {len(given)}")
    return list(given)


def rates_by_group(optimizer, given, name: str):
    """One rate for each group, or the one for all. ValueError for another number than groups."""
    count = len(optimizer.param_groups)
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"Expected {count} values for {name}, got {len(given)}")
    return given
