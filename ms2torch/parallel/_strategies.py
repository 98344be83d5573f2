"""Strategies of operators and Cells: ``Primitive.shard``, ``Cell.shard`` and ``mindspore.parallel.shard``.

A strategy says in how many parts each dimension of each input (and output) is; a `Layout` names the axes of a
device matrix instead. Under SEMI_AUTO_PARALLEL and AUTO_PARALLEL, with several processes, the next outermost
call runs spread (`_core.processes.spread`); elsewhere a strategy is checked, kept and shown.
"""

from __future__ import annotations

import math
import weakref

from ms2torch._core import mode
from ms2torch._core.gradient import passes
from ms2torch._core.operators import primitive as operator_classes
from ms2torch._core.processes import distributed
from ms2torch._core.tensor.tensor import Tensor

from .shard import Layout

MODES = ("semi_auto_parallel", "auto_parallel")
_classes: dict[type, type] = {}


# The operators of which a tuple of Tensors has a tuple of strategies; others say so by ``self_define_shard``.
_NESTED = frozenset(("GroupedMatmul", "FusedInferAttentionScore", "Custom", "Index"))


def checked_strategy(what: str, name: str, strategy, nested: bool = False) -> tuple | None:
    """A strategy as it is kept: tuples of ints, or Layouts; where ``nested``, a tuple of these for a tuple of
    Tensors too. TypeError for anything else."""
    if strategy is None:
        return None
    if not isinstance(strategy, tuple):
        raise TypeError(f"{what} must be tuple type, but got:{type(strategy)}")
    for one in strategy:
        if not isinstance(one, (tuple, Layout)):
            raise TypeError(f"The element of strategy must be tuple/Layout type, but got:{type(one)}")
        for count in one if isinstance(one, tuple) and not nested else ():
            if not isinstance(count, int):
                raise TypeError(f"The {what}: {strategy} of {name} is not valid, the value of strategy must "
                                f"be int type, but got:{type(count)}")
    if strategy and isinstance(strategy[0], Layout) and not all(isinstance(one, Layout) for one in strategy):
        raise TypeError(f"The {what} item should be a object of class Layout.")
    return strategy


def _is_nested(one) -> bool:
    return isinstance(one, tuple) and bool(one) and isinstance(one[0], (tuple, Layout))


def _by_tensors(strategy: tuple | None) -> tuple | None:
    """A strategy's parts for single Tensors, in order."""
    if strategy is None or not any(map(_is_nested, strategy)):
        return strategy
    return tuple([part for one in strategy for part in (one if _is_nested(one) else (one,))])


def current_spread():
    """What spreads the network of this process over all (`processes.spread.Spread`); None where nothing
    does."""
    from ._auto_parallel_context import auto_parallel_context

    context = auto_parallel_context()
    if context.get_parallel_mode() not in MODES:
        return None
    distributed.init()
    if distributed.size() <= distributed.stages:        # (alone in a stage of a pipeline, or at all)
        return None
    found = mode.spreading or mode.mesh
    if found is None:
        distributed.check_release("A strategy (shard, dataset_strategy)")
        from ms2torch._core.processes.spread import Spread

        found = mode.spreading = Spread()
        found.set_dataset_strategy(context.get_dataset_strategy())
        found.laid_out = _write_file
    return found


def _write_file(spread) -> None:
    write_file(spread.trained, spread.sizes)


def write_file(parameters, sizes: tuple[int, ...]) -> None:
    """Write how weights, and what optimizers keep of them, lie on a matrix of devices to
    ``strategy_ckpt_save_file``, where that was asked for: the first process of each stage does, its own."""
    from . import _strategy_file
    from ._auto_parallel_context import auto_parallel_context

    path = auto_parallel_context().get_strategy_ckpt_save_file()
    stage, place = divmod(distributed.rank(), math.prod(sizes))
    if path and place == 0:
        kept = [one for p in parameters for one in (p, *p.__dict__.get("_twins", ())) if not one._away]
        _strategy_file.write(path, {one.name: layout_of(one, sizes)
                                    for one in sorted(kept, key=lambda one: one.name)}, stage)


