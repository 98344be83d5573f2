"""Limits on values and on norms (``mindspore.ops.function.clip_func``)."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.checks.calls import describe, failed_call
from ms2torch._core.checks.kernel_dtypes import not_supported
from ms2torch._core.errors import final
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import op
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.processes import distributed
from ms2torch._core.tensor.construct import from_number
from ms2torch._core.tensor.dtype import UNSIGNED
from ms2torch._core.tensor.tensor import wrap
from ms2torch._core.torch_private import clamp as clamped
from ms2torch._naming import generations

__all__ = ["clamp", "clip", "clip_by_global_norm", "clip_by_norm", "clip_by_value"]


def _limited(t, low, high):
    if t.dtype in UNSIGNED and not isinstance(low, torch.Tensor) and not isinstance(high, torch.Tensor):
        return _limited_unsigned(t, low, high)
    if isinstance(low, torch.Tensor) and isinstance(high, torch.Tensor):
        t, low = arithmetic.promote_operands(t, low)
        t, high = arithmetic.promote_operands(t, high)
        return clamped(t, low.to(t.dtype), high)
    if low is not None:
        t, low = arithmetic.promote_operands(t, low)
        t = _within(t, low, None)
    if high is None:
        return t
    t, high = arithmetic.promote_operands(t, high)
    return _within(t, None, high)


def _is_beyond(n, dtype: torch.dtype) -> bool:
    if dtype is torch.bool or not isinstance(n, (int, float)):
        return False
    limits = (torch.finfo if dtype.is_floating_point or dtype.is_complex else torch.iinfo)(dtype)
    return not limits.min <= n <= limits.max


def _within(t, low, high):
    try:
        return clamped(t, low, high)
    except RuntimeError:
        if not any(_is_beyond(n, t.dtype) for n in (low, high)):
            raise
    # A number beyond the dtype is cast, 1e39 to infinity; torch refuses it.
    low, high = [from_number(n, t.dtype).to(t.device) if isinstance(n, (int, float)) else n
                 for n in (low, high)]
    return clamped(t, low, high)


def _limited_unsigned(t, low, high):
    """Of an unsigned integer of more than 8 bits, for which torch has no kernels, and two numbers."""
    if isinstance(low, float) or isinstance(high, float):
        return _limited(t.float(), low, high)
    if t.dtype is torch.uint16 and low is not None:
        raise final(TypeError(not_supported("Maximum")))
    bits = 8 * t.element_size()
    low, high = (n if n is None else n % 2 ** bits for n in (low, high))       # (a number is cast first)
    top = -(2**63) if bits == 64 else 0             # turned, it keeps the order beyond int64
    low, high = (n if n is None else (n - 2**63 if top else n) for n in (low, high))
    return (torch.clamp(t.long() ^ top, low, high) ^ top).to(t.dtype)


def _each(function, x, *args):
    """Of a list or tuple a tuple, as MindSpore's HyperMap gives."""
    return tuple([function(t, *args) for t in x]) if isinstance(x, (tuple, list)) else function(x, *args)


def _keeping_dtype(t, low, high):
    if low is None and high is None:
        raise ValueError(
            "For 'clip_by_value', at least one of 'clip_value_min' or 'clip_value_max' must not be None"
        )
    if t.dtype is torch.float32 and not t.requires_grad and not (
            isinstance(low, torch.Tensor) or isinstance(high, torch.Tensor)):
        return _within(t, low, high)
    low, high = [x if x is None else from_number(x, None).to(t.device, t.dtype) if isinstance(x, (int, float))
                 else torch.as_tensor(x, device=t.device).to(t.dtype) for x in (low, high)]
    # At a limit the gradient is one half, as MindSpore's maximum and minimum share it; clamp's is one.
    if low is not None:
        t = torch.maximum(t, low)
    return t if high is None else torch.minimum(t, high)


@op()
@spelled(min="clip_value_min", max="clip_value_max")
def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """``x``, a tensor or a list or tuple of them, limited to [min, max] (``mindspore.ops.clip_by_value``).

    Limits are numbers or tensors that broadcast; where min is above max, the result is max. ValueError
    without any limit.
    """
    return _each(_keeping_dtype, x, clip_value_min, clip_value_max)


def _keeping_whole(t, low, high):
    """Of 2.3 to 2.7: integers keep their dtype, the gradient at a limit is whole."""
    return (_limited if t.is_floating_point() else _keeping_dtype)(t, low, high)


def clamp(input, min=None, max=None):
    """``input`` limited to [min, max] (``mindspore.ops.clamp``, ``clip``); ValueError without any limit."""
    if min is None and max is None:
        raise ValueError("For Clamp, at least one of 'min' or 'max' must not be None.")
    for given in (input, min, max):
        if given.__class__ is bool or getattr(given, "dtype", None) is torch.bool:
            raise ValueError("For Clamp, the dtype of 'input', 'min' and 'max' must not be bool.")
    if min is not None and max is not None and isinstance(min, torch.Tensor) is not isinstance(
            max, torch.Tensor) and (min if isinstance(min, torch.Tensor) else max).ndim:
        raise TypeError("a Tensor and a number")        # (MindSpore has no form for both)
    kept = generations.has_old_meaning("mindspore.ops.clamp")
    if kept and not generations.has_old_meaning("mindspore.ops.clip"):
        return _each(_keeping_whole, input, min, max)
    return _each(_keeping_dtype if kept else _limited, input, min, max)


