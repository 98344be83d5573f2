"""Tensor parallelism: one program's tensors spread over the processes, as torch's DTensors on one mesh.

A program runs spread inside the outermost Cell or gradient function that it calls (`Spread.call`): its inputs
become DTensors, split along the batch or as ``dataset_strategy`` has it; operators with a strategy get their
inputs laid out so, all others run as DTensors propagate; what comes out is what one process computes from the
whole batch. The mesh has an axis for every prime factor of the number of processes, so that any strategy
whose cuts divide that number is a choice of axes. A weight that an operator wants in parts is kept in parts.

Where torch has no rule for an operator on split tensors, it runs on whole ones.
"""

from __future__ import annotations

import itertools
import math

import torch
from torch.distributed.device_mesh import DeviceMesh

from ms2torch._core import mode
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.processes import distributed, faults, zero
from ms2torch._core.processes.products import PartByPart, is_everywhere, laid
from ms2torch._core.random import repeating
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    TorchDispatchMode,
    says,
    tree_leaves,
    tree_map,
)


def factors(n: int) -> tuple[int, ...]:
    """The prime factors of ``n``, rising."""
    found, p = [], 2
    while n > 1:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return tuple(found)


class Axes:
    """The axes of a mesh, given out to the dimensions of an operator's tensors."""

    def __init__(self, sizes: tuple[int, ...], what: str) -> None:
        self.sizes, self.what = sizes, what
        self._free = list(range(len(sizes)))
        self._taken: dict = {}

    def assign(self, label, cut: int) -> tuple[int, ...]:
        """The axes that split the dimensions with this ``label`` in ``cut`` parts; the first free ones."""
        if cut == 1:
            return ()
        if label in self._taken:
            axes = self._taken[label]
            if math.prod(self.sizes[a] for a in axes) != cut:
                raise ValueError(f"For {self.what}, a dimension that two inputs share is split in different "
                                 "parts.")
            return axes
        found, rest = [], cut
        for axis in tuple(self._free):
            if rest % self.sizes[axis] == 0:
                found.append(axis)
                rest //= self.sizes[axis]
            if rest == 1:
                break
        if rest != 1:
            raise ValueError(f"For {self.what}, {math.prod(self.sizes)} processes can not split its tensors "
                             f"as its strategy has it: {cut} parts are too many or do not divide them.")
        for axis in found:
            self._free.remove(axis)
        self._taken[label] = tuple(found)
        return self._taken[label]


def placements(sizes: tuple[int, ...], by_dim) -> tuple:
    """DTensor's placements from the axes of each dimension."""
    found: list = [Replicate()] * len(sizes)
    for dim, axes in enumerate(by_dim):
        for axis in axes:
            found[axis] = Shard(dim)
    return tuple(found)


