"""Images with boxes: Pascal VOC and COCO."""

from __future__ import annotations

import json
import os
from xml.etree import ElementTree

import numpy as np

from ..core.errors import nothing_read, pipeline_error
from ..core.validator_helpers import check_dir, check_file, type_check
from . import samplers
from ._listed import ListedDataset, check_decrypt
from ._sources import check_source
from .datasets import VisionBaseDataset

_META = "_meta-filename"


class _Annotated(ListedDataset, VisionBaseDataset):
    """Rows are (name of the image, annotation); ``extra_metadata`` adds the image's name."""

    def _columns(self):
        return [*self._tasks[self.task], *([_META] if self.extra_metadata else [])]

    def _file_of(self, row, columns):
        return self._path(self._rows()[self._row_numbers[row]][0])

    def _row(self, item):
        row = [self._image(self._path(item[0])), *self._annotation(item)]
        if self.extra_metadata:
            row.append(np.array(os.path.splitext(item[0])[0]))
        return row


class VOCDataset(_Annotated):
    """Pascal VOC (``mindspore.dataset.VOCDataset``): ``image`` and, by ``task``, "Segmentation": ``target``,
    both as bytes or with ``decode`` as RGB; "Detection": ``bbox`` (N, 4) float32 of x, y, width, height, and
    ``label``, ``difficult``, ``truncate``, all (N, 1) uint32.

    ``usage`` names the list in ``ImageSets``. ``class_indexing`` numbers and selects the classes; by default
    they are numbered in the order of their names. Images without an object of them are left out.
    ``extra_metadata`` adds the column ``_meta-filename``, which an iterator gives only after it was renamed.
    """

    _broken = "Invalid image, failed to decode {}: the image is damaged or permission denied."
    _tasks = {"Segmentation": ("image", "target"),
              "Detection": ("image", "bbox", "label", "difficult", "truncate")}

    def __init__(self, dataset_dir, task="Segmentation", usage="train", class_indexing=None, num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None,
                 shard_id=None,
                 cache=None, extra_metadata=False, decrypt=None):
        check_dir(dataset_dir)
        type_check(task, (str,), "task")
        type_check(usage, (str,), "usage")
        if task == "Segmentation" and class_indexing is not None:
            raise ValueError("class_indexing is not supported in Segmentation task.")
        if task not in self._tasks:
            raise ValueError(f"Invalid task : {task}.")
        check_decrypt(decrypt)
        folder = "Segmentation" if task == "Segmentation" else "Main"
        check_file(os.path.join(os.path.realpath(dataset_dir), "ImageSets", folder, usage + ".txt"))
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        if class_indexing is not None:
            type_check(class_indexing, (dict,), "class_indexing")
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.task, self.usage = dataset_dir, task, usage
        self.class_indexing, self.decode = class_indexing or {}, bool(decode)
        self.extra_metadata, self.decrypt = extra_metadata, decrypt

    def _list(self):
        folder = "Segmentation" if self.task == "Segmentation" else "Main"
        with open(os.path.join(self.dataset_dir, "ImageSets", folder, self.usage + ".txt"),
                  encoding="utf-8", errors="surrogateescape") as file:
            names = file.read().splitlines()
        if self.task == "Segmentation":
            return [(name, None) for name in names]
        found = [(name, self._objects(os.path.join(self.dataset_dir, "Annotations", name + ".xml")))
                 for name in names]
        if not self.class_indexing:
            classes = sorted({one[0] for _, objects in found for one in objects})
            self.class_indexing = {name: number for number, name in enumerate(classes)}
        return [(name, objects) for name, objects in found if objects]

    def _objects(self, path: str) -> list[tuple]:
        """(class, box, difficult, truncated) of the objects in a file, of the classes wanted."""
        if not os.path.isfile(path):
            raise pipeline_error(f"Invalid file path, {path} does not exist.")
        try:
            root = ElementTree.parse(path).getroot()
        except ElementTree.ParseError:
            raise pipeline_error(f"Invalid xml, failed to load {path}: the xml file is damaged or incorrect "
                                 "format.") from None
        if root.tag != "annotation" or root.find("object") is None:
            raise pipeline_error(f"Invalid xml, the node of object is missing in {path}.")
        found = []
        for one in root.iterfind("object"):
            name = one.findtext("name", "")
            box = one.find("bndbox")
            if box is None:
                raise pipeline_error(f"Invalid xml, the node of bndbox is missing in {path}")
            left, top, right, bottom = [_number(box.findtext(part))
                                        for part in ("xmin", "ymin", "xmax", "ymax")]
            if not (left > 0 and top > 0 and right > left and bottom > top):
                raise pipeline_error(f"Invalid bndbox, the coordinate of bndbox in {path} should be greater "
                                     f"than 0, but got {{{left:g}, {top:g}, {right:g}, {bottom:g}}}")
            if name and (not self.class_indexing or name in self.class_indexing):
                found.append((name, (left, top, right - left, bottom - top),
                              int(_number(one.findtext("difficult"))),
                              int(_number(one.findtext("truncated")))))
        return found

    def _path(self, name):
        return os.path.join(self.dataset_dir, "JPEGImages", name + ".jpg")

    def _annotation(self, item):
        name, objects = item
        if self.task == "Segmentation":
            return [self._image(os.path.join(self.dataset_dir, "SegmentationClass", name + ".png"))]
        names, boxes, difficult, truncated = zip(*objects, strict=True)
        labels = [self.class_indexing[one] for one in names]
        return [np.array(boxes, np.float32), *[np.array(one, np.uint32)[:, None]
                                               for one in (labels, difficult, truncated)]]

    def get_class_indexing(self):
        """From the name of a class to its label; for Detection."""
        if self.task != "Detection":
            raise NotImplementedError("Only 'Detection' support get_class_indexing.")
        self._rows()
        return self.class_indexing


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0


