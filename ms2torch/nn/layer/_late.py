"""Layers that MindSpore makes of wrong arguments, and refuses when they are called.

Its layers hand their arguments to an operator at the call, which looks at them then. Here a layer looks when
it is made, and one of wrong arguments gets a ``construct`` that raises: good layers pay nothing.
"""

from __future__ import annotations

import numpy as np

from ms2torch._core.checks.calls import describe
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.errors import asked
from ms2torch._core.operators.attribute_forms import number_of
from ms2torch._core.tensor.tensor import Tensor


def refused_when_called(cell, kind: type[Exception], *words: str) -> None:
    """Let calls of ``cell`` raise this error."""
    def construct(*inputs, **named):
        raise with_public_classes(asked(kind(*words)))

    cell.__dict__["construct"] = construct


def failed_when_called(cell, operator: str, inputs: str, later: str = "", **attributes) -> None:
    """Let calls raise what MindSpore says of an operator whose ``attributes`` are of the wrong kind.

    ``inputs`` are its inputs' names, ``later`` further ones, as the words have them.
    """
    shown = ", ".join(f"{name}={_kind(value)}" for name, value in attributes.items())
    for name, value in attributes.items():
        if isinstance(value, Tensor) and value.ndim:
            refused_when_called(cell, ValueError, *_of_no_number(operator, name, value))
            return

    def construct(*given, **named):
        called = ", ".join(f"{name}={describe(value)}" for name, value in
                           zip(inputs.split(), (*given, *named.values()), strict=False))
        raise TypeError(f'Failed calling {operator} with "{operator}({shown})({called}{later})".\n')

    cell.__dict__["construct"] = construct


def check_later(cell, function: str, kinds: tuple[type, ...], listed: str, **arguments) -> None:
    """Where an argument's class is none of ``kinds``, what ``function`` says of it when it is called."""
    for name, value in arguments.items():
        if value.__class__ not in kinds and not (isinstance(value, kinds) and value.__class__ is not bool):
            refused_when_called(cell, TypeError, f"For '{function}', the type of '{name}' should be one of "
                                                 f"'{listed}', but got type '{type(value).__name__}'.")
            return


def is_number(value, *kinds: type) -> bool:
    """An int or one of numpy's (no bool), or of ``kinds``, numpy's and Tensors of one number included."""
    if isinstance(value, Tensor) and value.size == 1:
        return value.ndim == 0 and (not value.is_floating_point() or float in kinds)
    kinds = (int, np.integer, *kinds, *((np.floating,) if float in kinds else ()))
    return isinstance(value, kinds) and not isinstance(value, bool)


def _of_no_number(operator: str, name: str, value: Tensor) -> tuple:
    """What is said of a Tensor of several numbers where a number belongs."""
    try:
        return (str(number_of(operator, name, value)),)
    except (ValueError, TypeError) as err:
        return err.args


def _kind(value) -> str:
    """How the words name it: a Tensor of one number by its kind."""
    if isinstance(value, Tensor) and value.ndim == 0:
        return "float" if value.is_floating_point() else "int"
    return describe(value)
