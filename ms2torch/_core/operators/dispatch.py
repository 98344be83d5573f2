"""The outer form of a definition: Tensors in, torch tensors through the kernel, Tensors out.

Every operator passes here, so it is thin: a function with the kernel's own arguments costs a third of one
that takes ``*args``. `form` makes such functions from a few compiled ones, one for each count of arguments,
whose code gets the names of the kernel's arguments (0.01 ms; to compile each would take 0.2 s at import).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import torch

from ms2torch._core.checks.odd import is_whole, odd_kind
from ms2torch._core.operators.spelling import Arguments, Omitted, arguments
from ms2torch._core.tensor.tensor import Tensor, _new, lift, lower

# What goes to a kernel as it is; anything else, also a Parameter, is lowered.
PLAIN = frozenset((int, float, bool, str, type(None), Omitted, torch.Tensor))
# What a kernel may raise that is then told in MindSpore's words.
FAILURES = (RuntimeError, IndexError, TypeError, AttributeError, ValueError, KeyError)
# Stands for an argument that was given by another name, or not at all.
ABSENT = object()


class OddArgument(TypeError):
    """An argument is an array or a number of numpy's, or something odd (`checks.odd`) where MindSpore looks
    closer than torch's kernels do: whoever explains failures decides."""


def of_numpy(value) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def as_number(value):
    """Python's number for one of numpy's, which is no other to an operator."""
    return value.item() if isinstance(value, np.generic) else value


def as_python(values) -> list:
    return list(map(as_number, values))


def _lowered(value):
    if of_numpy(value):
        raise OddArgument
    return lower(value)


def _plain(value):
    """An argument that is no Tensor in MindSpore."""
    if is_whole(value):
        return value if value.__class__ is tuple else value[:]
    if odd_kind(value):
        raise OddArgument
    return lower(value)


_NO_TENSORS = PLAIN - {torch.Tensor}


# Locals begin with a line below, so that no argument has their names.
_TEMPLATE = """
def make(kernel, explain, respell):
    def call({arguments}):
        {respelled}
        try:
            _result = kernel({passed})
        except FAILURES as _err:
            _result = explain(_err, {given})
        if _result.__class__ is Torch:
            _out = new(Tensor)
            _out._t = _result
            return _out
        return lift(_result)
    return call
"""


@cache
def _template(required: int, defaulted: int, named: int, by_name: int, kind: str, plain: tuple[int, ...]):
    """``make`` for a count of arguments, of which the last ``by_name`` go to the kernel by their names, and
    those at ``plain`` are no Tensors.

    ``kind``: "fixed" is a Primitive's call, whose attributes follow. It counts its arguments itself, as
    "counted" does; "spelled" takes other names too.
    """
    first, later, names = ([f"{k}{i}" for i in range(n)]
                           for k, n in (("a", required), ("b", defaulted), ("k", named)))
    given = [*first, *later, *names]
    sent = [f"{a}._t if {a}.__class__ is Tensor else {a} if {a}.__class__ in PLAIN else lower({a})"
            for a in first]
    sent += [f"{b} if {b}.__class__ in PLAIN else lower({b})" for b in (*later, *names)]
    for i in plain:
        sent[i] = f"{given[i]} if {given[i]}.__class__ in NO_TENSORS else plain({given[i]})"
    called = tuple(f"p{i}" for i in range(by_name))
    for i, name in enumerate(called, len(sent) - by_name):
        sent[i] = f"{name}={sent[i]}"
    takes = [*first, *later, *(["*", *names] if names else ())]
    values = f"({''.join(f'{n}, ' for n in given)})"
    respelled = ""
    if kind == "fixed":
        lacks = f" or {first[-1]} is ABSENT" if first else ""
        respelled = f"if _others or _more{lacks}: return respell(self, {values}, _more, _others)"
        takes = ["self", *takes, "*_more", "**_others"]
        sent, values = [*sent, "**self._fixed"], f"{values}, self._fixed"
    elif kind == "counted":
        respelled = f"if _others or _more or {first[-1] if first else None} is ABSENT: " \
                    f"return respell({values}, _more, _others)"
        takes = [*first, *later, "*_more", *names, "**_others"]
    elif kind == "spelled":
        unusual = " or ".join(["_others", "_more", *[f"{a} is ABSENT" for a in first]])
        respelled = f"if {unusual}: return respell({values}, _more, _others)"
        takes = [*first, *later, "*_more", *names, "**_others"]
    space = {"__name__": __name__, "ABSENT": ABSENT, "FAILURES": FAILURES, "PLAIN": PLAIN, "Tensor": Tensor,
             "Torch": torch.Tensor, "new": _new, "lift": lift, "lower": _lowered, "plain": _plain,
             "NO_TENSORS": _NO_TENSORS}
    exec(_TEMPLATE.format(arguments=", ".join(takes), passed=", ".join(sent), given=values,
                          respelled=respelled), space)
    return space["make"], called


