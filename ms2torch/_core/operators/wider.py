"""What torch has no kernel for, computed in a wider dtype: unsigned integers, and float16 on a CPU."""

from __future__ import annotations

import torch

from ms2torch._core.operators import unsigned


def compute(err: Exception, kernel, args: tuple, kwargs: dict):
    """What ``kernel`` gives by way of a wider dtype, where it failed with ``err`` for want of torch's kernel;
    None for any other failure."""
    found = unsigned.compute(err, kernel, args, kwargs)
    if found is None and hasattr(err, "of_torch"):
        return _by_float32(kernel, args, kwargs)
    return found


def lacks_kernel(kernel, args: tuple, kwargs: dict) -> bool:
    """Whether a failed call of ``kernel`` lacked nothing but a kernel of torch's for the dtype."""
    return unsigned.lacks_kernel(kernel, args, kwargs) or _by_float32(kernel, args, kwargs) is not None


def _by_float32(kernel, args: tuple, kwargs: dict):
    """``kernel`` of float16 tensors in float32, floats of the result in float16; None where it writes to
    them, fails too (then the dtype was not what it lacked), or has floats of other dtypes beside them."""
    given = [v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor)]
    if {v.dtype for v in given if v.is_floating_point() or v.is_complex()} != {torch.float16}:
        return None
    wide = {id(v): v.float() for v in given if v.dtype is torch.float16}
    versions = [v._version for v in wide.values()]
    try:
        found = kernel(*[wide.get(id(v), v) for v in args],
                       **{k: wide.get(id(v), v) for k, v in kwargs.items()})
    except (RuntimeError, TypeError, ValueError, IndexError):
        return None
    return _halved(found) if versions == [v._version for v in wide.values()] else None


def _halved(found):
    if isinstance(found, torch.Tensor):
        return found.half() if found.dtype is torch.float32 else found
    if isinstance(found, (tuple, list)):
        halved = [_halved(f) for f in found]
        return halved if isinstance(found, list) else tuple(halved)
    return found
