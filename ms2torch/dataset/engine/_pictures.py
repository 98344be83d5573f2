"""Published sets of images: in folders, in pairs, or packed in binary files."""

from __future__ import annotations

import json
import os

import numpy as np

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import check_dir, check_file, check_valid_str, type_check
from ._files import text_array
from ._listed import ListedDataset
from ._sources import check_source
from .datasets import VisionBaseDataset


class _Folders(ListedDataset, VisionBaseDataset):
    """Images in folders that tell their labels: a subclass lists (path, label)."""

    _kind = np.int32                                 # of the labels
    _usages: tuple[str, ...] = ()

    def _set_up(self, dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                shard_id,
                cache, usage=None):
        check_dir(dataset_dir)
        if usage is not None and self._usages:
            check_valid_str(usage, list(self._usages), self._usage_name)
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.decode, self.usage = dataset_dir, bool(decode), usage

    _usage_name = "usage"

    def _labels(self):
        return [label for _, label in self._rows()]

    def _row(self, item):
        label = text_array(item[1]) if self._kind is None else np.array(item[1], self._kind)
        return [self._image(item[0]), label]


def _needed(told: str, *folder: str) -> None:
    """RuntimeError, by what is told of the path, unless a folder is there."""
    path = os.path.join(*folder)
    if not os.path.isdir(path):
        raise pipeline_error(told.format(path))


def _inside(*folder: str) -> list[str]:
    """What a folder holds, sorted, as paths; nothing where there is none."""
    path = os.path.join(*folder)
    return [os.path.join(path, name) for name in sorted(os.listdir(path))] if os.path.isdir(path) else []


def _folders(*folder: str) -> list[str]:
    """The folders in a folder, sorted."""
    return list(filter(os.path.isdir, _inside(*folder)))


def _images(endings, *folder: str) -> list[str]:
    """The files in a folder with names that end so."""
    return [path for path in _inside(*folder) if path.endswith(endings) and os.path.isfile(path)]


