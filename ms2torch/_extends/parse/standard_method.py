"""Methods of Python's containers as functions (``mindspore._extends.parse.standard_method``).

A graph's list is a value: where MindSpore compiles, what appends makes another one.
"""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._core.random import graph_streams
from ms2torch._naming.surface import install_lazy


def list_append(self_, list_item):
    """``self_`` with ``list_item`` at its end: a new one in a graph, else the list itself, and None."""
    return _inserted(self_, len(self_), list_item)


def list_insert(self_, index, obj):
    """``self_`` with ``obj`` before place ``index``: a new one in a graph, else the list itself, and None."""
    return _inserted(self_, index, obj)


def _inserted(values, index, item):
    if not mode.inside and graph_streams.here.call is None:
        return values.insert(index, item) if isinstance(values, list) else None
    made = list(values)
    made.insert(index, item)
    return type(values)(made) if type(values) in (list, tuple) else made


def ms_len(data):
    """Python's ``len``."""
    return len(data)


def tensor_bool(x) -> bool:
    """The truth of a Tensor of one element."""
    return bool(x)


install_lazy(__name__, globals())
