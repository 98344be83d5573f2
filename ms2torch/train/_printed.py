"""Files of what ``ops.Print`` printed on Ascend (``print_file_path``), MindSpore's ``print.proto``."""

from __future__ import annotations

import os

import numpy as np

from ms2torch._core import protobuf
from ms2torch.common.tensor import Tensor

_KINDS = {name: np.dtype(name.lower()) for name in (
    "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Float16", "Float32", "Float64",
    "Bool")}


def parse_print(print_file_name) -> list:
    """What a file of ``ops.Print`` holds: a list of str and Tensor (``mindspore.parse_print``, 1.0 to 2.6).

    FileNotFoundError without the file, ValueError where it is empty or damaged, RuntimeError for a kind of
    Tensor that is unknown.
    """
    path = os.path.abspath(print_file_name)
    if os.path.getsize(path) == 0:
        raise ValueError("For 'parse_print', the print file may be empty, please make sure enter the correct "
                         "'print_file_name'.")
    with open(path, "rb") as file:
        data = memoryview(file.read())
    try:
        places = [place for number, _, place in protobuf.fields(data, 0, len(data)) if number == 1]
        values = [next(protobuf.fields(data, *place)) for place in places]
        parts = [protobuf.text(data, place) if number == 1 else _parts(data, *place)
                 for number, _, place in values]
    except (protobuf.Damaged, StopIteration, TypeError) as err:
        raise ValueError(f"{err}\nFailed to read the print file {print_file_name}, please check whether "
                         "the file is correct.") from err
    return [part if isinstance(part, str) else _tensor(*part) for part in parts]


def _parts(data: memoryview, start: int, end: int) -> tuple[list[int], str, bytes]:
    """A Tensor's shape, kind and content."""
    shape, kind, content = [], "", b""
    for number, wire, value in protobuf.fields(data, start, end):
        if number == 1:
            shape += [value] if wire == 0 else protobuf.packed(data, *value)
        elif number == 2:
            kind = protobuf.text(data, value)
        elif number == 3:
            content = bytes(data[slice(*value)])
    return shape, kind, content


def _tensor(shape: list[int], kind: str, content: bytes) -> Tensor:
    try:
        values = np.frombuffer(content, _KINDS[kind])
        return Tensor(values.reshape(shape) if shape and shape != [0] else values[0])
    except (KeyError, ValueError, IndexError) as err:
        raise RuntimeError(f"{err}\nFailed to load a Tensor of {kind}.") from err
