"""Helpers that programs import from ``mindspore.dataset.vision.py_transforms_util``."""

from __future__ import annotations

import numpy as np

from ..transforms.operation import is_pil

__all__ = ["augment_error_message", "hwc_to_chw", "is_numpy", "is_pil"]

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
