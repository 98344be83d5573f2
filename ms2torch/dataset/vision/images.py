"""What the image transforms share: the base class, and Pillow where it is needed."""

from __future__ import annotations

import numpy as np

from ms2torch._core.checks.calls import class_text

from ..transforms.operation import OperationError, TensorOperation, calls_through, is_pil
from ..transforms.transforms import not_random as _not_random
from . import kernels


def pillow(name: str):
    """The module ``PIL.<name>``, or a clear error where Pillow is not installed."""
    from importlib import import_module
    try:
        return import_module(f"PIL.{name}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("This needs Pillow, to decode or convert images: pip install "
                                  "ms2torch[dataset]") from error


class ImageOperation(TensorOperation):
    """Base of transforms over images, which take arrays and PIL images and nothing else."""

    _asks_for_numbers = True            # of texts the class itself need not think

    @calls_through
    def __call__(self, *images):
        for image in images:
            if not (isinstance(image, np.ndarray) or is_pil(image)):
                raise TypeError(f"Input should be NumPy or PIL image, got {class_text(image)}.")
            if self._refuse is None and self._asks_for_numbers and isinstance(image, np.ndarray) \
                    and image.dtype.kind in "US":
                raise OperationError(f"{type(self).__name__}: the data type of image tensor does not match "
                                     "the requirement of operator. But got type string.").eager()
        return super().__call__(*images)


def needs_pil(image, otherwise: Exception | None = None) -> None:
    if not is_pil(image):
        raise otherwise or TypeError(f"img should be PIL image. Got {type(image)}. Use Decode() for encoded "
                                     "data or ToPIL() for decoded data.")


def unfit(name: str, what: str, wanted: str, found) -> OperationError:
    """The error of an image whose ``what`` (dimension, channel, data type) an operation does not take."""
    kind = "type" if what == "data type" else what
    return OperationError(f"{name}: the {what} of image tensor does not match the requirement of operator. "
                          f"Expecting tensor in {kind} of {wanted}. But got {kind} {found}.")


def pad_pil(image, padding, fill_value, mode):
    """`pad` of a PIL image, in its own mode; constant pixels by Pillow, which takes colours as it likes."""
    left, top, right, bottom = padding
    if mode.value == "constant":
        fill = fill_value
        if isinstance(fill, int):
            fill = (fill,) * 3
        if image.mode in ("L", "1"):
            fill = fill[0]
        return pillow("ImageOps").expand(image, padding, fill)
    values = np.asarray(image)
    sides = ((top, bottom), (left, right)) + ((0, 0),) * (values.ndim - 2)
    whole = pillow("Image").fromarray(np.pad(values, sides, mode=mode.value))
    if image.mode == "P":
        whole.putpalette(image.getpalette())
    return whole


def needs_image(image: np.ndarray, name: str) -> None:
    """(H, W) or (H, W, C)."""
    if image.ndim not in (2, 3):
        raise OperationError(f"{name}: image shape should be <H,W> or <H,W,C>, but got rank: {image.ndim}")


def without_ones(found: np.ndarray) -> np.ndarray:
    """Some of MindSpore's transforms take (H, W) for (H, W, 1), and drop every axis of one element then."""
    return found.squeeze() if found.ndim == 2 else found


def not_random(func):
    """Mark a function as one that always gives the same for the same input."""
    return _not_random(func)


def cut(image: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """A rectangle of an image."""
    return image[top:top + height, left:left + width]


def flipped(image: np.ndarray, axis: int) -> np.ndarray:
    """An image, or many, from bottom to top (0) or from right to left (1)."""
    if image.ndim > 3:
        return np.flip(image, axis - 3)
    with kernels.opencv("colour") as cv2:
        if cv2 and image.dtype.kind in "uif" and image.dtype.itemsize < 8 and image.size:
            return cv2.flip(image, axis).reshape(image.shape)
    return np.flip(image, axis)


PADDED = ("int8", "uint8", "int16", "uint16", "int32", "float16", "float32", "float64")
_BORDERS = {"constant": 0, "edge": 1, "symmetric": 2, "reflect": 4}          # OpenCV's numbers of them


def pad(image: np.ndarray, padding, fill_value, mode) -> np.ndarray:
    """Put (left, top, right, bottom) pixels around an image; constant ones have a value per channel."""
    image, (left, top, right, bottom) = kernels.as_bytes(image), padding
    with kernels.opencv("colour") as cv2:
        if cv2 and image.size and image.dtype.name in PADDED and image.ndim < 4 and image.shape[2:] <= (4,):
            values = (fill_value,) * 3 if isinstance(fill_value, int) else tuple(fill_value)
            whole = cv2.copyMakeBorder(image, top, bottom, left, right, _BORDERS[mode.value],
                                       value=tuple(float(value) for value in (*values, 0)[:4]))
            return whole.reshape(*whole.shape[:2], *image.shape[2:])
    sides = ((top, bottom), (left, right)) + ((0, 0),) * (image.ndim - 2)
    if mode.value != "constant":
        return np.pad(image, sides, mode=mode.value)
    height, width = image.shape[0] + top + bottom, image.shape[1] + left + right
    values = (fill_value,) * 3 if isinstance(fill_value, int) else fill_value
    whole = np.empty((height, width, *image.shape[2:]), image.dtype)
    channels = image.shape[2] if image.ndim == 3 else 1
    whole[...] = np.array((values + (0,) * channels)[:channels]) if image.ndim == 3 else values[0]
    whole[top:top + image.shape[0], left:left + image.shape[1]] = image
    return whole
