"""``jit(fullgraph=True)``: a graph that may not fall back on Python."""

from __future__ import annotations

import contextlib

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language.builtin_functions import type_name

# Methods of Tensors that hand its numbers to Python.
TO_PYTHON = {"asnumpy": "asnumpy", "tolist": "asnumpy", "numpy": "numpy"}
_strict = 0


@contextlib.contextmanager
def strict():
    """Calls in here are of one graph without Python."""
    global _strict
    _strict += 1
    try:
        yield
    finally:
        _strict -= 1


def on_host(value, method: str):
    """``value``, whose ``method`` is about to be called; AttributeError where a graph has no Python."""
    if _strict and isinstance(value, Tensor):
        name = TO_PYTHON[method]
        raise AttributeError(
            f"In JIT strict mode, cannot get attributes {name} or the {type_name(value)} object has no "
            f"attribute: '{name}'. You can use os.environ['MS_DEV_JIT_SYNTAX_LEVEL'] = '2' to enable the JIT "
            "lax mode to support the current syntax.")
    return value
