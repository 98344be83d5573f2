"""What a graph writes into a slice of a Parameter, or by a mask: the graph's own until it ends.

MindSpore's graph mode makes ``self.queue[0:2] = v`` a new value: what reads ``self.queue`` later in the graph
sees it, and ``v`` has its gradient, but the Parameter keeps its content. What ``+=`` or an ``assign`` writes
after that is the graph's own, too. So is what ``self.queue[self.place] = v`` writes where the ``construct``
itself sets ``self.place``, and what ``self.queue[0] = self.state`` writes where it sets ``self.state``. (By
any other index, ``[:, 0]``, ``[0]``, ``[indices]``, the Parameter itself is written.)
"""

from __future__ import annotations

import contextlib
import threading

import torch

from ms2torch._core import mode
from ms2torch._core.tensor import indexing
from ms2torch._core.tensor.tensor import Tensor, lower

# In a construct of graph mode that assigns to elements: Parameters by id, with what they held before, whether
# the pass knew of a change, and what they hold now. A thread has its own.
_here = threading.local()


def begun() -> bool:
    """Whether a ``construct`` of graph mode that assigns to elements is under way."""
    return getattr(_here, "written", None) is not None


def is_local(index) -> bool:
    """Whether a write by ``index`` is the graph's own."""
    return begun() and (
        index.__class__ is slice or (isinstance(index, Tensor) and index._t.dtype is torch.bool))


def write(param, index, value) -> None:
    """``param[index] = value`` until the graph ends."""
    opened, key, written = mode.differentiation, id(param), _here.written
    if key not in written:
        written[key] = [param, param._t, opened is not None and key in opened._changed, None]
    new = param._t.clone()
    indexing.setitem(new, lower(index), lower(value))
    follow(param, new)


def holds(variable) -> bool:
    """Whether ``variable`` is a Parameter whose content is the graph's own now."""
    written = getattr(_here, "written", None)
    return bool(written) and id(variable) in written and written[id(variable)][3] is variable._t


def follow(param, new: torch.Tensor) -> None:
    """Make ``new`` what a Parameter that the graph `holds` is until the graph ends."""
    _here.written[id(param)][3] = new
    if mode.differentiation is None:
        param._t = new
    else:
        mode.differentiation.rebind(param, new)


@contextlib.contextmanager
def graph_call():
    """The call of a graph's ``construct``; an inner one belongs to the outer."""
    if getattr(_here, "written", None) is not None:
        yield
        return
    _here.written = {}
    try:
        yield
    finally:
        written, _here.written = _here.written, None
        opened = mode.differentiation
        for key, (param, before, known, now) in written.items():
            if param._t is not now:         # the Parameter itself was written to after
                continue
            param._t = before
            if opened is not None and not known:
                opened._changed.pop(key, None)
