"""Optimizer parallelism (ZeRO): the ranks share what an optimizer keeps, gradients, and weights.

A `Share` says how the ranks share one parameter, along its first axis, as torch's DTensor lays it out:

- level 1: the optimizer's state is in shares. Gradients are whole until they are reduced, each rank then gets
  its rows of the sum (reduce-scatter), updates its rows, and the ranks exchange what they updated
  (all-gather): as many bytes as the one all-reduce of data parallelism.
- level 2: gradients are reduced as they arise, so that a rank never holds more than its rows of them.
- level 3: the weights too are in shares. One is gathered where it is read, and let go of; what autograd saves
  of it is a note to gather it again.

A shared gradient is a DTensor of the whole shape, with which programs compute as with any other. Reading a
Parameter whose memory is shared gathers it, on all ranks at once.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import warnings
import weakref
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.multiprocessing.reductions import StorageWeakRef

from ms2torch._core import mode
from ms2torch._core.devices.device import device
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.processes import distributed, faults, reducing, segments
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import (
    DTensor,
    Replicate,
    Shard,
    add_rules,
    implicit_replication,
    without_modes,
)

# torch 2.13's names of them, and those before.
_all_gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
_reduce_scatter = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor
_slot = Tensor.__dict__["_t"]
_meshes: dict[tuple, DeviceMesh] = {}
_replicating = contextlib.ExitStack()
# Gathered weights by their storage: (the memory, its share, what it was gathered from).
_gathered: dict[int, tuple[StorageWeakRef, Share, weakref.ref]] = {}


class Plan(NamedTuple):
    """What is shared: by how many ranks (-1: all), from how many bytes on, up to which level."""

    size: int = -1
    threshold: int = 64 * 1024
    level: int = 1


def _strided() -> type | None:
    """torch's placement of what is split once more, by an axis left of the one that split it first."""
    try:
        from ms2torch._core.torch_private import StridedShard
    except ImportError:     # (torch 2.4)
        return None
    return StridedShard


def split_dim(placement) -> int | None:
    """The dimension that a placement splits."""
    kinds = (Shard, _strided()) if _strided() is not None else Shard
    return placement.dim if isinstance(placement, kinds) else None


def split_rows_further(used: tuple, axes, sizes) -> tuple | None:
    """``used`` whose first dimension is split further by the ``axes``, each part on its own; None where torch
    has no such layout."""
    found = list(used)
    for axis in axes:
        later = math.prod(size for size, one in zip(sizes[axis + 1:], used[axis + 1:], strict=True)
                          if split_dim(one) == 0)
        if later > 1 and _strided() is None:
            return None
        found[axis] = Shard(0) if later == 1 else _strided()(0, split_factor=later)
    return tuple(found)


def mesh_by(sizes: tuple[int, ...]) -> DeviceMesh:
    """All ranks in a matrix of these sizes, row by row."""
    if sizes not in _meshes:
        if not _meshes:
            # A tensor that is no DTensor is the same on all ranks wherever it meets one.
            _replicating.enter_context(implicit_replication())
            add_rules()
            # (It says how a mesh could be faster; programs here can not change that.)
            logging.getLogger("torch.distributed.tensor").setLevel(logging.ERROR)
            warnings.filterwarnings("ignore", "Found a non-scalar tensor with numel=1")
        with faults.diagnosing("the making of a device mesh"), without_modes():
            _meshes[sizes] = init_device_mesh(device().type, sizes,
                                              mesh_dim_names=tuple([f"axis{i}" for i in range(len(sizes))]))
            for group in _meshes[sizes].get_all_groups():
                distributed.limit_waiting(group)
    return _meshes[sizes]


def block_mesh(sizes: tuple[int, ...]) -> DeviceMesh:
    """The ranks of this process's stage in a matrix: all of them where there are no stages."""
    if distributed.stages == 1:
        return mesh_by(sizes)
    mesh = mesh_by((distributed.stages, *sizes))
    return mesh[mesh.mesh_dim_names[1:]]


def release() -> None:
    """The processes part."""
    _meshes.clear()
    _gathered.clear()
    _replicating.close()


