"""Gradients reduced over processes: explicit ones, in flat buckets.

A bucket is one flat tensor: many small gradients cost one operation, and all buckets are under way at once.
On the CPU large gradients need no bucket (see `segments`).
As MindSpore does, half precision is summed in float32 and cast back, and the mean is the sum times 1/degree.
(MindSpore also sums float64 in float32; here float64 keeps its precision.)
"""

from __future__ import annotations

import math

import torch
import torch.distributed as dist

from ms2torch._core.processes import distributed, faults, segments
from ms2torch._core.processes.distributed import Group

# On the CPU smaller ones: copying one goes on while another is on the wire.
BUCKET_BYTES = {"cpu": 8 * 2**20}
_BUCKET_BYTES = 25 * 2**20
_HALF = (torch.float16, torch.bfloat16)


def accumulation_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype that gradients of ``dtype`` are summed in."""
    return torch.float32 if dtype in _HALF else dtype


def buckets(tensors, cuts=(), limit: int | None = None) -> list[list[int]]:
    """Places of ``tensors`` by bucket: one dtype and device each, at most ``limit`` bytes (by the device).

    ``cuts`` gives each tensor a label; tensors with different labels are never in one bucket.
    """
    found: list[list[int]] = []
    open_ones: dict = {}
    for i, t in enumerate(tensors):
        key = (accumulation_dtype(t.dtype), t.device, cuts[i] if cuts else 0)
        size = t.numel() * torch.empty((), dtype=key[0]).element_size()
        last = open_ones.get(key)
        most = limit or BUCKET_BYTES.get(t.device.type, _BUCKET_BYTES)
        if last is None or last[1] + size > most:
            last = open_ones[key] = [[], 0]
            found.append(last[0])
        last[0].append(i)
        last[1] += size
    return found


def reduce(tensors: list[torch.Tensor], group: Group, scale: float = 1.0, cuts=(),
           limit: int | None = None) -> list[torch.Tensor]:
    """The tensors summed over the group and multiplied by ``scale``: new memory, the same dtypes."""
    if group.size == 1:
        return [t * scale for t in tensors] if scale != 1.0 else list(tensors)
    result: list = [None] * len(tensors)
    large = [i for i, t in enumerate(tensors) if segments.applies(t, group)]
    small = sorted(set(range(len(tensors))) - set(large))
    under_way: list = []
    sums: list[segments.Sum] = []
    with faults.diagnosing(f"the reduction of {len(tensors)} gradients", group.ranks):
        for places in buckets([tensors[i] for i in small], [cuts[i] for i in small] if cuts else (), limit):
            places = [small[k] for k in places]
            flat, left = _flat([tensors[i] for i in places], scale)
            under_way.append((places, flat, left, dist.all_reduce(flat, group=group.handle, async_op=True)))
        for i in large:
            t = tensors[i]
            out, begun = segments.start_sum(t.to(accumulation_dtype(t.dtype)), group, scale, len(sums))
            result[i] = out
            sums += begun
        for one in sums:
            one.add()
        for one in sums:
            one.end()
        for places, flat, left, work in under_way:
            work.wait()
            if left != 1.0:
                flat.mul_(left)
            for i, part in zip(places, flat.split([tensors[i].numel() for i in places]), strict=True):
                result[i] = part.view(tensors[i].shape)
    return [t if t.dtype is like.dtype else t.to(like.dtype) for t, like in zip(result, tensors, strict=True)]


def _flat(tensors: list[torch.Tensor], scale: float) -> tuple[torch.Tensor, float]:
    """The tensors in one, in the dtype that they are summed in; also the factor that is left to multiply by.

    A power of two changes no digit, so it is multiplied in on the way: one pass over memory less.
    """
    dtype = accumulation_dtype(tensors[0].dtype)
    same = all(t.dtype is dtype for t in tensors) and dtype.is_floating_point
    if not same or scale == 1.0 or math.frexp(scale)[0] != 0.5:
        return torch.cat([t.reshape(-1).to(dtype) for t in tensors]), scale
    flat = tensors[0].new_empty(sum(t.numel() for t in tensors))
    for t, part in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
        torch.mul(t, scale, out=part.view(t.shape))
    return flat, 1.0


def broadcast(params, group: Group, root: int = 0) -> None:
    """Give every Parameter the value that it has on rank ``root`` of the group, in buckets."""
    if group.size == 1 or not params:
        return
    rests = [p._rest for p in params]
    with faults.diagnosing(f"the broadcast of {len(rests)} parameters", group.ranks), torch.no_grad():
        by_dtype: dict = {}
        for t in rests:
            by_dtype.setdefault((t.dtype, t.device), []).append(t)
        for tensors in by_dtype.values():
            flat = torch.cat([t.detach().reshape(-1) for t in tensors])
            dist.broadcast(flat, group.world_rank(root), group=group.handle)
            for t, part in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
                t.copy_(part.view(t.shape))


def compare(params, group: Group) -> list[str]:
    """Names of parameters whose values are not the same on all ranks.

    ValueError, on every rank, where the parameters are not the same ones: it names the first that differs.
    """
    if group.size == 1 or distributed.is_simulated():
        return []
    mine = [(p.name, tuple(p._rest.shape), str(p._rest.dtype).removeprefix("torch.")) for p in params]
    sums = torch.stack([_fingerprint(p._rest) for p in params]).tolist() if params else []
    told: list = [None] * group.size
    with faults.diagnosing("the comparison of parameters", group.ranks):
        dist.all_gather_object(told, (mine, sums), group=group.handle)
    for rank, (theirs, _) in zip(group.ranks, told, strict=True):
        if theirs != told[0][0]:
            raise ValueError(_difference(group.ranks[0], told[0][0], rank, theirs))
    return [one[0] for i, one in enumerate(mine) if any(s[i] != sums[i] for _, s in told)]


def _fingerprint(t: torch.Tensor) -> torch.Tensor:
    """Two different tensors hardly ever have the same; ranks that share one have none of their own."""
    if hasattr(t, "full_tensor"):
        return torch.zeros((), dtype=torch.float64, device=t.device)
    flat = t.detach().reshape(-1)
    flat = (flat.real + 2 * flat.imag) if flat.is_complex() else flat
    flat = flat.double()
    return (flat * torch.linspace(1.0, 2.0, flat.numel(), dtype=torch.float64, device=flat.device)).sum()


def _difference(a: int, ours: list, b: int, theirs: list) -> str:
    head = "The processes train different parameters: "
    for x, y in zip(ours, theirs, strict=False):
        if x != y:
            return f"{head}rank {a} has {_shown(x)}, rank {b} has {_shown(y)}."
    longer, extra = (a, ours) if len(ours) > len(theirs) else (b, theirs)
    return f"{head}rank {longer} also has {_shown(extra[min(len(ours), len(theirs))])}."


def _shown(one: tuple) -> str:
    name, shape, dtype = one
    return f"'{name}' of {dtype} {shape}"


