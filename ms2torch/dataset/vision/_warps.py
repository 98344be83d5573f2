"""Image transforms that turn, shear, move and tilt, and the random ones among them."""

from __future__ import annotations

import ctypes
import math
import numbers
import random
from functools import lru_cache

import numpy as np

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    INT32_MAX,
    INT32_MIN,
    check_float32,
    check_positive,
    check_value,
    type_check,
    type_check_list,
)
from ..transforms.operation import OperationError, PyTensorOperation, RandomOperation
from ..transforms.py_transforms_util import Implementation
from . import kernels, warping
from ._geometry import pil_filter
from .images import ImageOperation, needs_pil, pillow
from .utils import Inter
from .validators import check_fill_value

__all__ = ["Affine", "Perspective", "RandomAffine", "RandomPerspective", "RandomRotation", "Rotate"]

_METHODS = {Inter.NEAREST: "nearest", Inter.LINEAR: "linear", Inter.CUBIC: "cubic",
            Inter.AREA: "linear"}                    # OpenCV has no area here, and takes linear


# What computes for a random transform, and is named where an image is at fault.
_KERNELS = {"RandomAffine": "Affine", "RandomRotation": "Rotate"}


def _method(resample: Inter, name: str, image) -> str:
    if resample is Inter.ANTIALIAS:
        if name in ("Rotate", "Affine"):
            raise RuntimeError("Unsupported interpolation, only support NEAREST, LINEAR, CUBIC, AREA and "
                               "PILCUBIC.")
        told = ValueError("Input image should be a Pillow image.") if name == "RandomAffine" else None
        needs_pil(image, told)
    if resample not in _METHODS:
        known = "only support Linear, Nearest, Cubic and Area" if name == "Affine" else ""
        told = f"{name}: Invalid InterpolationMode, {known or 'check input value of enum'}."
        raise OperationError(told, "Syntax error.") if name.endswith("Affine") else OperationError(told)
    if resample is Inter.CUBIC and image.ndim == 3 and image.shape[2] > 4:
        name = _KERNELS.get(name, name)
        raise OperationError(f"{name}: interpolation can not be CUBIC when image channel is greater than 4.")
    return _METHODS[resample]


def _colour(fill_value) -> tuple:
    return (fill_value,) * 3 if isinstance(fill_value, numbers.Number) else tuple(fill_value)


def _check_degrees(degrees) -> None:
    """A number not below 0, or (smallest, largest)."""
    type_check(degrees, (int, float, list, tuple), "degrees")
    if isinstance(degrees, (int, float)):
        check_value(degrees, [0, FLOAT_MAX_INTEGER], "degrees")
    elif len(degrees) != 2:
        raise TypeError("If degrees is a sequence, the length must be 2.")
    else:
        type_check_list(degrees, (int, float), "degrees")
        for value in degrees:
            check_float32(value, "degrees")
        if degrees[0] > degrees[1]:
            raise ValueError("degrees should be in (min,max) format. Got (max,min).")


def _check_rotation(resample, expand, center, fill_value) -> None:
    type_check(resample, (Inter,), "resample")
    type_check(expand, (bool,), "expand")
    if center is not None:
        if not isinstance(center, tuple) or len(center) != 2:
            raise ValueError("Value center needs to be a 2-tuple.")
        for value in center:
            type_check(value, (int, float), "center")
            check_value(value, [INT32_MIN, INT32_MAX], "center")
    check_fill_value(fill_value)


def _surrounding(height: int, width: int, center, degrees: float) -> tuple[float, float]:
    """Width and height of what surrounds an image turned about ``center``, in OpenCV's single precision."""
    angle, half = degrees * math.pi / 180, np.float32(0.5)
    b, a = np.float32(math.cos(angle)) * half, np.float32(math.sin(angle)) * half
    x, y = np.array(center, np.float32)
    height, width = np.float32(height), np.float32(width)
    spans = []
    for middle, corners in ((x, (x - a * height - b * width, x + a * height - b * width)),
                            (y, (y + b * height - a * width, y - b * height - a * width))):
        both = [*corners, *(np.float32(2) * middle - corner for corner in corners)]
        spans.append(float(max(both) - min(both)))
    return tuple(spans)


