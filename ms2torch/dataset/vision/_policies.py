"""Image transforms that choose among others: by chances of one's own, and the published policies."""

from __future__ import annotations

import math
import random

import numpy as np

from ms2torch._core.random.engines import MT19937

from ..core.validator_helpers import FLOAT_MAX_INTEGER, check_positive, check_value, type_check
from ..transforms.operation import RandomOperation, TensorOperation, opened
from ..transforms.py_transforms_util import Implementation
from ._adjust import _solarized, sharpened
from ._colours import AutoContrast, Equalize, Invert, posterized
from ._random import _brighter, _contrasted, _saturated
from ._warps import _affine, _colour, _rotated
from .images import ImageOperation
from .utils import AutoAugmentPolicy, Inter
from .validators import check_fill_value

__all__ = ["AutoAugment", "RandAugment", "RandomSelectSubpolicy", "TrivialAugmentWide", "UniformAugment"]


class RandomSelectSubpolicy(RandomOperation, ImageOperation):
    """One of several lists of ``(transform, probability)``; each of its transforms with its probability.

    (``mindspore.dataset.vision.RandomSelectSubpolicy``.)
    """

    implementation = Implementation.C

    def __init__(self, policy):
        type_check(policy, (list,), "policy")
        if not policy:
            raise ValueError("policy can not be empty.")
        for i, part in enumerate(policy):
            type_check(part, (list,), f"policy[{[i]}]")
            if not part:
                raise ValueError(f"policy[{i}] can not be empty.")
            for j, pair in enumerate(part):
                if not isinstance(pair, tuple) or len(pair) != 2:
                    raise ValueError(f"policy[{i}][{j}] is not a tuple of length 2.")
                if not callable(pair[0]):
                    raise TypeError(f"op of (op, prob) in policy[{i}][{j}] is neither a transforms op "
                                    "(TensorOperation) nor a callable pyfunc.")
                check_value(pair[1], (0, 1), f"prob of (op, prob) policy[{i}][{j}]")
        super().__init__()
        self.policy = policy

    def _opened(self):
        policy = [[(opened(transform), chance) for transform, chance in part] for part in self.policy]
        return _drawing(self, lambda stream, image: self._chosen(policy, stream, image))

    @staticmethod
    def _chosen(policy, stream, image):
        columns = (image,)
        for transform, chance in policy[stream.integer(0, len(policy) - 1)]:
            if stream.real() < chance:
                made = transform(*columns)
                columns = made if isinstance(made, tuple) else (made,)
        return columns if len(columns) > 1 else columns[0]


class UniformAugment(RandomOperation, TensorOperation):
    """``num_ops`` of the transforms, in their order, each with one chance in two.

    (``mindspore.dataset.vision.UniformAugment``.) Of PIL images the transforms come in random order, and
    numpy's
    and Python's generators draw.
    """

    def __init__(self, transforms, num_ops=2):
        type_check(num_ops, (int,), "num_ops")
        check_positive(num_ops, "num_ops")
        if num_ops > len(transforms):
            raise ValueError("num_ops is greater than transforms list size.")
        type_check(transforms, (list, tuple), "transforms list")
        for i, transform in enumerate(transforms):
            if not callable(transform):
                raise TypeError(f"transforms[{i}] is neither a transforms op (TensorOperation) nor a "
                                "callable pyfunc.")
        super().__init__()
        self.transforms, self.num_ops = transforms, num_ops

    def _opened(self):
        steps = [opened(transform) for transform in self.transforms]

        def draw(stream, image):
            for number in stream.sample(self.num_ops, len(steps)):
                if stream.real32() < 0.5:
                    image = steps[number](image)
            return image

        return _drawing(self, draw)

    def _execute_py(self, image):
        for number in np.random.choice(len(self.transforms), size=self.num_ops, replace=False):
            chance = random.random()
            if random.random() < chance:
                image = self.transforms[number](image.copy())
        return image


def _drawing(operation, draw):
    """``operation`` as a function that draws with ``draw``, which holds what was opened with it."""
    running = object.__new__(type(operation))
    running.__dict__.update(operation.__dict__)
    running._draw = draw
    return RandomOperation._opened(running)


