"""One definition per operation: functional form, Primitive, Tensor method and mint form derive from it.

A definition is a function over **torch** tensors with MindSpore's argument names, order and defaults::

    @op(primitive="Concat", init=("axis",), method=None, mint="cat")
    def concat(tensors, axis=0):
        \"\"\"Joins tensors along ``axis`` ...\"\"\"
        return torch.cat(common_dtype(tensors), axis)

The decorator returns the functional form: Tensors are lowered on the way in (also inside lists and tuples)
and results lifted on the way out. ``primitive`` names the class; ``init`` the arguments of the definition
that the class takes when it is made (a tuple of names, or a dict of name -> default, or REQUIRED, where the
class's differs); the others are given when it is called, under the names ``call`` where MindSpore's class
has its own. ``method`` (True or names) attaches it to Tensor with the first argument as self; ``mint`` names
the form under ``mindspore.mint``; ``alias`` more functional names. Where such a form has arguments of other
names or defaults its signature is given instead: ``mint="bmm(input, mat2)"`` (see ``spelling``). ``valid``
is the form of its valid calls in MindSpore's words, for the error (see ``calls``); ``named`` is what errors
and rules call it where its Primitive is defined apart. With ``on_tensors=True``
the definition itself takes and gives Tensors: for the few that write to a Parameter or hand back the very
object that they got.

A form that computes something else has a definition of its own, by `method`, `mint_form`, `primitive` or,
for a class written by hand, `primitive_class`; the first definition then does not name it. No name is
defined twice: the tables refuse it. ``f.kernel`` is the definition behind any form ``f``, over torch tensors.
"""

from __future__ import annotations

import inspect
from functools import partial, wraps
from opcode import opmap
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import torch

from ms2torch._core.checks import refused
from ms2torch._core.checks.call_errors import mindspore_error, parser_error, with_guard
from ms2torch._core.checks.calls import PRIMITIVES_BEHIND, VALID_CALLS, compiled_name, wrong_arguments
from ms2torch._core.checks.error_wrappers import certain_error, wrap_class
from ms2torch._core.checks.guards import APART, DIRECT, LOOKING
from ms2torch._core.checks.odd import AcceptedKinds, odd_error, plain_places
from ms2torch._core.checks.overloads import OVERLOADS, overload_error
from ms2torch._core.checks.prechecks import with_precheck
from ms2torch._core.checks.preconditions import (
    OF_FAILURES,
    PRECONDITIONS,
    AcceptedCalls,
    precondition_error,
)
from ms2torch._core.checks.single_forms import SINGLE_FORMS, single_form_error, unpacking_error
from ms2torch._core.operators import callsite, wider
from ms2torch._core.operators.dispatch import ABSENT, FAILURES, PLAIN, OddArgument, form, of_numpy
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.operators.primitive_factory import REQUIRED, make_primitive
from ms2torch._core.operators.signatures import SIGNATURES, signature_error
from ms2torch._core.operators.spelling import Arguments, arguments, declared
from ms2torch._core.operators.tables import PRIMITIVES, Table, place_of
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap

__all__ = ["METHODS", "MINT", "OPS", "PRIMITIVES", "REQUIRED", "Primitive", "lowered", "method", "mint_form",
           "op", "primitive", "primitive_class"]


class Definition(NamedTuple):
    """What the registry keeps of one operation."""

    name: str
    kernel: Any
    functional: Any
    primitive: type | None
    methods: tuple[str, ...]
    mint: tuple[str, ...]
    aliases: tuple[str, ...]


OPS: dict[str, Definition] = Table("function")
# A form's own name (`__qualname__`, which Python's errors say), where it is not its definition's.
NAMES = dict(row.split("\t") for row in
             Path(__file__).with_name("names.tsv").read_text(encoding="utf-8").splitlines()[1:])
# What kernels raise for an argument of another class.
_OF_KINDS = frozenset((TypeError, AttributeError, ValueError, RuntimeError))
METHODS: dict[str, Any] = Table("Tensor method")
MINT: dict[str, Any] = Table("mint function")


