"""Published translations: a file per language, whose lines belong together (Multi30k, IWSLT)."""

from __future__ import annotations

import html
import itertools
import os
import re

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import (
    check_dir,
    check_source_arguments,
    check_valid_str,
    type_check,
    type_check_list,
)
from ._corpora import check_file_of
from ._files import FilesDataset, text_array
from .datasets import TextBaseDataset
from .samplers import Shuffle


class _Translations(FilesDataset, TextBaseDataset):
    """Pairs of files: ``text`` and ``translation``. A subclass lists them, and says what their lines are."""

    def __init__(self, dataset_dir, pairs, num_samples, shuffle, num_shards, shard_id, num_parallel_workers,
                 cache):
        check_source_arguments(num_samples, num_parallel_workers, None, num_shards, shard_id)
        self.dataset_dir = dataset_dir
        super().__init__(pairs, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    @staticmethod
    def _found(patterns):
        return patterns

    def _columns(self):
        return ["text", "translation"]

    def _lines(self, path: str) -> list[str]:
        raise NotImplementedError

    def _check_there(self, file):
        for path in file:
            super()._check_there(path)

    def _count_of(self, file):
        return len(self._lines(file[0]))

    def _rows_of(self, file):
        return ([text_array(one), text_array(other)] for one, other in
                zip(*map(self._lines, file), strict=False))


class Multi30kDataset(_Translations):
    """Multi30k (``mindspore.dataset.Multi30kDataset``): the lines that are not empty, ``text`` and
    ``translation``. ``usage``: train, valid, test or all (default); ``language_pair``: ("en", "de") or the
    other way round.
    """

    _told = "multi30k Dataset file: "
    _parts = {"test": ("mmt16_task1_test", "test"), "train": ("training", "train"),
              "valid": ("validation", "val")}

    def __init__(self, dataset_dir, usage=None, language_pair=None, num_samples=None,
                 num_parallel_workers=None, shuffle=None, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, ["train", "test", "valid", "all"], "usage")
        if language_pair is not None:
            type_check(language_pair, (list, tuple), "language_pair")
            if len(language_pair) != 2:
                raise ValueError("language_pair should be a list or tuple of length 2, but got "
                                 f"{len(language_pair)}")
            if list(language_pair) not in (["en", "de"], ["de", "en"]):
                raise ValueError("language_pair can only be ['en', 'de'] or ['en', 'de'], but got "
                                 f"{language_pair}")
        if shuffle is not None:
            type_check(shuffle, (bool,), "shuffle")
        self.usage, self.language_pair = usage or "all", tuple(language_pair or ("en", "de"))
        pairs = [tuple(os.path.join(dataset_dir, folder, f"{stem}.{spoken}") for spoken in self.language_pair)
                 for one, (folder, stem) in self._parts.items() if self.usage in (one, "all")]
        super().__init__(dataset_dir, pairs, num_samples, Shuffle.GLOBAL if shuffle is None else shuffle,
                         num_shards, shard_id, num_parallel_workers, cache)

    def _check_built(self):
        for part in ("training", "validation", "mmt16_task1_test"):
            for path, _ in self.dataset_files:
                if os.path.basename(os.path.dirname(path)) == part:
                    check_file_of(self, path)

    def _nothing(self):
        files = "".join(f" {path}" for path, _ in self.dataset_files)
        return nothing_read("Multi30kDataset", f"multi30k: {files}")

    def _lines(self, path):
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            return [line for line in text.read().split("\n") if line]


_TEDS = ["dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014"]
_SEGMENT = re.compile(r"<seg[^>]*>(.*?)</seg>", re.S)


class _Talks(_Translations):
    """TED talks of an IWSLT evaluation, in its XML for tests and its tagged lines for training."""

    _year: int
    _languages: list[list[str]]

    def _choose(self, dataset_dir, usage, language_pair):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, ["train", "test", "valid", "all"], "usage")
        if language_pair is not None:
            if not isinstance(language_pair, (list, tuple)):
                raise TypeError("language_pair should be a type list or tuple of length 2.")
            type_check_list(language_pair, (str,), "language_pair")
            if len(language_pair) != 2:
                raise ValueError("Input language_pair is a list or tuple of length 2.")
            valid = self._languages if isinstance(language_pair, list) else tuple(map(tuple, self._languages))
            if language_pair not in valid:
                raise ValueError(f"Input language_pair{language_pair} is not within the valid set of "
                                 f"{valid}.")
        self.usage, self.language_pair = usage or "all", tuple(language_pair or ("de", "en"))

    def _pairs(self, folder: str, valid: str, test: str) -> list[tuple[str, str]]:
        both = "-".join(self.language_pair)
        names = {"train": f"train.tags.{both}.{{}}",
                 "valid": f"IWSLT{self._year}.TED.{valid}.{both}.{{}}.xml",
                 "test": f"IWSLT{self._year}.TED.{test}.{both}.{{}}.xml"}
        return [tuple(os.path.join(folder, name.format(language)) for language in self.language_pair)
                for one, name in names.items() if self.usage in (one, "all")]

    def _check_built(self):
        for path in itertools.chain(*self.dataset_files):
            if path.endswith(".xml") and not os.path.isfile(path):
                raise pipeline_error(f"Invalid file, failed to load xml file: {path}")

    def _check_there(self, file):
        """`_lines` does."""

    def _lines(self, path):
        if not os.path.isfile(path):
            plain = path.replace("train.tags.", "train.").rpartition(".")[0]
            raise nothing_read("IWSLTDataset", f"iwslt:  {plain}")
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            content = text.read()
        if path.endswith(".xml"):
            return [html.unescape(segment).strip() for segment in _SEGMENT.findall(content)]
        lines = content.removesuffix("\n").split("\n")
        if any(not line.strip() for line in lines):
            raise pipeline_error("Invalid file, read an empty line.")
        return [line for line in map(str.strip, lines) if not line.startswith("<")]


