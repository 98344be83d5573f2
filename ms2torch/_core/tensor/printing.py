"""Tensor's str and repr, character for character as MindSpore 2.10 prints them.

``str`` is numpy's (and follows ``numpy.set_printoptions``); ``repr`` is MindSpore's own: one fixed form per
dtype, lines of 12 or 24 elements, and the middle of long dimensions left out.
"""

from __future__ import annotations

import warnings
from functools import cache
from math import copysign, isnan

import numpy as np
import torch

from ms2torch._core.tensor.dtype import from_torch

_ROW = 1000                              # a single row is cut when longer, every dimension of blocks above 6
_EDGE = 3


def to_str(t: torch.Tensor) -> str:
    """``str(Tensor)``: numpy's text; bfloat16, which numpy lacks, with six decimals."""
    array = _array(t)
    if array.ndim == 0:
        if t.dtype is torch.bfloat16:
            return f"{array.item():f}"
        return _number(array[()])
    if t.dtype is torch.bfloat16:
        return np.array2string(array, formatter={"float_kind": lambda v: f"{v:f}"})
    if array.dtype.kind in "fc" and not np.get_printoptions()["legacy"]:
        return np.array2string(array, **_as_numpy_1())
    return str(array)


def _number(value: np.generic) -> str:
    """``str`` of a numpy scalar in numpy 1: without an exponent from 1e-4 up to 1e16, in every precision."""
    if value.dtype.kind == "f" and 1e-4 <= abs(float(value)) < 1e16:
        return np.format_float_positional(value, trim="0")
    if value.dtype == np.complex64:
        real, imag = (_number(part).removesuffix(".0") for part in (value.real, value.imag))
        plain = value.real == 0 and not np.signbit(value.real)
        return f"{imag}j" if plain else f"({real}{'' if imag[0] == '-' else '+'}{imag}j)"
    return str(value)


@cache
def _as_numpy_1() -> dict[str, str]:
    """Newer numpy turns to exponents at 1e3 in float16, at 1e6 in float32; MindSpore's numpy 1 at 1e8."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            np.array2string(np.zeros(1), legacy="2.2")
        except (UserWarning, ValueError):    # numpy 1 warns and then fails; an early numpy 2 refuses
            return {}
    return {"legacy": "2.2"}


def to_repr(t: torch.Tensor, of_numpy: bool = False) -> str:
    """``repr(Tensor)``: shape, dtype and values; these on lines of their own from two dimensions on.

    ``of_numpy``: the values are numpy's text, as in MindSpore where the memory is numpy's.
    """
    array = _array(t)
    if of_numpy:
        values = np.array2string(array, separator=", ", **_as_numpy_1())
    else:
        values = _values(array, t.dtype)
    values = ("\n" if array.ndim > 1 else " ") + values
    return f"Tensor(shape={list(t.shape)}, dtype={from_torch(t.dtype)}, value={values})"


def _array(t: torch.Tensor) -> np.ndarray:
    t = t.detach()
    if t.dtype in _NOT_IN_NUMPY:
        t = t.float()
    return t.cpu().resolve_conj().resolve_neg().numpy()


def _values(array: np.ndarray, dtype: torch.dtype) -> str:
    if array.size == 0:
        return ""
    if array.ndim == 0:
        return _general(array.item())
    form, width, per_line = _FORMS.get(dtype, (_general, None, 24))
    cut = [n > (2 * _EDGE if array.ndim > 1 else _ROW) for n in array.shape]
    for axis in range(array.ndim):
        if cut[axis]:
            array = np.delete(array, slice(_EDGE, -_EDGE), axis)
    texts = [form(v) for v in array.ravel().tolist()]
    if array.dtype.kind != "c":          # complex numbers alone are not aligned
        width = width or max(map(len, texts))
        texts = [text.rjust(width) for text in texts]
    if array.ndim == 1 and not cut[0]:
        return _wrapped(texts, per_line)
    return _block(iter(texts), list(zip(array.shape, cut, strict=True)), 1)


def _wrapped(texts: list[str], per_line: int) -> str:
    """A row of at most 1,000 elements, a line break after every ``per_line``th, also when it is the last."""
    last = len(texts) - 1
    parts = []
    for i, text in enumerate(texts):
        parts.append(text if i == last else text + ", ")
        if i % per_line == per_line - 1:
            parts.append("\n ")
    return f"[{''.join(parts)}]"


def _block(texts, dims: list[tuple[int, bool]], depth: int) -> str:
    """The next row or block of rows, in brackets; ``depth`` is how far a new line is set in."""
    (n, cut), *inner = dims
    parts = [_block(texts, inner, depth + 1) if inner else next(texts) for _ in range(n)]
    between, gap = ("," + (line := "\n" + " " * depth), f",{line}...{line}") if inner else (", ", " ... ")
    if not cut:
        return f"[{between.join(parts)}]"
    return f"[{between.join(parts[:_EDGE])}{gap}{between.join(parts[_EDGE:])}]"


def _general(value) -> str:
    """What C prints with %g: six significant digits, and a NaN's sign in complex numbers."""
    if isinstance(value, complex):
        imag = _part(value.imag)
        return f"{_part(value.real)}{'' if imag[0] == '-' else '+'}{imag}j"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _part(value: float) -> str:
    return "-nan" if isnan(value) and copysign(1, value) < 0 else f"{value:g}"


_NOT_IN_NUMPY = frozenset((torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2))
# How an element is written, its width (else that of the longest), and how many go on a line.
_FORMS = {
    torch.float16: ("{:.4e}".format, 11, 12),
    torch.float32: ("{:.8e}".format, 15, 12),
    torch.float64: ("{:.8e}".format, 15, 12),
    torch.bool: (str, 5, 12),
}


def plain_repr(thing) -> str:
    """``<mindspore.train.model.Model object at 0x...>``: what MindSpore has no other text for."""
    cls = type(thing)
    place = cls.__module__.replace("ms2torch.", "mindspore.", 1)
    return f"<{place}.{cls.__qualname__} object at {id(thing):#x}>"
