"""Images with labels, attributes or captions that a text file lists: CelebA, Flickr, Manifest."""

from __future__ import annotations

import json
import os
from operator import index

import numpy as np

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import check_dir, check_file, type_check
from . import samplers
from ._files import text_array
from ._listed import ListedDataset, check_decrypt
from ._sources import check_source
from .datasets import VisionBaseDataset


class CelebADataset(ListedDataset, VisionBaseDataset):
    """CelebA (``mindspore.dataset.CelebADataset``): ``image`` and ``attr``, uint32 of 40, 1 where an
    attribute holds.

    ``usage``: "train", "valid", "test" by ``list_eval_partition.txt``, or "all". ``extensions`` selects files
    by their endings.
    """

    _names = ("image", "attr")

    def __init__(self, dataset_dir, num_parallel_workers=None, shuffle=None, usage="all", sampler=None,
                 decode=False, extensions=None, num_samples=None, num_shards=None, shard_id=None, cache=None,
                 decrypt=None):
        check_dir(dataset_dir)
        check_decrypt(decrypt)
        if extensions is not None:
            type_check(extensions, (list,), "extensions")
        if usage is not None and usage not in ("all", "train", "valid", "test"):
            raise ValueError("usage should be 'all', 'train', 'valid' or 'test'.")
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        if isinstance(sampler, samplers.PKSampler):
            raise ValueError("CelebADataset doesn't support PKSampler.")
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.usage, self.decode = dataset_dir, usage or "all", bool(decode)
        self.extensions, self.decrypt = extensions or [], decrypt

    def _nothing(self):
        return nothing_read("CelebADataset", f"file path: {self.dataset_dir}")

    def _list(self):
        path = os.path.join(self.dataset_dir, "list_attr_celeba.txt")
        if not os.path.isfile(path):
            raise pipeline_error(f"Invalid file, get real path failed, path={path}")
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            count, _, *rows = [*file.read().splitlines(), "", ""]
        if not count.strip().isdigit():
            raise pipeline_error(f"Invalid rows_num, failed to convert rows_num: {count} to unsigned long in "
                                 f"{path}.")
        wanted = self._partition()
        found = []
        for name, *marks in filter(None, map(str.split, rows)):
            if (wanted is None or name in wanted) and (
                    not self.extensions or os.path.splitext(name)[1] in self.extensions):
                found.append((name, np.array([mark == "1" for mark in marks], np.uint32)))
        return found

    def _partition(self) -> set[str] | None:
        """The files of the usage; None for all."""
        if self.usage == "all":
            return None
        path = os.path.join(self.dataset_dir, "list_eval_partition.txt")
        if not os.path.isfile(path):
            raise RuntimeError("Partition file can not be found when usage is not 'all'.")
        mark = {"train": "0", "valid": "1", "test": "2"}[self.usage]
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return {parts[0] for parts in map(str.split, file) if parts[1:] == [mark]}

    def _row(self, item):
        return [self._image(os.path.join(self.dataset_dir, item[0])), item[1].copy()]


_TOO_SHORT = {"flickr": "Invalid flickr file, failed to read {}: the file is damaged or the file content is "
                        "incomplete.",
              "manifest": "Invalid manifest file, failed to read {} : the manifest file is damaged or "
                          "permission denied."}


def _begins_as_image(path: str, kind: str) -> bool:
    """Whether a file's first bytes are a JPEG's, PNG's, GIF's or bitmap's; others' rows are left out."""
    start = b""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            start = file.read(3)
    if len(start) < 3:
        raise pipeline_error(_TOO_SHORT[kind].format(path))
    return start.startswith((b"\xff\xd8\xff", b"\x89PN", b"GIF", b"BM"))


