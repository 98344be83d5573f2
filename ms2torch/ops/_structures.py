"""Sparse tensors, tuples and lists, in parts and put together: functions beside MindSpore's operators."""

from __future__ import annotations

from operator import attrgetter

import torch

from ms2torch._core.operators.registry import PRIMITIVES
from ms2torch._core.tensor.tensor import Tensor

coo_tensor_get_indices = row_tensor_get_indices = csr_tensor_get_indices = attrgetter("indices")
coo_tensor_get_values = row_tensor_get_values = csr_tensor_get_values = attrgetter("values")
coo_tensor_get_dense_shape = csr_tensor_get_dense_shape = attrgetter("shape")
row_tensor_get_dense_shape = attrgetter("dense_shape")
csr_tensor_get_indptr = attrgetter("indptr")

reshape_ = PRIMITIVES["Reshape"]()
tensor_expm1 = PRIMITIVES["Expm1"]()
tensor_range = PRIMITIVES["Range"]()
make_slice = slice


def list_setitem(data: list, index: int, value) -> list:
    """A list like ``data`` with ``value`` at ``index``."""
    return [*data[:index], value, *data[index:][1:]]


def dict_setitem(data: dict, key, value) -> dict:
    """A dict like ``data`` with ``value`` at ``key``."""
    return {**data, key: value}


def make_dict(keys: tuple, values: tuple) -> dict:
    """The dict of ``keys`` and ``values``."""
    return dict(zip(keys, values, strict=True))


def tuple_div(x: tuple, y: tuple) -> tuple:
    """Each number of ``x`` divided by that of ``y``; RuntimeError where something remains."""
    for a, b in zip(x, y, strict=True):
        if a % b:
            raise RuntimeError("The inputs of 'tuple_div' operator should be divisible, but they are not "
                               f"divisible now, the dividend is {a}, the divisor is {b}.")
    return tuple(a // b for a, b in zip(x, y, strict=True))


def switch(condition, true_branch, false_branch):
    """One of two values."""
    return true_branch if condition else false_branch


def is_tensor_bool_cond(condition: Tensor) -> bool:
    """The truth of a Tensor of one element."""
    return bool(condition)


def reduced_shape(shape: tuple, axes: tuple) -> tuple:
    """``shape`` with 1 at ``axes``, at all of them where there are none."""
    chosen = {axis % len(shape) for axis in axes} if axes else range(len(shape))
    return tuple(1 if i in chosen else n for i, n in enumerate(shape))


def broadcast_gradient_args(x: tuple, y: tuple) -> tuple[tuple, tuple]:
    """The axes that the gradients of operands of shapes ``x`` and ``y`` are summed over.

    One that has the size 1 in both shapes is in both, unless the shapes are the same.
    """
    if tuple(x) == tuple(y):
        return (), ()
    rank = max(len(x), len(y))
    whole = torch.broadcast_shapes(x, y)

    def summed(shape: tuple) -> tuple:
        padded = (1,) * (rank - len(shape)) + tuple(shape)
        return tuple(i for i, n in enumerate(padded) if n == 1 or n != whole[i])

    return summed(x), summed(y)
