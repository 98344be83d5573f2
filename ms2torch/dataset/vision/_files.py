"""Files of images: read, written, encoded."""

from __future__ import annotations

import io
import os
import re
from enum import IntEnum

import numpy as np

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import Tensor

from ..core.errors import pipeline_error
from ..transforms.operation import is_pil
from . import kernels
from .images import pillow


def _needs(value, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"Input {name} is not of type {kind}, but got: {type(value)}.")


def _array(value, name: str) -> np.ndarray:
    if isinstance(value, Tensor):
        return value.asnumpy()
    if not isinstance(value, np.ndarray):
        raise TypeError(f"Input {name} is not of type {np.ndarray} or {Tensor}, but got: {type(value)}.")
    return value


def _file(filename: str, who: str) -> None:
    if not os.path.exists(filename):
        raise pipeline_error(f"{who}: Invalid file path, {filename} does not exist.")
    if not os.path.isfile(filename):
        raise pipeline_error(f"{who}: Invalid file path, {filename} is not a regular file.")


def read_file(filename):
    """The bytes of a file, 1-D uint8 (``mindspore.dataset.vision.read_file``)."""
    _needs(filename, str, "filename")
    _file(filename, "ReadFile")
    return np.fromfile(filename, np.uint8)


class ImageReadMode(IntEnum):
    """Which channels `read_image` gives (``mindspore.dataset.vision.ImageReadMode``)."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


def read_image(filename, mode=ImageReadMode.UNCHANGED):
    """An image file as an (H, W, C) uint8 array, RGB (``mindspore.dataset.vision.read_image``).

    ``mode``: `ImageReadMode.UNCHANGED` keeps greys, 16 bits as uint16 and float32; GRAYSCALE gives 1 channel,
    COLOR 3, both turned as the file's orientation says; alpha is left out. A JPEG that ends too early is grey
    from there on.

    OpenCV reads the file, as in MindSpore. Without it Pillow reads JPEG, PNG, BMP and TIFF of 8 and 16 bits
    to the same pixels, whole files only.
    """
    _needs(filename, str, "filename")
    _needs(mode, ImageReadMode, "mode")
    _file(filename, "ReadImage")
    with kernels.opencv("decode", f"ReadImage: Failed to read file {filename}") as cv2:
        pixels = _by_opencv(cv2, filename, mode) if cv2 else _by_pillow(filename, mode)
    if pixels is None:
        raise pipeline_error(f"ReadImage: Failed to read file {filename}")
    return pixels


# How the files begin that OpenCV's wheels read and MindSpore does not: JPEG 2000 (two), GIF, AVIF, WebP.
_NOT_READ = re.compile(rb"\x00\x00\x00\x0cjP  |\xff\x4f\xff\x51|GIF8|....ftypavi[fs]|RIFF....WEBP", re.DOTALL)


def _by_opencv(cv2, filename: str, mode) -> np.ndarray | None:
    with open(filename, "rb") as file:
        if _NOT_READ.match(file.read(16)):
            return None
    how = {ImageReadMode.UNCHANGED: cv2.IMREAD_UNCHANGED, ImageReadMode.GRAYSCALE: cv2.IMREAD_GRAYSCALE}
    pixels = cv2.imread(filename, how.get(mode, cv2.IMREAD_COLOR))
    if pixels is None:
        return None
    return pixels[..., None] if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., 2::-1])


def _by_pillow(filename: str, mode) -> np.ndarray | None:
    try:
        image = pillow("Image").open(filename, formats=("JPEG", "PNG", "BMP", "TIFF"))
        if image.format == "JPEG" and mode is ImageReadMode.GRAYSCALE:
            image.draft("L", image.size)  # the decoder leaves the colours out
        image.load()
    except OSError:
        return None
    if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA") and not image.mode.startswith("I;16"):
        raise unsupported(f"mindspore.dataset.vision.read_image of pixels of kind {image.mode}",
                          "only OpenCV reads them as MindSpore does.", "pip install opencv-python-headless.")
    png = image.format == "PNG"
    if mode is not ImageReadMode.UNCHANGED:
        image = pillow("ImageOps").exif_transpose(image)
    if image.mode.startswith("I;16"):
        if mode is ImageReadMode.UNCHANGED:
            return np.array(image, np.uint16)[..., None]
        image = pillow("Image").fromarray((np.asarray(image) >> 8).astype(np.uint8))
    colourless = image.mode in ("1", "L", "LA")
    if colourless and mode is not ImageReadMode.COLOR and image.mode != "LA":
        return np.array(image.convert("L"))[..., None]
    if mode is not ImageReadMode.GRAYSCALE:
        return np.array(image.convert("RGB"))
    red, green, blue = (np.array(image.convert("RGB"), np.int32)[..., i] for i in range(3))
    if png:  # libpng cuts fractions off, OpenCV rounds
        grey = red * 9797 + green * 19234 + blue * 3737 >> 15
    else:
        grey = red * 4899 + green * 9617 + blue * 1868 + 8192 >> 14
    return grey.astype(np.uint8)[..., None]


def write_file(filename, data):
    """Write 1-D uint8 ``data`` as it is (``mindspore.dataset.vision.write_file``)."""
    _needs(filename, str, "filename")
    data = _array(data, "data")
    if data.dtype != np.uint8:
        raise pipeline_error(
            f"WriteFile: The type of the elements of data should be UINT8, but got {data.dtype}."
        )
    if data.ndim != 1 and data.size:
        raise pipeline_error(
            "WriteFile: The data has invalid dimensions. It should have only one dimension, but got "
            f"{data.ndim} dimensions."
        )
    _write(filename, data.tobytes(), "WriteFile")


def _write(filename: str, data: bytes, who: str) -> None:
    if os.path.isdir(filename):
        raise pipeline_error(f"{who}: Invalid file path, {filename} is not a regular file.")
    try:
        with open(filename, "wb") as file:
            file.write(data)
    except FileNotFoundError:
        raise pipeline_error("No such file or directory") from None


def _encoded(
    image, who: str, level: int, limits: tuple[int, int], level_name: str, what: str = "the image data", **how
) -> bytes:
    image = _array(image, "image")
    if image.dtype != np.uint8:
        raise pipeline_error(f"{who}: The type of {what} should be UINT8, but got {image.dtype}.")
    if image.ndim not in (2, 3):
        raise pipeline_error(
            f"{who}: The image has invalid dimensions. It should have two or three dimensions, but got "
            f"{image.ndim} dimensions."
        )
    if image.ndim == 3 and image.shape[2] not in (1, 3):
        raise pipeline_error(
            f"{who}: The image has invalid channels. It should have 1 or 3 channels, but got "
            f"{image.shape[2]} channels."
        )
    if not limits[0] <= level <= limits[1]:
        raise pipeline_error(
            f"{who}: Invalid {level_name} {level}, should be in range of [{limits[0]}, {limits[1]}]."
        )
    if not image.size:
        raise pipeline_error(f"{who}: Load the image tensor failed.")
    image = image[..., 0] if image.ndim == 3 and image.shape[2] == 1 else image
    out = io.BytesIO()
    pillow("Image").fromarray(np.ascontiguousarray(image)).save(out, **how)
    return out.getvalue()


def encode_jpeg(image, quality=75):
    """A uint8 image, (H, W), (H, W, 1) or (H, W, 3), as the bytes of a JPEG file
    (``mindspore.dataset.vision.encode_jpeg``).

    ``quality`` is 1 to 100. The file decodes to the pixels that MindSpore's does.
    """
    _needs(quality, int, "quality")
    data = _encoded(image, "EncodeJpeg", quality, (1, 100), "quality", format="JPEG", quality=quality)
    return np.frombuffer(data, np.uint8).copy()


def encode_png(image, compression_level=6):
    """A uint8 image, (H, W), (H, W, 1) or (H, W, 3), as the bytes of a PNG file, smaller with a higher
    ``compression_level``, 0 to 9 (``mindspore.dataset.vision.encode_png``).
    """
    _needs(compression_level, int, "compression_level")
    data = _encoded(
        image,
        "EncodePng",
        compression_level,
        (0, 9),
        "compression_level",
        format="PNG",
        compress_level=compression_level,
    )
    return np.frombuffer(data, np.uint8).copy()


def write_jpeg(filename, image, quality=75):
    """Write an image as `encode_jpeg` encodes it (``mindspore.dataset.vision.write_jpeg``)."""
    _needs(filename, str, "filename")
    _needs(quality, int, "quality")
    _write(
        filename,
        _encoded(
            image,
            "WriteJpeg",
            quality,
            (1, 100),
            "quality",
            "the elements of image",
            format="JPEG",
            quality=quality,
        ),
        "WriteJpeg",
    )


def write_png(filename, image, compression_level=6):
    """Write an image as `encode_png` encodes it (``mindspore.dataset.vision.write_png``)."""
    _needs(filename, str, "filename")
    _needs(compression_level, int, "compression_level")
    if not isinstance(image, (Tensor, np.ndarray)):
        raise TypeError(f"The input image is not of type {np.ndarray} or {Tensor}, but got: {type(image)}.")
    _write(
        filename,
        _encoded(
            image,
            "WritePng",
            compression_level,
            (0, 9),
            "compression_level",
            "the elements of image",
            format="PNG",
            compress_level=compression_level,
        ),
        "WritePng",
    )


def _shape(image, who: str) -> tuple:
    if image.ndim < 2:
        raise pipeline_error(
            f"{who}: invalid parameter, image should have at least two dimensions, but got: {image.ndim}"
        )
    return image.shape


def _neither(image) -> TypeError:
    return TypeError(
        f"Input image is not of type {np.ndarray} or <class 'PIL.Image.Image'>, but got: {type(image)}."
    )


def get_image_num_channels(image):
    """How many channels an image has: the last axis of an array, the bands of a PIL image
    (``mindspore.dataset.vision.get_image_num_channels``).
    """
    if is_pil(image):
        return len(image.getbands())
    if not isinstance(image, np.ndarray):
        raise _neither(image)
    shape = _shape(image, "GetImageNumChannels")
    return 1 if len(shape) == 2 else shape[-1]


def get_image_size(image):
    """[height, width] of an array, (..., H, W, C) or (H, W), or of a PIL image
    (``mindspore.dataset.vision.get_image_size``).
    """
    if is_pil(image):
        return list(image.size[::-1])
    if not isinstance(image, np.ndarray):
        raise _neither(image)
    shape = _shape(image, "GetImageSize")
    return list(shape if len(shape) == 2 else shape[-3:-1])
