"""The device that new tensors live on: torch's accelerator (CUDA, an Ascend NPU by torch_npu, XPU, MPS) where
there is one, else the CPU; MS2TORCH_DEVICE forces one."""

from __future__ import annotations

import os

import torch

from ms2torch._core.errors import notice
from ms2torch._core.torch_private import says

_device: torch.device | None = None
# The device target that the program asked for; None: it left that open.
wanted: str | None = None


def device() -> torch.device:
    """The torch device in use; chosen at the first call (or by ``select``)."""
    if _device is None:
        select(None)
    return _device


def accelerator() -> str | None:
    """The kind of accelerator that is here ("cuda", "npu", "xpu", "mps"); None where there is none."""
    known = getattr(torch, "accelerator", None)
    if known is not None:
        return known.current_accelerator().type if known.is_available() else None
    for kind in ("cuda", "npu", "xpu", "mps"):      # (before torch 2.6)
        module = module_of(kind)
        if module is not None and getattr(module, "is_available", bool)():
            return kind
    return None


def module_of(kind: str | None):
    """``torch.cuda``, ``torch.npu``, ...: what torch can do with such devices; None for the CPU."""
    return None if kind in (None, "cpu", "meta") else getattr(torch, kind, None)


def pins_memory(kind: str | None) -> bool:
    """Whether such devices copy from page-locked memory while they compute."""
    return kind not in (None, "cpu", "meta", "mps")


def profiler_activities() -> list:
    """What torch's profiler records here: the CPU, and the accelerator."""
    kinds = torch.profiler.ProfilerActivity
    own = {"cuda": "CUDA", "xpu": "XPU", None: "CPU", "mps": "CPU"}.get(accelerator(), "PrivateUse1")
    return [kinds.CPU] if own == "CPU" else [kinds.CPU, getattr(kinds, own)]


def current_module():
    """`module_of` the device in use."""
    return module_of(device().type)


def target(chosen: torch.device) -> str:
    """MindSpore's name for a device: "CPU", "Ascend" for an NPU, "GPU" for any other accelerator."""
    return _target_of(chosen.type)


def _target_of(kind: str) -> str:
    return {"cpu": "CPU", "meta": "CPU", "npu": "Ascend"}.get(kind, "GPU")


def count(name: str) -> int:
    """How many devices are here that `target` calls ``name``, of the accelerator's kind."""
    kind = accelerator()
    if kind is None or _target_of(kind) != name:
        return 0
    return getattr(module_of(kind), "device_count", lambda: 1)()


def has_cpu_kernels() -> bool:
    """Whether what MindSpore's kernels for a CPU lack is lacking: no other device is asked for, or in use."""
    return wanted == "CPU" or (wanted is None and device().type == "cpu")


def describe(chosen: torch.device) -> str:
    """``cuda:0 (NVIDIA H200)``, ``cpu``."""
    name = getattr(module_of(chosen.type), "get_device_name", None)
    return f"{chosen} ({name(chosen)})" if name is not None else str(chosen)


def _numbered(kind: str, index: int) -> torch.device:
    """The device of several processes on one machine that this one has."""
    return torch.device(kind, index % max(getattr(module_of(kind), "device_count", int)(), 1))


def _best(index: int) -> torch.device:
    forced, found = os.environ.get("MS2TORCH_DEVICE"), accelerator()
    if forced and forced == found:
        return _numbered(found, index)
    if forced:
        try:
            return torch.empty(0, device=forced).device
        except (RuntimeError, AssertionError, NotImplementedError) as err:
            raise RuntimeError(f"MS2TORCH_DEVICE or --device asks for {forced!r}, {_why(err)}") from None
    return torch.device("cpu") if found is None else _numbered(found, index)


def _why(err: Exception) -> str:
    """Why a device is not here, in a line: torch's own text lists every backend of every build."""
    if says(err, "no such device"):
        return "which is not here: a device is cpu, cuda, cuda:1, npu (Ascend), xpu or mps."
    return f"which is not here: {str(err).splitlines()[0]}"


def select(asked: str | None, index: int | None = None) -> torch.device:
    """Map MindSpore's device target ("Ascend", "GPU", "CPU") to the best device here, and say so once.

    ``index`` is MindSpore's ``device_id``; without one the environment says it: LOCAL_RANK (mpirun's too),
    DEVICE_ID.
    """
    global _device, wanted
    wanted = asked or wanted
    if index is None:
        said = [os.environ.get(name) for name in ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "DEVICE_ID")]
        index = int(next(filter(None, said), 0))
    _device = _best(index)
    if asked is not None and (_device.type == "meta" or asked != target(_device)):
        notice(f"device:{asked}", f'device_target="{asked}" runs on {describe(_device)} here.')
    return _device


def stay_on_cpu() -> None:
    """New tensors of this process are the CPU's from here on: a forked one cannot use the accelerator."""
    global _device
    _device = torch.device("cpu")
