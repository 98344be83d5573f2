"""Datasets of images in their published file formats (``mindspore.dataset.engine.datasets_vision``)."""

from __future__ import annotations

import math
import operator
import os
from pathlib import Path

import numpy as np

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import check_dir, check_source_arguments, check_valid_str, type_check
from ._annotated import CocoDataset, VOCDataset
from ._digits import FakeImageDataset, PhotoTourDataset, QMnistDataset, USPSDataset
from ._faces import LFWDataset, WIDERFaceDataset
from ._labelled import CelebADataset, FlickrDataset, ManifestDataset
from ._listed import image_file
from ._matlab import Caltech101Dataset, Flowers102Dataset, SBDataset, SVHNDataset
from ._pictures import (
    Caltech256Dataset,
    CityscapesDataset,
    DIV2KDataset,
    Food101Dataset,
    OmniglotDataset,
    RenderedSST2Dataset,
    SemeionDataset,
    STL10Dataset,
)
from ._random_rows import RandomDataset
from ._scenes import KITTIDataset, LSUNDataset, Places365Dataset, SBUDataset, SUN397Dataset
from ._sources import MappableDataset, check_source
from .datasets import VisionBaseDataset

__all__ = [
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CityscapesDataset",
    "CocoDataset",
    "DIV2KDataset",
    "EMnistDataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "ImageFolderDataset",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LSUNDataset",
    "ManifestDataset",
    "MnistDataset",
    "OmniglotDataset",
    "PhotoTourDataset",
    "Places365Dataset",
    "QMnistDataset",
    "RandomDataset",
    "RenderedSST2Dataset",
    "SBDataset",
    "SBUDataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "SemeionDataset",
    "USPSDataset",
    "VOCDataset",
    "WIDERFaceDataset",
]


class _InMemory(MappableDataset, VisionBaseDataset):
    """Images of one size, read as a whole on first need: (N, H, W, C) and label columns."""

    _shared = ("_data", "_files")
    _names = ("image", "label")
    _usages = ("train", "test", "all")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, list(self._usages), "usage")
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.usage = dataset_dir, usage or "all"
        self._data = None
        self._files: list[tuple[str, int]] = []            # and how many rows each has

    def _read(self) -> list[np.ndarray]:
        """The columns, from the files, which it tells to ``_files``."""
        raise NotImplementedError

    def _loaded(self):
        if self._data is None:
            self._data = self._read()
        return self._data

    def _columns(self):
        return list(self._names)

    def _source_size(self):
        return len(self._loaded()[0])

    def _file_of(self, row, columns):
        number = self._row_numbers[row]
        for file, count in self._files:
            if number < count:
                return file
            number -= count
        return None

    def _labels(self):
        return self._loaded()[-1].tolist()

    def _reader(self):
        columns = self._loaded()
        if not len(columns[0]):
            raise self._nothing()
        return lambda number: [np.array(column[number]) for column in columns]