def _function(shown: Arguments, meant, kind: str, kernel, explain, run, respell=None, plain=frozenset(),
              method=False):
    """The compiled form with the arguments ``shown``, of which those ``plain`` are no Tensors; the kernel
    calls them ``meant``, in this order. The first of a ``method`` has no name that a program could use."""
    by_name = len(shown.names) - min(len(shown.positional), kernel.__code__.co_argcount)
    required = len(shown.positional) - len(shown.defaults)
    make, called = _template(required, len(shown.defaults), len(shown.named), by_name, kind,
                             tuple(i for i, n in enumerate(shown.names) if n in plain))
    call = make(run or kernel, explain, respell)
    code = call.__code__
    if hasattr(run, "cells"):
        run.cells.append(call.__closure__[code.co_freevars.index("kernel")])
    arguments = (*(("self",) if kind == "fixed" else ()), *shown.names)
    names = dict(zip(called, meant[len(shown.names) - by_name : len(shown.names)], strict=True))

    def renamed(constant):
        """Python keeps the names of a call's arguments together or, where they are many, in pieces."""
        if constant.__class__ is tuple:
            return tuple(map(renamed, constant))
        return names.get(constant, constant) if constant.__class__ is str else constant

    call.__code__ = code.replace(
        co_posonlyargcount=int(method), co_varnames=(*arguments, *code.co_varnames[len(arguments):]),
        co_consts=renamed(code.co_consts) if called else code.co_consts)
    defaults = (ABSENT,) * required + shown.defaults if respell else shown.defaults
    call.__defaults__, call.__kwdefaults__ = defaults or None, shown.kwdefaults
    return call


def form(kernel, shown: Arguments, explain, respell=None, run=None, plain=frozenset(), method=False):
    """The function with the arguments ``shown`` that takes and gives Tensors for ``kernel``.

    ``explain(err, values)`` raises the error of a failure, or gives the result after all; ``values`` are the
    arguments given, in the order shown. ``respell(values, more, others)`` answers a call by other names of
    the arguments, or of a wrong number; some values are ABSENT then. ``run`` is called in the kernel's
    place. ``plain`` are the arguments that are no Tensors. ``method``: of a Tensor, its first argument.
    """
    kind = "" if respell is None else "spelled" if shown.also else "counted"
    return _function(shown, arguments(kernel).names, kind, kernel, explain, run, respell, plain,
                     method and bool(kind))


def primitive_call(kernel, attributes, called, explain, run, miscounted, plain=frozenset()):
    """The ``__call__`` of a Primitive whose attributes are the kernel's last arguments; None where they are
    not, or cannot be counted.

    ``attributes`` are the names that ``self._fixed`` holds; the other arguments go by the names ``called``
    where given. ``explain(err, values, fixed)`` raises the error of a failure, or gives the result after all;
    ``miscounted(self, values, more, others)`` raises it where there are too many, too few (some values are
    ABSENT) or others by name.
    """
    own = arguments(kernel)
    if own is None:
        return None
    count = len(called) or sum(n not in attributes for n in own.positional)
    if any(n in attributes for n in own.positional[:count]) or any(n not in attributes for n in own.named):
        return None
    shown = Arguments((*called[:count], *own.positional[len(called[:count]) : count]),
                      own.defaults[: max(0, count - (len(own.positional) - len(own.defaults)))])
    return _function(shown, own.positional, "fixed", kernel, explain, run, miscounted,
                     {n for i, n in enumerate(shown.names) if str(i) in plain})
