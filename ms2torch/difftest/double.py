"""Float64 under float32's name: what a step would give without rounding.

Inside ``Double`` every result of float arithmetic is a ``Wide``: a tensor that says it is float32 (or the
half that it would be), so that no check of a dtype notices, and holds float64.

``perturb`` makes the same float64 tremble: every result is moved at random by what a float32 kernel may be
wrong by. How far the step's values then lie from those without it is what rounding can explain at each place.
"""

from __future__ import annotations

import math

import torch

from ms2torch._core.torch_private import (
    TorchDispatchMode,
    no_torch_function,
    tree_map,
    without_modes,
    wrapper_subclass,
)

# Half a unit in the last place of float32: by how much a result may be rounded.
ROUNDED = 2.0**-24
# Results that are none: memory looked at otherwise, or copied.
_COPIES = ("clone", "copy_", "to_copy", "detach", "where", "cat", "stack", "relu", "threshold_backward",
           "neg", "index", "gather", "max_pool", "embedding", "fill", "zeros", "ones", "constant_pad_nd",
           "abs", "sign")
# Kernels that approximate: roundings that the real MindSpore's were measured to be wrong by on a CPU.
_APPROXIMATE = {"log_softmax": 8.0, "softmax": 8.0, "exp": 4.0, "log": 4.0, "erf": 2.0, "sigmoid": 4.0,
                "softplus": 4.0, "gelu": 4.0, "silu": 4.0, "mish": 4.0, "elu": 4.0, "pow": 2.0, "lgamma": 8.0,
                "digamma": 8.0, "lstm": 4.0, "gru": 4.0}
# Its tanh is good to the last digit up to 2 and to four digits between 3 and 7: roundings from a result on.
_TANH = ((0.96, 4.0), (0.995, 40.0), (0.9993, 300.0), (0.9999983, 4.0))
# Sums in the order of the memory gather about this part of the root of their length: one of n terms around m
# that scatter by s is off by about this part of sqrt(n) sqrt(n^2 m^2 2 / 3 + n s^2).
_GATHERED = 1 / 16
# Kernels that keep one partial sum, as torch's gradients of convolutions and normalisations do on a CPU
# (0.26 to 0.32 over seven shapes of convolutions; 0.05 where the kernel has one pixel).
_IN_ONE_SUM = 0.3
_NARROW = (torch.float32, torch.float16, torch.bfloat16)
_RANDOM = ("rand", "bernoulli", "normal_", "uniform_", "multinomial", "dropout", "exponential_")
# Written to although their schemas do not say so: the moving statistics.
_SECRETLY_WRITTEN = {"aten::native_batch_norm": (3, 4), "aten::_native_batch_norm_legit": (3, 4)}


class Wide(torch.Tensor):
    """A float64 tensor, ``wide``, that is float32, float16 or bfloat16 to all who ask."""

    @staticmethod
    def __new__(cls, wide: torch.Tensor, dtype: torch.dtype):
        new = wrapper_subclass(cls, wide.shape, strides=wide.stride(), dtype=dtype,
                                                  device=wide.device)
        new.wide = wide
        return new

    __torch_function__ = no_torch_function

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return in_float64(func, args, kwargs or {})

    def data_ptr(self) -> int:
        return self.wide.data_ptr()

    def numpy(self, *, force: bool = False):
        return self.wide.detach().to(self.dtype).numpy(force=force)

    def tolist(self):
        return self.wide.to(self.dtype).tolist()


class Noise:
    """Random relative errors, the same in each run."""

    def __init__(self, seed: int = 1) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def on(self, wide: torch.Tensor, units: float | torch.Tensor = 1.0) -> torch.Tensor:
        """``wide`` moved by ``units`` roundings; numbers of few bits (0, 1, a count) are exact and stay."""
        with without_modes():
            if wide.dtype is not torch.float64 or not wide.numel():
                return wide
            few = wide.to(torch.float32)
            exact = (few.view(torch.int32) & 0xFFF).eq(0) & (few == wide)
            sign = torch.randint(0, 2, wide.shape, generator=self.generator, dtype=torch.float64)
            return wide * (1.0 + (2.0 * sign.to(wide.device) - 1.0) * (units * ROUNDED) * ~exact)

    def result(self, name: str, wide: torch.Tensor, longest: int) -> torch.Tensor:
        """An operator's result, from an operand of ``longest`` elements. An approximation is off alike
        throughout, so that a mean over it does not cancel."""
        with without_modes():
            if plain_name(name) == "tanh":
                units = torch.ones_like(wide)
                for begin, wrong in _TANH:
                    units[wide.abs() >= begin] = wrong
                return self.on(wide, units)
            part = _IN_ONE_SUM if plain_name(name).endswith("norm_backward") else _GATHERED
            summed = math.sqrt(longest / max(wide.numel(), 1)) * part
            biased = max(_units(name), summed)
            if biased > 1.0 and wide.dtype is torch.float64:
                wide = wide * (1.0 + biased * ROUNDED)
            return self.on(wide, biased)


    def convolved(self, func, args, result):
        """The gradients of a convolution, that of the weight and the bias moved by what long sums whose terms
        cancel are wrong by: their size is not that of the result."""
        with without_modes():
            came, given, *rest = args
            squares = func(came * came, given * given, *rest)
            length = came.numel() / max(came.shape[1], 1)
            moved = [result[0]]
            for total, square in zip(result[1:], squares[1:], strict=True):
                if total is not None:
                    wrong = torch.sqrt(total * total * (2 / 3) + square) * (_IN_ONE_SUM * math.sqrt(length))
                    sign = torch.randint(0, 2, total.shape, generator=self.generator, dtype=torch.float64)
                    total = total + (2.0 * sign.to(total.device) - 1.0) * wrong * ROUNDED
                moved.append(total)
            return tuple(moved)


noise: Noise | None = None


def perturb() -> None:
    """From now on, in this process, float64's results tremble."""
    global noise
    noise = Noise()


def plain_name(name: str) -> str:
    """An operator's name without its namespace and its forms (``aten::_foreach_exp_`` is ``exp_``)."""
    return name.removeprefix("aten::").lstrip("_").removeprefix("foreach_")


def _units(name: str) -> float:
    """By how many roundings an operator's results are moved."""
    plain = plain_name(name)
    return next((units for key, units in _APPROXIMATE.items() if plain.startswith(key)), 1.0)


class Double(TorchDispatchMode):
    """``with Double():`` computes in float64. Random draws stay as they are; what is written in place into an
    ordinary tensor is rounded once, at the end."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return in_float64(func, args, kwargs or {})


def in_float64(func, args, kwargs):
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
    shaken = noise is not None and not _is_view(schema) and not plain_name(schema.name).startswith(_COPIES)
    longest = max(t.numel() for t in tensors) if shaken else 0
    if shaken and schema.name == "aten::convolution_backward":
        result = noise.convolved(func, wide_args, result)
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
            return Wide(noise.result(schema.name, x, longest) if shaken else x, dtype)
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


def widened(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A float tensor as a ``Wide`` that goes as ``dtype``; as it is where that is no narrow one."""
    with without_modes():
        return Wide(t.to(dtype).double(), dtype) if dtype in _NARROW else t.to(dtype)


def numpy(t: torch.Tensor):
    """The values, float64 where they are."""
    with without_modes():
        t = t.wide if isinstance(t, Wide) else t.detach()
        return (t.float() if t.dtype is torch.bfloat16 else t).detach().cpu().numpy().copy()
