"""Image transforms that change values, dtype or the order of axes, and leave the picture in its place."""

from __future__ import annotations

import numpy as np

from ..core.errors import syntax_error
from ..core.validator_helpers import type_check
from ..transforms.operation import OperationError, calls_through, is_pil
from ..transforms.py_transforms_util import Implementation
from ..transforms.transforms import TypeCast, cast
from ..transforms.validators import numpy_dtype
from . import kernels
from .images import ImageOperation, needs_image, without_ones
from .validators import check_mean_std, check_rescale


class Rescale(ImageOperation):
    """``image * rescale + shift``, as float32."""

    implementation = Implementation.C

    def __init__(self, rescale, shift):
        check_rescale(rescale, shift)
        super().__init__()
        self.rescale, self.shift = rescale, shift
        # MindSpore multiplies and adds in one float32 step (a fused multiply-add): float64 holds the product
        # exactly.
        self._factor, self._offset = np.float64(np.float32(rescale)), np.float64(np.float32(shift))
        self._of_bytes = None                            # (table of 256 values, whether two steps give them)

    def _opened(self):
        if self._factor < 0:
            raise syntax_error("Rescale: rescale must be greater than or equal to 0, got: "
                               f"{self._factor:.6f}")
        return super()._opened()

    def _compute(self, image):
        if image.dtype.kind in "US":
            raise OperationError("Rescale: input tensor type should be in numeric type, but got: string")
        image = kernels.as_bytes(image)
        if image.dtype == np.uint8 and image.ndim in (2, 3) and image.size > 256:
            return self._of(image)
        if image.dtype.kind in "iu" and image.dtype.itemsize > 2:
            image = image.astype(np.float32)
        scaled = np.multiply(image, self._factor, dtype=np.float64)     # (numpy 1 keeps float32)
        scaled += self._offset
        return scaled.astype(np.float32)


    def _of(self, image):
        """Of bytes: float32 in two steps, which takes half the time of a table, where that rounds none of the
        256 values otherwise.
        """
        if self._of_bytes is None:
            values = np.arange(256, dtype=np.uint8)
            table = self._compute(values)
            self._of_bytes = table, np.array_equal(self._in_steps(values), table)
        table, in_steps = self._of_bytes
        return self._in_steps(image) if in_steps else kernels.looked_up(table, image)

    def _in_steps(self, image):
        scaled = np.multiply(image, np.float32(self._factor), dtype=np.float32)       # converts on the way
        if self._offset:
            scaled += np.float32(self._offset)
        return scaled


class Normalize(ImageOperation):
    """``(image - mean) / std`` per channel, as float32. One mean and deviation serve all channels."""

    implementation = Implementation.C
    _said_by = "Normalize"               # in its errors

    def __init__(self, mean, std, is_hwc=True):
        check_mean_std(mean, std)
        type_check(is_hwc, (bool,), "is_hwc")
        super().__init__()
        self.mean, self.std, self.is_hwc = mean, std, is_hwc
        shape = (-1,) if is_hwc else (-1, 1, 1)
        self._mean = np.array(mean, np.float32).reshape(shape)
        self._std = np.array(std, np.float32).reshape(shape)

    def _compute(self, image):
        image = kernels.as_bytes(image)
        channels = 1 if image.ndim == 2 else image.shape[-1 if self.is_hwc else 0]
        if self._mean.size not in (1, channels):
            raise OperationError(f"{self._said_by}: number of channels does not match the size of mean and "
                                 f"std vectors, got channels: {channels}, size of mean: {self._mean.size}")
        centred = image.astype(np.float32, order="C")
        if not self.is_hwc and image.ndim == 3:
            centred -= self._mean
            centred /= self._std
            return centred
        # whole rows at once: numpy is slow over a last axis of three
        width = image.shape[1] * (channels if image.ndim == 3 else 1)
        rows = centred.reshape(len(image), width)
        for function, values in ((np.subtract, self._mean), (np.divide, self._std)):
            values = values.reshape(-1)
            function(rows, values if values.size == 1 else np.tile(values, image.shape[1]), out=rows)
        return without_ones(centred)


class NormalizePad(ImageOperation):
    """`Normalize`, then one more channel of zeros; as float32 or float16.

    MindSpore 2.10 writes a channels-last image without room for the channel, and the zeros behind it all,
    which mixes the channels up; here each pixel has its zero, as its documentation says.
    """

    implementation = Implementation.C

    def __init__(self, mean, std, dtype="float32", is_hwc=True):
        check_mean_std(mean, std)
        type_check(is_hwc, (bool,), "is_hwc")
        if not isinstance(dtype, str):
            raise TypeError("dtype should be string.")
        if dtype not in ("float32", "float16"):
            raise ValueError("dtype only supports float32 or float16.")
        super().__init__()
        self.mean, self.std, self.dtype, self.is_hwc = mean, std, dtype, is_hwc
        self._normalize = Normalize(mean, std, is_hwc)
        self._normalize._said_by = "NormalizePad"

    def _compute(self, image):
        if image.ndim == 2:
            if not self.is_hwc:
                raise OperationError("NormalizePad: with is_hwc=False the image needs three axes, but got "
                                     "rank: 2")
            return self._compute(image[:, :, None]).squeeze()
        image = self._normalize._compute(image)
        with kernels.opencv("colour", "NormalizePad") as cv2:
            if cv2 and self.is_hwc and image.shape[2] == 3 and image.size:
                whole = cv2.cvtColor(image, cv2.COLOR_RGB2RGBA)
                whole[..., 3] = 0
                return whole.astype(self.dtype, copy=False)
        axis = 2 if self.is_hwc else 0
        shape = list(image.shape)
        shape[axis] = 1
        return np.concatenate([image, np.zeros(shape, np.float32)], axis).astype(self.dtype, copy=False)


# Dtypes whose channels OpenCV takes apart.
_OPENCV = frozenset(("bool", "int8", "uint8", "int16", "uint16", "int32", "float32", "float64"))


class HWC2CHW(ImageOperation):
    """Channels first. An image without channels stays as it is."""

    implementation = Implementation.C

    def _compute(self, image):
        needs_image(image, "HWC2CHW")
        if image.ndim == 3 and image.dtype.name not in _OPENCV:
            raise OperationError("[Internal ERROR] HWC2CHW: load image failed.")
        return image if image.ndim == 2 else image.transpose(2, 0, 1)


class ToTensor(ImageOperation):
    """An image with values up to 255 as channels-first numbers up to 1 (``output_type`` float32 unless
    given).
    """

    implementation = Implementation.C
    _asks_for_numbers = False           # its own words name the dtypes

    def __init__(self, output_type=np.float32):
        self._dtype = numpy_dtype(output_type, "output_type")
        super().__init__()
        self.output_type = str(self._dtype)

    def _compute(self, image):
        image = image[None] if image.ndim == 2 else image.transpose(2, 0, 1)
        if image.dtype == np.float64:
            scaled = (image * float(np.float32(1 / 255))).astype(np.float32)
        else:
            scaled = image.astype(np.float32) * np.float32(1 / 255)
        return cast(scaled, self._dtype)

    @calls_through
    def __call__(self, *images):
        if len(images) == 1 and is_pil(images[0]):       # outside a pipeline MindSpore divides these in numpy
            values = np.asarray(images[0])
            values = values[None] if values.ndim == 2 else values.transpose(2, 0, 1)
            return (values / 255.0).astype(self._dtype)
        return super().__call__(*images)

    def _execute_py(self, image):
        return self._compute(np.asarray(image))


class ToType(TypeCast):
    """`mindspore.dataset.transforms.TypeCast` by its name among the image transforms."""
