"""Records of a TFRecord file, and the tf.Example in each: read without TensorFlow.

A record is its length, a checksum of that, its bytes, a checksum of those. An Example is a protocol buffer: a
map from name to a list of byte strings, of floats or of integers. The checksum of the length is held against
it; that of the data is not, as in MindSpore.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np


class NotAnExample(ValueError):
    """Bytes that are not the protocol buffer of an Example."""


def _table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def masked_crc(data: bytes) -> int:
    """CRC-32C, rotated and shifted as TFRecord files have it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def is_record_file(file) -> bool:
    """Whether a file begins with a record's length and its checksum."""
    head = file.read(12)
    return len(head) == 12 and masked_crc(head[:8]) == struct.unpack("<I", head[8:])[0]


def records(file) -> Iterator[bytes]:
    """The records of an open file; the last one may be short."""
    while True:
        head = file.read(12)
        if len(head) < 12:
            return
        size, = struct.unpack_from("<Q", head)
        yield file.read(size)
        file.read(4)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise NotAnExample("a number that does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7


def _parts(data: bytes) -> Iterator[tuple[int, int, bytes | int]]:
    """Field number, wire type and content of each part of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, wire, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise NotAnExample(f"a part of the unknown type {wire}")
        if at + size > len(data):
            raise NotAnExample("a part that does not end")
        yield number, wire, data[at:at + size]
        at += size


def _only(data: bytes, number: int) -> Iterator[bytes]:
    return (value for found, wire, value in _parts(data) if found == number and wire == 2)


def parsed(data: bytes) -> dict[str, list[bytes] | np.ndarray]:
    """The features of an Example: byte strings as a list, floats as float32, integers as int64."""
    features = {}
    for all_features in _only(data, 1):
        for entry in _only(all_features, 1):
            name, feature = "", b""
            for number, _, value in _parts(entry):
                if number == 1:
                    try:
                        name = value.decode()
                    except UnicodeDecodeError as error:
                        raise NotAnExample("a name that is not UTF-8") from error
                elif number == 2:
                    feature = value
            features[name] = _values(feature)
    return features


def _values(feature: bytes) -> list[bytes] | np.ndarray:
    for kind, _, content in _parts(feature):
        if kind == 1:
            return list(_only(content, 1))
        if kind == 2:
            data = [value for number, wire, value in _parts(content) if number == 1 and wire in (2, 5)]
            return np.frombuffer(b"".join(data), "<f4")
        if kind == 3:
            numbers: list[int] = []
            for _, wire, value in _parts(content):
                if wire == 0:
                    numbers.append(value)
                    continue
                at = 0
                while at < len(value):
                    number, at = _varint(value, at)
                    numbers.append(number)
            return np.array(numbers, np.uint64).view(np.int64)
    return []
