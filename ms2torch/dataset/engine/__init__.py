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
from .datasets_audio import (
    CMUArcticDataset,
    GTZANDataset,
    LibriTTSDataset,
    LJSpeechDataset,
    SpeechCommandsDataset,
    TedliumDataset,
    YesNoDataset,
)
from .datasets_standard_format import CSVDataset, MindDataset, OBSMindDataset, TFRecordDataset
from .datasets_text import (
    AGNewsDataset,
    AmazonReviewDataset,
    CLUEDataset,
    CoNLL2000Dataset,
    DBpediaDataset,
    EnWik9Dataset,
    IMDBDataset,
    IWSLT2016Dataset,
    IWSLT2017Dataset,
    Multi30kDataset,
    PennTreebankDataset,
    SogouNewsDataset,
    SQuADDataset,
    SST2Dataset,
    TextFileDataset,
    UDPOSDataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from .datasets_user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from .datasets_vision import (
    Caltech101Dataset,
    Caltech256Dataset,
    CelebADataset,
    Cifar10Dataset,
    Cifar100Dataset,
    CityscapesDataset,
    CocoDataset,
    DIV2KDataset,
    EMnistDataset,
    FakeImageDataset,
    FashionMnistDataset,
    FlickrDataset,
    Flowers102Dataset,
    Food101Dataset,
    ImageFolderDataset,
    KITTIDataset,
    KMnistDataset,
    LFWDataset,
    LSUNDataset,
    ManifestDataset,
    MnistDataset,
    OmniglotDataset,
    PhotoTourDataset,
    Places365Dataset,
    QMnistDataset,
    RandomDataset,
    RenderedSST2Dataset,
    SBDataset,
    SBUDataset,
    SemeionDataset,
    STL10Dataset,
    SUN397Dataset,
    SVHNDataset,
    USPSDataset,
    VOCDataset,
    WIDERFaceDataset,
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

__all__ = ["AGNewsDataset", "AmazonReviewDataset", "AudioBaseDataset", "BatchDataset", "BatchInfo",
           "BuiltinSampler", "CLUEDataset", "CMUArcticDataset", "CSVDataset", "Caltech101Dataset",
           "Caltech256Dataset", "CelebADataset", "Cifar100Dataset", "Cifar10Dataset", "CityscapesDataset",
           "CoNLL2000Dataset", "CocoDataset", "ConcatDataset", "DBpediaDataset", "DIV2KDataset", "Dataset",
           "DatasetCache", "DictIterator", "DistributedSampler", "EMnistDataset", "EnWik9Dataset",
           "FakeImageDataset", "FashionMnistDataset", "FilterDataset", "FlickrDataset", "Flowers102Dataset",
           "Food101Dataset", "GTZANDataset", "GeneratorDataset", "GraphData", "IMDBDataset",
           "IWSLT2016Dataset", "IWSLT2017Dataset", "ImageFolderDataset", "IterSampler", "Iterator",
           "KITTIDataset", "KMnistDataset", "LFWDataset", "LJSpeechDataset", "LSUNDataset", "LibriTTSDataset",
           "ManifestDataset", "MapDataset", "MappableDataset", "MindDataset", "MnistDataset",
           "Multi30kDataset", "NumpySlicesDataset", "OBSMindDataset", "OmniglotDataset", "OutputFormat",
           "PKSampler", "PaddedBatchDataset", "PaddedDataset", "PennTreebankDataset", "PhotoTourDataset",
           "Places365Dataset", "ProjectDataset", "QMnistDataset", "RandomDataset", "RandomSampler",
           "RenameDataset", "RenderedSST2Dataset", "RepeatDataset", "SBDataset", "SBUDataset", "SQuADDataset",
           "SST2Dataset", "STL10Dataset", "SUN397Dataset", "SVHNDataset", "Sampler", "SamplingStrategy",
           "Schema", "SemeionDataset", "SequentialSampler", "Shuffle", "ShuffleDataset", "SkipDataset",
           "SogouNewsDataset", "SourceDataset", "SpeechCommandsDataset", "SubsetRandomSampler",
           "SubsetSampler", "TFRecordDataset", "TakeDataset", "TedliumDataset", "TextBaseDataset",
           "TextFileDataset", "TupleIterator", "UDPOSDataset", "USPSDataset", "UnionBaseDataset",
           "VOCDataset", "VisionBaseDataset", "WIDERFaceDataset", "WeightedRandomSampler", "WikiTextDataset",
           "YahooAnswersDataset", "YelpReviewDataset", "YesNoDataset", "ZipDataset", "config", "datasets",
           "iterators", "samplers", "zip"]

# Users know the operations' classes by engine.datasets, in messages and in pickles.
for _one in (BatchDataset, BatchInfo, ConcatDataset, FilterDataset, MapDataset, MappableDataset,
             PaddedBatchDataset, ProjectDataset, RenameDataset, RepeatDataset, ShuffleDataset, SkipDataset,
             SourceDataset, TakeDataset, ZipDataset):
    _one.__module__ = datasets.__name__
