"""Moving pixels by a matrix, as OpenCV does it: what rotations and their like stand on.

OpenCV goes backwards: for each pixel of the result it computes where it comes from, in fixed point (1/1024 of
a pixel, of which 1/32 are kept), and mixes the pixels around with weights out of 32768. A matrix that is off
by a millionth moves a pixel in some ten thousand to another step, so callers round theirs as MindSpore does.
"""

from __future__ import annotations

import math

import numpy as np

from . import kernels

_BITS, _FRACTION = 10, 5                             # of a coordinate: computed, and kept
_SCALE, _STEPS = 1 << _BITS, 1 << _FRACTION
_WEIGHT_BITS = 15
_CODES = {"nearest": 0, "linear": 1, "cubic": 2}     # OpenCV's numbers of them


def rotation(center: tuple[float, float], degrees: float, scale: float = 1.0) -> np.ndarray:
    """The 2x3 matrix that turns counter-clockwise about ``center`` (x, y)."""
    angle = degrees * (math.pi / 180)
    a, b = math.cos(angle) * scale, math.sin(angle) * scale
    x, y = float(np.float32(center[0])), float(np.float32(center[1]))
    return np.array([[a, b, (1 - a) * x - b * y], [-b, a, b * x + (1 - a) * y]])


def affine(image: np.ndarray, matrix: np.ndarray, height: int, width: int, how: str, fill,
           name: str) -> np.ndarray:
    """``image`` moved by a 2x3 ``matrix`` into (height, width), with ``fill`` where nothing lands.

    ``how`` is "nearest", "linear" or "cubic"; ``name`` is of the errors.
    """
    with kernels.opencv("affine", name) as cv2:
        if cv2:
            return _by(cv2.warpAffine, image, matrix, height, width, how, fill)
    _needs(image, how, name)
    m = _inverted(matrix.reshape(6).tolist())
    columns, rows = np.arange(width), np.arange(height)
    rounding = _SCALE // 2 if how == "nearest" else _SCALE // _STEPS // 2
    dx, dy = (np.rint(np.array(factor) * columns * _SCALE).astype(np.int64) for factor in (m[0], m[3]))
    x = np.rint((m[1] * rows + m[2]) * _SCALE).astype(np.int64)[:, None] + rounding + dx
    y = np.rint((m[4] * rows + m[5]) * _SCALE).astype(np.int64)[:, None] + rounding + dy
    if how == "nearest":
        return _gathered(image, y >> _BITS, x >> _BITS, fill)
    return _mixed(image, y >> _BITS - _FRACTION, x >> _BITS - _FRACTION, how, fill)


def _needs(image, how: str, name: str) -> None:
    whole = "int8 int32 " if how == "nearest" else ""
    kernels.needs(image, name, whole + "uint8 uint16 int16 float32 float64")


def _by(warp, image, matrix, height, width, how, fill):
    """One of OpenCV's two functions; ``fill`` is a number a channel, 0 beyond the third."""
    room = kernels.room(image, height, width, *image.shape[2:])
    found = warp(image, matrix, (width, height), room, _CODES[how], 0, tuple(map(float, fill)))
    return found.reshape(room.shape)


def tilt(start, end) -> np.ndarray:
    """The 3x3 matrix that takes four points (x, y) to four others, by elimination in OpenCV's order.

    ``np.linalg.LinAlgError`` where there is none.
    """
    with kernels.opencv("perspective") as cv2:
        if cv2:
            return cv2.getPerspectiveTransform(np.array(start, np.float32), np.array(end, np.float32))
    rows = [[[x, y, 1, 0, 0, 0, -x * to_x, -y * to_x, to_x], [0, 0, 0, x, y, 1, -x * to_y, -y * to_y, to_y]]
            for (x, y), (to_x, to_y) in zip(start, end, strict=True)]
    system = np.array([row for side in zip(*rows, strict=True) for row in side], np.float64)
    for i in range(8):
        pivot = i + int(np.abs(system[i:, i]).argmax())
        if abs(system[pivot, i]) < np.finfo(np.float64).eps * 100:
            raise np.linalg.LinAlgError
        system[[i, pivot]] = system[[pivot, i]]
        factors = system[i + 1:, i] * (-1 / system[i, i])
        system[i + 1:, i + 1:] += factors[:, None] * system[i, i + 1:]
    found = [0.0] * 8 + [1.0]
    for i in reversed(range(8)):
        value = system[i, 8]
        for k in range(i + 1, 8):
            value -= system[i, k] * found[k]
        found[i] = value / system[i, i]
    return np.array(found).reshape(3, 3)


def _inverted_whole(m: np.ndarray) -> np.ndarray:
    """The inverse of a 3x3 matrix by its minors, as OpenCV computes it."""
    (a, b, c), (d, e, f), (g, h, k) = m.tolist()
    whole = a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g)
    one = 1 / whole if whole else 0.0
    return np.array([[(e * k - f * h) * one, (c * h - b * k) * one, (b * f - c * e) * one],
                     [(f * g - d * k) * one, (a * k - c * g) * one, (c * d - a * f) * one],
                     [(d * h - e * g) * one, (b * g - a * h) * one, (a * e - b * d) * one]])


