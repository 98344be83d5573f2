"""How the mirror's functions and classes answer wrong calls: in the words of the table of refused calls.

The forms of definitions do so by themselves (`lowering`); here is what the others are given: functions of
``mindspore.numpy`` and their kin, layers, transforms, operators written by hand.
"""

from __future__ import annotations

import inspect
import re
from functools import cache, wraps
from types import FunctionType

from ms2torch._core.checks import refused, rules
from ms2torch._core.checks.guards import LOOKING
from ms2torch._core.checks.kernel_dtypes import not_supported
from ms2torch._core.checks.odd import LOOKED, odd_error
from ms2torch._core.checks.preconditions import (
    OF_FAILURES,
    PRECONDITIONS,
    AcceptedCalls,
    attributes_read,
    precondition_error,
)
from ms2torch._core.operators.signatures import SIGNATURES, count_error, signature_error
from ms2torch._core.torch_private import says

_OURS = ("ms2torch.", "mindspore.")
_ENTRY = re.compile(r"^[\w.<>]+\.(construct|__init__|__call__)\(\) "
                    r"(?=got an unexpected|missing \d|takes |got multiple)")


def wrap_function(function, called: str):
    """``function``, whose failures are told as the real one's; it looks first where ``LOOKING`` says so."""
    looks = any(f"{called} make" in table for table in (LOOKING, PRECONDITIONS, LOOKED))
    takes, accepted = None, AcceptedCalls()

    @wraps(function)
    def call(*args, **kwargs):
        nonlocal takes
        if looks and (key := accepted.key_of_call(args, kwargs)) not in accepted.known:
            if wrong := certain_error(f"{called} make", signature(), args, kwargs):
                raise wrong
            accepted.add(key)
        try:
            return function(*args, **kwargs)
        except refused.FAILURES as err:
            if (wrong := _told(err, f"{called} make", signature(), args, kwargs)) is err:
                raise
            raise wrong from None

    def signature():
        nonlocal takes
        takes = takes or inspect.signature(function)
        return takes

    return call


def _told(err: Exception, called: str, *rest) -> Exception:
    """`refused.mindspore_error`; where torch has no kernel for the dtypes, what MindSpore says of its own,
    and not what could be guessed of the shapes."""
    wrong = refused.mindspore_error(err, called, *rest)
    if err.__class__ is NotImplementedError and not hasattr(err, "from_user") and says(err, "no kernel") and (
            wrong is err or isinstance(wrong, ValueError)):
        return TypeError(not_supported(called.rpartition(" ")[0].rpartition(".")[2]))
    return wrong


def wrap_module(space: dict, package: str) -> None:
    """Let the functions that a module of the mirror defines answer wrong calls in MindSpore's words; those
    made by `lowering.lowered` do so already."""
    for name, function in list(space.items()):
        plain = isinstance(function, FunctionType) and not hasattr(function, "kernel")
        if plain and not name.startswith("_") and function.__module__.startswith("ms2torch."):
            space[name] = wrap_function(function, f"{package}.{name}")


def certain_error(called: str, takes, args, kwargs) -> Exception | None:
    """MindSpore's error for what is certainly wrong about a call, before it is made."""
    if not refused.has_entries(called) or _unbound(takes, args, kwargs):        # Python says it
        return None
    places = refused.position_names(called, takes, len(args))
    if not kwargs.keys().isdisjoint(places):        # Python says that an argument has two values
        return None
    defaults = {n: p.default for n, p in takes.parameters.items() if p.default is not p.empty}
    given = [(p, refused.as_torch(v)) for p, v in (*zip(places, args, strict=True), *kwargs.items())
             if v is not defaults.get(p, refused.NOTHING)]
    return odd_error(called, (*zip(places, args, strict=True), *kwargs.items()), failed=False) or \
        _precondition_error(called, defaults, zip(places, args, strict=True), kwargs) or \
        refused.argument_error(called, given, defaults, certain=True)


