"""Transforms of whole batches that mix images and their labels: MixUp and CutMix.

Labels are one-hot.
"""

from __future__ import annotations

import math

import numpy as np

from ms2torch._core.checks.calls import class_text
from ms2torch._core.random.distributions import Gamma32
from ms2torch._core.random.engines import MT19937

from ..core.validator_helpers import check_pos_float32, check_positive, check_value, type_check
from ..transforms.operation import OperationError, RandomOperation, calls_through, is_pil
from ..transforms.py_transforms_util import Implementation
from ._random import weighted
from .utils import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUpBatch"]


class _Mixing(RandomOperation):
    implementation = Implementation.C
    one_to_one = False

    @calls_through
    def __call__(self, *columns):
        for column in columns:
            if not (isinstance(column, np.ndarray) or is_pil(column)):
                raise TypeError(f"Input should be NumPy or PIL image, got {class_text(column)}.")
        return super().__call__(*columns)

    def _opened(self):
        from ..core import config
        stream = MT19937(config.drawing_seed())
        return lambda *columns: self._draw(stream, *columns)

    def _checked(self, columns) -> tuple[np.ndarray, np.ndarray]:
        """Images and labels; what MindSpore refuses is refused, in each transform's own words."""
        if len(columns) != 2:
            raise self._wrong(self._NO_PAIR.format(len(columns)))
        images, labels = columns
        self._check_images(images, labels)
        if labels.ndim not in (2, 3):
            raise self._wrong(self._LABELS.format(labels.ndim))
        if len(labels) != len(images):
            raise self._wrong("batch sizes of image and label must be the same, but got image size: "
                              f"{len(images)} and label size: {len(labels)}")
        if labels.dtype.kind not in "biuf":
            raise self._wrong("invalid label type, label must be in a numeric type, but got: string. You may "
                              "need to perform OneHot first.")
        if images.dtype.kind in "US":
            raise OperationError("StartAddrOfIndex does not support string and bytes tensors yet.")
        return images, labels

    def _wrong(self, text: str) -> OperationError:
        return OperationError(f"{type(self).__name__}: {text}")


class _Beta:
    """Beta(alpha, alpha): a gamma's share in the sum of two, which are summed and divided in ``kind``."""

    def __init__(self, alpha: float, kind: type) -> None:
        self._gammas, self._kind = (Gamma32(alpha), Gamma32(alpha)), kind

    def __call__(self, stream: MT19937) -> np.float32:
        first, second = (self._kind(gamma(stream)) for gamma in self._gammas)
        return np.float32(first / (first + second))


class MixUpBatch(_Mixing):
    """Each image of a batch mixed with another, and their labels in the same shares.

    (``mindspore.dataset.vision.MixUpBatch``.) The share is drawn once for a batch, from Beta(alpha, alpha).
    """

    def __init__(self, alpha=1.0):
        type_check(alpha, (int, float), "alpha")
        check_positive(alpha, "alpha")
        check_pos_float32(alpha)
        super().__init__()
        self.alpha = alpha

    _NO_PAIR = ("size of input data should be 2 (including images or labels), but got: {}, check "
                "'input_columns' when call this operator.")
    _LABELS = ("wrong labels shape. The second column (labels) must have a shape of NC or NLC where N is the "
               "batch size, L is the number of labels in each row, and C is the number of classes. labels "
               "must be in one-hot format and in a batch, but got rank: {}")

    def _check_images(self, images, labels) -> None:
        if images.ndim != 4 or (labels.ndim in (2, 3) and len(labels) != len(images)):
            raise self._wrong(f"rank of image shape should be: 4, but got: {images.ndim}, make sure image "
                              "shape are <H,W,C> or <C,H,W> and batched before calling MixUpBatch.")
        if images.shape[-1] not in (1, 3) and images.shape[1] not in (1, 3):
            shape = ",".join(map(str, images.shape))
            raise self._wrong(f"images shape should in <N,H,W,C> or <N,C,H,W>, got shape:<{shape}>")

    def _draw(self, stream, *columns):
        images, labels = self._checked(columns)
        share = _Beta(self.alpha, np.float32)(stream)
        rest = np.float32(1) - share             # 1 alone would make it float64 in numpy 1
        other = list(range(len(images)))
        stream.shuffle(other)
        if images.dtype.kind in "iu":
            mixed = np.rint(weighted(images, share, images[other], rest))
        else:
            mixed = images.astype(np.float64) * share + images[other].astype(np.float64) * rest
        wanted = labels.astype(np.float32)
        return mixed.astype(images.dtype), wanted * share + wanted[other] * rest


class CutMixBatch(_Mixing):
    """With probability ``prob``, a rectangle of each image replaced by another image's, and the labels mixed
    by area.

    (``mindspore.dataset.vision.CutMixBatch``.) The area is drawn for each image, from Beta(alpha, alpha).
    """

    def __init__(self, image_batch_format, alpha=1.0, prob=1.0):
        type_check(image_batch_format, (ImageBatchFormat,), "image_batch_format")
        type_check(alpha, (int, float), "alpha")
        type_check(prob, (int, float), "prob")
        check_pos_float32(alpha)
        check_positive(alpha, "alpha")
        check_value(prob, [0, 1], "prob")
        super().__init__()
        self.image_batch_format, self.alpha, self.prob = image_batch_format.value, alpha, prob

    _NO_PAIR = "invalid input size, input should have 2 columns (image and label), but got: {}"
    _LABELS = ("input label is not in shape of <Batch,Class> or <Batch,Row,Class>, but got dimension: {}. "
               "You may need to perform OneHot and Batch first.")

    def _check_images(self, images, labels) -> None:
        if images.ndim != 4:
            more = ". You may need to perform Batch first." if images.ndim == 3 else ""
            raise self._wrong("input image is not in shape of <B,H,W,C> or <B,C,H,W>, but got dimension: "
                              f"{images.ndim}{more}")
        channels = images.shape[1 if self.image_batch_format == ImageBatchFormat.NCHW else -1]
        if channels not in (1, 3):
            raise self._wrong(f"input image is not in channel of 1 or 3, but got channel: {channels}")

    def _draw(self, stream, *columns):
        images, labels = self._checked(columns)
        first = self.image_batch_format == ImageBatchFormat.NCHW
        height, width = images.shape[2:] if first else images.shape[1:3]
        other = list(range(len(images)))
        stream.shuffle(other)
        mixed, wanted = images.copy(), labels.astype(np.float32)
        found = wanted.copy()
        draw = _Beta(self.alpha, np.float64)
        for i, j in enumerate(other):
            side = math.sqrt(1 - draw(stream))
            if not stream.chance(self.prob):
                continue
            rows, columns = int(height * side), int(width * side)
            x, y = stream.integer(0, width), stream.integer(0, height)
            left, top = min(max(x - columns // 2, 0), width - 1), min(max(y - rows // 2, 0), height - 1)
            right, bottom = min(max(x + columns // 2, 0), width - 1), min(max(y + rows // 2, 0), height - 1)
            wide, high = max(right - left, 1), max(bottom - top, 1)
            place = (slice(top, top + high), slice(left, left + wide))
            place = (slice(None), *place) if first else place
            mixed[i][place] = images[j][place]
            share = np.float32(1) - np.float32(high * wide) / np.float32(height * width)
            found[i] = wanted[i] * share + wanted[j] * (np.float32(1) - share)
        return mixed, found
