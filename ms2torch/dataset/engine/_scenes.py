"""Published sets of images of scenes: LSUN, SUN397, Places365, SBU's captions, KITTI's roads."""

from __future__ import annotations

import os

import numpy as np

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import check_dir, check_file, check_valid_str, type_check
from ._pictures import _Folders, _inside, _needed
from .samplers import PKSampler

_CLASSES = ["bedroom", "bridge", "church_outdoor", "classroom", "conference_room", "dining_room", "kitchen",
            "living_room", "restaurant", "tower"]


def text_lines(path: str, told: str) -> list[str]:
    """The lines of a text file that are not empty; RuntimeError where it is missing or empty."""
    if not os.path.isfile(path):
        raise pipeline_error(f"Invalid file, failed to open {path}: {told} file is damaged or permission "
                             "denied.")
    with open(path, encoding="utf-8", errors="surrogateescape") as text:
        content = text.read()
    if not content:
        raise pipeline_error(f"Invalid file, the file size of {path} is unexpected, got size 0.")
    return [line for line in content.splitlines() if line.strip()]


class LSUNDataset(_Folders):
    """LSUN (``mindspore.dataset.LSUNDataset``): ``image`` and ``label`` uint32, the number of the folder
    among those in use.

    ``usage``: train, valid, test or all (default; without the test); ``classes``: a list of scenes.
    """

    _kind = np.uint32
    _usages = ("train", "test", "valid", "all")

    def __init__(self, dataset_dir, usage=None, classes=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache, usage)
        if classes is not None:
            type_check(classes, (list,), "classes")
            for one in classes:
                check_valid_str(one, _CLASSES, "classes")
        self.classes = classes or _CLASSES

    def _nothing(self):
        return nothing_read("LSUNDataset", f"lsun file path: {self.dataset_dir}")

    def _folders(self) -> list[str]:
        parts = {"train": ("train",), "valid": ("val",)}.get(self.usage, ("train", "val"))
        names = ["test"] if self.usage == "test" else [f"{one}_{part}" for one in sorted(self.classes)
                                                       for part in parts]
        return [folder for name in names if os.path.isdir(folder := os.path.join(self.dataset_dir, name))]

    def _list(self):
        return [(path, label) for label, folder in enumerate(self._folders()) for path in _inside(folder)]

    def num_classes(self):
        return 0 if self.usage == "test" else len(self._folders())


class SUN397Dataset(_Folders):
    """SUN397 (``mindspore.dataset.SUN397Dataset``): ``image`` and ``label`` uint32, the number of the line in
    ``ClassName.txt``.
    """

    _counts_nothing = False
    _kind = np.uint32

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache)

    def _nothing(self):
        return pipeline_error("Invalid data, no valid data matching the dataset API SUN397Dataset. Please "
                              f"check dataset API or file path: {self.dataset_dir}.")

    def _list(self):
        root = os.path.realpath(self.dataset_dir)
        names = [name.strip() for name in text_lines(os.path.join(root, "ClassName.txt"), "SUN397")]
        for name in names:
            if not os.path.isdir(root + name):
                raise pipeline_error(f"Invalid path, {name} does not exist or permission denied.")
        return [(path, label) for label, name in enumerate(names) for path in _inside(root + name)
                if os.path.basename(path).startswith("sun_") and path.endswith(".jpg")]


class Places365Dataset(_Folders):
    """Places365 (``mindspore.dataset.Places365Dataset``): ``image`` and ``label`` uint32, as the lists of
    files have them. ``usage``: train-standard (default), train-challenge or val; ``small``: images of 256
    pixels.
    """

    _counts_nothing = False
    _kind = np.uint32
    _usages = ("train-standard", "train-challenge", "val")

    def __init__(self, dataset_dir, usage=None, small=True, decode=False, num_samples=None,
                 num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None,
                 cache=None):
        if usage is not None:
            check_dir(dataset_dir)
            check_valid_str(usage, list(self._usages), "usage")
        type_check(small, (bool,), "small")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache, usage)
        self.small = small

    def _nothing(self):
        return pipeline_error("Invalid data, no valid data matching the dataset API Places365Dataset. "
                              f"Please check dataset API or file path: {os.path.realpath(self.dataset_dir)}.")

    def _list(self):
        root, size = os.path.realpath(self.dataset_dir), "256" if self.small else "large"
        if self.usage == "val":
            listed, folder = "places365_val.txt", f"val_{size}"
        else:
            kind = (self.usage or "train-standard").removeprefix("train-")
            listed, folder = f"places365_train_{kind}.txt", f"data_{size}_{kind}"
        text_lines(os.path.join(root, "categories_places365.txt"), "Places365")
        found = []
        for line in text_lines(os.path.join(root, listed), "Places365"):
            name, space, label = line.partition(" ")
            if not space:
                continue
            path = f"{root}/{folder}/{name}"
            if not os.path.isfile(path):
                raise pipeline_error(f"Invalid file path, Places365 image: {path} does not exists.")
            found.append((path, int(label) if label.strip().isdigit() else 0))
        return found