clamp = op(clamp, method=("clamp", "clip(input, min|xmin=None, max|xmax=None)"), mint=("clamp", "clip"),
           alias=("clip",))                # xmin and xmax: the method's names before 2.0
clip = clamp


# ---- norms -------------------------------------------------------------------------------------------------


def _norm(t, order: float):
    """The norm of all elements; of orders but 2 and infinity MindSpore adds the powers with their signs."""
    if order in (2.0, math.inf):
        return torch.linalg.vector_norm(t, order)
    return t.pow(order).sum().pow(1 / order)


def _total_norm(tensors, order):
    return _norm(torch.stack([_norm(t.to(torch.float32), order) for t in tensors]), order)


@op()
def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Tensors scaled so that the norm of them all is at most ``max_norm`` (``mindspore.ops.clip_by_norm``).

    ``x`` is a tensor, or a list or tuple, of which a tuple comes back. A norm that is nan scales nothing;
    RuntimeError for one that is not finite, if asked.
    """
    tensors = [x] if isinstance(x, torch.Tensor) else list(x)
    for t in tensors:
        if isinstance(t, (int, float)):
            raise final(AttributeError(f"'{type(t).__name__}' object has no attribute 'dtype'"))
        if not isinstance(t, torch.Tensor):
            raise final(failed_call(f"Pow()(input={describe(t)}, exponent=float)",
                                    "Pow()(input=<Number, Tensor>, exponent=<Number, Tensor>)"))
    if isinstance(max_norm, (dict, tuple)):
        raise final(failed_call(f"Mul()(input=Tensor, other={describe(max_norm)})",
                                "Mul()(input=<Number, Tensor>, other=<Number, Tensor>)"))
    if isinstance(norm_type, np.ndarray):
        raise final(failed_call(f"Pow()(input=Tensor, exponent={describe(norm_type)})",
                                "Pow()(input=<Number, Tensor>, exponent=<Number, Tensor>)"))
    if isinstance(max_norm, np.ndarray) and not max_norm.ndim:
        max_norm = max_norm.item()
    if isinstance(max_norm, int) and not -1 << 63 <= max_norm < 1 << 63:
        raise final(SystemError("<method '__mul__' of 'TensorPy' objects> returned a result with an "
                                "exception set"))
    total = _total_norm(tensors, float(norm_type))
    if error_if_nonfinite and not torch.isfinite(total):
        raise RuntimeError(f"For clip_by_norm, the total norm of order {norm_type} from input is non-finite.")
    if not tensors[0].is_floating_point() and not tensors[0].is_complex():
        total = total.trunc()                                 # MindSpore's norm of integers is one
    scale = max_norm / (total + 1e-6)
    scale = torch.where(scale < 1.0, scale, 1.0)
    scaled = [(t * scale).to(t.dtype) if t.is_floating_point() else _scaled(t, scale) for t in tensors]
    return scaled[0] if isinstance(x, torch.Tensor) else tuple(scaled)


def _scaled(whole, scale):
    """Integers that are short enough stay as they are."""
    return whole if not whole.is_complex() and scale >= 1.0 else whole * scale


@op()
def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Tensors times clip_norm / max(norm of them all, clip_norm) (``mindspore.ops.clip_by_global_norm``).

    ``x`` is a tensor or a tuple or list of them, of which a tuple comes back; dtypes stay. ``use_norm`` must
    be None.
    """
    if isinstance(clip_norm, np.ndarray) and not clip_norm.ndim:
        clip_norm = clip_norm.item()
    if not clip_norm > 0.0:
        raise ValueError(
            f"For 'clip_by_global_norm', the argument 'clip_norm' must > 0.0, but got {clip_norm}."
        )
    if use_norm is not None:
        raise ValueError(
            f"For '_ClipByGlobalNorm', input 'use_norm' only supports None currently, "
            f"but got 'use_norm': {use_norm}"
        )
    tensors = [x] if isinstance(x, torch.Tensor) else list(x)
    for t in tensors:
        if not isinstance(t, torch.Tensor):
            raise failed_call(f"Square()(input={describe(t)})", "Square()(input=<Tensor>)")
    if not tensors:
        raise ValueError("For primitive[AddN], the input num must be greater than or equal to 1, but got 0.")
    staged = distributed.staged()       # each stage of a pipeline has the gradients of its weights
    squares = [torch.sum(torch.square(_widened(t))).to(torch.float32)
               for t in tensors if not (staged and t.is_meta)]
    total = torch.stack(squares).sum()
    if staged:
        from ms2torch._core.processes import pipeline

        total = pipeline.sum_over_stages(total)
    norm = torch.sqrt(total)
    norm = torch.where(norm >= clip_norm, norm, clip_norm)    # nan scales nothing
    # Two roundings of each element, as in MindSpore: those of a common factor would all point one way.
    if not isinstance(clip_norm, torch.Tensor):
        clip_norm = float(np.float32(clip_norm))              # (which float64 tensors notice)
    scaled = [t if staged and t.is_meta else (_widened(t) * clip_norm / norm).to(t.dtype) for t in tensors]
    return scaled[0] if isinstance(x, torch.Tensor) else tuple(scaled)


def _widened(x):
    """In float32 where it is narrower."""
    return x if x.dtype is torch.float64 else x.to(torch.float32)


def get_square_sum(x):
    """The sum of the squares of a Tensor, Float32 of shape (1,): what `clip_by_global_norm` adds up.

    Programs with norms of their own map it over their gradients.
    """
    from ms2torch.ops.function._math_unary import square

    return wrap(square(x)._t.sum().to(torch.float32).reshape(1))
