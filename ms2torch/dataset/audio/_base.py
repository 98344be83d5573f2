"""What the audio transforms share: they take arrays whose last axis is time."""

from __future__ import annotations

import numpy as np

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    INT32_MAX,
    INT32_MIN,
    check_float32,
    check_value,
    type_check,
)
from ..transforms.operation import OperationError, TensorOperation, calls_through


class AudioTensorOperation(TensorOperation):
    """Base of transforms of sound (``...audio.transforms.AudioTensorOperation``)."""

    _axes = "<..., freq, time>"          # of inputs that need two
    _arrays_alone = True                 # two take what an array can be made of

    @calls_through
    def __call__(self, *inputs):
        for array in inputs:
            if self._arrays_alone and not isinstance(array, np.ndarray):
                raise TypeError(f"Input should be NumPy audio, got {type(array)}.")
        return super().__call__(*inputs)

    def _checked(self, wave: np.ndarray, axes: int = 1) -> np.ndarray:
        """The array as floats; float64 stays, all else becomes float32."""
        self._check_kind(wave, axes, "iufb")
        return wave if wave.dtype == np.float64 else wave.astype(np.float32)

    def _floating(self, wave: np.ndarray) -> np.ndarray:
        """The array, which has to be of floats; of half precision too."""
        self._check_kind(wave, 1, "f")
        return wave

    def _check_kind(self, wave: np.ndarray, axes: int, kinds: str) -> None:
        name = type(self).__name__
        if wave.ndim < axes:
            shape = "<..., time>" if axes == 1 else self._axes
            raise OperationError(f"{name}: the shape of input tensor does not match the requirement of "
                                 f"operator. Expecting tensor in shape of {shape}. But got tensor with "
                                 f"dimension {wave.ndim}.")
        if wave.dtype.kind not in kinds:
            wanted = "[float, double]" if kinds == "f" else "[int, float, double]"
            raise OperationError(f"{name}: the data type of input tensor does not match the requirement of "
                                 f"operator. Expecting tensor in type of {wanted}. But got type "
                                 f"{'string' if wave.dtype.kind in 'SU' else wave.dtype}.")


def single(value: float) -> float:
    """A number as MindSpore keeps a transform's arguments: in Float32."""
    return float(np.float32(value))


def steps(start, end, count: int, kind) -> np.ndarray:
    """``count`` numbers from one to the other, each rounded as MindSpore does in that dtype."""
    start, end = kind(start), kind(end)
    step = kind(0) if count == 1 else (end - start) / kind(count - 1)
    return start + np.arange(count).astype(kind) * step


def check_number(value, name: str) -> None:
    type_check(value, (float, int), name)
    check_float32(value, name)


def check_positive_number(value, name: str, kinds: tuple = (float, int)) -> None:
    type_check(value, kinds, name)
    check_value(value, [0, 16777216], name, True)


def check_not_negative(value, name: str, kinds: tuple = (float, int)) -> None:
    type_check(value, kinds, name)
    check_value(value, [0, 16777216], name)


def check_non_negative_float32(value, name: str) -> None:
    check_value(value, [0, FLOAT_MAX_INTEGER], name)


def check_int32(value, name: str) -> None:
    type_check(value, (int,), name)
    check_value(value, [INT32_MIN, INT32_MAX], name)


def check_int32_not_zero(value, name: str) -> None:
    type_check(value, (int,), name)
    if value == 0 or not INT32_MIN <= value <= INT32_MAX:
        raise ValueError(f"Input {name} is not within the required interval of [{INT32_MIN}, 0) and (0, "
                         f"{INT32_MAX}].")


def complex_pairs(operation: AudioTensorOperation, wave: np.ndarray, axes: int = 1,
                  frames: str = "num_frame") -> np.ndarray:
    """The array as floats, whose last axis holds real and imaginary parts."""
    if wave.ndim < axes or wave.shape[-1] != 2:
        shape = "<..., complex=2>" if axes == 1 else f"<..., freq, {frames}, complex=2>"
        raise OperationError(f"{type(operation).__name__}: the shape of input tensor does not match the "
                             f"requirement of operator. Expecting tensor in shape of {shape}.")
    return operation._checked(wave)
