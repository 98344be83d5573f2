"""What the sparse optimizer Primitives demand of their arguments, and how MindSpore says that they fail."""

from __future__ import annotations

from typing import NamedTuple

import torch

from ms2torch._core.checks.calls import type_description
from ms2torch._core.tensor.dtype import from_torch


class Demands(NamedTuple):
    """One Primitive's dtypes of weight and states and of indices, and its choice of words."""

    kinds: tuple[str, ...] = ("Float32",)
    indices: tuple[str, ...] = ("Tensor[Int32]",)
    joint: str = " "        # between an argument and the word "shape"
    rank: str = "rank"
    names_argument: bool = True


_HALF = ("Float16", "Float32")
_INTEGERS = tuple(f"Tensor[{n}]" for n in ("Int16", "Int32", "Int64", "Int8", "UInt16", "UInt32", "UInt64",
                                           "UInt8"))
_EITHER = ("Int32", "Int64", "Tensor[Int32]", "Tensor[Int64]")
DEMANDS = {
    "FusedSparseAdam": Demands(joint="_"),
    "FusedSparseLazyAdam": Demands(joint="_"),
    "FusedSparseFtrl": Demands(),
    "FusedSparseProximalAdagrad": Demands(indices=_INTEGERS),
    "SparseApplyFtrl": Demands(_HALF, ("Tensor[Int32]", "Tensor[Int64]")),
    "SparseApplyAdagradV2": Demands(_HALF, _EITHER, "_", "dimension", names_argument=False),
    "SparseApplyRMSProp": Demands(_HALF, _EITHER, rank="dim", names_argument=False),
}


def check(name: str, given: dict, states: int) -> None:
    """TypeError and ValueError in MindSpore's words unless the arguments ``given`` by name, the weight and
    the other states first, fit together."""
    demands = DEMANDS[name]
    grad, indices = given["grad"], given["indices"]
    _check_kinds(name, demands, given, states)
    states = dict(list(given.items())[:states])
    if name == "SparseApplyRMSProp":
        _check_equal_shapes(name, states, grad, indices)
        return
    var, *others = states.items()
    for other, state in others:
        if state.shape != var[1].shape:
            raise ValueError(f"For primitive[{name}], the var{demands.joint}shape must be equal to "
                             f"{other}{demands.joint}shape which is {_vector(state.shape)} , but got "
                             f"{_vector(var[1].shape)}.")
    _check_rows(name, demands, var[1], grad, indices)


def _check_kinds(name, demands, given, states):
    grad, indices = given["grad"], given["indices"]
    if not isinstance(indices, torch.Tensor):
        if name == "SparseApplyRMSProp":
            raise TypeError(f"For {name}, 'grad' or 'indices' should be Tensor.")
        if not demands.names_argument:
            raise TypeError(f"For primitive[{name}], the input argument[indices] must be a type of "
                            f"{_among(demands.indices)}, but got {type_description(indices)}.")
        raise TypeError(f"For Primitive[{name}], the type of input argument[indices] must be Tensor "
                        f"but got {type_description(indices)}.")
    if isinstance(grad, (list, tuple, str)):
        place = list(given).index("grad") + 1
        kind = type_description(grad).replace("List", "Tuple")
        raise TypeError(f"For '{name}', the {place}th input grad can not be implicitly converted. "
                        f"Its type is {kind}. Only support Tensor or Scalar.")
    widest = given["var"].dtype
    apart = ("indices",) if demands.names_argument else ("indices", "lr")
    for argument, t in given.items():
        if isinstance(t, torch.Tensor) and argument not in apart:
            widest = torch.promote_types(widest, t.dtype)
    states = dict(list(given.items())[:states])
    for argument, state in states.items():
        if state.dtype is not widest:
            which = (f"the argument[{argument}]'s data type of primitive[{name}] is" if demands.names_argument
                     else "so data type")
            raise TypeError(
                "Data type conversion is not supported for a 'Parameter', nor for the input tensor of an "
                f"in-place operator, {which} {from_torch(state.dtype)}, which cannot be converted to data "
                f"type {from_torch(widest)} automatically.")
    if from_torch(widest)._text not in demands.kinds:
        last = list(states)[1]
        allowed = _among([f"Tensor[{k}]" for k in demands.kinds])
        raise TypeError(f"For primitive[{name}], the input argument[{last}] must be a type of {allowed}, "
                        f"but got Ref[Tensor[{from_torch(widest)}]].")
    if f"Tensor[{from_torch(indices.dtype)}]" not in demands.indices:
        raise TypeError(f"For primitive[{name}], the input argument[indices] must be a type of "
                        f"{_among(demands.indices)}, but got Tensor[{from_torch(indices.dtype)}].")


def _check_rows(name, demands, var, grad, indices):
    said = f"For primitive[{name}], the"
    shape = grad.shape if isinstance(grad, torch.Tensor) else torch.Size()
    if not shape:
        raise ValueError(f"{said} grad {demands.rank} must be greater than or equal to 1, but got 0.")
    if indices.ndim != 1:
        raise ValueError(f"{said} indices {demands.rank} must be equal to 1, but got {indices.ndim}.")
    rows = indices.shape[0]
    if shape[0] != rows:
        if name == "SparseApplyAdagradV2":
            raise ValueError(f"For '{name}', the indices size must be equal to grad first dimension size. "
                             f"But got indices size: {rows}, grad first dimension size: {shape[0]}.")
        raise ValueError(f"{said} grad_shape[0] must be equal to indices_shape[0] which is {rows} , "
                         f"but got {shape[0]}.")
    if shape[1:] != var.shape[1:]:
        if name.endswith("Adam"):
            raise ValueError(f"For '{name}', the shape of updates must be [] or grad_shape = indices_shape + "
                             f"var_shape[1:], but got var_shape: {_vector(var.shape)}, indices_shape: "
                             f"{_vector(indices.shape)}, grad_shape: {_vector(shape)}.")
        raise ValueError(f"{said} var_shape[1:] must be equal to grad_shape[1:] which is "
                         f"{_vector(shape[1:])} , but got {_vector(var.shape[1:])}.")


def _check_equal_shapes(name, states, grad, indices):
    said = f"For primitive[{name}], the"
    var = next(iter(states.values())).shape
    for argument, t in (("grad", grad), *list(states.items())[1:]):
        shape = t.shape if isinstance(t, torch.Tensor) else torch.Size()
        if shape != var:
            raise ValueError(f"{said} shape of {argument} : {_sizes(shape)} must be equal to {_sizes(var)}")
    if indices.ndim != 1:
        raise ValueError(f"{said} indices dim must be equal to 1, but got {indices.ndim}.")
    if indices.shape[0] != var[0]:
        raise ValueError(f"{said} attribute[indices shape] must be equal to {var[0]}, "
                         f"but got {indices.shape[0]}.")


def _vector(shape) -> str:
    return "[const vector]{" + ", ".join(map(str, shape)) + "}"


def _sizes(shape) -> str:
    return "[" + "".join(f"{n}," for n in shape) + "]"


def _among(kinds) -> str:
    return "{" + ", ".join(kinds) + "}"
