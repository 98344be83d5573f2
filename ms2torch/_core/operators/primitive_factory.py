"""The operator class that a definition makes: made with attributes, called with tensors."""

from __future__ import annotations

import inspect
from functools import partial

import torch

from ms2torch._core.checks import refused, rules
from ms2torch._core.checks.call_errors import lazy_checker, mindspore_error, parser_error, with_guard
from ms2torch._core.checks.calls import are_unfit, is_unconverted
from ms2torch._core.checks.guards import GUARDED, LOOKING
from ms2torch._core.checks.odd import LOOKED, ODD, AcceptedKinds, odd_error, plain_places
from ms2torch._core.checks.prechecks import with_precheck
from ms2torch._core.checks.preconditions import PRECONDITIONS, AcceptedCalls, precondition_error
from ms2torch._core.checks.words import told_of_numpys
from ms2torch._core.operators import wider
from ms2torch._core.operators.attribute_forms import (
    all_attributes,
    converted_attributes,
    keeps_arguments,
    with_numbers,
    with_sequences,
)
from ms2torch._core.operators.dispatch import (
    ABSENT,
    FAILURES,
    PLAIN,
    OddArgument,
    as_python,
    of_numpy,
    primitive_call,
)
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.operators.signatures import SIGNATURES, as_tensors, count_error, signature_error
from ms2torch._core.operators.tables import PRIMITIVES
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap

# An argument of a class that has no default.
REQUIRED = inspect.Parameter.empty


def make_primitive(name: str, kernel, init, call=None, valid=None, on_tensors=False) -> type:
    """The class ``ops.<name>`` of a definition.

    ``init`` are the arguments that are given when it is made (names, or names with defaults of the class's
    own), ``call`` the names of the others where they are not the kernel's, ``valid`` the dtypes that it
    takes. The kernel of one ``on_tensors`` is given Tensors as they are.
    """
    form = _Form(name, kernel, init, call or (), valid)
    if on_tensors:
        __call__ = form.call_on_tensors()
    else:
        run = form.run = form.checked_kernel()
        __call__ = (primitive_call(kernel, form.attributes, form.called, form.explain, run, form.miscounted,
                                   plain_places(form.calling))
                    or form.call_by_kind(run))
    __call__.__name__, __call__.__qualname__ = "__call__", f"{name}.__call__"
    __call__.__signature__ = _signature({"self": REQUIRED}, *form.takes)
    cls = type(name, (Primitive,), {
        "__init__": form.constructor(), "__call__": __call__,
        "__doc__": kernel.__doc__, "kernel": staticmethod(kernel), "_init": form.attributes,
        "__module__": "mindspore.ops", "__signature__": _signature(form.attributes)})
    PRIMITIVES[name] = form.cls = cls
    return cls


def _signature(defaults: dict, *more) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([*(inspect.Parameter(n, kind, default=d) for n, d in defaults.items()), *more])


