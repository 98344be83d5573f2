"""``vmap``: a function over an axis of its Tensors, by ``torch.vmap``; turn by turn where torch cannot."""

from __future__ import annotations

import functools
import inspect

import torch

from ms2torch._core import mode
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap
from ms2torch._core.torch_private import says, tree_leaves
from ms2torch.language.builtin_functions import abstract_text


def vmap(fn, in_axes=0, out_axes=0):
    """Map ``fn`` over an axis of its Tensors (``mindspore.vmap``), by ``torch.vmap``.

    ``in_axes``: int, or a nested tuple with None for what is not mapped; ``out_axes`` likewise for the
    results.
    """
    functions = list(fn) if isinstance(fn, (tuple, list)) or type(fn).__name__ == "CellList" else None
    if functions:
        return _vmap_of_many(functions, in_axes, out_axes)

    @functools.wraps(fn, assigned=("__name__", "__doc__"), updated=())
    def mapped(*args, **kwargs):
        if kwargs:
            raise _wrong(f"Got an unexpected keyword argument '{next(iter(kwargs))}'")
        if not callable(fn) or isinstance(fn, Tensor):
            raise _wrong(f"'VmapOperation' arg0 must be a 'Function' or 'Cell', but got {abstract_text(fn)}.")
        if isinstance(fn, Primitive):
            raise _wrong(f"'VmapOperation' arg0 PrimitiveAbstractClosure: S_Prim_{fn.name} cast to "
                         "'FuncGraphAbstractClosure' failed.")
        raw = lower(tuple(args))
        axes = _axes_of_arguments(raw, in_axes, takes=_takes(fn))
        _check_kind(out_axes, "out_axes")
        returned = False

        def run(*batched):
            nonlocal returned
            results = _as_tensors(lower(fn(*lift(batched))))
            _check_results(results, out_axes)
            returned = True
            return results

        if not raw:
            return lift(lower(fn()))
        mode.mapped += 1
        try:
            return lift(torch.vmap(run, axes, _as_tuple(out_axes), randomness="different")(*raw))
        except (RuntimeError, ValueError) as err:
            # (MindSpore maps what looks at values and what takes one at a time too.)
            if says(err, "not at once"):
                return lift(_in_turns(run, raw, axes, out_axes))
            # What it maps has an axis to put somewhere.
            if isinstance(err, ValueError) and returned and None in tree_leaves(out_axes):
                raise _wrong("It is invalid that source is not None and dst is None.") from err
            raise
        finally:
            mode.mapped -= 1

    mapped._differentiates = getattr(fn, "_differentiates", None)
    return mapped


def _in_turns(run, raw: tuple, axes: tuple, out_axes):
    """What ``run`` gives for each slice, joined along ``out_axes``."""
    leaves = zip(tree_leaves(raw), tree_leaves(axes), strict=True)
    count = next(t.shape[axis] for t, axis in leaves if axis is not None)
    return _joined([run(*(_slice(value, axis, k) for value, axis in zip(raw, axes, strict=True)))
                    for k in range(count)], out_axes)


def _slice(value, axis, k: int):
    if isinstance(value, (tuple, list)):
        return type(value)(_slice(*pair, k) for pair in zip(value, axis, strict=True))
    return value if axis is None else value.select(axis, k)


def _joined(results: list, axes):
    if isinstance(results[0], (tuple, list)):
        each = axes if isinstance(axes, (tuple, list)) else [axes] * len(results[0])
        parts = zip(zip(*results, strict=True), each, strict=True)
        return tuple(_joined(list(part), axis) for part, axis in parts)
    axis = axes[0] if isinstance(axes, (tuple, list)) else axes
    return results[0] if axis is None else torch.stack(results, axis)


def _wrong(text: str) -> Exception:
    return final(RuntimeError(text))


def _is_axis(axis) -> bool:
    return axis.__class__ is int or (hasattr(axis, "__index__") and not isinstance(axis, (bool, Tensor)))


