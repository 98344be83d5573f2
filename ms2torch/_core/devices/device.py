"""The device that new tensors live on: CUDA where there is one, else the CPU; MS2TORCH_DEVICE forces one."""

from __future__ import annotations

import os

import torch

from ms2torch._core.errors import notice

_device: torch.device | None = None


def device() -> torch.device:
    """The torch device in use; chosen at the first call (or by ``select``)."""
    if _device is None:
        select(None)
    return _device


def describe(chosen: torch.device) -> str:
    """``cuda:0 (NVIDIA H200)``, ``cpu``."""
    if chosen.type == "cuda":
        return f"{chosen} ({torch.cuda.get_device_name(chosen)})"
    return str(chosen)


def _best(index: int) -> torch.device:
    forced = os.environ.get("MS2TORCH_DEVICE")
    if forced == "cuda" and torch.cuda.is_available():
        forced = f"cuda:{index % torch.cuda.device_count()}"      # of several processes each has its own
    if forced:
        try:
            return torch.empty(0, device=forced).device
        except (RuntimeError, AssertionError, NotImplementedError) as err:
            raise RuntimeError(f"MS2TORCH_DEVICE or --device asks for {forced!r}, {_why(err)}") from None
    if torch.cuda.is_available():
        return torch.device("cuda", index % torch.cuda.device_count())
    return torch.device("cpu")


def _why(err: Exception) -> str:
    """Why a device is not here, in a line: torch's own text lists every backend of every build."""
    if "Expected one of" in str(err) or "Invalid device string" in str(err):
        return "which is not here: a device is cpu, cuda, cuda:1 or mps."
    return f"which is not here: {str(err).splitlines()[0]}"


def select(target: str | None, index: int | None = None) -> torch.device:
    """Map MindSpore's device target ("Ascend", "GPU", "CPU") to the best device here, and say so once.

    ``index`` is MindSpore's ``device_id``; without one the environment says it: LOCAL_RANK (mpirun's too),
    DEVICE_ID.
    """
    global _device
    if index is None:
        said = [os.environ.get(name) for name in ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "DEVICE_ID")]
        index = int(next(filter(None, said), 0))
    _device = _best(index)
    if target is not None and (target, _device.type) not in (("GPU", "cuda"), ("CPU", "cpu")):
        notice(f"device:{target}", f'device_target="{target}" runs on {describe(_device)} here.')
    return _device
