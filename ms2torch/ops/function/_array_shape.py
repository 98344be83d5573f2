"""Operators that rearrange a tensor: shape, axes, repetition, order of elements.

Where torch views, so does the result: writes go through, as in MindSpore.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.checks.calls import class_text, wrong_inputs
from ms2torch._core.checks.words import renderings, shown, with_public_classes
from ms2torch._core.errors import asked, final
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import OMITTED, spelled
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lift

_RESHAPE = "Reshape()(input=<Tensor>, shape=<list of int, Tensor, tuple of int>)"
_TRANSPOSE = "Transpose()(input=<Tensor>, dims=<list of int, tuple of int>)"
_EXPAND_DIMS = "ExpandDims()(input_x=<Tensor>, axis=<Tensor, int>)"
_SQUEEZE = "Squeeze(axis=<list of int, int, tuple of int>)(input=<Tensor>)"
_TILE = "Tile()(input=<Tensor>, dims=<Tensor, tuple of int>)"


def ints(shape):
    """A shape that came as a tensor, as a list."""
    return shape.tolist() if isinstance(shape, torch.Tensor) else shape


def size_of(number):
    """An int of a size; one that torch's exporter leaves open stays open."""
    return number if isinstance(number, torch.SymInt) else int(number)


def whole(number):
    """The int of a tensor with one whole number, which MindSpore takes for it; anything else as it is."""
    if isinstance(number, torch.Tensor) and number.numel() == 1 and number.dtype in _WHOLE:
        return int(number)
    return number


_WHOLE = frozenset((torch.int32, torch.int64))


def either(first, second):
    """The one that was given of two names of an argument; TypeError for both, which the forms tell."""
    if first is not None and second is not None:
        raise TypeError
    return second if first is None else first


def in_range(axis: int, ndim: int, text: str) -> int:
    """``axis`` counted from the front; ValueError with MindSpore's ``text`` where it is out of range."""
    if not -ndim <= axis < ndim:
        raise ValueError(text.format(axis=axis, low=-ndim, ndim=ndim))
    return axis % ndim if ndim else 0


def misfitting(input, shape) -> ValueError:
    """MindSpore's error for sizes whose product is not the number of elements."""
    if graph_streams.here.call is not None:
        return final(ValueError(f"For primitive[Reshape], {_misfitting_in_a_graph(input, ints(shape))}"))
    sizes = ", ".join(map(str, ints(shape)))
    if min(ints(shape), default=0) < -1:
        return final(ValueError("invalid proposed_shape dimension"))
    if list(ints(shape)).count(-1) > 1:
        return final(ValueError("only one dimension can be inferred"))
    return final(ValueError(f"proposed_shape '[const vector]{{{sizes}}}' is invalid for input of size "
                            f"{input.numel()}"))


def _misfitting_in_a_graph(input, shape) -> str:
    sizes = f"[const vector]{{{', '.join(map(str, shape))}}}"
    if min(shape, default=0) < -1:
        return f"the component of shape can't be less than -1, but got {sizes}"
    if list(shape).count(-1) > 1:
        return f"at most one component of shape can be -1, but got {sizes}"
    inferred = input.numel() // -math.prod(shape) if -1 in shape and 0 not in shape else -1
    made = ", ".join(str(inferred if n == -1 else n) for n in shape)
    return (f"the accumulate of x_shape must be equal to out_shape, but got x_shape: [const vector]"
            f"{{{', '.join(map(str, input.shape))}}}, and out_shape: [const vector]{{{made}}}")


# ---- shape -----------------------------------------------------------------------------------------------


@op(primitive="Reshape", valid=_RESHAPE, mint=True)
def reshape(input, shape):
    """``input`` with another shape, one of whose sizes may be -1 (``mindspore.ops.reshape``).

    ValueError where the sizes do not fit.
    """
    try:
        return torch.reshape(input, shape)
    except TypeError:
        if isinstance(shape, torch.Tensor):
            return torch.reshape(input, shape.tolist())
        raise
    except RuntimeError:
        raise misfitting(input, shape) from None


def _own(t):
    """``t`` in memory of its own; while a pass is open nothing is written in place, and it may be shared."""
    return t.clone() if mode.differentiation is None else t


