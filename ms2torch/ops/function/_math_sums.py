"""Sums and differences of two tensors, the second one scaled where asked for."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import describe
from ms2torch._core.errors import final
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.dtype import from_torch

__all__ = ["add", "sub", "subtract", "tensor_add", "tensor_sub"]


@op(primitive="Add", alias=("tensor_add",))
def add(input, other):
    """The sum (``mindspore.ops.add``, elementwise with broadcasting); TypeError for two bools."""
    return arithmetic.primitive_add(input, other)


@op(primitive="Sub", alias=("tensor_sub",))
def sub(input, other):
    """The difference (``mindspore.ops.sub``, elementwise with broadcasting); TypeError for two bools."""
    return arithmetic.primitive_sub(input, other)


@primitive("TensorAdd")
def _tensor_add(input, other):
    """``ops.Add`` under its name of the first releases."""
    return arithmetic.primitive_add(input, other)


def _scaled(name, input, other, alpha):
    """The operands of ``name``, the second times ``alpha``, which has no say in the result's dtype."""
    if isinstance(alpha, np.number) or (isinstance(alpha, torch.Tensor) and not alpha.ndim):
        alpha = alpha.item()
    if isinstance(alpha, int) and not -1 << 63 <= alpha < 1 << 63:
        raise final(SystemError(f"<method '{name.lower()}' of 'TensorPy' objects> returned a result with an "
                                "exception set"))
    if not isinstance(alpha, (int, float)):
        raise TypeError(f"Failed calling {name.lower()} with \"{name.lower()}(Tensor, alpha="
                        f"{describe(alpha)})\".")
    a, b = arithmetic.promote_operands(input, other, name)
    kind = (a if isinstance(a, torch.Tensor) else b).dtype
    beside = f"but got {from_torch(kind)} and {from_torch(kind)}"
    if isinstance(alpha, bool):
        raise final(TypeError(
            f"Select CPU operator[{name}Ext] fail! Unsupported data type!" if kind is torch.bool else
            f"For '{name}Ext', boolean alpha need boolean input and other, {beside}"))
    if isinstance(alpha, float) and not (kind.is_floating_point or kind.is_complex or kind is torch.bool):
        raise final(TypeError(f"For '{name}Ext', floating alpha need floating input and other, {beside}"))
    scaled = b * alpha
    return a, scaled.to(kind) if isinstance(scaled, torch.Tensor) else scaled


def _scaled_add(input, other, *, alpha=1):
    """input + alpha * other."""
    if alpha.__class__ is int and alpha == 1:
        return arithmetic.add(input, other)
    return arithmetic.add(*_scaled("Add", input, other, alpha))


def _scaled_sub(input, other, *, alpha=1):
    """input - alpha * other."""
    if alpha.__class__ is int and alpha == 1:
        return arithmetic.sub(input, other)
    return arithmetic.sub(*_scaled("Sub", input, other, alpha))


mint_form(_scaled_add, name="add")
mint_form(_scaled_sub, name="sub")


def _of_method(scaled, plain, name):
    """A method's form of ``scaled``: beside a Tensor a list or tuple stands for one; in a graph the operation
    is ``name``."""

    def call(input, other, *, alpha=1):
        try:
            found = scaled(input, other, alpha=alpha)
            return found if graph_streams.here.call is None else arithmetic.no_bools(found, name)
        except TypeError as err:
            if alpha.__class__ is not int or alpha != 1 or other is None:
                raise
            if not isinstance(other, (list, tuple)):
                raise final(err) from None
        return plain(input, arithmetic.sequence_like(other, input))

    return call


method(_of_method(_scaled_add, arithmetic.add, "Add"), name="add")
method(_of_method(_scaled_sub, arithmetic.sub, "Sub"), name="sub(input, other|y, *, alpha=1)")


method(_scaled_sub, name="subtract")


@op
def subtract(input, other, *, alpha=1):
    """input - alpha * other (``mindspore.ops.subtract``), where ``alpha`` is an operand like the others."""
    numbers = not isinstance(other, torch.Tensor) and not isinstance(alpha, torch.Tensor)
    return arithmetic.sub(input, alpha * other if numbers else arithmetic.mul(other, alpha))


tensor_add, tensor_sub = add, sub
