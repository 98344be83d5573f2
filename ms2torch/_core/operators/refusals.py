"""torch's errors told as MindSpore's, and MindSpore's words for operands that do not fit."""

from __future__ import annotations

import re

from ms2torch._core.errors import final
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.torch_private import out_of_memory


def broadcastable(a, b) -> bool:
    """Whether two operands broadcast; numbers do."""
    shapes = [getattr(x, "shape", ()) for x in (a, b)]
    return all(m == n or 1 in (m, n) for m, n in zip(*map(reversed, shapes), strict=False))


def translate(err: Exception, name: str, args: tuple) -> Exception:
    """torch's error for bad input as MindSpore's kind of error, in MindSpore's words where they are known."""
    if out_of_memory(err):
        return err
    if isinstance(err, IndexError):
        axis = re.search(r"out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
                         str(err))
        if axis is None:
            return err
        low, high, given = map(int, axis.groups())
        return ValueError(f"Dimension out of range (expected to be in range of [{low}, {high + 1}), "
                          f"but got {given})")
    shapes = [tuple(a.shape) for a in args if hasattr(a, "shape")]
    text = str(err)
    if ("must match the size of tensor" in text or "not broadcastable" in text) and len(shapes) >= 2:
        return cannot_broadcast(name, *shapes[:2])
    if "size" in text or "shape" in text or "dimension" in text.lower():
        return ValueError(f"For primitive[{name}], {text} Input shapes: {[list(s) for s in shapes]}.")
    if any(t in text for t in ("implemented for", "dtype", "Promotion for", "bool tensor is not supported")):
        return TypeError(f"For primitive[{name}], {text}")
    return RuntimeError(f"For primitive[{name}], {text}")


def wrong_dtype(name: str, argument: str, dtype, allowed) -> TypeError:
    """MindSpore's error where a Primitive's argument is a tensor of a torch dtype that is not ``allowed``."""
    kinds = ", ".join(sorted(f"Tensor[{from_torch(d)}]" for d in allowed))
    return TypeError(f"For primitive[{name}], the input argument[{argument}] must be a type of {{{kinds}}}, "
                     f"but got Tensor[{from_torch(dtype)}].")


def cannot_multiply(err: RuntimeError, a, b) -> RuntimeError:
    """MindSpore's error for a matrix product of shapes that do not fit, else ``err`` translated."""
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] == rows:
        return translate(err, "MatMul", (a, b))
    return final(RuntimeError(f"For 'MatMulExt' op, shape1[-1] must be equal to shape2[-2], "
                              f"but got {a.shape[-1]} and {rows}."))


def one_dtype(name: str, a, b):
    """Both factors of a matrix product, unchanged; TypeError unless they share their dtype."""
    if a.dtype is not b.dtype:
        x, y = from_torch(a.dtype), from_torch(b.dtype)
        raise TypeError(f"For '{name}', the type of 'x2' should be same as 'x1', but got 'x1' with type "
                        f"Tensor[{x}] and 'x2' with type Tensor[{y}].")
    return a, b


# Primitives whose messages call their operands input and other; the rest say input1 and input2.
_INPUT_OTHER = frozenset(("AddExt", "SubExt", "FloorDiv", "NotEqual", "Cross"))


def cannot_broadcast(name: str, a: tuple, b: tuple) -> ValueError:
    """MindSpore's error for two shapes that do not broadcast; its indices start at the rank."""
    x, y = ("input", "other") if name in _INPUT_OTHER else ("input1", "input2")
    common = min(len(a), len(b))
    pairs = enumerate(zip(a[len(a) - common:], b[len(b) - common:], strict=True))
    at = next((i for i, (m, n) in pairs if m != n and 1 not in (m, n)), 0)
    return ValueError(
        f"For '{name}', {x}.shape and {y}.shape need to broadcast. "
        f"The value of {x}.shape[{len(a) + at}] or {y}.shape[{len(b) + at}] must be 1 or -1 "
        f"when they are not the same, but got {x}.shape = {list(a)} and {y}.shape = {list(b)}")
