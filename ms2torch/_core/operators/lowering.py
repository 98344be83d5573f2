"""The forms of a definition that take and give Tensors.

A form lowers what it is given, calls the definition over torch tensors and lifts what comes. On the way in it
looks at arguments only where torch would take what MindSpore refuses; what a call that failed is told is in
`failed_calls`.
"""

from __future__ import annotations

import inspect
from functools import partial, wraps
from types import FunctionType

import numpy as np
import torch

from ms2torch._core.checks import refused
from ms2torch._core.checks.call_errors import mindspore_error, parser_error, with_guard
from ms2torch._core.checks.calls import PRIMITIVES_BEHIND, VALID_CALLS, is_unconverted, wrong_arguments
from ms2torch._core.checks.error_wrappers import certain_error
from ms2torch._core.checks.guards import APART, DIRECT, LOOKING
from ms2torch._core.checks.odd import AcceptedKinds, fuller, plain_places
from ms2torch._core.checks.overloads import OVERLOADS, never_none
from ms2torch._core.checks.prechecks import with_precheck
from ms2torch._core.checks.preconditions import PRECONDITIONS, AcceptedCalls, precondition_error
from ms2torch._core.checks.single_forms import SINGLE_FORMS
from ms2torch._core.checks.words import told_of_numpys
from ms2torch._core.operators import wider
from ms2torch._core.operators.dispatch import (
    FAILURES,
    PLAIN,
    OddArgument,
    as_number,
    as_python,
    form,
    of_numpy,
)
from ms2torch._core.operators.failed_calls import (
    bools_as_numbers,
    defaults_of,
    given_pairs,
    lacking_error,
    no_form_error,
    nullable_of,
    odd_call_error,
    refused_error,
    unfit_error,
)
from ms2torch._core.operators.respelling import Respelling
from ms2torch._core.operators.signatures import signature_error
from ms2torch._core.operators.spelling import OMITTED, Arguments, arguments, told_apart
from ms2torch._core.operators.tables import NAMES, PRIMITIVES
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap

# What kernels raise for an argument of another class.
_OF_KINDS = frozenset((TypeError, AttributeError, ValueError, RuntimeError))


def lowered(kernel, name: str | None = None, valid: str | None = None, shown: Arguments | None = None,
            qualname: str | None = None, public: tuple[str, ...] = ()):
    """The form of ``kernel`` that takes and gives Tensors; errors call it ``name``.

    Where its arguments are not the kernel's they are ``shown``, and Python calls it ``qualname``. ``public``
    are its public names as the table of refused calls has them (``ops.abs``).
    """
    name = name or kernel.__name__
    public = public or (_public(kernel, name),)
    own = arguments(kernel)
    if own is None:
        if shown is not None:
            raise ValueError(f"{name}: the definition's arguments cannot be renamed")
        call = _of_any_arguments(kernel, name, valid, getattr(kernel, "also", {}), public)
    else:
        call = _of_counted_arguments(kernel, name, valid, own, shown or own, public)
    if shown is None:
        wraps(kernel)(call)
        if "<locals>" in call.__qualname__:
            call.__qualname__ = call.__name__
    else:
        call.__qualname__ = qualname or name
        call.__doc__, call.__module__, call.also = kernel.__doc__, kernel.__module__, shown.also
        call.__signature__ = shown.signature()
    call.__qualname__ = NAMES.get(public[0], call.__qualname__)
    call.__name__ = call.__qualname__.rpartition(".")[2]
    call.kernel = kernel
    return call


def named_form(call, public: str):
    """``call``, or its like that goes by the name that ``public`` has in Python's errors."""
    name = NAMES.get(public, call.__qualname__)
    if name == call.__qualname__:
        return call
    like = FunctionType(call.__code__, call.__globals__, name.rpartition(".")[2], call.__defaults__,
                        call.__closure__)
    like.__kwdefaults__, like.__doc__, like.__module__ = call.__kwdefaults__, call.__doc__, call.__module__
    like.__dict__.update(call.__dict__)
    like.__qualname__ = name
    return like


def _public(kernel, name: str) -> str:
    """``mint.nn.functional.linear``: the public name of a function by where it is defined."""
    home = (getattr(kernel, "__module__", None) or "").removeprefix("ms2torch.")
    return f"{'numpy' if home.startswith('numpy.') else home}.{name}"


