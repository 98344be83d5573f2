"""Published corpora of text: a folder with a file per usage, each read from the front; and IMDB, a file
per row.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator

import numpy as np

from ..core.errors import pipeline_error
from ..core.validator_helpers import check_dir, check_source_arguments, check_valid_str
from ._csv import Malformed, check_width, counted, records
from ._files import FilesDataset, text_array
from ._listed import ListedDataset
from ._sources import check_source
from .datasets import TextBaseDataset
from .samplers import Shuffle


class Corpus(FilesDataset, TextBaseDataset):
    """A subclass says which file serves which ``usage``, names the columns, and reads a file's rows.

    ``usage`` "all", or none, means all files.
    """

    _files = {"test": "test.csv", "train": "train.csv"}
    _names: tuple[str, ...]
    _usages: tuple[str, ...] | None = None

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, list(self._usages or (*sorted(self._files, reverse=True), "all")), "usage")
        check_source_arguments(num_samples, num_parallel_workers, None, num_shards, shard_id)
        self.dataset_dir, self.usage = dataset_dir, usage or "all"
        super().__init__([os.path.join(dataset_dir, name) for one, name in self._files.items()
                          if self.usage in (one, "all")],
                         num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    @staticmethod
    def _found(patterns):
        return patterns

    def _counts(self):
        if self._known_counts is None:
            self._known_counts = [self._count_of(file) if os.path.isfile(file) else 0
                                  for file in self.dataset_files]
        return self._known_counts

    def _size_by_lines(self) -> int:
        """What `get_dataset_size` is before an epoch has counted the rows, where MindSpore counts lines that
        are not empty."""
        lines = sum(sum(map(bool, self._lines(file))) for file in self.dataset_files if os.path.isfile(file))
        share = -(-lines // self.num_shards)
        return min(share, self.num_samples) if self.num_samples else share

    def _columns(self):
        return list(self._names)

    def _lines(self, file: str) -> Iterator[str]:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
            for line in text:
                yield line.removesuffix("\n")


class _ShuffleFirst(Corpus):
    """The same, with the arguments in another order."""

    def __init__(self, dataset_dir, usage=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, num_parallel_workers=None, cache=None):
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards,
        shard_id, cache)


# ---- comma-separated ---------------------------------------------------------------------------------------


class _Table(Corpus):
    """CSV files without a head; all columns are text."""

    _worker_per_file = True

    def _count_of(self, file):
        return counted(file)

    def _rows_of(self, file):
        try:
            for number, fields in records(file):
                check_width(number, len(fields), len(self._names))
                yield [text_array(field) for field in fields]
        except Malformed as error:
            raise error.shown(file) from None


def check_file_of(dataset, file: str) -> None:
    """RuntimeError unless a file of the dataset is there."""
    if not os.path.isfile(file):
        name = type(dataset).__name__
        raise pipeline_error(f"{name}: dataset file: [{file}] is invalid or does not exist.", "Syntax error.")


class AGNewsDataset(_Table):
    """AG News (``mindspore.dataset.AGNewsDataset``): ``index``, ``title``, ``description``, text.

    ``usage``: train, test or all.
    """

    _checked = "ag news file path: {}."
    _names = ("index", "title", "description")


class AmazonReviewDataset(_Table):
    """Amazon reviews, polarity or full (``mindspore.dataset.AmazonReviewDataset``): ``label``, ``title``,
    ``content``, text. ``usage``: train, test or all.
    """

    _checked = "amazon review file path: {}."
    _names = ("label", "title", "content")

    def _check_built(self):
        for file in reversed(self.dataset_files):
            check_file_of(self, file)


class _TakesWhatIsThere(_Table):
    """Of several files those that are missing are left out."""

    @staticmethod
    def _found(patterns):
        return [path for path in patterns if len(patterns) == 1 or os.path.isfile(path)]


class DBpediaDataset(_TakesWhatIsThere):
    """DBpedia (``mindspore.dataset.DBpediaDataset``): ``class``, ``title``, ``content``, text.

    ``usage``: train, test or all.
    """

    _checked = "dbpedia file path: {}."
    _names = ("class", "title", "content")


class YahooAnswersDataset(_TakesWhatIsThere):
    """Yahoo! Answers (``mindspore.dataset.YahooAnswersDataset``): ``class``, ``title``, ``content``,
    ``answer``, text. ``usage``: train, test or all.
    """

    _checked = "yahoo answers file path: {}."
    _names = ("class", "title", "content", "answer")


class SogouNewsDataset(_ShuffleFirst, _TakesWhatIsThere):
    """Sogou News (``mindspore.dataset.SogouNewsDataset``): ``index``, ``title``, ``content``, text.

    ``usage``: train, test or all.
    """

    _files = {"train": "train.csv", "test": "test.csv"}
    _checked = "sogou news file path: {}."
    _names = ("index", "title", "content")


class YelpReviewDataset(_ShuffleFirst, _Table):
    """Yelp reviews, polarity or full (``mindspore.dataset.YelpReviewDataset``): ``label``, ``text``,
    text.

    ``usage``: train, test or all.
    """

    _files = {"train": "train.csv", "test": "test.csv"}
    _checked = "yelp review file path: {}."
    _names = ("label", "text")


# ---- lines -------------------------------------------------------------------------------------------------


class _PartsOfCorpus(Corpus):
    """Lines of a corpus in parts."""

    _files = {"test": "wiki.test.tokens", "train": "wiki.train.tokens", "valid": "wiki.valid.tokens"}
    _usages = ("train", "valid", "test", "all")
    _checked = "wiki text: {}"
    _names = ("text",)

    def _rows_of(self, file):
        return ([text_array(line)] for line in self._lines(file) if line)

    def _count_of(self, file):
        return sum(1 for line in self._lines(file) if line)


class WikiTextDataset(_PartsOfCorpus):
    """WikiText-2 and WikiText-103 (``mindspore.dataset.WikiTextDataset``): the lines that are not empty,
    ``text``.

    ``usage``: train, test, valid or all.
    """


class PennTreebankDataset(_PartsOfCorpus):
    """Penn Treebank (``mindspore.dataset.PennTreebankDataset``): the lines that are not empty, ``text``.

    ``usage``: train, test, valid or all.
    """

    _checked = "penn treebank: {}"
    _files = {"test": "ptb.test.txt", "train": "ptb.train.txt", "valid": "ptb.valid.txt"}


class EnWik9Dataset(Corpus):
    """EnWik9 (``mindspore.dataset.EnWik9Dataset``): its lines, empty ones too, ``text``.

    (``get_dataset_size`` leaves the empty ones out, as in MindSpore, until an epoch has counted them.)
    """

    _files = {"all": "enwik9"}
    _checked = "enwik9: {}"
    _names = ("text",)

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=True,
    num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, num_shards, shard_id,
        cache)

    def _rows_of(self, file):
        return ([text_array(line)] for line in self._lines(file))

    def _count_of(self, file):
        return sum(1 for _ in self._lines(file))

    def _size(self):
        return self._size_by_lines()


# ---- words with tags ---------------------------------------------------------------------------------------


class _TaggedWords(_ShuffleFirst):
    """Sentences of tagged words."""

    _told = "conll2000 dataset dir: "
    _files = {"test": "test.txt", "train": "train.txt"}
    _checked = "conll2000: {}"
    _names = ("word", "pos_tag", "chunk_tag")
    _between = " "

    def _rows_of(self, file):
        words: list[list[str]] = []
        for line in self._lines(file):
            if line:
                words.append(line.split(self._between))
            elif words:
                yield self._sentence(words)
                words = []
        if words:
            yield self._sentence(words)

    def _sentence(self, words: list[list[str]]) -> list[np.ndarray]:
        if any(len(word) < len(self._names) for word in words):
            raise pipeline_error("Invalid file content, each line should contain three columns, representing "
                                 f"{self._names[0]}, {self._names[1]} and {self._names[2]}.")
        return [np.array([str(text_array(word[column])) for word in words])
                for column in range(len(self._names))]

    def _count_of(self, file):
        between, words = 0, False
        for line in self._lines(file):
            between += words and not line
            words = bool(line)
        return between + words

    def _size(self):
        return self._size_by_lines()


class CoNLL2000Dataset(_TaggedWords):
    """The chunking task of CoNLL-2000 (``mindspore.dataset.CoNLL2000Dataset``): a sentence's ``word``,
    ``pos_tag``, ``chunk_tag``, each text (N,). ``usage``: train, test or all.

    (``get_dataset_size`` counts words, as in MindSpore, until an epoch has counted sentences.)
    """


class UDPOSDataset(_TaggedWords):
    """Universal Dependencies, English (``mindspore.dataset.UDPOSDataset``): a sentence's ``word``,
    ``universal``, ``stanford``, each text (N,). ``usage``: train, test, valid or all.
    """

    _told = "udpos dataset dir: "
    _files = {"valid": "en-ud-tag.v2.dev.txt", "test": "en-ud-tag.v2.test.txt",
              "train": "en-ud-tag.v2.train.txt"}
    _usages = ("train", "valid", "test", "all")
    _checked = "udpos: {}"
    _names = ("word", "universal", "stanford")
    _between = "\t"


# ---- others ------------------------------------------------------------------------------------------------


class SST2Dataset(Corpus):
    """The Stanford Sentiment Treebank with two classes (``mindspore.dataset.SST2Dataset``): ``sentence``
    and, but for the test, ``label``, text. ``usage``: train (default), test or dev.
    """

    _files = {"train": "train.tsv", "test": "test.tsv", "dev": "dev.tsv"}
    _usages = ("train", "test", "dev")
    _worker_per_file = True
    _checked = "sst2 file path: {}."
    _names = ("sentence", "label")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, "train" if usage is None else usage, num_samples, num_parallel_workers,
                         shuffle, num_shards, shard_id, cache)

    def _check_built(self):
        if not os.path.isfile(self.dataset_files[0]):
            raise pipeline_error("Invalid file, failed to obtain column name from input sst2 file list.")

    def _fields(self, line: str) -> list[str]:
        return line.split("\t")[1:] if self.usage == "test" else line.split("\t")

    def _columns(self):
        return [str(text_array(name)) for name in self._fields(next(self._lines(self.dataset_files[0]), ""))]

    def _rows_of(self, file):
        lines = filter(None, self._lines(file))
        names = self._fields(next(lines, ""))
        for line in lines:
            yield [text_array(field) for field in self._fields(line)[:len(names)]]


class SQuADDataset(Corpus):
    """SQuAD 1.1 and 2.0 (``mindspore.dataset.SQuADDataset``): ``context``, ``question``, the answers'
    ``text`` (N,) and ``answer_start`` (N,) uint32; a question without answer has one empty, at
    4294967295. ``usage``: train, dev or all.
    """

    _files = {"train": "train-v1.1.json", "dev": "dev-v1.1.json"}
    _usages = ("train", "dev", "all")
    _names = ("context", "question", "text", "answer_start")

    def _check_built(self):
        folder = self.dataset_dir
        for usage in ("train", "dev"):
            if self.usage in (usage, "all") and not glob.glob(f"{glob.escape(folder)}/{usage}-v*"):
                raise pipeline_error(f"Invalid path, failed to find SQuAD {usage} data file: {folder}")

    @staticmethod
    def _found(patterns):
        """The files of version 1.1, or where they are not there those of 2.0."""
        newer = [path.replace("v1.1", "v2.0") for path in patterns]
        return [new if os.path.isfile(new) and not os.path.isfile(old) else old
                for old, new in zip(patterns, newer, strict=True)]

    def _rows_of(self, file):
        with open(file, encoding="utf-8") as text:
            try:
                content = json.load(text)
            except ValueError as error:
                raise pipeline_error("Invalid file, failed to parse JSON file: "
                                     f"{os.path.realpath(file)}") from error
        for article in content["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    answers = question["answers"] or [{"text": "", "answer_start": 4294967295}]
                    yield [np.array(paragraph["context"]), np.array(question["question"]),
                           np.array([answer["text"] for answer in answers]),
                           np.array([answer["answer_start"] for answer in answers], np.uint32)]


class IMDBDataset(ListedDataset, TextBaseDataset):
    """Film reviews of IMDb (``mindspore.dataset.IMDBDataset``): ``text``, the (last) line of a file, and
    ``label`` int32, 1 for a positive one. ``usage``: train, test or all.
    """

    _names = ("text", "label")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers)
        if usage is not None:
            check_valid_str(usage, ["train", "test", "all"], "usage")
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.usage = dataset_dir, usage or "all"

    def _list(self):
        found = []
        for usage in ("train", "test") if self.usage == "all" else (self.usage,):
            for folder, label in (("pos", 1), ("neg", 0)):
                base = os.path.join(self.dataset_dir, usage, folder)
                if not os.path.isdir(base):
                    raise pipeline_error("Invalid parameter, dataset dir may not exist or is not a "
                                         f"directory: {os.path.realpath(base)}")
                found += [(os.path.join(base, name), label) for name in sorted(os.listdir(base))]
        return found

    def num_classes(self):
        return 2

    def _labels(self):
        return [label for _, label in self._rows()]

    def _row(self, item):
        with open(item[0], encoding="utf-8", errors="surrogateescape") as text:
            lines = text.read().split("\n")
        return [text_array(lines[-1] or (lines[-2] if len(lines) > 1 else "")), np.array(item[1], np.int32)]
