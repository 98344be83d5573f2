"""Datasets in standard file formats, which are not read yet."""

from __future__ import annotations

from ..._core.errors import unsupported
from ._sources import SourceDataset
from .datasets import UnionBaseDataset

__all__ = ["CSVDataset", "MindDataset", "TFRecordDataset"]


class _NotYet(SourceDataset, UnionBaseDataset):

    def __init__(self, *args, **kwargs):
        raise unsupported(f"mindspore.dataset.{type(self).__name__}", "this file format is not read "
                                                                      "yet.", self._instead)


class MindDataset(_NotYet):
    """MindRecord files (``mindspore.dataset.MindDataset``). Not supported yet."""

    _instead = ("read the original files with a GeneratorDataset, or export them with numpy.savez and use "
                "NumpySlicesDataset.")


class TFRecordDataset(_NotYet):
    """TFRecord files (``mindspore.dataset.TFRecordDataset``). Not supported yet."""

    _instead = "read the files in a GeneratorDataset."


class CSVDataset(_NotYet):
    """Comma-separated files (``mindspore.dataset.CSVDataset``). Not supported yet."""

    _instead = "numpy.genfromtxt or pandas.read_csv, and NumpySlicesDataset."
