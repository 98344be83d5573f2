"""Parameters of a graph: no two have one name."""

from __future__ import annotations

import dis
import types

import torch

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

_OURS = __name__.partition(".")[0]
_SAYS = ("its name '{}' already exists. Please set a unique name for the parameter. For more details with "
         "the name of parameter, please refer to https://mindspore.cn/search?inputValue="
         "Please%20set%20a%20unique%20name%20for%20the%20parameter")


def check(function) -> None:
    """RuntimeError for two Parameters of one name among the values that a function, or one that it calls,
    reads from its surroundings."""
    names: dict = {}
    for value in _read_by(function, 3):
        if names.setdefault(value.name, value) is not value:
            raise RuntimeError(f"The parameter @{function.__name__}:param_{value.name} , "
                               f"{_SAYS.format(value.name)}")


def _read_by(function, depth: int):
    code = getattr(function, "__code__", None)
    if code is None or not depth:
        return
    seen = [_content(cell) for cell in function.__closure__ or ()]
    codes = [code]
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        seen += [function.__globals__.get(step.argval) for step in dis.get_instructions(code)
                 if step.opname == "LOAD_GLOBAL"]
    for value in seen:
        if isinstance(value, types.FunctionType) and (value.__module__ or "").partition(".")[0] != _OURS:
            yield from _read_by(value, depth - 1)
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(part, Parameter):
                yield part


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


def check_arguments(args: tuple, kwargs: dict) -> None:
    """ValueError for two Parameters of one name among what a graph is called with, the Cell's own too."""
    given = [v for v in (*args, *kwargs.values()) if isinstance(v, Parameter)]
    own = args[0].get_parameters() if given and isinstance(args[0], torch.nn.Module) else ()
    names: dict = {p.name: p for p in own}
    for value in given:
        if names.setdefault(value.name, value) is not value:
            shown = Tensor.__repr__(value)[:-1].replace("value= ", "value=", 1)
            raise ValueError(f"The parameter {shown}, name={value.name}) , {_SAYS.format(value.name)}")
