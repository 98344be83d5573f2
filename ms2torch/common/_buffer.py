"""Tensors that are a Cell's state and no parameters (``mindspore.common.parameter._Buffer``)."""

from __future__ import annotations

from ms2torch._core.tensor.tensor import Tensor, wrap


class _MarkedTensors(type):
    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class _Buffer(Tensor, metaclass=_MarkedTensors, hands_data_on=False):
    """``data`` as a Tensor that a Cell registers as a buffer when it is assigned to an attribute.

    ValueError for None, TypeError for anything but a Tensor. ``persistent``: whether ``state_dict`` holds it.
    """

    def __new__(cls, data, *, persistent=True):
        if data is None:
            raise ValueError("For create Buffer, input data should not be None")
        if not isinstance(data, Tensor):
            raise TypeError("For create Buffer, type of input data should be Tensor")
        buffer = wrap(data._t.detach())
        buffer._is_buffer, buffer.persistent = True, persistent
        return buffer
