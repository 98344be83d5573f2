"""What a node of a MindIR graph computes: MindSpore's primitives, by ours.

A file names an operator and gives its arguments: to a *function* all of them as inputs, those of the call
first and then those that the class is made with, choices by numbers; to an older primitive the latter as
attributes.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from pathlib import Path

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import Tensor, wrap

from . import recurrent
from .graph import U, Unread
from .structure import STRUCTURE, OpenSizes, constant, numbered_dtype, with_sizes

# Numbers by which files tell choices, by the argument's name, or by the operator's and that.
_CHOICES = {
    "pad_mode": {0: "pad", 1: "same", 2: "valid", 3: "full"},
    "padding": {1: "same", 2: "valid"},
    "data_format": {0: "NCHW", 1: "NHWC", 14: "NCDHW", 17: "NDHWC", 34: "HWCN"},
    "reduction": {0: "sum", 1: "mean", 2: "none"},
    "TensorScatterElements.reduction": {0: "none", 1: "add"},
    "reduce": {0: "none", 1: "add"},
    "norm": {0: "backward", 1: "forward", 2: "ortho"},
    "indexing": {0: "ij", 1: "xy"},
    "rounding_mode": {1: "trunc", 2: "floor"},
    "approximate": {0: "none", 1: "tanh"},
    "interpolation_mode": {0: "bilinear", 1: "nearest"},
    "padding_mode": {0: "zeros", 1: "border", 2: "reflection"},
    "coordinate_transformation_mode": {0: "asymmetric", 1: "align_corners", 2: "half_pixel"},
}
_ARGMAX = {3: 34, 4: 35, "int32": 34, "int64": 35}
_DTYPE_ARGUMENTS = ("dtype", "output_type", "dst_type", "type")
# Where a file's attribute goes by another name than our argument.
_ATTRIBUTES = {
    "data_format": ("data_format", "format"),
    "group": ("group", "groups"),
    "stride": ("stride", "strides"),
    "strides": ("strides", "stride"),
}
_PER_AXIS = ("kernel_size", "ksize", "stride", "strides", "dilation", "pads")


def _inplace(name: str):
    """An operator that writes its result into its first argument."""

    def call(x, other, *alpha):
        value = _mint(name)(x, other, **({"alpha": alpha[0]} if alpha else {}))
        if torch.compiler.is_compiling():       # an exported program writes to nothing
            x._t = value._t.to(x._t.dtype)
            if isinstance(x, OpenSizes):
                x.sizes = None
        elif hasattr(x, "assign_value"):
            x.assign_value(value)
        else:
            x._t.copy_(value._t)
        return x

    return call


def _mint(name: str):
    return getattr(importlib.import_module("ms2torch.mint"), name)


_INPLACE = {
    "InplaceAddExt": "add",
    "InplaceAddsExt": "add",
    "InplaceSubExt": "sub",
    "InplaceSubScalar": "sub",
    "InplaceMul": "mul",
    "InplaceMuls": "mul",
    "InplaceDiv": "div",
    "InplaceDivs": "div",
}


# Operators that give statistics too, where ours give the result alone.
_FIRST_OF_SEVERAL = {"GroupNorm", "LayerNormExt", "BatchNormExt"}


@functools.cache
def _forms() -> dict[str, tuple[str, list[str]]]:
    """Operators that are a function of ours: its place, and its arguments in the file's order."""
    text = Path(__file__).with_name("operators.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {name: (place, arguments.split()) for name, place, arguments in rows}


@functools.cache
def _class(name: str):
    from ms2torch.ops import operations

    try:
        found = getattr(operations, name)
    except Exception:       # a damaged name may be anything
        return None
    return found if isinstance(found, type) and "__call__" in dir(found) else None


def known(op: str) -> bool:
    """Whether a node of this operator can be run."""
    return op in STRUCTURE or op in _INPLACE or op in _forms() or _class(op) is not None


def writes(op: str) -> bool:
    """Whether an operator's effect is what it writes to a Parameter."""
    return re.match(r"Assign|Apply|Scatter(Nd)?(Update|Add|Sub|Mul|Div|Max|Min)$", op) is not None


def refusal(op: str) -> NotImplementedError:
    """What is said of another."""
    return unsupported(
        f"mindspore.load, the operator {op}",
        "ms2torch does not run it in a graph.",
        "build the network from its Python code and load_checkpoint its weights.",
    )


def call(op: str, attributes: dict, whole: bool, values: list):
    """The result of one node."""
    if any(isinstance(v, Unread) for v in (*values, *attributes.values())):
        raise refusal(op)
    if op in STRUCTURE:
        return STRUCTURE[op](*values)
    values = [v for v in values if v is not U]
    if op in _INPLACE:
        return _inplace(_INPLACE[op])(*values)
    made = _class(op)
    if made is None:
        if op not in _forms():
            raise refusal(op)
        return _function(op, values)
    if recurrent.is_open(op, values):
        return recurrent.lstm(values, attributes)
    found = _by_function(op, made, values) if whole else _by_attributes(op, made, attributes, values)
    return with_sizes(op, values, found)


def _function(op: str, values: list):
    place, names = _forms()[op]
    module, _, name = place.rpartition(".")
    form = getattr(Tensor if module == "Tensor" else importlib.import_module(f"ms2torch.{module}"), name)
    known_names = inspect.signature(form).parameters
    rest = {}
    for n, v in list(zip(names, values, strict=False))[1:]:
        bare = n.rstrip("!%")
        if bare in known_names and not (
            v is None and known_names[bare].default is not inspect.Parameter.empty
        ):
            rest[bare] = _meant(op, bare, v)
    result = form(values[0], **rest)
    return (result,) if op in _FIRST_OF_SEVERAL else result


@functools.cache
def _arguments(made: type) -> tuple[list[str], list[str]]:
    """Of the call, and of the making."""
    return list(inspect.signature(made.__call__).parameters)[1:], list(inspect.signature(made).parameters)


def _by_function(op: str, made: type, values: list):
    given, making = _arguments(made)
    count = len(given)
    if op in ("Zeros", "Ones"):
        count = 2
    settings = {n: _meant(op, n, v) for n, v in zip(making, values[count:], strict=False)}
    arguments = [_meant(op, n, v) for n, v in zip(given, values[:count], strict=False)]
    if op == "Round" and len(arguments) == 2:
        return made()(arguments[0], decimals=arguments[1])
    return made(**settings)(*arguments)


def _by_attributes(op: str, made: type, attributes: dict, values: list):
    _, making = _arguments(made)
    settings = {}
    for name in making:
        for key in _ATTRIBUTES.get(name, (name,)):
            if key in attributes:
                settings[name] = _meant(op, name, attributes[key])
                break
    if "pad_mode" in settings and str(settings["pad_mode"]).lower() != "pad":
        settings.pop("pad", None)
        settings.pop("pad_list", None)
    for name in _PER_AXIS:
        if name in settings:
            settings[name] = _spatial(op, settings[name])
    return made(**settings)(*values)


def _spatial(op: str, value):
    """Without the sizes of 1 for samples and channels that some files have."""
    axes = 3 if "3D" in op else 2
    if isinstance(value, tuple) and len(value) == axes + 2:
        return value[2:]
    return value


def _meant(op: str, name: str, value):
    """A choice by its word, a dtype by itself."""
    if op == "Renorm" and name == "p":
        return int(value)
    if name == "pad_mode" and isinstance(value, str):
        return value.lower()
    if name == "argmax_type":
        return numbered_dtype(_ARGMAX.get(value, value))
    if isinstance(value, int) and not isinstance(value, bool):
        choices = _CHOICES.get(f"{op}.{name}") or _CHOICES.get(name)
        if choices is not None:
            return choices.get(value, value)
        if name in _DTYPE_ARGUMENTS:
            return numbered_dtype(value)
    return value


def lifted(value):
    """A constant with Tensors of its own, which a run may write to."""
    if isinstance(value, torch.Tensor):
        if torch.compiler.is_compiling():       # a tensor that the tracer knows the numbers of
            return constant(value)
        return wrap(value.clone())
    if isinstance(value, (tuple, list)):
        return type(value)(lifted(v) for v in value)
    return value
