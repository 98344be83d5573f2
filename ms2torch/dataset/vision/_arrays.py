"""Image transforms that MindSpore has for arrays with channels first, in Python: colour spaces, whitening,
mixing."""

from __future__ import annotations

import numpy as np

from ..core.validator_helpers import FLOAT_MAX_INTEGER, check_positive, check_value, type_check
from ..transforms.operation import PyTensorOperation, TensorOperation

__all__ = ["HsvToRgb", "LinearTransformation", "MixUp", "RgbToHsv"]


def needs_colours(image, is_hwc: bool, end: str, shapes: str) -> int:
    """The axis of the three channels of an array; ``end`` and ``shapes`` are of the words of its errors."""
    if not isinstance(image, np.ndarray):
        raise TypeError(f"img should be NumPy image. Got {type(image)}{end}")
    if not isinstance(is_hwc, bool):
        raise TypeError(f"is_hwc should be bool type. Got {type(is_hwc)}.")
    if image.ndim not in (3, 4):
        raise TypeError(f"img shape should be {shapes}. Got {image.shape}.")
    axis = -1 if is_hwc else -3
    if image.shape[axis] != 3:
        raise TypeError(f"img should be 3 channels RGB img. Got {image.shape[axis]} channels.")
    return axis


class _ColourSpace(PyTensorOperation):
    """Of three channels to three others, (C, H, W) or (H, W, C), with or without a batch in front."""

    def __init__(self, is_hwc=False):
        type_check(is_hwc, (bool,), "is_hwc")
        super().__init__()
        self.is_hwc = is_hwc

    def _execute_py(self, image):
        needs_colours(image, self.is_hwc, self._end, self._shapes)
        if image.ndim == 3:
            return self.of_one(image, self.is_hwc)
        return np.array([self.of_one(one, self.is_hwc) for one in image])

    @classmethod
    def of_one(cls, image: np.ndarray, is_hwc: bool) -> np.ndarray:
        """The other colours of one image. Of a channel whose first pixel is, or is a quotient of, the image's
        own numbers all have the image's dtype: MindSpore computes by ``numpy.vectorize``, which looks at it.
        """
        if not image.size:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        planes = [image[:, :, i] if is_hwc else image[i, :, :] for i in range(3)]
        if cls is RgbToHsv and image.dtype == np.bool_:
            np.subtract(image, image)            # numpy's own refusal, as of MindSpore's differences
        found = cls._converted(*(plane.astype(np.float64) for plane in planes))
        own = cls._own(*(plane.flat[0] for plane in planes), image.dtype)
        return np.stack([values.astype(image.dtype) if kept else values
                         for values, kept in zip(found, own, strict=True)], 2 if is_hwc else 0)


class RgbToHsv(_ColourSpace):
    """Hue, saturation and value, each up to 1, of red, green and blue up to 1.

    (``mindspore.dataset.vision.RgbToHsv``.) Arrays are (C, H, W), or (H, W, C) with ``is_hwc``; the result is
    float64.
    """

    _end, _shapes = "", "(H, W, C)/(N, H, W, C)/(C ,H, W)/(N, C, H, W)"

    @staticmethod
    def _converted(red, green, blue):
        highest, lowest = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
        spread = highest - lowest
        grey = spread == 0
        parts = [(highest - one) / np.where(grey, 1, spread) for one in (red, green, blue)]
        hue = np.where(
            red == highest,
            parts[2] - parts[1],
            np.where(green == highest, 2.0 + parts[0] - parts[2], 4.0 + parts[1] - parts[0]),
        )
        hue = np.where(grey, 0.0, hue / 6.0 % 1.0)
        saturation = np.where(grey, 0.0, spread / np.where(grey, 1, highest))
        return hue, saturation, highest

    @staticmethod
    def _own(red, green, blue, dtype):
        return False, dtype.kind == "f" and not red == green == blue, True