def _as_tuple(axes):
    return tuple(map(_as_tuple, axes)) if isinstance(axes, (tuple, list)) else axes


def _check_kind(axes, name: str, listed: bool = False, of_many: bool = False) -> None:
    """RuntimeError unless ``axes`` are an int or sequences of ints and None, not None alone."""
    if isinstance(axes, (tuple, list)):
        for axis in axes:
            if axis is not None:
                _check_kind(axis, name, True)
        if not (listed or of_many) and all(axis is None for axis in tree_leaves(axes)):
            told = str(_as_tuple(axes)).replace(",)", ")")
            raise _wrong(f"The '{name}' of 'vmap' cannot be all None while 'fn' is not a 'CellList', "
                         f"but got {told}.")
    elif axes is None:
        raise _wrong(f"The '{name}' of 'vmap' cannot be a single None while 'fn' is not a 'CellList'.")
    elif not _is_axis(axes):
        if listed:
            raise _not_an_axis(axes, name)
        raise _wrong(f"The axis in vmap`s '{name}' can only be of type Int or None, "
                     f"but got {abstract_text(axes)}.")


def _not_an_axis(axis, name: str) -> Exception:
    told = str(_as_tuple(axis)).replace(",)", ")") if isinstance(axis, (tuple, list)) else \
        str(axis).lower() if isinstance(axis, bool) else f"{axis:g}" if isinstance(axis, float) else axis
    return _wrong(f"The axis in vmap's '{name}' should be a None or a scalar of type Int64Imm, "
                  f"but got a {told}.")


def _takes(fn) -> list | None:
    """The names of what ``fn`` takes, where a call has to give all of them by position; None otherwise."""
    try:
        if isinstance(inspect.unwrap(fn), Primitive):
            return None
        takes = inspect.signature(getattr(fn, "construct", fn)).parameters.values()
    except (TypeError, ValueError):
        return None
    plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in takes)
    return [p.name for p in takes] if plain else None


def _axes_of_arguments(raw: tuple, in_axes, single: bool = True, takes: list | None = None) -> tuple:
    """The axis of each argument, of the same structure; ``single``: for one function, not for many.

    ``takes``: what the function takes, where that is a fixed number of arguments.
    """
    if not raw:
        raise _wrong("Failed to get 'axis_size' within the scope of vmap.")
    count = len(raw if takes is None else takes)
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != count:
        raise _wrong("When vmap`s 'in_axes' is a tuple or list, and its size must be equal to the number of "
                     f"arguments of 'fn': {count}, but got size: {len(in_axes)}.")
    if count != len(raw):
        raise final(TypeError(f"The parameters number of the function is {count}, but the number of provided "
                              f"arguments is {len(raw)}."))
    if single or in_axes is not None:
        _check_kind(in_axes, "in_axes", of_many=not single)
    axes = tuple(_axes_like(a, axis) for a, axis in zip(raw, in_axes, strict=True)) \
        if isinstance(in_axes, (tuple, list)) else tuple(_axes_like(a, in_axes) for a in raw)
    sizes = [t.shape[a] for t, a in zip(tree_leaves(raw), tree_leaves(axes), strict=True) if a is not None]
    for size in sizes[1:]:
        if size != sizes[0]:
            raise _wrong("The 'axis_size' of each argument in the scope of 'vmap' should be equal, "
                         f"but got {sizes[0]} and {size}.")
    return axes