@primitive("Flatten")
def _flatten(input_x):
    """The first axis kept, all others as one."""
    if input_x.ndim == 0:
        raise final(RuntimeError("Unsupported input shape dimension. The shape should not be empty."))
    return _own(input_x.reshape(input_x.shape[0], math.prod(input_x.shape[1:])))


@op
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """Axes ``start_dim`` to ``end_dim`` as one; by default the first stays, unlike torch's.

    (``mindspore.ops.flatten``.)

    ``order`` "F" reads in column-major order. The result has memory of its own, unlike torch's, and unlike
    ``Tensor.flatten``'s.
    """
    return _own(_merge(input, order, start_dim, end_dim))


@method(name="flatten")
def _flatten_method(input, order="C", _end=OMITTED, *, start_dim=0, end_dim=-1):
    """All axes as one, or ``start_dim`` to ``end_dim`` (``mindspore.Tensor.flatten``); ``order`` "F":
    column-major.
    """
    if isinstance(order, str) and _end is not OMITTED:
        raise asked(TypeError("deprecated_tensor_flatten() takes from 1 to 2 positional arguments but 3 were "
                              "given"))
    if any(isinstance(v, (torch.Tensor, np.number)) for v in (order, _end, start_dim, end_dim)):
        raise asked(TypeError("For 'flatten', both 'start_dim' and 'end_dim' must be int."))
    if isinstance(order, int):
        order, start_dim, end_dim = "C", order, end_dim if _end is OMITTED else _end
    return _merge(input, order, start_dim, end_dim)


@mint_form(name="flatten")
def _flatten_mint(input, start_dim=0, end_dim=-1):
    """Axes ``start_dim`` to ``end_dim`` as one, all of them by default."""
    try:
        return torch.flatten(input, start_dim, end_dim)
    except TypeError:
        raise wrong_inputs("FlattenExt", input=input, start_dim=start_dim, end_dim=end_dim) from None


def _merge(input, order, start_dim, end_dim):
    ndim = input.ndim
    if order == "F":
        input = input.permute(*range(ndim - 1, -1, -1))
    elif order != "C":
        if not isinstance(order, str):
            raise TypeError(f"For 'flatten', the 'order' must be a string, but got {type(order)}.")
        raise ValueError(
            f"For Tensor.flatten, the parameter 'order' must be 'C' or 'F', but got '{order}'.")
    if ndim <= 1:
        if not -1 <= start_dim <= 1 or not -1 <= end_dim <= 0:
            raise ValueError("'start_dim' or 'end_dim' out of range.")
        return input.reshape(-1)
    if not -ndim <= start_dim < ndim or not -ndim <= end_dim < ndim:
        raise ValueError("'start_dim' or 'end_dim' out of range.")
    if start_dim % ndim > end_dim % ndim:
        raise ValueError("For 'flatten', 'start_dim' cannot come after 'end_dim'.")
    return input.flatten(start_dim, end_dim)


@op(method=True, mint=True)
def ravel(input):
    """All elements in one axis (``mindspore.ops.ravel``)."""
    return input.reshape(-1)


@method(name="expand_dims")
def _expand_dims_method(input, axis):
    """With an axis of size 1 before ``axis`` (``mindspore.Tensor.expand_dims``)."""
    if not isinstance(axis, int):
        raise TypeError(f"The type of 'axis' must be 'int', but got '{type(axis).__name__}'.")
    try:
        return torch.unsqueeze(input, axis)
    except IndexError:
        rank = input.ndim + 1
        raise ValueError(f"The 'axis' must be in range of [-{rank}, {rank}), but got {axis} with type "
                         "'int'.") from None


@op(primitive="ExpandDims", valid=_EXPAND_DIMS)
def expand_dims(input_x, axis):
    """``input_x`` with an axis of size 1 before ``axis``.

    (``mindspore.ops.expand_dims``; torch's unsqueeze.)
    """
    return torch.unsqueeze(input_x, int(axis) if isinstance(axis, torch.Tensor) else axis)


@op(method=True, mint=True)
def unsqueeze(input, dim):
    """``expand_dims`` under its other name (``mindspore.ops.unsqueeze``)."""
    return torch.unsqueeze(input, whole(dim))


