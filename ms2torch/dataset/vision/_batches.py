"""Transforms of whole batches that mix images and their labels: MixUp and CutMix.

Labels are one-hot.
"""

from __future__ import annotations

import math

import numpy as np

from ms2torch._core.random.distributions import Gamma32
from ms2torch._core.random.engines import MT19937

from ..core.validator_helpers import check_pos_float32, check_positive, check_value, type_check
from ..transforms.operation import OperationError, RandomOperation
from ..transforms.py_transforms_util import Implementation
from ._random import weighted
from .utils import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUpBatch"]


class _Mixing(RandomOperation):
    implementation = Implementation.C
    one_to_one = False

    def _opened(self):
        from ..core import config
        stream = MT19937(config.drawing_seed())
        return lambda *columns: self._draw(stream, *columns)

    def _checked(self, columns) -> tuple[np.ndarray, np.ndarray]:
        name = type(self).__name__
        if len(columns) != 2:
            raise OperationError(f"{name}: size of input data should be 2 (including images or labels), but "
                                 f"got: {len(columns)}, check 'input_columns' when call this operator.")
        images, labels = columns
        if images.ndim != 4:
            raise OperationError(f"{name}: input shape of image should be <NHWC> or <NCHW>, but got "
                                 f"dimension: {images.ndim}")
        if labels.ndim not in (2, 3) or len(labels) != len(images):
            raise OperationError(f"{name}: wrong labels shape. The second column (labels) must have a shape "
                                 f"of NC or NLC where N is the batch size, but got: {labels.shape}")
        if labels.dtype.kind not in "iuf":
            raise OperationError(f"{name}: invalid label type, labels must be one-hot numbers.")
        return images, labels


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
