"""Mixed precision by operator: MindSpore's amp level ``auto``, over the torch functions that a network calls.

The lists are MindSpore's, by what its operators are called in torch: matrix products and convolutions compute
in the low dtype, what loses too much there in Float32, and where inputs must agree the wider one wins. All
else runs in the dtypes it is given. A Cell with a precision of its own (``to_float``) is not touched.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext

import torch
from torch.overrides import TorchFunctionMode


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BIASED = _names("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear")
_LOW = _BIASED | _names("matmul __matmul__ __rmatmul__ mm bmm prelu einsum addmm addbmm addmv baddbmm mv")
_FULL = _names("""
    pow __pow__ __rpow__ float_power acos arccos asin arcsin cosh erfinv exp expm1 log log10 log1p log2
    reciprocal rsqrt sinh tan softplus layer_norm native_layer_norm batch_norm native_batch_norm group_norm
    norm vector_norm matrix_norm kl_div smooth_l1_loss multilabel_margin_loss soft_margin_loss
    triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits pdist cdist renorm prod softmax
    log_softmax cumprod cumsum l1_loss mse_loss nll_loss cross_entropy
""")
_WIDEST = _names("addcdiv addcmul cross dot grid_sample cat concat concatenate")
_HALVES = (torch.float16, torch.bfloat16)

_state = threading.local()


class Autocast(TorchFunctionMode):
    """While entered, torch functions of the lists cast their inputs; ``dtype`` is the low one."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def __enter__(self):
        _state.on = getattr(_state, "on", 0) + 1
        _state.low = [*getattr(_state, "low", ()), self.dtype]
        return super().__enter__()

    def __exit__(self, *err) -> None:
        _state.on -= 1
        _state.low.pop()
        super().__exit__(*err)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        kwargs = kwargs or {}
        if getattr(_state, "off", 0):
            return func(*args, **kwargs)
        if name in _LOW:
            if name in _BIASED:
                return _biased(func, name, args, kwargs, self.dtype)
            want = self.dtype
        elif name in _FULL:
            want = torch.float32
        elif name in _WIDEST:
            want = torch.float32 if _holds(args, torch.float32) else None
        else:
            want = None
        if want is None:
            return func(*args, **kwargs)
        return func(*_cast(args, want), **_cast(kwargs, want))


class autocast_off:
    """Inside, nothing is cast: for Cells with a precision of their own."""

    def __enter__(self) -> None:
        _state.off = getattr(_state, "off", 0) + 1

    def __exit__(self, *err) -> None:
        _state.off -= 1


def low_dtype() -> torch.dtype | None:
    """The low dtype of what casts now; None where nothing does."""
    return None if getattr(_state, "off", 0) or not getattr(_state, "low", ()) else _state.low[-1]


def casting_to(low: torch.dtype | None):
    """Inside, inputs are cast as they were where `low_dtype` told this."""
    if low is low_dtype():
        return nullcontext()
    return autocast_off() if low is None else Autocast(low)


def widened(tensors):
    """While inputs are cast: floats that differ as Float32, for an operator whose inputs must agree."""
    if not getattr(_state, "on", 0) or getattr(_state, "off", 0) or len({t.dtype for t in tensors}) < 2:
        return tensors
    wide = _cast(tensors, torch.float32)
    return wide if len({t.dtype for t in wide}) == 1 else tensors


def _biased(func, name: str, args: tuple, kwargs: dict, low: torch.dtype) -> torch.Tensor:
    """MindSpore adds the bias in an operator of its own, which takes the wider of the two dtypes."""
    bias = kwargs.pop("bias", None) if len(args) < 3 else args[2]
    args = (*args[:2], None, *args[3:]) if len(args) > 2 else args
    out = func(*_cast(args, low), **_cast(kwargs, low))
    if bias is None:
        return out
    if name == "linear":
        return out + bias
    return out + bias.reshape(-1, *(1,) * int(name[-2]))


def _cast(obj, dtype: torch.dtype):
    if isinstance(obj, torch.Tensor):
        return obj.to(dtype) if obj.dtype in (torch.float32, *_HALVES) and obj.dtype is not dtype else obj
    if isinstance(obj, (tuple, list)) and not isinstance(obj, torch.Size):
        return type(obj)([_cast(x, dtype) for x in obj])
    if isinstance(obj, dict):
        return {key: _cast(value, dtype) for key, value in obj.items()}
    return obj


def _holds(obj, dtype: torch.dtype) -> bool:
    if isinstance(obj, torch.Tensor):
        return obj.dtype is dtype
    return isinstance(obj, (tuple, list)) and any(_holds(x, dtype) for x in obj)