@op(primitive="Squeeze", init={"axis": ()}, method=True, mint="squeeze(input, dim)", valid=_SQUEEZE)
def squeeze(input, axis=None):
    """``input`` without axes of size 1: all of them, or those of ``axis`` (``mindspore.ops.squeeze``).

    An axis of another size stays.
    """
    if axis is None or (axis.__class__ is tuple and not axis):
        return torch.squeeze(input)
    if not input.ndim:
        return input.clone()
    if axis.__class__ is list or axis.__class__ is tuple:
        if bool in map(type, axis):
            raise TypeError("no axes")
        axis = _each_once(axis, input.ndim)
    return torch.squeeze(input, axis)


def _each_once(axes, ndim: int) -> tuple:
    """``axes`` without those that are named again; torch refuses them."""
    if len(axes) > 1 and all(isinstance(n, int) for n in axes):
        return tuple({n % ndim if -ndim <= n < ndim else n: n for n in axes}.values())
    return tuple(axes)


@op(primitive="BroadcastTo", init=("shape",), mint=True)
def broadcast_to(input, shape):
    """``input`` repeated to ``shape``, without copying; -1 keeps a size (``mindspore.ops.broadcast_to``)."""
    shape = ints(shape)
    try:
        return input.expand(shape)
    except RuntimeError:
        raise _cannot_broadcast(input, shape) from None


@method(name="broadcast_to")
@spelled(size="shape")
def _broadcast_method(input, *sizes, shape=None):
    """``input`` repeated to sizes given one by one or in one tuple (``mindspore.Tensor.broadcast_to``)."""
    if shape is None:
        if not sizes:
            raise TypeError("broadcast_to() missing 1 required positional argument: shape.")
        shape = sizes if isinstance(sizes[0], int) else sizes[0]         # what follows is not looked at
    return broadcast_to.kernel(input, shape)


def _cannot_broadcast(input, shape) -> Exception:
    if input.ndim > len(shape):
        return ValueError(f"For primitive [BroadcastTo]: input's rank should be less equal to the number of "
                          f"proposed_shape, but got {input.ndim} and {len(shape)}")
    lead = len(shape) - input.ndim
    for i, n in enumerate(shape[:lead]):
        if n == -1:
            return ValueError(
                "For 'BroadcastTo', -1 in init shape is in an incompatible location with given input tensor, "
                f"-1 index in init shape: {i} but -1 can only be in index{input.ndim}onwards for this input.")
    return ValueError(
        "For 'BroadcastTo', in order to broadcast, each dimension pair must be equal or input dimension is 1 "
        f"or target dimension is -1. But got x_shape: {tuple(input.shape)}, target shape: {tuple(shape)}.")


@op
def expand(input_x, size):
    """``broadcast_to`` with the shape in a tensor (``mindspore.ops.expand``)."""
    return broadcast_to.kernel(input_x, size)


@op(method=True)
@spelled(x="other")
def expand_as(input, other):
    """``input`` repeated to the shape of ``other`` (``mindspore.ops.expand_as``)."""
    return broadcast_to.kernel(input, tuple(other.shape))


@op
def view_as(input, other):
    """``input`` in the shape of ``other`` (``mindspore.ops.view_as``)."""
    return torch.reshape(input, other.shape)


def _each_of(inputs, grown, words):
    """``grown`` of a tensor, or of each of several; what is none is told of by its class after ``words``."""
    if isinstance(inputs, torch.Tensor):
        return grown(inputs)
    try:
        some = list(inputs)
    except TypeError as err:
        raise final(err) from None
    if wrong := [n for n in some if not isinstance(n, torch.Tensor)]:
        raise final(TypeError(f"{words}, but got {renderings(wrong[0])['cls']}"))
    return tuple(map(grown, some))


@op
def atleast_1d(inputs):
    """A tensor, or each of several, with one axis or more (``mindspore.ops.atleast_1d``)."""
    return _each_of(inputs, torch.atleast_1d, "For 'atleast_1d', each element of 'inputs' must be a tensor")


