"""Gradients reduced while the backward pass still runs: a step under DistributedDataParallel.

torch's DDP launches the reduction of a bucket as soon as its gradients are there, but it hooks into
``backward()`` and ``.grad``, which nothing here uses. So it is given a module of its own: torch Parameters
over the storage of the weights, lent to the network for one step (`passes.Lent`). Their ``.grad`` is taken
out as values right after; the weights of the network never require grad and never get one.

DDP waits for every parameter. One that the loss does not depend on would keep it waiting, or cost a walk
through the graph in each step; here an identity with an edge to every parameter says "nothing from me", and
DDP fills in zeros.
"""

from __future__ import annotations

import inspect

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from ms2torch._core import mode
from ms2torch._core.gradient import overflow, passes
from ms2torch._core.gradient.autodiff import check_sensitivity
from ms2torch._core.processes import distributed, faults, reducing
from ms2torch._core.processes.distributed import Group

# Under this name DDP finds what it leaves alone.
_IGNORED = "_ddp_params_and_buffers_to_ignore"
# Programs decide whether weights are made equal; torch 2.4 always does it.
_TAKES = inspect.signature(DistributedDataParallel.__init__).parameters
_AS_THEY_ARE = {"init_sync": False} if "init_sync" in _TAKES else {}


class _Touch(torch.autograd.Function):
    """The outputs as they are, depending on every parameter without a gradient for it."""

    @staticmethod
    def forward(ctx, count, *tensors):
        ctx.rest = len(tensors) - count
        return tuple(t.view_as(t) for t in tensors[:count])

    @staticmethod
    def backward(ctx, *grads):
        return (None, *grads, *(None,) * ctx.rest)


class _Lender(torch.nn.Module):
    """The module that DDP wraps: parameters over the weights' storage, and whatever is to be called."""

    def __init__(self, weights) -> None:
        super().__init__()
        own = [torch.nn.Parameter(w._rest.detach(), requires_grad=True) for w in weights]
        for w, p in zip(weights, own, strict=True):
            self.register_parameter(_key(w), p)
        self.__dict__["own"] = own

    def forward(self, call):
        outs = call()
        own = [p for p in self.own if p.requires_grad]
        return _Touch.apply(len(outs), *outs, *own)


def _key(weight) -> str:
    return weight.name.replace(".", "/")


def _sum(group, bucket):
    """DDP's hook: the sum over the group, half precision in float32."""
    buffer = bucket.buffer()
    flat = buffer.float() if reducing.accumulation_dtype(buffer.dtype) is not buffer.dtype else buffer
    work = dist.all_reduce(flat, group=group, async_op=True)
    if flat is buffer:
        return work.get_future().then(lambda done: done.value()[0])
    return work.get_future().then(lambda done: buffer.copy_(done.value()[0]))


class Overlap:
    """Loss and reduced gradients of a network for ``weights``; those in ``alone`` are not reduced."""

    def __init__(self, weights, group: Group, alone=(), bucket_mb: float | None = None) -> None:
        self.weights = list(weights)
        self.group = group
        self.alone = {id(w) for w in alone}
        self._settings = {} if bucket_mb is None else {"bucket_cap_mb": bucket_mb}
        self._wrap()
        distributed.holders.add(self)

    def _wrap(self) -> None:
        """DDP over Parameters that no other DDP has hooked into: one that failed may live on in its error."""
        self._lender = _Lender(self.weights)
        self._places = [w._rest.data_ptr() for w in self.weights]
        # DDP looks for both spellings of a parameter of the outermost module.
        left_alone = [_key(w) for w in self.weights if id(w) in self.alone]
        setattr(self._lender, _IGNORED, [*left_alone, *(f".{key}" for key in left_alone)])
        kept = [] if _AS_THEY_ARE else [p.detach().clone() for p in self._lender.own]
        self._ddp = DistributedDataParallel(
            self._lender, **_AS_THEY_ARE, process_group=self.group.handle, gradient_as_bucket_view=True,
            **self._settings,
        )
        for p, own in zip(self._lender.own, kept, strict=False):
            p.detach().copy_(own)
        self._ddp.register_comm_hook(self.group.handle, _sum)

    def close(self) -> None:
        """The processes part."""
        self._ddp = None

    def step(self, fn, args: tuple, sens, scale: float):
        """``(output, gradients)``: ``fn(*args)``, detached, and the gradients summed over the group times
        ``scale``, one raw tensor for each weight.

        ``sens(output)`` gives the sensitivity as a Tensor, None for ones.
        """
        if self._ddp is None:
            self._wrap()
        else:
            self._tie()
        own = self._lender.own
        kept = {}

        def call():
            kept["output"] = fn(*args)
            return [t._t for t in passes.tensors_of(kept["output"])]

        try:
            with (faults.diagnosing("a training step under DistributedDataParallel", self.group.ranks),
                  passes.Lent(self.weights, own) as opened):
                torch.autograd.backward(*self._roots(self._ddp(call), kept, sens))
                for hooked in opened.hooked:
                    hooked.finish()
            grads = [p.grad for p in own]
        except BaseException:
            # Its buckets may be half reduced, or half made anew, as they are once after the first step.
            self._ddp = None
            raise
        finally:
            # Also after an exception: the next step would add to what is there.
            for p in own:
                p.grad = None
        passes.detach_(kept["output"])
        return kept["output"], self._finished(grads, scale)

    @staticmethod
    def _roots(outs, kept, sens):
        given = None if sens is None else sens(kept["output"])
        flowing = [t for t in outs if t.requires_grad]
        if given is None:
            return flowing, [torch.ones_like(t) for t in flowing]
        raw = [t._t for t in passes.tensors_of(given)]
        return flowing, [check_sensitivity(s, t) for t, s in zip(outs, raw, strict=True) if t.requires_grad]

    def _finished(self, grads: list, scale: float) -> list[torch.Tensor]:
        """Values of their own (DDP's are views of its buckets), scaled where they were reduced."""
        out: list = [torch.zeros_like(w._rest, requires_grad=False) if g is None else g
                     for w, g in zip(self.weights, grads, strict=True)]
        shared = [i for i, w in enumerate(self.weights) if id(w) not in self.alone]
        if shared:
            for i, g in zip(shared, torch._foreach_mul([out[i] for i in shared], scale), strict=True):
                out[i] = g
        if overflow.watching and mode.differentiation is None:
            overflow.check(out)
        return out

    def _tie(self) -> None:
        """Follow weights that moved to other memory (``set_data``)."""
        for i, w in enumerate(self.weights):
            place = w._rest.data_ptr()
            if place != self._places[i]:
                self._lender.own[i].data = w._rest.data
                self._places[i] = place