def layout_of(p, sizes: tuple[int, ...]):
    """How a Parameter lies on a matrix of devices, as strategy files have it."""
    from ._strategy_file import Dimensions, ParallelLayouts

    kept = p._share.placements if p._share is not None else (None,) * len(sizes)
    used = p._share.wanted if p._share is not None else kept
    # Neighbouring axes of one role are one axis of the matrix.
    matrix, roles, optimizer, step = [], [], 1, 0
    for axis, size in enumerate(sizes):
        own = getattr(used[axis], "dim", None)
        further = own is None and getattr(kept[axis], "dim", None) is not None
        if further:
            optimizer *= size
            step = step or 1
        if roles and roles[-1] == (own, further):
            matrix[-1] *= size
        else:
            matrix.append(size)
            roles.append((own, further))
    if step:
        last = max(i for i, (_, further) in enumerate(roles) if further)
        step = math.prod(matrix[last + 1:])
    places = [[len(matrix) - 1 - i for i, (own, _) in enumerate(roles) if own == dim] or [-1]
              for dim in range(p._rest.ndim)]
    flat = all(len(one) == 1 for one in places)
    maps = [Dimensions([one[0] for one in places])] if flat else [Dimensions(one) for one in places]
    return ParallelLayouts([Dimensions(matrix)], maps, [Dimensions()], [Dimensions()],
                           opt_weight_shard_step=step, opt_weight_shard_size=optimizer if step else 0)


def laid_out(network, forward, data) -> dict[str, list]:
    """How the parameters of ``network`` that this process holds lie once ``forward(*data)`` has run, of which
    nothing else stays: [matrix of devices, tensor map, shape of this process's part, field size, whether all
    parts are equal, optimizer's group]. The strategy file that was asked for is written."""
    from ms2torch._core.processes import pipeline

    spread = current_spread()
    if distributed.staged():
        def lay_out(*data):
            pipeline.lay_out(forward, data)

        lay_out(*data) if spread is None else spread.call(lay_out, tuple(data), {})
        sizes = (pipeline.column().width,) if spread is None else spread.sizes
    elif spread is None:
        return {}
    else:
        with passes.Discarded((), ()):
            forward(*data)
        sizes = spread.sizes
    write_file(forward.trainable_params(), sizes)       # (and what optimizers keep of them, as in training)
    found = {}
    for p in network.get_parameters():
        if p._away:
            continue
        layout = layout_of(p, sizes)
        maps = [list(one.dim) for one in layout.tensor_map]
        part = getattr(p._rest, "_local_tensor", p._rest)
        found[p.name] = [list(layout.dev_matrix[0].dim), maps[0] if len(maps) == 1 else maps,
                         list(part.shape), 0, True, ""]
    return found


def _note(spread, name: str, attrs: dict | None, strategy) -> None:
    """Let the mesh have axes for a strategy: of an operator with ``attrs``, or of tensors that have nothing
    to do with each other."""
    from ms2torch._core.processes.spread import parts

    if not strategy:
        return
    if len({isinstance(one, Layout) for one in strategy}) > 1:
        raise TypeError(f"For '{name}', the strategy {strategy} mixes tuples and Layouts.")
    size = distributed.size() // distributed.stages
    for cuts in parts(name, None, strategy) if isinstance(strategy[0], Layout) else strategy:
        if min(cuts, default=1) < 1:
            raise ValueError(f"For '{name}', the strategy {strategy} must have positive numbers of parts.")
        if math.prod(cuts) > size or size % math.prod(cuts):
            raise ValueError(f"For '{name}', the strategy {strategy} needs a number of devices that "
                             f"{math.prod(cuts)} divides, but there are {size}.")
    spread.cuts += parts(name, attrs, strategy)


# OneHot's first part is of its output, which has a dimension more; an attention's mask has 2 or 4.
_OF_OTHERS = frozenset({"OneHot", "OneHotExt", "FlashAttentionScore"})


