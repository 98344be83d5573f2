"""Loops over functions: WhileLoop, ForiLoop, Scan (``mindspore.ops``). They take and give Tensors."""

from __future__ import annotations

from ms2torch._core.registry import primitive


@primitive("WhileLoop", on_tensors=True)
def _while_loop(cond_func, loop_func, init_val):
    """``val = loop_func(val)`` while ``cond_func(val)`` holds (``mindspore.ops.WhileLoop``)."""
    val = init_val
    while cond_func(val):
        val = loop_func(val)
    return val


@primitive("ForiLoop", on_tensors=True)
def _fori_loop(lower, upper, loop_func, init_val, unroll=True):
    """``val = loop_func(i, val)`` for i from ``lower`` up to ``upper`` (``mindspore.ops.ForiLoop``)."""
    val = init_val
    for i in range(int(lower), int(upper)):
        val = loop_func(i, val)
    return val


@primitive("Scan", on_tensors=True)
def _scan(loop_func, init, xs, length=None, unroll=True):
    """``carry, y = loop_func(carry, x)`` over ``xs``; the last carry and all y (``mindspore.ops.Scan``)."""
    carry, found = init, []
    for x in [None] * length if xs is None else xs[:length]:
        carry, y = loop_func(carry, x)
        found.append(y)
    return carry, found
