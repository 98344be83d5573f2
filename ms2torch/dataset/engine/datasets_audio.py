"""Published sets of speech and music (``mindspore.dataset.engine.datasets_audio``).

``waveform`` is float32 (1, samples), a 16-bit sample over 32767; samples of several channels follow each
other, as MindSpore has them. Where a folder's own order decides, it is the one that the system gives, as
there.
"""

from __future__ import annotations

import os
import re
import struct
from functools import cache
from pathlib import Path

import numpy as np

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import check_dir, check_valid_str
from . import samplers
from ._files import text_array
from ._listed import ListedDataset
from ._sources import check_source
from .datasets import AudioBaseDataset

__all__ = ["CMUArcticDataset", "GTZANDataset", "LJSpeechDataset", "LibriTTSDataset", "SpeechCommandsDataset",
           "TedliumDataset", "YesNoDataset"]


def waveform(path: str) -> tuple[np.ndarray, int]:
    """The samples (1, N) of a WAV file, and its rate.

    MindSpore takes the first 44 bytes for the header, whatever they say, and for other headers reads what
    lies behind the file; here the chunks are looked for, and a file that is no WAV is an error.
    """
    with open(path, "rb") as file:
        data = file.read()
    position, rate, bits = 12, 0, 0
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        position += 8
        if kind == b"fmt " and position + 16 <= len(data):
            rate, bits = struct.unpack_from("<4xI6xH", data, position)
        elif kind == b"data" and bits:
            if bits != 16:
                raise pipeline_error(f"ReadWaveFile: {path} has samples of {bits} bits, and MindSpore takes "
                                     "any for samples of 16; write it anew with 16 bits.")
            samples = np.frombuffer(data[position:position + size - size % 2], "<i2")
            return (samples.astype(np.float32) / np.float32(32767))[None], rate
        position += size + size % 2
    raise pipeline_error("ReadWaveFile: zero division error, bits per sample of the audio can not be zero.")


class _Recordings(ListedDataset, AudioBaseDataset):
    """Sound files with what is known of each; a subclass lists (path, what is known)."""

    _rate: int | None = None                        # that all files must have
    _rate_kind = np.int32
    _told = ""                                      # the set's name, in messages
    _counts_nothing = False

    def __init__(self, dataset_dir, usage, usages, num_samples, num_parallel_workers, shuffle, sampler,
                 num_shards, shard_id, cache, usage_name="usage"):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, usages, usage_name)
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = dataset_dir

    def _nothing(self):
        return pipeline_error(f"Invalid data, no valid data matching the dataset API {type(self).__name__}. "
                              f"Please check dataset API or file path: {self.dataset_dir}.")

    def _row(self, item):
        path, *known = item
        if not os.path.isfile(path):
            raise syntax_error(f"Invalid file path, get real path failed: {path}")
        samples, rate = waveform(path)
        if self._rate is not None and rate != self._rate:
            raise pipeline_error(f"Invalid file, sampling rate of {self._told} wav file must be "
                                 f"{self._rate}, file path: {path}")
        return [samples, np.array(rate, self._rate_kind),
                *(text_array(one) if isinstance(one, str) else np.array(one) for one in known)]


def _entries(*folder: str) -> list[str]:
    """What a folder holds, as the system orders it; nothing where there is none."""
    path = os.path.join(*folder)
    return os.listdir(path) if os.path.isdir(path) else []


class YesNoDataset(_Recordings):
    """Words of Hebrew (``mindspore.dataset.YesNoDataset``): ``waveform``, ``sample_rate`` int32 and ``label``
    int32 (8,), 1 for each yes, from the file's name.
    """

    _names = ("waveform", "sample_rate", "label")

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, None, (), num_samples, num_parallel_workers, shuffle, sampler,
                         num_shards, shard_id, cache)

    def _nothing(self):
        return pipeline_error(f"Invalid file, no .wav files found under {self.dataset_dir}")

    def _list(self):
        return [(os.path.join(self.dataset_dir, name), name.removesuffix(".wav"))
                for name in _entries(self.dataset_dir) if name.endswith(".wav")]

    def _row(self, item):
        path, name = item
        try:
            words = np.array([int(word) for word in name.split("_")], np.int32)
        except ValueError:
            raise pipeline_error("[Internal ERROR] Converting char to int confront with an error in function "
                                 "stoi: stoi") from None
        return super()._row((path, words))


