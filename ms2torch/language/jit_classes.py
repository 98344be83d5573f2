"""Instances of a ``jit_class`` in a graph: their methods are in its language.

What a graph writes to such an object is written when the graph has ended. Until then the function that writes
``self.x`` (or ``OBJECT.x`` of a global object) reads the new value there, and everyone else the old one. A
step that is being traced writes at once: what it changes must be seen.
"""

from __future__ import annotations

import functools
import types

from ms2torch._core import mode
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

_SPECIAL = frozenset({"__call__", "__enter__", "__exit__", "__getitem__", "__len__"})


def marked(cls):
    """Have the methods that ``cls`` defines follow graph mode's language where a graph calls them."""
    for name, value in list(vars(cls).items()):
        if isinstance(value, types.FunctionType) and (name in _SPECIAL or not name.startswith("__")):
            setattr(cls, name, _method(value))
    return cls


def _method(written):
    read: dict = {}

    @functools.wraps(written)
    def method_of_a_graph(self, *args, **kwargs):
        if graph_streams.here.call is None:
            return written(self, *args, **kwargs)
        run = read.get(self.__class__)
        if run is None:
            from ms2torch.language.reading import copy_of

            run = read[self.__class__] = copy_of(written, self)
        return run(self, *args, **kwargs)

    method_of_a_graph._graph_source = written
    return method_of_a_graph


def is_instance(value) -> bool:
    """Whether a ``jit_class`` made ``value``."""
    return hasattr(type(value), "__ms_class__")


def write(owner, name: str, value) -> None:
    """``owner.name = value`` in a graph: into a Parameter that is there."""
    given(owner, value)
    call = graph_streams.here.call
    held = getattr(owner, "__dict__", {}).get(name)
    if isinstance(held, Parameter) and type(value) is Tensor and is_instance(owner):
        held._write(lambda t: t.copy_(value._t))
    elif call is None or mode.tracing is not None or not is_instance(owner):
        setattr(owner, name, value)
    else:
        call.writes[id(owner), name] = owner, value


def given(owner, value):
    """``value``, which an attribute of ``owner`` gets; those of a Parameter are set outside of graphs."""
    if isinstance(owner, Parameter):
        raise ValueError("Do not support to set attribute for a parameter.")
    return value


def read(owner, name: str):
    """``owner.name`` in a function that writes it."""
    call = graph_streams.here.call
    written = call.writes.get((id(owner), name)) if call is not None else None
    return getattr(owner, name) if written is None else written[1]
