"""A device that torch knows by open registration alone (PrivateUse1): its operators compute on the CPU.

    python tests/_core/open_backend.py PROGRAM ...      # ``python -m ms2torch PROGRAM ...`` on it
"""

from __future__ import annotations

import runpy
import sys

import torch
from torch.utils import backend_registration
from torch.utils._pytree import tree_leaves, tree_map

NAME = "opened"
contents: dict[int, torch.Tensor] = {}      # what its tensors hold, by their storages
storages: list = []                         # which live on, so that no other gets the place of one
ran: set[str] = set()


class Module:
    """``torch.opened``."""

    device_count = staticmethod(lambda: 1)
    current_device = staticmethod(lambda: 0)
    is_available = is_initialized = staticmethod(lambda: True)
    _is_in_bad_fork = staticmethod(lambda: False)
    set_device = synchronize = manual_seed_all = staticmethod(lambda *given: None)


def is_ours(x) -> bool:
    return isinstance(x, torch.Tensor) and x.device.type == NAME


def held(x):
    if isinstance(x, torch.device):
        return torch.device("cpu")
    return contents[x.untyped_storage()._cdata] if is_ours(x) else x


def holding(t):
    made = torch._C._acc.create_empty_tensor(tuple(t.shape), t.dtype)
    storages.append(made.untyped_storage())
    contents[storages[-1]._cdata] = t
    return made


def compute(op, *args, **kwargs):
    ran.add(str(op))
    known = {id(held(x)): x for x in tree_leaves((args, kwargs)) if is_ours(x)}
    args, kwargs = tree_map(held, (args, kwargs))
    if "_fused" in str(op):     # its kernel reads gradients by their place in memory
        args = (args[0], [g.contiguous() for g in args[1]], *args[2:])

    def given_or_new(x):
        return x if not isinstance(x, torch.Tensor) else known[id(x)] if id(x) in known else holding(x)

    return tree_map(given_or_new, op(*args, **kwargs))


def copy_(self, source, non_blocking=False):
    held(self).copy_(held(source))
    return self


def to_copy(self, *, dtype=None, device=None, **more):
    copied, place = torch.ops.aten._to_copy(held(self), dtype=dtype), torch.device(device or self.device)
    return holding(copied) if place.type == NAME else copied


def as_strided(self, size, stride, storage_offset=None):
    inside, offset = held(self), storage_offset or 0
    if inside.stride() != self.stride():        # (torch takes its tensors for contiguous ones)
        return holding(inside.contiguous().as_strided(size, stride, offset))
    return holding(inside.as_strided(size, stride, inside.storage_offset() + offset - self.storage_offset()))


def register() -> list:
    """Make it torch's accelerator; what is returned must live on."""
    backend_registration._setup_privateuseone_for_python_backend(NAME, backend_module=Module())
    everything, aten = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
    everything.fallback(compute, "PrivateUse1")
    for name, kernel in {
        "copy_": copy_, "_to_copy": to_copy, "as_strided": as_strided,
        "_local_scalar_dense": lambda self: held(self).item(),
        "empty.memory_format": lambda size, *, dtype=None, **more: holding(torch.empty(size, dtype=dtype)),
        "empty_strided": lambda size, stride, *, dtype=None, **more: holding(
            torch.empty_strided(size, stride, dtype=dtype)),
    }.items():
        aten.impl(name, kernel, "PrivateUse1")
    return [everything, aten]


if __name__ == "__main__":
    registered = register()
    sys.argv[:] = ["ms2torch", *sys.argv[1:]]
    runpy.run_module("ms2torch", run_name="__main__")
    from ms2torch._core.devices import device

    if len(ran) > 10:
        print(device.device(), device.target(device.device()), "ran more than ten operators", file=sys.stderr)