def on_devices(layout: dict) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The matrix of processes, and its axes for each dimension, of a ``Layout`` as its ``to_dict`` has it.

    The axis "interleaved_parallel" has the parts of one process, which MindSpore computes in turns: one is
    computed while the other is sent, which changes neither what is computed nor where.
    """
    matrix = layout["device_matrix"]
    maps = [place if isinstance(place, tuple) else (place,) for place in layout["tensor_map"]]
    if not layout["interleaved_parallel"]:
        return matrix, maps
    return matrix[:-1], [tuple(place - 1 for place in places if place > 0) for places in maps]


def of_layout(layout: dict, sizes: tuple[int, ...], what: str) -> tuple:
    """Placements of a ``Layout`` as its ``to_dict`` has it."""
    matrix, maps = on_devices(layout)
    ranks = layout["rank_list"]
    if math.prod(matrix) != math.prod(sizes):
        raise unsupported(what, f"a Layout over {math.prod(matrix)} of {math.prod(sizes)} processes is not "
                                "supported.", "a Layout whose device_matrix has all processes.")
    if list(ranks) != list(range(ranks[0], ranks[0] + len(ranks))):
        notice("rank_list", f"{what}: the processes hold their parts in order, not as rank_list={[*ranks]} "
                            "has it, as in MindSpore, whose strategies leave it aside.")
    spans, start = [], 0
    for count in matrix:
        span, rest = [], count
        while rest > 1 and start < len(sizes) and rest % sizes[start] == 0:
            span.append(start)
            rest //= sizes[start]
            start += 1
        if rest != 1:
            raise unsupported(what, f"a device_matrix {matrix} of {math.prod(sizes)} processes "
                                    f"does not follow their factors {sizes}.")
        spans.append(span)
    spans.reverse()         # tensor maps count from the right
    by_dim = [[axis for p in places if p != -1 for axis in spans[p]] for places in maps]
    return placements(sizes, by_dim)


# For operators whose inputs' dimensions do not line up from the right: a label for each dimension.


def _matmul(attrs, ranks):
    a, b = ("ki" if attrs.get("transpose_a") else "ik"), ("jk" if attrs.get("transpose_b") else "kj")
    return [[*range(2 - n, 0), *label] for n, label in zip(ranks, (a, b), strict=False)]


def _gather(attrs, ranks):
    return [[f"p{i}" for i in range(ranks[0])], [f"i{i}" for i in range(ranks[1])]]


def _from_the_right(attrs, ranks):
    return [list(range(-n, 0)) for n in ranks]


def _from_the_left(attrs, ranks):
    return [list(range(n)) for n in ranks]


def _by_channels(attrs, ranks):
    return [list(range(ranks[0])), *[[1]] * (len(ranks) - 1)]


def _convolution(attrs, ranks):
    return [["n", "c", *range(2, ranks[0])], ["o", "c", *[f"k{i}" for i in range(2, ranks[1])]], ["o"]]


def _scattering(attrs, ranks, points: int = 0):
    """Of a target, of where it is written (``points``: by how many last dimensions of the indices a place is
    told), and of what is written there."""
    target, places = list(range(ranks[0])), [f"i{i}" for i in range(ranks[1])]
    at = places[:len(places) - points]
    return [target, places, *[at + target[len(target) + len(at) - n:] for n in ranks[2:]]]


def _scattering_points(attrs, ranks):
    return _scattering(attrs, ranks, 1)


_SCATTERS = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Update")
_PRODUCTS = "MatMul", "BatchMatMul", "MatMulExt", "BatchMatMulExt"
_LABELS = {**dict.fromkeys(_PRODUCTS, _matmul), "Gather": _gather, "Conv2D": _convolution,
           **dict.fromkeys(("BiasAdd", "BatchNorm", "PReLU"), _by_channels),
           **{f"UnsortedSegment{how}": _from_the_left for how in ("Sum", "Min", "Max")},
           **{f"Scatter{how}": _scattering for how in _SCATTERS},
           **{f"{kind}{how}": _scattering_points for kind in ("ScatterNd", "TensorScatter")
              for how in _SCATTERS}}
# The order in which labels get axes where it is not that of the inputs.
_FIRST = dict.fromkeys(_PRODUCTS, "ikj")


def _of_inputs(name: str, attrs: dict, strategy) -> tuple:
    """A strategy by inputs: OneHot's first is that of its output, which has one axis more."""
    if name not in ("OneHot", "OneHotExt") or not strategy[0]:
        return tuple(strategy)
    axis = attrs.get("axis", -1) % len(strategy[0])
    return strategy[0][:axis] + strategy[0][axis + 1:], *strategy[1:]


def _cuts(name: str, attrs: dict, strategy) -> tuple[list, dict]:
    """(the labels of each input's dimensions, in how many parts each label is), parts in the order in which
    they get axes."""
    ranks = [len(one) for one in strategy]
    labels = _LABELS.get(name, _from_the_right)(attrs, ranks)
    if any(len(names) != rank for names, rank in zip(labels, ranks, strict=False)):
        raise ValueError(f"For '{name}', the strategy {strategy} has other numbers of dimensions than its "
                         "inputs.")
    cuts: dict = {}
    for names, one in zip(labels, strategy, strict=False):
        for label, cut in zip(names, one, strict=True):
            cuts[label] = max(cut, cuts.get(label, 1))
    first = _FIRST.get(name, "")
    if name == "Gather":
        cuts = dict(sorted(cuts.items(), key=lambda item: item[0][0] != "i"))
    order = sorted(cuts, key=lambda one: first.find(one) if isinstance(one, str) and first else -1)
    return labels, {label: cuts[label] for label in order}


def parts(name: str, attrs: dict | None, strategy) -> list[tuple[int, ...]]:
    """The parts that a strategy makes of the dimensions of the operator ``name``, each dimension once; where
    ``attrs`` is None, of each tensor. A Layout has them by itself."""
    if strategy and hasattr(strategy[0], "to_dict"):
        return [on_devices(one.to_dict())[0] for one in strategy]
    made = strategy if attrs is None else [_cuts(name, attrs, _of_inputs(name, attrs, strategy))[1].values()]
    return [tuple(cut for cut in one if cut != 1) for one in made]