class Share:
    """How the ranks share one Parameter, ``weight``: in the parts of a mesh that ``placements`` say. Where it
    is ``regathered`` no gathered weight waits for the backward pass. Operators see it as ``used``; ``wanted``
    is how operators see the weight, also where this is what an optimizer keeps of it."""

    __slots__ = ("_whole", "level", "mesh", "placements", "regathered", "used", "wanted", "weight")

    def __init__(self, weight, mesh: DeviceMesh, level: int, placements: tuple = ()) -> None:
        self.weight, self.mesh, self.level = weakref.ref(weight), mesh, level
        self.regathered = level == 3
        self.placements = placements or (*[Replicate()] * (mesh.ndim - 1), Shard(0))
        self.used = self.wanted = self.placements
        self._whole = None

    def parts(self, ndim: int) -> list[int]:
        """In how many parts each dimension is."""
        counts = [1] * ndim
        for axis, one in enumerate(self.placements):
            if (dim := split_dim(one)) is not None:
                counts[dim] *= self.mesh.size(axis)
        return counts

    def _order(self) -> list[int]:
        """The axes that split something, the coarser ones first."""
        order: list[int] = []
        for axis in reversed(range(self.mesh.ndim)):
            before, at = getattr(self.placements[axis], "split_factor", 1), 0
            while before > 1:       # (an axis further right splits first)
                if split_dim(self.placements[order[at]]) == split_dim(self.placements[axis]):
                    before //= self.mesh.size(order[at])
                at += 1
            order.insert(at, axis)
        return order

    def rows(self, t: torch.Tensor) -> torch.Tensor:
        """This rank's part of ``t``, whole or shared: the same memory."""
        if t.__class__ is DTensor:
            return t.redistribute(self.mesh, self.placements).to_local()
        t = t.detach()
        for axis in self._order():
            if (dim := split_dim(self.placements[axis])) is not None:
                count = t.shape[dim] // self.mesh.size(axis)
                t = t.narrow(dim, self.mesh.get_local_rank(axis) * count, count)
        return t

    def shared(self, rows: torch.Tensor) -> DTensor:
        """The whole tensor of which this rank has ``rows``."""
        shape = tuple(n * count for n, count in zip(rows.shape, self.parts(rows.ndim), strict=True))
        stride = torch.empty(shape, device="meta").stride()
        return DTensor.from_local(rows, self.mesh, self.placements, run_check=False, shape=shape,
                                  stride=stride)

    # ---- at rest -------------------------------------------------------------------------------------------

    def split(self, p) -> None:
        """From now on ``p``, of the weight's shape, holds this rank's rows only."""
        old = p._rest
        if (p._share is not None and old.__class__ is DTensor) or old.shape != self.weight()._rest.shape:
            return
        if old.__class__ is DTensor:        # (made like the weight, which is in parts)
            new = old
        else:
            new = torch.nn.Parameter(self.shared(self.rows(old).clone()), requires_grad=False)
            old.data = old.data.new_empty(0)
            old._moved_to = new
        p.__class__ = _sharing(p.__class__)
        own = self if p is self.weight() else Share(p, self.mesh, 3, self.placements)
        own.wanted = self.used
        p._share, p._rest = own, new
        _slot.__set__(p, new)
        mode.kept += 1

    def refill(self, t: torch.Tensor) -> None:
        """Make ``t``, whole, shared or this rank's part, the content of a Parameter that is in shares: in
        other memory, for autograd may still need the old."""
        rest = self.weight()._rest
        if t.shape != rest.shape and self.is_own_part(t.shape):
            rest._local_tensor = t.to(rest.dtype, copy=True).contiguous()
            return
        if t.shape != rest.shape:
            raise unsupported("mindspore.Parameter.set_data",
                              f"the ranks share '{self.weight().name}' as {tuple(rest.shape)}, it can not "
                              f"become {tuple(t.shape)}.")
        rest._local_tensor = self.rows(t).to(rest.dtype, copy=True).contiguous()

    def is_own_part(self, shape) -> bool:
        """Whether the Parameter is in shares, and this rank's is of that shape."""
        rest = self.weight()._rest
        return rest.__class__ is DTensor and rest._local_tensor.shape == shape

    def write(self, change) -> None:
        """Let ``change(t)`` write into the whole of a Parameter that is in shares."""
        with faults.diagnosing("the gathering of a parameter"), torch.no_grad():
            whole = self.gather(self.weight()._rest._local_tensor)
        change(whole)
        self.refill(whole)

    # ---- while it is read ----------------------------------------------------------------------------------

    def leaf(self) -> DTensor:
        """What autograd is asked for while a pass is open; it goes into the Parameter's slot."""
        return self.shared(self.rows(self.weight()._rest).detach()).requires_grad_()

    def gathered(self, leaf: DTensor) -> torch.Tensor:
        """The whole tensor, an ordinary one; its gradient is reduced to the rows of each rank."""
        known = self._whole
        if known is not None and known[0]() is leaf:
            return known[1]
        with faults.diagnosing("the gathering of a weight"):
            whole = _Whole.apply(leaf, self)
        if self.regathered:
            # (Gathered anew at every use: whether one is still there would depend on each rank's garbage.)
            self.note(whole, leaf)
        else:
            self._whole = weakref.ref(leaf), whole
        return whole

    def note(self, whole: torch.Tensor, leaf: DTensor) -> None:
        """Let autograd save a note in the place of ``whole``, what was gathered from ``leaf``."""
        if self.regathered:
            storage = getattr(whole, "_local_tensor", whole).untyped_storage()
            _gathered[storage._cdata] = StorageWeakRef(storage), self, weakref.ref(leaf)

    def forget(self) -> None:
        self._whole = None

    def kept(self) -> torch.Tensor:
        """What is in the Parameter's slot, not gathered."""
        return _slot.__get__(self.weight())

    def template(self) -> torch.Tensor:
        """What a gradient of the Parameter is like."""
        rest = self.weight()._rest
        return rest if self.level == 1 or rest.__class__ is DTensor else self.shared(self.rows(rest))

    @staticmethod
    def regathering():
        """A block in which autograd saves no gathered weight."""
        return torch.autograd.graph.saved_tensors_hooks(_pack, _unpack)

    def gather(self, rows: torch.Tensor) -> torch.Tensor:
        """The ranks' ``rows`` in one."""
        if self.placements[:-1] != (Replicate(),) * (self.mesh.ndim - 1) or self.placements[-1] != Shard(0):
            return self.shared(rows).full_tensor()
        whole = rows.new_empty((rows.shape[0] * self.mesh.size(-1), *rows.shape[1:]))
        _all_gather(whole, rows.contiguous(), group=self.mesh.get_group(self.mesh.ndim - 1))
        return whole

    def scattered(self, grad: torch.Tensor) -> torch.Tensor:
        """This rank's rows of the sum of ``grad`` over all ranks."""
        dtype = reducing.accumulation_dtype(grad.dtype)
        wide = grad.to(dtype).contiguous()
        handle = self.mesh.get_group(self.mesh.ndim - 1)
        group = distributed.Group("rows", dist.get_process_group_ranks(handle), handle)
        if segments.scatters(wide, group):
            rows = segments.scattered(wide, group)
        else:
            rows = wide.new_empty((grad.shape[0] // group.size, *grad.shape[1:]))
            _reduce_scatter(rows, wide, group=group.handle)
        if self.mesh.ndim > 1:
            dist.all_reduce(rows, group=self.mesh.get_group(0))
        return rows.to(grad.dtype)


class _Whole(torch.autograd.Function):
    """The whole weight of a leaf in shares; backward, the rows of the sum of its gradients."""

    @staticmethod
    def forward(ctx, leaf, share):
        ctx.share = share
        rest = share.weight()._rest
        if rest.__class__ is DTensor:
            return share.gather(leaf._local_tensor)
        return rest.detach().view_as(rest)

    @staticmethod
    def backward(ctx, grad):
        with faults.diagnosing("the reduction of a gradient"):
            return ctx.share.shared(ctx.share.scattered(grad)), None


# ---- Parameters that are in shares -------------------------------------------------------------------------


def _read(self) -> torch.Tensor:
    t = _slot.__get__(self)
    if t.__class__ is not DTensor:
        return t
    if mode.mesh is not None:       # (the parts of tensor parallelism meet others)
        return mode.mesh.at_use(self._share, t)
    if t.requires_grad and torch.is_grad_enabled():
        return self._share.gathered(t)
    with faults.diagnosing("the gathering of a parameter"), torch.no_grad():
        return self._share.gather(t._local_tensor)


def _write(self, t: torch.Tensor) -> None:
    if self._share is not None:
        self._share.forget()
    _slot.__set__(self, t)


_classes: dict[type, type] = {}


def _sharing(cls: type) -> type:
    """``cls`` whose Tensor's slot may hold shares, which are gathered where it is read."""
    if isinstance(cls.__dict__.get("_t"), property):
        return cls
    if cls not in _classes:
        about = {name: _told(getattr(cls, name)) for name in _ABOUT if hasattr(cls, name)}
        _classes[cls] = type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__,
                                                    "_t": property(_read, _write), **about})
    return _classes[cls]


