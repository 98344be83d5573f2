"""What the audio transforms share: they take arrays whose last axis is time."""

from __future__ import annotations

import numpy as np

from ..core.validator_helpers import check_float32, check_value, type_check
from ..transforms.operation import OperationError, TensorOperation, calls_through


class AudioTensorOperation(TensorOperation):
    """Base of transforms of sound (``...audio.transforms.AudioTensorOperation``)."""

    @calls_through
    def __call__(self, *inputs):
        for array in inputs:
            if not isinstance(array, np.ndarray):
                raise TypeError(f"Input should be NumPy audio, got {type(array)}.")
        return super().__call__(*inputs)

    def _checked(self, wave: np.ndarray, axes: int = 1) -> np.ndarray:
        """The array as floats; float64 stays, all else becomes float32."""
        name = type(self).__name__
        if wave.ndim < axes:
            shape = "<..., time>" if axes == 1 else "<..., freq, time>"
            raise OperationError(f"{name}: the shape of input tensor does not match the requirement of "
                                 f"operator. Expecting tensor in shape of {shape}. But got tensor with "
                                 f"dimension {wave.ndim}.")
        if wave.dtype.kind not in "iuf":
            raise OperationError(f"{name}: the data type of input tensor does not match the requirement of "
                                 "operator. Expecting tensor in type of [int, float, double]. But got type "
                                 f"{wave.dtype}.")
        return wave if wave.dtype == np.float64 else wave.astype(np.float32)


def check_number(value, name: str) -> None:
    type_check(value, (float, int), name)
    check_float32(value, name)


def check_positive_number(value, name: str) -> None:
    type_check(value, (float, int), name)
    check_value(value, [0, 16777216], name, True)


def check_not_negative(value, name: str, kinds: tuple = (float, int)) -> None:
    type_check(value, kinds, name)
    check_value(value, [0, 16777216], name)
