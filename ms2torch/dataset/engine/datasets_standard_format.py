"""Datasets in standard file formats, which are not read yet: they refuse, with a way out."""

from __future__ import annotations

from ..._core.errors import unsupported
from ._minddataset import MindDataset
from ._sources import SourceDataset
from .datasets import UnionBaseDataset
from .samplers import Shuffle

__all__ = ["CSVDataset", "MindDataset", "TFRecordDataset"]


def _not_read(name: str, instead: str) -> NotImplementedError:
    return unsupported(f"mindspore.dataset.{name}", "this file format is not read yet.", instead)


class TFRecordDataset(SourceDataset, UnionBaseDataset):
    """TFRecord files (``mindspore.dataset.TFRecordDataset``). Not supported yet: NotImplementedError."""

    def __init__(self, dataset_files, schema=None, columns_list=None, num_samples=None,
                 num_parallel_workers=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, shard_equal_rows=False, cache=None,
                 compression_type=None):
        raise _not_read("TFRecordDataset", "read the files in a GeneratorDataset.")


class CSVDataset(SourceDataset, UnionBaseDataset):
    """Comma-separated files (``mindspore.dataset.CSVDataset``). Not supported yet: NotImplementedError."""

    def __init__(self, dataset_files, field_delim=",", column_defaults=None, column_names=None,
                 num_samples=None,
                 num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 cache=None):
        raise _not_read("CSVDataset", "numpy.genfromtxt or pandas.read_csv, and NumpySlicesDataset.")