def _rotated(image: np.ndarray, degrees: float, resample: Inter, expand: bool, center, fill, name: str):
    """An image turned counter-clockwise; the fill's colours come in the order blue, green, red."""
    kept = image.dtype if not expand else np.uint8        # of booleans, which count as bytes
    image = kernels.as_bytes(image)
    height, width = image.shape[:2]
    center = center or ((width - 1) / 2, (height - 1) / 2)
    matrix = warping.rotation(center, degrees)
    if expand:
        across, down = _surrounding(height, width, center, degrees)
        matrix[0, 2] += across / 2 - width / 2
        matrix[1, 2] += down / 2 - height / 2
        width, height = round(across), round(down)
    turned = warping.affine(image, matrix, height, width, _method(resample, name, image), fill[::-1],
                            _KERNELS.get(name, name))
    return turned.view(np.bool_) if kept == np.bool_ else turned


class Rotate(ImageOperation):
    """Turn by ``degrees``, counter-clockwise, about ``center`` (x, y), by default the middle.

    (``mindspore.dataset.vision.Rotate``.) ``expand`` makes room for the corners; ``fill_value`` is put where
    nothing lands, its colours in reverse order, as in MindSpore. Bytes are MindSpore's to the bit.
    """

    implementation = Implementation.C

    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        type_check(degrees, (float, int), "degrees")
        check_float32(degrees, "degrees")
        _check_rotation(resample, expand, center, fill_value)
        super().__init__()
        self.degrees, self.resample, self.expand, self.center = degrees % 360, resample, expand, center
        self.fill_value = _colour(fill_value)

    def _compute(self, image):
        return _rotated(image, float(np.float32(self.degrees)), self.resample, self.expand, self.center,
                        self.fill_value, "Rotate")


class RandomRotation(RandomOperation, ImageOperation):
    """Turn by an angle out of ``degrees`` (smallest, largest), or up to one number in either direction.

    (``mindspore.dataset.vision.RandomRotation``.) The rest is `Rotate`'s.
    """

    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        _check_degrees(degrees)
        _check_rotation(resample, expand, center, fill_value)
        super().__init__()
        if isinstance(degrees, (int, float)):
            low, high = -(degrees % 360), degrees % 360
        elif degrees[1] - degrees[0] >= 360:
            low, high = -180, 180
        else:
            low, high = degrees[0] % 360, degrees[1] % 360
            high += 360 if low > high else 0
        self.degrees, self.resample, self.expand, self.center = (low, high), resample, expand, center
        self.fill_value = _colour(fill_value)
        if resample in (Inter.AREA, Inter.PILCUBIC):
            self.implementation = Implementation.C
        elif resample is Inter.ANTIALIAS:
            self.implementation = Implementation.PY

    def _choose(self, stream, image):
        low, high = np.array(self.degrees, np.float32)
        two = np.float32(2)
        return (low + high) / two + np.float32(stream.uniform(-1, 1)) * ((high - low) / two)

    def _apply(self, degrees, image):
        return _rotated(image, float(degrees), self.resample, self.expand, self.center, self.fill_value,
                        "RandomRotation")

    def _execute_py(self, image):
        needs_pil(image)
        degrees, how = random.uniform(*self.degrees), pil_filter(self.resample)
        if self.resample is Inter.ANTIALIAS and (self.center is not None or degrees % 90):
            raise ValueError("When using Inter.ANTIALIAS, center needs to be None and angle needs to be an "
                             "integer multiple of 90.")
        return image.rotate(degrees, how, self.expand, self.center, fillcolor=self.fill_value)


@lru_cache
def _single(name: str):
    """C's function of a single float, "sin", "cos" or "tan", which does not always give the nearest float;
    where there is no C library, the one that does.
    """
    try:
        function = getattr(ctypes.CDLL(None), name + "f")
    except (OSError, AttributeError, TypeError):
        function = getattr(math, name)
    else:
        function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
    return lambda angle: np.float32(function(angle))