def with_strategies(spread, name: str, attrs: dict | None, values, strategy, read: bool = False) -> list:
    """``values`` laid out by a strategy, one part of it for each Tensor, in order, those in a tuple too; to
    be only ``read``, or not."""
    from ms2torch._core.processes.spread import of_strategy

    if not strategy:
        return list(values)
    _check_number(name, attrs, strategy, values)
    waiting = zip(of_strategy(name, attrs, strategy, spread.sizes), strategy, strict=False)

    def laid(x):
        if isinstance(x, (tuple, list)) and x and isinstance(x[0], Tensor):
            return type(x)([laid(one) for one in x])
        layout, cuts = next(waiting, (None, ())) if isinstance(x, Tensor) else (None, ())
        if cuts and isinstance(cuts, tuple) and len(cuts) != x._t.ndim and name not in _OF_OTHERS:
            raise ValueError(f"For '{name}', the strategy {strategy} has {len(cuts)} numbers for a tensor of "
                             f"{x._t.ndim} dimensions.")
        return x if layout is None else spread.laid(x, layout, f"'{name}' with the strategy {strategy}", read)

    return [laid(x) for x in values]


def _check_number(name: str, attrs: dict | None, strategy, values) -> None:
    """ValueError where Tensors have no part of a strategy, or parts have nothing to be of: numbers may have
    one, or none."""
    if name in _NESTED or (attrs and attrs.get("self_define_shard")):
        return
    flat = [one for x in values for one in (x if isinstance(x, (tuple, list)) and x
                                            and isinstance(x[0], Tensor) else (x,))]
    tensors = sum(isinstance(one, Tensor) for one in flat)
    if not tensors <= len(strategy) <= len(flat):
        raise ValueError(f"For '{name}', the strategy {strategy} has {len(strategy)} parts, which is not "
                         f"equal to inputs size: {tensors}.")


# Primitives and Cells with strategies that were given outside the modes in which strategies hold.
_waiting: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def _keep_for_later(one, *given) -> None:
    one.__dict__["_given_strategies"] = given
    _waiting[id(one)] = one


def heed_waiting() -> None:
    """Heed, in the mode that is set now, the strategies that were given before it was."""
    from ..nn.cell import Cell

    if not _waiting or current_spread() is None:
        return
    for one in list(_waiting.values()):
        (of_call if isinstance(one, Cell) else with_shard_strategy)(one, *one.__dict__["_given_strategies"])
    _waiting.clear()


def with_shard_strategy(primitive, in_strategy=None, out_strategy=None):
    """`Primitive.shard`: keep and show the strategy, and heed it where the processes train together."""
    name = primitive.name
    nested = name in _NESTED or bool(primitive.attrs.get("self_define_shard", False))
    ins = checked_strategy("in_strategy", name, in_strategy, nested)
    outs = checked_strategy("out_strategy", name, out_strategy, nested)
    if ins is None and outs is not None:
        raise ValueError(f"The out_strategy of {name} is {outs}, need to set in_strategy, but got none")
    has_layouts = bool(ins) and isinstance(_by_tensors(ins)[0], Layout)
    if ins and outs and has_layouts != isinstance(_by_tensors(outs)[0], Layout) and not nested:
        raise ValueError("The in_strategy type must equal to the out_strategy type, one using "
                         "tuple(tuple) and the other using tuple(Layout) is not allowed.")
    for key, value in (("in", ins), ("out", outs)):
        if value is not None:
            primitive.add_prim_attr(f"{key}_layout" if has_layouts else f"{key}_strategy",
                                    _shown(value) if has_layouts else value)
    ins, outs = _by_tensors(ins), _by_tensors(outs)
    spread = current_spread()
    if spread is not None and ins is not None:
        _note(spread, name, {**primitive.attrs, **primitive.init_attrs}, ins)
        _note(spread, name, None, outs)
        primitive.__dict__["_strategies"] = ins, outs
        primitive.__class__ = _spread_class(type(primitive))
    elif ins is not None:
        _keep_for_later(primitive, in_strategy, out_strategy)
    return primitive