_SPEAKERS = ["aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp", "ljm", "lnh",
             "rms", "rxr", "slp", "slt"]


class CMUArcticDataset(_Recordings):
    """CMU Arctic (``mindspore.dataset.CMUArcticDataset``): ``waveform``, ``sample_rate`` uint32,
    ``transcript`` and ``utterance_id``, text. ``name``: the speaker, "aew" by default.
    """

    _names = ("waveform", "sample_rate", "transcript", "utterance_id")
    _rate, _rate_kind, _told = 16000, np.uint32, "CMUArctic"

    def __init__(self, dataset_dir, name=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, name, _SPEAKERS, num_samples, num_parallel_workers, shuffle, sampler,
                         num_shards, shard_id, cache, "name")
        self.name = name or "aew"
        if isinstance(sampler, samplers.PKSampler):
            raise ValueError("CMUArcticDataset doesn't support PKSampler.")

    def _nothing(self):
        return pipeline_error(f"Invalid data, no valid data found in path: {self.dataset_dir}")

    def _list(self):
        base = os.path.join(os.path.realpath(self.dataset_dir), f"cmu_us_{self.name}_arctic")
        path = os.path.join(base, "etc", "txt.done.data")
        if not os.path.isfile(path):
            raise pipeline_error(f"Invalid file, failed to find label file: {path}")
        found = []
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            for line in text.read().splitlines():
                # ( arctic_a0001 "What is said." ): places count, as in MindSpore
                parts = re.fullmatch(r'.{2}(\S+) "(.*)" ?\)?\s*', line)
                if parts is None:
                    raise pipeline_error("Invalid file, the file may not be a CMUArctic dataset file: "
                                         f"{path}")
                name, said = parts.groups()
                found.append((os.path.join(base, "wav", f"{name}.wav"), said, name.partition("_")[2]))
        return found


class LJSpeechDataset(_Recordings):
    """LJSpeech (``mindspore.dataset.LJSpeechDataset``): ``waveform``, ``sample_rate`` int32,
    ``transcription`` and ``normalized_transcription``, text, in the order of ``metadata.csv``.
    """

    _names = ("waveform", "sample_rate", "transcription", "normalized_transcription")

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, None, (), num_samples, num_parallel_workers, shuffle, sampler,
                         num_shards, shard_id, cache)

    def _nothing(self):
        return pipeline_error("Reading failed, unable to read valid data from the LJSpeech metadata file: "
                              f"{os.path.realpath(self.dataset_dir)}/metadata.csv.")

    def _list(self):
        path = os.path.join(os.path.realpath(self.dataset_dir), "metadata.csv")
        if not os.path.isfile(path):
            raise pipeline_error(f"Invalid file, failed to find metadata file: {path}")
        found = []
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
            for line in text:
                name, *texts = line.removesuffix("\n").split("|")
                if len(texts) < 2:
                    raise pipeline_error(f"Invalid file, {path} holds a line without three fields: {line}")
                found.append((os.path.join(self.dataset_dir, "wavs", f"{name}.wav"), *texts[:2]))
        return found


