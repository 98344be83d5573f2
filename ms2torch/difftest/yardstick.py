"""How much may differ: the same step once more in float64 tells rounding from a defect.

The judge knows three arrays of one value: the reference's r, ours o, and t, ours computed in float64 from
the very same inputs. Our own rounding is |o - t|. If both sides mean the same computation, |r - t| is
rounding too, so it is of that size; if they do not, t is as far from r as o is, however exact t may be. So a
value differs when the greater of the two distances is more than ``K`` times the smaller plus a floor of
``FLOOR`` units in the last place of the dtype that was computed in.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .compare import norm_of

K = 8.0
FLOOR = 16.0
# Below this many units in the last place no float64 re-run is asked for.
CHEAP = 4.0
_EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52, "complex128": 2.0**-52}
_NARROW = (torch.float32, torch.float16, torch.bfloat16)
_RANDOM = ("rand", "bernoulli", "normal_", "uniform_", "multinomial", "dropout", "exponential_")


def epsilon(dtype: str) -> float:
    """The unit in the last place of 1.0 in ``dtype``, float32's for what has no own."""
    return _EPSILON.get(dtype.lower(), 2.0**-23)


def distance(a, b) -> float:
    """|a - b| over the finite values, in float64."""
    return norm_of(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))


def judge(reference, ours, truth, dtype: str) -> tuple[float, float]:
    """(error, tolerance), both relative to the reference's norm: different when error > tolerance.

    Without ``truth`` (the float64 run had no such value) rounding is taken for 100 units in the last place.
    """
    size = norm_of(reference) or norm_of(ours) or 1.0
    unit = epsilon(dtype)
    if truth is None:
        return distance(ours, reference) / size, 100 * unit
    theirs, mine = distance(reference, truth), distance(ours, truth)
    low, high = sorted((theirs, mine))
    return high / size, K * low / size + FLOOR * unit


class Double(TorchDispatchMode):
    """Inside, what would be computed in float32, float16 or bfloat16 is computed in float64.

    Views and random draws stay as they are. What is written in place keeps its dtype, so its value is
    rounded once, at the end.
    """

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = func._schema
        name = schema.name
        if any(part in name for part in _RANDOM) or _is_view(schema) or not _computes(args, kwargs):
            return func(*args, **kwargs)
        written = []
        new_args = [self._widen(a, schema.arguments[i], written) for i, a in enumerate(args)]
        by_name = {a.name: a for a in schema.arguments}
        new_kwargs = {k: self._widen(v, by_name[k], written) for k, v in kwargs.items()}
        result = func(*new_args, **new_kwargs)
        if not written:
            return result
        for old, new in written:
            old.copy_(new)
        back = {id(new): old for old, new in written}
        return torch.utils._pytree.tree_map(lambda x: back.get(id(x), x), result)

    @staticmethod
    def _widen(value, argument, written):
        if argument.alias_info is not None and argument.alias_info.is_write:
            def wide(t):
                if isinstance(t, torch.Tensor) and t.dtype in _NARROW:
                    new = t.double()
                    written.append((t, new))
                    return new
                return t
        else:
            def wide(t):
                if isinstance(t, torch.Tensor):
                    return t.double() if t.dtype in _NARROW else t
                return torch.float64 if t in _NARROW and isinstance(t, torch.dtype) else t
        if isinstance(value, (list, tuple)):
            return type(value)([wide(v) for v in value])
        return wide(value)


def _is_view(schema) -> bool:
    """Whether an operator only looks at its input's memory."""
    return any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)


def _computes(args, kwargs) -> bool:
    flat = [*args, *kwargs.values()]
    return any(isinstance(x, (torch.Tensor, torch.dtype, list, tuple)) for x in flat)
