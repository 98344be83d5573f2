"""Operators that join tensors and take them apart."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import class_text, describe, failed_call, no_matching_form
from ms2torch._core.checks.enum_words import chosen
from ms2torch._core.errors import asked, final
from ms2torch._core.gradient import integers
from ms2torch._core.operators import autocast
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._naming import generations

from ._array_shape import either, ints

_CONCAT = "Concat(axis=<int>)(tensors=<list of tensor, tuple of Tensor>)"
_MESHGRID = "Meshgrid(indexing=<string>)(inputs=<list of tensor, tuple of Tensor>)"

_NEVER_WIDENED = frozenset({torch.uint16, torch.uint32, torch.uint64})


def _words(shape) -> str:
    return "[const vector]{" + ", ".join(map(str, shape)) + "}"


# ---- joining ---------------------------------------------------------------------------------------------


@op(primitive="Concat", init=("axis",), valid=_CONCAT)
@spelled(input_x="tensors")
def concat(tensors, axis=0):
    """Tensors of one dtype and rank joined along ``axis`` (``mindspore.ops.concat``).

    ``input_x`` is the name of ``tensors`` before 2.0. ValueError where shapes do not fit; unlike torch's, no
    promotion of dtypes but a graph's (`_as_the_first`), and no exception for empty tensors of another rank.
    """
    return joined(tensors, axis)


def joined(tensors, axis):
    """Shared kernel of ``concat`` and ``cat``."""
    if len(tensors) == 0:
        raise ValueError("For primitive[Concat], the elements size must be greater than 0, but got 0.")
    first = tensors[0]
    dtype, ndim = first.dtype, first.dim()
    for other in tensors[1:]:
        if other.dtype is not dtype:
            if graph_streams.here.call is not None:
                return cat_of(_as_the_first(tensors), axis)
            if (wide := autocast.widened(tensors)) is not tensors:
                return joined(wide, axis)
            raise final(RuntimeError(
                "KernelMod Init Failed: Concat. All tensors must have one dtype, but got "
                f"{[str(_dtype.from_torch(t.dtype)) for t in tensors]}."))
        if other.dim() != ndim:
            raise _unlike_ranks(tensors)
    return cat_of(tensors, axis)


def _as_the_first(tensors) -> list:
    """What a graph joins of tensors of several dtypes: the result has the widest, but every value goes by way
    of the first tensor's, so that 2.5 behind an int32 is 2.0. Gradients pass as if it did not."""
    if any(t.dtype in _NEVER_WIDENED for t in tensors):
        raise final(TypeError("For Op[Concat], the promote output type is invalid"))
    first = widest = tensors[0].dtype
    for t in tensors[1:]:
        widest = torch.promote_types(widest, t.dtype)
    made = []
    for t in tensors:
        value, wide = t.to(first).to(widest), t.to(widest)
        made.append(value.detach() + (wide - wide.detach()) if wide.requires_grad else value)
    return made


def cat_of(tensors, axis):
    """``torch.cat``, whose errors are told as MindSpore's."""
    try:
        return torch.cat(tensors, axis)
    except IndexError:
        if not len(tensors):
            raise
        ndim = tensors[0].dim()
        raise ValueError(f"For primitive[Concat], the axis value must be in [-{ndim},{ndim}), "
                         f"but got {axis}.") from None
    except RuntimeError:
        if len({tuple(t.shape) for t in tensors}) < 2 and tensors[0].dim():
            raise                               # not about shapes
        if len({t.dim() for t in tensors}) > 1:
            raise _unlike_ranks(tensors) from None
        raise _cannot_join(tensors, axis % max(tensors[0].dim(), 1)) from None


def _unlike_ranks(tensors) -> ValueError:
    return ValueError("For primitive[Concat], element rank must be same(shapes are [const vector]{"
                      f"{', '.join(_words(t.shape) for t in tensors)}}})!")


