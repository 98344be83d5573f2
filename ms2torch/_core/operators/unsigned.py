"""uint16, uint32 and uint64, for which torch lacks most kernels: computed in int64, and back."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.dtype import UNSIGNED

_FAILURES = (RuntimeError, TypeError, ValueError, IndexError)


def compute(err: Exception, kernel, args: tuple, kwargs: dict):
    """What ``kernel`` gives for unsigned integers, where it failed with ``err`` for want of torch's kernel;
    None for any other failure, and for numbers from 2^63 on.

    A first run, in int16, tells which results are of the arguments' dtype: indices and counts are int32 or
    int64 then too. What a kernel writes to its arguments is written back.
    """
    if not hasattr(err, "of_torch"):
        return None
    given = _unsigned(args, kwargs)
    if not given:
        return None
    wide = {id(v): v.to(torch.int64) for v in given}
    if any(v.numel() and bool((v < 0).any()) for v in wide.values()):
        return None
    try:
        kinds, _, _ = _run(torch.int16, given, kernel, args, kwargs)
        found, wider, before = _run(torch.int64, given, kernel, args, kwargs)
    except _FAILURES:
        return None
    for v in given:
        if not torch.equal(wider[id(v)], before[id(v)]):
            v.copy_(wider[id(v)])
    return _back(found, kinds, given[0].dtype)


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


def _run(dtype, given, kernel, args, kwargs):
    """What ``kernel`` gives with copies of ``given`` in ``dtype``, the copies and what they were before."""
    wider = {id(v): v.to(torch.int64).to(dtype) for v in given}
    before = {k: v.clone() for k, v in wider.items()}
    named = {k: wider.get(id(v), v) for k, v in kwargs.items()}
    found = kernel(*[wider.get(id(v), v) for v in args], **named)
    return found, wider, before


def _back(found, kinds, dtype):
    if isinstance(found, torch.Tensor):
        return found.to(dtype) if kinds.dtype is torch.int16 else found
    if isinstance(found, (tuple, list)):
        return type(found)(_back(f, k, dtype) for f, k in zip(found, kinds, strict=True))
    return found