@cache
def _gtzan_split() -> dict[str, list[tuple[str, int]]]:
    """(genre, number) of each usage, by the split that is used with this set."""
    found: dict[str, list[tuple[str, int]]] = {}
    for line in Path(__file__).with_name("gtzan_split.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        usage, genre, numbers = line.split("\t")
        for part in numbers.split(","):
            first, _, last = part.partition("-")
            found.setdefault(usage, []).extend((genre, n) for n in range(int(first), int(last or first) + 1))
    return found


class GTZANDataset(_Recordings):
    """GTZAN (``mindspore.dataset.GTZANDataset``): ``waveform``, ``sample_rate`` uint32 and ``label``, the
    genre, text. ``usage``: train, valid or test by the filtered split, or all (default).
    """

    _names = ("waveform", "sample_rate", "label")
    _rate, _rate_kind, _told = 22050, np.uint32, "GTZAN"

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, usage, ["train", "valid", "test", "all"], num_samples,
                         num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self.usage = usage or "all"

    def _nothing(self):
        return pipeline_error(f"Invalid data, no valid data found in path:{self.dataset_dir}")

    def _list(self):
        if self.usage == "all":
            genres = list(dict.fromkeys(genre for genre, _ in _gtzan_split()["train"]))
            files = [(genre, name) for genre in genres for name in _entries(self.dataset_dir, genre)
                     if name.endswith(".wav")]
        else:
            files = [(genre, f"{genre}.{number:05}.wav") for genre, number in _gtzan_split()[self.usage]]
        paths = [(os.path.join(self.dataset_dir, genre, name), genre) for genre, name in files]
        return [row for row in paths if os.path.isfile(row[0])]


_PARTS = ["dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360",
          "train-other-500"]


class LibriTTSDataset(_Recordings):
    """LibriTTS (``mindspore.dataset.LibriTTSDataset``): ``waveform``, ``sample_rate`` uint32,
    ``original_text``, ``normalized_text``, ``speaker_id`` and ``chapter_id`` uint32, ``utterance_id``, text.
    ``usage``: one of its seven parts, or all (default).
    """

    _names = ("waveform", "sample_rate", "original_text", "normalized_text", "speaker_id", "chapter_id",
              "utterance_id")
    _rate, _rate_kind, _told = 24000, np.uint32, "LibriTTS"

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, usage, [*_PARTS, "all"], num_samples, num_parallel_workers, shuffle,
                         sampler, num_shards, shard_id, cache)
        self.usage = usage or "all"

    def _list(self):
        found, root = [], os.path.realpath(self.dataset_dir)
        for part in _PARTS if self.usage == "all" else [self.usage]:
            for speaker in _entries(root, part):
                for chapter in _entries(root, part, speaker):
                    base = os.path.join(root, part, speaker, chapter)
                    path = os.path.join(base, f"{speaker}_{chapter}.trans.tsv")
                    if not os.path.isfile(path):
                        continue
                    found += self._told_by(path, os.path.join(root, part))
        return found

    @staticmethod
    def _told_by(path: str, folder: str) -> list[tuple]:
        found = []
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            for line in text.read().splitlines():
                name, *texts = line.split("\t", 2)
                speaker, chapter, *numbers = [*name.split("_"), ""]
                if len(numbers) != 3 or not speaker.isdigit() or not chapter.isdigit():
                    raise pipeline_error(f"Invalid file, the file may not be a LibriTTS dataset file: {path}")
                file = os.path.join(folder, speaker, chapter, name + ".wav" if texts else name)
                original, normalised = [*texts, "", ""][:2]
                found.append((file, original, normalised, np.uint32(speaker), np.uint32(chapter), name))
        return found


class SpeechCommandsDataset(_Recordings):
    """Speech Commands (``mindspore.dataset.SpeechCommandsDataset``): ``waveform``, ``sample_rate`` int32,
    ``label``, the word, and ``speaker_id``, text, ``utterance_number`` int32; in the order of the paths.

    ``usage``: test and valid as ``testing_list.txt`` and ``validation_list.txt`` name them, train what
    neither does, or all (default).
    """

    _names = ("waveform", "sample_rate", "label", "speaker_id", "utterance_number")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, usage, ["train", "test", "valid", "all"], num_samples,
                         num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self.usage = usage or "all"

    def _named(self, file: str) -> set[str]:
        path = os.path.join(self.dataset_dir, file)
        if not os.path.isfile(path):
            raise pipeline_error(f"Invalid file, failed to open: {path}")
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            return set(filter(None, text.read().splitlines()))

    def _list(self):
        words = [word for word in _entries(self.dataset_dir) if word != "_background_noise_"]
        there = {f"{word}/{name}" for word in words for name in _entries(self.dataset_dir, word)
                 if name.endswith(".wav")}
        if not there:
            listed = self.usage in ("test", "valid")
            told = "no .wav files found under" if listed else "failed to open directory:"
            raise pipeline_error(f"Invalid file, {told} {self.dataset_dir}")
        if self.usage in ("test", "valid"):
            chosen = self._named({"test": "testing_list.txt", "valid": "validation_list.txt"}[self.usage])
        else:
            chosen = there
            if self.usage == "train":
                chosen -= self._named("testing_list.txt") | self._named("validation_list.txt")
        found = []
        for name in sorted(chosen):
            word, _, file = name.rpartition("/")
            speaker, _, number = file.removesuffix(".wav").partition("_nohash_")
            found.append((os.path.join(self.dataset_dir, name), word, speaker, np.int32(number or 0)))
        return found