def perspective(image: np.ndarray, matrix: np.ndarray, height: int, width: int, how: str, fill,
                name: str) -> np.ndarray:
    """``image`` moved by a 3x3 ``matrix`` into (height, width)."""
    with kernels.opencv("perspective", name) as cv2:
        if cv2:
            return _by(cv2.warpPerspective, image, matrix, height, width, how, fill)
    _needs(image, how, name)
    m = _inverted_whole(matrix)
    y, x = np.mgrid[:height, :width].astype(np.float64)
    block = min(1024 // min(16, height), width)          # OpenCV starts anew after so many columns
    first = x // block * block
    to_x, to_y, w = ((m[i, 0] * first + m[i, 1] * y + m[i, 2]) + m[i, 0] * (x - first) for i in range(3))
    w = np.divide(1 if how == "nearest" else _STEPS, w, out=np.zeros_like(w), where=w != 0)
    to_x, to_y = np.rint(to_x * w).astype(np.int64), np.rint(to_y * w).astype(np.int64)
    if how == "nearest":
        return _gathered(image, to_y, to_x, fill)
    return _mixed(image, to_y, to_x, how, fill)


def _inverted(m: list[float]) -> list[float]:
    determinant = m[0] * m[4] - m[1] * m[3]
    d = 1 / determinant if determinant else 0.0
    a, b, c, e = m[4] * d, m[1] * -d, m[3] * -d, m[0] * d
    return [a, b, -a * m[2] - b * m[5], c, e, -c * m[2] - e * m[5]]


def _gathered(image: np.ndarray, y: np.ndarray, x: np.ndarray, fill) -> np.ndarray:
    """The pixels at (y, x), ``fill`` outside the image."""
    height, width = image.shape[:2]
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    found = image[y.clip(0, height - 1), x.clip(0, width - 1)]
    four = np.zeros(4)
    four[:len(fill)] = fill
    if image.dtype.kind in "iu":
        limits = np.iinfo(image.dtype)
        four = four.clip(limits.min, limits.max)
    colour = np.resize(four.astype(image.dtype), image.shape[2:] or 1)      # four numbers over and over
    fill = np.broadcast_to(colour, found.shape)
    return np.where(inside if image.ndim == 2 else inside[..., None], found, fill)


def _cubic(fraction: np.ndarray) -> np.ndarray:
    """Weights of the four pixels around, for A = -0.75."""
    x, a = fraction.astype(np.float32), np.float32(-0.75)
    one = np.float32(1)
    w0 = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    w1 = ((a + 2) * x - (a + 3)) * x * x + one
    w2 = ((a + 2) * (one - x) - (a + 3)) * (one - x) * (one - x) + one
    return np.stack([w0, w1, w2, one - w0 - w1 - w2], -1)


def _table(how: str) -> np.ndarray:
    """Weights by the fraction of y and of x: (32, 32, n, n), float32."""
    fraction = np.arange(_STEPS, dtype=np.float32) / np.float32(_STEPS)
    one_axis = np.stack([1 - fraction, fraction], -1) if how == "linear" else _cubic(fraction)
    return one_axis[:, None, :, None] * one_axis[None, :, None, :]


def _whole(table: np.ndarray) -> np.ndarray:
    """The weights out of 32768; what rounding leaves over goes to the largest of four of them, what it takes
    too much to the smallest.
    """
    whole = np.rint(table * np.float32(1 << _WEIGHT_BITS)).astype(np.int64)
    missing = (1 << _WEIGHT_BITS) - whole.sum((2, 3))
    four = slice(table.shape[2] // 2, table.shape[2] // 2 + 2)
    for i, j in zip(*np.nonzero(missing), strict=True):
        part = whole[i, j, four, four]
        place = part.argmax() if missing[i, j] > 0 else part.argmin()
        part[np.unravel_index(place, part.shape)] += missing[i, j]
    return whole


def _mixed(image: np.ndarray, y: np.ndarray, x: np.ndarray, how: str, fill) -> np.ndarray:
    """The image between pixels, at (y, x) in 1/32 of a pixel."""
    table = _table(how)
    exact = image.dtype == np.uint8
    if exact:
        table = _whole(table)
    weights = table[y & _STEPS - 1, x & _STEPS - 1]
    y, x = y >> _FRACTION, x >> _FRACTION
    first = 0 if how == "linear" else -1
    count = table.shape[2]
    kind = np.int64 if exact else np.float64 if image.dtype == np.float64 else np.float32
    total = np.zeros((*y.shape, *image.shape[2:]), kind)
    for i in range(count):
        for j in range(count):
            weight = weights[..., i, j]
            pixel = _gathered(image, y + first + i, x + first + j, fill).astype(kind)
            total += pixel * (weight if image.ndim == 2 else weight[..., None]).astype(kind)
    if exact:
        return (total + (1 << _WEIGHT_BITS - 1) >> _WEIGHT_BITS).clip(0, 255).astype(np.uint8)
    if image.dtype.kind in "iu":
        limits = np.iinfo(image.dtype)
        return np.rint(total).clip(limits.min, limits.max).astype(image.dtype)
    return total.astype(image.dtype)