# What a program asks of a Parameter without reading it: one rank alone may.
_ABOUT = ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "dim", "numel", "element_size", "__len__",
          "is_floating_point", "is_complex", "is_signed")


def _told(plain):
    """A property or method of Tensor that looks at no element, and gathers none."""
    def ask(self, *args):
        t = _slot.__get__(self)
        return of(wrap(torch.empty(t.shape, dtype=t.dtype, device="meta")), *args)

    of = plain.fget if isinstance(plain, property) else plain
    return property(ask) if isinstance(plain, property) else functools.wraps(plain)(ask)


def shard(parameters, plan: Plan) -> bool:
    """Share those of ``parameters`` that are large enough and whose first axis divides; whether there are
    any."""
    world = distributed.size()
    size = world if plan.size == -1 else plan.size
    if size <= 1 or world % size:
        return False
    found = [p for p in parameters if is_shareable(p, size, plan.threshold)]
    if not found:
        return False
    mesh = mesh_by((world,) if size == world else (world // size, size))
    group = distributed.group()
    if differ := reducing.compare(found, group):
        notice("shared parameters differ", f"{len(differ)} of {len(found)} shared parameters have different "
               f"values on the {world} processes, '{differ[0]}' first: all take those of rank 0.")
        reducing.broadcast(found, group)
    for p in found:
        if p._share is None:
            p._share = Share(p, mesh, plan.level)
            if plan.level == 3:
                p._share.split(p)
            elif plan.level == 2:
                t = p._t
                p.__class__ = _sharing(p.__class__)
                _slot.__set__(p, t)
    return True


def shard_parameter(p, mesh: DeviceMesh, placements: tuple, used: tuple, level: int) -> None:
    """Keep ``p`` in parts, and what optimizers keep of it; operators want it as ``used``."""
    p._share = Share(p, mesh, 3, placements)
    p._share.used, p._share.regathered = used, level == 3
    p._share.split(p)
    for twin in p.__dict__.get("_twins", ()):
        p._share.split(twin)


def is_shareable(p, size: int, threshold: int) -> bool:
    """Whether ``size`` ranks share the Parameter, as MindSpore has it."""
    rest = p._rest
    return (p.parallel_optimizer and not p.layerwise_parallel and rest.ndim > 0 and rest.shape[0] >= size
            and rest.shape[0] % size == 0 and rest.numel() * rest.element_size() >= threshold)


# ---- gradients ---------------------------------------------------------------------------------------------


def reduce(tensors: list, shares: list, scale: float) -> list[DTensor]:
    """Gradients of shared weights, whole ones summed over the ranks, times ``scale``: in shares."""
    found = []
    with faults.diagnosing(f"the reduction of {len(tensors)} gradients"):
        for t, share in zip(tensors, shares, strict=True):
            rows = t.to_local() if t.__class__ is DTensor else share.scattered(t)
            found.append(share.shared(rows * scale if scale != 1.0 else rows))
    return found


def publish(parameters) -> None:
    """After an update: every rank gets the rows of shared weights that the others updated."""
    with faults.diagnosing("the exchange of updated weights"):
        for p in parameters:
            share = p._share
            if share is not None and share.level < 3:
                rest = p._rest.detach()
                _all_gather(rest, share.rows(rest).clone(),
                                            group=share.mesh.get_group(share.mesh.ndim - 1))


# ---- what autograd saves -----------------------------------------------------------------------------------


class _Note(NamedTuple):
    """Instead of a gathered weight: whose it is, how it was seen, and of which DTensor it was the part."""

    share: Share
    leaf: DTensor
    size: tuple
    stride: tuple
    offset: int
    spec: object


def _pack(t: torch.Tensor):
    local = getattr(t, "_local_tensor", t)
    known = _gathered.get(local.untyped_storage()._cdata)
    if known is None or known[0].expired():
        return t
    leaf = known[2]()
    return t if leaf is None else _Note(known[1], leaf, local.shape, local.stride(), local.storage_offset(),
                                        getattr(t, "_spec", None))


def _unpack(kept):
    if kept.__class__ is not _Note:
        return kept
    share, leaf, spec = kept.share, kept.leaf, kept.spec
    with faults.diagnosing("the gathering of a weight"):
        whole = (share.gather(leaf._local_tensor) if spec is None
                 else leaf.detach().redistribute(placements=share.used)._local_tensor)
    seen = whole.as_strided(kept.size, kept.stride, kept.offset)
    return seen if spec is None else DTensor.from_local(seen, spec.mesh, spec.placements, run_check=False,
                                                        shape=spec.shape, stride=spec.stride)
