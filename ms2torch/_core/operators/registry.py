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
is the form of its valid calls in MindSpore's words, for the error (see ``calls``). With ``on_tensors=True``
the definition itself takes and gives Tensors: for the few that write to a Parameter or hand back the very
object that they got.

A form that computes something else has a definition of its own, by `method`, `mint_form`, `primitive` or,
for a class written by hand, `primitive_class`; the first definition then does not name it. No name is
defined twice: the tables refuse it. ``f.kernel`` is the definition behind any form ``f``, over torch tensors.
"""

from __future__ import annotations

import inspect
from functools import cache, wraps
from typing import Any, NamedTuple

import torch

from ms2torch._core.operators import rules
from ms2torch._core.operators.calls import lacks, wrong_call
from ms2torch._core.operators.dispatch import ABSENT, FAILURES, PLAIN, form, primitive_call
from ms2torch._core.operators.guards import GUARDED
from ms2torch._core.operators.refusals import translate
from ms2torch._core.operators.spelling import Arguments, arguments, declared
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap

# An argument of a class that has no default.
REQUIRED = inspect.Parameter.empty


class Definition(NamedTuple):
    """What the registry keeps of one operation."""

    name: str
    kernel: Any
    functional: Any
    primitive: type | None
    methods: tuple[str, ...]
    mint: tuple[str, ...]
    aliases: tuple[str, ...]


class _Table(dict):
    """Forms by name; a name is given once."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __setitem__(self, name: str, form) -> None:
        if name in self:
            raise ValueError(f"The {self.kind} '{name}' is defined twice: "
                             f"{_place(self[name])} and {_place(form)}.")
        super().__setitem__(name, form)

    def update(self, *forms, **named) -> None:
        for name, made in dict(*forms, **named).items():
            self[name] = made