# ---- AutoAugment, RandAugment, TrivialAugment --------------------------------------------------------------


def _applied(image, name: str, magnitude: float, how: Inter, fill) -> np.ndarray:
    """One of the policies' transforms, as strong as ``magnitude``."""
    if name in ("ShearX", "ShearY"):
        angle = math.degrees(magnitude)
        shear = (angle, 0.0) if name == "ShearX" else (0.0, angle)
        return _affine(image, 0.0, (0, 0), 1.0, shear, how, fill, name)
    if name in ("TranslateX", "TranslateY"):
        # pixels, which MindSpore takes for parts of the size: the picture is gone unless they are few
        height, width = image.shape[:2]
        move = (magnitude * width, 0) if name == "TranslateX" else (0, magnitude * height)
        return _affine(image, 0.0, move, 1.0, (0.0, 0.0), how, fill, name)
    if name == "Rotate":
        # the colours of the fill come in yet another order than Rotate's
        return _rotated(image, magnitude, how, False, None, (fill[0], fill[2], fill[1]), name)
    if name == "Posterize":
        return posterized(image, int(magnitude))
    if name == "Solarize":
        return _solarized(image, magnitude, magnitude)
    if name in _FIXED:
        return _FIXED[name]._compute(image)
    change = {"Brightness": _brighter, "Contrast": _contrasted, "Color": _saturated, "Sharpness": sharpened}
    return change[name](image, np.float32(1) + np.float32(magnitude))


_FIXED = {"AutoContrast": AutoContrast(), "Equalize": Equalize(), "Invert": Invert()}
_SIGNED = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast",
           "Sharpness")


def _strengths(bins: int, image, shear, move, turn, change, bits, bright) -> dict[str, np.ndarray]:
    """Of each transform its strengths, weakest first; those without have a zero."""
    def line(start, end):
        step = np.float32(end - start) / np.float32(bins - 1)
        return np.float32(start) + np.arange(bins, dtype=np.float32) * step

    def up_to(limit):
        return line(0.0, limit)

    height, width = image.shape[:2]
    steps = np.arange(bins, dtype=np.float32) / (np.float32(bins - 1) / np.float32(bits))
    return {"ShearX": up_to(shear), "ShearY": up_to(shear), "TranslateX": up_to(move(width)),
            "TranslateY": up_to(move(height)), "Rotate": up_to(turn), "Brightness": up_to(change),
            "Color": up_to(change), "Contrast": up_to(change), "Sharpness": up_to(change),
            "Posterize": 8 - np.rint(steps), "Solarize": line(bright, 0.0),
            "AutoContrast": np.zeros(1), "Equalize": np.zeros(1), "Invert": np.zeros(1)}


class _Policy(RandomOperation, ImageOperation):
    implementation = Implementation.C

    def __init__(self, interpolation, fill_value):
        type_check(interpolation, (Inter,), "interpolation")
        check_fill_value(fill_value)
        super().__init__()
        self.interpolation, self.fill_value = interpolation, _colour(fill_value)


# The policies of the AutoAugment paper: two of (transform, chance, strength out of 0 to 9) for each.
def _pairs(text: str) -> list[list[tuple[str, float, int | None]]]:
    found = []
    for line in text.strip().splitlines():
        parts = [part.split() for part in line.split(",")]
        found.append([(name, float(chance), None if strength == "-" else int(strength))
                      for name, chance, strength in parts])
    return found


