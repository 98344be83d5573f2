"""Order of evaluation (``mindspore.ops.function.other_func``)."""

from __future__ import annotations

from ms2torch._core.operators.registry import op

__all__ = ["depend"]


@op(primitive="Depend", on_tensors=True)
def depend(value, expr):
    """``value``; ``expr`` has run before, as Python runs what is written first.

    (``mindspore.ops.depend``.)
    """
    return value


@op(primitive="ControlDepend", init=("depend_mode",), on_tensors=True)
def control_depend(src, dst, depend_mode=0):
    """Orders two operators in a graph, in r1.0; here they already run in the order of Python.

    (``mindspore.ops.ControlDepend``.)
    """


@op(on_tensors=True)
def load(value, u=None):
    """The value of a Parameter at this point of a graph."""
    return value.value() if hasattr(value, "value") else value
