"""Published sets of images with MATLAB's files: SVHN, Caltech 101, Flowers 102, Semantic Boundaries.

They are read with SciPy, as MindSpore does.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np

from ..core.errors import UserCodeError, user_stack
from ..core.validator_helpers import check_dir, check_valid_str
from ._pictures import _Folders, _inside


def _contents(path: str) -> dict:
    """What a MATLAB file holds."""
    try:
        from scipy.io import loadmat
    except ImportError:
        raise ImportError("MATLAB's files need SciPy: pip install scipy") from None
    return loadmat(_present(path))


def _present(path: str) -> str:
    path = os.path.realpath(path)
    if not os.path.isfile(path):
        raise ValueError(f"The file {path} does not exist or permission denied!")
    return path


def _readable(path: str) -> str:
    if not os.path.isfile(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path


class _ReadByPython(_Folders):
    """MindSpore reads these in Python, and tells of what fails there as of a function of the user's."""

    def _reader(self):
        read = super()._reader()

        def reading(number):
            try:
                return read(number)
            except Exception as error:
                raise UserCodeError(user_stack(error)) from error

        return reading


class SVHNDataset(_ReadByPython):
    """Street View House Numbers (``mindspore.dataset.SVHNDataset``): ``image`` (32, 32, 3) uint8 and
    ``label`` uint32, the digit. ``usage``: train, test, extra or all (default).
    """

    _kind = np.uint32

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=1, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None):
        check_dir(dataset_dir)
        if usage is not None:
            check_valid_str(usage, ["train", "test", "extra", "all"], "usage")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, False, sampler, num_shards,
                     shard_id, None, usage)
        parts = ("train", "test", "extra") if usage in (None, "all") else (usage,)
        paths = [os.path.join(dataset_dir, f"{part}_32x32.mat") for part in parts]
        # The real one opens them at once where it was told no usage.
        self._paths = [_readable(path) if usage is None else _present(path) for path in paths]

    def _list(self):
        found = []
        for path in self._paths:
            data = _contents(path)
            # (MATLAB's ten is the digit nought.)
            found += zip(np.moveaxis(data["X"], 3, 0), data["y"].ravel() % 10, strict=True)
        return found

    def _row(self, item):
        return [item[0].copy(), np.array(item[1], self._kind)]


_ANNOTATIONS = {"Faces": "Faces_2", "Faces_easy": "Faces_3", "Motorbikes": "Motorbikes_16",
                "airplanes": "Airplanes_Side_2"}


class Caltech101Dataset(_ReadByPython):
    """Caltech 101 (``mindspore.dataset.Caltech101Dataset``): ``image``, and by ``target_type`` ("category" by
    default, "annotation", "all") ``category`` int64, the number of the folder, and ``annotation`` float64
    (2, N), the outline.
    """

    def __init__(self, dataset_dir, target_type=None, num_samples=None, num_parallel_workers=1, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None):
        check_dir(dataset_dir)
        if target_type is not None:
            check_valid_str(target_type, ["category", "annotation", "all"], "target_type")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, None)
        self.target_type = target_type or "category"
        os.listdir(os.path.join(dataset_dir, "101_ObjectCategories"))       # FileNotFoundError

    def _columns(self):
        return ["image", *(["category", "annotation"] if self.target_type == "all" else [self.target_type])]

    def _categories(self) -> list[str]:
        return [name for folder in _inside(self.dataset_dir, "101_ObjectCategories")
                if os.path.isdir(folder) and (name := os.path.basename(folder)) != "BACKGROUND_Google"]

    def get_class_indexing(self):
        """From the name of each of the set's 101 categories to its number, whichever folders are there."""
        names = Path(__file__).with_name("caltech101.tsv").read_text(encoding="utf-8").splitlines()[1:]
        return {name: number for number, name in enumerate(names)}

    def _list(self):
        return [(path, number, name) for number, name in enumerate(self._categories())
                for path in _inside(self.dataset_dir, "101_ObjectCategories", name)]

    def _labels(self):
        return [number for _, number, _ in self._rows()]

    def _row(self, item):
        path, number, name = item
        row = [self._image(path)]
        if self.target_type != "annotation":
            row.append(np.array(number, np.int64))
        if self.target_type != "category":
            stem = os.path.splitext(os.path.basename(path))[0].replace("image", "annotation")
            folder = os.path.join(self.dataset_dir, "Annotations", _ANNOTATIONS.get(name, name))
            row.append(_contents(os.path.join(folder, f"{stem}.mat"))["obj_contour"])
        return row


