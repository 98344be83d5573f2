"""Float64 under float32's name: what a step would give without rounding.

Inside ``Double`` every result of float arithmetic is a ``Wide``: a tensor that says it is float32 (or the
half that it would be), so that no check of a dtype notices, and holds float64.
"""

from __future__ import annotations

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_map

_NARROW = (torch.float32, torch.float16, torch.bfloat16)
_RANDOM = ("rand", "bernoulli", "normal_", "uniform_", "multinomial", "dropout", "exponential_")
# Written to although their schemas do not say so: the moving statistics.
_SECRETLY_WRITTEN = {"aten::native_batch_norm": (3, 4), "aten::_native_batch_norm_legit": (3, 4)}


class Wide(torch.Tensor):
    """A float64 tensor, ``wide``, that is float32, float16 or bfloat16 to all who ask."""

    @staticmethod
    def __new__(cls, wide: torch.Tensor, dtype: torch.dtype):
        new = torch.Tensor._make_wrapper_subclass(cls, wide.shape, strides=wide.stride(), dtype=dtype,
                                                  device=wide.device)
        new.wide = wide
        return new

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return widened(func, args, kwargs or {})

    def data_ptr(self) -> int:
        return self.wide.data_ptr()

    def numpy(self, *, force: bool = False):
        return self.wide.detach().to(self.dtype).numpy(force=force)

    def tolist(self):
        return self.wide.to(self.dtype).tolist()


class Double(TorchDispatchMode):
    """``with Double():`` computes in float64. Random draws stay as they are; what is written in place into an
    ordinary tensor is rounded once, at the end."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return widened(func, args, kwargs or {})


def widened(func, args, kwargs):
    """One operator of torch's, in float64 where its operands are narrower floats."""
    schema = func._schema
    flat = [x for value in (*args, *kwargs.values()) for x in _each(value)]
    tensors = [x for x in flat if isinstance(x, torch.Tensor)]
    if any(part in schema.name for part in _RANDOM) or not _narrow(tensors):
        return _plainly(func, args, kwargs)
    if not any(isinstance(t, Wide) for t in tensors) and _is_view(schema):
        return func(*args, **kwargs)
    dtype = next((x for x in flat if isinstance(x, torch.dtype)), None)
    if dtype is None:
        dtype = _common(tensors)
    elif dtype not in _NARROW:
        return _plainly(func, args, kwargs)
    if dtype not in _NARROW:
        return _plainly(func, args, kwargs)
    written: list = []
    secret = _SECRETLY_WRITTEN.get(schema.name, ())
    wide_args = [_widen(a, i in secret or _writes(schema.arguments[i]), written) for i, a in enumerate(args)]
    named = {a.name: a for a in schema.arguments}
    wide_kwargs = {k: _widen(v, _writes(named[k]), written) for k, v in kwargs.items()}
    try:
        result = func(*wide_args, **wide_kwargs)
    except (RuntimeError, NotImplementedError):
        return _plainly(func, args, kwargs)  # torch has it in float32 alone
    back = {}
    for old, new in written:
        if not isinstance(old, Wide):
            old.copy_(new)
        back[id(new)] = old

    def narrowed(x):
        if not isinstance(x, torch.Tensor):
            return x
        if id(x) in back:
            return back[id(x)]
        if x.dtype is torch.float64:
            return Wide(x, dtype)
        return x.to(torch.complex64) if x.dtype is torch.complex128 else x

    return tree_map(narrowed, result)


def _plainly(func, args, kwargs):
    """The operator on what its operands say they are."""
    def plain(x):
        return x.wide.to(x.dtype) if isinstance(x, Wide) else x

    result = func(*tree_map(plain, args), **tree_map(plain, kwargs))
    if func._schema.is_mutable and args and isinstance(args[0], Wide):
        args[0].wide.copy_(result)
        return args[0]
    return result


def _each(value):
    return value if isinstance(value, (list, tuple)) else (value,)


def _narrow(tensors) -> bool:
    return any(t.dtype in _NARROW for t in tensors)


def _common(tensors) -> torch.dtype:
    """The dtype that float32 arithmetic would give."""
    floats = [t for t in tensors if t.is_floating_point() or t.is_complex()]
    several = [t for t in floats if t.ndim] or floats
    dtype = several[0].dtype
    for t in several[1:]:
        dtype = torch.promote_types(dtype, t.dtype)
    return dtype


def _is_view(schema) -> bool:
    """Whether an operator only looks at its input's memory."""
    return any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)


def _writes(argument) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _widen(value, writes: bool, written: list):
    def wide(x):
        if isinstance(x, Wide):
            if writes:
                written.append((x, x.wide))
            return x.wide
        if isinstance(x, torch.Tensor) and x.dtype in _NARROW:
            new = x.double()
            if writes:
                written.append((x, new))
            return new
        return torch.float64 if isinstance(x, torch.dtype) and x in _NARROW else x

    return type(value)([wide(v) for v in value]) if isinstance(value, (list, tuple)) else wide(value)


def numpy(t: torch.Tensor):
    """The values, float64 where they are."""
    with _disable_current_modes():
        t = t.wide if isinstance(t, Wide) else t.detach()
        return (t.float() if t.dtype is torch.bfloat16 else t).detach().cpu().numpy().copy()