def _shown(strategy) -> tuple:
    """Layouts as the attributes of a Primitive have them."""
    return tuple([_shown(one) if isinstance(one, tuple)
                  else {k: v for k, v in one.to_dict().items() if k != "rank_list"} for one in strategy])


def _spread_class(cls: type) -> type:
    """``cls`` whose call lays its inputs and outputs out."""
    if hasattr(cls, "_spread_call"):
        return cls
    if cls not in _classes:
        def call(self, *args, **kwargs):
            spread = mode.mesh
            if spread is None:
                return cls.__call__(self, *args, **kwargs)
            ins, outs = self._strategies
            given = with_strategies(spread, self.name, {**self.attrs, **self.init_attrs}, args, ins,
                                    read=True)
            if self.name == "Morph" and outs is not None:       # (its function is written for single parts)
                from ms2torch._core.processes import on_parts
                from ms2torch._core.processes import spread as spreading

                return on_parts.call(spread, lambda *args: cls.__call__(self, *args, **kwargs), given,
                                     spreading.of_strategy(self.name, None, outs, spread.sizes))
            found = cls.__call__(self, *given, **kwargs)
            if outs is None:
                return tuple(map(spread.summed, found)) if isinstance(found, tuple) else spread.summed(found)
            many = isinstance(found, tuple)
            values = with_strategies(spread, f"output of {self.name}", None, found if many else (found,),
                                     outs)
            return tuple(values) if many else values[0]

        _classes[cls] = type(cls.__name__, (cls,), {
            "__call__": call, "_spread_call": True, "__module__": cls.__module__, "__doc__": cls.__doc__})
    return _classes[cls]


def of_call(fn, in_strategy, out_strategy=None, parameter_plan=None):
    """Lay out what goes into a Cell (or another callable) and what comes out; the Cell, or a function."""
    from ..nn.cell import Cell

    what = fn.cls_name if isinstance(fn, Cell) else getattr(fn, "__name__", "shard")
    ins = checked_strategy("in_strategy", what, in_strategy)
    outs = checked_strategy("out_strategy", what, out_strategy)
    spread = current_spread()
    if spread is None:
        if isinstance(fn, Cell):
            _keep_for_later(fn, in_strategy, out_strategy, parameter_plan)
        return fn
    for one in (ins, outs):
        _note(spread, what, None, one)
    if parameter_plan is not None:
        _plan(spread, fn, parameter_plan)

    def before(cell, args):
        if mode.mesh is None or not ins:
            return None
        return tuple(with_strategies(mode.mesh, what, None, args, ins))

    def after(cell, args, output):
        if mode.mesh is None or not outs:
            return None
        many = isinstance(output, tuple)
        values = with_strategies(mode.mesh, f"output of {what}", None, output if many else (output,), outs)
        return tuple(values) if many else values[0]

    if isinstance(fn, Cell):
        fn.register_forward_pre_hook(before)
        fn.register_forward_hook(after)
        return fn

    def call(*args, **kwargs):
        given = before(None, args)
        output = fn(*(args if given is None else given), **kwargs)
        changed = after(None, args, output)
        return output if changed is None else changed

    return call


def _plan(spread, fn, plan) -> None:
    if not isinstance(plan, dict):
        raise TypeError(f"parameter_plan must be dict, but got {type(plan)}")
    known = dict(fn.parameters_and_names()) if hasattr(fn, "parameters_and_names") else {}
    known.update({p.name: p for p in list(known.values())})
    for name, strategy in plan.items():
        name = name.replace("self.", "")
        if name not in known:
            raise ValueError(f"parameter_plan names '{name}', but the network has no such parameter.")
        one = checked_strategy("parameter_plan", name, (strategy,))
        _note(spread, name, None, one)
        spread.plan.append((known[name], name, one))


operator_classes.strategic = with_shard_strategy
