"""Device memory and waiting, for ``mindspore.runtime`` and ``mindspore.hal``; zeros on the CPU."""

from __future__ import annotations

import contextlib

from ms2torch._core.devices import device


def statistic(name: str) -> int:
    """``torch.cuda.<name>()`` (or of another accelerator) of the device in use, in bytes; 0 on the CPU, as
    MindSpore answers there, and where torch can not tell."""
    told = getattr(device.current_module(), name, None)
    return 0 if told is None else told(device.device())


def call(name: str) -> None:
    """``torch.cuda.<name>()`` (or of another accelerator) of the device in use; nothing on the CPU."""
    module = device.current_module()
    if hasattr(module, name):
        with module.device(device.device()) if hasattr(module, "device") else contextlib.nullcontext():
            getattr(module, name)()