def _declared(spec, default: str) -> list[tuple[str, Arguments | None]]:
    """Names, and arguments where they differ, of the forms that ``spec`` declares."""
    if spec is None or spec is False:
        return []
    if spec is True:
        return [(default, None)]
    return [declared(text) for text in ((spec,) if isinstance(spec, str) else spec)]


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


def _named(call, public: str):
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
    accepted = AcceptedKinds()

    def explain(err, values):
        if hasattr(err, "asked"):
            raise err
        raw = [lower(v) for v in values]
        given = dict(zip(own.names, raw, strict=False))
        if err.__class__ is OddArgument:
            if (key := accepted.key(values)) not in accepted:
                if wrong := odd_one(raw):
                    raise wrong from None
                accepted.add(key)
            try:
                return (run or kernel)(**given)
            except FAILURES as later:
                err = later
        told = _given(shown, raw, err)
        if wrong := _odd(public, told) or _no_form(public, told, nullable=_nullable(shown)):
            raise wrong from None
        said, unfit = partial(_refused, public, shown, raw, told), partial(_unfit, public, raw, told)
        if err.__class__ in _OF_KINDS and (valid_call := VALID_CALLS.get(public[0])):
            held = dict(zip(shown.names, raw, strict=True))
            if wrong := wrong_arguments(valid_call, held, _defaults(shown)) or said(True):
                raise wrong from None
        wrong = mindspore_error(err, name, (), given, valid, kernel, None, said, unfit, public[0] in DIRECT,
                                PRIMITIVES_BEHIND.get(public[0]))
        if (found := wider.compute(wrong, kernel, (), given)) is not None:
            return found
        numbers = None if wrong is not err or public[0].startswith("mint.") else _bools_as_numbers(
            own, given, err)
        if numbers is not None:
            try:
                return kernel(**numbers)
            except TypeError:               # it was not about the bools
                pass
            except Exception as again:
                wrong = mindspore_error(again, name, (), numbers, valid, kernel, None, said, unfit)
        raise wrong from None

    def odd_one(raw):
        """MindSpore's error where one of the arguments is odd, and it takes none such."""
        told, valid_call = _given(shown, raw, None), VALID_CALLS.get(public[0])
        if (wrong := _odd(public, told)) or not any(map(of_numpy, raw)):
            return wrong
        if wrong := _no_form(public, told, nullable=_nullable(shown)):
            return wrong
        if valid_call:
            return wrong_arguments(valid_call, dict(zip(shown.names, raw, strict=True)), _defaults(shown))
        return parser_error(name, kernel, dict(zip(own.names, raw, strict=False)), valid)

    run = _looking(kernel, with_guard(kernel, name) or kernel, public, shown, own)
    respell = None
    if shown.also or public[0] in APART:
        def respell(values, more, others):
            return call(**_respelled(shown, public[0], values, more, others))

    call = form(kernel, shown, explain, respell, run, plain_places(*(f"{p} make" for p in public)))
    return call


def _bools_as_numbers(own: Arguments, given: dict, err) -> dict | None:
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


def _respelled(shown: Arguments, called: str, values, more, others) -> dict:
    """The arguments of a call that gave some by other names, by their own; MindSpore's error where they are
    too many, too few or unknown."""
    given = {n: shown.default(k) if v is ABSENT else v
             for k, (n, v) in enumerate(zip(shown.names, values, strict=True))}
    unset = {n for k, n in enumerate(shown.names) if given[n] is shown.default(k)
             and (not more or n in shown.named)}            # (those before more arguments were given)
    named = {shown.also.get(n, n): v for n, v in others.items()}
    taken = {**given, **named}
    fits = not more and unset >= named.keys() and REQUIRED not in taken.values()
    # (None is not told from an argument that was left out: one of several forms may refuse it)
    if fits and not (called in APART and any(v is None for v in others.values())):
        return taken
    names = callsite.keyword_names()
    told = [(n, v) for n, v in given.items() if n not in unset and n not in named]
    keywords = {n: v for n, v in told if n in shown.named or n in names}
    keywords = {n: lower({**keywords, **others}[n]) for n in names or (*keywords, *others)
                if n in keywords or n in others}
    takes, method = list(shown.signature().parameters.values()), called.startswith("Tensor.")
    places = [lower(v) for v in (*(v for n, v in told if n not in keywords), *more)]
    pairs = [*enumerate(places), *map(refused.Named, keywords.items())]
    if fits and not _no_form((called,), pairs, nullable=_nullable(shown)):
        return taken
    raise (_no_form((called,), pairs, True, _nullable(shown)) or refused.signature_error(
        f"{called} make", NAMES.get(called, called if method else called.rpartition(".")[2]), takes[method:],
        places[method:], keywords, int(method))) from None


