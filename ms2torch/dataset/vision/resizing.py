"""Resizing arrays as OpenCV 4 does it, which is what MindSpore's C++ ``Resize`` calls: by OpenCV where it is
there, to the bit for all images; in numpy otherwise, to the bit for 8-bit ones (linear, nearest, area).

8-bit images go through OpenCV's 11-bit fixed point (weights rounded to 1/2048, shifts instead of divisions),
all others through float32 weights. Positions and weights depend on the sizes alone and are kept.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from . import kernels

_ONE = 2048                               # 1.0 in OpenCV's fixed point
_CODES = {"nearest": 0, "linear": 1, "cubic": 2, "area": 3}          # OpenCV's numbers of them


def resize(image: np.ndarray, height: int, width: int, method: str, name: str = "Resize") -> np.ndarray:
    """An (H, W) or (H, W, C) array at another size. ``method``: "nearest", "linear", "cubic" or "area"."""
    rows, columns = image.shape[:2]
    if (rows, columns) == (height, width):
        return image.copy()
    with kernels.opencv("resize", name) as cv2:
        if cv2:
            room = kernels.room(image, height, width, *image.shape[2:])
            return cv2.resize(image, (width, height), room, interpolation=_CODES[method]).reshape(room.shape)
    if method == "nearest":
        return image[_nearest(rows, height)[:, None], _nearest(columns, width)]
    kernels.needs(image, name, "uint8 uint16 int16 float32 float64")
    if method in ("linear", "area") and rows == 2 * height and columns == 2 * width:
        exact = image.ndim == 2 or image.shape[2] in (1, 3, 4)         # rounds halves up, others to even ones
        return _halved(image) if exact else _averaged(image, height, width)
    if method == "area" and rows >= height and columns >= width:
        return _averaged(image, height, width)
    flat = image.reshape(rows, columns, -1)
    if image.dtype == np.uint8:
        result = _fixed(flat, height, width, method)
    else:
        result = _floating(flat, height, width, method)
    return result.reshape(height, width, *image.shape[2:])


@lru_cache(256)
def _nearest(size: int, wanted: int) -> np.ndarray:
    return np.minimum(np.floor(np.arange(wanted) * (1 / (wanted / size))).astype(np.intp), size - 1)


@lru_cache(256)
def _taps(size: int, wanted: int, method: str, clamped: bool) -> tuple[np.ndarray, np.ndarray]:
    """Positions (taps, wanted) in the source and their float32 weights.

    ``clamped``: OpenCV's horizontal pass gives the whole weight to the border's pixel, its vertical pass
    splits it over two copies of the border's row, which rounds differently.
    """
    scale = 1 / (wanted / size)           # as OpenCV writes it: size / wanted can differ in its last bit
    at = np.arange(wanted)
    if method == "area":                  # enlarging: OpenCV's area turns into a narrower linear
        inverse = wanted / size
        first = np.floor(at * scale).astype(np.int64)
        part = ((at + 1) - (first + 1) * inverse).astype(np.float32)
        part = np.where(part <= 0, np.float32(0), part - np.floor(part)).astype(np.float32)
    else:
        place = ((at + 0.5) * scale - 0.5).astype(np.float32)
        first = np.floor(place).astype(np.int64)
        part = place - first.astype(np.float32)
    if method == "cubic":
        weights, offsets = _cubic(part), range(-1, 3)
    else:
        if clamped:
            outside = (first < 0) | (first >= size - 1)
            part = np.where(outside, np.float32(0), part)
        weights, offsets = np.stack([np.float32(1) - part, part]), range(2)
    places = np.stack([np.clip(first + offset, 0, size - 1) for offset in offsets])
    return places, weights.astype(np.float32)


def _cubic(part: np.ndarray) -> np.ndarray:
    a, one = np.float32(-0.75), np.float32(1)
    far, near, back = part + one, part, one - part
    w0 = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
    w1 = ((a + 2) * near - (a + 3)) * near * near + one
    w2 = ((a + 2) * back - (a + 3)) * back * back + one
    return np.stack([w0, w1, w2, one - w0 - w1 - w2])


@lru_cache(256)
def _fixed_taps(size: int, wanted: int, method: str, clamped: bool) -> tuple[np.ndarray, np.ndarray]:
    places, weights = _taps(size, wanted, method, clamped)
    return places, np.rint(weights * np.float32(_ONE)).astype(np.int32)


def _fixed(image, height, width, method):
    """8-bit pixels: rows first, then columns, in integers."""
    places, weights = _fixed_taps(image.shape[1], width, method, True)
    wide = image.astype(np.int32)
    across = wide[:, places[0]] * weights[0][:, None]
    for place, weight in zip(places[1:], weights[1:], strict=True):
        across += wide[:, place] * weight[:, None]
    places, weights = _fixed_taps(image.shape[0], height, method, False)
    weights = weights[:, :, None, None]
    if method == "cubic":
        total = across[places[0]] * weights[0]
        for place, weight in zip(places[1:], weights[1:], strict=True):
            total += across[place] * weight
        return np.clip((total + (1 << 21)) >> 22, 0, 255).astype(np.uint8)
    across >>= 4
    upper, lower = across[places[0]], across[places[1]]
    upper *= weights[0]
    lower *= weights[1]
    upper >>= 16
    lower >>= 16
    upper += lower
    upper += 2
    upper >>= 2
    return upper.astype(np.uint8)


def _floating(image, height, width, method):
    """Other pixels: float32 weights; float64 pixels are summed in float64, integers rounded at the end."""
    exact = image.astype(np.float64 if image.dtype == np.float64 else np.float32, copy=False)
    places, weights = _taps(image.shape[1], width, method, True)
    across = exact[:, places[0]] * weights[0][:, None]
    for place, weight in zip(places[1:], weights[1:], strict=True):
        across += exact[:, place] * weight[:, None]
    places, weights = _taps(image.shape[0], height, method, False)
    weights = weights[:, :, None, None]
    total = across[places[0]] * weights[0]
    for place, weight in zip(places[1:], weights[1:], strict=True):
        total += across[place] * weight
    return _as(image.dtype, total)


def _as(dtype, values):
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
    return values.astype(dtype, copy=False)


def _halved(image):
    """Both sides by exactly two: the mean of each 2x2 block."""
    kind = np.int32 if image.dtype.kind in "iu" else image.dtype
    wide = image.astype(kind)
    total = wide[::2, ::2] + wide[::2, 1::2] + wide[1::2, ::2] + wide[1::2, 1::2]
    if image.dtype.kind in "iu":
        return ((total + 2) >> 2).astype(image.dtype)
    return (total * image.dtype.type(0.25)).astype(image.dtype)


@lru_cache(256)
def _shares(size: int, wanted: int) -> np.ndarray:
    """How much of each source pixel goes into each wanted one, as a (wanted, size) float32 matrix."""
    scale = 1 / (wanted / size)
    shares = np.zeros((wanted, size), np.float32)
    for i in range(wanted):
        start, end = i * scale, (i + 1) * scale
        cell = min(scale, size - start)
        first, last = int(np.ceil(start)), min(int(np.floor(end)), size - 1)
        first = min(first, last)
        if first - start > 1e-3:
            shares[i, first - 1] = (first - start) / cell
        shares[i, first:last] = 1.0 / cell
        if end - last > 1e-3:
            shares[i, last] = min(min(end - last, 1.0), cell) / cell
    return shares


def _averaged(image, height, width):
    """Shrinking by area: each wanted pixel is the mean of what it covers."""
    rows, columns = image.shape[:2]
    flat = image.reshape(rows, columns, -1)
    if rows % height == 0 and columns % width == 0:
        down, across = rows // height, columns // width
        blocks = flat.reshape(height, down, width, across, -1)
        kind = np.int64 if image.dtype.kind in "iu" else np.float64
        mean = blocks.sum(axis=(1, 3), dtype=kind).astype(np.float32) * np.float32(1.0 / (down * across))
    else:
        narrow = np.einsum("wx,yxc->ywc", _shares(columns, width), flat.astype(np.float32))
        mean = np.einsum("hy,ywc->hwc", _shares(rows, height), narrow)
    return _as(image.dtype, mean).reshape(height, width, *image.shape[2:])
