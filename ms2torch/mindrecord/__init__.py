"""MindRecord files: written, read row by row, and made from published formats (``mindspore.mindrecord``).

The files are MindSpore's own, byte for byte: what one writes the other reads. `mindspore.dataset.MindDataset`
feeds them to a network.
"""

from .common.exceptions import *  # noqa: F403
from .config import set_dec_mode, set_enc_key, set_enc_mode
from .core.shardutils import FAILED, SUCCESS
from .filereader import FileReader
from .filewriter import FileWriter
from .mindpage import MindPage
from .tools import Cifar10ToMR, Cifar100ToMR, CsvToMR, ImageNetToMR, MnistToMR, TFRecordToMR

__all__ = [
           "FAILED",
           "SUCCESS",
           "Cifar10ToMR",
           "Cifar100ToMR",
           "CsvToMR",
           "FileReader",
           "FileWriter",
           "ImageNetToMR",
           "MindPage",
           "MnistToMR",
           "TFRecordToMR",
           "set_dec_mode",
           "set_enc_key",
           "set_enc_mode",
]
