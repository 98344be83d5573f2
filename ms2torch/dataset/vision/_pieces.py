"""Image transforms that cut pieces out of pictures, or put pictures into larger ones."""

from __future__ import annotations

import numpy as np

from ..core.validator_helpers import (
    INT32_MAX,
    check_non_negative_int32,
    check_pos_int32,
    check_value,
    type_check,
    type_check_list,
)
from ..transforms.operation import OperationError, RandomOperation, TensorOperation
from ..transforms.py_transforms_util import Implementation
from . import kernels
from ._geometry import resized, shorter_side
from ._random import held
from .images import ImageOperation, cut, needs_pil, pad, pillow
from .utils import Border, Inter, SliceMode
from .validators import check_border, check_fill_value, check_resized, check_size

__all__ = ["Erase", "FiveCrop", "PadToSize", "RandomResize", "ResizedCrop", "SlicePatches", "TenCrop"]


def _pair(size) -> tuple:
    return (size, size) if isinstance(size, int) else tuple(size)


def _fits(part, image: np.ndarray) -> None:
    """Whether the rectangle lies in the image."""
    for start, length, whole in (("top", "height", image.shape[0]),
                                 ("left", "width", image.shape[1])):
        end = getattr(part, start) + getattr(part, length)
        if end > whole:
            raise OperationError(f"{type(part).__name__}: the sum of {start} and {length}: {end} exceeds "
                                 f"image {length}: {whole}")


class ResizedCrop(ImageOperation):
    """A rectangle, at another size (``mindspore.dataset.vision.ResizedCrop``)."""

    implementation = Implementation.C

    def __init__(self, top, left, height, width, size, interpolation=Inter.BILINEAR):
        check_non_negative_int32(top, "top")
        check_non_negative_int32(left, "left")
        check_pos_int32(height, "height")
        check_pos_int32(width, "width")
        type_check(interpolation, (Inter,), "interpolation")
        check_size(size)
        super().__init__()
        self.top, self.left, self.height, self.width = top, left, height, width
        self.size, self.interpolation = _pair(size), interpolation

    def _compute(self, image):
        _fits(self, image)
        piece = cut(kernels.loaded(image, "CropAndResize"), self.top, self.left, self.height, self.width)
        return resized(piece, *self.size, self.interpolation, "CropAndResize")


class RandomResize(RandomOperation, ImageOperation):
    """`Resize` with linear, nearest, cubic or area interpolation, drawn anew for each image.

    (``mindspore.dataset.vision.RandomResize``.)
    """

    implementation = Implementation.C
    alike = True
    _methods = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)

    def __init__(self, size):
        check_resized(size)
        super().__init__()
        self.size = size

    @classmethod
    def drawn(cls, stream) -> Inter:
        """The next interpolation."""
        return cls._methods[stream.integer(0, 3)]

    def _choose(self, stream, image):
        return self.drawn(stream)

    def _apply(self, how, image):
        size = shorter_side(*image.shape[:2], self.size) if isinstance(self.size, int) else self.size
        return resized(image, *size, how)


