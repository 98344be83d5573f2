"""The device that new tensors live on: CUDA where there is one, else the CPU."""

from __future__ import annotations

import os

import torch

from .errors import notice

_device: torch.device | None = None


def device() -> torch.device:
    """The torch device in use; chosen at the first call (or by ``select``)."""
    if _device is None:
        select(None)
    return _device


def select(target: str | None, index: int | None = None) -> torch.device:
    """Map MindSpore's device target ("Ascend", "GPU", "CPU") to the best device here, and say so once."""
    global _device
    if index is None:
        index = int(os.environ.get("LOCAL_RANK", os.environ.get("DEVICE_ID", 0)))
    if target == "CPU" or not torch.cuda.is_available():
        _device = torch.device("cpu")
    else:
        _device = torch.device("cuda", index % torch.cuda.device_count())
    if target in ("Ascend", "GPU") and not (target == "GPU" and _device.type == "cuda"):
        notice(f"device:{target}", f'device_target="{target}" runs on {_device} here.')
    return _device
