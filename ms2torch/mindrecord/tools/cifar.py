"""CIFAR-10 and CIFAR-100, in their version for Python, as MindRecord files."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Iterator

import numpy as np

from ..common.exceptions import PathNotExistsError
from ..core.shardutils import SUCCESS, check_filename
from ..filewriter import FileWriter
from .converters import opencv, write_rows

_ALLOWED = {"_reconstruct": ("numpy.core.multiarray", "numpy._core.multiarray"),
            "scalar": ("numpy.core.multiarray", "numpy._core.multiarray"),
            "ndarray": ("numpy",), "dtype": ("numpy",)}


class _Unpickler(pickle.Unpickler):
    """Arrays, numbers and Python's own containers; nothing in a file makes code run."""

    def find_class(self, module, name):
        if module not in _ALLOWED.get(name, ()):
            raise pickle.UnpicklingError(f"global '{module}.{name}' is forbidden")
        return getattr(np, name, None) or super().find_class(module, name)


class _CifarToMR:
    """``<destination>`` from the training files, ``<destination>_test`` from the test file.

    Rows: ``id``, ``data`` (the picture as a JPEG file, so not to the bit) and the labels, int64. ``fields``
    of `transform` are the index.
    """

    _files: tuple[tuple[str, str, str], ...]         # how names begin, what an error calls them, the schema
    _whole = False                                   # whether that is the whole name
    _labels: dict[str, bytes]                        # field: what the files call it
    _told: str

    def __init__(self, source, destination):
        opencv()
        check_filename(source)
        for start, told, _ in self._files:
            if not self._named(source, start):
                raise PathNotExistsError(told)
        check_filename(destination)
        self.source, self.destination, self.writer = source, destination, None

    def _named(self, folder: str, start: str) -> list[str]:
        return [name for name in os.listdir(folder)
                if (name == start if self._whole else name.startswith(start))]

    def run(self, fields=None):
        if fields and not isinstance(fields, list):
            raise ValueError("The parameter fields should be None or list")
        names = ["id", *self._labels]
        schema = {**{name: {"type": "int64"} for name in names}, "data": {"type": "bytes"}}
        for (start, _, desc), path in zip(self._files, (self.destination, self.destination + "_test"),
                                          strict=True):
            writer = FileWriter(path, 1)
            writer.add_schema(schema, desc)
            if fields:
                writer.add_index(fields)
            write_rows(writer, self._rows(start))
            writer.commit()
        return SUCCESS

    def transform(self, fields=None):
        """Write the files. RuntimeError for files that are not CIFAR's."""
        self.run(fields)

    def _rows(self, start: str) -> Iterator[dict]:
        encode, number = opencv().imencode, 0
        for name in self._named(self.source, start):
            content = self._content(os.path.join(self.source, name))
            images = content[b"data"].reshape(-1, 3, 32, 32)[:, ::-1].transpose(0, 2, 3, 1)
            labels = [content[key] for key in self._labels.values()]
            for image, *row in zip(images, *labels, strict=True):
                data = encode(".jpeg", np.ascontiguousarray(image))[1].tobytes()
                yield {"id": number, "data": data, **dict(zip(self._labels, map(int, row), strict=True))}
                number += 1

    def _content(self, path: str) -> dict:
        try:
            with open(path, "rb") as file:
                return _Unpickler(io.BytesIO(file.read()), encoding="bytes").load()
        except (pickle.UnpicklingError, UnicodeDecodeError):
            raise RuntimeError(f"Not a valid {self._told} Dataset.") from None
        except Exception:
            raise RuntimeError(f"Unexpected error while Unpickling {self._told} Dataset.") from None


class Cifar10ToMR(_CifarToMR):
    """CIFAR-10 for Python as MindRecord (``mindspore.mindrecord.Cifar10ToMR``). """

    __doc__ += _CifarToMR.__doc__
    _files = (("data_batch_", "data_batch_*", "img_train"), ("test_batch", "test_batch", "img_test"))
    _labels = {"label": b"labels"}
    _told = "Cifar10"

    def __init__(self, source, destination):
        super().__init__(source, destination)


class Cifar100ToMR(_CifarToMR):
    """CIFAR-100 for Python as MindRecord (``mindspore.mindrecord.Cifar100ToMR``). """

    __doc__ += _CifarToMR.__doc__
    _files = (("train", "train", "img_train"), ("test", "test", "img_test"))
    _whole = True
    _labels = {"fine_label": b"fine_labels", "coarse_label": b"coarse_labels"}
    _told = "Cifar100"

    def __init__(self, source, destination):
        super().__init__(source, destination)