def _precondition_error(called: str, defaults, placed, named, own=(), failed=False) -> Exception | None:
    """What `preconditions` has against a call, one that has ``failed``."""
    if called not in (OF_FAILURES if failed else PRECONDITIONS):
        return None
    from ms2torch._core.checks import terms

    values = {**defaults, **dict(own), **dict(placed), **named}
    return precondition_error(called, {terms.variable_name(p): refused.as_torch(v)
                                       for p, v in values.items()}, failed)


def wrap_class(cls: type, package: str | None = None, calls: bool = True) -> type:
    """Let the constructor of a class of the mirror, and its ``__call__`` where it ``calls``, refuse what the
    real one's do, in its words; ``package`` is where programs find it. Classes of programs stay as they are.
    """
    if not cls.__module__.startswith(_OURS):
        return cls
    cls._public_package = package or _package(cls)
    for method, stage in (("__init__", "make"), ("__call__", "call"))[: 1 + calls]:
        if method in cls.__dict__ or (package and isinstance(getattr(cls, method), FunctionType)):
            setattr(cls, method, _answering_method(cls, getattr(cls, method), method, stage))
    if not calls and f"{public_name(cls)} call" in PRECONDITIONS:
        cls.construct = _checked_construct(cls, cls.construct)
    return cls


def _checked_construct(cls: type, construct):
    """The ``construct`` of a layer, behind what MindSpore asks of its inputs."""
    called = f"{public_name(cls)} call"
    takes = inspect.Signature(list(inspect.signature(construct).parameters.values())[1:])
    accepted = AcceptedCalls()

    @wraps(construct)
    def checked(self, *args, **kwargs):
        _ask(accepted, called, takes, self, args, kwargs)
        return construct(self, *args, **kwargs)

    return checked


def _ask(accepted: AcceptedCalls, called: str, takes, of, args, kwargs) -> None:
    """Raise what `preconditions` has against calling ``of``."""
    key = accepted.key_of_call(args, kwargs, of, attributes_read(called))
    if key in accepted.known:
        return
    places = refused.position_names(called, takes, len(args))
    wrong = _precondition_error(called, {}, zip(places, args, strict=True), kwargs, plain_attributes(of))
    if wrong and not _unbound(takes, args, kwargs):             # (else Python says what is missing)
        primitive = called.startswith("ops.") and not kwargs
        raise refused.array_error(called, zip(map(str, range(len(args))), args, strict=True)) or (
            primitive and rules.refusal(type(of).__name__, list(map(refused.as_torch, args)), late=False)
            ) or wrong
    accepted.add(key)


def _answering_method(cls: type, run, method: str, stage: str):
    accepted: dict[str, AcceptedCalls] = {}

    @wraps(run)
    def answered(self, *args, **kwargs):
        made = type(self)
        if _outermost(made, method) is not cls:
            return run(self, *args, **kwargs)
        called, takes = f"{public_name(made)} {stage}", _signature(made, method)
        if stage == "make" and (args or kwargs) and (wrong := certain_error(called, takes, args, kwargs)):
            raise wrong
        if stage == "call" and called in PRECONDITIONS:
            _ask(accepted.setdefault(called, AcceptedCalls()), called, takes, self, args, kwargs)
        try:
            return run(self, *args, **kwargs)
        except refused.FAILURES as err:
            if stage == "call" and (wrong := _unlike_signature(made.__name__, args, kwargs)):
                raise wrong from None
            own = plain_attributes(self) if stage == "call" else None
            if stage == "make" and made._public_package == "ops" and _ENTRY.match(str(err)):
                err = _unbound(takes, args, kwargs) or err
            wrong = _told(_of_class(err, made, run), called, takes, args, kwargs, own)
            if wrong is err:
                raise
            raise wrong from None

    return answered


def _unlike_signature(name: str, args, kwargs) -> Exception | None:
    """What the signature of a Primitive ``name`` has against these inputs."""
    if kwargs or name not in SIGNATURES:
        return None
    return count_error(name, len(args)) or signature_error(name, list(map(refused.as_torch, args)))


