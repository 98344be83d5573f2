"""What ``Cell.set_inputs`` keeps, and how MindSpore words what does not fit."""

from __future__ import annotations

import inspect

from ms2torch._core import mode

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