@op
def atleast_2d(inputs):
    """A tensor, or each of several, with two axes or more (``mindspore.ops.atleast_2d``)."""
    return _each_of(inputs, torch.atleast_2d, "expect Tensor or list of tensors")


@op
def atleast_3d(inputs):
    """A tensor, or each of several, with three axes or more (``mindspore.ops.atleast_3d``)."""
    return _each_of(inputs, torch.atleast_3d, "For 'atleast_3d', each element of 'inputs' must be a tensor")


# ---- axes ------------------------------------------------------------------------------------------------


@op(primitive="Transpose", valid=_TRANSPOSE, alias="transpose_")
@spelled(input_perm="dims")
def transpose(input, dims):
    """The axes of ``input`` in the order ``dims`` (``mindspore.ops.transpose``; torch's permute).

    ``input_perm`` is the name of ``dims`` before 2.5. ValueError for an order that is none.
    """
    try:
        return torch.permute(input, dims)
    except (RuntimeError, IndexError) as err:
        raise not_an_order(input, dims) or err from None


def not_an_order(input, dims) -> Exception | None:
    """The error for axes that are no order of ``input``'s."""
    if len(dims) != input.ndim:
        return ValueError(f"For 'Transpose', size of perm should equal to rank of x, but got {len(dims)} "
                          f"and {input.ndim}!")
    n = input.ndim
    outside = next((d for d in dims if not -n <= d < n), None)
    if outside is not None:
        if mode.graph:
            return ValueError(f"For primitive[Transpose], the perm value must be in [{-n},{n}), "
                              f"but got {outside}.")
        return ValueError(f"Dimension out of range (expected to be in range of [{-n}, {n}), "
                          f"but got {outside})")
    axes = [d % n for d in dims]
    twice = next((d for d in axes if axes.count(d) > 1), None)
    if twice is None:
        return None
    comma = "," if mode.graph else ""
    return ValueError(f"For 'Transpose'{comma} perms should all be unique dim, but{twice} is not unique!")


@mint_form(name="transpose")
def _transpose_mint(input, dim0, dim1):
    """``input`` with the axes ``dim0`` and ``dim1`` exchanged."""
    return torch.transpose(input, dim0, dim1)


@op
def permute(input, axis):
    """``transpose`` under torch's name (``mindspore.ops.permute``)."""
    return transpose.kernel(input, axis)


@mint_form(name="permute")
def _permute_mint(input, dims):
    """The axes of ``input`` in the order ``dims``."""
    try:
        return torch.permute(input, dims)
    except RuntimeError as err:
        raise not_an_order(input, dims) or err from None


@mint_form(name="swapaxes")
def _swapaxes_mint(input, axis0, axis1):
    """``input`` with two axes exchanged."""
    return torch.transpose(input, whole(axis0), whole(axis1))


@op(method=True)
def swapaxes(input, axis0, axis1):
    """``input`` with two axes exchanged (``mindspore.ops.swapaxes``; torch's transpose)."""
    for axis in (axis0, axis1):
        if not isinstance(axis, int):
            raise TypeError(f"For ops.swapaxes, the axis argument must be integer, but got {type(axis)}.")
        in_range(axis, input.ndim, "The 'axis' must be in the range of [{low}, {ndim}), but got {axis}.")
    return torch.transpose(input, axis0, axis1)


@op(method=True)
def swapdims(input, dim0, dim1):
    """``swapaxes`` under its other name (``mindspore.ops.swapdims``)."""
    return swapaxes.kernel(input, dim0, dim1)


@op(method=("moveaxis", "movedim"), alias="movedim")
def moveaxis(x, source, destination):
    """``x`` with the axes ``source`` moved to the places ``destination`` (``mindspore.ops.moveaxis``)."""
    source, destination = ((n,) if isinstance(n, int) else tuple(n) for n in (source, destination))
    for axis in (*source, *destination):
        if not isinstance(axis, int):
            raise TypeError(f"The axes must be integers, but got {type(axis)}")
    if len(source) != len(destination):
        raise ValueError("For `source` and `destination` arguments, the number of elements must be the same, "
                         f"but got 'source': {len(source)} and 'destination': {len(destination)}.")
    return torch.movedim(x, tuple(map(int, source)), tuple(map(int, destination)))


