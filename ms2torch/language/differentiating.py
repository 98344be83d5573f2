"""Which functions and Cells differentiate: they are one graph, in which a network runs once for its loss and
its gradients."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from contextlib import nullcontext
from weakref import WeakKeyDictionary

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


def training(function, owner, given=()):
    """The block in which a marked function (or ``owner``'s method) is called with ``given``: where it
    differentiates, what it calls records."""
    if mode.differentiation is not None:
        return _AT_REST
    reached = list(outer_values(function))
    if owner is not None:
        reached.extend(getattr(owner, "__dict__", {}).values())
    if not (names_a_gradient(function) or any(map(is_gradient, reached))):
        return _AT_REST
    for value in reached:
        if hasattr(type(value), "_mark_slow") and not value._slow:
            value._mark_slow()
    return recording.Training(given, reached, several_times(function, owner))


# By function, then by the class that it is a method of: the names of Cells of which it asks for several
# gradients.
_several: WeakKeyDictionary = WeakKeyDictionary()
_NAMED = (ast.Name, ast.Attribute)


def several_times(function, owner) -> list:
    """The Cells of which ``function`` (or ``owner``'s method) asks for a gradient in several places, of which
    none excludes the other."""
    known = _several.setdefault(getattr(function, "__func__", function), {})
    names = known.get(type(owner))
    if names is None:
        def asks(call) -> bool:
            called = ast.unparse(call.func)
            return called.rpartition(".")[2] in GRADIENT_NAMES or is_gradient(_found(called, function, owner))

        names = [n for n, count in _counted(_statements(function), asks).items() if count > 1]
        known[type(owner)] = names
    cells = (_found(name, function, owner) for name in names)
    return [cell for cell in cells if hasattr(type(cell), "_recorder")]


def _statements(function) -> list:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
    except (OSError, TypeError, SyntaxError, AttributeError):
        return []


def _counted(block, asks) -> Counter:
    """How often the calls that are gradients (``asks``) name each function first, at most, in one run."""
    found = Counter()
    for place, node in enumerate(block):
        if isinstance(node, ast.If):
            then, rest = _counted(node.body, asks), _counted(node.orelse, asks)
            found += _counted([node.test], asks)
            if isinstance(node.body[-1], (ast.Return, ast.Raise)):
                return found + (then | (rest + _counted(block[place + 1:], asks)))
            found += then | rest
        elif isinstance(node, ast.Call):
            if (isinstance(node.func, _NAMED) and node.args and isinstance(node.args[0], _NAMED)
                    and asks(node)):
                found[ast.unparse(node.args[0])] += 1
            found += _counted(list(ast.iter_child_nodes(node)), asks)
        else:
            found += _counted(list(ast.iter_child_nodes(node)), asks)
    return found


def _found(name: str, function, owner):
    """What a dotted name means in ``function``; None for a local one."""
    first, *rest = name.split(".")
    value = owner if first == "self" else next(
        (v for n, v in _outer_names(function) if n == first), None)
    for part in rest:
        value = getattr(value, part, None)
    return value


def outer_values(function):
    """What ``function`` finds by name outside of itself."""
    return (value for _, value in _outer_names(function))


def _outer_names(function):
    code = getattr(function, "__code__", None)
    for name, cell in zip(getattr(code, "co_freevars", ()), getattr(function, "__closure__", None) or (),
                          strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:          # not assigned yet
            continue
    named = getattr(function, "__globals__", {})
    for name in getattr(code, "co_names", ()):
        if name in named:
            yield name, named[name]
