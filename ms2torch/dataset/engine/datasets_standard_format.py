"""Datasets in standard file formats (``mindspore.dataset.engine.datasets_standard_format``)."""

from ._csv import CSVDataset
from ._minddataset import MindDataset
from ._tfrecord import TFRecordDataset

__all__ = ["CSVDataset", "MindDataset", "TFRecordDataset"]
