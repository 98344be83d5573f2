"""Checks of what a distribution is given (``mindspore.nn.probability.distribution._utils.utils``)."""

from __future__ import annotations

import numpy as np

from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor import dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import install_lazy
from ms2torch.common.dtype import pytype_to_dtype


def set_param_type(args: dict, hint_type):
    """The float dtype of a distribution's parameters: the one that its Tensors and arrays have in common
    (Float32 in the place of integers and Float64), else ``hint_type``; TypeError where they differ.
    """
    found = None
    for name, value in args.items():
        if not isinstance(value, (Tensor, np.ndarray)):
            continue
        kind = pytype_to_dtype(value.dtype.type) if isinstance(value, np.ndarray) else value.dtype
        if found is not None and kind != found:
            raise TypeError(f"{name} should have the same dtype as other arguments.")
        found = kind
    if found is None:
        return hint_type
    return found if found in (dtype.float16, dtype.float32) else dtype.float32


class CheckTuple(Primitive):
    """Gives a tuple on; TypeError for anything else."""

    def __init__(self):
        super().__init__("CheckTuple")

    def __call__(self, x, name):
        if not isinstance(x, tuple):
            raise TypeError(f"For {name}, input type must be a tuple.")
        return x


class CheckTensor(Primitive):
    """Gives a Tensor on; TypeError for anything else."""

    def __init__(self):
        super().__init__("CheckTensor")

    def __call__(self, x, name):
        if not isinstance(x, Tensor):
            raise TypeError(f"For {name}, input type must be a Tensor or Parameter.")
        return x


install_lazy(__name__, globals())
