"""Bands of a spectrogram set to a value, fixed or drawn."""

from __future__ import annotations

from ..core.validator_helpers import (
    check_float32,
    check_non_negative_int32,
    check_pos_int32,
    check_value,
    type_check,
)
from ..transforms.operation import OperationError, RandomOperation
from ._base import AudioTensorOperation, check_not_negative

__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]


def _band(wave, axis: int, start: int, width: int, value) -> None:
    band = slice(start, start + width)
    wave[(..., band) if axis == -1 else (..., band, slice(None))] = value


def _check_most(operation, axis: int, most: int, length: int) -> None:
    if most > length:
        what = "time" if axis == -1 else "frequency"
        if isinstance(operation, MaskAlongAxisIID):
            raise OperationError("MaskAlongAxisIID: mask_param should be less than or equal to the length "
                                 f"of {what} dimension.")
        raise OperationError(
            f"{type(operation).__name__}: invalid parameter, '{what}_mask_param' should be less than or "
            f"equal to the length of {what} dimension, but got: 'frequency_mask_param' {most} and length "
            f"{length}")


def _fixed(operation, wave, axis: int, start: int, width: int, value):
    wave = operation._checked(wave, 2).copy()
    length = wave.shape[axis]
    if not isinstance(operation, MaskAlongAxis):
        _check_most(operation, axis, width, length)
    if start >= length:
        raise OperationError("MaskAlongAxis: invalid parameter, 'mask_start' should be less than the length "
                             f"of the masked dimension, but got: 'mask_start' {start} and length {length}")
    if start + width > length:
        raise OperationError(
            "MaskAlongAxis: invalid parameter, the sum of 'mask_start' and 'mask_width' should be no more "
            f"than the length of the masked dimension, but got: 'mask_start' {start}, 'mask_width' {width} "
            f"and length {length}"
        )
    _band(wave, axis, start, width, value)
    return wave


def _drawn(operation, stream, wave, axis: int, most: int, value):
    """A band of up to ``most``, anywhere."""
    wave = operation._checked(wave, 2).copy()
    _check_most(operation, axis, most, wave.shape[axis])
    width = stream.integer(0, most)
    _band(wave, axis, stream.integer(0, wave.shape[axis] - width), width, value)
    return wave


class MaskAlongAxis(AudioTensorOperation):
    """A band ``mask_width`` wide from ``mask_start`` set to ``mask_value``: of frequencies (``axis`` 1) or
    of time (2).

    (``mindspore.dataset.audio.MaskAlongAxis``.)
    """

    def __init__(self, mask_start, mask_width, mask_value, axis):
        for name, value in (("mask_start", mask_start), ("mask_width", mask_width)):
            type_check(value, (int,), name)
        type_check(mask_value, (int, float), "mask_value")
        type_check(axis, (int,), "axis")
        check_non_negative_int32(mask_start, "mask_start")
        check_pos_int32(mask_width, "mask_width")
        check_float32(mask_value, "mask_value")
        check_value(axis, [1, 2], "axis")
        super().__init__()
        self.mask_start, self.mask_width, self.mask_value, self.axis = (
            mask_start,
            mask_width,
            mask_value,
            axis,
        )

    def _compute(self, wave):
        return _fixed(self, wave, self.axis - 3, self.mask_start, self.mask_width, self.mask_value)


class MaskAlongAxisIID(RandomOperation, AudioTensorOperation):
    """A band up to ``mask_param`` wide, drawn, set to ``mask_value``: of frequencies (``axis`` 1) or of time
    (2).

    (``mindspore.dataset.audio.MaskAlongAxisIID``.)
    """

    def __init__(self, mask_param, mask_value, axis):
        type_check(mask_param, (int,), "mask_param")
        check_non_negative_int32(mask_param, "mask_param")
        type_check(mask_value, (int, float), "mask_value")
        check_float32(mask_value, "mask_value")
        type_check(axis, (int,), "axis")
        check_value(axis, [1, 2], "axis")
        super().__init__()
        self.mask_param, self.mask_value, self.axis = mask_param, mask_value, axis

    def _draw(self, stream, wave):
        return _drawn(self, stream, wave, self.axis - 3, self.mask_param, self.mask_value)


class _Masking(RandomOperation, AudioTensorOperation):
    _axis = -1

    def __init__(self, iid_masks, mask_param, mask_start, mask_value):
        type_check(iid_masks, (bool,), "iid_masks")
        check_not_negative(mask_param, "mask_param", (int,))
        check_not_negative(mask_start, "mask_start", (int,))
        check_not_negative(mask_value, "mask_value", (int, float))
        super().__init__()
        self.iid_masks, self.mask_start, self.mask_value = iid_masks, mask_start, mask_value
        self.mask_param = mask_param

    def _draw(self, stream, wave):
        if self.iid_masks:
            return _drawn(self, stream, wave, self._axis, self.mask_param, self.mask_value)
        return _fixed(self, wave, self._axis, self.mask_start, self.mask_param, self.mask_value)


class TimeMasking(_Masking):
    """A stretch of time, ``time_mask_param`` wide, set to ``mask_value``; with ``iid_masks`` drawn, up to as
    wide.

    (``mindspore.dataset.audio.TimeMasking``.)
    """

    def __init__(self, iid_masks=False, time_mask_param=0, mask_start=0, mask_value=0.0):
        super().__init__(iid_masks, time_mask_param, mask_start, mask_value)


class FrequencyMasking(_Masking):
    """`TimeMasking` over a band of frequencies (``mindspore.dataset.audio.FrequencyMasking``)."""

    _axis = -2

    def __init__(self, iid_masks=False, freq_mask_param=0, mask_start=0, mask_value=0.0):
        super().__init__(iid_masks, freq_mask_param, mask_start, mask_value)