def _cannot_join(tensors, axis) -> Exception:
    if tensors[0].ndim == 0:
        return ValueError("For primitive[Concat], all elements should not be zero rank, "
                          f"but got zero rank in position {len(tensors) - 1}!")
    first = tensors[0].shape
    shapes = ", ".join(_words(t.shape) for t in tensors)
    if sum(len(set(sizes)) > 1 for sizes in zip(*(t.shape for t in tensors), strict=True)) > 1:
        return ValueError("For primitive[Concat] only support one axis different, bug got more than one("
                          f"shapes is [const vector]{{{shapes}}})!")
    wrong = next((i for i in range(len(first)) for t in tensors if i != axis and t.shape[i] != first[i]), 0)
    return ValueError(
        f"For primitive[Concat], shapes of tensors must match except in given concat axis {axis}, but got "
        f"mismatch in {wrong}(all input shapes are [const vector]{{{shapes}}})!")


@op
def cat(tensors, axis=0):
    """``concat`` under torch's name (``mindspore.ops.cat``)."""
    return joined(tensors, axis)


@mint_form(name="cat")
def _cat_mint(tensors, dim=0):
    """Tensors joined along ``dim``."""
    return cat_of(tensors, dim)


@mint_form(name="concat")
def _concat_mint(tensors, dim=0):
    """Tensors joined along ``dim``: ``cat``."""
    return cat_of(tensors, dim)


@op(primitive="Stack", init=("axis",))
def stack(tensors, axis=0):
    """Tensors of one shape and dtype along a new axis (``mindspore.ops.stack``)."""
    if isinstance(tensors, torch.Tensor):
        tensors = [tensors]
    elif not isinstance(tensors, (list, tuple)):
        raise final(TypeError("Infer type failed."))
    if not tensors:
        raise ValueError("For primitive[Stack], the stack element num must be greater than or equal to 1, "
                         "but got 0.")
    first = getattr(tensors[0], "dtype", None)
    for i, other in enumerate(tensors):
        if not isinstance(other, torch.Tensor):
            raise final(ValueError("All input shape size must be the same!") if any(
                isinstance(t, torch.Tensor) for t in tensors) else TypeError("Infer type failed."))
        if other.dtype is not first:
            raise TypeError(f"All input must have the same data type!input[{i}] data type = "
                            f"Tensor[{_dtype.from_torch(other.dtype)}]infer_type0= "
                            f"Tensor[{_dtype.from_torch(first)}]")
    try:
        return torch.stack(tensors, axis)
    except IndexError:
        rank = tensors[0].ndim + 1
        raise ValueError(f"For primitive[Stack], the Stack axis must be in [-{rank},{rank - 1}], "
                         f"but got {axis}.") from None
    except RuntimeError:
        shape = tensors[0].shape
        other = next((t.shape for t in tensors if t.shape != shape), shape)
        if len(other) != len(shape):
            raise ValueError("All input shape size must be the same!") from None
        raise ValueError(f"All input shape must be the same! {_words(other)} And {_words(shape)}") from None


@primitive("Pack", init=("axis",))
def _pack(input_x, axis=0):
    """``Stack`` before 1.2."""
    return stack.kernel(input_x, axis)


@mint_form(name="stack")
def _stack_mint(tensors, dim=0):
    """Tensors of one shape along a new axis ``dim``."""
    return torch.stack(tensors, dim)


def _check_elements(words: str, tensors) -> None:
    wrong = next((t for t in tensors if not isinstance(t, torch.Tensor)), tensors) \
        if isinstance(tensors, (tuple, list)) else tensors
    if wrong is not tensors:
        raise asked(TypeError(words.format(class_text(wrong))))


@op(mint=True)
def hstack(tensors):
    """Tensors joined along the second axis, vectors along the first (``mindspore.ops.hstack``)."""
    _check_elements("For hstack, the input element must be tensor, but got {}.", tensors)
    return torch.hstack(tensors)


@op(alias="row_stack(tensors)")
def vstack(inputs):
    """Tensors joined along the first axis, vectors as rows (``mindspore.ops.vstack``)."""
    _check_elements("For 'vstack', Tensor is required, but got {}", inputs)
    return torch.vstack(inputs)


@op(mint=True)
def dstack(tensors):
    """Tensors joined along the third axis (``mindspore.ops.dstack``)."""
    _check_elements("For 'dstack', each elements of 'tensors' must be Tensor, but got {}", tensors)
    return torch.dstack(tensors)


