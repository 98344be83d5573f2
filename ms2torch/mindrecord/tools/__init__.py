"""Published data sets as MindRecord files (``mindspore.mindrecord.tools``)."""

from .cifar import Cifar10ToMR, Cifar100ToMR
from .converters import CsvToMR, ImageNetToMR, MnistToMR
from .tfrecord_to_mr import TFRecordToMR

__all__ = ["Cifar10ToMR", "Cifar100ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR"]
