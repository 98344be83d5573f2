"""Published sets of small images in packed files: QMNIST, USPS, the patches of Photo Tourism; and made-up
ones."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from ms2torch._core.random.distributions import doubles
from ms2torch._core.random.engines import MT19937

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import (
    INT32_MAX,
    check_dir,
    check_source_arguments,
    check_valid_str,
    check_value,
    type_check,
)
from ._files import FilesDataset
from ._listed import ListedDataset, image_file
from ._scenes import text_lines
from ._sources import MappableDataset, check_source
from .datasets import VisionBaseDataset
from .samplers import Shuffle


class QMnistDataset(ListedDataset, VisionBaseDataset):
    """QMNIST (``mindspore.dataset.QMnistDataset``): ``image`` (28, 28, 1) uint8 and ``label`` uint32, the
    digit, or with ``compat=False`` all that is known, (8,).

    ``usage``: train, test, test10k (its first 10,000), test50k (the others), nist or all (default).
    """

    _parts = {"train": ("qmnist-train", 0, None), "test": ("qmnist-test", 0, None),
              "test10k": ("qmnist-test", 0, 10000), "test50k": ("qmnist-test", 10000, 50000),
              "nist": ("xnist", 0, None)}

    def __init__(self, dataset_dir, usage=None, compat=True, num_samples=None, num_parallel_workers=None,
                 shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, [*self._parts, "all"], "usage")
        type_check(compat, (bool,), "compat")
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.usage, self.compat = dataset_dir, usage or "all", compat

    def _list(self):
        found = []
        for usage in ("train", "test", "nist") if self.usage == "all" else (self.usage,):
            name, first, count = self._parts[usage]
            images = _numbers(self.dataset_dir, f"{name}-images-idx3-ubyte", 0x803, (28, 28), "u1", first,
                              count)
            labels = _numbers(self.dataset_dir, f"{name}-labels-idx2-int", 0xC02, (8,), ">i4", first, count)
            if len(images) != len(labels):
                raise pipeline_error("Invalid data, num of images should be equal to num of labels, but "
                                     f"got num of images: {len(images)}, num of labels: {len(labels)}.")
            path = os.path.join(self.dataset_dir, f"{name}-images-idx3-ubyte")
            found += [(path, *one) for one in zip(images, labels, strict=True)]
        return found

    def _labels(self):
        return [int(label[0]) for *_, label in self._rows()]

    def _row(self, item):
        _, image, label = item
        label = label.astype(np.uint32)
        return [image[..., None].copy(), np.array(label[0]) if self.compat else label]


# What MindSpore says of a file that is too short for its head, of another kind, of other axes, of another
# length; what it calls expected is what the file has.
_QMNIST_WORDS = {
    "ubyte": ("Invalid qmnist file, the first data length of {path} should be 16 bytes(contains type, "
              "number, row and column), but got {found}.",
              "Invalid qmnist file, the image number of {path} should be {wanted}, but got {found}",
              "Invalid qmnist file, shape of image in {path} should be (28, 28), but got {found}.",
              "Invalid qmnist file, truncated data length of {path} should be {wanted}, but got {found}"),
    "int": ("Invalid file, load {path} failed: the first 12 bytes of the label file should be type, number "
            "and length, but got the first read bytes : {found}",
            "Invalid label file, the number of labels loading from {path} should be {wanted}, but got "
            "{found}.",
            "Invalid data, length of every label loading from {path} should be equal to 8, but got {found}.",
            "Invalid data, the total bytes of labels loading from Qmnist label file: {path} should be "
            "{wanted}, but got {found}."),
}


def _numbers(folder, name, magic, shape, kind, first, count) -> np.ndarray:
    """Rows ``first`` ... of an idx file."""
    path = os.path.join(os.path.realpath(folder), name)
    if not os.path.isfile(path):
        raise pipeline_error(f"Invalid file path, Qmnist data file: {path} does not exist or is a directory.")
    data = Path(path).read_bytes()
    head, words = 8 + 4 * len(shape), _QMNIST_WORDS[name.split("-")[-1]]
    if len(data) < head:
        raise pipeline_error(words[0].format(path=path, found=len(data)))
    kind_of_file, rows, *axes = np.frombuffer(data[:head], ">u4").tolist()
    if kind_of_file != magic:
        raise pipeline_error(words[1].format(path=path, wanted=magic, found=kind_of_file))
    if tuple(axes) != shape:
        raise pipeline_error(words[2].format(path=path, found=axes[0] if len(axes) == 1 else tuple(axes)))
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    if len(data) - head != rows * size:
        raise pipeline_error(words[3].format(path=path, wanted=len(data) - head, found=rows * size))
    rows = rows if count is None else count
    body = data[head + first * size:head + (first + rows) * size]
    if len(body) != rows * size:
        raise pipeline_error(f"Invalid file, failed to read {rows * size} bytes from {path}: the data file "
                             "is damaged or the content is incomplete.")
    return np.frombuffer(body, kind).reshape(rows, *shape)


_WHOLE, _REAL = re.compile(r"\s*[+-]?\d+"), re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.I)


def _number(pattern: re.Pattern, text: str, name: str) -> str:
    """The number that a text begins with, as C++'s ``stoi`` or ``stof``."""
    found = pattern.match(text)
    if found is None:
        raise pipeline_error(name)
    return found[0]