class FlickrDataset(ListedDataset, VisionBaseDataset):
    """Flickr8k and Flickr30k (``mindspore.dataset.FlickrDataset``): ``image`` and its captions,
    ``annotation``, text (N,).

    Images are in the order of their names.
    """

    _names = ("image", "annotation")

    def __init__(self, dataset_dir, annotation_file, num_samples=None, num_parallel_workers=None,
                 shuffle=None,
                 decode=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        check_dir(dataset_dir)
        check_file(annotation_file)
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.annotation_file, self.decode = dataset_dir, annotation_file, bool(decode)

    def _nothing(self):
        return pipeline_error("Invalid data, no valid data matching the dataset API FlickrDataset. Please "
                              "check file path or dataset API.")

    def _list(self):
        captions: dict[str, list[str]] = {}
        with open(self.annotation_file, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            for line in filter(None, file.read().split("\n")):
                head, tab, caption = line.partition("\t")
                path = os.path.join(self.dataset_dir, head[:-2] if tab else head)        # image.jpg#0
                if not os.path.isfile(path):
                    raise pipeline_error(f"Invalid file path, flickr dataset file: {path} does not exist.")
                if not caption:
                    raise pipeline_error("Invalid file, the attribute of annotation is missing in flickr "
                                         f"dataset file: {self.annotation_file}, line: {line}")
                captions.setdefault(path, []).append(caption)
        return [(path, captions[path]) for path in sorted(captions) if _begins_as_image(path, "flickr")]

    def _row(self, item):
        return [self._image(item[0]), np.array([str(text_array(one)) for one in item[1]])]


class ManifestDataset(ListedDataset, VisionBaseDataset):
    """Images that a manifest lists, a JSON object per line (``mindspore.dataset.ManifestDataset``): ``image``
    and ``label``, int32, a scalar, or (N,) for an image with several.

    ``usage``: "train", "eval" or "inference". ``class_indexing`` numbers and selects the classes; by default
    they are numbered in the order of their names.
    """

    _usages = ("train", "eval", "inference")
    _broken = "Invalid image, failed to decode: {}, the image is damaged or permission denied."

    def __init__(self, dataset_file, usage="train", num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, class_indexing=None, decode=False, num_shards=None, shard_id=None, cache=None):
        check_file(dataset_file)
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        if usage is not None:
            type_check(usage, (str,), "usage")
        if class_indexing is not None:
            type_check(class_indexing, (dict,), "class_indexing")
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_file, self.usage, self.decode = dataset_file, usage, bool(decode)
        self.class_indexing = class_indexing or {}

    def _nothing(self):
        return nothing_read("ManifestDataset", f"file path: {self.dataset_file}")

    def _list(self):
        if self.usage not in self._usages:
            raise pipeline_error(f"ManifestDataset: {self.usage} does not match any mode in [ inference eval "
                                 "train ]",
                                 "Syntax error.")
        rows = []
        with open(self.dataset_file, encoding="utf-8", errors="surrogateescape") as file:
            for number, line in enumerate(file.read().splitlines(), 1):
                rows += self._read(line, number)
        if not self.class_indexing:
            names = sorted({name for _, labels in rows for name in labels})
            self.class_indexing = {name: number for number, name in enumerate(names)}
        numbers = {name: index(number) for name, number in self.class_indexing.items()}
        rows = [(path, [numbers[name] for name in labels if name in numbers]) for path, labels in rows]
        return [row for row in rows if row[1]]

    def _of(self, content: dict, name: str, number: int):
        if name not in content:
            raise pipeline_error(f"Invalid manifest file, '{name}' is missing in file: {self.dataset_file} "
                                 f"at line {number}")
        return content[name]

    def _read(self, line: str, number: int) -> list[tuple[str, list[str]]]:
        """The row of a line, if it is of the usage."""
        try:
            content = json.loads(line)
        except ValueError as error:
            raise pipeline_error(f"Invalid manifest file, parse ManiFest file: {self.dataset_file} failed, "
                                 f"{error}") from None
        path = self._of(content, "source", number).removeprefix("file://")
        if not os.path.exists(path):
            raise pipeline_error(f"Invalid file path, {path} does not exist.")
        if self._of(content, "usage", number).lower() != self.usage:
            return []
        labels = content.get("annotation", [])
        if any("name" not in label for label in labels):
            raise pipeline_error(f"Invalid manifest file, 'name' attribute of label is missing in file: "
                                 f"{self.dataset_file} at line {number}")
        return [(path, [label["name"] for label in labels])] if _begins_as_image(path, "manifest") else []

    def _labels(self):
        return [labels[0] for _, labels in self._rows()]

    def _row(self, item):
        label = item[1][0] if len(item[1]) == 1 else item[1]
        return [self._image(item[0]), np.array(label).astype(np.int32)]        # what is too large, around

    def get_class_indexing(self):
        """From the name of a class to its label."""
        self._rows()
        return self.class_indexing

    def num_classes(self):
        return len(self.get_class_indexing())