class HsvToRgb(_ColourSpace):
    """Red, green and blue up to 1 of hue, saturation and value (``mindspore.dataset.vision.HsvToRgb``).

    Arrays are (C, H, W), or (H, W, C) with ``is_hwc``; the result is float64.
    """

    _end, _shapes = ".", "(H, W, C)/(N, H, W, C)/(C, H, W)/(N, C, H, W)"

    @staticmethod
    def _converted(hue, saturation, value):
        sixth = np.trunc(hue * 6.0)
        part = hue * 6.0 - sixth
        p, q = value * (1.0 - saturation), value * (1.0 - saturation * part)
        t = value * (1.0 - saturation * (1.0 - part))
        sector = (sixth % 6).astype(int)
        return [
            np.where(saturation == 0.0, value, np.choose(sector, choices))
            for choices in (
                [value, q, p, p, t, value],
                [t, value, value, q, p, p],
                [p, p, t, value, value, q],
            )
        ]

    @staticmethod
    def _own(hue, saturation, value, dtype):
        sector = int(float(hue) * 6.0) % 6
        return [saturation == 0 or sector in sectors for sectors in ((0, 5), (1, 2), (3, 4))]


class RgbToBgr(TensorOperation, PyTensorOperation):
    """The first of three channels becomes the last (``mindspore.dataset.vision.c_transforms.RgbToBgr`` of
    r1.x).

    Of r1.x's two, ``py_transforms`` takes (C, H, W) unless ``is_hwc``; this one (H, W, C).
    """

    def __init__(self, is_hwc=True):
        type_check(is_hwc, (bool,), "is_hwc")
        TensorOperation.__init__(self)
        self.is_hwc = is_hwc

    def _compute(self, image):
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise TypeError(f"img should be 3 channels RGB img. Got {image.shape}.")
        return np.flip(image, axis)


class LinearTransformation(PyTensorOperation):
    """``(image - mean_vector) @ transformation_matrix`` of the flattened image, which whitens it.

    (``mindspore.dataset.vision.LinearTransformation``.)
    """

    def __init__(self, transformation_matrix, mean_vector):
        type_check(transformation_matrix, (np.ndarray,), "transformation_matrix")
        type_check(mean_vector, (np.ndarray,), "mean_vector")
        side = transformation_matrix.shape[0]
        if side != transformation_matrix.shape[1]:
            raise ValueError(
                "transformation_matrix should be a square matrix. Got shape "
                f"{transformation_matrix.shape} instead."
            )
        if mean_vector.shape[0] != side:
            raise ValueError(
                f"mean_vector length {mean_vector.shape[0]} should match either one dimension of the "
                f"squaretransformation_matrix {transformation_matrix.shape}."
            )
        super().__init__()
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def _execute_py(self, image):
        if not isinstance(image, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(image)}")
        matrix = self.transformation_matrix
        if image.size != matrix.shape[0]:
            raise ValueError(
                f"transformation_matrix shape {matrix.shape} not compatible with Numpy image shape "
                f"{image.shape}."
            )
        return np.dot(image.reshape(1, -1) - self.mean_vector, matrix).reshape(image.shape)


class MixUp(PyTensorOperation):
    """Images of a batch and their one-hot labels mixed with the next ones, or with ``is_single=False`` with
    what the
    batch before became (``mindspore.dataset.vision.MixUp``).

    The shares are drawn for each image from Beta(alpha, alpha), by numpy's generator.
    """

    def __init__(self, batch_size, alpha, is_single=True):
        type_check(is_single, (bool,), "is_single")
        type_check(batch_size, (int,), "batch_size")
        type_check(alpha, (int, float), "alpha")
        check_value(batch_size, (1, FLOAT_MAX_INTEGER))
        check_positive(alpha, "alpha")
        super().__init__()
        self.batch_size, self.alpha, self.is_single = batch_size, alpha, is_single
        self.image, self.label, self.is_first = 0, 0, True

    def __call__(self, image, label):
        share = np.random.beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            return self._mixed(share, image, label, *(np.roll(x[:self.batch_size], -1, axis=0)
                                                     for x in (image, label)))
        if self.is_first:
            share, self.is_first = np.ones(self.batch_size), False
        self.image, self.label = self._mixed(share, image, label, self.image, self.label)
        return self.image, self.label

    def _mixed(self, share, image, label, other_image, other_label):
        wide, tall = share.reshape(-1, 1, 1, 1), share.reshape(-1, 1)
        return wide * image + (1 - wide) * other_image, tall * label + (1 - tall) * other_label