class Flowers102Dataset(_ReadByPython):
    """Oxford's 102 flowers (``mindspore.dataset.Flowers102Dataset``): ``image``, ``label`` uint32, and
    between them for the ``task`` Segmentation ``segmentation``. ``usage``: train, valid, test or all
    (default).
    """

    _kind = np.uint32

    def __init__(self, dataset_dir, task="Classification", usage="all", num_samples=None,
                 num_parallel_workers=1, shuffle=None, decode=False, sampler=None, num_shards=None,
                 shard_id=None):
        check_dir(dataset_dir)
        check_dir(os.path.join(dataset_dir, "jpg"))
        for name in ("imagelabels.mat", "setid.mat"):
            _present(os.path.join(dataset_dir, name))
        check_valid_str(usage, ["train", "valid", "test", "all"], "usage")
        check_valid_str(task, ["Classification", "Segmentation"], "task")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards,
                     shard_id, None, usage)
        self.task = task

    def _columns(self):
        return ["image", "label"] if self.task == "Classification" else ["image", "segmentation", "label"]

    def get_class_indexing(self):
        """From the name of a flower to its label; none of the set's files has them."""
        names = Path(__file__).with_name("flowers102.tsv").read_text(encoding="utf-8").splitlines()[1:]
        return {name: label for label, name in enumerate(names)}

    def _list(self):
        parts = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"]}.get(self.usage,
                                                                               ["trnid", "tstid", "valid"])
        chosen = _contents(os.path.join(self.dataset_dir, "setid.mat"))
        labels = _contents(os.path.join(self.dataset_dir, "imagelabels.mat"))["labels"].ravel()
        return [(int(number), int(labels[number - 1]) - 1)
                for part in parts for number in chosen[part].ravel()]

    def _row(self, item):
        number, label = item
        parts = ["jpg/image"] + ["segmim/segmim"] * (self.task == "Segmentation")
        return [*(self._image(f"{self.dataset_dir}/{part}_{number:05}.jpg") for part in parts),
                np.array(label, self._kind)]


class SBDataset(_ReadByPython):
    """Semantic Boundaries (``mindspore.dataset.SBDataset``): ``image`` and ``task`` uint8, by the ``task``
    Boundaries (default) the edges of each of 20 classes (20, H, W), by Segmentation the class of each pixel
    (H, W). ``usage``: train, val, train_noval or all (default; train and val).
    """

    _names = ("image", "task")

    def __init__(self, dataset_dir, task="Boundaries", usage="all", num_samples=None, num_parallel_workers=1,
                 shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None):
        check_dir(dataset_dir)
        check_valid_str(usage, ["train", "val", "train_noval", "all"], "usage")
        check_valid_str(task, ["Boundaries", "Segmentation"], "task")
        self._set_up(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler,
                     num_shards, shard_id, None, usage)
        self.task = task
        for path in self._texts():
            if not os.path.isfile(path):
                raise FileNotFoundError(f"SBDataset: {path} not found")

    def _texts(self) -> list[str]:
        parts = ("train", "val") if self.usage == "all" else (self.usage,)
        return [os.path.join(self.dataset_dir, f"{part}.txt") for part in parts]

    def _list(self):
        found = []
        for path in self._texts():
            with open(path, encoding="utf-8", errors="surrogateescape") as text:
                found += filter(None, map(str.strip, text))
        return found

    def _labels(self):
        return []

    def _row(self, item):
        truth = _contents(os.path.join(self.dataset_dir, "cls", f"{item}.mat"))["GTcls"][0][self.task][0]
        if self.task == "Boundaries":
            truth = np.stack([edges[0].toarray() for edges in truth])
        return [self._image(os.path.join(self.dataset_dir, "img", f"{item}.jpg")), truth]