_POLICIES = {AutoAugmentPolicy.IMAGENET: _pairs("""
Posterize 0.4 8, Rotate 0.6 9
Solarize 0.6 5, AutoContrast 0.6 -
Equalize 0.8 -, Equalize 0.6 -
Posterize 0.6 7, Posterize 0.6 6
Equalize 0.4 -, Solarize 0.2 4
Equalize 0.4 -, Rotate 0.8 8
Solarize 0.6 3, Equalize 0.6 -
Posterize 0.8 5, Equalize 1.0 -
Rotate 0.2 3, Solarize 0.6 8
Equalize 0.6 -, Posterize 0.4 6
Rotate 0.8 8, Color 0.4 0
Rotate 0.4 9, Equalize 0.6 -
Equalize 0.0 -, Equalize 0.8 -
Invert 0.6 -, Equalize 1.0 -
Color 0.6 4, Contrast 1.0 8
Rotate 0.8 8, Color 1.0 2
Color 0.8 8, Solarize 0.8 7
Sharpness 0.4 7, Invert 0.6 -
ShearX 0.6 5, Equalize 1.0 -
Color 0.4 0, Equalize 0.6 -
Equalize 0.4 -, Solarize 0.2 4
Solarize 0.6 5, AutoContrast 0.6 -
Invert 0.6 -, Equalize 1.0 -
Color 0.6 4, Contrast 1.0 8
Equalize 0.8 -, Equalize 0.6 -
"""), AutoAugmentPolicy.CIFAR10: _pairs("""
Invert 0.1 -, Contrast 0.2 6
Rotate 0.7 2, TranslateX 0.3 9
Sharpness 0.8 1, Sharpness 0.9 3
ShearY 0.5 8, TranslateY 0.7 9
AutoContrast 0.5 -, Equalize 0.9 -
ShearY 0.2 7, Posterize 0.3 7
Color 0.4 3, Brightness 0.6 7
Sharpness 0.3 9, Brightness 0.7 9
Equalize 0.6 -, Equalize 0.5 -
Contrast 0.6 7, Sharpness 0.6 5
Color 0.7 7, TranslateX 0.5 8
Equalize 0.3 -, AutoContrast 0.4 -
TranslateY 0.4 3, Sharpness 0.2 6
Brightness 0.9 6, Color 0.2 8
Solarize 0.5 2, Invert 0.0 -
Equalize 0.2 -, AutoContrast 0.6 -
Equalize 0.2 -, Equalize 0.6 -
Color 0.9 9, Equalize 0.6 -
AutoContrast 0.8 -, Solarize 0.2 8
Brightness 0.1 3, Color 0.7 0
Solarize 0.4 5, AutoContrast 0.9 -
TranslateY 0.9 9, TranslateY 0.7 9
AutoContrast 0.9 -, Solarize 0.8 3
Equalize 0.8 -, Invert 0.1 -
TranslateY 0.7 9, AutoContrast 0.9 -
"""), AutoAugmentPolicy.SVHN: _pairs("""
ShearX 0.9 4, Invert 0.2 -
ShearY 0.9 8, Invert 0.7 -
Equalize 0.6 -, Solarize 0.6 6
Invert 0.9 -, Equalize 0.6 -
Equalize 0.6 -, Rotate 0.9 3
ShearX 0.9 4, AutoContrast 0.8 -
ShearY 0.9 8, Invert 0.4 -
ShearY 0.9 5, Solarize 0.2 6
Invert 0.9 -, AutoContrast 0.8 -
Equalize 0.6 -, Rotate 0.9 3
ShearX 0.9 4, Solarize 0.3 3
ShearY 0.8 8, Invert 0.7 -
Equalize 0.9 -, TranslateY 0.6 6
Invert 0.9 -, Equalize 0.6 -
Contrast 0.3 3, Rotate 0.8 4
Invert 0.8 -, TranslateY 0.0 2
ShearY 0.7 6, Solarize 0.4 8
Invert 0.6 -, Rotate 0.8 4
ShearY 0.3 7, TranslateX 0.9 3
ShearX 0.1 6, Invert 0.6 -
Solarize 0.7 2, TranslateY 0.6 7
ShearY 0.8 4, Invert 0.8 -
ShearX 0.7 9, TranslateY 0.8 3
ShearY 0.8 5, AutoContrast 0.7 -
ShearX 0.7 2, Invert 0.1 -
""")}