class _Form:
    """How one operator class is made and called, and its words for what fails."""

    def __init__(self, name: str, kernel, init, called, valid) -> None:
        parameters = inspect.signature(kernel).parameters
        self.name, self.kernel, self.called, self.valid = name, kernel, called, valid
        self.names, self.refusing = tuple(parameters), None
        self.making, self.calling = f"ops.{name} make", f"ops.{name} call"
        self.accepted = AcceptedKinds()
        self.attributes = dict(init) if isinstance(init, dict) else {n: parameters[n].default for n in init}
        if unknown := [n for n in self.attributes if n not in parameters]:
            raise ValueError(f"{name}: the definition has no argument {unknown}")
        # The arguments of a call, as the kernel names them; they go by position where they are its first.
        # What `called` has no name for is the function's alone.
        self.order = [n for n in parameters if n not in self.attributes][:len(called) or None]
        self.positional = list(parameters)[:len(self.order)] == self.order
        self.also = getattr(kernel, "also", {})
        self.meant = {**self.also, **dict(zip(called, self.order, strict=False))}
        self.takes = ([parameters[n].replace(name=m) for m, n in zip(called, self.order, strict=False)]
                      or [parameters[n] for n in self.order])

    # Made.

    def constructor(self):
        form, name, attributes, read = self, self.name, self.attributes, self.read_attributes
        required = any(v is REQUIRED for v in attributes.values())

        def __init__(self, *args, **kwargs):
            Primitive.__init__(self, name)
            values = read(args, kwargs) if args or kwargs or required else dict(attributes)
            converted = converted_attributes(name, values)
            self.attrs = all_attributes(name, values, converted)
            if keeps_arguments(name):
                self.init_attrs = values
            self.__dict__.update({**self.attrs, **values, **converted})
            self._fixed = {n: lower(values[n]) for n in attributes}
            if (args or kwargs) and self.__class__ is form.cls and form.misfits({**self._fixed, **converted}):
                self.__class__ = form.refusing = form.refusing or form.refusing_class()

        return __init__

    def misfits(self, attributes) -> bool:
        """Whether MindSpore makes the operator of these attributes and refuses their kinds at its call."""
        told = {n: v for n, v in attributes.items() if v is not self.attributes.get(n, v)}
        valid = told and (self.valid or rules.form_of_valid_calls(self.name, self.names))
        return bool(valid) and are_unfit(valid, told)

    def refusing_class(self):
        """The class of operators whose attributes fit no valid call."""
        form = self

        def __call__(self, *args, **kwargs):
            raw = zip(form.order, lower(args), strict=False)
            given = {**dict(raw), **{form.meant.get(n, n): lower(v) for n, v in kwargs.items()}}
            if wrong := parser_error(form.name, form.kernel, given, form.valid, self._fixed):
                raise wrong
            return form.cls.__call__(self, *args, **kwargs)

        return type(self.name, (self.cls,), {"__call__": __call__, "__module__": self.cls.__module__})

    def read_attributes(self, args, kwargs) -> dict:
        """A new operator's attributes; what is wrong is told in the order of MindSpore's constructors."""
        attributes = self.attributes
        by_position = [*attributes][:len(args)]
        if both := [n for n in by_position if n in kwargs]:
            raise TypeError(f"multiple values for argument '{both[0]}'")
        if len(args) > len(attributes):
            raise TypeError("too many positional arguments")
        given = with_numbers(self.name, {**dict(zip(by_position, args, strict=True)), **kwargs})
        values = {**attributes, **given}
        if lacking := [n for n in attributes if values[n] is REQUIRED]:
            raise TypeError(f"missing a required argument: '{lacking[0]}'")
        if not given:
            return values
        for name, value in given.items():
            if type(value) is not int and isinstance(value, int) and hasattr(value, "__ms_mutable__"):
                given[name] = values[name] = int(value)
        if unknown := [n for n in kwargs if n not in attributes]:
            raise TypeError(f"got an unexpected keyword argument '{unknown[0]}'")
        told = [(n, v) for n, v in given.items() if v is not attributes[n]]
        if self.making in ODD and (wrong := odd_error(self.making, given.items(), failed=False)):
            raise wrong
        if told and (wrong := refused.argument_error(self.making, told, attributes, certain=True)):
            raise wrong
        rules.check_attributes(self.name, {n: v for n, v in given.items()
                                           if v is not None or attributes[n] is not None})
        if self.making in PRECONDITIONS and (wrong := precondition_error(self.making, lower(values))):
            raise wrong
        return with_sequences(self.name, values)

    # Called.

    def checked_kernel(self):
        """The kernel behind what is looked at on the way in."""
        guarded = with_guard(self.kernel, self.name, False) or self.kernel
        places = {n: str(k) for k, n in enumerate(self.order)}
        return with_precheck(self.calling, self.kernel, guarded, places, {})

    def call_by_kind(self, run):
        """``__call__`` of a kernel whose arguments cannot be counted beforehand."""
        form, order, meant, positional = self, self.order, self.meant, self.positional

        def __call__(self, *args, **kwargs):
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
                    form.miscounted(self, args, (), kwargs)
                given = {**dict(zip(order, raw, strict=False)), **kwargs}
                result = form.recover(err, raw, given, self._fixed)
            return wrap(result) if result.__class__ is torch.Tensor else lift(result)

        return __call__

    def call_on_tensors(self):
        """``__call__`` of a kernel that is given Tensors as they are."""
        form, name, kernel, order, meant, calling = \
            self, self.name, self.kernel, self.order, self.meant, self.calling
        looks, asks, accepted = name in GUARDED, calling in PRECONDITIONS, AcceptedCalls()
        converts = name in SIGNATURES

        def written(args):
            return [k for k, a in enumerate(args) if type(a).__name__ == "Parameter"]

        def early(args, raw):
            return rules.refusal(name, raw, order, late=False, written=written(args))

        check = calling in LOOKING and lazy_checker(calling, tuple(map(str, range(len(order)))), {})
        odd = calling in LOOKED
        careful = asks or converts or check or looks or odd
        named = frozenset((*order, *meant))
        least = sum(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
                    for p in self.takes)

        def __call__(self, *args, **kwargs):
            kwargs = kwargs and {meant.get(k, k): v for k, v in kwargs.items()}
            if careful and (key := accepted.key_here(raw := lower(args), kwargs)) not in accepted.known:
                if converts and not kwargs and (
                        wrong := count_error(name, len(args)) or signature_error(name, raw)):
                    raise wrong
                if (wrong := (asks and precondition_error(calling, {f"a{k}": v for k, v in enumerate(raw)}))
                        or (check and check(raw))):
                    raise early(args, raw) or wrong
                if (looks and (wrong := rules.refusal(name, raw, order, written=written(args)))) or (
                        odd and (wrong := odd_error(calling, by_place(raw), failed=False))):
                    raise wrong
                accepted.add(key)
            try:
                return kernel(*args, **kwargs, **self._fixed)
            except FAILURES as err:
                if len(args) + len(kwargs) < least or (kwargs and not kwargs.keys() <= named) or (
                        err.__class__ is TypeError and refused.is_signature_error(err)):
                    form.miscounted(self, args, (), kwargs)
                if getattr(err, "from_user", False):
                    raise
                raw, worded = lower(args), str(err).startswith("For ")
                if err.__class__ is AttributeError and (made := as_tensors(name, raw)):
                    return __call__(self, *map(wrap, made), **kwargs)
                told = early(args, raw) or form.failed_condition(raw, self._fixed) or \
                    form.unlike(raw, True) or rules.refusal(name, raw, order)
                raise (told or (worded and err) or form.unfit(raw, self._fixed) or form.unlike(raw, False)
                       or form.unlike(raw, None) or err) from None

        return __call__

    # Failed.

    def explain(self, err, values, fixed):
        """What `dispatch.primitive_call` asks of a failure."""
        raw = [lower(v) for v in values]
        given = dict(zip(self.order, raw, strict=True))
        if err.__class__ is OddArgument:
            if (key := self.accepted.key(values)) not in self.accepted:
                wrong = self.odd_one(raw)
                if not wrong and any(map(of_numpy, raw)) and (
                        wrong := parser_error(self.name, self.kernel, given, self.valid, fixed)):
                    wrong = self.unlike(raw, True) or wrong
                if wrong:
                    raise wrong from None
                self.accepted.add(key)
            try:
                return self.run(**dict(zip(self.order, as_python(raw), strict=True)), **fixed)
            except FAILURES as later:
                err = told_of_numpys(later, self.order, raw)
        return self.recover(err, raw, given, fixed)

    def odd_one(self, raw, failed=False):
        """MindSpore's error where one of the inputs is odd, and it takes none such."""
        return odd_error(self.calling, by_place(raw), failed) or (
            signature_error(self.name, raw) if any(map(is_unconverted, raw)) else None)

    def recover(self, err, raw, given, fixed):
        """The result by way of a wider dtype where torch lacks a kernel, else MindSpore's error is raised."""
        if wrong := self.odd_one(raw, failed=True) or refused.array_error(self.calling, by_place(raw)):
            raise wrong from None
        wrong = mindspore_error(err, self.name, (), given, self.valid, self.kernel, fixed,
                                lambda certain: (certain and self.failed_condition(raw, fixed)) or
                                self.unlike(raw, certain), partial(self.unfit, raw, fixed))
        if (result := wider.compute(wrong, self.kernel, (), {**given, **fixed})) is None:
            raise wrong from None
        return result

    def miscounted(self, primitive, values, more, others):
        """A call with too many, too few or other arguments: by other names of them, or the error."""
        given = {p.name: v for p, v in zip(self.takes, values, strict=False) if v is not ABSENT}
        named = {self.also.get(n, n): v for n, v in others.items()}
        if not more and named.keys() - others.keys() and not named.keys() & given.keys():
            return primitive(**given, **named)
        count = values.index(ABSENT) if ABSENT in values else len(values)
        later = zip(self.takes[count:], values[count:], strict=False)
        named = {p.name: v for p, v in later if v is not ABSENT and v is not p.default} | others
        if not named and (wrong := count_error(self.name, count + len(more), len(self.takes))):
            raise wrong from None
        cls = "Primitive" if self.name in SIGNATURES else self.name
        raise refused.signature_error(
            self.calling, f"{cls}.__call__", self.takes, (*values[:count], *more), named) from None

    def failed_condition(self, raw, attributes):
        """What preconditions.tsv says of a call that has failed."""
        own = {f"own_{n}": v for n, v in attributes.items()}
        return precondition_error(self.calling, {**{f"a{k}": v for k, v in enumerate(raw)}, **own}, True)

    def unlike(self, raw, certain):
        given = by_place(raw)
        return refused.nearest_error(self.calling, given) if certain is None else \
            refused.failed_argument_error(self.calling, given, None, certain)

    def unfit(self, raw, attributes):
        own = {f"@{n}": v for n, v in attributes.items()}
        return refused.condition_error(self.calling, by_place(raw), own)


def by_place(raw) -> list[tuple[str, object]]:
    """Inputs as the tables name them."""
    return [(str(k), v) for k, v in enumerate(raw)]