@kernels.keeping_booleans
def _affine(image, degrees, translate, scale, shear, resample, fill, name):
    """Turned, sheared, scaled about the middle, and moved by ``translate`` pixels; all in single precision,
    as MindSpore computes the matrix.
    """
    one = np.float32(1)
    height, width = image.shape[:2]
    x, y = np.float32((width - 1) / 2), np.float32((height - 1) / 2)
    turn, across, down = (np.float32(math.radians(np.float32(angle))) for angle in (degrees, *shear))
    scale, move_x, move_y = np.float32(scale), np.float32(translate[0]), np.float32(translate[1])

    sin, cos, tan = _single("sin"), _single("cos"), _single("tan")(across)
    a = scale * cos(turn - down) / cos(down)
    b = scale * (-cos(turn - down) * tan / cos(down) - sin(turn))
    c = scale * sin(turn - down) / cos(down)
    d = scale * (-sin(turn - down) * tan / cos(down) + cos(turn))
    matrix = np.array([[a, b, (one - a) * x - b * y + move_x], [c, d, (one - d) * y - c * x + move_y]], float)
    how = _method(resample, name, image)
    name = _KERNELS.get(name, name)
    return warping.affine(kernels.loaded(image, name), matrix, height, width, how, fill, name)


class Affine(ImageOperation):
    """Turn by ``degrees``, shear by angles, scale, all about the middle, and move by parts of the size.

    (``mindspore.dataset.vision.Affine``.) Bytes are MindSpore's to the bit.
    """

    implementation = Implementation.C

    def __init__(self, degrees, translate, scale, shear, resample=Inter.NEAREST, fill_value=0):
        type_check(degrees, (int, float), "degrees")
        check_value(degrees, [-180, 180], "degrees")
        type_check(translate, (list, tuple), "translate")
        if len(translate) != 2:
            raise TypeError("The length of translate should be 2.")
        for i, part in enumerate(translate):
            type_check(part, (int, float), f"translate[{i}]")
            check_value(part, [-1.0, 1.0], f"translate[{i}]")
        type_check(scale, (int, float), "scale")
        check_positive(scale, "scale")
        type_check(shear, (numbers.Number, tuple, list), "shear")
        if isinstance(shear, (list, tuple)):
            if len(shear) != 2:
                raise TypeError("The length of shear should be 2.")
            for i, angle in enumerate(shear):
                type_check(angle, (int, float), f"shear[{i}]")
                check_value(angle, [-180, 180], f"shear[{i}]")
        else:
            check_value(shear, [-180, 180], "shear")
            shear = (shear, 0.0)
        type_check(resample, (Inter,), "resample")
        check_fill_value(fill_value)
        super().__init__()
        self.degrees, self.translate, self.scale_, self.shear = degrees, translate, scale, shear
        self.resample, self.fill_value = resample, _colour(fill_value)

    def _compute(self, image):
        width, height = np.float32(image.shape[1]), np.float32(image.shape[0])
        move = (np.float32(self.translate[0]) * width, np.float32(self.translate[1]) * height)
        return _affine(image, self.degrees, move, self.scale_, self.shear, self.resample, self.fill_value,
                       "Affine")


