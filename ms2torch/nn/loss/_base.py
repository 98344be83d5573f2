"""LossBase, which most losses of users derive from."""

from __future__ import annotations

import torch

from ms2torch._core.checks.calls import type_description
from ms2torch._core.errors import notice
from ms2torch._core.tensor.tensor import Tensor, wrap

from ..cell import Cell
from ..layer._parts import primitive


class LossBase(Cell):
    """Base of losses (``mindspore.nn.LossBase``): a subclass computes elementwise and ends in ``get_loss``.

    ``reduction`` is "mean", "sum" or "none", else ValueError.
    """

    def __init__(self, reduction="mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"For '{self.cls_name}', the 'reduction' must be in ['mean', 'sum', 'none'], "
                             f"but got {reduction}.")
        self.average = reduction != "sum"
        self.reduce = reduction != "none"

    reduce_mean = primitive("ReduceMean")
    reduce_sum = primitive("ReduceSum")
    mul = primitive("Mul")
    cast = primitive("Cast")

    def get_axis(self, x) -> tuple[int, ...]:
        """All axes of ``x``."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """``x * weights``, reduced as ``reduction`` says; computed in float32 and given in the dtype of
        ``x``."""
        t = x._t
        dtype = t.dtype
        if dtype is not torch.float32:
            t = t.to(torch.float32)
        if weights.__class__ is not float or weights != 1.0:
            t = t * (weights._t.to(torch.float32) if isinstance(weights, Tensor) else weights)
        if self.reduce:
            t = t.mean() if self.average else t.sum()
        return wrap(t if dtype is torch.float32 else t.to(dtype))

    def construct(self, logits, labels):
        raise NotImplementedError


class _Loss(LossBase):
    """The name of LossBase before r1.3 (``mindspore.nn.loss.loss._Loss``)."""

    def __init__(self, reduction="mean") -> None:
        notice("nn._Loss", "'_Loss' is deprecated since MindSpore 1.3; use 'LossBase'.")
        super().__init__(reduction)

    def construct(self, logits, labels):
        raise NotImplementedError


# How MindSpore shows the class that it asks for.
_TENSOR = "<class 'mindspore._c_expression.typing.TensorType'>"


def need_tensor(name: str, value, cell: str) -> None:
    """TypeError unless ``value`` is a Tensor or None, in MindSpore's words."""
    if not isinstance(value, Tensor) and value is not None:
        raise TypeError(f"For '{cell}', the '{name}' must be '{_TENSOR}', "
                        f"but got '{type_description(value)}'")