@op
def column_stack(tensors):
    """Vectors as the columns of a matrix, others joined along the second axis.

    (``mindspore.ops.column_stack``.)
    """
    _check_elements("For column_stack, the input element must be tensor, but got {}.", tensors)
    return torch.column_stack(tensors)


@op
def block_diag(*inputs):
    """Matrices along the diagonal of one (``mindspore.ops.block_diag``)."""
    if not inputs:
        raise RuntimeError("For 'block_diag', the input is empty.")
    for t in inputs:
        if not isinstance(t, torch.Tensor):
            raise asked(TypeError("For 'block_diag', each element of 'inputs' must be a tensor, but got "
                                  f"{type(t)}"))
        if t.ndim > 2:
            raise asked(ValueError("For 'block_diag', the dimension of each elements in 'inputs' must be 0, "
                                   f"1, or 2, but got {t.ndim}"))
    dtypes = {t.dtype for t in inputs}
    if len(dtypes) > 1 and not dtypes.isdisjoint(_dtype.UNSIGNED):
        raise TypeError("For Op[Concat], the promote output type is invalid")
    return torch.block_diag(*inputs)


@op
def cartesian_prod(*inputs):
    """Every combination of the elements of vectors, a row each (``mindspore.ops.cartesian_prod``)."""
    if not all(isinstance(t, torch.Tensor) for t in inputs):
        raise asked(TypeError('Failed calling Meshgrid with "Meshgrid(indexing=string)'
                              f'(inputs={describe(inputs)})".'))
    if len({t.dtype for t in inputs}) > 1:
        raise asked(ValueError("For Primitive [Meshgrid], all tensors should have the same type."))
    if not inputs:
        raise asked(ValueError("For [Meshgrid], the size of input tensors must be greater than 0."))
    if len(inputs) > 1:
        _meshed(inputs, "ij")
    found = torch.cartesian_prod(*(t.reshape(-1) if t.ndim == 0 else t for t in inputs))
    return found.unsqueeze(1) if len(inputs) == 1 else found


@op
def combinations(input, r=2, with_replacement=False):
    """Every choice of ``r`` elements of a vector, a row each (``mindspore.ops.combinations``)."""
    if input.ndim == 1 and r.__class__ is int and r > len(input) and not with_replacement:
        return torch.empty(0, device=input.device)
    return torch.combinations(input, r, bool(with_replacement))


_ORDERS = ("ij", "xy", "ij", "ij")


@primitive("Meshgrid", init=("indexing",), valid=_MESHGRID)
def _grid(inputs, indexing="xy"):
    """Coordinate grids of vectors; ``indexing`` "xy" by default."""
    return tuple(torch.meshgrid(*inputs, indexing=chosen(indexing, "indexing", "Meshgrid", *_ORDERS)))


@op
def meshgrid(*inputs, indexing="xy"):
    """Coordinate grids of vectors (``mindspore.ops.meshgrid``); ``indexing`` "xy" by default, in torch
    "ij".
    """
    if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        inputs = inputs[0]
    order = chosen(indexing, "indexing", "Meshgrid", *_ORDERS)
    return _meshed(inputs, order)


@mint_form(name="meshgrid")
def _meshgrid_mint(*tensors, indexing=None):
    """Coordinate grids of vectors; ``indexing`` "ij" by default."""
    order = chosen("ij" if indexing is None else indexing, "indexing", "meshgrid", *_ORDERS)
    return _meshed(tensors, order)


def _meshed(tensors, order: str) -> tuple:
    if not all(isinstance(t, torch.Tensor) for t in tensors):
        raise failed_call(f"Meshgrid(indexing=string)(inputs={describe(tuple(tensors))})",
                          "Meshgrid(indexing=<string>)(inputs=<list of tensor, tuple of Tensor>)")
    if any(t.ndim > 1 for t in tensors):
        raise asked(ValueError("For 'BroadcastTo', in order to broadcast, each dimension pair must be equal "
                               "or input dimension is 1 or target dimension is -1. But got the shapes "
                               f"{[tuple(t.shape) for t in tensors]} of what should be vectors."))
    return tuple(torch.meshgrid(*tensors, indexing=order))


# ---- taking apart ----------------------------------------------------------------------------------------


