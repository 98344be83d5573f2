"""Published sets of faces: Labeled Faces in the Wild, WIDER Face."""

from __future__ import annotations

import os

import numpy as np

from ..core.errors import pipeline_error
from ..core.validator_helpers import check_dir, check_valid_str
from ._pictures import _Folders, _folders, _images, _inside, _needed
from ._scenes import text_lines
from .samplers import PKSampler

_IMAGES = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}


class LFWDataset(_Folders):
    """Labeled Faces in the Wild (``mindspore.dataset.LFWDataset``).

    ``task`` people (default): ``image`` and ``label`` uint32, the number of the name in ``lfw-names.txt``;
    pairs: ``image1``, ``image2`` and ``label``, 1 where both show the same person. ``usage``: 10fold,
    train, test or all (default; train and test); ``image_set``: original, funneled (default) or deepfunneled.
    """

    _kind = np.uint32
    _usages = ("10fold", "train", "test", "all")

    def __init__(self, dataset_dir, task=None, usage=None, image_set=None, num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        check_dir(dataset_dir)
        for value, valid, name in ((task, ["people", "pairs"], "task"), (usage, list(self._usages), "usage"),
                                   (image_set, list(_IMAGES), "image_set")):
            if value is not None:
                check_valid_str(value, valid, name)
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache, usage)
        self.task, self.image_set = task or "people", image_set or "funneled"

    def _columns(self):
        return ["image", "label"] if self.task == "people" else ["image1", "image2", "label"]

    def _path(self, name: str, number: str) -> str:
        return os.path.join(self.dataset_dir, _IMAGES[self.image_set], name, f"{name}_{int(number):04}.jpg")

    def _labels(self):
        return [int(row[-1]) for row in self._rows()]

    def _list(self):
        parts = {"10fold": ("",), "train": ("DevTrain",), "test": ("DevTest",)}.get(self.usage,
                                                                                  ("DevTrain", "DevTest"))
        lists = [os.path.join(self.dataset_dir, f"{self.task}{part}.txt") for part in parts]
        if not any(map(os.path.isfile, lists)):
            raise pipeline_error("Invalid file, LFW annotation file is empty. Check file path: "
                                 f"{self.dataset_dir}")
        lines = [line.split() for path in lists for line in text_lines(path, "LFW")]
        if self.task == "people":
            names = {line.split()[0] if line.strip() else "": number for number, line in
                     enumerate(text_lines(os.path.join(self.dataset_dir, "lfw-names.txt"), "LFW"))}
            return [(self._path(line[0], number), names[line[0]]) for line in lines if len(line) == 2
                    for number in range(1, int(line[1]) + 1)]
        same = [(self._path(line[0], line[1]), self._path(line[-2] if len(line) == 4 else line[0], line[-1]),
                 int(len(line) == 3)) for line in lines if len(line) > 2]
        return same

    def _row(self, item):
        return [*(self._image(path) for path in item[:-1]), np.array(item[-1], self._kind)]


class WIDERFaceDataset(_Folders):
    """WIDER Face (``mindspore.dataset.WIDERFaceDataset``): ``image``, and but for the test of its N faces
    ``bbox`` (N, 4), left, top, width, height, and ``blur``, ``expression``, ``illumination``, ``occlusion``,
    ``pose``, ``invalid``, (N,), int32. ``usage``: train, valid, test or all (default; without the test).
    """

    _names = ("image", "bbox", "blur", "expression", "illumination", "occlusion", "pose", "invalid")
    _usages = ("train", "test", "valid", "all")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, cache, usage)
        if isinstance(sampler, PKSampler):
            raise ValueError("WIDERFaceDataset doesn't support PKSampler.")

    def _columns(self):
        return ["image"] if self.usage == "test" else list(self._names)

    def _list(self):
        parts = {"train": ("train",), "valid": ("val",), "test": ("test",)}.get(self.usage, ("train", "val"))
        found = []
        for part in parts:
            root = os.path.join(os.path.realpath(self.dataset_dir), f"WIDER_{part}", "images")
            _needed("Invalid path, failed to open WIDERFace folder: {}", root)
            faces = {} if part == "test" else self._faces(part)
            if not _inside(root):
                raise pipeline_error(f"Invalid file, no subfolder found under path: {root}")
            for folder in _folders(root):
                for path in _images(".jpg", folder):
                    found.append((path,) if part == "test" else
                                 (path, faces.get(os.path.relpath(path, root), np.zeros((0, 10), np.int32))))
        return found

    def _faces(self, part: str) -> dict[str, np.ndarray]:
        """The faces of each image, (N, 10)."""
        path = os.path.join(self.dataset_dir, "wider_face_split", f"wider_face_{part}_bbx_gt.txt")
        if not os.path.isfile(path):
            return {}
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            lines = text.read().splitlines()
        found, at = {}, 0
        while at + 1 < len(lines):
            name, count = lines[at].strip(), lines[at + 1].strip()
            # (An image without faces is followed by one line of zeros.)
            rows = [line.split() for line in lines[at + 2:at + 2 + max(int(count or 0), 1)]]
            if any(len(row) < 10 for row in rows):
                raise pipeline_error(f"Invalid data, a face has fewer than 10 fields in {path}")
            found[name] = np.array([row[:10] for row in rows], np.int32).reshape(-1, 10)
            at += 2 + len(rows)
        return found

    def _row(self, item):
        if len(item) == 1:
            return [self._image(item[0])]
        image, faces = item
        return [self._image(image), faces[:, :4].copy(), *(faces[:, i].copy() for i in range(4, 10))]
