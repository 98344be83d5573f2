"""Writing to a Parameter, at rest and while gradients are taken.

MindSpore's rule, in both modes: the write itself is not differentiated. Who reads the Parameter afterwards
gets the new value, with the gradient of the Parameter; nothing flows into what was written. The *result* of
the writing operator also carries the gradient of the written value, but for ``assign``'s. A Tensor that is
written is such a variable too; in a graph what is added to it flows. Where it is an argument, its caller sees
the new value. The result shares the variable's memory (``assign``'s in a graph alone): what is written to
it is written to the variable.
"""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._core.gradient import local_writes, recording, threads
from ms2torch._core.gradient.copy_on_write import overwrite
from ms2torch._core.random import repeating
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.language import results


def whole_of(variable: Tensor) -> Tensor:
    """The variable itself, where a Cell of half precision read it narrower."""
    return variable.__dict__.get("_written", variable)


def write(variable: Tensor, change, own: bool = False) -> Tensor:
    """Make ``change(old)``, a tensor that nobody else holds, the variable's content; the result wraps it.

    At rest a Parameter is written in place: views, ``asnumpy()`` arrays and what shares its memory follow,
    the result among them unless it is to be a Tensor of its ``own``, as ``assign``'s is.
    """
    variable = whole_of(variable)
    with threads.held():
        old = variable._t
        if local_writes.holds(variable):
            new = change(old).to(old)
            local_writes.follow(variable, new if new.requires_grad else overwrite(old, new))
            return wrap(variable._t)
        new = change(old.detach())
        if new.dtype is not old.dtype or new.device != old.device:
            new = new.to(old)
        opened, rest = mode.differentiation, getattr(variable, "_rest", None)
        if opened is not None:
            if rest is not None and repeating.note_write(variable):
                variable._t = overwrite(old, new.detach())
                return wrap(overwrite(old, new))
            flows = rest is None and mode.graph
            opened.rebind(variable, overwrite(old, new if flows else new.detach()))
            if rest is None:
                opened.reaches_the_caller(variable)
            return variable if flows and not mode.mapped else wrap(overwrite(old, new))
        if rest is not None and mode.tracing is not None:       # the graph that is traced writes at its end
            mode.tracing.rebind(variable, new.detach())
            return wrap(new)
        if mode.mesh is not None:
            new = mode.mesh.as_it_lies(old if rest is None else rest, new)
        if rest is None and mode.graph and not mode.mapped:
            return _in_a_graph(variable, change, new)
        if rest is None:
            if mode.graph and old._is_view():       # a view is a value of its own there
                variable._t = new
            else:
                old.copy_(new)
            return wrap(new if own or mode.mapped else old)
        recording.before_writing(variable)
        rest.copy_(new.detach())
        if own and (mode.mapped or not mode.graph):
            return wrap(new)
        result = wrap(rest.detach())
        if mode.graph and not mode.mapped:
            result._written_parameter = variable
        return result


def _in_a_graph(variable: Tensor, change, new) -> Tensor:
    """A Tensor that a graph writes, which is its own result: a view of it is a value apart, and keeps its
    numbers; what an earlier write to a Parameter gave is that Parameter."""
    parameter = variable.__dict__.get("_written_parameter")
    if parameter is not None:
        write(parameter, change)
    elif mode.mesh is None:
        variable._t = new
        results.come_apart(variable)
    else:
        variable._t.copy_(new)
    return variable


def write_rows(variable: Tensor, places, rows) -> None:
    """Make ``rows`` the rows of the variable at ``places``, an int or a tensor. At rest nothing else of its
    memory is touched, so that a row costs the same in a table of any length."""
    variable = whole_of(variable)
    rest = getattr(variable, "_rest", None)
    with threads.held():
        if (rest is None or mode.differentiation is not None or mode.tracing is not None
                or mode.mesh is not None or local_writes.holds(variable)):
            def change(old):
                new = old.clone()
                new[places] = rows.to(old)
                return new

            write(variable, change)
        else:
            recording.before_writing(variable)
            rest[places] = rows.detach().to(rest)
