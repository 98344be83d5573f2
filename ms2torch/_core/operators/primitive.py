"""Operator classes: their base, and those that definitions make."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import torch

from ms2torch._core.operators import refused, rules, wider
from ms2torch._core.operators.attribute_forms import converted_attributes
from ms2torch._core.operators.call_errors import lazy_checker, mindspore_error, with_guard
from ms2torch._core.operators.dispatch import ABSENT, FAILURES, PLAIN, primitive_call
from ms2torch._core.operators.guards import GUARDED, LOOKING
from ms2torch._core.operators.prechecks import with_precheck
from ms2torch._core.operators.preconditions import PRECONDITIONS, AcceptedCalls, precondition_error
from ms2torch._core.operators.tables import PRIMITIVES
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap

# An argument of a class that has no default.
REQUIRED = inspect.Parameter.empty


# What `Primitive.shard` does; set by ``ms2torch.parallel``.
strategic = None
# What computes for a Primitive that a program made, as MindSpore's core does by its name alone (or None); set
# by ``ms2torch.ops.primitive``.
by_name = None


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
        compute = by_name and by_name(self)
        if compute:
            return compute(*args)
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

    def set_user_data(self, key: str, value) -> None:
        """Keeps an object with the operator."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key: str):
        """The object that `set_user_data` kept, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    def place(self, role, rank_id, *args) -> Primitive:
        return self

    @property
    def update_parameter(self) -> bool:
        return False


def make_primitive(name: str, kernel, init, call=None, valid=None, on_tensors=False) -> type:
    parameters = inspect.signature(kernel).parameters
    given = dict(init) if isinstance(init, dict) else {n: parameters[n].default for n in init}
    unknown = [n for n in given if n not in parameters]
    fixed_names = [n for n in given if n in parameters]
    order = [n for n in parameters if n not in given]
    required = [n for n in given if given[n] is REQUIRED]
    looks = name in GUARDED
    also = getattr(kernel, "also", {})
    meant = {**also, **dict(zip(call or (), order, strict=False))}

    def __init__(self, *args, **kwargs):
        Primitive.__init__(self, name)
        values = dict(given)
        if args or kwargs:
            # The order in which MindSpore's constructors tell what is wrong.
            for key in [*given][:len(args)] if kwargs else ():
                if key in kwargs:
                    raise TypeError(f"multiple values for argument '{key}'")
            if len(args) > len(given):
                raise TypeError("too many positional arguments")
            values.update(zip(given, args, strict=False))
            values.update(kwargs)
        for key in required:
            if values[key] is REQUIRED:
                raise TypeError(f"missing a required argument: '{key}'")
        if args or kwargs:
            if len(values) > len(given):
                unknown = next(n for n in kwargs if n not in given)
                raise TypeError(f"got an unexpected keyword argument '{unknown}'")
            told = [(n, v) for n, v in (*zip(given, args, strict=False), *kwargs.items())
                    if v is not given[n]]
            if told and (wrong := refused.argument_error(making, told, given, certain=True)):
                raise wrong
            rules.check_attributes(name, {k: values[k] for k in (*[*given][:len(args)], *kwargs)})
            if making in PRECONDITIONS and (wrong := precondition_error(making, lower(values))):
                raise wrong
        self.__dict__.update(values)
        self.__dict__.update(converted_attributes(name, values))
        self.attrs = values
        self._fixed = {k: lower(values[k]) for k in fixed_names}

    making, calling = f"ops.{name} make", f"ops.{name} call"
    asks, accepted = calling in PRECONDITIONS, AcceptedCalls()
    check = on_tensors and calling in LOOKING and \
        lazy_checker(calling, tuple(map(str, range(len(order)))), {})
    takes = ([parameters[n].replace(name=m) for m, n in zip(call or (), order, strict=False)]
             or [parameters[n] for n in order])

    def on_tensors_call(self, *args, **kwargs):
        kwargs = {meant.get(k, k): v for k, v in kwargs.items()}
        if asks and (key := accepted.key(raw := lower(args))) not in accepted.known:
            if wrong := precondition_error(calling, {f"a{k}": v for k, v in enumerate(raw)}):
                raise wrong
            accepted.add(key)
        if check and (wrong := check(lower(args))):
            raise wrong
        if looks and (wrong := rules.refusal(name, lower(args), order)):
            raise wrong
        try:
            return kernel(*args, **kwargs, **self._fixed)
        except FAILURES as err:
            if err.__class__ is TypeError and refused.is_signature_error(err):
                miscounted(self, args, (), kwargs)
            raw = lower(args)
            if getattr(err, "from_user", False):
                raise
            worded = str(err).startswith("For ")
            raise (unlike(raw, True) or rules.refusal(name, raw, order)
                   or (err if worded else unfit(raw, self.attrs) or unlike(raw, False) or err)) from None

    def explain(err, values, fixed):
        raw = [lower(v) for v in values]
        given = dict(zip(order, raw, strict=True))
        wrong = mindspore_error(err, name, (), given, valid, kernel, fixed, partial(unlike, raw),
                                partial(unfit, raw, fixed))
        if (found := wider.compute(wrong, kernel, (), {**given, **fixed})) is not None:
            return found
        raise wrong from None

    def miscounted(self, values, more, others):
        given = {p.name: v for p, v in zip(takes, values, strict=False) if v is not ABSENT}
        named = {also.get(n, n): v for n, v in others.items()}
        if not more and named.keys() - others.keys() and not named.keys() & given.keys():
            return self(**given, **named)
        count = values.index(ABSENT) if ABSENT in values else len(values)
        named = {p.name: v for p, v in zip(takes[count:], values[count:], strict=False) if v is not ABSENT}
        raise refused.signature_error(calling, f"{name}.__call__", takes, (*values[:count], *more),
                                      {**named, **others}) from None

    def unlike(raw, certain):
        return refused.failed_argument_error(calling, [(str(k), v) for k, v in enumerate(raw)], None, certain)

    def unfit(raw, attributes):
        own = {f"@{n}": v for n, v in attributes.items()}
        return refused.condition_error(calling, [(str(k), v) for k, v in enumerate(raw)], own)

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
            if err.__class__ is TypeError and refused.is_signature_error(err):
                miscounted(self, args, (), kwargs)
            given = {**dict(zip(order, raw, strict=False)), **kwargs}
            wrong = mindspore_error(err, name, (), given, valid, kernel, self._fixed, partial(unlike, raw),
                                    partial(unfit, raw, self._fixed))
            if (result := wider.compute(wrong, kernel, (), {**given, **self._fixed})) is None:
                raise wrong from None
        return wrap(result) if result.__class__ is torch.Tensor else lift(result)

    run = with_precheck(calling, kernel, with_guard(kernel, name, False) or kernel,
                        {n: str(k) for k, n in enumerate(order)}, {})
    # Call arguments go by position where they are the definition's first ones, else by name.
    positional = list(parameters)[:len(order)] == order
    if unknown:
        raise ValueError(f"{name}: the definition has no argument {unknown}")
    __call__ = (on_tensors_call if on_tensors
                else primitive_call(kernel, given, call or (), explain, run, miscounted) or any_call)
    __call__.__name__, __call__.__qualname__ = "__call__", f"{name}.__call__"
    cls = type(name, (Primitive,), {
        "__init__": __init__, "__call__": __call__,
        "__doc__": kernel.__doc__, "kernel": staticmethod(kernel), "_init": given,
        "__module__": "mindspore.ops"})
    cls.__call__.__signature__ = inspect.Signature([
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *takes])
    cls.__signature__ = inspect.Signature([
        inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in given.items()])
    PRIMITIVES[name] = cls
    return cls
