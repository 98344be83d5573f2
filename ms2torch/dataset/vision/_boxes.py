"""Transforms of images together with their bounding boxes: two columns, the image and its boxes.

Boxes are float32 rows of (left, top, width, height), and whatever else follows in a row stays as it is.
"""

from __future__ import annotations

import numpy as np

from ms2torch._core.random.engines import MT19937

from ..core.validator_helpers import check_value, type_check, wrong_type
from ..transforms.operation import OperationError, RandomOperation, TensorOperation, opened
from ..transforms.py_transforms_util import Implementation
from ..transforms.validators import check_prob
from ._geometry import RandomCrop, resized, shorter_side
from ._pieces import RandomResize
from ._random import RandomResizedCrop
from .images import ImageOperation, cut, needs_image
from .utils import Border, Inter
from .validators import check_interpolation, check_resized

__all__ = [
    "BoundingBoxAugment",
    "RandomCropWithBBox",
    "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox",
    "RandomResizedCropWithBBox",
    "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]

_OPERATIONS = ("[<class 'mindspore._c_dataengine.TensorOp'>, "
               "<class 'mindspore._c_dataengine.TensorOperation'>]")


def _checked(columns) -> tuple[np.ndarray, np.ndarray]:
    """The image, and a copy of the boxes that may be written into."""
    if len(columns) != 2:
        raise OperationError(
            "BoundingBox: invalid input, size of input data should be 2 (including image and "
            f"bounding box), but got: {len(columns)}",
            "Unexpected error.",
        )
    image, boxes = map(np.asarray, columns)            # (PIL images come as arrays)
    if image.ndim < 2:
        raise OperationError("Invalid data, input image hasn't been decoded, you may need to perform Decode "
                             "first.", "Unexpected error.")
    if boxes.ndim < 2:
        raise OperationError(
            "BoundingBox: bounding boxes should have to be two-dimensional matrix at least, "
            f"but got {boxes.ndim} dimension.",
            "Unexpected error.",
        )
    if boxes.shape[1] < 4:
        raise OperationError(
            f"BoundingBox: bounding boxes should be have at least 4 features, but got: {boxes.shape[1]}",
            "Unexpected error.",
        )
    if boxes.dtype != np.float32:
        raise OperationError("Template type and Tensor type are not compatible")
    height, width = image.shape[:2]
    for left, top, wide, high in boxes[:, :4]:
        if left + wide > width or top + high > height:
            raise OperationError(
                f"BoundingBox: bounding boxes is out of bounds of the image, as image width: {width}, bbox "
                f"width coordinate: {left + wide:.6f}, and image height: {height}, bbox height coordinate: "
                f"{top + high:.6f}",
                "Unexpected error.",
            )
        if left < 0 or top < 0:
            raise OperationError(
                "BoundingBox: the coordinates of the bounding boxes has negative value, got: "
                f"({left:.6f},{top:.6f}).",
                "Unexpected error.",
            )
    return image, boxes.copy()


def _cropped(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """The boxes within a rectangle, seen from its corner; those that do not touch it go."""
    low = boxes[:, :2] - np.array([left, top], np.float32)
    high = low + boxes[:, 2:4]
    size = np.array([width, height], np.float32)
    kept = (low <= size).all(1) & (high >= 0).all(1)
    found = boxes[kept]
    found[:, :2] = low[kept].clip(0, None)
    found[:, 2:4] = np.minimum(high[kept], size) - found[:, :2]
    return found


def _scaled(boxes: np.ndarray, height: int, width: int, to_height: int, to_width: int) -> np.ndarray:
    across, down = np.float32(to_width) / np.float32(width), np.float32(to_height) / np.float32(height)
    boxes[:, :4] *= np.array([across, down, across, down], np.float32)
    return boxes


class _WithBoxes(ImageOperation):
    """A fixed transform of two columns."""

    implementation = Implementation.C
    one_to_one = False


class _Drawn(RandomOperation, _WithBoxes):
    """A random one."""

    def _opened(self):
        from ..core import config

        stream = MT19937(config.drawing_seed())
        return lambda *columns: self._draw(stream, *columns)


class ResizeWithBBox(_WithBoxes):
    """`Resize`, and the boxes by the same factors (``mindspore.dataset.vision.ResizeWithBBox``)."""

    def __init__(self, size, interpolation=Inter.LINEAR):
        check_interpolation(interpolation)
        check_resized(size)
        super().__init__()
        self.size, self.interpolation = size, interpolation

    def _compute(self, *columns):
        return self._resized(*_checked(columns), self.interpolation)

    def _resized(self, image, boxes, how):
        height, width = image.shape[:2]
        size = shorter_side(height, width, self.size) if isinstance(self.size, int) else self.size
        return resized(image, *size, how), _scaled(boxes, height, width, *size)


class RandomResizeWithBBox(_Drawn):
    """`RandomResize`, and the boxes by the same factors
    (``mindspore.dataset.vision.RandomResizeWithBBox``)."""

    def __init__(self, size):
        check_resized(size)
        super().__init__()
        self.size = size

    def _draw(self, stream, *columns):
        image, boxes = _checked(columns)
        return ResizeWithBBox._resized(self, image, boxes, RandomResize.drawn(stream))


class _RandomFlipWithBBox(_Drawn):
    """An image and its boxes, mirrored with a probability."""

    _axis = 1

    def __init__(self, prob=0.5):
        check_prob(prob)
        super().__init__()
        self.prob = prob

    def _draw(self, stream, *columns):
        image, boxes = _checked(columns)
        if not stream.chance(self.prob):
            return image, boxes
        axis, side = self._axis, 1 - self._axis
        boxes[:, side] = np.float32(image.shape[axis]) - (boxes[:, side] + boxes[:, 2 + side])
        return np.flip(image, axis), boxes


class RandomHorizontalFlipWithBBox(_RandomFlipWithBBox):
    """`RandomHorizontalFlip`, of the boxes too
    (``mindspore.dataset.vision.RandomHorizontalFlipWithBBox``)."""


class RandomVerticalFlipWithBBox(_RandomFlipWithBBox):
    """`RandomVerticalFlip`, of the boxes too (``mindspore.dataset.vision.RandomVerticalFlipWithBBox``)."""

    _axis = 0


class RandomCropWithBBox(_Drawn):
    """`RandomCrop`, and what it leaves of the boxes; those outside go.

    (``mindspore.dataset.vision.RandomCropWithBBox``.) As in MindSpore, boxes do not move with the pixels that
    ``pad_if_needed`` puts around the image.
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill_value=0, padding_mode=Border.CONSTANT):
        super().__init__()
        self._crop = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)
        for name in ("size", "padding", "pad_if_needed", "fill_value", "padding_mode"):
            setattr(self, name, getattr(self._crop, name))

    def _draw(self, stream, *columns):
        image, boxes = _checked(columns)
        needs_image(image, "RandomCropWithBBox")
        boxes[:, :2] += np.array(self.padding[:2], np.float32)
        image = self._crop.padded(image)
        box = self._crop.place(stream, *image.shape[:2])
        return cut(image, *box), _cropped(boxes, *box)


class RandomResizedCropWithBBox(_Drawn):
    """`RandomResizedCrop`, and what it leaves of the boxes, at their new size.

    (``mindspore.dataset.vision.RandomResizedCropWithBBox``.)
    """

    _pipeline_name = "RandomCropAndResizeWithBBox"

    def __init__(
        self,
        size,
        scale=(0.08, 1.0),
        ratio=(3.0 / 4.0, 4.0 / 3.0),
        interpolation=Inter.BILINEAR,
        max_attempts=10,
    ):
        super().__init__()
        self._crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)
        for name in ("size", "scale", "ratio", "interpolation", "max_attempts"):
            setattr(self, name, getattr(self._crop, name))

    def _draw(self, stream, *columns):
        image, boxes = _checked(columns)
        box = self._crop._box(stream, *image.shape[:2])
        boxes = _scaled(_cropped(boxes, *box), *box[2:], *self.size)
        return resized(cut(image, *box), *self.size, self.interpolation), boxes


class BoundingBoxAugment(_Drawn):
    """A transform of the pictures within some of the boxes, each with probability ``ratio``.

    (``mindspore.dataset.vision.BoundingBoxAugment``.) The boxes stay; the transform must keep sizes.
    """

    def __init__(self, transform, ratio=0.3):
        type_check(ratio, (float, int), "ratio")
        check_value(ratio, [0.0, 1.0], "ratio")
        if not isinstance(transform, TensorOperation):
            raise wrong_type(transform, _OPERATIONS, "transform")
        super().__init__()
        self.transform, self.ratio = transform, ratio

    def _opened(self):
        from ..core import config

        stream, change = MT19937(config.drawing_seed()), opened(self.transform)
        return lambda *columns: self._changed(stream, change, *columns)

    def _changed(self, stream, change, *columns):
        image, boxes = _checked(columns)
        image = image.copy()
        for box in boxes:
            if stream.real32() >= self.ratio:
                continue
            left, top, width, height = (int(value) for value in box[:4])
            place = cut(image, top, left, height, width)
            if not place.size:                       # a box narrower than a pixel
                raise OperationError("The pointer[data] is null.")
            changed = change(place.copy())
            if changed.shape[:2] != place.shape[:2]:
                changed = resized(changed, *place.shape[:2], Inter.LINEAR)
            if changed.dtype.kind == "f" and place.dtype.kind in "iu":
                limits = np.iinfo(place.dtype)
                changed = np.rint(changed).clip(limits.min, limits.max)
            place[...] = changed
        return image, boxes
