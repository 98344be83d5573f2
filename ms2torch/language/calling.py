"""Calls from a graph: what is called is in the graph's language too."""

from __future__ import annotations

import types


def called(function):
    """``function``, a function or a bound method, in the language."""
    from ms2torch.language import reading

    if isinstance(function, types.MethodType):
        made = reading.copy_of(function.__func__, function.__self__)
        return function if made is function.__func__ else types.MethodType(made, function.__self__)
    return reading.copy_of(function) if isinstance(function, types.FunctionType) else function


def context(manager):
    """What a ``with`` statement enters; TypeError for what no jit_class made."""
    kind = type(manager)
    if kind.__module__.partition(".")[0] not in ("ms2torch", "torch") and not hasattr(kind, "__ms_class__"):
        raise TypeError(
            f"Only support jit_class instance, but got PythonObject(type: {kind}, value: {manager})"
        )
    return manager
