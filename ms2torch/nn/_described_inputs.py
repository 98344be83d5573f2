"""What ``Cell.set_inputs`` keeps, and how MindSpore words what does not fit."""

from __future__ import annotations

import inspect

from ms2torch._core import mode
from ms2torch._core.tensor.tensor import Tensor

_NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD


def described(construct, inputs: tuple, named: dict):
    """All inputs in order, or for some by name their places; errors for what ``construct`` does not take."""
    if named and inputs:
        raise ValueError("For Cell, set_inputs should only set inputs or kwargs"
                         f"(inputs: {inputs}, kwargs: {named})!")
    if not named:
        if mode.graph:
            _fit(construct, len(inputs))
        return inputs
    names = [p.name for p in inspect.signature(construct).parameters.values() if p.kind is _NAMED]
    for name in named:
        if name not in names:
            raise ValueError(f"For dict mode, valid key is {names}, but got {name}!")
    places = [[names.index(name), value] for name, value in named.items()]
    return {"arg_specified_infos": places, "total_arg_length": len(names)}


def _fit(construct, given: int) -> None:
    parameters = inspect.signature(construct).parameters.values()
    if any(p.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) for p in parameters):
        return
    taken = [p.default is inspect.Parameter.empty for p in parameters if p.kind is _NAMED]
    needed = sum(taken)
    if given < needed:
        raise TypeError(f"For 'Cell', the function construct requires {needed} positional argument, but got "
                        f"{given}. When using set_inputs, please make sure that all networks and loss "
                        "functions are configured with set_inputs.")
    if given > len(taken):
        raise TypeError(f"For 'Cell', the function construct requires {needed} positional argument and "
                        f"{len(taken) - needed} default argument, total {len(taken)}, but got {given}.")


def check(described, construct, args: tuple, kwargs: dict) -> None:
    """ValueError or TypeError, as graph mode raises it, for arguments unlike those that were described."""
    if isinstance(described, dict):
        return
    given = args
    if kwargs:      # (where one is given by name, MindSpore takes the defaults of all others along)
        call = inspect.signature(construct).bind(*args, **kwargs)
        call.apply_defaults()
        given = (*call.args, *call.kwargs.values())
    if len(given) != len(described):
        raise ValueError("For set_inputs, the length of input must be equal to expected one, but got "
                         f"expected: {len(described)} and input: {len(given)}!")
    seen: dict = {}
    for place, (expected, value) in enumerate(zip(described, given, strict=True), 1):
        _check_one(f"{place}th", expected, value)
        if isinstance(expected, Tensor) and "_sizes_given" in expected.__dict__:
            _check_symbols(place, expected._sizes_given, tuple(value.shape), seen)


def _check_symbols(place: int, symbols, shape: tuple, seen: dict) -> None:
    """ValueError for a size beyond what its Symbol allows; ``seen`` has the sizes of unique ones."""
    if not isinstance(symbols, (tuple, list)) or len(symbols) != len(shape):
        return
    for axis, (symbol, size) in enumerate(zip(symbols, shape, strict=True)):
        if not hasattr(symbol, "divisor"):
            continue
        first, rest = f"The {axis + 1}th shape value of {place}th actual input args", ""
        if symbol.divisor > 1 and (size <= symbol.remainder or (size - symbol.remainder) % symbol.divisor):
            rest = ("must match the 'divisor'(d) and 'remainder'(d) of `Symbol`. The value should be "
                    f"'d * N + r' for 'N > 0', got d={symbol.divisor} and r={symbol.remainder}, but actual "
                    f"shape value is '{size}'")
        elif size < symbol.min:
            rest = (f"must be greater than or equal to the 'min' value '{symbol.min}' of `Symbol`, but got "
                    f"'{size}'")
        elif symbol.max > 0 and size > symbol.max:
            rest = (f"must be less than or equal to the 'max' value '{symbol.max}' of `Symbol`, but got "
                    f"'{size}'")
        elif symbol.unique and seen.setdefault(symbol, size) != size:
            rest = (f"is a unique symbol, all values must be the same. The previous value is {seen[symbol]}, "
                    f"but the current value is {size}")
        if rest:
            raise ValueError(f"{first} {rest}. Actual shape: {list(shape)}, axis: {axis}.")


def _scalar(value) -> str:
    kind = {bool: "Bool", int: "Int64", float: "Float32"}.get(type(value), type(value).__name__)
    return f"AbstractScalar(Type: {kind}, Value: {value}, Shape: NoShape)"


def _check_one(place: str, expected, value) -> None:
    if isinstance(expected, Tensor) != isinstance(value, Tensor):
        kinds = ("mutable", "static") if isinstance(expected, Tensor) else ("static", "mutable")
        raise TypeError(f"For set_inputs or tuple(list) in set_inputs, the {place} should be {kinds[0]} one, "
                        f"but got {kinds[1]}!")
    if not isinstance(expected, Tensor):
        if isinstance(expected, (int, float)) and (type(expected), expected) != (type(value), value):
            raise ValueError(f"For set_inputs or tuple(list) in set_inputs, the {place} should be"
                             f"{_scalar(expected)}, but got {_scalar(value)}!")
        return
    if expected.dtype != value.dtype:
        raise TypeError(f"For set_inputs or tuple(list) in set_inputs, the {place} type should be "
                        f"Tensor[{expected.dtype}], but got Tensor[{value.dtype}]!")
    wanted, shape = tuple(expected.shape), tuple(value.shape)
    # A Tensor without axes may stand where no size is given, whatever the rank.
    if wanted == (-2,) or (not shape and set(wanted) == {-1}):
        return
    if len(wanted) != len(shape):
        raise _other("dims", place, len(wanted), len(shape))
    for size, got in zip(wanted, shape, strict=True):
        if size not in (-1, got):
            raise _other("shape", place, size, got)


def _other(what: str, place: str, expected: int, got: int) -> ValueError:
    return ValueError(f"For set_inputs and tuple(list) in set_inputs, the {what} of {place} input must be "
                      f"the same as expected, but got expected: {expected}, and input: {got}!")