def _place(form) -> str:
    """The file and the line of the definition behind a form."""
    code = getattr(inspect.unwrap(getattr(form, "kernel", None) or form), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(form)


OPS: dict[str, Definition] = _Table("function")
METHODS: dict[str, Any] = _Table("Tensor method")
MINT: dict[str, Any] = _Table("mint function")
PRIMITIVES: dict[str, type] = _Table("Primitive")


def _declared(spec, default: str) -> list[tuple[str, Arguments | None]]:
    """Names, and arguments where they differ, of the forms that ``spec`` declares."""
    if spec is None or spec is False:
        return []
    if spec is True:
        return [(default, None)]
    return [declared(text) for text in ((spec,) if isinstance(spec, str) else spec)]


def lowered(kernel, name: str | None = None, valid: str | None = None, shown: Arguments | None = None,
            qualname: str | None = None):
    """The form of ``kernel`` that takes and gives Tensors; errors call it ``name``.

    Where its arguments are not the kernel's they are ``shown``, and Python calls it ``qualname``.
    """
    name = name or kernel.__name__
    own = arguments(kernel)
    if own is None:
        if shown is not None:
            raise ValueError(f"{name}: the definition's arguments cannot be renamed")
        call = _of_any_arguments(kernel, name, valid, getattr(kernel, "also", {}))
    else:
        call = _of_counted_arguments(kernel, name, valid, own, shown or own)
    if shown is None:
        wraps(kernel)(call)
    else:
        call.__qualname__ = qualname or name
        call.__name__ = call.__qualname__.rpartition(".")[2]
        call.__doc__, call.__module__, call.also = kernel.__doc__, kernel.__module__, shown.also
        call.__signature__ = shown.signature()
    call.kernel = kernel
    return call


def _of_counted_arguments(kernel, name, valid, own: Arguments, shown: Arguments):
    def explain(err, values):
        return _explain(err, name, (), dict(zip(own.names, map(lower, values), strict=False)), valid, kernel)

    if not shown.also:
        return form(kernel, shown, explain, run=_guarded(kernel, name))
    meant = dict(zip(shown.names, own.names, strict=False))
    any_call = _of_any_arguments(kernel, name, valid, {k: meant[v] for k, v in shown.also.items()})

    def respell(values, others):
        given = zip(own.names, values, map(shown.default, range(len(values))), strict=False)
        return any_call(**{n: v for n, v, default in given if v is not ABSENT and v is not default}, **others)

    return form(kernel, shown, explain, respell, _guarded(kernel, name))


def _of_any_arguments(kernel, name: str, valid: str | None, also: dict[str, str]):
    run = _guarded(kernel, name) or kernel

    def call(*args, **kwargs):
        raw = [a._t if a.__class__ is Tensor else a if a.__class__ in PLAIN else lower(a) for a in args]
        if kwargs:
            kwargs = {also.get(k, k): lower(v) for k, v in kwargs.items()}
        try:
            result = run(*raw, **kwargs)
        except FAILURES as err:
            raise _explain(err, name, raw, kwargs, valid, kernel) from None
        return wrap(result) if result.__class__ is torch.Tensor else lift(result)

    return call


def _explain(err: Exception, name: str, raw, kwargs, valid=None, kernel=None, fixed=None) -> Exception:
    if getattr(err, "from_user", False) or str(err).startswith("For "):    # in MindSpore's words already
        return err
    if wrong := _refusal(name, raw, kwargs, valid, kernel, fixed):
        return wrong
    if err.__class__ is AttributeError:
        return lacks(err, name, kernel, raw, kwargs, fixed) or err
    lacking = err.__class__ is NotImplementedError and "not implemented for '" in str(err)   # torch's kernels
    if not lacking and err.__class__ is not RuntimeError and err.__class__ is not IndexError:
        return err
    return translate(err, name, (*raw, *kwargs.values()))


def _inputs(name: str, kernel, raw, kwargs) -> tuple[list, list]:
    """The arguments that the Primitive takes when it is called, in their order, and their names here."""
    attributes, names = PRIMITIVES[name]._init if name in PRIMITIVES else (), _names(kernel)
    given = {**dict(zip(names, raw, strict=False)), **kwargs}
    names = [n for n in names if n in given and n not in attributes]
    return [given[n] for n in names], names


@cache
def _names(kernel) -> tuple[str, ...]:
    return tuple(inspect.signature(kernel).parameters)


def _guarded(kernel, name: str, functional: bool = True):
    """``kernel`` that looks at its inputs first, where it would take what MindSpore refuses; else None."""
    if name not in GUARDED:
        return None

    def guard(*args, **kwargs):
        if wrong := rules.refusal(name, *_inputs(name, kernel, args, kwargs), functional):
            raise wrong
        return kernel(*args, **kwargs)

    return guard


def _refusal(name: str, raw, kwargs, valid, kernel, fixed) -> Exception | None:
    """MindSpore's error for the kinds of these arguments, None where it would take them."""
    valid = valid or rules.form_of_valid_calls(name, _names(kernel))
    if valid and (wrong := wrong_call(valid, kernel, raw, kwargs, fixed)):
        return wrong
    return rules.refusal(name, *_inputs(name, kernel, raw, kwargs))


def op(kernel=None, *, primitive=None, init=(), call=None, method=None, mint=None, alias=(), valid=None,
       on_tensors=False):
    """Register one operation; see the module's text. Returns the functional form."""
    if kernel is None:
        return lambda k: op(k, primitive=primitive, init=init, call=call, method=method, mint=mint,
                            alias=alias, valid=valid, on_tensors=on_tensors)
    name = kernel.__name__.rstrip("_") if kernel.__name__.endswith("__") else kernel.__name__
    kernel.__qualname__ = name
    told = primitive or name

    def made(shown=None, qualname=None):
        return kernel if on_tensors else lowered(kernel, told, valid, shown, qualname)

    functional = made()
    cls = _make_primitive(primitive, kernel, init, call, valid, on_tensors) if primitive else None
    methods, mints, aliases = _declared(method, name), _declared(mint, name), _declared(alias, name)
    for m, shown in methods:
        _attach(m, functional if shown is None else made(shown, f"Tensor.{m}"))
    for m, shown in mints:
        MINT[m] = functional if shown is None else made(shown, m)
    definition = Definition(name, kernel, functional, cls, *(tuple(n for n, _ in forms)
                                                             for forms in (methods, mints, aliases)))
    OPS[name] = definition
    for m, shown in aliases:
        OPS[m] = definition if shown is None else definition._replace(functional=made(shown, m))
    return functional


def _attach(name: str, call) -> None:
    if name in Tensor.__dict__ and name not in METHODS:
        raise ValueError(f"The Tensor method '{name}' is defined twice: in the class and {_place(call)}.")
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
    call = kernel if on_tensors else lowered(kernel, name, valid, shown, f"Tensor.{name}")
    _attach(name, call)
    return call


def mint_form(kernel=None, *, name=None):
    """A ``mindspore.mint`` function that differs from the ``ops`` form; ``name`` may be a signature."""
    if kernel is None:
        return lambda k: mint_form(k, name=name)
    name, shown = declared(name or kernel.__name__)
    kernel.__qualname__ = name
    MINT[name] = call = lowered(kernel, name, shown=shown)
    return call


# What `Primitive.shard` does; set by ``ms2torch.parallel``.
strategic = None


class Primitive:
    """Base of all operator classes (``mindspore.ops.Primitive``): made with attributes, then called."""

    kernel = None
    _init: dict[str, Any] = {}
    _fixed: dict[str, Any]

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__
        self.attrs: dict[str, Any] = {}
        self._fixed = {}

    def __call__(self, *args):
        raise NotImplementedError(f"Primitive {self.name} has no computation here; override __call__.")

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v}" for k, v in self.attrs.items())
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")

    def add_prim_attr(self, name: str, value) -> Primitive:
        self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        self.instance_name = name
        return self

    def init_prim_io_names(self, inputs, outputs) -> None:
        """Name inputs and outputs, as Primitives of users do; the names carry no meaning here."""
        self.add_prim_attr("input_names", list(inputs))
        self.add_prim_attr("output_names", list(outputs))

    def shard(self, in_strategy=None, out_strategy=None) -> Primitive:
        """Split its inputs, and where given its outputs, over the processes (``mindspore.parallel``)."""
        return strategic(self, in_strategy, out_strategy)

    # Placement and scheduling hints: they change where or when MindSpore computes, never what.

    def set_stage(self, stage) -> Primitive:
        return self.add_prim_attr("stage", stage)

    def set_device(self, device_target) -> Primitive:
        return self.add_prim_attr("primitive_target", device_target)

    def recompute(self, mode=True) -> Primitive:
        return self

    def place(self, role, rank_id, *args) -> Primitive:
        return self

    @property
    def update_parameter(self) -> bool:
        return False