_SBU_HOST = "http://static.flickr.com"
_SBU_FILES = {kind: f"SBU_captioned_photo_dataset_{kind}.txt" for kind in ("urls", "captions")}


class SBUDataset(_Folders):
    """SBU's captioned photographs (``mindspore.dataset.SBUDataset``): ``image`` and ``caption``, text, of
    those that were downloaded.
    """

    _names = ("image", "caption")
    _counts_nothing = False
    _kind = None

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        for name in _SBU_FILES.values():
            check_file(os.path.join(dataset_dir, name))
        check_dir(os.path.join(dataset_dir, "sbu_images"))
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache)
        if isinstance(sampler, PKSampler):
            raise ValueError("SBUDataset doesn't support PKSampler.")

    def _nothing(self):
        return pipeline_error("Invalid data, no valid images in "
                              f"{os.path.realpath(self.dataset_dir)}/sbu_images, check SBU dataset.")

    def _list(self):
        root = os.path.realpath(self.dataset_dir)
        lines = []
        for kind in _SBU_FILES:
            path = os.path.join(root, _SBU_FILES[kind])
            with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
                lines.append([line.removesuffix("\n") for line in text])
        urls, captions = (os.path.join(root, name) for name in _SBU_FILES.values())
        found = []
        for number, (url, caption) in enumerate(zip(*lines, strict=False)):
            if not url or not caption:
                raise pipeline_error(f"Invalid data, SBU url: {urls} and caption file: {captions} load empty "
                                     f"data at line: {number}.")
            if len(url) < len(_SBU_HOST):
                raise pipeline_error(f"Invalid url in {urls}: {url}")
            path = os.path.join(root, "sbu_images", url[len(_SBU_HOST) - 1:].replace("/", "_"))
            if os.path.isfile(path):
                found.append((path, caption.rstrip(" ")))
        return found


class KITTIDataset(_Folders):
    """KITTI's objects (``mindspore.dataset.KITTIDataset``): ``image``, and of the training set for each of
    its N objects ``label`` uint32 (N, 1), the number of its name among all names, ``truncated`` float32 (N,
    1), ``occluded`` uint32 (N, 1), ``alpha`` (N, 1), ``bbox`` (N, 4), ``dimensions`` (N, 3), ``location``
    (N, 3), ``rotation_y`` (N, 1), float32. ``usage``: train (default) or test. Images without objects are
    left out.
    """

    _names = ("image", "label", "truncated", "occluded", "alpha", "bbox", "dimensions", "location",
              "rotation_y")
    _usages = ("train", "test")
    _counts_nothing = False

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache, usage)
        if isinstance(sampler, PKSampler):
            raise ValueError("KITTIDataset doesn't support PKSampler.")

    def _nothing(self):
        return pipeline_error("Invalid data, no valid data matching the dataset API KITTIDataset. Please "
                              "check file path or dataset API.")

    def _columns(self):
        return ["image"] if self.usage == "test" else list(self._names)

    def _list(self):
        part = "testing" if self.usage == "test" else "training"
        folder = (os.path.realpath(self.dataset_dir), "data_object_image_2", part, "image_2")
        _needed("Invalid path, failed to open KITTI image dir: {}, permission denied.", *folder)
        # (MindSpore counts the files, whatever their names are.)
        images = [os.path.join(*folder, f"{number:06}.png") for number in range(len(_inside(*folder)))]
        if self.usage == "test":
            return [(path,) for path in images]
        found = []
        for image in images:
            stem = os.path.splitext(os.path.basename(image))[0]
            path = os.path.join(self.dataset_dir, "data_object_label_2", part, "label_2", f"{stem}.txt")
            if not os.path.isfile(path):
                raise pipeline_error(f"Invalid path, {os.path.realpath(path)} does not exist.")
            with open(path, encoding="utf-8", errors="surrogateescape") as text:
                objects = [line.split() for line in text.read().splitlines() if line.strip()]
            if any(len(one) < 15 for one in objects):
                raise pipeline_error(f"Invalid data, an object has fewer than 15 fields in {path}")
            if objects:
                found.append((image, [one[0] for one in objects],
                              np.array([one[1:15] for one in objects], np.float32)))
        numbers = {name: number for number, name in enumerate(sorted({n for row in found for n in row[1]}))}
        return [(image, [numbers[name] for name in names], values) for image, names, values in found]

    def _row(self, item):
        if len(item) == 1:
            return [self._image(item[0])]
        image, labels, values = item
        parts = [part.copy() for part in np.split(values, [1, 2, 3, 7, 10, 13], axis=1)]
        parts[1] = parts[1].astype(np.uint32)
        return [self._image(image), np.array(labels, np.uint32)[:, None], *parts]
