"""Files that entries of a summary go to (``mindspore.train.summary.writer``)."""

from __future__ import annotations

import os
import struct
import time
from shutil import disk_usage
from urllib.parse import quote

import numpy as np

from ms2torch.train._utils import _make_directory

from ._crc32c import masked
from ._events import first_event
from .enums import PluginEnum, WriterPluginEnum

_READ_ONLY = 0o400
_FRAME = 8 + 4 + 4  # the length, its checksum, the record's checksum
_SPARE = 32  # a record is written where the disk holds this many of its size


def _check_space(path: str, size: int) -> None:
    if disk_usage(path).free < size * _SPARE:
        raise RuntimeError(f"The disk space may be soon exhausted by the '{path}'.")


class BaseWriter:
    """A file of records, each framed as in TFRecord files; made when the first one is written.

    ``write`` raises RuntimeError where the disk is nearly full, RuntimeWarning where the record would make
    the file larger than ``max_file_size`` bytes. ``close`` makes the file read-only, as MindSpore does.
    """

    plugins: tuple[str, ...] = ()

    def __init__(self, filepath: str, max_file_size: int | None = None) -> None:
        self._filepath, self._max_file_size = filepath, max_file_size
        self._writer = None

    def init_writer(self) -> None:
        """Write what every file of the kind begins with."""

    @property
    def writer(self):
        """The open file."""
        if self._writer is None:
            self._writer = os.fdopen(
                os.open(self._filepath, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
            )
            self.init_writer()
        return self._writer

    def write(self, plugin: str, data: bytes) -> None:
        """Append a record of the kind ``plugin``, if this file holds that kind."""
        if plugin not in self.plugins:
            return
        file, size = self.writer, len(data) + _FRAME
        _check_space(self._filepath, size)
        if self._max_file_size is not None:
            if self._max_file_size < size:
                raise RuntimeWarning(
                    f"'max_file_size' reached: There are {self._max_file_size} bytes remaining, "
                    f"but the '{self._filepath}' requires to write {size} bytes."
                )
            self._max_file_size -= size
        length = struct.pack("<Q", len(data))
        file.write(length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data)))

    def flush(self) -> None:
        """Hand over to the system what is written so far."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Write what is left and make the file read-only."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if os.path.exists(self._filepath):
            os.chmod(self._filepath, _READ_ONLY)


class SummaryWriter(BaseWriter):
    """The file of scalars, images, tensors and histograms."""

    plugins = (WriterPluginEnum.SUMMARY.value, PluginEnum.GRAPH.value)

    def init_writer(self) -> None:
        """The event with the format's version."""
        self.write(WriterPluginEnum.SUMMARY.value, first_event(time.time()))


class LineageWriter(BaseWriter):
    """The file of facts about the run."""

    plugins = ("dataset_graph", "train_lineage", "eval_lineage", "custom_lineage_data")


class ExportWriter(BaseWriter):
    """The folder of tensors that are exported as files of their own."""

    def write(self, plugin: str, data: dict) -> None:
        """Export an entry."""
        if plugin == WriterPluginEnum.EXPORTER.value:
            self.export_data(data, data.get("export_option"))

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Nothing is open here."""

    def export_data(self, data: dict, export_option: str | None) -> None:
        """Write ``data["value"]`` to ``tensor/<tag>_<step>.npy`` if ``export_option`` is "npy"."""
        if export_option != "npy":
            return
        folder = _make_directory(os.path.join(self._filepath, "tensor"))
        _check_space(folder, data["value"].nbytes)
        path = os.path.join(folder, f"{quote(data['tag'], safe='')}_{int(data['step'])}.npy")
        np.save(path, data["value"])
        os.chmod(path, _READ_ONLY)
