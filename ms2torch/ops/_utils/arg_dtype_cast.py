"""Sequences made of one another (``mindspore.ops._utils.arg_dtype_cast``)."""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.ops.primitive import Primitive


class ListToTuple(Primitive):
    """A list's elements as a tuple."""

    def __call__(self, x):
        return tuple(x)


class TupleToList(Primitive):
    """A tuple's elements as a list."""

    def __call__(self, x):
        return list(x)


class TensorToScalar(Primitive):
    """The number in a Tensor of one element; None for anything else."""

    def __call__(self, x):
        return x.asnumpy().item() if isinstance(x, Tensor) and x.size == 1 else None