def of_strategy(name: str, attrs: dict | None, strategy, sizes: tuple[int, ...]) -> list:
    """Placements of each input of the operator ``name`` from a strategy: how many parts by dimension. Where
    ``attrs`` is None, of tensors that have nothing to do with each other. Or from a Layout of each."""
    if strategy and hasattr(strategy[0], "to_dict"):
        return [of_layout(one.to_dict(), sizes, f"'{name}' with a Layout") for one in strategy]
    if attrs is None:
        axes = [Axes(sizes, f"'{name}' with the strategy {tuple(strategy)}") for _ in strategy]
        return [placements(sizes, list(map(mine.assign, range(len(one)), one)))
                for mine, one in zip(axes, strategy, strict=True)]
    strategy = _of_inputs(name, attrs, strategy)
    labels, cuts = _cuts(name, attrs, strategy)
    axes = Axes(sizes, f"'{name}' with the strategy {tuple(strategy)}")
    for label, cut in cuts.items():
        axes.assign(label, cut)
    return [placements(sizes, [axes.assign(label, cut) for label, cut in zip(names, one, strict=True)])
            for names, one in zip(labels, strategy, strict=False)]


def mesh_sizes(cuts, size: int) -> tuple[int, ...]:
    """A matrix of ``size`` processes in which each tuple of ``cuts`` is a choice of axes, in order."""
    ends = {1, size}
    for one in cuts:
        end = 1
        for cut in one:
            end *= cut
            ends.add(end)
    ordered = sorted(ends)
    if all(b % a == 0 for a, b in itertools.pairwise(ordered)) and ordered[-1] == size:
        return tuple(b // a for a, b in itertools.pairwise(ordered)) or (1,)
    return factors(size)


class Spread:
    """How programs run spread: the mesh, and how a batch comes in."""

    def __init__(self) -> None:
        self.dataset = "data_parallel"      # or "full_batch", or parts by dimension for each input
        self.cuts: list[tuple[int, ...]] = []       # of the strategies that were given
        self.sharing: list[tuple] = []      # (optimizer's parameters, `zero.Plan`)
        self.plan: list[tuple] = []         # (Parameter, its name, its strategy)
        self.sizes: tuple[int, ...] = ()
        self.mesh: DeviceMesh | None = None
        self._wanted: dict[int, tuple] = {}
        self.trained: list = []             # the weights of the latest gradients
        # Weights that an optimizer alone keeps in parts, gathered: by the id of what autograd is asked for.
        self._gathered: dict[int, tuple] = {}
        self.laid_out = None                # called once, after the first step

    def set_dataset_strategy(self, dataset) -> None:
        """Data come in as ``dataset_strategy`` has it."""
        self.dataset = dataset
        if not isinstance(dataset, str):
            self.cuts += parts("dataset_strategy", None, dataset)

    def make_mesh(self) -> None:
        """Make the mesh, once: as few axes as the strategies that were given need."""
        if self.mesh is None:
            self.sizes = mesh_sizes(self.cuts, distributed.size() // distributed.stages)
            self.mesh = zero.block_mesh(self.sizes)

    # ---- in and out ----------------------------------------------------------------------------------------

    def call(self, fn, args: tuple, kwargs: dict):
        """``fn(*args, **kwargs)``, spread; its Tensors come out whole, or with this process's share of the
        batch where it gave a share."""
        self.make_mesh()
        mode.spreading, mode.mesh = None, self
        batch: list = []
        try:
            args = tuple([self._into(x, i, batch) for i, x in enumerate(args)])
            kwargs = {k: self._into(x, None, batch) for k, x in kwargs.items()}
            with faults.diagnosing("a spread step"), PartByPart(), Completing():
                found = self._out(fn(*args, **kwargs), batch)
            self._keep_in_parts()
            return found
        finally:
            mode.spreading, mode.mesh = self, None
            self._gathered.clear()

    def _into(self, x, place, batch: list):
        if isinstance(x, (tuple, list)):
            return type(x)([self._into(one, place, batch) for one in x])
        if not isinstance(x, Tensor) or hasattr(x, "_rest") or x._t.__class__ is DTensor or not x._t.ndim:
            return x
        if self.dataset == "data_parallel":
            laid = (Shard(0),) * len(self.sizes)
            batch.append(x._t.shape[0] * math.prod(self.sizes))
        elif self.dataset == "full_batch" or place is None or place >= len(self.dataset):
            laid = (Replicate(),) * len(self.sizes)
        else:
            laid = of_strategy("dataset_strategy", None, [self.dataset[place]], self.sizes)[0]
        return wrap(DTensor.from_local(x._t.detach(), self.mesh, laid, run_check=False))

    def _out(self, x, batch: list):
        if isinstance(x, Tensor) and not hasattr(x, "_rest"):
            t = x._t
            if t.__class__ is not DTensor:
                return x
            if t.ndim and batch and t.shape[0] in batch:
                return wrap(t.redistribute(placements=(Shard(0),) * len(self.sizes)).to_local())
            return wrap(full_tensor(t))
        if isinstance(x, (tuple, list)) and not hasattr(x, "_fields"):
            return type(x)([self._out(one, batch) for one in x])
        if isinstance(x, dict):
            return {k: self._out(one, batch) for k, one in x.items()}
        return x

    def differentiated(self, differentiate, fn, args: tuple, kwargs: dict, places, weights, sens, has_aux):
        """`autodiff.differentiate` as an outermost call."""
        def run(*args, **kwargs):
            found = differentiate(fn, args, kwargs, places, weights, sens, has_aux)
            return found, found.output, [wrap(g) if isinstance(g, torch.Tensor) else g for g in found.inputs]

        found, output, inputs = self.call(run, args, kwargs)
        found.output = output
        found.inputs = [g._t if isinstance(g, Tensor) else g for g in inputs]
        return found

    # ---- inside --------------------------------------------------------------------------------------------

    def spread(self, t: torch.Tensor) -> DTensor:
        """``t``, the same on all processes, as a DTensor."""
        if t.__class__ is DTensor or t.is_meta:     # (another stage of a pipeline has it)
            return t
        return DTensor.from_local(t, self.mesh, (Replicate(),) * len(self.sizes), run_check=False)

    def laid(self, x, layout: tuple, what: str, read: bool = False):
        """The Tensor ``x`` laid out so, to be only ``read``, or not; a weight is from then on kept so."""
        if not isinstance(x, Tensor):
            return x
        t = x._t
        for axis, one in enumerate(layout):
            if isinstance(one, Shard) and one.dim >= t.ndim:
                raise ValueError(f"For {what}, dimension {one.dim} of a tensor of shape {tuple(t.shape)} can "
                                 f"not be split in {self.sizes[axis]}.")
        if hasattr(x, "_rest") and any(isinstance(one, Shard) for one in layout):
            self._wanted.setdefault(id(x), (x, layout))
        for dim in range(t.ndim):
            parts = math.prod(n for n, one in zip(self.sizes, layout, strict=True)
                              if isinstance(one, Shard) and one.dim == dim)
            if t.shape[dim] % parts:
                raise ValueError(f"For {what}, dimension {dim} of a tensor of shape {tuple(t.shape)} can not "
                                 f"be split in {parts} equal parts.")
        if hasattr(x, "_rest") and tuple(getattr(t, "placements", ())) == tuple(layout):
            # Its gradient is summed over the processes at the end; that of an activation is summed here.
            return x
        return wrap(_redistributed(t, layout, self.spread, _once if read else laid))

    def whole(self, t: torch.Tensor) -> torch.Tensor:
        """``t`` as its elements can be written, in memory of its own where it isn't ``t`` itself: torch reads
        elements of a split tensor from a copy, and what is written to that is lost."""
        return self._whole(t) if mode.way is None else mode.way.call("whole", self._whole, t)

    def _whole(self, t: torch.Tensor) -> torch.Tensor:
        if t.__class__ is not DTensor:
            t = t.clone()
        elif is_everywhere(t):
            return t
        return t if t.is_meta else laid(self.spread(t), (Replicate(),) * len(self.sizes))

    def as_it_lies(self, old: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        """``t``, to be copied into ``old``: whole where that is an ordinary tensor, the same on all."""
        return full_tensor(t) if t.__class__ is DTensor and old.__class__ is not DTensor else t

    def write(self, x: Tensor, change) -> None:
        """Let ``change(t)`` write into the data of ``x``, where nothing is differentiated."""
        if x._t.__class__ is DTensor:
            x._t = self.whole(x._t)
        change(x._t)

    def summed(self, x):
        """What an operator with a strategy gives: sums over the processes that are still to be made are made
        here, once, and not by each that reads it."""
        if mode.way is not None and isinstance(x, Tensor):      # (another stage's shows no sums)
            return wrap(mode.way.call("summed", _summed, x._t))
        t = getattr(x, "_t", None)
        return x if t is None or not is_partial(t) else wrap(_summed(t))

    def in_shares(self, backward, inputs, outs, grads):
        """``backward(inputs, outs, grads)`` of a program's own gradient (`on_parts.in_shares`)."""
        from ms2torch._core.processes import on_parts

        return on_parts.in_shares(self.sizes, backward, inputs, outs, grads)

    def at_use(self, share, t: DTensor) -> DTensor:
        """A weight kept in parts as operators see it: what its optimizer alone keeps in parts is gathered,
        once in a step where it may stay (levels 1 and 2), else once for each operator."""
        if not t.requires_grad:
            t = t.data      # (what autograd saves of it stays where the weight gets other content)
        if tuple(t.placements) == tuple(share.used):
            return t
        known = self._gathered.get(id(t))
        if known is None:
            with faults.diagnosing("the gathering of a weight"):
                known = t, t.redistribute(placements=share.used)
            if share.regathered:
                self._gathered.clear()
            if t.requires_grad:
                self._gathered[id(t)] = known
                share.note(known[1], t)
        whole = known[1]
        return whole if mode.way is None else mode.way.relaid(t, whole)

    def settled(self, grads: list, weights) -> list:
        """Gradients as their weights lie: whole ones ordinary tensors, others in parts."""
        found, self.trained = [], list(weights)
        with faults.diagnosing(f"the reduction of {len(grads)} gradients"):
            for g, w in zip(grads, weights, strict=True):
                if w._share is None:
                    found.append(full_tensor(g))
                else:
                    found.append(self.spread(g).redistribute(w._share.mesh, w._share.placements))
        return found

    def _keep_in_parts(self) -> None:
        """Weights that operators want in parts are kept in parts, with what optimizers keep of them."""
        for p, name, strategy in self.plan:
            self._wanted[id(p)] = p, of_strategy(name, None, strategy, self.sizes)[0]
        self.plan.clear()
        for p, layout in self._wanted.values():
            if p._share is None and not p._away:
                zero.shard_parameter(p, self.mesh, *self._shared_by_optimizers(p, layout))
        self._wanted.clear()
        for parameters, _ in self.sharing:
            for p in parameters:
                if p._share is None and not p._away:
                    layout, used, level = self._shared_by_optimizers(p, (Replicate(),) * len(self.sizes))
                    if layout != used:
                        zero.shard_parameter(p, self.mesh, layout, used, level)
        self.sharing.clear()
        if self.trained and self.laid_out is not None:
            told, self.laid_out = self.laid_out, None
            told(self)

    def _shared_by_optimizers(self, p, used: tuple) -> tuple[tuple, tuple, int]:
        """(how ``p`` is kept, how operators want it, the level): optimizer parallelism splits the first axis
        further, over the processes that would keep the same part."""
        plan = next((plan for parameters, plan in self.sharing if any(p is one for one in parameters)), None)
        axes = [a for a, one in enumerate(used) if isinstance(one, Replicate)]
        if plan is None or not axes:
            return used, used, 1
        if plan.size != -1:
            while axes and math.prod(self.sizes[a] for a in axes) > plan.size:
                axes.pop(0)
        count = math.prod(self.sizes[a] for a in axes)
        rows = math.prod(size for size, one in zip(self.sizes, used, strict=True) if zero.split_dim(one) == 0)
        if not axes or not zero.is_shareable(p, rows * count, plan.threshold):
            return used, used, 1
        further = zero.split_rows_further(used, axes, self.sizes)
        return (used, used, 1) if further is None else (further, used, plan.level)


def is_partial(t: torch.Tensor) -> bool:
    return t.__class__ is DTensor and any(one.is_partial() for one in t.placements)


def _summed(t: torch.Tensor) -> torch.Tensor:
    if not is_partial(t):
        return t
    return laid(t, tuple([Replicate() if one.is_partial() else one for one in t.placements]))


def _redistributed(t: torch.Tensor, layout: tuple, spread=lambda t: t, by=laid) -> DTensor:
    if mode.way is None:
        return by(spread(t), layout)
    # (A weight that another stage of a pipeline holds has no parts here.)
    return mode.way.call("redistribute",
                         lambda t: t if t.is_meta else by(spread(t), layout), t)


def _once(t: DTensor, placements: tuple) -> DTensor:
    """``t`` laid out so. All that read it so share one tensor, whose gradients are added before the processes
    sum them: once for the queries, keys and values of an input. What is computed again keeps nothing."""
    if t.grad_fn is None or not torch.is_grad_enabled() or repeating.under_way:
        return laid(t, placements)
    known, key = t.__dict__.setdefault("_laid", {}), (tuple(placements), t._version)
    if key not in known:
        known[key] = laid(t, placements)
    return known[key]


def full_tensor(t: torch.Tensor) -> torch.Tensor:
    """An ordinary tensor of all of ``t``."""
    return t.full_tensor() if t.__class__ is DTensor else t


class Completing(TorchDispatchMode):
    """Inside the block, operators for which torch has no rule on split tensors run on whole ones, and
    convolutions keep channels and windows whole."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not any(issubclass(kind, DTensor) for kind in types):
            return func(*args, **kwargs)
        if func in _CONVOLUTIONS:
            args = [lay(t) for lay, t in zip(_CONVOLUTIONS[func], args, strict=False)] + [*args[3:]]
        elif func is torch.ops.aten.sum.dim_IntList and not args[1]:
            # (No dimension means all of them, which torch's rule does not know: the gradient of a maximum.)
            args = [args[0], list(range(args[0].ndim)), *args[2:]]
        elif "batch_norm" in func.__name__:
            # On some meshes torch would split the channels, and update a copy of the moving statistics.
            args = tree_map(_everywhere, args)
        elif func._schema.is_mutable and isinstance(args[0], DTensor) and is_everywhere(args[0]):
            # Some of torch's rules would split what is written to as its operands are.
            args = tree_map(_everywhere, args)
        try:
            return _without_means(func(*args, **kwargs))
        except (NotImplementedError, RuntimeError) as err:
            if not says(err, "no sharding rule") or func._schema.is_mutable:
                raise
        except AssertionError:
            if func is not torch.ops.aten.convolution_backward.default:
                raise
            return _of_its_rows(func, *args)
        found = next(t for t in tree_leaves((args, kwargs)) if isinstance(t, DTensor))
        everywhere = (Replicate(),) * found.device_mesh.ndim
        args, kwargs = tree_map(full_tensor, (args, kwargs))
        return tree_map(lambda t: DTensor.from_local(t, found.device_mesh, everywhere, run_check=False)
                        if isinstance(t, torch.Tensor) else t, func(*args, **kwargs))


def _without_means(t):
    """A mean that is still to be made as the sum that it is: torch does not make one of the other."""
    if t.__class__ is not DTensor or not any(_is_mean(one) for one in t.placements):
        return t
    count = math.prod(n for n, one in zip(t.device_mesh.shape, t.placements, strict=True) if _is_mean(one))
    return DTensor.from_local(t._local_tensor / count, t.device_mesh,
                              [Partial() if _is_mean(one) else one for one in t.placements], run_check=False,
                              shape=t.shape, stride=t.stride())


def _is_mean(placement) -> bool:
    return getattr(placement, "reduce_op", None) == "avg"


def _everywhere(t):
    """A DTensor that lies whole on every process."""
    if not isinstance(t, DTensor) or is_everywhere(t):
        return t
    return t.redistribute(placements=(Replicate(),) * t.device_mesh.ndim)


def _of_its_rows(func, grad, x, weight, *settings):
    """A convolution's gradients, each process's from its part of the batch: torch 2.15 finds no layout for
    them on a mesh of two axes."""
    rows = x.placements                                     # (split by the batch, see `_by_batch`)
    summed = [Partial() if isinstance(one, Shard) else Replicate() for one in rows]
    local = [t.redistribute(placements=layout).to_local() for t, layout in (
        (grad, rows), (x, rows), (weight, [Replicate()] * len(rows)))]
    of_x, *others = func(*local, *settings)
    if of_x is not None:
        of_x = DTensor.from_local(of_x, x.device_mesh, rows, run_check=False, shape=x.shape,
                                  stride=x.stride())
    return of_x, *(None if t is None else DTensor.from_local(t, x.device_mesh, summed, run_check=False)
                   for t in others)


def _by_batch(t: DTensor) -> DTensor:
    """A DTensor split along its first axis at most."""
    if not isinstance(t, DTensor) or not any(isinstance(one, Shard) and one.dim for one in t.placements):
        return t
    return t.redistribute(placements=[Replicate() if isinstance(one, Shard) and one.dim else one
                                      for one in t.placements])


# How each lays out its first three arguments.
_CONVOLUTIONS = {torch.ops.aten.convolution.default: (_by_batch, _everywhere, _everywhere),
                 torch.ops.aten.convolution_backward.default: (_by_batch, _by_batch, _everywhere)}