class TedliumDataset(_Recordings):
    """TED-LIUM (``mindspore.dataset.TedliumDataset``): ``waveform``, ``sample_rate`` int32, ``transcript``,
    ``talk_id``, ``speaker_id`` and ``identifier``, text; a row for each line of the STM files.

    ``release``: release1 or release2, whose ``usage`` is train, test, dev or all (default), or release3. The
    waveform is what the SPH file holds between the line's times; MindSpore 2.10 gives zeros in its place.
    """

    _names = ("waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier")

    def __init__(self, dataset_dir, release, usage=None, extensions=None, num_samples=None,
                 num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None,
                 cache=None):
        check_valid_str(release, ["release1", "release2", "release3"], "release")
        parts = ["all"] if release == "release3" else ["train", "test", "dev", "all"]
        super().__init__(dataset_dir, usage, parts, num_samples, num_parallel_workers, shuffle, sampler,
                         num_shards, shard_id, cache)
        if extensions is not None and extensions != ".sph":
            raise syntax_error(f"TedliumNode: extension {extensions} is not supported.")
        self.release, self.usage = release, usage or "all"

    def _nothing(self):
        return pipeline_error("Invalid data, no valid data matching the dataset API TedliumDataset. Please "
                              "check file path or dataset API.")

    def _list(self):
        parts = [self.usage] if self.usage != "all" else ["train", "test", "dev"]
        found = []
        for part in ["data"] if self.release == "release3" else parts:
            folder = os.path.join(self.dataset_dir, part)
            if not os.path.isdir(os.path.join(folder, "stm")):
                raise pipeline_error(f"Invalid file, failed to open folder: {os.path.realpath(folder)}/stm")
            for name in _entries(folder, "stm"):
                if name.endswith(".stm"):
                    path = os.path.join(folder, "stm", name)
                    with open(path, encoding="utf-8", errors="surrogateescape") as text:
                        found += [(str(number), name, folder, line)
                                  for number, line in enumerate(text.read().splitlines())]
        return [(folder, line) for _, _, folder, line in sorted(found)]         # 0, 1, 10, 11, 2, as there

    def _file_of(self, row, columns):
        folder, line = self._rows()[self._row_numbers[row]]
        return os.path.join(folder, "sph", line.partition(" ")[0] + ".sph")

    def _row(self, item):
        folder, line = item
        talk, _, speaker, start, end, identifier, said = [*line.split(" ", 6), *[""] * 6][:7]
        path = os.path.join(folder, "sph", f"{talk}.sph")
        if not talk or not os.path.isfile(path):
            raise pipeline_error(f"Invalid file, get real path failed, path={folder}/stm/{talk}.stm")
        try:
            samples, rate = _between(path, float(start), float(end))
        except ValueError:
            raise pipeline_error(f"Invalid data, failed to read data part from sph file: {path}, re-download "
                                 "dataset(make sure the data is true).") from None
        return [samples, np.array(rate, np.int32), *map(text_array, (said, talk, speaker, identifier))]


def _between(path: str, start: float, end: float) -> tuple[np.ndarray, int]:
    """The samples (1, N) of a NIST SPH file of 16 bits between two times in seconds, and its rate; ValueError
    where it does not hold them.
    """
    with open(path, "rb") as file:
        head = file.read(1024).decode("latin-1").partition("end_head")[0]
        known = {parts[0]: parts[2] for parts in map(str.split, head.splitlines()) if len(parts) == 3}
        rate, big = int(known.get("sample_rate", "")), known.get("sample_byte_format") == "10"
        first, last = int(start * rate), int(end * rate)
        if known.get("sample_n_bytes", "2") != "2" or not 0 <= first <= last:
            raise ValueError
        file.seek(1024 + 2 * first)
        samples = np.frombuffer(file.read(2 * (last - first)), ">i2" if big else "<i2")
    if len(samples) < last - first:
        raise ValueError
    return (samples.astype(np.float32) / np.float32(32767))[None], rate