@op(method=True, mint=True)
def t(input):
    """A matrix transposed; of any other rank, unlike torch's, unchanged (``mindspore.ops.t``)."""
    return input.t() if input.ndim == 2 else input


# ---- repetition ------------------------------------------------------------------------------------------


@op(primitive="Tile", mint="tile(input, dims)", valid=_TILE)
@spelled(multiples="dims")
def tile(input, dims):
    """``input`` repeated ``dims`` times along its axes (``mindspore.ops.tile``).

    ``multiples`` is the name of ``dims`` before 2.3. ValueError for negative numbers.
    """
    if isinstance(dims, torch.Tensor):
        dims = dims.reshape(-1).tolist()        # (of no dimension it is one number)
    if not isinstance(dims, (tuple, list)):
        raise TypeError
    try:
        return torch.tile(input, dims)
    except RuntimeError:
        for i, n in enumerate(dims):
            if n < 0:
                raise ValueError(f"For 'Tile', 'dims' cannot contain negative integer numbers, "
                                 f"but got {n} in {i}th.") from None
        raise


@op
def repeat_elements(x, rep, axis=0):
    """Each slice of ``x`` along ``axis`` ``rep`` times (``mindspore.ops.repeat_elements``)."""
    if not 0 < rep <= 2147483647:
        raise ValueError(f"For 'repeat_elements', the 'rep' must be in range of (0, 2147483647], "
                         f"but got {rep} with type '{type(rep).__name__}'.")
    in_range(axis, x.ndim, "For 'repeat_elements', the 'axis' must be in range of [{low}, {ndim}), "
                           "but got {axis} with type 'int'.")
    return torch.repeat_interleave(x, rep, axis)


@op
def repeat_interleave(input, repeats, axis=None):
    """Each slice along ``axis`` as often as ``repeats`` says; without an axis, of all elements.

    (``mindspore.ops.repeat_interleave``.) ``repeats`` is a number, or one for each slice.
    """
    check_repeats(repeats, input)
    return interleave(input, repeats, axis)


@method(name="repeat_interleave")
def _repeat_interleave_method(input, repeats, dim=None, *, output_size=None):
    """Each slice along ``dim`` as often as ``repeats`` says; without one, of all elements."""
    if dim.__class__ is int:
        in_range(dim, input.ndim, "The 'axis' must be in the range of [{low}, {ndim}), but got {axis}.")
    check_repeats(repeats, input)
    return interleave(input, repeats, dim)


@mint_form(name="repeat_interleave")
def _repeat_interleave_mint(input, repeats, dim=None, *, output_size=None):
    """Each slice along ``dim`` as often as ``repeats`` says; without an axis, each element."""
    if isinstance(repeats, torch.Tensor) and repeats.dtype not in (torch.int32, torch.int64):
        raise final(TypeError("For 'RepeatInterleaveTensor', 'repeats' must be int32 or int64"))
    if dim.__class__ is int and not -input.ndim <= dim < input.ndim:
        raise ValueError(f"For primitive[RepeatInterleaveInt], the dim must be in [{-input.ndim},"
                         f"{input.ndim - 1}], but got {dim}.")
    return interleave(input, repeats, dim)


def check_repeats(repeats, of) -> None:
    """MindSpore's errors for numbers that are no counts: it repeats slice by slice."""
    if repeats.__class__ is int and repeats > 0:
        return
    if isinstance(repeats, torch.Tensor):
        repeats = repeats.tolist()
    many = repeats if isinstance(repeats, (tuple, list)) else (repeats,)
    for k, n in enumerate(many):
        if not isinstance(n, int):
            raise final(TypeError(f"For 'repeat_interleave', each element in {shown(lift(many))} should be "
                                  f"int, but got {class_text(lift(n))} at index {k}."))
        if isinstance(n, bool):
            raise final(TypeError("For 'repeat_elements', the 'rep' must be 'int',  but got 'bool'."))
        if isinstance(n, int) and n < 0:
            raise final(ValueError("For 'repeat_elements', the 'rep' must be in range of (0, 2147483647], "
                                   f"but got {n} with type 'int'."))
    if not any(many):
        raise final(_none_repeated(many, of))