class _MnistDataset(_InMemory):
    """Images and labels in the files of MNIST."""

    _told = "mnist"                                  # in the error of no images
    _parts = {"test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
              "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")}

    def _nothing(self):
        return nothing_read(type(self).__name__, f"{self._told} file in directory: {self.dataset_dir}")

    def _wrong(self, text: str) -> RuntimeError:
        return pipeline_error(f"Invalid {self._told} file, {text}")

    def _read(self):
        pairs = [names for usage, names in self._parts.items() if self.usage in (usage, "all")]
        files = [[file for names in pairs if (file := Path(self.dataset_dir) / names[kind]).is_file()]
                 for kind in (0, 1)]
        self._paired(*map(len, files))
        images = [self._idx(file, 2051, (28, 28)) for file in files[0]]
        labels = [self._idx(file, 2049, ()) for file in files[1]]
        for image, label in zip(images, labels, strict=True):
            self._paired(len(image), len(label))
        self._files = [(str(file), len(image)) for file, image in zip(files[0], images, strict=True)]
        return [np.concatenate([np.zeros((0, 28, 28), np.uint8), *images])[..., None],
                np.concatenate([np.zeros(0, np.uint8), *labels]).astype(np.uint32)]

    def _paired(self, images: int, labels: int) -> None:
        if images != labels:
            raise self._wrong("num of images should be equal to num of labels, but got num of images: "
                              f"{images}, num of labels: {labels}.")

    def _idx(self, file: Path, magic: int, shape: tuple[int, ...]) -> np.ndarray:
        """The array in an idx file of unsigned bytes, of items of a shape."""
        data, path = file.read_bytes(), os.path.realpath(file)
        head = 16 if shape else 8
        if len(data) < head:
            told = "type, number, row and column" if shape else "type and number"
            raise self._wrong(f"the first data length of {path} should be {head} bytes(contains {told}), but "
                              f"got {len(data)}.")
        kind, count, *axes = np.frombuffer(data[:head], ">u4").tolist()
        if kind != magic:
            told = f"the image number of {path} should be {magic}, but got {kind}" if shape else \
                f"the number of labels in {path} should be {magic}, but got {kind}."
            raise self._wrong(told)
        if tuple(axes) != shape:
            raise self._wrong(f"shape of image in {path} should be {shape}, but got {tuple(axes)}.")
        size, there = count * math.prod(shape), len(data) - head
        if size != there:
            told = f"truncated data length of {path} should be {there}, but got {size}" if shape else \
                f"the data length of labels in {path} should be {there}, but got {size}."
            raise self._wrong(told)
        return np.frombuffer(data, np.uint8, size, head).reshape(count, *shape)


class MnistDataset(_MnistDataset):
    """Handwritten digits from MNIST's idx files: ``image`` (28, 28, 1) uint8 and ``label`` uint32.

    ``usage``: "train", "test", or "all" (default), which reads what is there, the test digits first.
    """


class FashionMnistDataset(_MnistDataset):
    """Fashion-MNIST, in MNIST's files (``mindspore.dataset.FashionMnistDataset``)."""

    _told = "fashion mnist"


class EMnistDataset(_MnistDataset):
    """EMNIST, in MNIST's files (``mindspore.dataset.EMnistDataset``).

    ``name``: byclass, bymerge, balanced, letters, digits or mnist. The images lie on their side, as in the
    files.
    """

    _told = "emnist"

    def __init__(self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        check_source_arguments(num_samples, num_parallel_workers, shuffle)
        check_dir(dataset_dir)
        check_valid_str(name, ["byclass", "bymerge", "balanced", "letters", "digits", "mnist"], "name")
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards,
                         shard_id, cache)
        self.name = name
        self._parts = {}
        for one in ("test", "train"):
            base = f"emnist-{name}-{one}"
            self._parts[one] = f"{base}-images-idx3-ubyte", f"{base}-labels-idx1-ubyte"


class KMnistDataset(_MnistDataset):
    """Kuzushiji-MNIST, in MNIST's files (``mindspore.dataset.KMnistDataset``)."""

    _told = "kmnist"


