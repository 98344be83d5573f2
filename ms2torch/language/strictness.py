"""Graphs that may not fall back on Python: ``jit(fullgraph=True)``, and the strict syntax level of the
environment, a Cell's JitConfig or the context."""

from __future__ import annotations

import contextlib
import os

import torch

from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.language.mapping import type_name

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


def is_strict() -> bool:
    """Whether graphs have no Python now."""
    level = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL")
    return bool(_strict) or (_cell_is_strict() if level is None else level == "0")


def _cell_is_strict() -> bool:
    """Whether the Cell that was called from outside, or else the context, says so (marked functions ask
    neither)."""
    call = graph_streams.here.call
    if call is None or call.of_a_gradient or not isinstance(call.function, torch.nn.Module):
        return False
    from ms2torch import _context_settings as settings

    level = call.function.jit_config_dict.get("jit_syntax_level")
    return level == "STRICT" if level else settings.values.get("jit_syntax_level") == settings.STRICT


def member(owner, name: str) -> None:
    """Refuse ``owner.name = value`` in a strict graph, but for a Parameter."""
    held = getattr(owner, name, None) if is_strict() else None
    if held is not None and not isinstance(held, Parameter):
        raise TypeError(
            f"In JIT strict mode, if need to modify a member attribute of a class with self.{name}, the "
            f"member attribute must be of the Parameter type. But got '{held}' with type "
            f"'{type(held).__name__}'. You can use os.environ['MS_DEV_JIT_SYNTAX_LEVEL'] = '2' to enable the "
            "JIT lax mode to support the current syntax.")


def member_part(owner, name: str, assigned: bool) -> None:
    """Refuse ``owner.name[i] = value`` in a strict graph, but for a Parameter; ``assigned``: a part is, which
    a tuple refuses in any graph."""
    held = getattr(owner, name, None)
    if assigned and isinstance(held, tuple):
        raise TypeError("'tuple' object does not support item assignment")
    if held is not None and not isinstance(held, Parameter) and is_strict():
        raise TypeError(
            f"When JIT_SYNTAX_LEVEL is not set to LAXself.{name} should be initialized as a 'Parameter' in "
            f"the '__init__' function to perform assign subscript, but got: {held}' with type "
            f"'{type(held).__name__}'.")


def on_host(value, method: str):
    """``value``, whose ``method`` is about to be called; AttributeError where a graph has no Python."""
    if is_strict() and isinstance(value, Tensor):
        name = TO_PYTHON[method]
        raise AttributeError(
            f"In JIT strict mode, cannot get attributes {name} or the {type_name(value)} object has no "
            f"attribute: '{name}'. You can use os.environ['MS_DEV_JIT_SYNTAX_LEVEL'] = '2' to enable the JIT "
            "lax mode to support the current syntax.")
    return value
