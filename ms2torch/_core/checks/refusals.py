"""torch's errors told as MindSpore's, and MindSpore's words for operands that do not fit."""

from __future__ import annotations

import torch

from ms2torch._core.checks import causes
from ms2torch._core.checks.kernel_dtypes import not_supported
from ms2torch._core.errors import final
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.torch_private import out_of_memory


def translate(err: Exception, name: str, args: tuple, kernel=None, kwargs=None, names=()) -> Exception:
    """torch's error for bad input as MindSpore's kind of error, in MindSpore's words where they are known.

    Told by its class and the operands, ``args`` and ``kwargs`` of ``kernel`` (`causes`); ``names`` are those
    of ``args``. torch's text is never read, and shown only where it says more than what was wrong.
    """
    kwargs = kwargs or {}
    if out_of_memory(err) or getattr(err, "from_user", False):
        return err
    if isinstance(err, IndexError):
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        if wrong := causes.axis_out_of_range(kernel, given):
            axes, axis = wrong
            return ValueError(f"Dimension out of range (expected to be in range of [{-axes}, {axes}), "
                              f"but got {axis})")
        if causes.of_refusal(err, kernel, args, kwargs) != "shapes":
            return err
    tensors = [a for a in (*args, *kwargs.values()) if isinstance(getattr(a, "shape", None), tuple)]
    shapes = [tuple(t.shape) for t in tensors]
    cause = causes.of_refusal(err, kernel, args, kwargs)
    if cause == "broadcast" and len(shapes) > 1:
        return cannot_broadcast(name, *shapes[:2])
    if cause == "dtypes":
        kinds = [f"Tensor[{from_torch(t.dtype)}]" for t in tensors if isinstance(t, torch.Tensor)]
        kinds += [f"{k}={from_torch(v)}" for k, v in kwargs.items() if isinstance(v, torch.dtype)]
        found = TypeError(f"{not_supported(name)} It was given {', '.join(kinds)}.")
    elif cause == "values":
        found = RuntimeError(f"For primitive[{name}], {err}")
    else:
        found = ValueError(f"For primitive[{name}], {err} Input shapes: {[list(s) for s in shapes]}.")
    found.of_torch = True       # in torch's words: the table of refused calls may have MindSpore's
    return found


def wrong_dtype(name: str, argument: str, dtype, allowed) -> TypeError:
    """MindSpore's error where a Primitive's argument is a tensor of a torch dtype that is not ``allowed``."""
    kinds = ", ".join(sorted(f"Tensor[{from_torch(d)}]" for d in allowed))
    return TypeError(f"For primitive[{name}], the input argument[{argument}] must be a type of {{{kinds}}}, "
                     f"but got Tensor[{from_torch(dtype)}].")


# MindSpore multiplies no matrices of these.
_NOT_MULTIPLIED = frozenset((torch.bool, torch.uint16, torch.uint32, torch.uint64))


def cannot_multiply(err: RuntimeError, a, b) -> RuntimeError:
    """MindSpore's error for a matrix product of shapes that do not fit, else ``err`` translated."""
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] == rows and a.dtype in _NOT_MULTIPLIED:
        return final(TypeError(not_supported("MatMul")))
    if a.shape[-1] == rows and a.ndim > 2 and b.ndim > 2 and a.dtype is b.dtype:
        shapes = " and ".join(f"[const vector]{{{', '.join(map(str, t.shape))}}}" for t in (a, b))
        return final(RuntimeError("For 'MatMulExt' op,  shape1 and shape2 must be broadcastable, but got "
                                  f"{shapes}"))
    if a.shape[-1] == rows:
        return translate(err, "MatMul", (a, b), torch.matmul)
    if b.ndim == 1:
        return final(ValueError("For 'MatMul' the input dimensions must be equal, but got 'x1_col': "
                                f"{a.shape[-1]} and 'x2_row': {rows}."))
    return final(RuntimeError(f"For 'MatMulExt' op, shape1[-1] must be equal to shape2[-2], "
                              f"but got {a.shape[-1]} and {rows}."))


def one_dtype(name: str, a, b):
    """Both factors of a matrix product, unchanged; TypeError unless they share their dtype."""
    if a.dtype is not b.dtype:
        x, y = from_torch(a.dtype), from_torch(b.dtype)
        if graph_streams.here.call is not None and name != "MatMul":     # (which has a check of its own)
            raise TypeError(f"For primitive[{name}], the input type must be same.\n"
                            f"name:[w]:Tensor[{y}].\nname:[x]:Tensor[{x}].")
        raise TypeError(f"For '{name}', the type of 'x2' should be same as 'x1', but got 'x1' with type "
                        f"Tensor[{x}] and 'x2' with type Tensor[{y}].")
    return a, b


# What messages of Primitives call their operands; the rest say input1 and input2.
_OPERANDS = {**dict.fromkeys(("AddExt", "SubExt", "FloorDiv", "NotEqual", "Cross"), ("input", "other")),
             **dict.fromkeys(("MaskedSelect", "MaskedFill"), ("input", "mask")),
             "Lerp": ("start", "end"), "MSELossExt": ("input", "target")}


def cannot_broadcast(name: str, a: tuple, b: tuple, operands: tuple[str, str] | None = None) -> ValueError:
    """MindSpore's error for two shapes that do not broadcast; its indices start at the rank."""
    x, y = operands or _OPERANDS.get(name, ("input1", "input2"))
    common = min(len(a), len(b))
    pairs = enumerate(zip(a[len(a) - common:], b[len(b) - common:], strict=True))
    at = next((i for i, (m, n) in pairs if m != n and 1 not in (m, n)), 0)
    return ValueError(
        f"For '{name}', {x}.shape and {y}.shape need to broadcast. "
        f"The value of {x}.shape[{len(a) + at}] or {y}.shape[{len(b) + at}] must be 1 or -1 "
        f"when they are not the same, but got {x}.shape = {list(a)} and {y}.shape = {list(b)}")