class Caltech256Dataset(_Folders):
    """Caltech 256 (``mindspore.dataset.Caltech256Dataset``): ``image`` and ``label``, int32, the number
    of the folder among all in the order of their names.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id,
                     cache)

    def _nothing(self):
        return nothing_read("CaltechDataset", f"caltech file path: {self.dataset_dir}")

    def _list(self):
        return [(path, label) for label, folder in enumerate(_folders(self.dataset_dir))
                for path in _images((".jpg", ".JPEG"), folder)]

    def num_classes(self):
        return len(_folders(self.dataset_dir))


class OmniglotDataset(_Folders):
    """Omniglot (``mindspore.dataset.OmniglotDataset``): ``image`` and ``label``, int32, the number of the
    character among those of all alphabets. ``background``: the background set (default) or the evaluation
    set.
    """

    def __init__(self, dataset_dir, background=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        if background is not None:
            check_dir(dataset_dir)
            type_check(background, (bool,), "background")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id,
                     cache)
        self.background = background is None or background

    def _characters(self) -> list[str]:
        root = os.path.join(self.dataset_dir,
                            "images_background" if self.background else "images_evaluation")
        _needed("Invalid parameter, input path is invalid or not set, path: {}", root)
        return [character for alphabet in _folders(root) for character in _folders(alphabet)]

    def _list(self):
        return [(path, label) for label, character in enumerate(self._characters())
                for path in _inside(character)]

    def num_classes(self):
        return len(self._characters())


class RenderedSST2Dataset(_Folders):
    """Sentences of SST-2 as images (``mindspore.dataset.RenderedSST2Dataset``): ``image`` and ``label``,
    uint32, the number of the folder's name among those in use. ``usage``: train, test, val or all
    (default).
    """

    _kind = np.uint32
    _usages, _usage_name = ("val", "all", "train", "test"), ""

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id,
                     cache, usage)

    def _nothing(self):
        return nothing_read("RenderedSST2Dataset", f"rendered sst2 file path: {self.dataset_dir}")

    def _list(self):
        used = {"train": ("train",), "test": ("test",), "val": ("valid",)}.get(self.usage, ("test", "train",
                                                                                            "valid"))
        folders = [folder for one in used for folder in _folders(self.dataset_dir, one)]
        self._numbers_of = {name: number for number,
                            name in enumerate(sorted({os.path.basename(one) for one in folders}))}
        return [(path, self._numbers_of[os.path.basename(folder)])
                for folder in folders for path in _images(".png", folder)]

    def num_classes(self):
        self._list()
        return len(self._numbers_of)


class Food101Dataset(_Folders):
    """Food 101 (``mindspore.dataset.Food101Dataset``): ``image`` and ``label``, the name of the dish,
    text.

    ``usage``: train, test or all (default).
    """

    _kind = None
    _usages = ("train", "test", "all")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id,
                     cache, usage)

    def _list(self):
        _needed("Invalid path, Food101 image path: {} does not exist.", self.dataset_dir, "images")
        found = []
        for one in ("train", "test") if self.usage in (None, "all") else (self.usage,):
            path = os.path.join(self.dataset_dir, "meta", one + ".txt")
            if not os.path.isfile(path):
                raise pipeline_error(f"Invalid file, failed to open text:{os.path.realpath(path)}, the file "
                                     "is damaged or permission denied.")
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                found += [(os.path.join(self.dataset_dir, "images", line + ".jpg"), line.split("/")[0])
                          for line in file.read().split()]
        return found


# ---- pairs of images ---------------------------------------------------------------------------------------


class DIV2KDataset(_Folders):
    """DIV2K (``mindspore.dataset.DIV2KDataset``): ``hr_image`` and the same at a lower resolution,
    ``lr_image``.

    ``usage``: train, valid or all; ``downgrade``: bicubic, unknown, mild, difficult or wild; ``scale``:
    2, 3, 4, or 8 for bicubic; the last three downgrades have 4 only.
    """

    _names = ("hr_image", "lr_image")
    _usages = ("train", "valid", "all")

    def __init__(self, dataset_dir, usage="train", downgrade="bicubic", scale=2, num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None,
                 shard_id=None,
                 cache=None):
        check_dir(dataset_dir)
        check_valid_str(usage, list(self._usages), "usage")
        check_valid_str(downgrade, ["bicubic", "unknown", "mild", "difficult", "wild"], "downgrade")
        type_check(scale, (int,), "scale")
        scales = [2, 3, 4, 8]
        if scale not in scales:
            raise ValueError(f"Input scale is not within the valid set of {scales}.")
        if scale == 8 and downgrade != "bicubic":
            raise ValueError("DIV2KNode: scale equal to 8 is allowed only in bicubic downgrade.")
        if downgrade in ("mild", "difficult", "wild") and scale != 4:
            raise ValueError(f"DIV2KNode: {downgrade} downgrade requires scale equal to 4.")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id,
                     cache, usage)
        self.downgrade, self.scale = downgrade, scale

    def _list(self):
        found = []
        for one in ("train", "valid") if self.usage == "all" else (self.usage,):
            if self.scale == 8:
                low = [f"DIV2K_{one}_LR_x8"]
            elif self.downgrade in ("bicubic", "unknown"):
                low = [f"DIV2K_{one}_LR_{self.downgrade}", f"X{self.scale}"]
            else:
                low = [f"DIV2K_{one}_LR_{self.downgrade}"]
            mark = self.downgrade[0] if len(low) == 1 and self.scale != 8 else ""
            high = f"DIV2K_{one}_HR"
            _needed("Invalid path, div2k hr image dir: {} is not a directory.", self.dataset_dir, high)
            for path in _images(".png", self.dataset_dir, high):
                name, ending = os.path.splitext(os.path.basename(path))
                found.append((path, os.path.join(self.dataset_dir, *low,
                                                 f"{name}x{self.scale}{mark}{ending}")))
        return found

    def _row(self, item):
        return [self._image(path) for path in item]


class CityscapesDataset(_Folders):
    """Cityscapes (``mindspore.dataset.CityscapesDataset``): ``image`` and what ``task`` says of it,
    ``task``: images of instances, of classes ("semantic") or of colours, or polygons, JSON as text.

    ``usage``: train, test, val or all; with ``quality_mode`` "coarse" train, train_extra, val or all.
    """

    _names = ("image", "task")
    _endings = {"instance": "_instanceIds.png", "semantic": "_labelIds.png", "color": "_color.png",
                "polygon": "_polygons.json"}

    def __init__(self, dataset_dir, usage="train", quality_mode="fine", task="instance", num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None,
                 shard_id=None,
                 cache=None):
        check_dir(dataset_dir)
        check_valid_str(task, ["instance", "semantic", "polygon", "color"], "task")
        check_valid_str(quality_mode, ["fine", "coarse"], "quality_mode")
        third = "test" if quality_mode == "fine" else "train_extra"
        check_valid_str(usage, ["train", third, "val", "all"], "usage")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id,
                     cache, usage)
        self.quality_mode, self.task, self._all = quality_mode, task, ("train", third, "val")

    def _list(self):
        marks = "gtFine" if self.quality_mode == "fine" else "gtCoarse"
        found = []
        for one in self._all if self.usage == "all" else (self.usage,):
            part = (self.dataset_dir, "leftImg8bit", one)
            _needed("Invalid path, Cityscapes Dataset image dir: {} is not a directory path.", *part)
            for city in _inside(*part):
                for path in _images(".png", city):
                    name = os.path.basename(path).removesuffix("_leftImg8bit.png")
                    found.append((path, os.path.join(self.dataset_dir, marks, one, os.path.basename(city),
                                                     f"{name}_{marks}{self._endings[self.task]}")))
        return found

    def _row(self, item):
        if self.task != "polygon":
            return [self._image(path) for path in item]
        if not os.path.isfile(item[1]):
            raise pipeline_error("Invalid file, Cityscapes Dataset task file: "
                                 f"{os.path.realpath(item[1])} does not exist.")
        try:
            with open(item[1], encoding="utf-8") as file:
                polygons = json.load(file)
        except ValueError as error:
            raise pipeline_error(f"[json.exception.parse_error.101] parse error in {item[1]}: "
                                 f"{error}") from error
        text = json.dumps(polygons, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return [self._image(item[0]), np.array(text)]


# ---- binary files ------------------------------------------------------------------------------------------


class STL10Dataset(_Folders):
    """STL-10 (``mindspore.dataset.STL10Dataset``): ``image`` (96, 96, 3) uint8 and ``label`` int32, -1
    for an image without. ``usage``: train, test, unlabeled, train+unlabeled, or all (default).
    """

    _bytes = 3 * 96 * 96
    _usages = ("train", "test", "unlabeled", "train+unlabeled", "all")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, None, sampler, num_shards,
                     shard_id,
                     cache, usage)
        # (Without a usage it looks when rows are read; the images to train on come first.)
        for one in sorted(self._parts(), key="test".__eq__) if usage is not None else ():
            check_file(os.path.join(dataset_dir, one + "_X.bin"))
            if one != "unlabeled":
                check_file(os.path.join(dataset_dir, one + "_y.bin"))

    def _parts(self) -> list[str]:
        return ["test", "train", "unlabeled"] if self.usage in (None, "all") else self.usage.split("+")

    def _list(self):
        found = []
        for one in self._parts():
            path = os.path.join(self.dataset_dir, one + "_X.bin")
            listed = os.path.join(self.dataset_dir, one + "_y.bin")
            for needed in [path] if one == "unlabeled" else [path, listed]:
                if not os.path.isfile(needed):
                    raise pipeline_error(f"Invalid file, failed to find STL10 {self.usage or 'all'} data "
                                         f"file: {os.path.realpath(needed)}")
            count = os.path.getsize(path) // self._bytes
            labels = np.full(count, -1, np.int32)
            if one != "unlabeled":
                labels = np.fromfile(listed, np.int8).astype(np.int32) - 1
            if len(labels) != count:
                raise pipeline_error(f"Invalid data, {path} holds {count} images, but there are "
                                     f"{len(labels)} labels.")
            found += [((path, number), int(label)) for number, label in enumerate(labels)]
        return found

    def _image(self, place):
        path, number = place
        image = np.fromfile(path, np.uint8, self._bytes, offset=number * self._bytes)
        return np.ascontiguousarray(image.reshape(3, 96, 96).transpose(2, 1, 0))


class SemeionDataset(_Folders):
    """Semeion handwritten digits (``mindspore.dataset.SemeionDataset``): ``image`` (16, 16) uint8, 0 or
    1, and ``label`` uint32.
    """

    _kind = np.uint32

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, None, sampler, num_shards,
                     shard_id,
                     cache)

    def _file_of(self, row, columns):
        return os.path.join(self.dataset_dir, "semeion.data")

    def _list(self):
        path = self._file_of(0, ())
        if not os.path.isfile(path):
            raise pipeline_error(f"Invalid file, failed to find semeion file: {self.dataset_dir}")
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file if line.strip()]
        if any(len(line) < 266 for line in lines):
            raise pipeline_error("Invalid data, file content does not match SemeionDataset.")
        try:
            rows = [np.array(line, np.float64) for line in lines]
        except ValueError as error:
            raise pipeline_error("Invalid data, image data in file should be in type of uint8: "
                                 f"{error}") from None
        return [(row[:256].astype(np.uint8).reshape(16, 16), int(row[256:266].argmax())) for row in rows]

    def _image(self, image):
        return image.copy()
