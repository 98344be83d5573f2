"""Transforms of whole batches that mix images and their labels: MixUp and CutMix.

Labels are one-hot. The random numbers are of the distributions that MindSpore draws from, but not the same
numbers for a seed.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.mersenne import MT19937
from ..core.validator_helpers import check_pos_float32, check_positive, check_value, type_check
from ..transforms.operation import OperationError, RandomOperation
from ..transforms.py_transforms_util import Implementation
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

    def _share(self, stream: MT19937) -> float:
        """Of the first image: Beta(alpha, alpha)."""
        first, second = stream.gamma32(self.alpha), stream.gamma32(self.alpha)
        return first / (first + second)


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
        other = list(range(len(images)))
        stream.shuffle(other)
        share = np.float32(self._share(stream))
        mixed = images.astype(np.float32) * share + images[other].astype(np.float32) * (1 - share)
        if images.dtype.kind in "iu":
            mixed = np.rint(mixed)
        shares = np.float32(round(float(share), 4))
        wanted = labels.astype(np.float32)
        return mixed.astype(images.dtype), wanted * shares + wanted[other] * (1 - shares)


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
        for i, j in enumerate(other):
            if not stream.chance(self.prob):
                continue
            side = math.sqrt(1 - self._share(stream))
            rows, columns = int(height * side), int(width * side)
            x, y = stream.integer(0, width), stream.integer(0, height)
            left, top = min(max(x - columns // 2, 0), width - 1), min(max(y - rows // 2, 0), height - 1)
            right, bottom = min(max(x + columns // 2, 1), width), min(max(y + rows // 2, 1), height)
            place = (slice(top, bottom), slice(left, right))
            place = (slice(None), *place) if first else place
            mixed[i][place] = images[j][place]
            area = max(bottom - top, 0) * max(right - left, 0)
            share = np.float32(round(1 - area / (height * width), 4))
            found[i] = wanted[i] * share + wanted[j] * (1 - share)
        return mixed, found