def _no_form(public, told, unbound: bool = False, nullable=frozenset()) -> Exception | None:
    """MindSpore's error for arguments, (place, value) pairs, that fit none of a function's forms.

    ``nullable`` are those that may be None.
    """
    if public[0].startswith("Tensor.") and told and not isinstance(told[0][1], torch.Tensor):
        return _no_tensor(public[0], told[0][1])
    for called in public:
        given = told[called.startswith("Tensor."):]
        named = dict(pair for pair in given if isinstance(pair, refused.Named))
        free = [pair[1] for pair in given if not isinstance(pair, refused.Named)]
        if wrong := unpacking_error(called, free) or \
                overload_error(called, free, named, refused.call_text(given), unbound) or \
                single_form_error(called, free, named, nullable):
            return wrong
        if called in SINGLE_FORMS:
            return None
    return None


def _odd(public, told) -> Exception | None:
    """MindSpore's error where one of the arguments is an odd one."""
    return next((wrong for called in public
                 if (wrong := odd_error(f"{called} make", told[called.startswith("Tensor."):]))), None)


def _no_tensor(public: str, value) -> TypeError | None:
    """What Python says where a method of a compiled class is given another object as its own."""
    if public not in OVERLOADS and public not in SINGLE_FORMS:
        return None
    return TypeError(f"descriptor '{public[7:]}' for 'TensorPy' objects doesn't apply to a "
                     f"{compiled_name(value)} object")


def _nullable(shown: Arguments) -> frozenset[str]:
    return frozenset(n for n, default in _defaults(shown).items() if default is None)


def _defaults(shown: Arguments) -> dict:
    return {n: d for k, n in enumerate(shown.names) if (d := shown.default(k)) is not REQUIRED}


def _given(shown: Arguments, values, err) -> list:
    """(place, value) of the arguments that a failed call gave, those by name last."""
    held, names = dict(zip(shown.names, values, strict=False)), callsite.keyword_names(err)
    named = {shown.also.get(n, n): n for n in names}
    free = [(n, v, v is shown.default(k)) for k, (n, v) in enumerate(held.items())
            if n not in named and n not in shown.named]
    while free and free[-1][2]:
        free.pop()
    return [*((n, v) for n, v, _ in free),
            *(refused.Named((said, held[n])) for n, said in named.items() if n in held)]


def _refused(public, shown: Arguments, values, told, certain: bool) -> Exception | None:
    """MindSpore's error for a failed call of a form, where the table of refused calls has one."""
    others = dict(zip(shown.names, values, strict=False))
    for called in public:
        if certain and f"{called} make" in OF_FAILURES and (
                wrong := precondition_error(f"{called} make", {**others, "self": values[0]}, True)):
            return wrong
        given = told[1:] if called.startswith("Tensor.") else told
        if wrong := refused.failed_argument_error(f"{called} make", given, others, certain):
            return wrong
    return None


def _unfit(public, values, told) -> Exception | None:
    """MindSpore's error for arguments of a form that do not fit each other."""
    for called in public:
        method = called.startswith("Tensor.") and told
        given = [("self", values[0]), *told[1:]] if method else told
        if wrong := refused.condition_error(f"{called} make", given, dict(told[:1]) if method else None):
            return wrong
    return None