class RandomAffine(RandomOperation, ImageOperation):
    """`Affine` with what is drawn from ranges: degrees, ``translate`` (smallest and largest part of the
    width, then of the height), ``scale``, ``shear`` (angles across, then down).

    (``mindspore.dataset.vision.RandomAffine``.) Of PIL images ``translate`` are the largest parts of width
    and height
    to either side, Python's own generator draws, and ``fill_value`` is not heeded: MindSpore 2.10 passes it
    on to
    Pillow 5 to 9 only.
    """

    def __init__(self, degrees, translate=None, scale=None, shear=None, resample=Inter.NEAREST, fill_value=0):
        _check_degrees(degrees)
        _check_affine_ranges(translate, scale, shear)
        type_check(resample, (Inter,), "resample")
        if fill_value is not None:
            check_fill_value(fill_value)
        super().__init__()
        self.degrees = (-degrees, degrees) if isinstance(degrees, numbers.Number) else tuple(degrees)
        translate = (0.0,) * 4 if translate is None else tuple(translate)
        self.translate = translate + (0.0,) * (4 - len(translate))
        self.scale = (1.0, 1.0) if scale is None else tuple(scale)
        if isinstance(shear, numbers.Number):
            shear = (-shear, shear)
        self.shear = (tuple(shear or ()) + (0.0,) * 4)[:4]
        self.resample, self.fill_value = resample, _colour(fill_value)
        if resample in (Inter.AREA, Inter.PILCUBIC):
            self.implementation = Implementation.C
        elif resample is Inter.ANTIALIAS:
            self.implementation = Implementation.PY

    def _choose(self, stream, image):
        height, width = np.float32(image.shape[0]), np.float32(image.shape[1])
        left, right, up, down = np.array(self.translate, np.float32)
        for axis, low, high in (("translate_range) on x", left, right), ("translate range) on y", up, down)):
            if low > high:
                raise OperationError(f"RandomAffine: minimum of 'translate'({axis} is greater than maximum: "
                                     f"min = {low:f}, max = {high:f}", "Syntax error.")
        degrees = stream.uniform(*self.degrees)
        move = (stream.uniform(left * width, right * width), stream.uniform(up * height, down * height))
        scale = stream.uniform(*self.scale)
        shear = (stream.uniform(*self.shear[:2]), stream.uniform(*self.shear[2:]))
        return degrees, move, scale, shear

    def _apply(self, chosen, image):
        return _affine(image, *chosen, self.resample, self.fill_value, "RandomAffine")

    def _execute_py(self, image):
        needs_pil(image, ValueError("Input image should be a Pillow image."))
        angle = random.uniform(*self.degrees)
        # of the four numbers Pillow's half of MindSpore takes the first two, for both sides
        move = drawn_move(image.size, self.translate)
        scale = random.uniform(*self.scale)
        shear = (random.uniform(*self.shear[:2]), random.uniform(*self.shear[2:]))
        return warped_pil(image, angle, move, scale, shear, self.resample)


def drawn_move(size, parts) -> tuple:
    """By how many pixels to move: up to the first two ``parts`` of (width, height), to either side."""
    across, down = parts[0] * size[0], parts[1] * size[1]
    return np.round(random.uniform(-across, across)), np.round(random.uniform(-down, down))


def warped_pil(image, angle: float, move, scale: float, shear, resample: Inter):
    """A PIL image turned, moved, scaled and sheared (two angles)."""
    matrix = _pillow_matrix(image.size, angle, move, scale, shear)
    return image.transform(image.size, pillow("Image").Transform.AFFINE, matrix, pil_filter(resample))


def _pillow_matrix(size, angle: float, move, scale: float, shear) -> list[float]:
    """Where each pixel comes from: six numbers for Pillow."""
    x, y = size[0] * 0.5 + 0.5, size[1] * 0.5 + 0.5
    first, second = (math.radians(angle) + math.radians(part) for part in shear)
    width = 1.0 / scale / (math.cos(first) * math.cos(second) + math.sin(first) * math.sin(second))
    a, b = width * math.cos(first), width * math.sin(first)
    c, d = -width * math.sin(second), width * math.cos(second)
    to_x, to_y = -x - move[0], -y - move[1]
    return [a, b, a * to_x + b * to_y + x, c, d, c * to_x + d * to_y + y]


def _check_affine_ranges(translate, scale, shear) -> None:
    if translate is not None:
        type_check(translate, (list, tuple), "translate")
        type_check_list(translate, (int, float), "translate")
        if len(translate) not in (2, 4):
            raise TypeError("translate should be a list or tuple of length 2 or 4.")
        for i, part in enumerate(translate):
            check_value(part, [-1.0, 1.0], f"translate at {i}")
    if scale is not None:
        type_check(scale, (tuple, list), "scale")
        type_check_list(scale, (int, float), "scale")
        if len(scale) != 2:
            raise TypeError("scale should be a list or tuple of length 2.")
        if scale[0] > scale[1]:
            raise ValueError("Input scale[1] must be equal to or greater than scale[0].")
        if scale[0] < 0 or scale[1] > FLOAT_MAX_INTEGER:
            raise ValueError(f"Input is not within the required interval of [0, {FLOAT_MAX_INTEGER}].")
        check_positive(scale[1], "scale[1]")
    if shear is None:
        return
    type_check(shear, (numbers.Number, tuple, list), "shear")
    if isinstance(shear, numbers.Number):
        check_positive(shear, "shear")
        return
    type_check_list(shear, (int, float), "shear")
    if len(shear) not in (2, 4):
        raise TypeError("shear must be of length 2 or 4.")
    if len(shear) == 2 and shear[0] > shear[1]:
        raise ValueError("Input shear[1] must be equal to or greater than shear[0]")
    if len(shear) == 4 and (shear[0] > shear[1] or shear[2] > shear[3]):
        raise ValueError("Input shear[1] must be equal to or greater than shear[0] and shear[3] must be "
                         "equal to or greater than shear[2].")


