"""How rows become bytes in a MindRecord file.

A row is two things. Its *raw* part, the numbers and strings, is a MessagePack map. Its *blob* part is the
bytes and arrays, joined; arrays of integers are packed with as few bytes per element as it takes. What is
decoded is only ever data: nothing in a file can make code run.
"""

from __future__ import annotations

import struct

import numpy as np

_WIDTHS = (np.int8, np.int16, np.int32, np.int64)


class Damaged(ValueError):
    """Bytes that are not what they should be."""


# ---- raw: MessagePack, as small as it goes ---------------------------------------------------------------


def pack_map(values: dict) -> bytes:
    """A map from str to int, float or str."""
    parts = [bytes([0x80 | len(values)]) if len(values) < 16 else struct.pack(">BH", 0xDE, len(values))]
    for key in sorted(values):
        parts += [_string(key), _value(values[key])]
    return b"".join(parts)


def _value(value) -> bytes:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return _integer(value)
    # a double where a float cannot hold it
    if abs(value) <= np.finfo(np.float32).max and float(np.float32(value)) == value:
        return struct.pack(">Bf", 0xCA, value)
    return struct.pack(">Bd", 0xCB, value)


def _integer(value: int) -> bytes:
    if value >= 0:
        if value < 128:
            return bytes([value])
        for mark, form, limit in ((0xCC, "B", 1 << 8), (0xCD, "H", 1 << 16), (0xCE, "I", 1 << 32),
                                  (0xCF, "Q", 1 << 64)):
            if value < limit:
                return struct.pack(">B" + form, mark, value)
        raise Damaged(f"{value} does not fit 64 bits")
    if value >= -32:
        return struct.pack(">b", value)
    for mark, form, limit in ((0xD0, "b", 1 << 7), (0xD1, "h", 1 << 15), (0xD2, "i", 1 << 31),
                              (0xD3, "q", 1 << 63)):
        if value >= -limit:
            return struct.pack(">B" + form, mark, value)
    raise Damaged(f"{value} does not fit 64 bits")


def _string(text: str) -> bytes:
    data = text.encode()
    size = len(data)
    if size < 32:
        return bytes([0xA0 | size]) + data
    for mark, form, limit in ((0xD9, "B", 1 << 8), (0xDA, "H", 1 << 16), (0xDB, "I", 1 << 32)):
        if size < limit:
            return struct.pack(">B" + form, mark, size) + data
    raise Damaged("a string of more than 4 GB")


_NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h",
            0xD2: ">i", 0xD3: ">q"}
_STRINGS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}


def unpack_map(data: bytes) -> dict:
    """The map that `pack_map` packed; Damaged if it is none."""
    try:
        value, end = _unpacked(data, 0)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise Damaged(str(error)) from error
    if not isinstance(value, dict) or end != len(data):
        raise Damaged("not a map")
    return value


def _unpacked(data: bytes, at: int):
    mark = data[at]
    at += 1
    if mark < 0x80:
        return mark, at
    if mark >= 0xE0:
        return mark - 256, at
    if mark in _NUMBERS:
        form = _NUMBERS[mark]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if mark == 0xC0:
        return None, at
    if mark in (0xC2, 0xC3):
        return mark == 0xC3, at
    if 0xA0 <= mark < 0xC0 or mark in _STRINGS:
        size = mark & 31
        if mark in _STRINGS:
            size, = struct.unpack_from(_STRINGS[mark], data, at)
            at += struct.calcsize(_STRINGS[mark])
        if at + size > len(data):
            raise Damaged("a string that does not end")
        return data[at:at + size].decode(), at + size
    if mark & 0xF0 == 0x80 or mark == 0xDE:
        count = mark & 15
        if mark == 0xDE:
            count, = struct.unpack_from(">H", data, at)
            at += 2
        found = {}
        for _ in range(count):
            key, at = _unpacked(data, at)
            if not isinstance(key, str):
                raise Damaged("a key that is no string")
            found[key], at = _unpacked(data, at)
        return found, at
    raise Damaged(f"an unknown mark, {mark:#x}")


# ---- blob --------------------------------------------------------------------------------------------------


def pack_integers(values: np.ndarray) -> bytes:
    """An array of integers: the count, two bits per element for its width, the elements in those widths."""
    values = np.ascontiguousarray(values).reshape(-1)
    if values.size == 0:
        return b"\0\0\0\0"
    codes = np.zeros(values.size, np.uint8)
    for code, width in enumerate(_WIDTHS[:-1]):
        limits = np.iinfo(width)
        codes[(values < limits.min) | (values > limits.max)] = code + 1
    padded = np.zeros(-(-values.size // 4) * 4, np.uint8)
    padded[:values.size] = codes
    marks = padded.reshape(-1, 4) @ np.array([64, 16, 4, 1], np.uint8)
    head = struct.pack(">I", values.size) + marks.astype(np.uint8).tobytes()
    if (codes == codes[0]).all():
        return head + values.astype(_WIDTHS[codes[0]]).tobytes()
    places = np.concatenate([[0], np.cumsum(1 << codes.astype(np.int64))])
    packed = np.zeros(places[-1], np.uint8)
    for code, width in enumerate(_WIDTHS):
        chosen = codes == code
        data = values[chosen].astype(width).view(np.uint8).reshape(-1, 1 << code)
        packed[places[:-1][chosen][:, None] + np.arange(1 << code)] = data
    return head + packed.tobytes()


def unpack_integers(data: bytes, dtype) -> np.ndarray:
    """The integers that `pack_integers` packed, flat; Damaged if they are none."""
    if len(data) < 4:
        raise Damaged("an array without a length")
    count, = struct.unpack_from(">I", data)
    head = 4 + -(-count // 4)
    if head + count > len(data):
        raise Damaged("an array that does not end")
    marks = np.frombuffer(data, np.uint8, head - 4, 4)
    codes = ((marks[:, None] >> np.array([6, 4, 2, 0], np.uint8)) & 3).reshape(-1)[:count]
    places = np.concatenate([[0], np.cumsum(1 << codes.astype(np.int64))]) + head
    if places[-1] != len(data):
        raise Damaged("an array of another length than it says")
    if count and (codes == codes[0]).all():
        return np.frombuffer(data, _WIDTHS[codes[0]], count, head).astype(dtype)
    source, values = np.frombuffer(data, np.uint8), np.zeros(count, np.int64)
    for code, width in enumerate(_WIDTHS):
        chosen = codes == code
        values[chosen] = source[places[:-1][chosen][:, None] + np.arange(1 << code)].view(width)[:, 0]
    return values.astype(dtype)


def pack_blobs(parts: list[bytes]) -> bytes:
    """The blobs of a row: one alone as it is, several each after its length."""
    if len(parts) == 1:
        return parts[0]
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def unpack_blobs(data: bytes, count: int) -> list[bytes]:
    """The ``count`` blobs of a row; Damaged where their lengths do not add up."""
    if count == 1:
        return [data]
    parts, at = [], 0
    for _ in range(count):
        size = int.from_bytes(data[at:at + 8], "big")
        at += 8
        if at + size > len(data):
            raise Damaged("a blob that does not end")
        parts.append(data[at:at + size])
        at += size
    return parts
