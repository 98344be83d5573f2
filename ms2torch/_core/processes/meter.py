"""What a program's tensors hold and what its processes send, counted operator by operator.

A `Meter` sees every operator of torch, on real tensors or on ones without memory (`FakeTensorMode`), inside
DTensors too.
"""

from __future__ import annotations

import weakref

import torch

from ms2torch._core.torch_private import TorchDispatchMode, tree_leaves

# Of ``size`` bytes in the larger of its tensors, what each of n ranks sends in a collective at least.
_SENT = {
    "allreduce": lambda size, n: 2 * size * (n - 1) // n,
    "all_reduce": lambda size, n: 2 * size * (n - 1) // n,
    "allgather": lambda size, n: size * (n - 1) // n,
    "all_gather": lambda size, n: size * (n - 1) // n,
    "reduce_scatter": lambda size, n: size * (n - 1) // n,
    "alltoall": lambda size, n: size * (n - 1) // n,
    "all_to_all": lambda size, n: size * (n - 1) // n,
    "reduce": lambda size, n: size,
    "broadcast": lambda size, n: size,
    "send": lambda size, n: size,
}


class Meter(TorchDispatchMode):
    """Inside the block: ``live`` bytes in tensors that were made or noted there, their ``peak``, and the
    bytes that this rank ``sent``, in all and by collective."""

    def __init__(self) -> None:
        super().__init__()
        self.live = self.peak = self.sent = 0
        self.by_kind: dict[str, int] = {}
        self._held: dict[int, weakref.ref] = {}

    def note(self, t: torch.Tensor) -> None:
        """Count the memory of ``t``, made before the block."""
        t = getattr(t, "_local_tensor", t)
        storage = t.untyped_storage()
        key = storage._cdata
        if key in self._held or t.device.type == "meta":        # (a stand-in for what another process holds)
            return
        size = storage.nbytes()

        def gone(_, key=key, size=size):
            self._held.pop(key, None)
            self.live -= size

        self._held[key] = weakref.ref(storage, gone)
        self.live += size
        self.peak = max(self.peak, self.live)

    def _forget(self, t: torch.Tensor) -> None:
        storage = t.untyped_storage()
        if self._held.pop(storage._cdata, None) is not None:
            self.live -= storage.nbytes()

    def restart(self) -> None:
        """Forget the peak and what was sent."""
        self.peak, self.sent, self.by_kind = self.live, 0, {}

    def repeat(self, before: dict[str, int], times: float) -> None:
        """What was sent since ``by_kind`` was ``before`` is sent that many times."""
        self.by_kind = {kind: before.get(kind, 0) + round((sent - before.get(kind, 0)) * times)
                        for kind, sent in self.by_kind.items()}
        self.sent = sum(self.by_kind.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(hasattr(kind, "_op_dispatcher") for kind in types):
            return NotImplemented       # a DTensor: its parts come by
        found = func(*args, **(kwargs or {}))
        if func.__name__ == "wait_tensor.default":
            self._forget(args[0])       # (it goes on in the same memory, without data in another's)
        for t in tree_leaves(found):
            if isinstance(t, torch.Tensor):
                self.note(t)
        if func.namespace in ("c10d", "_c10d_functional"):
            self._count(func.__name__, args)
        return found

    def _count(self, name: str, args) -> None:
        name = name.lstrip("_")
        kind = next((k for k in _SENT if name.startswith(k)), None)
        if kind is None:
            return
        leaves = tree_leaves(args)
        # Of the whole: the output of a gathering, the input of a scattering.
        size = max((sum(t.numel() * t.element_size() for t in tree_leaves(a) if isinstance(t, torch.Tensor))
                    for a in args), default=0)
        ranks = _ranks(leaves)
        if kind == "all_gather" and "into_tensor" in name:
            size *= ranks               # (functional: only the input is an argument)
        sent = _SENT[kind](size, ranks)
        self.sent += sent
        self.by_kind[kind] = self.by_kind.get(kind, 0) + sent


def _ranks(leaves) -> int:
    """How many ranks take part in a collective, by its arguments."""
    from torch.distributed import distributed_c10d as c10d

    for one in leaves:
        if isinstance(one, str):
            try:
                return c10d._resolve_process_group(one).size()
            except (RuntimeError, ValueError, KeyError, TypeError):
                continue
        if hasattr(one, "__obj_flatten__") or type(one).__name__ == "ScriptObject":
            try:
                return c10d.ProcessGroup.unbox(one).size()
            except (RuntimeError, TypeError):
                continue
    return torch.distributed.get_world_size()
