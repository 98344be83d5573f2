"""What the reading and the writing side share (``mindspore.mindrecord.core.shardutils``)."""

from __future__ import annotations

import os
from enum import Enum

import numpy as np

from ..common.exceptions import MRMUnsupportedSchemaError, ParamValueError

MIN_HEADER_SIZE, MAX_HEADER_SIZE = 16 << 10, 128 << 20
MIN_PAGE_SIZE, MAX_PAGE_SIZE = 32 << 10, 256 << 20
MIN_SHARD_COUNT, MAX_SHARD_COUNT = 1, 1000
MIN_CONSUMER_COUNT = 1
MIN_FILE_SIZE = 8


class MSRStatus(Enum):
    """Whether something went well."""

    SUCCESS = 0
    FAILED = 1

    def __int__(self):
        return self.value


SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED


def check_filename(path, arg_name: str = "") -> bool:
    """ParamValueError unless it is a str that can name a file."""
    name = f"'{arg_name}'" if arg_name else "File path"
    if not path:
        raise ParamValueError(f"{name} is not allowed None or empty!")
    if not isinstance(path, str):
        raise ParamValueError(f"File path: {path} is not string.")
    if path.endswith("/"):
        raise ParamValueError("File path can not end with '/'")
    base = os.path.basename(path)
    if set(base) & set(r"\/:*?\"<>|`&;'"):
        raise ParamValueError(r"File name should not contains \/:*?\"<>|`&;\'")
    if base != base.strip(" "):
        raise ParamValueError("File name should not start/end with space.")
    return True


def check_reading(file_name, num_consumer) -> None:
    """The arguments of `FileReader` and `MindPage`."""
    for one in file_name if isinstance(file_name, list) else [file_name]:
        check_filename(one)
    if num_consumer is None:
        raise ParamValueError("Parameter num_consumer is None.")
    if not isinstance(num_consumer, int):
        raise ParamValueError("Parameter num_consumer is not int.")
    if num_consumer < MIN_CONSUMER_COUNT:
        raise ParamValueError(f"Parameter num_consumer: {num_consumer} should between {MIN_CONSUMER_COUNT} "
                              f"and {os.cpu_count()}.")


def populate_data(raw: dict, blobs: dict, columns, blob_fields, schema) -> dict:
    """A row as `FileReader` gives it: numbers and strings, bytes, and arrays in the schema's shapes.

    A whole number in a field of floats is an int, as MindSpore gives it.
    """
    row = {name: int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 63
           else value for name, value in raw.items() if name in schema}
    for name in [name for name in columns if name in blob_fields] if columns else blob_fields:
        row[name] = blobs[name]
        if "shape" in schema[name]:
            try:
                row[name] = np.frombuffer(blobs[name], schema[name]["type"]).reshape(schema[name]["shape"])
            except ValueError:
                raise MRMUnsupportedSchemaError("Shape in schema is illegal.") from None
    return row
