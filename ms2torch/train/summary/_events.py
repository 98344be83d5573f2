"""The messages of event files.

In protobuf's language (numbers are the fields'; what is not here is not written):

    Event     { double wall_time = 1; int64 step = 2; string version = 3; Summary summary = 5; }
    Summary   { repeated Value value = 1; }
    Value     { string tag = 1; float scalar_value = 3; Image image = 4; TensorProto tensor = 8;
                Histogram histogram = 9; LossLandscape loss_landscape = 10; }
    Image     { int32 height = 1; int32 width = 2; int32 colorspace = 3; bytes encoded_image = 4; }
    TensorProto { repeated int64 dims = 1; DataType data_type = 2; repeated float float_data = 3; }
    Histogram { repeated Bucket buckets = 1; int64 nan_count = 2; int64 pos_inf_count = 3;
                int64 neg_inf_count = 4; double max = 5; double min = 6; double sum = 7; int64 count = 8; }
    Bucket    { double left = 1; double width = 2; int64 count = 3; }
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ms2torch import log as logger
from ms2torch._core.protobuf import content, float32, float64, integer

_TYPES = dict(
    zip(
        [
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
        ],
        range(1, 13),
        strict=True,
    )
)
_IMAGES_PER_ROW = 8


def first_event(wall_time: float) -> bytes:
    """The event that opens a file."""
    return float64(1, wall_time) + content(3, "MindSpore.Event:1")


def summary_event(entries: list[tuple[str, str, object]], step: int, wall_time: float) -> bytes:
    """One step's entries: ``(kind, tag, value)``. What cannot be shown is left out and logged."""
    values = []
    for kind, tag, value in entries:
        field = _WRITERS[kind](tag, value)
        if field is not None:
            values.append(content(1, content(1, tag) + field))
    return float64(1, wall_time) + integer(2, step) + content(5, b"".join(values))


def _scalar(tag: str, value: np.ndarray) -> bytes | None:
    if not value.size:
        logger.error("The scalar %s of a summary has no value.", tag)
        return None
    return float32(3, value.flat[0])


def tensor_message(value: np.ndarray) -> bytes:
    """An array as a TensorProto."""
    if str(value.dtype) not in _TYPES:
        raise TypeError(
            "Transform numpy type failed in Summary, expect numpy type is one of ['np.bool_', 'np.int8', "
            "'np.int16', 'np.int32', 'np.int64', 'np.uint8', 'np.uint16', 'np.uint32', 'np.uint64', "
            "'np.float16', 'np.float32', 'np.float64']."
        )
    dims = b"".join(integer(1, n) for n in value.shape)
    with np.errstate(over="ignore"):
        data = np.ascontiguousarray(value, "<f4").tobytes()
    return dims + integer(2, _TYPES[str(value.dtype)]) + (content(3, data) if data else b"")


def _tensor(tag: str, value: np.ndarray) -> bytes:
    return content(8, tensor_message(value))


def _landscape(tag: str, value: bytes) -> bytes:
    return content(10, value)


# ---- histograms ----------------------------------------------------------------------------------------


def _bins(count: int) -> int:
    """How many buckets ``count`` numbers get: about ten numbers in each, at most 90 buckets."""
    if count <= 10:
        return 2 if count <= 5 else 3
    return count // 10 + 1 if count <= 880 else 90


def _histogram(tag: str, value: np.ndarray) -> bytes | None:
    if value.dtype == bool:
        logger.error("The value %s of a summary is of bools, of which there are no histograms.", tag)
        return None
    finite = np.isfinite(value)
    valid = value[finite]
    counts = [np.isnan(value), np.isposinf(value), np.isneginf(value)] if valid.size < value.size else []
    invalid = [int(np.count_nonzero(c)) for c in counts] or [0, 0, 0]
    tail = b"".join(integer(number, n) for number, n in zip((2, 3, 4), invalid, strict=True))
    buckets = b""
    if valid.size:
        low, high = float(valid.min()), float(valid.max())
        # The zeros in place of what is not finite keep the order in which numpy adds.
        total = np.where(finite, value, np.zeros((), value.dtype)).sum(dtype=np.float64)
        tail += float64(5, high) + float64(6, low) + float64(7, total)
        buckets = _buckets(valid, low, high)
    else:
        logger.warning("The histogram %s of a summary has no finite value.", tag)
    return content(9, buckets + tail + integer(8, value.size))


def _buckets(valid: np.ndarray, low: float, high: float) -> bytes:
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, _bins(valid.size) + 1, dtype=valid.dtype)
    numbers, edges = np.histogram(valid, bins=edges)
    return b"".join(
        content(1, float64(1, left) + float64(2, right - left) + integer(3, number))
        for number, left, right in zip(numbers, edges, edges[1:], strict=False)
    )


# ---- images --------------------------------------------------------------------------------------------


def image_field(tag: str, value: np.ndarray) -> bytes | None:
    if value.ndim != 4 or value.shape[1] not in (1, 3) or not value.size:
        logger.error(
            "The value %s of a summary, of shape %s, is no image (N, 1 or 3, H, W).", tag, value.shape
        )
        return None
    pixels = _as_bytes(_sheet(value)).transpose(1, 2, 0)
    height, width, channels = pixels.shape
    sizes = integer(1, height) + integer(2, width) + integer(3, channels)
    return content(4, sizes + content(4, png(pixels)))


def _sheet(images: np.ndarray) -> np.ndarray:
    """Images (N, C, H, W) side by side on one of three channels, eight in a row."""
    n, _, height, width = images.shape
    columns = min(n, _IMAGES_PER_ROW)
    rows = -(-n // columns)
    sheet = np.zeros((3, height * rows, width * columns))
    for i, image in enumerate(images):
        y, x = i // columns * height, i % columns * width
        sheet[:, y : y + height, x : x + width] = image
    return sheet


def _as_bytes(sheet: np.ndarray) -> np.ndarray:
    """Values within [0, 1] times 255; others moved and stretched over 0 to 255."""
    low, high = sheet.min(), sheet.max()
    if low >= 0 and high <= 1:
        shift, scale = 0, 255
    else:
        shift, scale = low, 255 / (high - low + 1) if high != low else 1
    return ((sheet.astype(np.float32) - shift) * scale).astype(np.uint8)


def png(pixels: np.ndarray) -> bytes:
    """Bytes (H, W, 3) as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)  # each row begins with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


_WRITERS = {
    "scalar": _scalar,
    "tensor": _tensor,
    "image": image_field,
    "histogram": _histogram,
    "landscape": _landscape,
}