class IWSLT2016Dataset(_Talks):
    """IWSLT 2016 (``mindspore.dataset.IWSLT2016Dataset``): ``text`` and ``translation``.

    ``usage``: train, valid, test or all (default); ``language_pair``: English and Arabic, Czech, French or
    German, ("de", "en") by default; ``valid_set``, ``test_set``: "tst2013", "tst2014" by default. (MindSpore
    writes cleaned files beside those that it reads; nothing is written here.)
    """

    _year = 16
    _languages = [["en", other] for other in ("ar", "ar", "de", "fr", "cs")] + [
        [other, "en"] for other in ("ar", "fr", "de", "cs")]

    def __init__(self, dataset_dir, usage=None, language_pair=None, valid_set=None, test_set=None,
                 num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 num_parallel_workers=None, cache=None):
        self._choose(dataset_dir, usage, language_pair)
        for value, name in ((valid_set, "valid_set"), (test_set, "test_set")):
            if value is not None:
                check_valid_str(value, _TEDS, name)
        self.valid_set, self.test_set = valid_set or "tst2013", test_set or "tst2014"
        source, target = self.language_pair
        folder = os.path.join(os.path.realpath(dataset_dir), "texts", source, target, f"{source}-{target}")
        super().__init__(dataset_dir, self._pairs(folder, self.valid_set, self.test_set), num_samples,
                         shuffle, num_shards, shard_id, num_parallel_workers, cache)


class IWSLT2017Dataset(_Talks):
    """IWSLT 2017 (``mindspore.dataset.IWSLT2017Dataset``): ``text`` and ``translation``.

    ``usage``: train, valid, test or all (default); ``language_pair``: two of German, English, Italian, Dutch
    and Romanian, ("de", "en") by default. (MindSpore writes cleaned files beside those that it reads; nothing
    is written here.)
    """

    _year = 17
    _languages = [pair.split() for pair in (
        "en nl", "en de", "en it", "en ro", "ro de", "ro en", "ro nl", "ro it", "de ro", "de en", "de nl",
        "de it", "it en", "it nl", "it de", "it ro", "nl de", "nl en", "nl it", "nl ro")]

    def __init__(self, dataset_dir, usage=None, language_pair=None, num_samples=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, num_parallel_workers=None, cache=None):
        self._choose(dataset_dir, usage, language_pair)
        folder = os.path.join(os.path.realpath(dataset_dir), "texts", "DeEnItNlRo", "DeEnItNlRo",
                              "DeEnItNlRo-DeEnItNlRo")
        super().__init__(dataset_dir, self._pairs(folder, "dev2010", "tst2010"), num_samples, shuffle,
                         num_shards, shard_id, num_parallel_workers, cache)