class AutoAugment(_Policy):
    """Two transforms of a policy that was learned on ImageNet, CIFAR-10 or SVHN.

    (``mindspore.dataset.vision.AutoAugment``.) Images are (H, W, 3) uint8.
    """

    def __init__(self, policy=AutoAugmentPolicy.IMAGENET, interpolation=Inter.NEAREST, fill_value=0):
        type_check(policy, (AutoAugmentPolicy,), "policy")
        super().__init__(interpolation, fill_value)
        self.policy = policy

    def _draw(self, stream: MT19937, image):
        pairs = _POLICIES[self.policy]
        chosen = pairs[stream.integer(0, len(pairs) - 1)]
        chances = [stream.real32() for _ in chosen]
        signs = [stream.integer(0, 1) for _ in chosen]
        strengths = _strengths(10, image, 0.3, lambda side: 150.0 / 331.0 * side, 30.0, 0.9, 4, 256.0)
        for (name, chance, strength), drawn, sign in zip(chosen, chances, signs, strict=True):
            if drawn <= chance:
                magnitude = 0.0 if strength is None else float(strengths[name][strength])
                if name in _SIGNED and strength is not None and sign == 0:
                    magnitude = -magnitude
                image = _applied(image, name, magnitude, self.interpolation, self.fill_value)
        return image


_RAND = ("AutoContrast", "Brightness", "Color", "Contrast", "Equalize", "Identity", "Posterize", "Rotate",
         "Sharpness", "ShearX", "ShearY", "Solarize", "TranslateX", "TranslateY")


def _below(stream: MT19937, count: int) -> int:
    """A number below ``count`` as MindSpore draws it: up to ``count``, which then counts as 0."""
    return stream.integer(0, count) % count


class RandAugment(_Policy):
    """``num_ops`` transforms drawn from fourteen, all of one strength: ``magnitude`` out of
    ``num_magnitude_bins``.

    (``mindspore.dataset.vision.RandAugment``.) Images are (H, W, 3) uint8.
    """

    def __init__(self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=Inter.NEAREST,
                 fill_value=0):
        type_check(num_ops, (int,), "num_ops")
        check_value(num_ops, (0, FLOAT_MAX_INTEGER), "num_ops")
        type_check(num_magnitude_bins, (int,), "num_magnitude_bins")
        check_value(num_magnitude_bins, (2, FLOAT_MAX_INTEGER), "num_magnitude_bins")
        type_check(magnitude, (int,), "magnitude")
        check_value(magnitude, (0, num_magnitude_bins), "magnitude", right_open_interval=True)
        super().__init__(interpolation, fill_value)
        self.num_ops, self.magnitude, self.num_magnitude_bins = num_ops, magnitude, num_magnitude_bins

    def _draw(self, stream: MT19937, image):
        strengths = _strengths(self.num_magnitude_bins, image, 0.3, lambda side: 150.0 / 331.0 * side, 30.0,
                               0.9, 4, 255.0)
        for _ in range(self.num_ops):
            name = _RAND[_below(stream, len(_RAND))]
            minus = _below(stream, 2)
            if name == "Identity":
                continue
            levels = strengths[name]
            magnitude = float(levels[self.magnitude]) if len(levels) > 1 else 0.0
            if name in _SIGNED and minus:
                magnitude = -magnitude
            image = _applied(image, name, magnitude, self.interpolation, self.fill_value)
        return image


class TrivialAugmentWide(_Policy):
    """One transform drawn from fourteen, of a strength that is drawn too.

    (``mindspore.dataset.vision.TrivialAugmentWide``.) Images are (H, W, 3) uint8.
    """

    def __init__(self, num_magnitude_bins=31, interpolation=Inter.NEAREST, fill_value=0):
        type_check(num_magnitude_bins, (int,), "num_magnitude_bins")
        check_value(num_magnitude_bins, (2, FLOAT_MAX_INTEGER), "num_magnitude_bins")
        super().__init__(interpolation, fill_value)
        self.num_magnitude_bins = num_magnitude_bins

    def _draw(self, stream: MT19937, image):
        strengths = _strengths(self.num_magnitude_bins, image, 0.99, lambda side: 32.0, 135.0, 0.99, 6,
                               255.0)
        name = _RAND[_below(stream, len(_RAND))]
        levels = strengths.get(name, np.zeros(1))
        magnitude = float(levels[_below(stream, len(levels))]) if len(levels) > 1 else 0.0
        minus = _below(stream, 2)
        if name == "Identity":
            return image
        if name in _SIGNED and minus:
            magnitude = -magnitude
        return _applied(image, name, magnitude, self.interpolation, self.fill_value)
