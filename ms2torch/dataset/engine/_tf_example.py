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


_PIECE = 1 << 24


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
    """The records of an open file; one that the file ends in has a zero after it, and so is no Example."""
    while True:
        head = file.read(12)
        if len(head) < 12:
            return
        size, = struct.unpack_from("<Q", head)
        record = file.read(min(size, _PIECE))
        while len(record) < size:                    # never more memory than there is file
            piece = file.read(min(size - len(record), _PIECE))
            record += piece or b"\0"
            if not piece:
                break
        yield record
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
        if number == 0:
            raise NotAnExample("a part without a number")
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


def _each(data: bytes, *known: tuple[int, int]) -> Iterator[tuple[int, int, bytes | int]]:
    """The parts of a message that has no others than those of the ``known`` numbers and wire types."""
    for part in _parts(data):
        if part[:2] not in known:
            raise NotAnExample(f"a part with the unknown number {part[0]} and type {part[1]}")
        yield part


def _entry(data: bytes) -> tuple[str, bytes]:
    """Name and content of a feature."""
    parts = list(_each(data, (1, 2), (2, 2)))
    if [number for number, _, _ in parts] != [1, 2]:
        raise NotAnExample("a feature without a name or without content")
    try:
        return parts[0][2].decode(), parts[1][2]
    except UnicodeDecodeError as error:
        raise NotAnExample("a name that is not UTF-8") from error


def parsed(data: bytes) -> dict[str, list[bytes] | np.ndarray]:
    """The features of an Example: byte strings as a list, floats as float32, integers as int64."""
    features = {}
    for number, wire, all_features in _parts(data):
        if (number, wire) == (1, 2):
            for _, _, entry in _each(all_features, (1, 2)):
                name, feature = _entry(entry)
                features[name] = _values(feature)
    return features


def _values(feature: bytes) -> list[bytes] | np.ndarray:
    for kind, _, content in _each(feature, (1, 2), (2, 2), (3, 2)):
        if kind == 1:
            return [value for _, _, value in _each(content, (1, 2))]
        if kind == 2:
            data = b"".join(value for _, _, value in _each(content, (1, 2), (1, 5)))
            if len(data) % 4:
                raise NotAnExample("a float that does not end")
            return np.frombuffer(data, "<f4")
        numbers: list[int] = []
        for _, wire, value in _each(content, (1, 2), (1, 0)):
            at = 0
            if wire == 0:
                numbers.append(value)
                continue
            while at < len(value):
                number, at = _varint(value, at)
                numbers.append(number)
        return np.array(numbers, np.uint64).view(np.int64)
    return []
