"""Base of datasets whose rows are listed once, from folders and annotation files, and read by number."""

from __future__ import annotations

import os

import numpy as np

from ..core.errors import UserCodeError, nothing_read, pipeline_error
from ..transforms.operation import OperationError
from ..vision._convert import pixels
from ._sources import MappableDataset

_BROKEN = "Invalid image, {} decode failed, the image is broken or permission denied."


class ListedDataset(MappableDataset):
    """A subclass gives ``_names`` (of the columns), `_list` and `_row`."""

    _shared = ("_items", "decrypt")
    _names: tuple[str, ...] = ("image", "label")
    decode, decrypt, _broken = False, None, _BROKEN
    _counts_nothing = True           # a folder without rows has a size, 0, before reading it is an error

    def _list(self) -> list:
        """What tells the rows apart, in order, before their files are read."""
        raise NotImplementedError

    def _row(self, item) -> list[np.ndarray]:
        """One of them as a row."""
        raise NotImplementedError

    def _nothing(self) -> RuntimeError:
        """The error of a list without rows."""
        return nothing_read(type(self).__name__, f"file in directory:{self.dataset_dir}")

    def _rows(self) -> list:
        if getattr(self, "_items", None) is None:
            self._items = self._list()
            if not self._items and not self._counts_nothing:
                raise self._nothing()
        return self._items

    def _columns(self):
        return list(self._names)

    def _source_size(self):
        return len(self._rows())

    def _file_of(self, row, columns):
        path = self._rows()[self._row_numbers[row]]
        while isinstance(path, tuple):
            path = path[0]
        if not isinstance(path, str):
            return None
        places = path, os.path.join(getattr(self, "dataset_dir", ""), path)
        return next(filter(os.path.isfile, places), None)

    def _reader(self):
        rows, row = self._rows(), self._row
        if not rows:
            raise self._nothing()
        return lambda number: row(rows[number])

    def _image(self, path: str) -> np.ndarray:
        """A file's bytes, or the picture in it with ``decode``."""
        return image_file(path, self.decode, self.decrypt, self._broken)


def image_file(path: str, decode: bool = False, decrypt=None, broken: str = _BROKEN) -> np.ndarray:
    """A file's bytes, or the picture in it, RGB (H, W, 3); RuntimeError, of the words ``broken``, if there
    is none."""
    if decrypt is not None:
        data = decrypted(decrypt, path)
    elif os.path.isfile(path):
        data = np.fromfile(path, np.uint8)
    else:
        raise pipeline_error(f"Failed to open file: {path}")
    if not decode:
        return data
    try:
        return pixels(data)
    except OperationError as error:
        raise pipeline_error(broken.format(path)) from error


def decrypted(decrypt, path: str) -> np.ndarray:
    """The bytes that the user's function makes of a file; RuntimeError where it raises or gives others."""
    try:
        data = decrypt(path)
    except Exception as error:
        raise UserCodeError(f"{type(error).__name__}: {error}") from error
    if not isinstance(data, bytes):
        raise UserCodeError("The return value of the decrypt function is not of type bytes.")
    return np.frombuffer(data, np.uint8).copy()


def check_decrypt(decrypt) -> None:
    if decrypt is not None and not callable(decrypt):
        raise TypeError(f"Argument decrypt is not a callable object, but got {type(decrypt)}")
