"""Sources that are files of rows to be read from the front: text, CSV, TFRecord.

The order of rows follows MindSpore's threads: with n workers, every n-th file goes to the same worker, and
the workers' rows are taken in turn. A shuffle first shuffles the files, always with the same seed on top of
the last order (with shards: with the number of the epoch, so that all shards agree), then the rows through a
buffer of four files' worth, at most 10,000.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from itertools import accumulate, islice, repeat

import numpy as np

from ms2torch._core.random.engines import MT19937, MT19937_64

from ..core import config
from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import (
    check_sampler_shuffle_shard_options,
    check_source_arguments,
    type_check,
)
from ._flow import shuffled_rows
from ._pipeline import Row
from ._sources import SourceDataset, check_shuffle
from .samplers import Shuffle

_BUFFER = 10_000


def found_files(patterns) -> list[str]:
    """The files that a name, a pattern or a list of them stands for, sorted; ValueError for what is not
    there.
    """
    files, unmatched = [], []
    for pattern in patterns if isinstance(patterns, list) else [patterns]:
        matches = [match for match in glob.glob(pattern, recursive=True) if os.path.isfile(match)]
        files += matches
        if not matches:
            unmatched.append(pattern)
    if unmatched:
        raise ValueError(f"The following patterns did not match any files: {unmatched}.")
    if not files:
        raise ValueError("The list of path names matching the patterns is empty.")
    return sorted(files)


def in_turn(streams: list[Iterator]) -> Iterator:
    """An item of each stream in turn, until all have ended."""
    streams = list(streams)
    while streams:
        for stream in list(streams):
            try:
                yield next(stream)
            except StopIteration:
                streams.remove(stream)


def text_array(text: str) -> np.ndarray:
    """A text that was read with ``errors="surrogateescape"``; RuntimeError where the file is no UTF-8."""
    if not text.isascii():                           # what is no UTF-8 is lone surrogates now
        try:
            text.encode("utf-8", "surrogateescape").decode()
        except UnicodeDecodeError as error:
            raise pipeline_error(f"Failed to cast to Unicode string: UnicodeDecodeError: {error}") from None
    return np.array(text)


class FilesDataset(SourceDataset):
    """Base of them: a subclass counts and reads the rows of one file."""

    def __init__(self, dataset_files, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):
        type_check(dataset_files, (str, list), "dataset files")
        if not dataset_files:
            raise ValueError(f"Input dataset_files can not be empty, but got '{dataset_files}'.")
        check_source_arguments(num_samples, num_parallel_workers, None, num_shards, shard_id)
        check_shuffle(shuffle)
        check_sampler_shuffle_shard_options(None, None, num_shards, shard_id, None)
        super().__init__(num_parallel_workers, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_files = self._found(dataset_files)
        if shuffle is None or shuffle is False or shuffle in (Shuffle.FALSE, Shuffle.INFILE):
            self.shuffle_mode = Shuffle.FALSE
        else:
            self.shuffle_mode = Shuffle.FILES if shuffle is Shuffle.FILES else Shuffle.GLOBAL
        self.shuffle_flag = 0 if self.shuffle_mode is Shuffle.FALSE else 2
        self._known_counts = None

    _checked = "text file: {}"                       # the files, where none has a row
    _worker_per_file = False                         # CSV files have no more workers than there are of them
    _found = staticmethod(found_files)

    def _rows_of(self, file: str) -> Iterator[Row]:
        """The rows of a file."""
        raise NotImplementedError

    def _count_of(self, file: str) -> int:
        """How many rows a file has."""
        return sum(1 for _ in self._rows_of(file))

    def _nothing(self) -> RuntimeError:
        """The error of files without rows."""
        files = "".join(f" {file}" for file in self.dataset_files)
        return nothing_read(type(self).__name__, self._checked.format(files))

    _told = ""                                       # what stands before a file's name in the next error

    def _check_there(self, file: str) -> None:
        """RuntimeError for a file that was counted as one without rows, because it is not there."""
        if not os.path.isfile(file):
            raise pipeline_error(f"Invalid file path, {self._told}{file} does not exist.")

    def _counts(self) -> list[int]:
        if self._known_counts is None:
            self._known_counts = [self._count_of(file) for file in self.dataset_files]
        return self._known_counts

    def _share(self) -> int:
        """Rows of one shard."""
        return -(-sum(self._counts()) // self.num_shards)

    def _size(self):
        share = self._share()
        return min(share, self.num_samples) if self.num_samples else share

    def _pieces(self, order: list[int]) -> list[tuple[int, int, int]]:
        """Of this shard, (file, first row, end) in the order of the files.

        As in MindSpore no file is opened behind the one with the last row.
        """
        counts, share = self._counts(), self._share()
        if self.num_shards == 1:
            ends = accumulate(counts[file] for file in order)
            before = sum(end < sum(counts) for end in ends)
            return [(file, 0, counts[file]) for file in order[:before + 1]]
        left, skip, pieces = share, self.shard_id * share, []
        while left > 0 and sum(counts):
            for file in order:
                first = min(skip, counts[file])
                skip -= first
                end = min(counts[file], first + left)
                if end > first:
                    pieces.append((file, first, end))
                    left -= end - first
        return pieces

    def _open(self, run):
        if self.cache is not None:
            return self._open_cached(run)
        self._begun = config.drawing_seed(), 0
        return self._epochs(self._begun[0], self._part)

    def _part(self, file: int, first: int, end: int) -> Iterator[Row]:
        """The rows of a piece of a file."""
        self._check_there(self.dataset_files[file])
        to = None if end == self._counts()[file] else end    # (what is wrong behind the last row is told)
        return islice(self._rows_of(self.dataset_files[file]), first, to)

    def _epochs(self, seed: int, part):
        """What gives an epoch's rows; ``part`` gives those of a piece."""
        epochs, order, draw = 0, list(range(len(self.dataset_files))), MT19937_64(seed)
        workers = self.num_parallel_workers or config.get_num_parallel_workers()
        if self._worker_per_file:
            workers = min(workers, len(order))

        def chained(pieces):
            for piece in pieces:
                yield from part(*piece)

        def epoch():
            nonlocal epochs
            epochs += 1
            self._begun = seed, epochs
            if not sum(self._counts()):
                raise self._nothing()
            if self.shuffle_mode is not Shuffle.FALSE:
                MT19937(seed if self.num_shards == 1 else epochs).shuffle(order)
            pieces = self._pieces(order)
            rows = in_turn([chained(pieces[worker::workers]) for worker in range(workers)])
            rows = islice(rows, self.num_samples or None)
            if self.shuffle_mode is Shuffle.GLOBAL:
                return shuffled_rows(rows, draw, self._buffer())
            return rows

        return epoch

    def _file_of(self, row: int, columns: set) -> str | None:
        """The file that a row of the epoch under way came from: the same epochs once more, of names."""
        if len(self.dataset_files) == 1:
            return self.dataset_files[0]
        seed, begun = self._begun
        epoch = self._epochs(seed, lambda file, first, end: repeat(self.dataset_files[file], end - first))
        names = None
        for _ in range(begun):
            names = list(epoch())
        return names[row] if names and row < len(names) else None

    def _buffer(self) -> int:
        """Rows that a full shuffle holds."""
        return min(self._share() // len(self.dataset_files) * 4, _BUFFER) or _BUFFER