def layer_error(err: Exception, cell, method, args, kwargs) -> Exception:
    """The error that MindSpore's layer raises for these inputs, ``err`` where it is the same one."""
    made = type(cell)
    if not made.__module__.startswith(_OURS) or not isinstance(err, refused.FAILURES):
        return err
    err, called, takes = _of_class(err, made, method), f"{public_name(made)} call", inspect.signature(method)
    own = plain_attributes(cell)
    if called in OF_FAILURES and not hasattr(err, "asked") and not _unbound(takes, args, kwargs):
        placed = zip(refused.position_names(called, takes, len(args)), args, strict=True)
        if wrong := _precondition_error(called, {}, placed, kwargs, own, failed=True):
            return wrong
    return _told(err, called, takes, args, kwargs, own)


def plain_attributes(made) -> dict[str, object]:
    """The plain attributes of an object as the conditions of the table of refused calls name them; ``_axis``
    where the layer shows no ``axis``."""
    plain = {n: v for n, v in vars(made).items() if isinstance(v, (int, float, str, tuple, list))}
    hidden = {f"@{n[1:]}": v for n, v in plain.items() if n[0] == "_"}
    return {**hidden, **{f"@{n}": v for n, v in plain.items()}}


def _unbound(takes: inspect.Signature, args, kwargs) -> TypeError | None:
    """Why arguments cannot be bound, in the words of `inspect`, which MindSpore's operators bind them by."""
    try:
        takes.bind(*args, **kwargs)
    except TypeError as err:
        return err
    return None


def binds_by_inspect(run):
    """A method ``run`` of which the real one binds the arguments by `inspect`, and says so in its words."""
    takes = inspect.Signature(list(inspect.signature(run).parameters.values())[1:])
    own = f"{run.__qualname__}() "

    @wraps(run)
    def bound(self, *args, **kwargs):
        try:
            return run(self, *args, **kwargs)
        except TypeError as err:
            entered = _ENTRY.match(str(err)) or str(err).startswith(own)
            if entered and (wrong := _unbound(takes, args, kwargs)):
                raise wrong from None
            raise

    return bound


def _of_class(err: Exception, made: type, method) -> Exception:
    """Python's error about arguments of ``method`` under the name of the class that was called."""
    m = err.__class__ is TypeError and _ENTRY.match(str(err))
    if m and (m[1] != "__call__" or str(err).startswith("_")) and _is_of(str(err), made, method):
        return TypeError(f"{made.__name__}.{m[1]}() {_ENTRY.sub('', str(err))}")
    return err


def _is_of(said: str, made: type, method) -> bool:
    """Whether Python's words are about this method, and not about one that it calls (of a layer inside)."""
    if not any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(method).parameters.values()):
        return True                                 # (which hands on what it was given to nothing)
    return said.startswith((f"{made.__name__}.", method.__qualname__))


@cache
def _outermost(made: type, method: str) -> type | None:
    """The class whose method runs first; None for classes of programs."""
    if not made.__module__.startswith(_OURS):
        return None
    return next(c for c in made.__mro__ if method in c.__dict__)


@cache
def _signature(made: type, method: str) -> inspect.Signature:
    takes = list(inspect.signature(getattr(made, method)).parameters.values())
    return inspect.Signature(takes[1:])


def public_name(made: type) -> str:
    """``nn.Dense``: the name under which programs have a class."""
    return f"{made._public_package}.{made.__name__}"


def _package(cls: type) -> str:
    home = cls.__module__.removeprefix("ms2torch.").removeprefix("mindspore.")
    return next((p for p in _PACKAGES if home.startswith(p)), home)


# Where programs find what is defined below.
_PACKAGES = ("mint.nn", "mint.optim", "nn.probability.distribution", "nn.probability.bijector", "nn",
             "experimental.optim.lr_scheduler", "experimental.optim", "train", "dataset.vision",
             "dataset.transforms", "dataset.audio", "dataset.text", "dataset", "amp", "ops")
