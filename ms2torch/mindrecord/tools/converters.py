"""ImageNet, MNIST and CSV files as MindRecord files, with MindSpore's schemas, indices and sizes of pages."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice

import numpy as np

from ms2torch._core.errors import notice

from ..common.exceptions import PathNotExistsError
from ..core.shardutils import SUCCESS, check_filename
from ..filewriter import FileWriter

_BATCH = 256                                         # rows that are written at once


def check_partitions(number) -> None:
    if not isinstance(number, int):
        raise ValueError("The parameter partition_number must be int")


def write(writer: FileWriter, rows: Iterable[dict], schema: dict, desc: str, index: list[str],
          parallel: bool = False) -> None:
    """Rows into MindRecord files of MindSpore's sizes for converted data."""
    if not parallel:                                 # MindSpore's parallel writers keep the usual pages
        writer.set_page_size(1 << 26)
    writer.add_schema(schema, desc)
    writer.add_index(index)
    write_rows(writer, rows, parallel)
    writer.commit()


def write_rows(writer: FileWriter, rows: Iterable[dict], parallel: bool = False) -> None:
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        writer.write_raw_data(batch, parallel)


def opencv():
    """OpenCV, whose JPEG files the converters write."""
    try:
        return import_module("cv2")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("This needs OpenCV, to encode images: pip install ms2torch[dataset]",
                                  name="cv2") from error


class ImageNetToMR:
    """Folders of JPEG files as MindRecord (``mindspore.mindrecord.ImageNetToMR``).

    ``map_file``: a line ``folder label`` for each class. Rows: ``image`` (bytes), ``label`` (int32),
    ``file_name``. Folders that are not there, and files that are no ``.jpg`` or ``.JPEG``, are left out.
    """

    def __init__(self, map_file, image_dir, destination, partition_number=1):
        for path in (map_file, image_dir, destination):
            check_filename(path)
        check_partitions(partition_number)
        self.map_file, self.image_dir, self.destination = map_file, image_dir, destination
        self.partition_number = partition_number
        self.writer = FileWriter(destination, partition_number)

    def run(self):
        schema = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        write(self.writer, self._rows(), schema, "imagenet_schema", ["label", "file_name"],
              parallel=True)
        return int(SUCCESS)

    def transform(self):
        """Write the files."""
        self.run()

    def _rows(self) -> Iterator[dict]:
        if not os.path.exists(self.map_file):
            raise OSError(f"map file {self.map_file} not exists")
        with open(self.map_file, encoding="utf-8") as file:
            named = [line.split(" ") for line in file]
        folders = {label: os.path.join(self.image_dir, name) for name, label, *_ in named}
        for folder in folders.values():
            if not os.path.isdir(folder):
                notice(f"ImageNetToMR {folder}", f"{folder} dir is not exist")
        folders = {label: folder for label, folder in folders.items() if os.path.isdir(folder)}
        if not folders:
            raise PathNotExistsError(f"not valid image dir in {self.image_dir}")
        for label, folder in folders.items():
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if not name.endswith(("JPEG", "jpg")):
                    notice(f"ImageNetToMR {path}", f"{path} file is not suffix with JPEG/jpg, skip it.")
                    continue
                with open(path, "rb") as file:
                    data = file.read()
                if data:
                    yield {"file_name": path, "label": int(label), "image": data}
                else:
                    notice(f"ImageNetToMR {path}", f"The image file: {path} is invalid.")


class MnistToMR:
    """MNIST's four ``.gz`` files as ``<destination>_train.mindrecord`` and ``..._test.mindrecord``
    (``mindspore.mindrecord.MnistToMR``).

    Rows: ``data``, the digit as a JPEG file (so not to the bit), and ``label`` (int64).
    """

    _parts = {"train": "train", "t10k": "test"}

    def __init__(self, source, destination, partition_number=1):
        opencv()
        check_filename(source)
        self.source = source
        for part in self._parts:
            for kind in ("images-idx3", "labels-idx1"):
                check_filename(self._path(part, kind))
        check_filename(destination)
        check_partitions(partition_number)
        self.partition_number = partition_number
        self._writers = {part: FileWriter(f"{destination}_{name}.mindrecord", partition_number)
                         for part, name in self._parts.items()}
        self.writer_train, self.writer_test = self._writers.values()
        self.mnist_schema_json = {"label": {"type": "int64"}, "data": {"type": "bytes"}}

    def _path(self, part: str, kind: str) -> str:
        return os.path.join(self.source, f"{part}-{kind}-ubyte.gz")

    def run(self):
        for part, writer in self._writers.items():
            write(writer, self._rows(part), self.mnist_schema_json, "mnist_schema", ["label"])
        return SUCCESS

    def transform(self):
        """Write the files."""
        self.run()

    def _rows(self, part: str) -> Iterator[dict]:
        encode = opencv().imencode
        with gzip.open(os.path.realpath(self._path(part, "images-idx3")), "rb") as file:
            images = np.frombuffer(file.read()[16:], np.uint8).reshape(-1, 28, 28, 1)
        with gzip.open(os.path.realpath(self._path(part, "labels-idx1")), "rb") as file:
            labels = file.read()[8:]
        for image, label in zip(images, labels, strict=False):
            yield {"label": label, "data": encode(".jpeg", image)[1].tobytes()}


class CsvToMR:
    """A CSV file as MindRecord, every column an index (``mindspore.mindrecord.CsvToMR``). Needs pandas.

    The first line has the columns' names. Columns are int64, float64, int32 (of True and False) or string, as
    pandas reads them.
    """

    def __init__(self, source, destination, columns_list=None, partition_number=1):
        self.pd = import_module("pandas")
        if not isinstance(source, str):
            raise ValueError("The parameter source must be str.")
        check_filename(source)
        if columns_list and not (isinstance(columns_list, list)
                                 and all(isinstance(name, str) for name in columns_list)):
            raise ValueError("The parameter columns_list must be list of str.")
        if not isinstance(destination, str):
            raise ValueError("The parameter destination must be str.")
        check_filename(destination)
        check_partitions(partition_number)
        self.source, self.destination, self.columns_list = source, destination, columns_list
        self.partition_number = partition_number
        self.writer = FileWriter(destination, partition_number)

    def run(self):
        if not os.path.exists(self.source):
            raise OSError(f"Csv file {self.source} do not exist.")
        table = self.pd.read_csv(self.source)
        for name in self.columns_list or ():
            if name not in table.columns:
                raise RuntimeError(f"The parameter columns_list is illegal, column {name} does not exist.")
        names = self.columns_list = list(self.columns_list or table.columns)
        kinds = {name: str(table[name].dtype) for name in names}
        types = {"int64": "int64", "float64": "float64", "bool": "int32"}
        schema = {name: {"type": types.get(kind, "string")} for name, kind in kinds.items()}
        if not schema:
            raise RuntimeError("Failed to generate schema from csv file.")
        for name in names:
            if str(name).isdigit():
                raise ValueError(f"The first line content: {name} of the CSV file is used as a column name "
                                 "and does not allow starting with a number.")
        rows = ({name: int(row[name]) if kinds[name] == "bool" else row[name] for name in names}
                for _, row in table.iterrows())
        write(self.writer, rows, schema, "csv_schema", names)
        return int(SUCCESS)

    def transform(self):
        """Write the files."""
        self.run()