def _axes_like(arg, axis):
    """``axis`` for each Tensor of an argument; RuntimeError where there is none to map, or no such axis."""
    if isinstance(arg, (tuple, list)):
        if not isinstance(axis, (tuple, list)):
            return type(arg)(_axes_like(a, axis) for a in arg)
        if len(axis) < len(arg):
            raise _wrong(f"List index [{len(axis)}] is out of range [{len(axis)}].")
        return type(arg)(_axes_like(*pair) for pair in zip(arg, axis, strict=False))
    if axis is None:
        return None
    if not _is_axis(axis):
        raise _not_an_axis(axis, "in_axes")
    if not isinstance(arg, torch.Tensor):
        told = abstract_text(arg)
        raise _wrong(f"The orig_abs should be AbstractTensor when corresponding axis is {axis}, but got a "
                     f"{told}. Tip: Please check the correspondence between vmap's 'in_axes' and inputs. "
                     f"You may want to explicitly specify the 'in_axes' corresponding to {told} as 'None' to "
                     "solve this problem.")
    _check_range(axis, arg.ndim, "in_axes")
    return int(axis)


def _check_range(axis: int, rank: int, name: str) -> None:
    if not -rank <= axis < rank:
        raise _wrong(f"The axis: {axis} in '{name}' is out of bounds for array of dimension "
                     f"[{-rank},{rank}).")


def _check_results(results, axes) -> None:
    """RuntimeError where ``out_axes`` do not fit what the function gave for one slice."""
    if isinstance(axes, (tuple, list)):
        many = isinstance(results, (tuple, list))
        if len(axes) != (len(results) if many else 1):
            told = f"number of results of 'fn': {len(results)}" if many else "result size: 1"
            raise _wrong(f"The size of vmap's 'out_axes' should be equal to the {told}, "
                         f"but got size: {len(axes)}.")
        for result, axis in zip(results if many else (results,), axes, strict=True):
            _check_results(result, axis)
    elif isinstance(results, (tuple, list)):
        for result in results:
            _check_results(result, axes)
    elif axes is not None:
        _check_range(axes, results.ndim + 1, "out_axes")


def _as_tensors(obj):
    """Numbers among the results as tensors: torch.vmap returns nothing else."""
    if isinstance(obj, (tuple, list)):
        return tuple(_as_tensors(x) for x in obj)
    if obj is None:
        raise _wrong("The outputs of vmap's 'fn' should be consisting of tensors or constants, but got "
                     "AbstractNone(Value: None).")
    return obj if isinstance(obj, torch.Tensor) else torch.tensor(obj)


def _vmap_of_many(functions, in_axes, out_axes):
    """A list of Cells (model ensembling): the i-th takes the i-th slice."""
    def mapped(*args):
        count = len(functions)
        if count < 2:
            raise _wrong("In the model ensembling parallel training scenario ('VmapOperation' arg0 is a "
                         f"'CellList'), the size of 'CellList' must be greater than 1, but got {count}.")
        takes = [_takes(f) for f in functions]
        if None not in takes and len(set(map(len, takes))) > 1:
            raise _wrong("'VmapOperation' arg0 is a CellList, whose elements's inputs should be consistent.")
        axes = _axes_of_arguments(lower(tuple(args)), in_axes, single=False, takes=takes[0])
        sizes = {a.shape[ax] for a, ax in zip(args, axes, strict=True) if isinstance(ax, int)}
        if sizes - {count}:
            raise final(ValueError(
                "If you want to execute the model ensembling parallel training, please make sure the "
                "'axis_size' in the scope of vmap consistent with the cell size of the input 'CellList', "
                "otherwise, please do not enter 'CellList' as the first argument, but we get axis_size: "
                f"{sizes.pop()} and the cell size: {count}."))
        _check_kind(out_axes, "out_axes")
        results = [f(*[wrap(a._t.select(ax, i)) if isinstance(ax, int) else a
                       for a, ax in zip(args, axes, strict=True)]) for i, f in enumerate(functions)]
        _check_results(lower(results[0]), out_axes)
        axis = out_axes if isinstance(out_axes, int) else 0
        if isinstance(results[0], Tensor):
            return wrap(torch.stack([r._t for r in results], axis))
        return tuple(wrap(torch.stack([r[k]._t for r in results], axis)) for k in range(len(results[0])))

    return mapped
