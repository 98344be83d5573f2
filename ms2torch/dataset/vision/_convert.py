"""Image transforms between files, arrays and PIL images."""

from __future__ import annotations

import io

import numpy as np

from ..core.validator_helpers import type_check
from ..transforms.operation import OperationError, PyTensorOperation, TensorOperation, calls_through, is_pil
from ..transforms.py_transforms_util import Implementation
from . import kernels
from .images import needs_pil, pillow

_REFUSED = {b"GIF8": "gif", b"RIFF": "webp"}              # by how their files begin


def decoded(data: np.ndarray):
    """The PIL image in the bytes of a file, as RGB; ValueError if Pillow finds none."""
    module = pillow("Image")
    try:
        image = module.open(io.BytesIO(data.tobytes()))
        if image.mode.startswith("I;16"):                 # Pillow would cut values off at 255
            image = module.fromarray((np.asarray(image) >> 8).astype(np.uint8))
        return image.convert("RGB")
    except Exception as error:                            # Pillow's readers raise all kinds of errors
        raise ValueError(f"{error}\n: Failed to decode given image.") from error


def pixels(data: np.ndarray) -> np.ndarray:
    """The (H, W, 3) array in the bytes of a file. Pillow decodes without OpenCV, and JPEG of four colours."""
    start = data[:4].tobytes()
    if start in _REFUSED:
        raise OperationError(f"Unsupported image type [{_REFUSED[start]}]. Please delete it from the dataset "
                             "and re-run.")
    if _impossible(data):
        raise OperationError("Decode: image decode failed.")
    with kernels.opencv("decode", "Decode") as cv2:
        if cv2 and _frame(data)[4:] != b"\x04":
            how = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
            image = _read(data, lambda data: cv2.imdecode(data, how))
            return cv2.cvtColor(image, cv2.COLOR_BGR2RGB, dst=image)
    return _read(data, _by_pillow)


def _by_pillow(data: np.ndarray) -> np.ndarray | None:
    try:
        return np.array(decoded(data))
    except ValueError:
        return None


def _read(data: np.ndarray, decode) -> np.ndarray:
    """What ``decode`` makes of a file; it gives None for one that it cannot read."""
    image = decode(data) if data.size else None
    if image is None and data[:2].tobytes() == b"\xff\xd8":
        image = _unfinished(data, decode)
    if image is None:
        raise OperationError("Decode: image decode failed.")
    return image


def _unfinished(data: np.ndarray, decode) -> np.ndarray | None:
    """A JPEG without its end marker; None where pixels are missing too, as what is put there would tell."""
    body = data.tobytes().rstrip(b"\xff")
    images = [decode(np.frombuffer(body + filling + b"\xff\xd9", np.uint8))
              for filling in (b"", b"\x55" * 64, b"\xaa" * 64)]
    complete = images[0] is not None and all(np.array_equal(images[0], image) for image in images[1:])
    return images[0] if complete else None


