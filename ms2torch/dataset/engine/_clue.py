"""`CLUEDataset`: the tasks of the Chinese Language Understanding benchmark, a JSON object per line."""

from __future__ import annotations

import json

import numpy as np

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import type_check
from ._files import FilesDataset
from .datasets import TextBaseDataset
from .samplers import Shuffle

_PAIR = ("sentence1", "sentence2")
_SPANS = tuple(f"target/span{which}_{what}" for which in (1, 2) for what in ("index", "text"))
# where the columns are, for training and evaluation, and for the test
_TASKS = {
    "AFQMC": (("label", *_PAIR), ("id", *_PAIR)), "CMNLI": (("label", *_PAIR), ("id", *_PAIR)),
    "CSL": (("abst", "id", "keyword", "label"), ("abst", "id", "keyword")),
    "IFLYTEK": (("label", "label_des", "sentence"), ("id", "sentence")),
    "TNEWS": (("keywords", "label", "label_desc", "sentence"), ("id", "keywords", "sentence")),
    "WSC": (("idx", "label", *_SPANS, "text"), ("idx", *_SPANS, "text")),
}


class CLUEDataset(FilesDataset, TextBaseDataset):
    """Files of one task of CLUE (``mindspore.dataset.CLUEDataset``): a column per field, in the order of
    their names, text, uint32, or (N,) of these.

    ``task``: AFQMC, TNEWS, IFLYTEK, CMNLI, WSC or CSL; ``usage``: train, test or eval.
    """

    def __init__(self, dataset_files, task="AFQMC", usage="train", num_samples=None,
                 num_parallel_workers=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None):
        type_check(dataset_files, (str, list), "dataset files")
        if not dataset_files:
            raise ValueError(f"Input dataset_files can not be empty, but got '{dataset_files}'.")
        if not isinstance(task, str) or task not in _TASKS:
            raise ValueError("task should be 'AFQMC', 'TNEWS', 'IFLYTEK', 'CMNLI', 'WSC' or 'CSL'.")
        if usage not in ("train", "test", "eval"):
            raise ValueError("usage should be 'train', 'test' or 'eval'.")
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id,
                         cache)
        self.task, self.usage = task, usage
        self._paths = [path.split("/") for path in _TASKS[task][usage == "test"]]

    def _columns(self):
        return [path[-1] for path in self._paths]

    def _nothing(self):
        files = " ".join(self.dataset_files)
        return nothing_read("'CLUEDataset'", f"file path: {files}")

    def _count_of(self, file):
        with open(file, encoding="utf-8", errors="surrogateescape") as lines:
            return sum(1 for line in lines if line != "\n")

    def _rows_of(self, file):
        with open(file, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                if line != "\n":
                    try:
                        content = json.loads(line)
                    except ValueError as error:
                        raise pipeline_error(f"Invalid json, failed to parse {file}, {error}") from None
                    yield [_value(content, path) for path in self._paths]


def _value(content, path: list[str]) -> np.ndarray:
    for name in path:
        if not isinstance(content, dict) or name not in content:
            raise pipeline_error(f"Invalid json file, in given JSON file, failed to find key: {name}")
        content = content[name]
    return np.array(content, np.uint32 if isinstance(content, int) else None)
