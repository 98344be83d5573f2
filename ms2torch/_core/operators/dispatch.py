"""The outer form of a definition: Tensors in, torch tensors through the kernel, Tensors out.

Every operator passes here, so it is thin: a function with the kernel's own arguments costs a third of one
that takes ``*args``. `form` makes such functions from a few compiled ones, one for each count of arguments,
whose code gets the names of the kernel's arguments (0.01 ms; to compile each would take 0.2 s at import).
"""

from __future__ import annotations

from functools import cache

import torch

from ms2torch._core.tensor.tensor import Tensor, _new, lift, lower

# What goes to a kernel as it is; anything else, also a Parameter, is lowered.
PLAIN = frozenset((int, float, bool, str, type(None), torch.Tensor))
# What a kernel may raise that is then told in MindSpore's words.
FAILURES = (RuntimeError, IndexError, TypeError, AttributeError)
# Stands for an argument that was given by another name, or not at all.
ABSENT = object()
_VARIADIC = 0x04 | 0x08          # inspect.CO_VARARGS, CO_VARKEYWORDS

# Locals begin with a line below, so that no argument has their names.
_TEMPLATE = """
def make(kernel, explain, respell):
    def call({arguments}):
        {respelled}
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
def _template(required: int, defaulted: int, named: int, kind: str):
    """``make`` for a count of arguments.

    ``kind``: "fixed" is a Primitive's call, whose attributes follow; "spelled" takes other names too.
    """
    first, later, names = ([f"{k}{i}" for i in range(n)]
                           for k, n in (("a", required), ("b", defaulted), ("k", named)))
    sent = [f"{a}._t if {a}.__class__ is Tensor else {a} if {a}.__class__ in PLAIN else lower({a})"
            for a in first]
    sent += [f"{b} if {b}.__class__ in PLAIN else lower({b})" for b in later]
    sent += [f"{k}={k} if {k}.__class__ in PLAIN else lower({k})" for k in names]
    takes = [*first, *later]
    given = f"({''.join(f'{n}, ' for n in [*takes, *names])})"
    if names:
        takes += ["*", *names]
    respelled = ""
    if kind == "fixed":
        takes, sent, given = ["self", *takes], [*sent, "**self._fixed"], f"{given}, self._fixed"
    elif kind == "spelled":
        unusual = " or ".join(["_others", *[f"{a} is ABSENT" for a in first]])
        respelled = f"if {unusual}: return respell({given}, _others)"
        takes = [*takes, "**_others"]
    space = {"ABSENT": ABSENT, "FAILURES": FAILURES, "PLAIN": PLAIN, "Tensor": Tensor, "Torch": torch.Tensor,
             "new": _new, "lift": lift, "lower": lower}
    exec(_TEMPLATE.format(arguments=", ".join(takes), passed=", ".join(sent), given=given,
                          respelled=respelled), space)
    return space["make"], tuple(names)


def form(kernel, explain, attributes=None, called=(), respell=None):
    """The function that takes and gives Tensors for ``kernel``; None if its arguments cannot be counted.

    With ``attributes``, the names of the arguments that ``self._fixed`` holds, it is the ``__call__`` of a
    Primitive, whose other arguments go by the names ``called`` where given. ``explain(err, values, fixed)``
    makes the error to raise of a failure; ``values`` are the arguments given, in the kernel's order.
    ``respell(values, others)`` answers a call by other names of the arguments; some values are ABSENT then.
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
    kind = "fixed" if attributes is not None else "spelled" if respell else ""
    required = len(positional) - len(defaults)
    make, placeholders = _template(required, len(defaults), len(names), kind)
    call = make(kernel, explain, respell)
    code, own = call.__code__, () if attributes is None else ("self",)
    arguments = (*own, *positional, *names)
    call.__code__ = code.replace(
        co_varnames=(*arguments, *code.co_varnames[len(arguments):]),
        co_consts=tuple(names if placeholders and c == placeholders else c for c in code.co_consts))
    if respell:
        defaults = (ABSENT,) * required + defaults
    call.__defaults__, call.__kwdefaults__ = defaults or None, kwdefaults
    return call