def _impossible(data: np.ndarray) -> bool:
    """Whether a PNG tells of more pixels than deflate could have packed into the file, or its chunks do not
    lead to its end: decoders would take gigabytes, and minutes, before they find out.
    """
    head = data[:24].tobytes()
    if head[:4] != b"\x89PNG":
        return False
    width, height = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    place, kind = 8, b""
    while place + 8 <= data.size and kind != b"IEND":
        start = data[place:place + 8].tobytes()
        place, kind = place + 12 + int.from_bytes(start[:4], "big"), start[4:]
    return height * (width // 8 + 1) > 1032 * data.size or kind != b"IEND" or place > data.size


def _frame(data: np.ndarray) -> bytes:
    """Height, width (two bytes each) and number of colours of a JPEG; empty where it does not tell."""
    head, place = data[:1 << 16].tobytes(), 2
    if head[:2] != b"\xff\xd8":
        return b""
    while head[place:place + 1] == b"\xff" and place + 10 <= len(head):
        marker = head[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return head[place + 5:place + 10]
        place += 1 if marker == 0xFF else 2 + int.from_bytes(head[place + 2:place + 4], "big")
    return b""


def image_size(data: np.ndarray) -> tuple[int, int] | None:
    """(height, width) of a JPEG without decoding it; None where its header does not tell."""
    frame = _frame(data)
    size = int.from_bytes(frame[:2], "big"), int.from_bytes(frame[2:4], "big")
    return size if all(size) else None


class Decode(TensorOperation):
    """The bytes of an image file (JPEG, PNG, BMP, ...) as an RGB (H, W, 3) uint8 array, or as a PIL image.

    The values are MindSpore's to the bit, by OpenCV or Pillow. EXIF's rotation is left alone. A JPEG may lack
    its end marker. One that lacks bytes of its pixels raises; MindSpore makes up the end of some of them.
    """

    def __init__(self, to_pil=False):
        type_check(to_pil, (bool,), "to_pil")
        super().__init__()
        self.to_pil = to_pil
        self.implementation = Implementation.PY if to_pil else Implementation.C

    @calls_through
    def __call__(self, img):
        if isinstance(img, bytes):
            img = np.frombuffer(img, np.uint8)
        if not isinstance(img, np.ndarray):
            raise TypeError(f"The type of the encoded image should be {np.ndarray}, but got {type(img)}.")
        if img.dtype.type is np.str_:
            raise TypeError(f"The data type of the encoded image can not be {img.dtype.type}.")
        if img.ndim != 1:
            raise TypeError("The number of array dimensions of the encoded image should be 1, but got "
                            f"{img.ndim}.")
        return super().__call__(img)

    def _compute(self, data):
        if data.dtype.kind == "S":
            data = np.frombuffer(data.tobytes(), np.uint8)
        if data.ndim != 1:
            raise OperationError(f"Decode: invalid input shape, only support 1D input, got rank: {data.ndim}")
        return decoded(data) if self.to_pil else pixels(data)


class ToPIL(TensorOperation, PyTensorOperation):
    """An (H, W) or (H, W, C) array as a PIL image."""

    implementation = Implementation.PY

    def __init__(self):
        TensorOperation.__init__(self)

    @calls_through
    def __call__(self, img):
        if not (isinstance(img, np.ndarray) or is_pil(img)):
            raise TypeError("The input image should be of type numpy.ndarray or PIL.Image.Image. Got "
                            f"{type(img)}.")
        return super().__call__(img)

    def _compute(self, image):
        if image.ndim not in (2, 3):
            raise ValueError(f"The dimension of input image should be 2 or 3. Got {image.ndim}.")
        if image.ndim == 2:
            image = image[:, :, None]
        if image.shape[-1] > 4:
            raise ValueError(f"The channel of input image should not exceed 4. Got {image.shape[-1]}.")
        if image.shape[-1] == 1:
            if image.dtype.name not in ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32",
                                        "float32", "float64"):
                raise TypeError(f"The input image type {image.dtype} is not supported when image shape is "
                                "[H, W] or [H, W, 1].")
            image = image[:, :, 0]
        elif image.dtype != np.uint8:
            raise TypeError(f"The input image type {image.dtype} is not supported when image shape is [H, W, "
                            "2], [H, W, 3] or [H, W, 4].")
        return pillow("Image").fromarray(np.ascontiguousarray(image))

    def _execute_py(self, image):
        return image


class ToNumpy(TensorOperation, PyTensorOperation):
    """A PIL image as an array."""

    implementation = Implementation.C

    def __init__(self):
        TensorOperation.__init__(self)

    @calls_through
    def __call__(self, img):
        return np.array(img)

    def _compute(self, image):
        return image

    def _execute_py(self, image):
        return np.array(image)


class Grayscale(TensorOperation, PyTensorOperation):
    """A PIL image in shades of grey, with 1 channel or 3 equal ones."""

    implementation = Implementation.PY

    def __init__(self, num_output_channels=1):
        type_check(num_output_channels, (int,), "num_output_channels")
        if num_output_channels not in (1, 3):
            raise ValueError("Number of channels of the output grayscale imageshould be either 1 or 3. Got "
                             f"{num_output_channels}.")
        TensorOperation.__init__(self)
        self.num_output_channels = num_output_channels

    def _compute(self, image):
        needs_pil(image)

    def _execute_py(self, image):
        grey = image.convert("L")
        if self.num_output_channels == 1:
            return grey
        return pillow("Image").merge("RGB", (grey, grey, grey))


__all__ = ["Decode", "Grayscale", "ToNumpy", "ToPIL", "decoded", "is_pil"]