class USPSDataset(FilesDataset, VisionBaseDataset):
    """USPS digits (``mindspore.dataset.USPSDataset``): ``image`` (16, 16, 1) uint8 and ``label`` uint32.

    ``usage``: train, test or all (default).
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, ["train", "test", "all"], "usage")
        check_source_arguments(num_samples, num_parallel_workers, None, num_shards, shard_id)
        self.dataset_dir, self.usage = dataset_dir, usage or "all"
        root = os.path.realpath(dataset_dir)
        super().__init__([os.path.join(root, name) for one, name in (("train", "usps"), ("test", "usps.t"))
                          if self.usage in (one, "all")],
                         num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    @staticmethod
    def _found(patterns):
        return patterns

    def _nothing(self):
        files = "".join(f" {file}" for file in self.dataset_files)
        return nothing_read("'USPSDataset'", f"file: {files}")

    def _columns(self):
        return ["image", "label"]

    def _rows_of(self, file):
        for line in self._lines(file):
            fields = line.split(" ")[:-1]                              # each ends with a space
            label = int(_number(_WHOLE, fields[0], "stoi")) if fields else 0
            if not -2**31 <= label < 2**31:
                raise pipeline_error("stoi")
            values = np.zeros(256, np.float32)
            for number, field in enumerate(fields[1:257], 1):
                key, colon, value = field.partition(":")
                if not colon:
                    raise pipeline_error("Invalid data, split character ':' is missing in USPS data file.")
                if key != str(number):
                    raise pipeline_error(f"Invalid data, the character before ':' should be {number}, "
                                         f"but got {key}.")
                values[number - 1] = _number(_REAL, value, "stof")
            if len(fields) != 257:
                raise pipeline_error("Invalid data, the number of split characters ':' in USPS data "
                                     f"file is corrupted, should be 257, but got {len(fields)}.")
            image = ((values.astype(np.float64) + 1) / 2 * 255).astype(np.uint8).reshape(16, 16, 1)
            yield [image, np.array(label - 1).astype(np.uint32)]

    def _count_of(self, file):
        return sum(1 for _ in self._lines(file))

    @staticmethod
    def _lines(file):
        if not os.path.isfile(file):
            usage = "test" if file.endswith(".t") else "train"
            raise pipeline_error(f"Invalid file, USPS dataset {usage} file: {file} does not exist or is a "
                                 "directory.")
        with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
            yield from filter(None, (line.removesuffix("\n") for line in text))


_NAMES = ["notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris", "liberty_harris"]
_SHEETS = 64            # of 256 patches each, a megabyte, that stay read


class PhotoTourDataset(ListedDataset, VisionBaseDataset):
    """Patches of Photo Tourism (``mindspore.dataset.PhotoTourDataset``): ``image`` (64, 64, 1) uint8, each
    patch; of the test ``image1``, ``image2`` and ``matches`` uint32, 1 where both show the same point.

    ``usage``: train (default) or test.
    """

    _shared = ("_items", "_sheets", "_points")
    _names = ("image1", "image2", "matches")

    def __init__(self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, ["train", "test"], "usage")
        check_valid_str(name, _NAMES, "name")
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.name, self.usage = dataset_dir, name, usage or "train"
        self._sheets: dict[int, np.ndarray] = {}
        self._points: list[int] = []

    def _columns(self):
        return ["image"] if self.usage == "train" else list(self._names)

    def _list(self):
        folder = os.path.join(self.dataset_dir, self.name)
        if not os.path.isdir(folder):
            raise pipeline_error(f"{folder} does not exist.")
        points = text_lines(os.path.join(os.path.realpath(folder), "info.txt"), "PhotoTour")
        if self.usage == "train":
            self._points = [int(line.split()[0]) for line in points]
            return [(number,) for number in range(len(points))]
        found = []
        for line in text_lines(os.path.join(os.path.realpath(folder), "m50_100000_100000_0.txt"),
                               "PhotoTour"):
            fields = line.split()
            if len(fields) < 7:
                raise pipeline_error("Invalid data, data file may not suitable to read with "
                                     f"PhotoTourDataset API.Check file in directory: {folder}")
            found.append((int(fields[0]), int(fields[3]), int(fields[1] == fields[4])))
        return found

    def _labels(self):
        """Which point a patch shows, or whether two show the same."""
        rows = self._rows()
        return self._points if self.usage == "train" else [match for *_, match in rows]

    def _sheet(self, number: int) -> str:
        return os.path.join(self.dataset_dir, self.name, f"patches{number:04}.bmp")

    def _file_of(self, row, columns):
        return self._sheet(self._rows()[self._row_numbers[row]][0] // 256)

    def _patch(self, number: int) -> np.ndarray:
        sheet, place = divmod(number, 256)
        if sheet not in self._sheets:
            if len(self._sheets) >= _SHEETS:
                self._sheets.pop(next(iter(self._sheets)))
            self._sheets[sheet] = image_file(self._sheet(sheet), decode=True)[..., :1]
        top, left = 64 * (place // 16), 64 * (place % 16)
        return self._sheets[sheet][top:top + 64, left:left + 64].copy()

    def _row(self, item):
        if len(item) == 1:
            return [self._patch(item[0])]
        return [self._patch(item[0]), self._patch(item[1]), np.array(item[2], np.uint32)]


class FakeImageDataset(MappableDataset, VisionBaseDataset):
    """Made-up images (``mindspore.dataset.FakeImageDataset``): ``image`` uint8 of ``image_size``, ``label``
    uint32 below ``num_classes``, both drawn with the seed ``base_seed`` plus the row's number, as MindSpore's
    are to the bit: the bytes of positive normal numbers.
    """

    def __init__(self, num_images=1000, image_size=(224, 224, 3), num_classes=10, base_seed=0,
                 num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        _check_positive(num_images, "num_images")
        type_check(image_size, (list, tuple), "image_size")
        if len(image_size) != 3:
            raise ValueError(f"image_size should be a list or tuple of length 3, but got {len(image_size)}")
        for number, size in enumerate(image_size):
            _check_positive(size, f"image_size[{number}]")
        _check_positive(num_classes, "num_classes")
        type_check(base_seed, (int,), "base_seed")
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.num_images, self.image_size, self.num_classes = num_images, tuple(image_size), num_classes
        self.base_seed = base_seed

    def _columns(self):
        return ["image", "label"]

    def _source_size(self):
        return self.num_images

    def _label(self, number: int) -> int:
        return MT19937(self.base_seed + number & 0xFFFFFFFF).integer(0, self.num_classes - 1)

    def _labels(self):
        return list(map(self._label, range(self.num_images)))

    def _reader(self):
        size = int(np.prod(self.image_size))

        def read(number):
            normals = np.maximum(_normals(MT19937(self.base_seed + number & 0xFFFFFFFF), -(-size // 8)), 0)
            image = normals.view(np.uint8)[:size].reshape(self.image_size).copy()
            return [image, np.array(self._label(number), np.uint32)]

        return read


def _check_positive(value, name: str) -> None:
    type_check(value, (int,), name)
    check_value(value, [1, INT32_MAX], name)


def _normals(engine, count: int) -> np.ndarray:
    """``count`` of a ``std::normal_distribution<double>`` that an engine of its own feeds."""
    found, have = [], 0
    while have < count:
        points = doubles(engine, 2 * (count - have) + 16) * 2 - 1
        x, y = points[0::2], points[1::2]
        r2 = x * x + y * y
        inside = (r2 <= 1) & (r2 > 0)
        x, y, r2 = x[inside], y[inside], r2[inside]
        scale = np.sqrt(-2 * np.log(r2) / r2)
        found.append(np.stack((y * scale, x * scale), axis=1).ravel())
        have += found[-1].size
    return np.concatenate(found)[:count]
