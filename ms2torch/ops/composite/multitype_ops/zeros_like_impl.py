"""Zeros of any kind of value (``mindspore.ops.composite.multitype_ops.zeros_like_impl``)."""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import install_lazy


def zeros_like(x):
    """Zeros of the kind of ``x``: Tensors, numbers, tuples and dicts of them; None stays None."""
    from ms2torch import ops

    if isinstance(x, Tensor):
        return ops.zeros_like(x)
    if isinstance(x, (tuple, list)):
        return type(x)(map(zeros_like, x)) if type(x) in (tuple, list) else tuple(map(zeros_like, x))
    if isinstance(x, dict):
        return {key: zeros_like(value) for key, value in x.items()}
    return None if x is None else 0.0 if isinstance(x, float) else 0


install_lazy(__name__, globals())