class _CifarDataset(_InMemory):
    """What the two collections of CIFAR have in common."""

    _marks = 1                                     # bytes of labels before each image
    _set = 10
    _test = {"test_batch.bin": 10000}              # files and the images in each
    _train = {f"data_batch_{i}.bin": 10000 for i in range(1, 6)}

    def _nothing(self):
        return nothing_read(type(self).__name__, f"file in directory:{self.dataset_dir}")

    def _read(self):
        if not any(Path(self.dataset_dir).glob("*.bin")):
            raise pipeline_error("Invalid cifar folder, cifar(.bin) files are missing under "
                                 f"{self.dataset_dir}")
        parts, files = [], []
        wanted = {"train": self._train, "test": self._test, "all": self._train | self._test}[self.usage]
        for name, count in wanted.items():
            file = Path(self.dataset_dir) / name
            if not file.is_file():
                continue
            if file.stat().st_size != count * (self._marks + 3072):
                raise pipeline_error(f"Invalid cifar{self._set} file, failed to read data from: {file}, "
                                     f"re-download dataset(make sure it is CIFAR-{self._set} binary "
                                     "version).")
            parts.append(np.fromfile(file, np.uint8).reshape(count, self._marks + 3072))
            files.append((str(file), count))
        if not parts:
            parts.append(np.zeros((0, self._marks + 3072), np.uint8))
        rows, self._files = np.concatenate(parts), files
        images = rows[:, self._marks:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels = [rows[:, i].astype(np.uint32) for i in range(self._marks)]
        return [np.ascontiguousarray(images), *labels]


class Cifar10Dataset(_CifarDataset):
    """CIFAR-10 from its binary files: ``image`` (32, 32, 3) uint8 and ``label`` uint32."""


class Cifar100Dataset(_CifarDataset):
    """CIFAR-100 from its binary files: ``image``, ``coarse_label`` and ``fine_label``."""

    _names = ("image", "coarse_label", "fine_label")
    _marks = 2
    _set = 100
    _test = {"test.bin": 10000}
    _train = {"train.bin": 50000}


class ImageFolderDataset(MappableDataset, VisionBaseDataset):
    """Images in one folder per class: ``image`` (the file's bytes, or RGB (H, W, 3) with ``decode``) and
    ``label`` int32.

    Classes are numbered in the order of the folders' names, unless ``class_indexing`` numbers (and selects)
    them. Every file counts as an image, unless ``extensions`` says which endings do.
    """

    _shared = ("_found", "decrypt")

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 extensions=None, class_indexing=None, decode=False, num_shards=None, shard_id=None,
                 cache=None,
                 decrypt=None):
        check_dir(dataset_dir)
        if decrypt is not None and not callable(decrypt):
            raise TypeError(f"Argument decrypt is not a callable object, but got {type(decrypt)}")
        for name, value, kind in (("extensions", extensions, list), ("class_indexing", class_indexing, dict)):
            if value is not None:
                type_check(value, (kind,), name)
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.decode, self.decrypt = dataset_dir, bool(decode), decrypt
        self.extensions = [str(ending).lower() for ending in extensions] if extensions else None
        self.class_indexing = class_indexing or {}
        self._found = None

    def _nothing(self) -> RuntimeError:
        return nothing_read("ImageFolderDataset", f"image folder file path: {self.dataset_dir}")

    def _files(self) -> list[tuple[str, int]]:
        """Path and label of every image."""
        if self._found is None:
            folders = self._folders()
            # As MindSpore, which tells of a label that is no whole number when it reads.
            numbers = {name: operator.index(label) for name, label in self.class_indexing.items()}
            numbers = numbers or {name: i for i, name in enumerate(folders)}
            endings = tuple(self.extensions or [""])
            found = []
            for folder in folders:
                if folder in numbers:
                    base = os.path.join(self.dataset_dir, folder)
                    found += [(os.path.join(base, name), numbers[folder]) for name in sorted(os.listdir(base))
                              if name.lower().endswith(endings)]
            self._found = found
        return self._found

    def _columns(self):
        return ["image", "label"]

    def _file_of(self, row, columns):
        return self._files()[self._row_numbers[row]][0] if "image" in columns else None

    def _source_size(self):
        return len(self._files())

    def _labels(self):
        return [label for _, label in self._files()]

    def _reader(self):
        files, decode, decrypt = self._files(), self.decode, self.decrypt
        if not files:
            raise self._nothing()

        def read(number):
            path, label = files[number]
            if os.path.isdir(path):
                raise pipeline_error(f"Invalid file found: {path}, should be file, but got directory.")
            return [image_file(path, decode, decrypt), np.array(label, np.int32)]

        return read

    def _folders(self) -> list[str]:
        return sorted(entry.name for entry in os.scandir(self.dataset_dir) if entry.is_dir())

    def num_classes(self):
        folders = self._folders()
        missing = next((name for name in self.class_indexing or () if name not in folders), None)
        if missing is not None:
            raise pipeline_error(f"Invalid subdirectory, class: {missing} doesn't exist in "
                                 f"{self.dataset_dir} .")
        return len(self.class_indexing or folders)

    def get_class_indexing(self):
        """From the folder's name to its label."""
        folders = self._folders()
        if not folders:
            raise self._nothing()
        return self.class_indexing or {name: i for i, name in enumerate(folders)}