def _none_repeated(many, of) -> Exception:
    """What MindSpore's joining of no slices says."""
    if len(many) != 1:
        return ValueError("For primitive[Concat], the elements size must be greater than 0, but got 0.")
    kind = str(_dtype.from_torch(of.dtype)).rstrip("0123456789")
    return TypeError("For 'Tensor', the type of 'input_data' should be one of '['TensorPy', 'Tensor', "
                     "'ndarray', 'str_', 'list', 'tuple', 'float', 'int', 'bool', 'complex', 'bytes']', "
                     f"but got type '{kind}'.")


def interleave(input, repeats, axis):
    """Shared kernel of the forms of ``repeat_interleave``."""
    if isinstance(repeats, (tuple, list)):
        repeats = repeats[0] if len(repeats) == 1 else torch.tensor(repeats, device=input.device)
    if isinstance(repeats, torch.Tensor):
        size = input.numel() if axis is None else input.shape[axis]
        if repeats.numel() not in (1, size):
            raise ValueError(
                "For 'repeat_interleave', the length of 'repeats' must be the same as the shape of the "
                "original tensor in the 'axis' dimension, but got the length of 'repeats' "
                f"{repeats.numel()}, the shape of the original tensor in the 'axis' dimension {size}.")
        if not repeats.is_floating_point() and not repeats.is_complex() and repeats.dtype is not torch.bool:
            repeats = repeats.long()                    # (torch takes Int32 and Int64 alone)
    return torch.repeat_interleave(input, repeats, axis)


@primitive("InvertPermutation")
def _invert_permutation(input_x):
    """Of a tuple that permutes the first numbers, the one that undoes it."""
    if input_x is None or isinstance(input_x, torch.Tensor):
        told = "Ref[{}]" if isinstance(input_x, torch.nn.Parameter) else "{}"
        raise final(ValueError(f"For 'InvertPermutation', the value of 'input_x' "
                               f"{'can not be None' if input_x is None else 'must be non-Tensor'}, but got "
                               f"{told.format(renderings(input_x)['kind'])}."))
    try:
        input_x = list(input_x.decode() if isinstance(input_x, bytes) else input_x)
    except TypeError as err:
        raise final(with_public_classes(err, (input_x,))) from None
    if not input_x:
        raise final(ValueError("min() arg is an empty sequence"))
    for i, n in enumerate(input_x):
        if not isinstance(n, int) or isinstance(n, bool):
            told = "NoneType" if isinstance(n, torch.Tensor) else \
                "str" if isinstance(n, str) else type(n).__name__
            raise final(TypeError(f"For 'InvertPermutation', the type of 'input[{i}]' should be 'int', but "
                                  f"got type '{told}'."))
        if n in input_x[:i]:
            raise ValueError("For 'InvertPermutation', the 'input_x' can not contain duplicate values, "
                             f"but got duplicated {n} in the 'input_x'.")
    for what, found, right in (("min", min, 0), ("max", max, len(input_x) - 1)):
        if input_x and (end := found(input_x)) != right:
            raise ValueError(f"For 'InvertPermutation', the value {what} should be = : {right}, but got "
                             f"{end}.")
    return tuple(input_x.index(i) for i in range(len(input_x)))


@primitive("Expand")
def _expand(x, shape):
    """``broadcast_to`` with the shape in a tensor."""
    return broadcast_to.kernel(x, shape)


@primitive("DataFormatDimMap", init={"src_format": "NHWC", "dst_format": "NCHW"})
def _data_format_dim_map(input_x, src_format="NHWC", dst_format="NCHW"):
    """Numbers of axes in one format as those in the other (``mindspore.ops.DataFormatDimMap``)."""
    places = torch.tensor([src_format.index(c) for c in dst_format], device=input_x.device)
    return places[input_x.long() % len(src_format)].to(input_x.dtype)


@primitive("DataFormatVecPermute", init={"src_format": "NHWC", "dst_format": "NCHW"})
def _data_format_vec_permute(input_x, src_format="NHWC", dst_format="NCHW"):
    """Values for the axes of a format in the order of another (``mindspore.ops.DataFormatVecPermute``)."""
    return input_x[[src_format.index(c) for c in dst_format]]
