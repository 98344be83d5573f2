"""Image transforms that move, cut or resize the picture."""

from __future__ import annotations

import random

import numpy as np

from ..core.validator_helpers import INT32_MAX, check_value, type_check, type_check_list
from ..transforms.operation import OperationError, RandomOperation
from ..transforms.py_transforms_util import Implementation
from ..transforms.validators import check_prob
from . import kernels, resizing
from .images import PADDED, ImageOperation, cut, flipped, needs_pil, pad, pad_pil, pillow, unfit
from .utils import Border, Inter, parse_padding
from .validators import (
    check_border,
    check_fill_value,
    check_interpolation,
    check_padding,
    check_resized,
    check_size,
)

_METHODS = {Inter.NEAREST: "nearest", Inter.LINEAR: "linear", Inter.CUBIC: "cubic", Inter.AREA: "area"}


def pil_filter(interpolation: Inter):
    """Pillow's filter for an interpolation."""
    image = pillow("Image")
    filters = {Inter.NEAREST: image.Resampling.NEAREST, Inter.ANTIALIAS: image.Resampling.LANCZOS,
               Inter.LINEAR: image.Resampling.BILINEAR, Inter.CUBIC: image.Resampling.BICUBIC}
    if interpolation not in filters:
        raise TypeError("Current Interpolation is not supported with PIL input.")
    return filters[interpolation]


@kernels.keeping_booleans
def resized(image: np.ndarray, height: int, width: int, interpolation: Inter, name="Resize") -> np.ndarray:
    """An array at another size; axes before the last three are a batch. ``name`` is of the errors."""
    if image.ndim > 3:
        flat = image.reshape(-1, *image.shape[-3:])
        many = np.stack([resized(one, height, width, interpolation, name) for one in flat])
        return many.reshape(*image.shape[:-3], *many.shape[1:])
    if interpolation is Inter.PILCUBIC:
        if image.shape[:2] == (height, width):
            return image                                  # whatever it is
        if image.ndim != 3 or image.shape[2] != 3:
            shape = ",".join(map(str, image.shape))
            raise OperationError(f"{name}: Interpolation mode PILCUBIC only supports image with 3 channels, "
                                 f"but got: <{shape}>")
        if image.dtype != np.uint8:                       # of which MindSpore reads bytes beyond the image
            raise OperationError(f"{name}: PILCUBIC only supports uint8, but got: {image.dtype}")
        pil = pillow("Image")     # rows first, as MindSpore does it: from 13 on, Pillow takes the shorter way
        across = pil.fromarray(image).resize((width, image.shape[0]), pil.Resampling.BICUBIC)
        return np.array(across.resize((width, height), pil.Resampling.BICUBIC))
    if interpolation is Inter.ANTIALIAS:
        needs_pil(image)
    return resizing.resize(image, height, width, _METHODS[interpolation], name)


def shorter_side(image_height: int, image_width: int, size: int) -> tuple[int, int]:
    """Height and width when the shorter side becomes ``size`` and the other keeps the proportion, cut to
    whole pixels.
    """
    if image_height < image_width:
        return size, int(np.float32(image_width) / np.float32(image_height) * np.float32(size))
    return int(np.float32(image_height) / np.float32(image_width) * np.float32(size)), size


class Resize(ImageOperation):
    """Resize to (height, width), or so that the shorter side is ``size``.

    Arrays as OpenCV does it (no antialiasing; equal to MindSpore to the bit for 8-bit linear, nearest and
    area), PIL images as Pillow does it.
    """

    def __init__(self, size, interpolation=Inter.LINEAR):
        check_interpolation(interpolation)
        check_resized(size)
        super().__init__()
        self.size, self.interpolation = size, interpolation
        if interpolation in (Inter.AREA, Inter.PILCUBIC):
            self.implementation = Implementation.C
        elif interpolation is Inter.ANTIALIAS:
            self.implementation, self._refuse = Implementation.PY, None

    def _compute(self, image):
        if self.interpolation is Inter.ANTIALIAS:
            needs_pil(image)
        if isinstance(self.size, int):
            lead = image.ndim - 3 if image.ndim > 3 else 0
            height, width = shorter_side(image.shape[lead], image.shape[lead + 1], self.size)
        else:
            height, width = self.size
        return resized(image, height, width, self.interpolation)

    def _execute_py(self, image):
        needs_pil(image)
        how = pil_filter(self.interpolation)
        if not isinstance(self.size, int):
            return image.resize(tuple(self.size)[::-1], how)
        width, height = image.size
        if min(width, height) == self.size:
            return image
        if width < height:
            return image.resize((self.size, int(self.size / (width / height))), how)
        return image.resize((int(self.size * (width / height)), self.size), how)