@op(named="Unstack")
def unstack(input_x, axis=0):
    """The slices along ``axis``, a tuple (``mindspore.ops.unstack``)."""
    return torch.unbind(input_x, axis)


@primitive("Unstack", init={"axis": 0, "num": None})
def _unstack(input_x, axis=0, num=None):
    """The slices along ``axis``, of which ``num`` tells nothing."""
    return torch.unbind(input_x, axis)


@primitive("Unpack", init=("axis",))
def _unpack(input_x, axis=0):
    """``Unstack`` before 1.2."""
    return torch.unbind(input_x, axis)


@op(method="unbind(input, dim=0)", mint=True)
@spelled(axis="dim")
def unbind(input, dim=0):
    """The slices along ``dim``, a tuple (``mindspore.ops.unbind``)."""
    return torch.unbind(input, dim)


@op
def split(tensor=None, split_size_or_sections=None, axis=0, *, output_num=None, input_x=None):
    """``tensor`` in parts of a size, or of the sizes of a list, along ``axis`` (``mindspore.ops.split``).

    Before 2.0 the arguments were ``(input_x, axis=0, output_num=1)``: told apart by the names ``output_num``
    and ``input_x``, else by ``--api``. A tuple; the last part may be smaller.
    """
    tensor = input_x if tensor is None else tensor
    if output_num is not None or input_x is not None or generations.has_old_meaning("mindspore.ops.split"):
        return _split_as_before(tensor, split_size_or_sections, axis, output_num)
    lacking = [f"'{n}'" for n, v in (("tensor", tensor), ("split_size_or_sections", split_size_or_sections))
               if v is None]
    if lacking:
        raise final(TypeError(f"split() missing {len(lacking)} required positional argument"
                              f"{'s' * (len(lacking) > 1)}: {' and '.join(lacking)}"))
    return split_by_size(tensor, split_size_or_sections, axis)


@method(name="split")
def _split_method(input, split_size_or_sections=None, axis=0, *, split_size=None, dim=None, output_num=None):
    """In parts of a size, or of the sizes of a list, along ``axis`` (``mindspore.Tensor.split``)."""
    if output_num is not None or generations.has_old_meaning("mindspore.Tensor.split"):
        return _split_as_before(input, split_size_or_sections, axis, output_num)
    size = either(split_size_or_sections, split_size)
    if size is None:
        raise no_matching_form("split")
    return split_by_size(input, size, either(axis or None, dim) or 0)


@mint_form(name="split")
def _split_mint(tensor, split_size_or_sections, dim=0):
    """``tensor`` in parts of a size, or of the sizes of a list, along ``dim``."""
    return tuple(torch.split(tensor, split_size_or_sections, dim))


def _split_as_before(tensor, first, second, output_num):
    """``split(axis=0, output_num=1)``, of releases before 2.0: ``second`` is 0 where it was not given."""
    axis = second if first is None else first
    if output_num is None:
        output_num = (second if first is not None else 0) or 1
    return split_evenly(tensor, axis, output_num)


def split_by_size(tensor, size, axis):
    """Shared kernel of ``split`` from 2.0 on."""
    _axis_in_bounds(axis, tensor.ndim)
    if isinstance(size, int) and size.__class__ is not bool:
        size = int(size)
        if size <= 0:
            raise ValueError("For split, the value of 'split_size_or_sections' must be more than zero, "
                             f"but got {size}.")
        size = min(size, tensor.shape[axis] or 1)
    elif not isinstance(size, (tuple, list)):
        raise TypeError("Type of Argument `split_size_or_sections` should be integer, tuple(int) or "
                        f"list(int), but got {type(size)}")
    elif wrong := [n for n in size if isinstance(n, np.integer)]:
        raise TypeError("Each element in 'split_size_or_sections' should be integer, but got "
                        f"{type(wrong[0])}.")
    elif min(size, default=0) < 0:
        raise TypeError(f"Each element in 'split_size_or_sections' should be non-negative, but got {size}.")
    elif sum(size) != tensor.shape[axis]:
        raise ValueError(f"The sum of 'split_size_or_sections' should be equal to {tensor.shape[axis]}, "
                         f"but got {sum(size)}.")
    else:
        size = list(size)
    return tuple(torch.split(tensor, size, axis))


