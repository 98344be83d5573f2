"""The outer form of a definition: Tensors in, torch tensors through the kernel, Tensors out.

Every operator passes here, so it is thin: a function with the kernel's own arguments costs a third of one
that takes ``*args``. `form` makes such functions from a few compiled ones, one for each count of arguments,
whose code gets the names of the kernel's arguments (0.01 ms; to compile each would take 0.2 s at import).
"""

from __future__ import annotations

from functools import cache

import torch

from .tensor import Tensor, _new, lift, lower

# What goes to a kernel as it is; anything else, also a Parameter, is lowered.
PLAIN = frozenset((int, float, bool, str, type(None), torch.Tensor))
# What a kernel may raise that is then told in MindSpore's words.
FAILURES = (RuntimeError, IndexError, TypeError, AttributeError)
_VARIADIC = 0x04 | 0x08          # inspect.CO_VARARGS, CO_VARKEYWORDS

# Locals begin with a line below, so that no argument has their names.
_TEMPLATE = """
def make(kernel, explain):
    def call({arguments}):
        try:
            _result = kernel({passed})
        except FAILURES as _err:
            raise explain(_err, {given}) from None
        if _result.__class__ is Torch:
            _out = new(Tensor)
            _out._t = _result
            return _out
        return lift(_result)
    return call
"""


@cache
def _template(required: int, defaulted: int, named: int, fixed: bool):
    """``make`` for a count of arguments; ``fixed``: a Primitive's call, whose attributes follow."""
    first = [f"a{i}" for i in range(required)]
    later = [f"b{i}" for i in range(defaulted)]
    names = [f"k{i}" for i in range(named)]
    passed = [f"{a}._t if {a}.__class__ is Tensor else {a} if {a}.__class__ in PLAIN else lower({a})"
              for a in first]
    passed += [f"{b} if {b}.__class__ in PLAIN else lower({b})" for b in later]
    passed += [f"{k}={k} if {k}.__class__ in PLAIN else lower({k})" for k in names]
    takes, given = [*first, *later], f"({''.join(f'{n}, ' for n in [*first, *later, *names])})"
    if names:
        takes += ["*", *names]
    if fixed:
        takes, passed, given = ["self", *takes], [*passed, "**self._fixed"], f"{given}, self._fixed"
    space = {"FAILURES": FAILURES, "PLAIN": PLAIN, "Tensor": Tensor, "Torch": torch.Tensor, "new": _new,
             "lift": lift, "lower": lower}
    exec(_TEMPLATE.format(arguments=", ".join(takes), passed=", ".join(passed), given=given), space)
    return space["make"], tuple(names)


def form(kernel, explain, attributes=None, called=()):
    """The function that takes and gives Tensors for ``kernel``; None if its arguments cannot be counted.

    With ``attributes``, the names of the arguments that ``self._fixed`` holds, it is the ``__call__`` of a
    Primitive, whose other arguments go by the names ``called`` where given. ``explain(err, values, fixed)``
    makes the error to raise of a failure; ``values`` are the arguments given, in the kernel's order.
    """
    code = getattr(kernel, "__code__", None)
    if code is None or code.co_flags & _VARIADIC or hasattr(kernel, "__wrapped__"):
        return None
    positional = code.co_varnames[: code.co_argcount]
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults, kwdefaults = kernel.__defaults__ or (), kernel.__kwdefaults__
    if attributes is not None:
        count = sum(n not in attributes for n in positional)
        if any(n in attributes for n in positional[:count]) or any(n not in attributes for n in names):
            return None
        defaults = defaults[: max(0, count - (len(positional) - len(defaults)))]
        positional = (*called[:count], *positional[len(called[:count]) : count])
        names, kwdefaults = (), None
    make, placeholders = _template(len(positional) - len(defaults), len(defaults), len(names),
                                   attributes is not None)
    call = make(kernel, explain)
    code, own = call.__code__, () if attributes is None else ("self",)
    arguments = (*own, *positional, *names)
    call.__code__ = code.replace(
        co_varnames=(*arguments, *code.co_varnames[len(arguments):]),
        co_consts=tuple(names if placeholders and c == placeholders else c for c in code.co_consts))
    call.__defaults__, call.__kwdefaults__ = defaults or None, kwdefaults
    return call