def _of_counted_arguments(kernel, name, valid, own: Arguments, shown: Arguments, public):
    accepted, apart = AcceptedKinds(), never_none(public[0])
    taken = told_apart(shown, apart) if apart else shown
    apart = frozenset(n for n, d in defaults_of(taken).items() if d is OMITTED is not defaults_of(shown)[n])

    def explain(err, values):
        raw = [lower(v) for v in values]
        if method and raw and not isinstance(raw[0], torch.Tensor) and (
                wrong := no_form_error(public, [("self", raw[0])])):
            raise wrong from None
        if hasattr(err, "asked"):
            told = given_pairs(taken, raw, err, "method" if method else "function")
            raise (public[0] in OVERLOADS and no_form_error(public, told, nullable=nullable_of(taken))
                   ) or odd_call_error(public, told) or refused.array_error(f"{public[0]} make", told) or err
        if err.__class__ is OddArgument:
            if (key := accepted.key(values)) not in accepted:
                if wrong := odd_one(raw):
                    raise wrong from None
                accepted.add(key)
            try:
                return (run or kernel)(**dict(zip(own.names, raw, strict=False)))
            except FAILURES as later:
                if hasattr(later, "asked"):
                    raise later from None
                err = later
        told = given_pairs(taken, raw, err)
        every = given_pairs(taken, raw, err, "method" if method else "function")
        if apart:
            raw = [None if n in apart and v is OMITTED else v
                   for n, v in zip(shown.names, raw, strict=False)]
        given = dict(zip(own.names, raw, strict=False))
        if wrong := no_form_error(public, every, nullable=nullable_of(taken)) or odd(raw, told):
            raise fuller(err, wrong) from None
        said = partial(refused_error, public, shown, raw, told)
        unfit = partial(unfit_error, public, raw, told)
        if err.__class__ in _OF_KINDS and (valid_call := VALID_CALLS.get(public[0])):
            held = dict(zip(shown.names, raw, strict=True))
            if wrong := wrong_arguments(valid_call, held, defaults_of(shown)) or said(True):
                raise wrong from None
        wrong = mindspore_error(err, name, (), given, valid, kernel, None, said, unfit, public[0] in DIRECT,
                                PRIMITIVES_BEHIND.get(public[0]))
        if (found := wider.compute(wrong, kernel, (), given)) is not None:
            return found
        if lacking := lacking_error(public, told, wrong, err):
            raise lacking from None
        numbers = None if wrong is not err or public[0].startswith("mint.") else bools_as_numbers(
            own, given, err)
        if numbers is not None:
            try:
                return kernel(**numbers)
            except TypeError:               # it was not about the bools
                pass
            except Exception as again:
                wrong = mindspore_error(again, name, (), numbers, valid, kernel, None, said, unfit)
        raise wrong from None

    def odd(raw, told, failed=True):
        """What the table of odd arguments says; a parser's words there are those of one call."""
        wrong, valid_call = odd_call_error(public, told, failed), VALID_CALLS.get(public[0])
        parsed = wrong and valid_call and str(wrong).startswith("Failed calling") and wrong_arguments(
            valid_call, dict(zip(shown.names, raw, strict=True)), defaults_of(shown))
        return parsed or wrong

    def odd_one(raw):
        """MindSpore's error where one of the arguments is odd, and it takes none such."""
        if any(map(is_unconverted, raw)) and (
                wrong := signature_error(PRIMITIVES_BEHIND.get(public[0], name), raw)):
            return wrong
        told, valid_call = given_pairs(taken, raw, None), VALID_CALLS.get(public[0])
        held = {n: None if v is OMITTED else v for n, v in zip(shown.names, raw, strict=True)}
        held["self"] = raw[0] if raw else None
        asked = () if any(isinstance(v, np.ndarray) for v in raw) else (
            precondition_error(f"{called} make", held) for called in public)
        wrong = next(filter(None, asked), None) or odd(raw, told, failed=False)
        if wrong or any(map(of_numpy, raw)):
            wrong = no_form_error(public, told, nullable=nullable_of(taken)) or wrong
        if wrong or not any(map(of_numpy, raw)):
            return wrong
        if not any(isinstance(v, np.ndarray) for v in raw):         # what is said of Python's numbers
            numbers = [pair.__class__((n, as_number(v))) for pair in told for n, v in (pair,)]
            wrong = refused_error(public, shown, as_python(raw), numbers, True)
            if wrong.__class__ is TypeError and not (
                    valid_call and str(wrong).startswith("Failed calling")):
                # (they have a shape and a dtype)
                return told_of_numpys(wrong, shown.names, raw)
        if valid_call:
            return wrong_arguments(valid_call, dict(zip(shown.names, raw, strict=True)), defaults_of(shown))
        wrong = parser_error(name, kernel, dict(zip(own.names, raw, strict=False)), valid)
        return wrong and (refused_error(public, shown, raw, told, True) or wrong)

    run = _looking(kernel, with_guard(kernel, name) or kernel, public, shown, own, taken, apart)
    respell, method = None, public[0].startswith("Tensor.")
    if shown.also or public[0] in APART:
        respell = Respelling(taken, public[0])
    call = form(kernel, taken, explain, respell, run, plain_places(*(f"{p} make" for p in public)), method)
    if respell:
        respell.call = call
    return call


