"""Computing on a device for a while (``mindspore.common.device``)."""

from __future__ import annotations

from ms2torch._core.errors import unsupported


class DeviceCtx:
    """A context in which a device is chosen (``mindspore.DeviceCtx``): "CPU", "GPU", "Ascend" or "meta".

    ms2torch computes on one device in a process: entering with another one raises NotImplementedError.
    """

    def __init__(self, name: str, device_id=None) -> None:
        self.name = name
        self.device_id = device_id

    def __enter__(self) -> DeviceCtx:
        from ms2torch._core.devices import device

        targets = ["CPU", "GPU", "Ascend", "meta"]
        if self.name not in targets:
            raise ValueError(f"For DeviceCtx, the name must be one of {targets}, but got {self.name}.")
        if self.device_id is not None and self.device_id < 0:
            raise ValueError("For DeviceCtx, the device_id must be greater than or equal to 0.")
        if self.name == "meta" or (self.name == "CPU") != (device.device().type == "cpu"):
            raise unsupported(f"mindspore.DeviceCtx({self.name!r})", "a process computes on one device.",
                              "choose it with set_device before anything is computed.")
        return self

    def __exit__(self, *failure) -> None:
        pass
