"""Which functions and Cells differentiate: they are one graph, in which a network runs once for its loss and
its gradients."""

from __future__ import annotations

from contextlib import nullcontext

from ms2torch._core import mode
from ms2torch._core.gradient import recording

# Names in a source that say so.
GRADIENT_NAMES = frozenset({"grad", "value_and_grad", "GradOperation", "_Grad", "vjp"})
_AT_REST = nullcontext()


def names_a_gradient(function) -> bool:
    """Whether the source of ``function`` itself makes a gradient function."""
    code = getattr(function, "__code__", None)
    return code is not None and not GRADIENT_NAMES.isdisjoint(code.co_names)


def is_gradient(value) -> bool:
    """Whether ``value`` is a gradient function, or what makes one."""
    return "_differentiates" in getattr(value, "__dict__", ()) or hasattr(type(value), "_differentiates")


def training(function, owner):
    """The block in which a marked function (or ``owner``'s method) is called: where it differentiates, what
    it calls records."""
    if mode.differentiation is not None:
        return _AT_REST
    reached = list(_reached(function))
    if owner is not None:
        reached.extend(getattr(owner, "__dict__", {}).values())
    if not (names_a_gradient(function) or any(map(is_gradient, reached))):
        return _AT_REST
    for value in reached:
        if hasattr(type(value), "_mark_slow") and not value._slow:
            value._mark_slow()
    return recording.Training()


def _reached(function):
    """What ``function`` finds by name outside of itself."""
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:          # not assigned yet
            continue
    named = getattr(function, "__globals__", {})
    for name in getattr(getattr(function, "__code__", None), "co_names", ()):
        if name in named:
            yield named[name]
