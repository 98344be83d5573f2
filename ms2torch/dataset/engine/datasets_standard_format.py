"""Datasets in standard file formats (``mindspore.dataset.engine.datasets_standard_format``)."""

from ms2torch._core.errors import unsupported

from ._csv import CSVDataset
from ._minddataset import MindDataset
from ._tfrecord import TFRecordDataset
from .datasets_user_defined import GeneratorDataset
from .samplers import Shuffle

__all__ = ["CSVDataset", "MindDataset", "OBSMindDataset", "TFRecordDataset"]


class OBSMindDataset(GeneratorDataset):
    """MindRecord files in Huawei's object storage (``mindspore.dataset.OBSMindDataset``):
    NotImplementedError."""

    def __init__(self, dataset_files, server, ak, sk, sync_obs_path, columns_list=None,
                 shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, shard_equal_rows=True):
        raise unsupported("mindspore.dataset.OBSMindDataset", "there is no client of that storage.",
                          "copy the files, and read them with MindDataset.")
