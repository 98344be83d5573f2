"""Datasets of text (``mindspore.dataset.engine.datasets_text``)."""

from __future__ import annotations

from ._clue import CLUEDataset
from ._corpora import (
    AGNewsDataset,
    AmazonReviewDataset,
    CoNLL2000Dataset,
    DBpediaDataset,
    EnWik9Dataset,
    IMDBDataset,
    PennTreebankDataset,
    SogouNewsDataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from ._files import FilesDataset, text_array
from ._translations import IWSLT2016Dataset, IWSLT2017Dataset, Multi30kDataset
from .datasets import TextBaseDataset
from .samplers import Shuffle

__all__ = ["AGNewsDataset", "AmazonReviewDataset", "CLUEDataset", "CoNLL2000Dataset", "DBpediaDataset",
           "EnWik9Dataset", "IMDBDataset", "IWSLT2016Dataset", "IWSLT2017Dataset", "Multi30kDataset",
           "PennTreebankDataset", "SQuADDataset", "SST2Dataset", "SogouNewsDataset", "TextFileDataset",
           "UDPOSDataset", "WikiTextDataset", "YahooAnswersDataset", "YelpReviewDataset"]


class TextFileDataset(FilesDataset, TextBaseDataset):
    """The lines of text files, without empty ones, as the column ``text``
    (``mindspore.dataset.TextFileDataset``).

    ``dataset_files`` may be a pattern, or a list of names and patterns; files are read in the order of their
    names. ``shuffle``: Shuffle.GLOBAL or True (default) over files and lines, Shuffle.FILES over files.
    """

    def __init__(self, dataset_files, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id,
                         cache)

    def _columns(self):
        return ["text"]

    def _rows_of(self, file):
        return ([text_array(line)] for line in lines(file))

    def _count_of(self, file):
        return sum(1 for _ in lines(file))


def lines(file: str):
    """The lines of a text file that are not empty."""
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        for line in text:
            line = line.rstrip("\n")
            if line:
                yield line
