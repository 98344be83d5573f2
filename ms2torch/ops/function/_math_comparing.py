"""Comparisons of two tensors that refuse a number first, have a tolerance, or give one answer for all."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.gradient.integers import without_bprop
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.arithmetic import promote_operands
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._naming import generations

__all__ = ["approximate_equal", "eq", "equal", "isclose", "less", "lt", "tensor_lt"]


def _number_first(primitive: str, number, kinds: str) -> Exception:
    kind, valid = type(number).__name__, f'"{primitive}()(input=<Tensor>, other=<{kinds}>)"'
    return final(TypeError(f'Failed calling {primitive} with "{primitive}()(input={kind}, other=Tensor)".\n'
                           f"The valid calling should be: \n{valid}."))


@op(primitive="Equal", alias=("equal",), method=("eq", "equal"), mint="eq")
def eq(input, other):
    """Whether they are equal (``mindspore.ops.eq``, elementwise with broadcasting)."""
    if not isinstance(input, torch.Tensor) and generations.has_new_meaning("mindspore.ops.Equal"):
        raise _number_first("Equal", input, "Number, Tensor")
    return arithmetic.equal(input, other)


@op(primitive="Less", alias=("less", "tensor_lt"), method=("lt", "less"), mint=("lt", "less"))
def lt(input, other):
    """Whether the first is smaller (``mindspore.ops.lt``, elementwise with broadcasting)."""
    if not isinstance(input, torch.Tensor) and generations.has_new_meaning("mindspore.ops.Equal"):
        raise _number_first("Less", input, "bool, Number, Tensor")
    return arithmetic.less(input, other)


equal, less, tensor_lt = eq, lt, lt


@primitive("EqualCount")
def _equal_count(x, y):
    """How many elements are equal, as one number of x's dtype (``mindspore.ops.EqualCount``)."""
    return torch.sum(x == y).to(x.dtype).reshape(1)


@op(primitive="IsClose", init=("rtol", "atol", "equal_nan"), method=True, mint=True)
@spelled(x2="other")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| <= atol + rtol * |other| (``mindspore.ops.isclose``)."""
    input, other = promote_operands(input, other, "IsClose")
    if not (rtol >= 0 and atol >= 0):               # torch refuses them, and NaN
        return (input == other) | ((input - other).abs() <= atol + rtol * other.abs())
    try:
        close = torch.isclose(input, other, rtol, atol, equal_nan)
    except RuntimeError as err:
        raise arithmetic.translate(err, "IsClose", (input, other), torch.isclose) from None
    return without_bprop("IsClose", close, input, other)


def _allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close, as a bool."""
    return bool(isclose.kernel(input, other, rtol, atol, equal_nan).all())


method(_allclose, name="allclose")
mint_form(_allclose, name="allclose")


@mint_form(name="equal")
def _equal(input, other):
    """Whether both have one shape and the same elements, as a bool (``mindspore.mint.equal``)."""
    return torch.equal(input, other)


@op(primitive="ApproximateEqual", init=("tolerance",),
    method="approximate_equal(input, other, tolerance=1e-05)")
def approximate_equal(x, y, tolerance=1e-05):
    """Whether |x - y| < tolerance (``mindspore.ops.approximate_equal``). RuntimeError from rank 8 on."""
    if isinstance(x, torch.Tensor) and x.ndim > 7:
        raise final(RuntimeError("For 'ApproximateEqual', the x's rank should be less than 8, but got: "
                                 f"{x.ndim}"))
    return torch.abs(arithmetic.sub(x, y)) < tolerance


@primitive("CompareAndBitpack")
def _compare_and_bitpack(x, threshold):
    """Whether each element exceeds the threshold, eight of them in a UInt8
    (``mindspore.ops.CompareAndBitpack``)."""
    bits = (x > threshold).to(torch.uint8).unflatten(-1, (-1, 8))
    places = torch.tensor([128, 64, 32, 16, 8, 4, 2, 1], dtype=torch.uint8, device=x.device)
    return (bits * places).sum(-1, dtype=torch.uint8)
