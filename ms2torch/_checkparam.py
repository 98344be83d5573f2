"""Argument checks (``mindspore._checkparam``): each gives the value back or raises with MindSpore's words.

Releases before 2.0 had them as static methods of ``Validator`` with relations in ``Rel``; since then they are
functions of the module with plain constants. Both forms are here, over one definition each.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
from enum import IntEnum

import numpy as np

from ms2torch._core.checks.words import type_name
from ms2torch._core.random import graph_streams

from ._checkparam_arrays import *  # noqa: F403
from ._checkparam_arrays import (  # noqa: F401
    _check_data_type_valid,
    _check_dup,
    _check_int_sequence_len,
    _expand_sequence_to_tuple,
    _expand_tuple,
)


class Rel(IntEnum):
    """Relations of releases before 2.0; the module's constants are these."""

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    INC_NEITHER = 7
    INC_LEFT = 8
    INC_RIGHT = 9
    INC_BOTH = 10
    IN = 11
    NOT_IN = 12


EQ, NE, LT, LE, GT, GE, INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH, IN, NOT_IN = (r.value for r in Rel)

# Relation to one value: the test, and how messages show it.
_ONE = {
    EQ: (lambda a, b: a == b, "= {}"),
    NE: (lambda a, b: a != b, "!= {}"),
    LT: (lambda a, b: a < b, "< {}"),
    LE: (lambda a, b: a <= b, "<= {}"),
    GT: (lambda a, b: a > b, "> {}"),
    GE: (lambda a, b: a >= b, ">= {}"),
    IN: (lambda a, b: a in b, "in {}"),
    NOT_IN: (lambda a, b: a not in b, "not in {}"),
}
# Relation to a range: the test against its two ends (NaN is beyond neither), and how messages show it.
_TWO = {
    INC_NEITHER: (lambda v, a, b: not (v <= a or v >= b), "({}, {})"),
    INC_LEFT: (lambda v, a, b: not (v < a or v >= b), "[{}, {})"),
    INC_RIGHT: (lambda v, a, b: not (v <= a or v > b), "({}, {}]"),
    INC_BOTH: (lambda v, a, b: not (v < a or v > b), "[{}, {}]"),
}


def _subject(arg_name, prim_name) -> str:
    where = f"For '{prim_name}', the" if prim_name else "The"
    return f"{where} '{arg_name}'" if arg_name else f"{where} input value"


