"""Which library computes the pixels: OpenCV where it is installed and gives MindSpore's, numpy otherwise.

MindSpore 2.10 computes images with OpenCV 4.11. The releases below were measured to give the same bits on
random images of many sizes, dtypes and channel counts, with Intel's IPP switched off, which MindSpore is
built without; in any other release, and without OpenCV, numpy computes them. `library` tells which one does.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import wraps
from importlib import import_module

import numpy as np

from ..transforms.operation import OperationError

_FIRST = (4, 10)
_LAST = {"resize": (5, 0), "colour": (5, 0), "decode": (5, 0), "affine": (4, 12), "blur": (4, 12),
         "filter": (4, 12), "perspective": (4, 11)}

_WIDE = ("int32", "float32", "float64")       # its dtypes of more than two bytes

_loading = threading.Lock()
_module = None                       # cv2, None before it was asked for, False where there is none
_release = (0, 0)


class _Thread(threading.local):
    settled = False                  # whether OpenCV has MindSpore's arithmetic in this thread for good


_thread = _Thread()


def settle() -> None:
    """MindSpore's arithmetic for good, in a thread that computes nothing else; where OpenCV is in use."""
    if _module:
        _module.ipp.setUseIPP(False)
        _thread.settled = True


def _loaded():
    global _module, _release
    with _loading:
        if _module is None:
            try:
                module = import_module("cv2")
                _release = tuple(int(part) for part in module.__version__.split(".")[:2])
                _module = module
            except (ImportError, AttributeError, ValueError):
                _module = False
    return _module


def _usable(kind: str):
    module = _loaded() if _module is None else _module
    return module if module and _FIRST <= _release <= _LAST[kind] else None


def library(kind: str) -> str:
    """What computes pixels: "OpenCV" with its version, or "numpy" ("Pillow" where files are decoded).

    ``kind``: "resize", "colour", "decode", "affine", "perspective", "blur" or "filter".
    """
    module = _usable(kind)
    if module:
        return f"OpenCV {module.__version__}"
    return "Pillow" if kind == "decode" else "numpy"


@contextmanager
def without_opencv():
    """Inside the block numpy and Pillow compute everything."""
    global _module
    before, _module = _loaded(), False
    try:
        yield
    finally:
        _module = before


class opencv:
    """``with opencv(kind) as cv2``: the module with MindSpore's arithmetic in this thread, or None.

    What OpenCV refuses is the refusal of the operation that is called ``name``.
    """

    __slots__ = ("_accelerated", "_module", "_name")

    def __init__(self, kind: str, name: str = "") -> None:
        self._module, self._name, self._accelerated = _usable(kind), name, False

    def __enter__(self):
        if self._module and not _thread.settled and self._module.ipp.useIPP():   # users' own calls keep it
            self._accelerated = True
            self._module.ipp.setUseIPP(False)
        return self._module

    def __exit__(self, kind, error, trace):
        if self._accelerated:
            self._module.ipp.setUseIPP(True)
        if kind is not None and self._module and issubclass(kind, self._module.error):
            raise OperationError(f"{self._name}: {str(error).strip()}") from None


def room(image: np.ndarray, *shape: int) -> np.ndarray:
    """Memory for what OpenCV makes of an image, in its shape or another. Where OpenCV has to ask for it, it
    waits for Python's lock in the middle of its work."""
    return np.empty(shape or image.shape, image.dtype)


def as_bytes(image: np.ndarray) -> np.ndarray:
    """Booleans as the bytes that they are, with which OpenCV computes; any other image as it is."""
    return image.view(np.uint8) if image.dtype == np.bool_ else image


def keeping_booleans(function):
    """Decorator: what is computed from the bytes of booleans is called booleans again, whatever the bytes."""
    @wraps(function)
    def over(image, *rest):
        if image.dtype == np.bool_:
            return function(image.view(np.uint8), *rest).view(np.bool_)
        return function(image, *rest)

    return over


def loads(image: np.ndarray) -> bool:
    """Whether OpenCV has the dtype of an image."""
    return image.dtype.kind in "biuf" and (image.dtype.itemsize <= 2 or image.dtype.name in _WIDE)


def loaded(image: np.ndarray, name: str) -> np.ndarray:
    """An image of a dtype that OpenCV has."""
    if not loads(image):
        raise OperationError(f"[Internal ERROR] {name}: load image failed.")
    return image


def needs(image: np.ndarray, name: str, taken: str) -> None:
    """What OpenCV has no code for is refused without OpenCV too; ``taken`` are the dtypes of its code."""
    if image.dtype.name not in taken.split():
        raise OperationError(f"{name}: OpenCV does not take {image.dtype} here. Cast it first, with "
                             "TypeCast(mindspore.float32).")


def looked_up(table: np.ndarray, image: np.ndarray, name: str = "") -> np.ndarray:
    """Bytes through a table of 256 values, or (256, channels) of them with one column for each channel."""
    with opencv("colour", name) as cv2:
        if cv2 and image.size and table.dtype.kind in "uf" and table.dtype.itemsize != 2:
            if table.ndim == 2 and image.ndim == 3:
                return cv2.LUT(image, table[None]).reshape(image.shape)
            return cv2.LUT(image, np.ascontiguousarray(table.reshape(-1))).reshape(image.shape)
    needs(image, name, "uint8")
    if table.ndim == 1:
        return np.take(table, image)
    return np.stack([np.take(table[:, i], image[..., i]) for i in range(table.shape[1])], -1)


def counted(image: np.ndarray, name: str) -> np.ndarray:
    """How often each of 256 values occurs in each channel of bytes: (channels, 256) int64."""
    planes = image.reshape(*image.shape[:2], -1)
    with opencv("colour", name) as cv2:
        if cv2 and image.size:
            planes = np.ascontiguousarray(planes)
            counts = [cv2.calcHist([planes], [i], None, [256], [0, 256]) for i in range(planes.shape[2])]
            return np.stack(counts).reshape(-1, 256).astype(np.int64)
    needs(image, name, "uint8")
    return np.stack([np.bincount(plane.ravel(), minlength=256) for plane in np.moveaxis(planes, -1, 0)])
