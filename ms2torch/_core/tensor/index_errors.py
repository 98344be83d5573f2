"""MindSpore's errors for wrong indices and values: its types and its words, as measured on 2.10.0.

Most functions make the error for their caller to raise. The culprit among index tensors is looked for only
after torch has refused them, so that right programs pay nothing.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.tensor import printing
from ms2torch._core.tensor.dtype import from_torch

# MindSpore's ids of the dtypes that it refuses as indices.
_TYPE_IDS = {
    torch.uint8: 37, torch.uint16: 38, torch.uint32: 39, torch.uint64: 40, torch.float16: 42,
    torch.float32: 43, torch.float64: 44, torch.bfloat16: 45, torch.complex64: 51, torch.complex128: 52,
}


def _vector(values) -> str:
    return f"[const vector]{{{', '.join(str(v) for v in values)}}}"


def of_functions(index: torch.Tensor, count: int) -> Exception | None:
    """What a graph says of a tensor that is to choose one of ``count`` functions, None of a good one."""
    if index.dtype is not torch.int32:
        return ValueError(f"switch_layer index must be an int32, but got {from_torch(index.dtype)}")
    if index.numel() != 1:
        return ValueError("switch_layer index must be a 0 dimension tensor, but got a "
                          f"{index.ndim} dimension tensor")
    if -count <= index.item() < count:
        return None
    return IndexError(f"Given index {index.item()} out of range. Please make sure the value of index in "
                      f"[{-count}, {count}), and the type is int32.")


# ---- kinds of index ---------------------------------------------------------------------------------------


def not_an_index(index) -> IndexError:
    return IndexError("Only support integers, slices(`:`), ellipsis(`...`), None, bool, tensor, int, list "
                      f"and tuple as index, but got {index} with type {type(index)}")


def not_an_entry(entry) -> TypeError:
    kind, text = ("Float", f"{entry:g}") if isinstance(entry, float) else ("Array", entry)
    return TypeError("For tuple index, the types only support 'Slice', 'Ellipsis', 'None', 'Tensor', 'int', "
                     f"'List', 'Tuple', 'bool', but got type '{kind}', value: {text}")


def unsupported_type(value) -> IndexError:
    shown = str(value) if isinstance(value, np.generic) else repr(value)
    return IndexError(f"Unsupported Python object type received: {type(value)}. Supported types for tensor "
                      "indexing are: list, int, float, tuple, slice, ellipsis, None, array, bool, or Tensor. "
                      f"Received value: {shown}")


def slice_bound() -> RuntimeError:
    return RuntimeError("Slice index type must be int, tensor or none.")


def empty_sequence() -> IndexError:
    return IndexError("IndexError: The sequence element(tuple/list) in tuple index can't be empty.")


def too_long(value) -> RuntimeError:
    return RuntimeError(f"Unable to cast Python instance of type {type(value)} to C++ type 'long'")


def integers_to_read(index: torch.Tensor) -> IndexError:
    return IndexError(f"The tensor index must be int or bool type, but got {printing.to_str(index)}")


def integers_to_write(index: torch.Tensor, allowed) -> torch.Tensor:
    if index.dtype not in allowed:
        raise IndexError(
            f"For tensor set item, the index tensor data type{_TYPE_IDS[index.dtype]} is not supported.")
    return index


def entry_dtype(entry: torch.Tensor, writing: bool) -> IndexError:
    dtype = from_torch(entry.dtype)
    if writing:
        return IndexError(f"For 'tensor setitem', the index tensor data type '{dtype}' is not supported.")
    return IndexError(f"The tensor element in tuple index must be int or bool type, but got {dtype}")


# ---- bounds -----------------------------------------------------------------------------------------------


def no_dimension() -> TypeError:
    return TypeError("Cannot iterate over a scalar tensor.")


def bound(index: int, n: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for dimension with size {n}")


def axis_bound(index: int, n: int) -> IndexError:
    return IndexError(f"Index {index} is out of bounds for axis 0 with size {n}")


def beyond_shape(entries, shape) -> IndexError:
    named = ", ".join(str(e[0] if isinstance(e, list) and len(e) == 1 else e) for e in entries)
    return IndexError(f"Tuple index ({named}) out rang of tensor shape {_vector(shape)}")


def check_against_first(entries, n: int) -> None:
    """MindSpore holds the numbers of all lists within a list against the first dimension before it writes."""
    for entry in entries:
        if isinstance(entry, list):
            check_against_first(entry, n)
            wrong = next((i for i in entry if i.__class__ is int and not -n <= i < n), None)
            if wrong is not None:
                raise IndexError(f"index {wrong} out of bounds for dimension with size {n}")


def sequence_bound(index: int, n: int) -> IndexError:
    return IndexError(f"index {index} out of bounds for dimension with size {n}")


def gather(t: torch.Tensor, index: torch.Tensor) -> RuntimeError:
    n = t.shape[0]
    wrong = int(index[(index < -n) | (index >= n)].reshape(-1)[0])
    return RuntimeError(f"For 'Gather', the 'input_indices' should be in the range [0, {n}), but got "
                        f"{wrong + n if wrong < 0 else wrong}, error_code[58]")


def reading(t: torch.Tensor, plan, original: Exception) -> Exception:
    """Why ``aten::index`` refused: shapes that do not broadcast, or an index out of range."""
    found = _no_broadcast(plan, "getitem")
    if found is not None:
        return found
    place, row = _first_wrong(plan)
    if not row:
        return original
    return RuntimeError(f"For 'GatherNd', the indices[{place}]: {_vector(row)}, does not index into "
                        f"input_shape: {_vector(t.shape)}.")


def writing(plan, original: Exception) -> Exception:
    """Why ``aten::index_put_`` refused; the original error where it was for another reason."""
    found = _no_broadcast(plan, "setitem")
    if found is not None:
        return found
    _, row = _first_wrong(plan)
    if not row:
        return original
    for value in row:
        if value < 0:
            return RuntimeError(f"The int value({value}) is less than 0.")
    return ValueError("For 'TensorScatterUpdate', indices out of range for input_x. Please check the "
                      f"indices which is {_vector(row)}")


def _no_broadcast(plan, name: str) -> ValueError | None:
    x = ()
    for tensor in plan.tensors:
        if tensor is None:
            continue
        y = tuple(tensor.shape)
        for back in range(1, min(len(x), len(y)) + 1):
            if x[-back] != y[-back] and 1 not in (x[-back], y[-back]):
                return ValueError(
                    f"For 'tensor {name}', x.shape and y.shape need to broadcast. The value of "
                    f"x.shape[{len(x) - back}] or y.shape[{len(y) - back}] must be 1 or -1 when they "
                    f"are not the same, but got x.shape = {_vector(x)} and y.shape = {_vector(y)}")
        x = torch.broadcast_shapes(x, y)
    return None


def _first_wrong(plan) -> tuple[int, list[int]]:
    """Which element of the result is the first without a source, and the indices of that source."""
    at = [i for i, x in enumerate(plan.tensors) if x is not None]
    indices = [x.reshape(-1) for x in torch.broadcast_tensors(*[plan.tensors[i] for i in at])]
    wrong = torch.stack([
        (x < -plan.sizes[i]) | (x >= plan.sizes[i]) for i, x in zip(at, indices, strict=True)])
    if not wrong.any():
        return 0, []
    k = int(wrong.any(0).nonzero()[0])
    by_dim = {i: int(x[k]) for i, x in zip(at, indices, strict=True)}
    row, after = [], 1
    for dim in range(at[-1] + 1):
        if dim not in by_dim:
            after *= plan.view.shape[dim]
        if plan.starts[dim] is not None:
            value = by_dim.get(dim, plan.starts[dim])
            row.append(value + plan.sizes[dim] if value < 0 else value)
    adjacent = at == list(range(at[0], at[-1] + 1))
    return (k if adjacent else k * after), row


# ---- masks and values -------------------------------------------------------------------------------------


def mask_to_read(t: torch.Tensor, mask: torch.Tensor) -> Exception:
    if mask.ndim > t.ndim:
        return IndexError("The dim of index cannot be greater than indexed data, but got dim of "
                          f"index:{mask.ndim}, dim of data:{t.ndim}")
    dim = next(i for i, n in enumerate(mask.shape) if n != t.shape[i])
    return ValueError(f"The shape of index {_vector(mask.shape)}does not match the shape of the indexed data "
                      f"{_vector(t.shape)} at dim index{dim}")


def mask_to_write(t: torch.Tensor, mask: torch.Tensor) -> ValueError:
    if mask.ndim > t.ndim:
        return ValueError(f"Can not pad {_vector(mask.shape)} to length {t.ndim}")
    padded = (*mask.shape, *[1] * (t.ndim - mask.ndim))
    return ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: "
                      f"({_joined(padded)})  and requested shape ({_joined(t.shape)})")


def _joined(shape, between: str = ",") -> str:
    return between.join(str(n) for n in shape)


def not_a_value(value) -> TypeError:
    return TypeError(
        f"only support numbers, Tensor, tuple, list as value, but got {value} with type {type(value)}")


def element(value):
    """An element of a list that is written; TypeError for anything but a number."""
    if value is None:
        raise RuntimeError("Cannot construct Tensor because of unsupported data type: 0.")
    if value.__class__ not in (int, float, bool, complex):
        raise TypeError(f"Input data must be `int`, `float`, `bool`, `list` or `tuple`, but got {value}")
    return value


def ragged(shape, first) -> ValueError:
    return ValueError(f"All input shape must be the same! {_vector(shape)} And {_vector(first)}")


def uneven() -> ValueError:
    return ValueError("Input array must have the same size across all dimensions.")


def one_value(value: torch.Tensor) -> ValueError:
    return ValueError("For SetItem, the shape of right value must be () or (1, ) when shape of left value is "
                      f"0, but got{_vector(value.shape)}")


def reshaped(value: torch.Tensor, shape) -> torch.Tensor:
    """What ``t[...] = value`` writes of a value with more dimensions than t; ValueError for another size."""
    if value.numel() != math.prod(shape):
        if mode.graph or mode.inside:
            raise ValueError("For primitive[Reshape], the accumulate of x_shape must be equal to out_shape, "
                             f"but got x_shape: {_vector(value.shape)}, and out_shape: {_vector(shape)}")
        raise ValueError(f"proposed_shape '{_vector(shape)}' is invalid for input of size {value.numel()}")
    return value.reshape(shape)


def check_broadcast(value: torch.Tensor, shape) -> None:
    """ValueError unless the value broadcasts to ``shape``; more dimensions do not, even of length 1."""
    if value.ndim > len(shape):
        raise ValueError("For primitive [BroadcastTo]: input's rank should be less equal to the number of "
                         f"proposed_shape, but got {value.ndim} and {len(shape)}")
    for n, m in zip(reversed(value.shape), reversed(shape), strict=False):
        if n != m and n != 1:
            raise ValueError("For 'BroadcastTo', in order to broadcast, each dimension pair must be equal or "
                             "input dimension is 1 or target dimension is -1. But got x_shape: "
                             f"({_joined(value.shape, ', ')}), target shape: ({_joined(shape, ', ')}).")
