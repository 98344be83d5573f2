"""Where a graph begins: marked functions, and in graph mode every Cell's ``construct``."""

from __future__ import annotations

import dis
import functools
import os
import types
import weakref

import torch

from ms2torch._core import mode
from ms2torch._core.gradient import local_writes, recording
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import DYNAMIC
from ms2torch.common.parameter import Parameter
from ms2torch.language import differentiating, dynamic_lengths, one_name, results

# Cell classes whose own construct is still as it was written, and may meet a graph.
_waiting: weakref.WeakSet = weakref.WeakSet()


# Arguments of which more is asked than one at a time.
_LOOKED_AT = frozenset({Parameter, *DYNAMIC})


def compiled(function, strict: bool = False):
    """``function`` as ``jit`` marks it: a graph begins with each call that does not come from one.
    ``strict``: nothing in it falls back on Python."""
    function = getattr(function, "_graph_construct", function)
    read: dict = {}
    steps: dict = {}
    method = _is_method(function)
    nameless = not method and _is_in_class(function)

    @functools.wraps(function)
    def graph(*args, **kwargs):
        owner = args[0] if args and (method or (nameless and _has(args[0], function.__name__))) else None
        if graph_streams.here.call is None:
            if os.environ.get("MS_JIT") == "0":         # MindSpore's way to debug: nothing is compiled
                return function(*args, **kwargs)
            return graph_streams.call(graph if owner is None else owner, graph, args, kwargs)
        run = read.get(owner.__class__)
        if run is None:
            one_name.check(function)
            run = read[owner.__class__] = _strictly(_copy_of(function, owner), strict)
        if any(a.__class__ in _LOOKED_AT for a in args):
            one_name.check_arguments(args, kwargs)
            dynamic_lengths.check_arguments(args)
        if not begins():
            return _called(run, function, owner, args, kwargs)
        from ms2torch.compiler.steps import of_function

        return of_function(steps, function, lambda *a, **k: _called(run, function, owner, a, k), args, kwargs)

    graph._graph_source = function
    _begin()
    return graph


def begins() -> bool:
    """Whether what is called now is the outermost of a graph, and graphs may be compiled."""
    return not (mode.graphs == "eager" or mode.tracing is not None or mode.comparing or in_a_graph())


def in_a_graph() -> bool:
    """Whether a marked function, a construct that differentiates or a gradient function is under way."""
    return bool(mode.inside or recording.training is not None or mode.differentiation is not None)


def inside_a_call() -> bool:
    """Whether a graph, also of a Cell that only computes, is under way beside the gradient itself."""
    call = graph_streams.here.call
    return in_a_graph() or (call is not None and not call.of_a_gradient)


# Gradient functions are often made anew for one call; this many calls of the same one are worth a look.
_REPEATED = 3


def gradients(of, gradient, owner=None):
    """``gradient``, which differentiates ``of``: in graph mode a call of its own is one graph.

    ``owner`` keeps the graph for the next ``gradient`` that it makes of ``of``.
    """
    steps: dict = {"calls": 0}

    def graph(*args, **kwargs):
        if mode.graph and graph_streams.here.call is None:
            return graph_streams.call(graph if owner is None else owner, graph, args, kwargs, of)
        if mode.graph and begins() and not _recorded(of):
            steps["calls"] += 1
            if steps["calls"] > _REPEATED:
                from ms2torch.compiler.steps import of_function

                return of_function(steps, of, gradient, args, kwargs)
        return gradient(*args, **kwargs)

    # (What functools.wraps does takes 3 us, and train cells make one in each step.)
    graph.__name__, graph.__qualname__ = gradient.__name__, gradient.__qualname__
    graph.__doc__, graph.__module__, graph.__wrapped__ = gradient.__doc__, gradient.__module__, gradient
    return graph


def _recorded(of) -> bool:
    """Whether a forward pass of the Cell waits for its gradients."""
    records = getattr(of, "__dict__", {}).get("_records")
    return records is not None and bool(records.waiting)


def _called(run, function, owner, args: tuple, kwargs: dict):
    """One call of a graph: its result, its errors in a graph's words."""
    mode.inside += 1
    try:
        with differentiating.training(function, owner, (*args, *kwargs.values())):
            value = run(*args, **kwargs)
        return value if value.__class__ is Tensor else handed_out(value, function, args, kwargs)
    except Exception as error:
        told = explained(error, function, args, kwargs, "function")
        if told is error:
            raise
        raise told.with_traceback(error.__traceback__) from None
    finally:
        mode.inside -= 1
        if not mode.inside:
            results.forget()


