"""Primitives under names that MindSpore keeps for old programs (``mindspore.ops.deprecated``), and forms that
are no operators."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.operators.registry import OPS, PRIMITIVES, Primitive, method, primitive
from ms2torch._core.tensor.tensor import Tensor, wrap

from . import _nn_activation  # noqa: F401  (it registers GeLU and softmax)

__all__ = ["from_numpy"]


def from_numpy(array) -> Tensor:
    """A Tensor that shares the memory of a numpy array (``mindspore.from_numpy``); TypeError for anything
    else."""
    if not isinstance(array, np.ndarray):
        raise TypeError("Expected a NumPy array.")
    return wrap(torch.from_numpy(array))


@method(name="softmax")
def _softmax_method(input, axis, dtype=None):
    """Softmax along ``axis``, which has no default here (``mindspore.Tensor.softmax``)."""
    return OPS["softmax"].kernel(input, axis, dtype=dtype)


@primitive("Gelu")
def _gelu(x):
    """GELU by tanh, under the name of r1.0 (``mindspore.ops.Gelu``)."""
    return PRIMITIVES["GeLU"].kernel(x)


class identity(Primitive):
    """Gives back what it gets (``mindspore.ops.operations.identity``)."""

    def __init__(self) -> None:
        super().__init__("identity")
        self.add_prim_attr("side_effect_propagate", 1)

    def __call__(self, x):
        return x
