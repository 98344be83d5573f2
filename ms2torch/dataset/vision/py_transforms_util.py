"""Helpers that programs import from ``mindspore.dataset.vision.py_transforms_util``."""

from __future__ import annotations

import numpy as np

from ..transforms.operation import is_pil
from ._arrays import HsvToRgb, RgbToHsv

__all__ = ["augment_error_message", "hsv_to_rgbs", "hwc_to_chw", "is_numpy", "is_pil", "rgb_to_hsvs"]

augment_error_message = ("img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for "
                         "decoded data.")


def is_numpy(img) -> bool:
    """Whether it is a numpy array."""
    return isinstance(img, np.ndarray)


def hwc_to_chw(img):
    """(H, W, C) as (C, H, W); (H, W) stays as it is."""
    if not is_numpy(img):
        raise TypeError(f"img should be NumPy array. Got {type(img)}.")
    if img.ndim not in (2, 3):
        raise TypeError(f"img dimension should be 2 or 3. Got {img.ndim}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def rgb_to_hsvs(np_rgb_imgs, is_hwc):
    """`RgbToHsv` of one array or of a batch."""
    return _in_colour_space(RgbToHsv, np_rgb_imgs, is_hwc)


def hsv_to_rgbs(np_hsv_imgs, is_hwc):
    """`HsvToRgb` of one array or of a batch."""
    return _in_colour_space(HsvToRgb, np_hsv_imgs, is_hwc)


def _in_colour_space(transform, images, is_hwc):
    if not isinstance(is_hwc, bool):
        raise TypeError(f"is_hwc should be bool type. Got {type(is_hwc)}.")
    return transform(is_hwc)._execute_py(images)