class CenterCrop(ImageOperation):
    """The middle of the image; zeros around it where the image is smaller."""

    def __init__(self, size):
        check_size(size)
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def _compute(self, image):
        height, width = self.size
        more_h, more_w = height - image.shape[0], width - image.shape[1]
        over_h, over_w = max(more_h, 0), max(more_w, 0)
        if over_h or over_w:
            if over_h >= image.shape[0] * 3 or over_w >= image.shape[1] * 3:
                raise OperationError("CenterCrop: Padding size cannot be more than 3 times of the original "
                                     f"image size, got top padding: {more_h}, left padding: {more_w}, while "
                                     f"the original image size: {image.shape[0]}, {image.shape[1]}")
            if image.dtype.kind != "b" and image.dtype.name not in PADDED:
                raise unfit("Pad", "data type", f"(bool, {', '.join(PADDED)})", image.dtype)
            if image.ndim == 3 and image.shape[2] not in (1, 3):
                raise unfit("Pad", "channel", "(1, 3)", image.shape[2])
            image = pad(image, (over_w - over_w // 2, over_h - over_h // 2, over_w // 2, over_h // 2), 0,
                        Border.CONSTANT)
        image = kernels.loaded(image, "Crop")
        return cut(image, (image.shape[0] - height) // 2, (image.shape[1] - width) // 2, height, width)

    def _execute_py(self, image):
        needs_pil(image)
        (width, height), (rows, columns) = image.size, self.size
        top, left = round((height - rows) / 2.0), round((width - columns) / 2.0)
        return image.crop((left, top, left + columns, top + rows))


class Crop(ImageOperation):
    """A rectangle: ``coordinates`` (top, left) and ``size``."""

    def __init__(self, coordinates, size):
        type_check_list(coordinates, (int,), "coordinates")
        for i, place in enumerate(coordinates):
            check_value(place, [0, INT32_MAX], f"coordinates[{i}]")
        check_size(size)
        super().__init__()
        self.coordinates, self.size = coordinates, (size, size) if isinstance(size, int) else tuple(size)

    def _compute(self, image):
        (top, left), (height, width) = self.coordinates, self.size
        for side, end, length in (("height", top + height, image.shape[0]),
                                  ("width", left + width, image.shape[1])):
            if end > length:
                raise OperationError(f"Crop: Crop {side} dimension: {end} exceeds image {side}: {length}")
        return cut(kernels.loaded(image, "Crop"), top, left, height, width)


class Pad(ImageOperation):
    """Put pixels around the image.

    ``padding`` is one number, (horizontal, vertical) or (left, top, right, bottom).
    """

    def __init__(self, padding, fill_value=0, padding_mode=Border.CONSTANT):
        check_padding(padding)
        check_fill_value(fill_value)
        check_border(padding_mode)
        super().__init__()
        self.padding, self.fill_value, self.padding_mode = parse_padding(padding), fill_value, padding_mode

    def _compute(self, image):
        return pad(image, self.padding, self.fill_value, self.padding_mode)

    def _execute_py(self, image):
        needs_pil(image)
        return pad_pil(image, self.padding, self.fill_value, self.padding_mode)


class HorizontalFlip(ImageOperation):
    """Left becomes right."""

    implementation = Implementation.C

    def _compute(self, image):
        return flipped(image, 1)


class VerticalFlip(ImageOperation):
    """Top becomes bottom."""

    implementation = Implementation.C

    def _compute(self, image):
        return flipped(image, 0)


class _RandomFlip(RandomOperation, ImageOperation):

    alike = True

    def __init__(self, prob=0.5):
        check_prob(prob)
        super().__init__()
        self.prob = prob

    def _choose(self, stream, image):
        return stream.chance(self.prob)

    def _apply(self, chosen, image):
        return flipped(image, self._axis) if chosen else image

    def _execute_py(self, image):
        needs_pil(image)
        if self.prob > random.random():
            return image.transpose(getattr(pillow("Image").Transpose, self._pil_name))
        return image


class RandomHorizontalFlip(_RandomFlip):
    """Left becomes right with probability ``prob``."""

    _pil_name, _axis = "FLIP_LEFT_RIGHT", 1


class RandomVerticalFlip(_RandomFlip):
    """Top becomes bottom with probability ``prob``."""

    _pil_name, _axis = "FLIP_TOP_BOTTOM", 0


class RandomCrop(RandomOperation, ImageOperation):
    """A rectangle of ``size`` from anywhere in the image, after `Pad`; ``pad_if_needed`` pads smaller images
    up to it. What comes before the last three axes counts images.
    """

    alike = True

    def __init__(self, size, padding=None, pad_if_needed=False, fill_value=0, padding_mode=Border.CONSTANT):
        check_size(size)
        type_check(pad_if_needed, (bool,), "pad_if_needed")
        if padding is not None:
            check_padding(padding)
        if fill_value is not None:
            check_fill_value(fill_value)
        if padding_mode is not None:
            check_border(padding_mode)
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.padding = (0, 0, 0, 0) if padding is None else parse_padding(padding)
        self.pad_if_needed, self.fill_value, self.padding_mode = pad_if_needed, fill_value, padding_mode

    def padded(self, image):
        """The image with its margins: in two steps, as borders that repeat the image need."""
        height, width = self.size
        image = kernels.as_bytes(image)
        if any(self.padding):
            self._check_margins(*image.shape[:2])
            image = pad(image, self.padding, self.fill_value, self.padding_mode)
        if self.pad_if_needed:
            over_h, over_w = max(height - image.shape[0], 0), max(width - image.shape[1], 0)
            if over_h or over_w:
                image = pad(image, (over_w, over_h, over_w, over_h), self.fill_value, self.padding_mode)
        return image

    def _check_margins(self, rows: int, columns: int) -> None:
        left, top, right, bottom = self.padding
        if max(top, bottom) >= 3 * rows or max(left, right) >= 3 * columns:
            raise OperationError(
                f"RandomCrop: padding size is three times bigger than the image size, padding top: {top}, "
                f"padding bottom: {bottom}, padding pad_left_: {left}, padding padding right:{right}, image "
                f"shape: {rows}, {columns}")

    def place(self, stream, rows: int, columns: int):
        """(top, left, height, width) of the next crop out of a padded image."""
        height, width = self.size
        if rows < height or columns < width:
            raise OperationError("RandomCrop: invalid crop size, crop size is bigger than the image "
                                 f"dimensions, got crop height: {height}, crop width: "
                                 f"{width}", "Shape is incorrect.")
        left = stream.integer(0, columns - width)
        return stream.integer(0, rows - height), left, height, width

    def _choose(self, stream, image):
        if image.ndim > 3:
            return [self._choose(stream, one) for one in image]
        (rows, columns), (height, width) = image.shape[:2], self.size
        self._check_margins(rows, columns)
        left, top, right, bottom = self.padding
        rows, columns = rows + top + bottom, columns + left + right
        if self.pad_if_needed:
            rows, columns = rows + 2 * max(height - rows, 0), columns + 2 * max(width - columns, 0)
        return self.place(stream, rows, columns)

    def _apply(self, place, image):
        if image.ndim > 3:
            return np.stack([self._apply(*one) for one in zip(place, image, strict=True)])
        return cut(self.padded(image), *place)

    def _draw(self, stream, *columns):
        if len(columns) == 1 or columns[0].ndim <= 3:
            return super()._draw(stream, *columns)
        first, *others = columns         # each image of the first column has its place, the others the last
        places = self._choose(stream, first)
        last = np.array(places).reshape(-1, 4)[-1]
        return (self._apply(places, first), *(self._apply(_same(last, c), c) for c in others))

    def _execute_py(self, image):
        needs_pil(image)
        height, width = self.size
        image = pad_pil(image, self.padding, self.fill_value, self.padding_mode)
        if self.pad_if_needed:
            for more, sides in ((max(width - image.size[0], 0), (1, 0)),
                                (max(height - image.size[1], 0), (0, 1))):
                if more:
                    around = (more * sides[0], more * sides[1]) * 2
                    image = pad_pil(image, around, self.fill_value, self.padding_mode)
        columns, rows = image.size
        if rows < height or columns < width:
            raise ValueError(f"Crop size {self.size} is larger than input image size {(rows, columns)}.")
        if (rows, columns) == (height, width):
            return image
        top = random.randint(0, rows - height)
        left = random.randint(0, columns - width)
        return image.crop((left, top, left + width, top + height))


def _same(place, images: np.ndarray):
    """``place`` for each image."""
    return place if images.ndim < 4 else [_same(place, one) for one in images]
