"""uint16, uint32 and uint64, for which torch lacks most kernels: computed in int64, and back."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.dtype import UNSIGNED

_FAILURES = (RuntimeError, TypeError, ValueError, IndexError)
# What int64 holds of a uint64 from 2^63 on is negative. These kernels move numbers, or add and multiply them,
# and are right all the same; those that compare are so once the top bit is turned.
_MOVE = frozenset((
    "bias_add", "gather_elements", "masked_fill", "masked_select", "scatter_nd", "square",
    "tensor_scatter_elements", "tril", "triu", "unsorted_segment_sum"))
_COMPARE = frozenset((
    "_tensor_argmax", "_tensor_argmin", "amax", "amin", "aminmax", "argmax", "argmin", "clamp", "cummax",
    "cummin", "max", "min", "nanmax", "nanmin", "reduce_max", "reduce_min", "topk"))
_BOUNDS = ("initial", "min", "max")
_TOP = -(2**63)
_DIVIDE = ("Div", "FloorDiv", "FloorMod", "TruncateDiv")
_ORDERS = frozenset(("Less", "LessEqual", "Greater", "GreaterEqual", "Maximum", "Minimum"))


def compute(err: Exception, kernel, args: tuple, kwargs: dict):
    """What ``kernel`` gives for unsigned integers, where it failed with ``err`` for want of torch's kernel;
    None for any other failure, and mostly for numbers from 2^63 on.

    A first run, in int16, tells which results are of the arguments' dtype: indices and counts are int32 or
    int64 then too. What a kernel writes to its arguments is written back.
    """
    if not hasattr(err, "of_torch"):
        return None
    given = _unsigned(args, kwargs)
    if not given:
        return None
    turned, name = 0, getattr(kernel, "__name__", "")
    if any(v.numel() and bool((v.to(torch.int64) < 0).any()) for v in given):
        if name in _COMPARE and not any(isinstance(kwargs.get(n), (int, float)) for n in _BOUNDS):
            turned = _TOP
        elif name not in _MOVE:
            return None
    try:
        kinds, _, _ = _run(torch.int16, given, kernel, args, kwargs)
        found, wider, before = _run(torch.int64, given, kernel, args, kwargs, turned)
    except _FAILURES:
        return None
    for v in given:
        if not torch.equal(wider[id(v)], before[id(v)]):
            v.copy_(_turned(wider[id(v)], turned))
    return _back(found, kinds, given[0].dtype, turned)


def binary(name: str, compute, a, b):
    """``compute(a, b)`` of an arithmetic operation on tensors of int64 that stand for uint64, and numbers."""
    beyond = name in (*_ORDERS, *_DIVIDE) and any(bool((torch.as_tensor(x) < 0).any()) for x in (a, b))
    if beyond and name in _ORDERS:
        found = compute(a ^ _TOP, b ^ _TOP)
        return found ^ _TOP if found.dtype is torch.int64 else found
    found = compute(a, b)                       # (which gradients pass)
    if beyond and found.dtype is torch.int64:
        a, b = torch.broadcast_tensors(torch.as_tensor(a), torch.as_tensor(b))
        quotient = _quotient(a, b)
        return a - quotient * b if name == "FloorMod" else quotient
    return found


def _quotient(a, b):
    """Half of ``a`` divided, twice that, and one more where the rest is still large enough."""
    twice = torch.where(b < 0, 0, torch.div((a >> 1) & ~_TOP, b.clamp_min(1), rounding_mode="floor") << 1)
    return twice + (((a - twice * b) ^ _TOP) >= (b ^ _TOP))


def lacks_kernel(kernel, args: tuple, kwargs: dict) -> bool:
    """Whether ``kernel`` takes these arguments with signed integers in the place of its unsigned ones."""
    given = _unsigned(args, kwargs)
    try:
        return bool(given) and bool(_run(torch.int16, given, kernel, args, kwargs))
    except _FAILURES:
        return False


def _unsigned(args, kwargs) -> list[torch.Tensor]:
    """The tensors of unsigned integers among the arguments, none where their dtypes differ."""
    given = [v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor) and v.dtype in UNSIGNED]
    return given if len({v.dtype for v in given}) == 1 else []


def _run(dtype, given, kernel, args, kwargs, turned=0):
    """What ``kernel`` gives with copies of ``given`` in ``dtype``, the copies and what they were before."""
    wider = {id(v): _turned(v, turned).to(dtype) for v in given}
    before = {k: v.clone() for k, v in wider.items()}
    named = {k: wider.get(id(v), v) for k, v in kwargs.items()}
    found = kernel(*[wider.get(id(v), v) for v in args], **named)
    return found, wider, before


def _back(found, kinds, dtype, turned):
    if isinstance(found, torch.Tensor):
        return _turned(found, turned).to(dtype) if kinds.dtype is torch.int16 else found
    if isinstance(found, (tuple, list)):
        return type(found)(_back(f, k, dtype, turned) for f, k in zip(found, kinds, strict=True))
    return found


def _turned(t, top):
    return t.to(torch.int64) ^ top if top else t.to(torch.int64)
