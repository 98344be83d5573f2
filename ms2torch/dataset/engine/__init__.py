"""The pipeline: sources, operations, samplers and iterators (``mindspore.dataset.engine``)."""

from ..core import config
from . import datasets, iterators, samplers
from ._batch import BatchDataset, BatchInfo, PaddedBatchDataset
from ._flow import (
    ConcatDataset,
    FilterDataset,
    ProjectDataset,
    RenameDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    TakeDataset,
    ZipDataset,
)
from ._map import MapDataset
from ._schema import Schema
from ._sources import MappableDataset, SourceDataset
from .cache_client import DatasetCache
from .datasets import (
    AudioBaseDataset,
    Dataset,
    TextBaseDataset,
    UnionBaseDataset,
    VisionBaseDataset,
    zip,
)
from .datasets_standard_format import CSVDataset, MindDataset, TFRecordDataset
from .datasets_text import CLUEDataset, TextFileDataset
from .datasets_user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from .datasets_vision import (
    CelebADataset,
    Cifar10Dataset,
    Cifar100Dataset,
    CocoDataset,
    FashionMnistDataset,
    FlickrDataset,
    ImageFolderDataset,
    KMnistDataset,
    ManifestDataset,
    MnistDataset,
    VOCDataset,
)
from .graphdata import GraphData, OutputFormat, SamplingStrategy
from .iterators import DictIterator, Iterator, TupleIterator
from .samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)

__all__ = ["AudioBaseDataset", "BatchDataset", "BatchInfo", "BuiltinSampler", "CLUEDataset", "CSVDataset",
           "CelebADataset", "Cifar100Dataset", "Cifar10Dataset", "CocoDataset", "ConcatDataset", "Dataset",
           "DatasetCache", "DictIterator", "DistributedSampler", "FashionMnistDataset", "FilterDataset",
           "FlickrDataset", "GeneratorDataset", "GraphData", "ImageFolderDataset", "IterSampler", "Iterator",
           "KMnistDataset", "ManifestDataset", "MapDataset", "MappableDataset", "MindDataset", "MnistDataset",
           "NumpySlicesDataset", "OutputFormat", "PKSampler", "PaddedBatchDataset", "PaddedDataset",
           "ProjectDataset", "RandomSampler", "RenameDataset", "RepeatDataset", "Sampler", "SamplingStrategy",
           "Schema", "SequentialSampler", "Shuffle", "ShuffleDataset", "SkipDataset", "SourceDataset",
           "SubsetRandomSampler", "SubsetSampler", "TFRecordDataset", "TakeDataset", "TextBaseDataset",
           "TextFileDataset", "TupleIterator", "UnionBaseDataset", "VOCDataset", "VisionBaseDataset",
           "WeightedRandomSampler", "ZipDataset", "config", "datasets", "iterators", "samplers", "zip"]

# Users know the operations' classes by engine.datasets, in messages and in pickles.
for _one in (BatchDataset, BatchInfo, ConcatDataset, FilterDataset, MapDataset, MappableDataset,
             PaddedBatchDataset, ProjectDataset, RenameDataset, RepeatDataset, ShuffleDataset, SkipDataset,
             SourceDataset, TakeDataset, ZipDataset):
    _one.__module__ = datasets.__name__
