"""Quotients, what they leave, and products and squares beside them, elementwise over two operands."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import describe
from ms2torch._core.checks.enum_words import chosen
from ms2torch._core.errors import asked
from ms2torch._core.gradient.integers import without_bprop
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import method, mint_form, op, primitive

from ._math_binary import _div_truncated, _mod_of_zero, _or_zero, _tensors

__all__ = ["div", "divide", "heaviside", "true_divide"]


@op(primitive="Div", call=("input", "other"), mint=("divide",), alias=("divide",))
def div(input, other, *, rounding_mode=None):
    """The quotient; integers divide to Float32 (``mindspore.ops.div``).

    ``rounding_mode`` "floor" rounds it down and "trunc" towards zero, in the operands' dtype.
    """
    if rounding_mode is None:
        return arithmetic.div(input, other)
    if not all(isinstance(x, (torch.Tensor, int, float, np.number)) for x in (input, other)):
        raise asked(TypeError(f'Failed calling DivMod with "DivMod()(input={describe(input)}, '
                              f'other={describe(other)}, rounding_mode=string)".'))
    if rounding_mode == "floor":
        return arithmetic.floor_div(input, other)
    if rounding_mode == "trunc":
        return _div_truncated(input, other)
    raise ValueError(
        f"For ops.div, rounding_mode value should be None, 'floor' or 'trunc'. But got {rounding_mode}."
    )


def _div_by_enum():
    def quotient(input, other, *, rounding_mode=None):
        """The quotient, rounded by ``rounding_mode`` "trunc" or "floor"; else integers give Float32."""
        if rounding_mode is not None:
            rounding_mode = chosen(rounding_mode, "rounding_mode", "div", "", "trunc", "floor", "") or None
        return div.kernel(input, other, rounding_mode=rounding_mode)

    return quotient


method(_div_by_enum(), name="div")
method(_div_by_enum(), name="divide")
mint_form(_div_by_enum(), name="div")


@op(method="true_divide(input, other)")
def true_divide(dividend, divisor):
    """The quotient; integers divide to Float32 (``mindspore.ops.true_divide``)."""
    return arithmetic.div(dividend, divisor)


@primitive("Mod")
def _mod(x, y):
    """What the quotient rounded towards zero leaves (``mindspore.ops.Mod``; Python's ``%`` rounds down)."""
    return _mod_of_zero(x, y)


@primitive("DivNoNan")
def _div_no_nan(x1, x2):
    """The quotient, and 0 where the divisor is 0 (``mindspore.ops.DivNoNan``)."""
    return _tensors(_or_zero(arithmetic.whole_quotient, 1), "DivNoNan")(x1, x2)


@primitive("MulNoNan")
def _mul_no_nan(x, y):
    """The product, and 0 where y is 0, whatever x is (``mindspore.ops.MulNoNan``)."""
    return _tensors(_product_without_nan, "MulNoNan")(x, y)


def _product_without_nan(x, y):
    return torch.where((y == 0) & ~torch.isfinite(x), 0, x) * y


@primitive("SquareSumAll")
def _square_sum_all(x1, x2):
    """The sums of squares of both (``mindspore.ops.SquareSumAll``)."""
    return torch.sum(torch.square(x1)), torch.sum(torch.square(x2))


@primitive("SquaredDifference")
def _squared_difference(x, y):
    """(x - y) squared (``mindspore.ops.SquaredDifference``)."""
    return torch.square(arithmetic.sub(x, y))


_heaviside = _tensors(lambda a, b: torch.heaviside(a.detach(), b.detach()), "Heaviside")


@op(primitive="Heaviside", method=True)
def heaviside(input, values):
    """0 below zero, 1 above it, ``values`` at it (``mindspore.ops.heaviside``)."""
    return without_bprop("Heaviside", _heaviside(input, values), input, values)


divide = div
