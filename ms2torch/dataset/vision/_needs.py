"""Which images a transform refuses, in MindSpore's words (``needs.tsv``, read off MindSpore 2.10), and which
transforms take several images at once, (..., H, W, C).

A line of the table is a check: ``rank``, the ranks that are refused (4: and more), ``channels``, how many
there may be, ``type``, the dtypes that there may be, or ``empty``, of an image without a pixel; the text of
its error, and whose check it is.
"""

from __future__ import annotations

import csv
from functools import wraps
from pathlib import Path

import numpy as np

from ..core.datatypes import named
from ..transforms.operation import OperationError

# These go over the leading axes; what they draw they draw once, but for the place of a crop.
_OVER_IMAGES = ("CenterCrop", "HorizontalFlip", "Normalize", "RandomCrop",
                "RandomHorizontalFlip", "RandomResize", "RandomResizedCrop", "Rotate", "VerticalFlip")


def install(transforms: dict) -> None:
    """Give the classes of a module their checks and their leading axes."""
    rules: dict[str, list] = {}
    with open(Path(__file__).with_name("needs.tsv"), encoding="utf-8", newline="") as file:
        for check, values, text, names in list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
            for name in names.split():
                rules.setdefault(name, []).append((check, values.split(), text))
    for name, checks in rules.items():
        transforms[name]._refuse = staticmethod(_refusal(name, checks))
    for name in _OVER_IMAGES:
        one = transforms[name]
        each = name == "RandomCrop"
        if one.random:
            one._choose = _over_choices(one._choose, each)
        method = "_apply" if one.random else "_compute"
        setattr(one, method, _over_images(getattr(one, method), each))


def _refusal(name: str, checks: list):
    """`_refuse`, which thinks once of images of one kind."""
    fine = set()
    counts = any(check == "channels" for check, _, _ in checks)

    def refuse(image: np.ndarray) -> None:
        kind = image.dtype.char, image.ndim, image.shape[-1:] if counts else (), not image.size
        if kind not in fine:
            _refuse(name, checks, image)
            fine.add(kind)

    return refuse


def _refuse(name: str, checks: list, image: np.ndarray) -> None:
    """Raise what MindSpore raises for an image that the transform cannot take."""
    kind = named(image.dtype)
    for check, values, text in checks:
        if check == "empty":
            fine = image.size
        elif check == "rank":
            fine = str(min(max(image.ndim, 1), 4)) not in values
        elif check == "channels":
            fine = image.ndim < 3 or str(image.shape[-1]) in values
        else:
            fine = kind in values
        if not fine:
            decode = ". You may need to perform Decode first." if image.ndim == 1 else ""
            raise OperationError(text.format(
                name=name, rank=image.ndim, channels=image.shape[-1] if image.ndim else 0, dtype=kind,
                types=", ".join(values),
                shape="<" + ",".join(map(str, image.shape)) + ">",
                decode=decode or ("." if "dimension {rank}" in text else "")))
    if kind in ("string", "bytes") and name not in ("HWC2CHW", "ToTensor"):
        raise OperationError(f"{name}: the data type of image tensor does not match the requirement of "
                             "operator. But got type string.")


def _images(images: np.ndarray) -> np.ndarray:
    return images.reshape(-1, *images.shape[-3:])


def _over_choices(choose, each: bool):
    """What is drawn for several images: for each of them, or once."""
    @wraps(choose)
    def chosen(self, stream, image):
        if image.ndim <= 3:
            return choose(self, stream, image)
        if each:
            return [choose(self, stream, one) for one in _images(image)]
        return choose(self, stream, _images(image)[0])

    return chosen


def _over_images(compute, each: bool):
    @wraps(compute)
    def over(self, *arguments):
        *chosen, images = arguments
        if images.ndim <= 3:
            return compute(self, *arguments)
        made = np.stack([compute(self, *(one[number] if each else one for one in chosen), image)
                         for number, image in enumerate(_images(images))])
        if len(images) and type(self).__name__ == "Rotate" and made.shape[1:] != images.shape[-3:]:
            raise OperationError("Cannot reshape, Number of elements do not match")
        return made.reshape(*images.shape[:-3], *made.shape[1:])

    return over