def _make_primitive(name: str, kernel, init, call=None, valid=None, on_tensors=False) -> type:
    parameters = inspect.signature(kernel).parameters
    given = dict(init) if isinstance(init, dict) else {n: parameters[n].default for n in init}
    unknown = [n for n in given if n not in parameters]
    fixed_names = [n for n in given if n in parameters]
    order = [n for n in parameters if n not in given]
    required = [n for n in given if given[n] is REQUIRED]
    guarded = name in GUARDED
    meant = {**getattr(kernel, "also", {}), **dict(zip(call or (), order, strict=False))}

    def __init__(self, *args, **kwargs):
        Primitive.__init__(self, name)
        values = dict(given)
        for key in [*given][:len(args)] if kwargs else ():
            if key in kwargs:
                raise TypeError(f"multiple values for argument '{key}'")
        if len(args) > len(given):
            raise TypeError("too many positional arguments")
        values.update(zip(given, args, strict=False))
        for key, value in kwargs.items():
            if key not in given:
                raise TypeError(f"got an unexpected keyword argument '{key}'")
            values[key] = value
        for key in required:
            if values[key] is REQUIRED:
                raise TypeError(f"missing a required argument: '{key}'")
        if args or kwargs:
            rules.check_attributes(name, {k: values[k] for k in (*[*given][:len(args)], *kwargs)})
        self.__dict__.update(values)
        self.attrs = values
        self._fixed = {k: lower(values[k]) for k in fixed_names}

    def on_tensors_call(self, *args, **kwargs):
        kwargs = {meant.get(k, k): v for k, v in kwargs.items()}
        if guarded and (wrong := rules.refusal(name, lower(args), order)):
            raise wrong
        try:
            return kernel(*args, **kwargs, **self._fixed)
        except FAILURES as err:
            raise rules.refusal(name, lower(args), order) or err from None

    def explain(err, values, fixed):
        given = dict(zip(order, map(lower, values), strict=True))
        return _explain(err, name, (), given, valid, kernel, fixed)

    def any_call(self, *args, **kwargs):
        raw = [a._t if a.__class__ is Tensor else a if a.__class__ in PLAIN else lower(a) for a in args]
        if kwargs:
            kwargs = {meant.get(k, k): lower(v) for k, v in kwargs.items()}
        try:
            if positional:
                result = run(*raw, **kwargs, **self._fixed)
            else:
                result = run(**dict(zip(order, raw, strict=False)), **kwargs, **self._fixed)
        except FAILURES as err:
            given = {**dict(zip(order, raw, strict=False)), **kwargs}
            raise _explain(err, name, (), given, valid, kernel, self._fixed) from None
        return wrap(result) if result.__class__ is torch.Tensor else lift(result)

    run = _guarded(kernel, name, False) or kernel
    # Call arguments go by position where they are the definition's first ones, else by name.
    positional = list(parameters)[:len(order)] == order
    if unknown:
        raise ValueError(f"{name}: the definition has no argument {unknown}")
    __call__ = (on_tensors_call if on_tensors
                else primitive_call(kernel, given, call or (), explain, run) or any_call)
    __call__.__name__, __call__.__qualname__ = "__call__", f"{name}.__call__"
    cls = type(name, (Primitive,), {
        "__init__": __init__, "__call__": __call__,
        "__doc__": kernel.__doc__, "kernel": staticmethod(kernel), "_init": given,
        "__module__": "mindspore.ops"})
    named = zip(call or (), order, strict=False)
    takes = [parameters[n].replace(name=m) for m, n in named] or [parameters[n] for n in order]
    cls.__call__.__signature__ = inspect.Signature([
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *takes])
    cls.__signature__ = inspect.Signature([
        inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in given.items()])
    PRIMITIVES[name] = cls
    return cls


def primitive(name: str, init=(), call=None, valid=None, on_tensors=False):
    """A Primitive whose arithmetic differs from the functional form's: a definition of its own."""
    def register(kernel):
        return _make_primitive(name, kernel, init, call, valid, on_tensors)
    return register


def primitive_class(cls: type) -> type:
    """Register a Primitive's class that is written by hand."""
    PRIMITIVES[cls.__name__] = cls
    return cls
