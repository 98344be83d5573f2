"""What a graph says of an index that a sequence or a Tensor lacks, and of slices that are none."""

from __future__ import annotations

import ast
import re

from ms2torch._core.tensor.index_errors import of_functions
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import is_mutable
from ms2torch.language.mapping import type_name
from ms2torch.language.unpacking import strided


def of_index(error, text, place):
    if "pop index out of range" in text or "pop from empty list" in text:
        return IndexError("The pop index out of range.")
    if not isinstance(place.node, ast.Subscript):
        return None
    if text.startswith(("The dim of index cannot be greater", "dimension is ")):        # (of a mask)
        return IndexError(f"'{text}'")
    target, index = place.value(place.node.value), place.value(place.node.slice)
    if told := among_functions(target, index) or _variable_index(target, index):
        return told
    if isinstance(target, (list, tuple)) and isinstance(index, int):
        who = "list_getitem" if isinstance(target, list) else "TupleGetItem"
        if not target:
            return _of_nothing(who)
        return IndexError(
            f"{who} evaluator index should be in range[-{len(target)}, {len(target)}), but got {index}."
        )
    return _tensor_index(text, place, target) if isinstance(target, Tensor) else None


def _variable_index(target, index):
    """The error of an index into a sequence where the compiler does not know one of the two."""
    dynamic = hasattr(target, "__ms_dynamic_len__")
    if not isinstance(target, (list, tuple)) or not isinstance(index, int) or not (
            dynamic or is_mutable(index)):
        return None
    if not target:
        who = "list_getitem" if isinstance(target, list) else "TupleGetItem"
        return _of_nothing(who)
    where = f"[-{len(target)}, {len(target)}), but got {index}."
    if dynamic:
        return IndexError(f"RealTupleGetItem evaluator index should be in range{where}")
    return ValueError(f"For RealTupleGetItem, index is out of range: {where}")


def _of_nothing(who: str) -> ValueError:
    return ValueError(f"For primitive:'{who}', cannot get item by index from an empty sequence.")


def among_functions(target, index):
    """The error of a Tensor that is to choose one of a list of functions or Cells."""
    chooses = isinstance(target, (list, tuple)) and isinstance(index, Tensor) and target
    return of_functions(index._t, len(target)) if chooses and all(map(callable, target)) else None


def _tensor_index(text, place, target):
    """What a graph's own operators say of an index that a Tensor lacks."""
    whole = place.value(place.node.slice)
    if whole.__class__ is float:
        return IndexError(f"Number index of tensor must be int or bool, but got {whole}.")
    if isinstance(whole, Tensor) and text.startswith("The tensor index must be int or bool type"):
        return IndexError(f"The tensor index must be int or bool type, but got {whole.dtype}.")
    found = re.match(r"too many indices for tensor of dimension\s*(\d+)", text)
    parts = place.node.slice.elts if isinstance(place.node.slice, ast.Tuple) else [place.node.slice]
    if found:
        return IndexError("'The dim of index cannot be greater than indexed data, but got dim of "
                          f"index:{len(parts)}, dim of data:{found[1]}'")
    found = re.match(r"index (-?\d+) is out of bounds for dimension with size (\d+)", text)
    index = int(found[1]) if found else None
    axis = added = 0
    for number, part in enumerate(parts):
        value = place.value(part)
        if value is ...:
            axis = target.ndim - (len(parts) - number - 1)
        elif found and value.__class__ is int and value == index and str(target.shape[axis]) == found[2]:
            return IndexError(strided(axis + added, target.shape[axis], index))
        elif value is None:
            added += 1
        else:
            axis += 1
    return None


def of_mask(text):
    """The error of a mask that is no mask of what it is to choose from."""
    found = re.match(r"The shape of index \[const vector\]\{([\d, ]*)\}does not match the shape of the "
                     r"indexed data \[const vector\]\{([\d, ]*)\}", text)
    return found and IndexError(f"'The shape of index ({found[1]}) does not match the shape of the indexed "
                                f"data ({found[2]})'")


def of_slice_part(found, place):
    parts = place.node.slice if isinstance(place.node, ast.Subscript) else None
    if not isinstance(parts, ast.Slice):
        return None
    values = [place.value(part) for part in (parts.lower, parts.upper, parts.step) if part is not None]
    kind = next((type_name(v) for v in values if isinstance(v, (str, float))), None)
    return kind and TypeError(f"Slice indices must be integers or bool. But got a {kind} number.")


def of_odd_index(found, place):
    value = place.value(place.node.slice)
    who = "list_getitem" if found[1] == "list" else "TupleGetItem"
    return IndexError(
        f"{who} evaluator index should be an int64 number, but got "
        f"AbstractScalar(Type: {type_name(value)}, Value: {value:g}, Shape: NoShape)"
    )