def _check_number(arg_value, value, rel, arg_type=int, arg_name=None, prim_name=None):
    subject, kind = _subject(arg_name, prim_name), arg_type.__name__
    test, shown = _ONE[rel]
    if not isinstance(arg_value, arg_type):
        raise TypeError(f"{subject} must be {kind}, but got '{type_name(arg_value)}'")
    rule = (
        f"must be {kind} and must {shown.format(value)}, but got '{arg_value}' with type "
        f"'{type_name(arg_value)}'."
    )
    if isinstance(arg_value, bool):
        raise TypeError(f"{subject} {rule}")
    if not math.isfinite(arg_value):
        raise ValueError(f"{subject} must be a legal value, but got '{arg_value}'.")
    if not test(arg_value, value):
        raise ValueError(f"{subject} {rule}")
    return arg_value


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """An int in relation ``rel`` to ``value``."""
    return _check_number(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """A float in relation ``rel`` to ``value``."""
    return _check_number(arg_value, value, rel, float, arg_name, prim_name)


def _against_zero(rel, kind, what):
    def check(arg_value, arg_name=None, prim_name=None):
        return _check_number(arg_value, 0, rel, kind, arg_name, prim_name)

    check.__name__ = check.__qualname__ = f"check_{what}_{kind.__name__}"
    check.__doc__ = f"A {what.replace('_', ' ')} {kind.__name__}."
    return check


def _each(check, what):
    def check_sequence(sequence, arg_name=None, prim_name=None):
        for i, element in enumerate(sequence):
            check(element, f"{arg_name}[{i}]", prim_name)
        return sequence

    check_sequence.__name__ = check_sequence.__qualname__ = f"check_{what}_sequence"
    check_sequence.__doc__ = f"A sequence of which each is a {what.replace('_', ' ')}."
    return check_sequence


check_positive_int = _against_zero(GT, int, "positive")
check_negative_int = _against_zero(LT, int, "negative")
check_non_positive_int = _against_zero(LE, int, "non_positive")
check_non_negative_int = _against_zero(GE, int, "non_negative")
check_positive_float = _against_zero(GT, float, "positive")
check_negative_float = _against_zero(LT, float, "negative")
check_non_positive_float = _against_zero(LE, float, "non_positive")
check_non_negative_float = _against_zero(GE, float, "non_negative")
check_positive_int_sequence = _each(check_positive_int, "positive_int")
check_non_negative_int_sequence = _each(check_non_negative_int, "non_negative_int")
check_positive_float_sequence = _each(check_positive_float, "positive_float")


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """An int equal to ``value``."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """A number of type ``arg_type`` (one, or a tuple of them), neither bool nor nan nor infinite."""
    where = f"For '{prim_name}', the" if prim_name else "The"
    subject = f"'{arg_name}'" if arg_name else "input value"
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        kinds = "', '".join(t.__name__ for t in (arg_type if isinstance(arg_type, tuple) else (arg_type,)))
        raise TypeError(f"{where} type of {subject} must be '{kinds}', but got '{type_name(arg_value)}'.")
    if isinstance(arg_value, float) and not math.isfinite(arg_value):
        raise ValueError(f"{where} {subject} must be a legal float, but got '{arg_value}'.")
    return arg_value


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """An int that is not a bool."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """A float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_number_range(arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None):
    """A number of ``value_type`` between the limits, ends as ``rel`` says."""
    subject, kind = _subject(arg_name, prim_name), type_name(arg_value)
    if not isinstance(arg_value, (np.ndarray, np.generic, value_type)) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be '{value_type.__name__}',  but got '{kind}'.")
    test, shown = _TWO[rel]
    if not test(arg_value, lower_limit, upper_limit):
        raise ValueError(
            f"{subject} must be in range of {shown.format(lower_limit, upper_limit)}, "
            f"but got {arg_value} with type '{kind}'."
        )
    return arg_value


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """An int between the limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """A float between the limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number(arg_name, arg_value, value, rel, prim_name):
    """Any number in relation ``rel`` to ``value``."""
    test, shown = _ONE[rel]
    if not test(arg_value, value):
        raise ValueError(
            f"For '{prim_name}', the argument '{arg_name}' must {shown.format(value)}, but got {arg_value}."
        )
    return arg_value


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """``arg_value`` in relation ``rel`` to ``value``, both named in the message."""
    test, shown = _ONE[rel]
    if not test(arg_value, value):
        raise excp_cls(
            f"{_subject(arg_name, prim_name)} should be {shown.format(f'{value_name}: {value}')}, "
            f"but got {arg_value}."
        )
    return arg_value


def check_int_positive(arg_name, arg_value=None, prim_name=None):
    """A positive int, in the argument order of the first releases; their layers give the value alone."""
    if arg_value is None:
        arg_name, arg_value = None, arg_name
    return check_positive_int(arg_value, arg_name, prim_name)


def check_isinstance(arg_name, arg_value, classes):
    """An instance of ``classes``; ValueError otherwise."""
    if not isinstance(arg_value, classes):
        raise ValueError(f"The parameter '{arg_name}' must be isinstance of {classes}, but got {arg_value}.")
    return arg_value


def check_bool(arg_value, arg_name=None, prim_name=None):
    """A bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be a bool, but got {type_name(arg_value)}."
        )
    return arg_value


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """A str that is one of ``valid_values``."""
    if not (isinstance(arg_value, str) and arg_value in valid_values):
        raise ValueError(
            f"{_subject(arg_name or 'parameter', prim_name)} must be str and must be in "
            f"'{valid_values}', but got '{arg_value}'."
        )
    return arg_value


def check_str_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """True for a str that matches ``reg``; the default allows letters, digits, ``_`` and ``.``."""
    reg = r"^\w+[0-9a-zA-Z\_\.]*$" if reg is None else reg
    if re.match(reg, target, flag) is None:
        where = f"For '{prim_name}', the" if prim_name else "The"
        raise ValueError(f"{where} '{target}' is illegal, it must be match regular'{reg}' by flags'{flag}.'")
    return True


check_str_and_none_by_regular = check_str_by_regular


def check_file_name_by_regular(target, reg=None, prim_name=None):
    """True for a str that can be a file name."""
    reg = r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$" if reg is None else reg
    if re.match(reg, target) is None:
        where = f"For '{prim_name}', the" if prim_name else "The"
        raise ValueError(f"{where} '{target}' is illegal, it must be match regular '{reg}'.")
    return True


def check_pad_value_by_mode(pad_mode, padding, prim_name):
    """Padding other than zero only with ``pad_mode="pad"``."""
    if pad_mode != "pad" and padding != 0:
        raise ValueError(
            f"For '{prim_name}', padding must be zero when pad_mode is '{pad_mode}', but got {padding}."
        )
    return padding


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """A value of one of the Python types; bool does not count as int."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if (isinstance(arg_value, bool) and bool not in types) or not isinstance(arg_value, types):
        where = f"For '{prim_name}', the" if prim_name else "The"
        names = [t.__name__ if hasattr(t, "__name__") else str(t) for t in types]
        rule = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
        raise TypeError(
            f"{where} type of '{arg_name}' should be {rule}, but got type '{type_name(arg_value)}'."
        )
    return arg_value


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """One of the MindSpore dtypes ``valid_types``."""
    allowed = list(valid_types) if isinstance(valid_types, (list, tuple, set, frozenset)) else [valid_types]
    if arg_type not in allowed:
        where = f"For '{prim_name}', the" if prim_name else "The"
        names = [getattr(t, "__name__", t) for t in allowed]
        rule = str(names[0]) if len(names) == 1 else f"one of {names}"
        got = getattr(arg_type, "__name__", None) or repr(arg_type)
        raise TypeError(f"{where} '{arg_name}' should be {rule}, but got '{got}'.")
    return arg_type


_HARDWARE = (
    "The supported data types depend on the hardware that executes the operator, for more details, please "
    "refer to the MindSpore official website to get more information about the data type."
)


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """A dtype that is, or belongs to, one of ``template_types``."""
    from .common.dtype import _issubclass_

    templates = template_types if isinstance(template_types, (tuple, list)) else (template_types,)
    if not any(type_ == t or _issubclass_(type_, t) for t in templates):
        names = ", ".join(str(t) for t in templates)
        raise TypeError(
            f"For '{prim_name}', the element of '{arg_name}' must be "
            f"{'one of ' if len(templates) > 1 else ''}{names}, but got {type_}."
            f"{addition_error_info or _HARDWARE}"
        )


def check_types_same_and_valid(args, valid_values, prim_name):
    """All dtypes of the dict ``args`` among ``valid_values`` and the same."""
    first = None
    for name, kind in args.items():
        check_subclass(name, kind, valid_values, prim_name)
        if first is None:
            first = name
        elif kind != args[first]:
            raise TypeError(
                f"For '{prim_name}', the type of '{name}' should be same as '{first}', but got "
                f"'{first}' with type {args[first]} and '{name}' with type {kind}."
            )


check_tensors_dtypes_same_and_valid = check_types_same_and_valid


def check_tensor_dtype_valid(arg_name, arg_type, valid_dtypes, prim_name):
    """The type of a tensor of one of ``valid_dtypes``."""
    from .common.dtype import TensorType

    check_subclass(arg_name, arg_type, tuple(map(TensorType, valid_dtypes)), prim_name)


def check_scalar_or_tensor_types_same(args, valid_values, prim_name, allow_mix=False):
    """Types of the dict ``args`` with one dtype, of ``valid_values``: all tensors' or all numbers', with
    ``allow_mix`` of either."""
    from .common.dtype import TensorType

    first = None
    for name, kind in args.items():
        element = kind.element_type() if isinstance(kind, TensorType) else kind
        if element not in valid_values:
            raise TypeError(f"For '{prim_name}', the type of '{name}' must be in {valid_values}, but got "
                            f"{element}.")
        if first is None:
            first, its, its_element = name, kind, element
            continue
        alike = isinstance(kind, TensorType) is isinstance(its, TensorType)
        if not (alike or allow_mix) or element != its_element:
            x, y = (its_element, element) if alike or allow_mix else (its, kind)
            raise TypeError(f"For '{prim_name}', the type of '{name}' must be same as '{first}', but got "
                            f"'{first}' with type {x} and '{name}' with type {y}.")


def check_type_support(dtype, device, supported_dtypes):
    """Whether ``dtype`` is among those that ``device`` supports, True for any other device than one's own."""
    from .context import get_context

    return dtype in supported_dtypes or get_context("device_target") != device


def check_valid_input(arg_name, arg_value, prim_name):
    """Anything but None."""
    if arg_value is None:
        raise ValueError(f"For '{prim_name}', the argument '{arg_name}'can not be None, but got {arg_value}.")
    return arg_value


def check_axis_in_range(axis, ndim):
    """An axis of a tensor of ``ndim`` dimensions, counted from the front."""
    if not isinstance(axis, int):
        raise TypeError(f"The axes must be integers, but got {type(axis)}")
    if not -ndim <= axis < ndim:
        raise ValueError(f"The 'axis' must be in the range of [-{ndim}, {ndim}), but got {axis}.")
    return axis % ndim


def check_axis_valid(axes, ndim):
    """Axes as a tuple without repetition, counted from the front; None means all."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        return (check_axis_in_range(axes, ndim),)
    found = tuple(check_axis_in_range(a, ndim) for a in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"The element of parameter 'axis' can not be duplicate, but got {found}.")
    return found


def check_element_type_of_iterable(arg_name, arg_value, valid_types, prim_name=None):
    """An iterable whose elements are all of ``valid_types``."""
    for element in arg_value:
        _check_element(arg_name, element, valid_types, prim_name)


def check_element_type_of_dict(arg_name, arg_value, key_types, value_types, prim_name=None):
    """A dict with keys and values of the given types."""
    for key, value in arg_value.items():
        _check_element(arg_name, key, key_types, prim_name)
        _check_element(arg_name, value, value_types, prim_name)


def _check_element(arg_name, element, valid_types, prim_name) -> None:
    if (isinstance(element, bool) and bool not in valid_types) or not isinstance(element, tuple(valid_types)):
        names = [t.__name__ for t in valid_types]
        rule = names[0] if len(names) == 1 else f"one of {names}"
        where = f"For '{prim_name}', the" if prim_name else "The"
        raise TypeError(
            f"{where} type of '{arg_name}' should be {rule}, but got '{element}' with type "
            f"'{type_name(element)}'."
        )


def check_size_and_element_type_of_tuple(
    arg_name, arg_value, expect_size, expect_element_type, prim_name=None
):
    """A tuple of that many elements of that type."""
    check_value_type(arg_name, arg_value, [tuple], prim_name)
    check_equal_int(len(arg_value), expect_size, arg_name + " size", prim_name)
    check_element_type_of_iterable("arg_value", arg_value, [expect_element_type], prim_name)


def check_input_format(input_param):
    """``"NCHW"`` and nothing else."""
    if input_param != "NCHW":
        raise ValueError(f"The data format must be NCHW, but got {input_param}.")
    return input_param


def check_output_data(data):
    """Anything but None."""
    if data is None:
        raise RuntimeError("The output data can not be None, please check your net or input data.")


def check_hook_fn(hook_fn):
    """A callable that is not compiled; in a graph every one is."""
    if not callable(hook_fn):
        raise TypeError(f"Expected a callable hook function, but got {type(hook_fn).__name__}.")
    if hasattr(hook_fn, "_graph_source") and graph_streams.here.call is None:
        raise TypeError(f"Decorating hook function {hook_fn.__name__} with '@jit' is not supported.")


def args_type_check(*type_args, **type_kwargs):
    """Decorator: the named arguments must be of the given types, or None; TypeError otherwise."""

    def decorate(function):
        signature = inspect.signature(function)
        types = signature.bind_partial(*type_args, **type_kwargs).arguments
        keywords = next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)

        expected = {**types, **types.get(keywords, {})}

        def wrong_kind(given):
            for name, value in given.items():
                if value is not None and name in expected and not isinstance(value, expected[name]):
                    return TypeError(
                        f"The parameter '{name}' must be {expected[name]}, but got {type(value)}")
            return None

        @functools.wraps(function)
        def call(*args, **kwargs):
            given = dict(signature.bind(*args, **kwargs).arguments)
            given.update(given.pop(keywords, {}))
            if error := wrong_kind(given):
                raise error
            return function(*args, **kwargs)

        call.wrong_kind = wrong_kind
        return call

    return decorate


class Validator:
    """The checks as static methods, as releases before 2.0 had them; and the relations, which programs for
    both read of whichever of ``Validator`` and this module they find."""


for _name, _value in list(globals().items()):
    if inspect.isfunction(_value) and (_name.startswith("check") or _name in ("twice", "triple")):
        setattr(Validator, _name, staticmethod(_value))
    elif _name.isupper() and not _name.startswith("_"):
        setattr(Validator, _name, _value)

from ms2torch._naming.surface import install_lazy  # noqa: E402 - the names that are still missing

install_lazy(__name__, globals())
