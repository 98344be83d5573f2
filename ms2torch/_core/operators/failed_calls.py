"""What a failed call of a definition's form is told: MindSpore's error for its arguments.

Nothing here runs while calls succeed. ``public`` are the form's public names as the tables of refused calls
have them (``ops.abs``), ``shown`` its arguments as it declares them, ``told`` the (place, value) pairs that
the call gave.
"""

from __future__ import annotations

import inspect
from opcode import opmap

import torch

from ms2torch._core.checks import refused
from ms2torch._core.checks.calls import compiled_name
from ms2torch._core.checks.odd import odd_error
from ms2torch._core.checks.overloads import OVERLOADS, overload_error
from ms2torch._core.checks.preconditions import OF_FAILURES, precondition_error
from ms2torch._core.checks.single_forms import SINGLE_FORMS, single_form_error, unpacking_error
from ms2torch._core.operators import callsite
from ms2torch._core.operators.primitive_factory import REQUIRED
from ms2torch._core.operators.spelling import Arguments
from ms2torch._core.tensor.tensor import lower


def form_error(public: str, takes: inspect.Signature, args, kwargs) -> Exception | None:
    """MindSpore's error for arguments of a method that takes any, where they fit none of its forms; ``takes``
    is the signature of what it computes, with the Tensor."""
    own = ("self", torch.empty(0))
    pairs = [own, *enumerate(lower(list(args))), *map(refused.Named, lower(kwargs).items())]
    if wrong := no_form_error((public,), pairs):
        return wrong
    try:
        takes.bind(None, *args, **kwargs)
    except TypeError:
        return no_form_error((public,), pairs, True) or refused.signature_error(
            f"{public} make", public, list(takes.parameters.values())[1:], args, kwargs)
    return None


def no_form_error(public, told, unbound: bool = False, nullable=frozenset()) -> Exception | None:
    """MindSpore's error for arguments, (place, value) pairs, that fit none of a function's forms.

    ``nullable`` are those that may be None.
    """
    if public[0].startswith("Tensor."):
        if not told or isinstance(told[0], refused.Named):
            return _no_tensor(public[0])
        if not isinstance(told[0][1], torch.Tensor):
            return _no_tensor(public[0], told[0][1])
    for called in public:
        given = told[called.startswith("Tensor."):]
        named = dict(pair for pair in given if isinstance(pair, refused.Named))
        free = [pair[1] for pair in given if not isinstance(pair, refused.Named)]
        if wrong := unpacking_error(called, free) or single_form_error(called, free, named, nullable) or \
                overload_error(called, free, named, refused.call_text(given), unbound):
            return wrong
        if called in SINGLE_FORMS:
            return None
    return None


def lacking_error(public, told, wrong: Exception, err: Exception) -> TypeError | None:
    """MindSpore's error where an overloaded function ended in ``wrong``, raised for ``err``, because it got
    too few arguments for any of its forms: what was not given is None here."""
    called = OVERLOADS[public[0]][0] if public[0] in OVERLOADS else None
    if called is None or not isinstance(wrong, (TypeError, AttributeError)):
        return None
    of_none = wrong is err and "NoneType" in str(err)
    told_otherwise = str(wrong).startswith(f'Failed calling {called} with "{called}()(')
    return no_form_error(public, told, True) if of_none or told_otherwise else None


def _no_tensor(public: str, value=refused.NOTHING) -> TypeError | None:
    """What Python says where a method of a compiled class is given another object as its own, or none."""
    if public not in OVERLOADS and public not in SINGLE_FORMS:
        return None
    if value is refused.NOTHING:
        return TypeError(f"unbound method TensorPy.{public[7:]}() needs an argument")
    return TypeError(f"descriptor '{public[7:]}' for 'TensorPy' objects doesn't apply to a "
                     f"{compiled_name(value)} object")


def odd_call_error(public, told, failed: bool = True) -> Exception | None:
    """MindSpore's error where one of the arguments is an odd one."""
    errors = (odd_error(f"{called} make", told[called.startswith("Tensor."):], failed) for called in public)
    return next(filter(None, errors), None)


def refused_error(public, shown: Arguments, values, told, certain: bool | None) -> Exception | None:
    """MindSpore's error for a failed call of a form, where the table of refused calls has one; ``certain`` is
    None for what it says of the nearest kind."""
    others = dict(zip(shown.names, values, strict=False))
    for called in public:
        if certain and f"{called} make" in OF_FAILURES and (
                wrong := precondition_error(f"{called} make", {**others, "self": values[0]}, True)):
            return wrong
        given = told[1:] if called.startswith("Tensor.") else told
        wrong = refused.nearest_error(f"{called} make", given, others) if certain is None else \
            refused.failed_argument_error(f"{called} make", given, others, certain)
        if wrong:
            return wrong
    return None


def unfit_error(public, values, told) -> Exception | None:
    """MindSpore's error for arguments of a form that do not fit each other."""
    for called in public:
        method = called.startswith("Tensor.") and told
        given = [("self", values[0]), *told[1:]] if method else told
        if wrong := refused.condition_error(f"{called} make", given, dict(told[:1]) if method else None):
            return wrong
    return None


def given_pairs(shown: Arguments, values, err, all_of: str = "") -> list:
    """(place, value) of the arguments that a failed call gave, those by name last; without the last ones that
    are as their defaults, unless they were given by position to a "method" or "function" ``all_of`` whose
    arguments are asked for."""
    held, names = dict(zip(shown.names, values, strict=False)), callsite.keyword_names(err)
    named = {shown.also.get(n, n): n for n in names}
    free = [(n, v, v is shown.default(k)) for k, (n, v) in enumerate(held.items())
            if n not in named and n not in shown.named]
    least = callsite.positional_count(err) + (all_of == "method") if all_of else 0
    while len(free) > least and free[-1][2]:
        free.pop()
    return [*((n, v) for n, v, _ in free),
            *(refused.Named((said, held[n])) for n, said in named.items() if n in held)]


def bools_as_numbers(own: Arguments, given: dict, err) -> dict | None:
    """``given`` with 0 and 1 for bools where torch's parser may have wanted numbers, which MindSpore has them
    be; None without such, and where a definition refused them itself."""
    if err.__class__ is not TypeError or _raised_by_python(err):
        return None
    bools = [n for k, n in enumerate(own.names)
             if given.get(n).__class__ is bool and own.default(k).__class__ is not bool]
    return {**given, **{n: int(given[n]) for n in bools}} if bools else None


def _raised_by_python(err) -> bool:
    """Whether a ``raise`` raised it: else it was what a compiled function was called with."""
    last = err.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    return last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


def nullable_of(shown: Arguments) -> frozenset[str]:
    return frozenset(n for n, default in defaults_of(shown).items() if default is None)


def defaults_of(shown: Arguments) -> dict:
    return {n: d for k, n in enumerate(shown.names) if (d := shown.default(k)) is not REQUIRED}
