"""Forms that are the definitions of ``ops`` in all but their arguments' names."""

from __future__ import annotations

from ms2torch._core.operators.registry import OPS, method, mint_form, op

from . import array_func, linalg_func, math_func  # noqa: F401  (they register what is named here)
from ._math_axis import spelled


def _of(name: str):
    """The definition of an operator, over torch tensors."""
    return OPS[name].kernel


_bmm, _matmul, _mul, _mv, _nansum = _of("bmm"), _of("matmul"), _of("mul"), _of("mv"), _of("nansum")
_asin, _frac, _isnan, _sqrt = _of("asin"), _of("frac"), _of("isnan"), _of("sqrt")
_narrow, _power, _squeeze, _tile = _of("narrow"), _of("float_power"), _of("squeeze"), _of("tile")
_remainder, _true_divide, _baddbmm = _of("remainder"), _of("true_divide"), _of("baddbmm")
_addr, _broadcast_to, _reverse_sequence, _round = (
    _of("addr"), _of("broadcast_to"), _of("reverse_sequence"), _of("round"))
_vstack = _of("vstack")

# ---- ops ---------------------------------------------------------------------------------------------------


@op(mint=True)
def arcsin(x):
    """The arc sine (``mindspore.ops.arcsin``, elementwise)."""
    return _asin(x)


@op
def row_stack(tensors):
    """``vstack`` under its other name (``mindspore.ops.row_stack``)."""
    return _vstack(tensors)


@op(mint=True)
def float_power(input, exponent):
    """``input`` to the power of ``exponent``, in Float64 (``mindspore.ops.float_power``)."""
    return _power(input, exponent)


# ---- mint --------------------------------------------------------------------------------------------------


@mint_form
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return _baddbmm(input, batch1, batch2, beta, alpha)


@mint_form
def bmm(input, mat2):
    return _bmm(input, mat2)


@mint_form
def frac(input):
    return _frac(input)


@mint_form
def isnan(tensor):
    return _isnan(tensor)


@mint_form
def mv(input, vec):
    return _mv(input, vec)


@mint_form
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    return _nansum(input, dim, keepdim, dtype=dtype)


@mint_form
def narrow(input, dim, start, length):
    return _narrow(input, dim, start, length)


@mint_form
def sqrt(input):
    return _sqrt(input)


@mint_form
def squeeze(input, dim):
    return _squeeze(input, dim)


@mint_form
def tile(input, dims):
    return _tile(input, dims)


# ---- Tensor methods ----------------------------------------------------------------------------------------


@method(name="addr")
def _addr_method(input, vec1, vec2, beta=1, alpha=1):
    return _addr(input, vec1, vec2, beta=beta, alpha=alpha)


@method(name="broadcast_to")
@spelled(size="shape")
def _broadcast_method(input, *sizes, shape=None):
    if shape is None:
        shape = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    return _broadcast_to(input, shape)


@method(name="reverse_sequence")
def _reverse_sequence_method(x, seq_lengths, seq_dim=0, batch_dim=0):
    return _reverse_sequence(x, seq_lengths, seq_dim, batch_dim)


@method(name="round")
def _round_method(input, decimals=0):
    return _round(input, decimals=decimals)


@method(name="matmul")
@spelled(other="tensor2")
def _matmul_method(input, tensor2):
    return _matmul(input, tensor2)


@method(name="multiply")
@spelled(other="value")
def _multiply_method(input, value):
    return _mul(input, value)


@method(name="remainder")
@spelled(divisor="other")
def _remainder_method(input, other):
    return _remainder(input, other)


@method(name="true_divide")
@spelled(divisor="other")
def _true_divide_method(input, other):
    return _true_divide(input, other)