class Perspective(ImageOperation):
    """Tilt, so that four points (x, y) come to lie on four others.

    (``mindspore.dataset.vision.Perspective``.)
    """

    def __init__(self, start_points, end_points, interpolation=Inter.BILINEAR):
        for name, points in (("start_points", start_points), ("end_points", end_points)):
            type_check_list(points, (list, tuple), name)
            if len(points) != 4:
                raise TypeError(f"{name} should be a list or tuple of length 4.")
            for i, point in enumerate(points):
                if len(point) != 2:
                    raise TypeError(f"{name}[{i}] should be a list or tuple of length 2.")
                for j, value in enumerate(point):
                    type_check(value, (int,), f"{name}[{i}][{j}]")
                    check_value(value, [INT32_MIN, INT32_MAX], f"{name}[{i}][{j}]")
        type_check(interpolation, (Inter,), "interpolation")
        super().__init__()
        self.start_points, self.end_points, self.interpolation = start_points, end_points, interpolation
        if interpolation in (Inter.AREA, Inter.PILCUBIC):
            self.implementation = Implementation.C

    def _compute(self, image):
        try:
            matrix = warping.tilt(self.start_points, self.end_points)
        except np.linalg.LinAlgError:
            raise OperationError("Perspective: no tilt takes these points to those.") from None
        image, method = kernels.as_bytes(image), _method(self.interpolation, "Perspective", image)
        return warping.perspective(image, matrix, *image.shape[:2], method, (0,) * 3, "Perspective")

    def _execute_py(self, image):
        return _tilted_pil(image, self.start_points, self.end_points, self.interpolation)


def _tilted_pil(image, start, end, interpolation: Inter):
    needs_pil(image)
    if interpolation in (Inter.AREA, Inter.PILCUBIC):
        raise RuntimeError("Unsupported interpolation, only support NEAREST, ANTIALIAS, LINEAR and CUBIC.")
    how = pil_filter(interpolation)
    rows = [row for (to_x, to_y), (x, y) in zip(start, end, strict=True)
            for row in ([x, y, 1, 0, 0, 0, -to_x * x, -to_x * y], [0, 0, 0, x, y, 1, -to_y * x, -to_y * y])]
    parts = np.linalg.lstsq(np.array(rows, float), np.array(start, float).reshape(8), rcond=None)[0]
    return image.transform(image.size, pillow("Image").Transform.PERSPECTIVE, parts.tolist(), how)


def drawn_corners(size, distortion_scale: float) -> tuple[list, list]:
    """The corners (x, y) of a picture (width, height), and where they are moved to."""
    width, height = size
    across, down = int(width / 2 * distortion_scale), int(height / 2 * distortion_scale)
    left, right = (0, across), (width - across - 1, width - 1)
    top, bottom = (0, down), (height - down - 1, height - 1)
    end = [(random.randint(*x), random.randint(*y))
           for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]
    return [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)], end


class RandomPerspective(PyTensorOperation):
    """Tilt a PIL image, with probability ``prob``, by corners that are moved by up to half of
    ``distortion_scale``
    of the sides.

    (``mindspore.dataset.vision.RandomPerspective``.) Python's own generator draws.
    """

    def __init__(self, distortion_scale=0.5, prob=0.5, interpolation=Inter.BICUBIC):
        type_check(distortion_scale, (float,), "distortion_scale")
        type_check(prob, (float,), "prob")
        check_value(distortion_scale, [0.0, 1.0], "distortion_scale")
        check_value(prob, [0.0, 1.0], "prob")
        type_check(interpolation, (Inter,), "interpolation")
        super().__init__()
        self.distortion_scale, self.prob, self.interpolation = distortion_scale, prob, interpolation

    def _execute_py(self, image):
        needs_pil(image, ValueError("Input image should be a Pillow image."))
        if not self.prob > random.random():
            return image
        start, end = drawn_corners(image.size, self.distortion_scale)
        return _tilted_pil(image, start, end, self.interpolation)