def _axis_in_bounds(axis, ndim) -> None:
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")


def split_evenly(input_x, axis=0, output_num=1):
    """``output_num`` equal parts along ``axis``, a tuple; ValueError where they are not equal.

    (``ops.Split``.)
    """
    n = input_x.size(axis)
    if output_num <= 0:
        raise ValueError(f"For 'split', output_num must be positive, but got {output_num}.")
    if n % output_num:
        raise ValueError(f"For 'Split', x_shape[{axis}] must be divisible by output_num = {output_num}, "
                         f"but got {n}")
    return tuple(torch.split(input_x, n // output_num, axis)) if n else (input_x,) * output_num


primitive("Split", init=("axis", "output_num"))(split_evenly)


@op
def chunk(input, chunks, axis=0):
    """At most ``chunks`` parts of one size along ``axis``, the last perhaps smaller.

    (``mindspore.ops.chunk``.)
    """
    return chunked(input, chunks, axis)


_FIRST = type("First", (int,), {})(0)     # an axis that was not given


@method(name="chunk")
@spelled(dim="axis")
def _chunk_method(input, chunks, axis=_FIRST):
    """At most ``chunks`` parts of one size along ``axis``, the last perhaps smaller."""
    return chunked(input, chunks, axis)


@mint_form(name="chunk")
def _chunk_mint(input, chunks, dim=0):
    """At most ``chunks`` parts of one size along ``dim``, the last perhaps smaller."""
    return chunked(input, chunks, dim)


def chunked(input, chunks, axis):
    """Shared kernel of the forms of ``chunk``."""
    _axis_in_bounds(axis, input.ndim)
    if isinstance(chunks, float):
        raise TypeError(f"For ops.chunk type of argument `chunks` should be integer, but got {type(chunks)}")
    if chunks <= 0:
        raise ValueError(f"For ops.chunk parameter 'chunks' must be greater than 0, but got {chunks}")
    return tuple(torch.chunk(input, min(chunks, input.shape[axis] or 1), axis))


@op(method=True)
def tensor_split(input, indices_or_sections, axis=0):
    """Parts along ``axis``: a number of nearly equal ones, or those that start at given places."""
    return tuple(torch.tensor_split(input, indices_or_sections, axis))


@op(method=True)
def hsplit(input, indices_or_sections):
    """``tensor_split`` along the second axis (``mindspore.ops.hsplit``)."""
    return tuple(torch.tensor_split(input, indices_or_sections, 1 if input.ndim > 1 else 0))


@op(method=True)
def vsplit(input, indices_or_sections):
    """``tensor_split`` along the first axis (``mindspore.ops.vsplit``)."""
    return tuple(torch.tensor_split(input, indices_or_sections, 0))


@op(method=True)
def dsplit(input, indices_or_sections):
    """``tensor_split`` along the third axis (``mindspore.ops.dsplit``)."""
    return tuple(torch.tensor_split(input, indices_or_sections, 2))


@primitive("ParallelConcat")
def _parallel_concat(values):
    """Tensors whose first size is 1, joined along it."""
    for i, value in enumerate(values, 1):
        if value.ndim and value.shape[0] != 1:
            raise ValueError(f"For primitive[ParallelConcat], the x{i}.shape[0] must be equal to 1, but got "
                             f"{value.shape[0]}.")
    return integers.without_bprop("ParallelConcat", torch.cat(values, 0), *values)


@primitive("SplitV", init=("size_splits", "split_dim", "num_split"))
def _split_v(input_x, size_splits, split_dim, num_split):
    """Parts of the sizes ``size_splits`` along an axis; -1, once, is what the others leave."""
    rest = input_x.shape[split_dim] - sum(size_splits) - 1
    sizes = [rest if size == -1 else size for size in size_splits]
    return tuple(torch.split(input_x, sizes, split_dim))


@primitive("SplitWithSize")
def _split_with_size(input, split_size, dim=0):
    """The parts of the given sizes along ``dim`` (``mindspore.ops.auto_generate.SplitWithSize``)."""
    return tuple(torch.split(input, list(ints(split_size)), dim))