def _of_any_arguments(kernel, name: str, valid: str | None, also: dict[str, str], public=()):
    run = with_guard(kernel, name) or kernel
    looks, accepted = _name_with_checks(public), AcceptedCalls()

    def call(*args, **kwargs):
        if looks and (key := accepted.key_of_call(args, kwargs)) not in accepted.known:
            takes = inspect.signature(call)
            if wrong := certain_error(looks, takes, args, kwargs):
                raise refused.twice_given(looks, takes, args, kwargs) or wrong
            accepted.add(key)
        raw = [a._t if a.__class__ is Tensor else a if a.__class__ in PLAIN else lower(a) for a in args]
        named = kwargs
        if kwargs:
            kwargs = {also.get(k, k): lower(v) for k, v in kwargs.items()}
        try:
            result = run(*raw, **kwargs)
        except FAILURES as err:
            pairs = [*enumerate(raw), *map(refused.Named, lower(named).items())]
            if hasattr(err, "asked"):
                raise (public[0] in OVERLOADS and no_form_error(public, pairs)) or err from None
            takes = inspect.signature(call)
            try:
                takes.bind(*raw, **kwargs)
            except TypeError:
                told = list(takes.parameters.values())
                called = f"{public[0]} make"
                twice = refused.twice_given(called, takes, args, kwargs)
                raise twice or no_form_error(public, pairs, True) or refused.signature_error(
                    called, call.__qualname__, told, raw, named, 0) from None
            # (of view(2, 3); an error without words is one that the forms tell)
            shape = err.args and raw[1:] and all(v.__class__ is int for v in raw[1:])
            if (wrong := not shape and no_form_error(public, pairs, not err.args)):
                raise wrong from None
            places = zip(refused.position_names("", takes, len(raw)), raw, strict=True)
            if wrong := odd_call_error(public, [*places, *lower(named).items()]):
                raise wrong from None
            for called in public:
                if (wrong := refused.mindspore_error(err, f"{called} make", takes, raw, kwargs)) is not err:
                    raise wrong from None
            wrong = mindspore_error(err, name, raw, kwargs, valid, kernel)
            if (result := wider.compute(wrong, kernel, tuple(raw), kwargs)) is None:
                raise wrong from None
        return wrap(result) if result.__class__ is torch.Tensor else lift(result)

    return call


def _looking(kernel, run, public, shown: Arguments, own: Arguments, taken: Arguments, apart):
    """``run`` behind the look that one of the ``public`` names asks for; ``taken`` is ``shown`` whose
    arguments ``apart`` may not be None."""
    called = _name_with_checks(public) or next(
        (f"{p} make" for p in public if p in OVERLOADS or p in SINGLE_FORMS or p in VALID_CALLS), "")
    defaults = defaults_of(shown)
    valid_call = VALID_CALLS.get(called.removesuffix(" make"))

    def no_form(values, kinds=True):
        if wrong := no_form_error(public, given_pairs(taken, values, None), nullable=nullable_of(taken)):
            return wrong
        return kinds and valid_call and wrong_arguments(
            valid_call, dict(zip(shown.names, values, strict=False)), defaults)

    return with_precheck(called, kernel, run, dict(zip(own.names, shown.names, strict=False)), defaults,
                         no_form, shown.also, apart)


def _name_with_checks(public) -> str | None:
    """Under which of its names a form's arguments are looked at before it computes."""
    return next((called for p in public if (called := f"{p} make") in LOOKING or called in PRECONDITIONS),
                None)


def failing_as(kernel, name: str):
    """The functional form of a definition over Tensors that fails as the Primitive ``name``, which the real
    one calls."""
    takes, accepted = inspect.signature(kernel), AcceptedCalls()

    @wraps(kernel)
    def call(*args, **kwargs):
        if not kwargs and (key := accepted.key_of_call(args, kwargs)) not in accepted.known:
            if wrong := signature_error(name, lower(args)):
                raise wrong
            accepted.add(key)
        try:
            return kernel(*args, **kwargs)
        except FAILURES as err:
            try:
                given = takes.bind(*args, **kwargs).arguments
            except TypeError:
                raise err from None
            cls = PRIMITIVES[name]
            made = cls(**{n: v for n, v in given.items() if n in cls._init})
            return made(*[v for n, v in given.items() if n not in cls._init])

    return call