def _looking(kernel, run, public, shown: Arguments, own: Arguments):
    """``run`` behind the look that one of the ``public`` names asks for."""
    called = _name_with_checks(public) or next(
        (f"{p} make" for p in public if p in OVERLOADS or p in SINGLE_FORMS), "")
    defaults = _defaults(shown)

    def no_form(values):
        return _no_form(public, _given(shown, values, None), nullable=_nullable(shown))

    return with_precheck(called, kernel, run, dict(zip(own.names, shown.names, strict=False)), defaults,
                         no_form, shown.also)


def _name_with_checks(public) -> str | None:
    """Under which of its names a form's arguments are looked at before it computes."""
    return next((called for p in public if (called := f"{p} make") in LOOKING or called in PRECONDITIONS),
                None)


def _of_any_arguments(kernel, name: str, valid: str | None, also: dict[str, str], public=()):
    run = with_guard(kernel, name) or kernel
    looks, accepted = _name_with_checks(public), AcceptedCalls()

    def call(*args, **kwargs):
        if looks and (key := accepted.key_of_call(args, kwargs)) not in accepted.known:
            if wrong := certain_error(looks, inspect.signature(call), args, kwargs):
                raise wrong
            accepted.add(key)
        raw = [a._t if a.__class__ is Tensor else a if a.__class__ in PLAIN else lower(a) for a in args]
        named = kwargs
        if kwargs:
            kwargs = {also.get(k, k): lower(v) for k, v in kwargs.items()}
        try:
            result = run(*raw, **kwargs)
        except FAILURES as err:
            if hasattr(err, "asked"):
                raise
            takes = inspect.signature(call)
            pairs = [*enumerate(raw), *map(refused.Named, lower(named).items())]
            try:
                takes.bind(*raw, **kwargs)
            except TypeError:
                told = list(takes.parameters.values())
                raise _no_form(public, pairs, True) or refused.signature_error(
                    f"{public[0]} make", call.__qualname__, told, raw, named, 0) from None
            shape = all(v.__class__ is int for v in raw[1:])                 # view(2, 3)
            if (wrong := not shape and _no_form(public, pairs)):
                raise wrong from None
            if wrong := _odd(public, [*zip(refused.position_names("", takes, len(raw)), raw, strict=True),
                                      *lower(named).items()]):
                raise wrong from None
            for called in public:
                if (wrong := refused.mindspore_error(err, f"{called} make", takes, raw, kwargs)) is not err:
                    raise wrong from None
            wrong = mindspore_error(err, name, raw, kwargs, valid, kernel)
            if (result := wider.compute(wrong, kernel, tuple(raw), kwargs)) is None:
                raise wrong from None
        return wrap(result) if result.__class__ is torch.Tensor else lift(result)

    return call


