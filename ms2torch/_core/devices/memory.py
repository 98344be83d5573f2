"""Device memory and waiting, for ``mindspore.runtime`` and ``mindspore.hal``; zeros on the CPU."""

from __future__ import annotations

import torch

from ms2torch._core.devices import device


def ask(name: str) -> int:
    """``torch.cuda.<name>()`` of the device in use, in bytes; 0 on the CPU, as MindSpore answers there."""
    chosen = device.device()
    return getattr(torch.cuda, name)(chosen) if chosen.type == "cuda" else 0


def do(name: str) -> None:
    """``torch.cuda.<name>()`` where the device in use is a CUDA device; nothing on the CPU."""
    chosen = device.device()
    if chosen.type == "cuda":
        with torch.cuda.device(chosen):
            getattr(torch.cuda, name)()
