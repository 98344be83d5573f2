"""Writing to a Parameter, at rest and while gradients are taken.

MindSpore's rule, in both modes: the write itself is not differentiated. Who reads the Parameter afterwards
gets the new value, with the gradient of the Parameter; nothing flows into what was written. The *result* of
the writing operator also carries the gradient of the written value, but for ``assign``'s.
"""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._core.gradient import recording, threads
from ms2torch._core.gradient.custom import written
from ms2torch._core.tensor.tensor import Tensor, wrap


def write(variable: Tensor, change, own: bool = False) -> Tensor:
    """Make ``change(old)``, a tensor that nobody else holds, the variable's content; the result wraps it.

    At rest a Parameter is written in place: views, ``asnumpy()`` arrays and what shares its memory follow,
    the result among them unless it is to be a Tensor of its ``own``, as ``assign``'s is.
    """
    old = variable._t
    new = change(old.detach())
    if new.dtype is not old.dtype or new.device != old.device:
        new = new.to(old)
    with threads.held():
        opened, rest = mode.differentiation, getattr(variable, "_rest", None)
        if rest is None:
            variable._write(lambda t: t.copy_(new.detach()))
        elif opened is not None:
            opened.rebind(variable, written(old, new.detach()))
            return wrap(written(old, new))
        else:
            recording.before_writing(variable)
            rest.copy_(new.detach())
            return wrap(new if own else rest.detach())
    return wrap(new)