def op(kernel=None, *, primitive=None, init=(), call=None, method=None, mint=None, alias=(), valid=None,
       on_tensors=False, named=None):
    """Register one operation; see the module's text. Returns the functional form."""
    if kernel is None:
        return lambda k: op(k, primitive=primitive, init=init, call=call, method=method, mint=mint,
                            alias=alias, valid=valid, on_tensors=on_tensors, named=named)
    name = kernel.__name__.rstrip("_") if kernel.__name__.endswith("__") else kernel.__name__
    kernel.__qualname__ = name
    told = primitive or named or name

    by_primitive = _failing_as(kernel, told) if on_tensors and told in SIGNATURES else kernel

    def made(shown=None, qualname=None, public=()):
        return by_primitive if on_tensors else lowered(kernel, told, valid, shown, qualname, public)

    methods, mints, aliases = _declared(method, name), _declared(mint, name), _declared(alias, name)
    shared = [f"{kind}.{m}" for kind, forms in (("ops", aliases), ("mint", mints), ("Tensor", methods))
              for m, s in forms if s is None and f"{kind}.{m}" not in APART]
    functional = made(public=(f"ops.{name}", *shared))
    cls = make_primitive(primitive, kernel, init, call, valid, on_tensors) if primitive else None
    own = None if on_tensors else arguments(kernel)
    counts = own is not None and (bool(own.also) or f"ops.{name}" in APART)

    def form_of(public, shown, qualname):
        """The form that goes by its own signature, words or name in errors."""
        if shown is None and own is not None and public in APART:
            shown = own
        if public in SINGLE_FORMS and not on_tensors and shown is own:
            return made(own, qualname, (public, f"ops.{name}", *shared))
        if shown is None and counts and public in NAMES:
            return made(own, NAMES[public], (public, f"ops.{name}", *shared))
        return _named(functional, public) if shown is None else made(shown, qualname, (public,))

    for m, shown in methods:
        _attach(m, form_of(f"Tensor.{m}", shown, f"Tensor.{m}"))
    for m, shown in mints:
        MINT[m] = form_of(f"mint.{m}", shown, m)
    definition = Definition(name, kernel, functional, cls, *(tuple(n for n, _ in forms)
                                                             for forms in (methods, mints, aliases)))
    OPS[name] = definition
    for m, shown in aliases:
        OPS[m] = definition._replace(functional=_named(functional, f"ops.{m}") if shown is None
                                     else made(shown, m, (f"ops.{m}",)))
    return functional


def _failing_as(kernel, name: str):
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


def form_error(public: str, takes: inspect.Signature, args, kwargs) -> Exception | None:
    """MindSpore's error for arguments of a method that takes any, where they fit none of its forms; ``takes``
    is the signature of what it computes, with the Tensor."""
    own = ("self", torch.empty(0))
    pairs = [own, *enumerate(lower(list(args))), *map(refused.Named, lower(kwargs).items())]
    if wrong := _no_form((public,), pairs):
        return wrong
    try:
        takes.bind(None, *args, **kwargs)
    except TypeError:
        return _no_form((public,), pairs, True) or refused.signature_error(
            f"{public} make", public, list(takes.parameters.values())[1:], args, kwargs)
    return None


def _attach(name: str, call) -> None:
    if name not in METHODS and any(name in vars(cls) for cls in Tensor.__mro__ if cls is not object):
        raise ValueError(f"The Tensor method '{name}' is defined twice: in the class and {place_of(call)}.")
    if "<lambda>" in getattr(call, "__qualname__", ""):
        call.__qualname__ = f"Tensor.{name}"            # what Python's errors call it
    call.__name__ = call.__qualname__.rpartition(".")[2]
    METHODS[name] = call
    setattr(Tensor, name, call)


def method(kernel=None, *, name=None, valid=None, on_tensors=False):
    """A Tensor method that differs from the functional form; self is the first argument.

    ``name`` may be a signature, as in `op`.
    """
    if kernel is None:
        return lambda k: method(k, name=name, valid=valid, on_tensors=on_tensors)
    name, shown = declared(name or kernel.__name__)
    kernel.__qualname__ = f"Tensor.{name}"
    call = kernel if on_tensors else lowered(kernel, name, valid, shown, f"Tensor.{name}",
                                             (f"Tensor.{name}",))
    _attach(name, call)
    return call


def mint_form(kernel=None, *, name=None):
    """A ``mindspore.mint`` function that differs from the ``ops`` form; ``name`` may be a signature."""
    if kernel is None:
        return lambda k: mint_form(k, name=name)
    name, shown = declared(name or kernel.__name__)
    kernel.__qualname__ = name
    MINT[name] = call = lowered(kernel, name, shown=shown, public=(f"mint.{name}",))
    return call


def primitive(name: str, init=(), call=None, valid=None, on_tensors=False):
    """A Primitive whose arithmetic differs from the functional form's: a definition of its own."""
    def register(kernel):
        return make_primitive(name, kernel, init, call, valid, on_tensors)
    return register


def primitive_class(cls: type) -> type:
    """Register a Primitive's class that is written by hand."""
    PRIMITIVES[cls.__name__] = wrap_class(cls, "ops")
    return cls