class PadToSize(ImageOperation):
    """Put pixels around the image up to ``size``; ``offset`` is where its corner comes (top, left), by
    default such
    that it lies in the middle (``mindspore.dataset.vision.PadToSize``).
    """

    implementation = Implementation.C

    def __init__(self, size, offset=None, fill_value=0, padding_mode=Border.CONSTANT):
        type_check(size, (int, list, tuple), "size")
        if isinstance(size, int):
            check_pos_int32(size, "size")
        elif len(size) != 2:
            raise ValueError("The size must be a sequence of length 2.")
        for i, value in enumerate(_pair(size)):
            check_pos_int32(value, f"size{i}")
        if offset is not None:
            type_check(offset, (int, list, tuple), "offset")
            if not isinstance(offset, int) and len(offset) not in (0, 2):
                raise ValueError("The offset must be empty or a sequence of length 2.")
            for i, value in enumerate(_pair(offset)):
                check_non_negative_int32(value, "offset" if isinstance(offset, int) else f"offset{i}")
        check_fill_value(fill_value)
        check_border(padding_mode)
        super().__init__()
        self.size, self.offset = _pair(size), _pair(offset) if offset is not None and offset != [] else ()
        self.fill_value, self.padding_mode = fill_value, padding_mode

    def _compute(self, image):
        over_h, over_w = self.size[0] - image.shape[0], self.size[1] - image.shape[1]
        top, left = self.offset or (over_h // 2, over_w // 2)
        if over_h < 0 or over_w < 0:
            raise OperationError("PadToSize: the target size to pad should be no less than the original "
                                 f"image size, but got target size {self.size} and original size "
                                 f"{image.shape[:2]}.", "Syntax error.")
        if over_h < top or over_w < left:
            raise OperationError("PadToSize: the sum of offset and original image size should be no more "
                                 "than the target size to pad, but got offset "
                                 f"{(top, left)} plus original size {image.shape[:2]} bigger than "
                                 f"{self.size}", "Syntax error.")
        return pad(image, (left, top, over_w - left, over_h - top), self.fill_value, self.padding_mode)


class Erase(ImageOperation):
    """Fill a rectangle with ``value`` (``mindspore.dataset.vision.Erase``)."""

    implementation = Implementation.C

    def __init__(self, top, left, height, width, value=0.0, inplace=False):
        check_non_negative_int32(top, "top")
        check_non_negative_int32(left, "left")
        check_pos_int32(height, "height")
        check_pos_int32(width, "width")
        type_check(inplace, (bool,), "inplace")
        type_check(value, (float, int, tuple), "value")
        value = (value,) * 3 if isinstance(value, (float, int)) else value
        type_check_list(value, (float, int), "value")
        if len(value) != 3:
            raise TypeError("value should be a single integer/float or a 3-tuple.")
        for i, one in enumerate(value):
            check_value(one, (0, 255), f"value[{i}]")
        super().__init__()
        self.top, self.left, self.height, self.width = top, left, height, width
        self.value, self.inplace = value, inplace

    def _compute(self, image):
        if self.height > image.shape[0] or self.width > image.shape[1]:        # what lies outside is left out
            raise OperationError("Erase: box size is too large for image erase, got box height: "
                                 f"{self.height}box weight: {self.width}, and image height: "
                                 f"{image.shape[0]}, image width: {image.shape[1]}")
        kept, image = image.dtype, kernels.as_bytes(image)
        if not (self.inplace and image.flags.writeable):      # of a PIL image the pixels are not
            image = image.copy()
        place = image[self.top:self.top + self.height, self.left:self.left + self.width]
        place[...] = held(np.array(self.value, np.float32), image)
        return image if self.inplace else image.view(kept)


class SlicePatches(ImageOperation):
    """The image in ``num_height`` by ``num_width`` pieces, a column for each
    (``mindspore.dataset.vision.SlicePatches``).

    What does not divide is padded with ``fill_value``, or left out.
    """

    implementation = Implementation.C

    def __init__(self, num_height=1, num_width=1, slice_mode=SliceMode.PAD, fill_value=0):
        num_height, num_width = (1 if n is None else n for n in (num_height, num_width))
        for name, value in (("num_height", num_height), ("num_width", num_width)):
            type_check(value, (int,), name)
            check_value(value, (1, INT32_MAX), name)
        if slice_mode is not None:
            type_check(slice_mode, (SliceMode,), "slice_mode")
        fill_value = 0 if fill_value is None else fill_value
        type_check(fill_value, (int,), "fill_value")
        check_value(fill_value, [0, 255], "fill_value")
        super().__init__()
        self.num_height, self.num_width = num_height, num_width
        self.slice_mode, self.fill_value = slice_mode, fill_value

    def _compute(self, image):
        if self.slice_mode is None:
            raise RuntimeError("Unsupported SliceMode, only support PAD and DROP.")
        if self.num_height == self.num_width == 1:
            return image
        if not kernels.loads(image):
            raise OperationError("[Internal ERROR] SlicePatches: Tensor could not convert to CV Tensor.")
        if image.ndim > 3:
            raise OperationError("Affine: input tensor is not in shape of <H,W> or <H,W,C>, but got rank: "
                                 f"{image.ndim}")
        image = kernels.as_bytes(image)
        for axis, count, length in (("height", self.num_height, image.shape[0]),
                                    ("width", self.num_width, image.shape[1])):
            if count > length:
                raise OperationError(f"SlicePatches: The number of patches on {axis} axis equals 0 or is "
                                     f"greater than {axis}, got number of patches:{count}")
        if self.slice_mode is SliceMode.PAD:
            over_h, over_w = -image.shape[0] % self.num_height, -image.shape[1] % self.num_width
            image = pad(image, (0, 0, over_w, over_h), self.fill_value, Border.CONSTANT)
        height, width = image.shape[0] // self.num_height, image.shape[1] // self.num_width
        return tuple(cut(image, i * height, j * width, height, width)
                     for i in range(self.num_height) for j in range(self.num_width))


class _Crops(TensorOperation):
    """The four corners and the middle."""

    implementation = Implementation.PY

    def __init__(self, size):
        check_size(size)
        super().__init__()
        self.size = _pair(size)

    def __call__(self, img):
        return self._execute_py(img)

    def _compute(self, image):
        return self._execute_py(image)

    def _execute_py(self, image):
        needs_pil(image)
        (width, height), (rows, columns) = image.size, self.size
        if rows > height or columns > width:
            raise ValueError(f"Crop size {self.size} is larger than input image size {(height, width)}.")
        corners = [(0, 0), (0, width - columns), (height - rows, 0), (height - rows, width - columns),
                   (round((height - rows) / 2.0), round((width - columns) / 2.0))]
        return tuple(image.crop((left, top, left + columns, top + rows)) for top, left in corners)


class FiveCrop(_Crops):
    """The four corners and the middle of a PIL image, as a tuple (``mindspore.dataset.vision.FiveCrop``)."""


class TenCrop(_Crops):
    """`FiveCrop`, and `FiveCrop` of the mirrored PIL image (``mindspore.dataset.vision.TenCrop``)."""

    def __init__(self, size, use_vertical_flip=False):
        if use_vertical_flip is not None:
            type_check(use_vertical_flip, (bool,), "use_vertical_flip")
        super().__init__(size)
        self.use_vertical_flip = use_vertical_flip

    def _execute_py(self, image):
        first = super()._execute_py(image)
        turn = pillow("Image").Transpose
        mirrored = image.transpose(turn.FLIP_TOP_BOTTOM if self.use_vertical_flip else turn.FLIP_LEFT_RIGHT)
        return first + super()._execute_py(mirrored)