def handed_out(value, function, args: tuple, kwargs: dict):
    """``value``, no Tensor, as a graph hands it out, which is the result of ``function(*args, **kwargs)``."""
    from ms2torch.language import functions_out

    if mode.inside <= 1:
        functions_out.refuse(value, function)
    return results.handed_out(value, function, args, kwargs)


def _strictly(run, strict: bool):
    if not strict:
        return run
    from ms2torch.language import strictness

    return strictness.strict()(run)


def _is_method(function) -> bool:
    from ms2torch.language import reading

    if isinstance(function, types.FunctionType):
        function = reading.undecorated(function)
    code = getattr(function, "__code__", None)
    return code is not None and code.co_argcount > 0 and code.co_varnames[0] == "self"


def _is_in_class(function) -> bool:
    """Whether a function stands in the body of a class: its first argument may be the object that was asked,
    by another name than "self"."""
    around, dot, _ = getattr(function, "__qualname__", "").rpartition(".")
    return bool(dot) and not around.endswith("<locals>")


def _has(value, name: str) -> bool:
    return not isinstance(value, Tensor) and hasattr(value, name)


def _copy_of(function, owner):
    from ms2torch.language import calling, reading

    if owner is not None and isinstance(function, types.FunctionType):
        return reading.copy_of(function, owner)
    return calling.called(function)


def explained(error: Exception, function, args: tuple, kwargs: dict, entry: str) -> Exception:
    """``error`` in MindSpore's words, where a graph has other words than Python."""
    from ms2torch.language import words

    return words.explained(error, function, args, kwargs, entry)


# ---- Cells -------------------------------------------------------------------------------------------------


def first_call(cls) -> None:
    """Have the ``construct`` that ``cls`` defines looked at once graphs are in use."""
    if cls.__module__.partition(".")[0] != "ms2torch" and isinstance(
        cls.__dict__.get("construct"), types.FunctionType
    ):
        _waiting.add(cls)
        if mode.graph or mode.compiling:
            _watch(cls)


def graph_mode() -> None:
    """Graphs begin: every class that waits is watched."""
    for cls in list(_waiting):
        _watch(cls)


def _begin() -> None:
    if not mode.compiling:
        mode.compiling = True
        graph_mode()


def _watch(cls) -> None:
    """Put in the place of ``construct`` what looks at it at its first call, and then goes."""
    _waiting.discard(cls)
    written = cls.__dict__.get("construct")
    if not isinstance(written, types.FunctionType) or hasattr(written, "_graph_source"):
        return

    found = None        # (kept: a program that put its own ``construct`` in the class may call this one)

    @functools.wraps(written)
    def construct(self, *args, **kwargs):
        nonlocal found
        if torch.compiler.is_compiling() and not mode.graph:
            return written(self, *args, **kwargs)
        if found is None:
            from ms2torch.language import reading

            same = reading.copy_of(written, self) is written and not _assigns_elements(written)
            found = written if same else _by_mode(written)
        if cls.__dict__.get("construct") is construct:
            cls.construct = found
        return found(self, *args, **kwargs)

    construct._graph_source = construct._graph_construct = written
    cls.construct = construct


def _assigns_elements(function) -> bool:
    """Whether a function has a statement like ``x[i] = y``."""
    from ms2torch.language import reading

    code = reading.undecorated(function).__code__
    return any(one.opname in ("STORE_SUBSCR", "STORE_SLICE") for one in dis.get_instructions(code))


def _by_mode(written):
    """``construct`` of a class in whose source something differs: the copy in a graph, Python's outside."""
    from ms2torch.language.reading import copy_of

    read: dict = {}
    assigns = _assigns_elements(written)

    @functools.wraps(written)
    def construct(self, *args, **kwargs):
        if not (mode.graph or mode.inside):
            return written(self, *args, **kwargs)
        run = read.get(self.__class__)
        if run is None:
            run = read[self.__class__] = copy_of(written, self)
        if assigns:
            with local_writes.graph_call():
                return run(self, *args, **kwargs)
        return run(self, *args, **kwargs)

    construct._graph_source = construct._graph_construct = written
    return construct