class CocoDataset(_Annotated):
    """COCO (``mindspore.dataset.CocoDataset``): ``image`` and, by ``task``,

    - "Detection": ``bbox`` (N, 4) float32, ``category_id`` and ``iscrowd`` (N, 1) uint32;
    - "Stuff": ``segmentation``, float32, a row per polygon, filled up with -1, and ``iscrowd``;
    - "Keypoint": ``keypoints`` float32, filled up with -1, and ``num_keypoints``;
    - "Panoptic": as Detection, and ``area``;
    - "Captioning": ``captions`` (N, 1), text.

    Images are in the order of the annotation file; those without annotation are left out. ``extra_metadata``
    adds the column ``_meta-filename``, which an iterator gives only after it was renamed.
    """

    _broken = "Invalid image, failed to decode {}: the image is broken or permission denied."
    _tasks = {"Detection": ("image", "bbox", "category_id", "iscrowd"), "Stuff": ("image", "segmentation",
                                                                                  "iscrowd"),
              "Keypoint": ("image", "keypoints", "num_keypoints"),
              "Panoptic": ("image", "bbox", "category_id", "iscrowd", "area"), "Captioning": ("image",
                                                                                              "captions")}

    def __init__(self, dataset_dir, annotation_file, task="Detection", num_samples=None,
                 num_parallel_workers=None,
                 shuffle=None, decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
                 extra_metadata=False, decrypt=None):
        check_dir(dataset_dir)
        check_file(annotation_file)
        type_check(task, (str,), "task")
        if task not in self._tasks:
            raise ValueError(f"Invalid task type: {task}.")
        check_decrypt(decrypt)
        if isinstance(sampler, samplers.PKSampler):
            raise ValueError("CocoDataset doesn't support PKSampler.")
        check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, decode=decode)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir, self.annotation_file, self.task = dataset_dir, annotation_file, task
        self.decode, self.extra_metadata, self.decrypt = bool(decode), extra_metadata, decrypt
        self._classes = None

    def _nothing(self):
        return nothing_read("'CocoDataset'", f"file in directory: {self.dataset_dir}.")

    def _of(self, node: dict, name: str):
        if name not in node:
            raise pipeline_error(f"Invalid annotation, the attribute of '{name}' is missing in annotation "
                                 f"file: {self.annotation_file}.")
        return node[name]

    def _list(self):
        with open(self.annotation_file, encoding="utf-8", errors="surrogateescape") as file:
            try:
                content = json.load(file)
            except ValueError as error:
                raise pipeline_error("Invalid annotation file, Coco Dataset annotation "
                                     f"file:{self.annotation_file} load failed, error description: "
                                     f"{error}") from None
        images = {
    self._of(
        image,
        "id"): self._of(
            image,
            "file_name") for image in self._of(
                content,
                 "images")}
        if self.task in ("Detection", "Panoptic"):
            self._classes = self._categories(content)
        found: dict = {}
        for annotation in self._of(content, "annotations"):
            number = self._of(annotation, "image_id")
            if number not in images:
                raise pipeline_error(f"Invalid annotation, the attribute of 'image_id': {number} is missing "
                                     f"in the node of 'image' from annotation file: {self.annotation_file}")
            if self.task != "Panoptic":
                self._of(annotation, "id")
            found.setdefault(number, []).extend(self._read(annotation))
        return [(name, found[number]) for number, name in images.items() if found.get(number)]

    def _categories(self, content: dict) -> dict[str, list[int]]:
        classes = {}
        for category in self._of(content, "categories"):
            if "id" not in category:
                raise pipeline_error("Invalid annotation, the attribute of 'id' is missing in the node of "
                                     f"'categories' from annotation file: {self.annotation_file}")
            thing = [int(self._of(category, "isthing"))] if self.task == "Panoptic" else []
            classes[self._of(category, "name")] = [category["id"], *thing]
        return classes

    def _category(self, node: dict) -> int:
        number = self._of(node, "category_id")
        if all(number != ids[0] for ids in self._classes.values()):
            raise pipeline_error(f"Invalid annotation, the attribute of 'category_id': {number} is missing "
                                 f"in the node of 'categories' from annotation file: {self.annotation_file}")
        return number

    def _read(self, node: dict) -> list[tuple]:
        """The annotation's columns: one tuple, or several of a panoptic image."""
        if self.task == "Panoptic":
            return [(self._of(one, "bbox"), self._category(one), one.get("iscrowd", 0), self._of(one, "area"))
                    for one in self._of(node, "segments_info")]
        if self.task == "Detection":
            return [(self._of(node, "bbox"), self._category(node), node.get("iscrowd", 0))]
        if self.task == "Keypoint":
            return [(self._of(node, "keypoints"), self._of(node, "num_keypoints"))]
        if self.task == "Captioning":
            return [(self._of(node, "caption"),)]
        parts = self._of(node, "segmentation")
        return [([parts["counts"]] if isinstance(parts, dict) else parts, node.get("iscrowd", 0))]

    def _path(self, name):
        return os.path.join(os.path.realpath(self.dataset_dir), name)

    def _annotation(self, item):
        first, *others = zip(*item[1], strict=True)
        if self.task == "Captioning":
            return [np.array(first)[:, None]]
        if self.task == "Stuff":
            first = [part for parts in first for part in parts]
        return [_filled(first), *[np.array(one, np.uint32)[:, None] for one in others]]

    def get_class_indexing(self):
        """From the name of a category to a list of its number (and whether it is a thing, for Panoptic)."""
        if self.task not in ("Detection", "Panoptic"):
            raise NotImplementedError("Only 'Detection' and 'Panoptic' support get_class_indexing.")
        self._rows()
        return self._classes


def _filled(rows) -> np.ndarray:
    """Rows of numbers as one array, the shorter ones filled up with -1."""
    table = np.full((len(rows), max(map(len, rows))), -1, np.float32)
    for line, row in zip(table, rows, strict=True):
        line[:len(row)] = row
    return table
