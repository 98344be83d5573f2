"""Protobuf messages, written and read by hand: what checkpoints, MindIR and event files are made of.

A message is its fields one after the other, each a number and a value. Fields are written in the order of
their numbers, as protobuf's own writers do; reading takes no memory beyond the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np


def varint(n: int) -> bytes:
    """An integer in groups of seven bits, the lowest first; negative ones as 64 bits in two's complement."""
    n &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def integer(number: int, value: int) -> bytes:
    """A field of one of the integer types, bool or enum."""
    return varint(number << 3) + varint(int(value))


def float64(number: int, value: float) -> bytes:
    """A field of type double."""
    return varint(number << 3 | 1) + struct.pack("<d", value)


def float32(number: int, value: float) -> bytes:
    """A field of type float; what is too large for it becomes infinite."""
    with np.errstate(over="ignore"):
        return varint(number << 3 | 5) + np.array(value, "<f4").tobytes()


def content(number: int, value: bytes | str) -> bytes:
    """A field of type string or bytes, another message, or packed numbers."""
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


# ---- reading -----------------------------------------------------------------------------------------------


class Damaged(Exception):
    """The bytes are no such file."""


class NoText(Damaged):
    """Where text has to be lies none."""


def fields(data: memoryview, start: int, end: int) -> Iterator[tuple[int, int, object]]:
    """``(number, wire type, value)``: an int, where eight or four bytes lie, or where a run of bytes lies."""
    at = start
    while at < end:
        key, at = read_varint(data, at, end)
        number, wire = key >> 3, key & 7
        if not number:
            raise Damaged("field 0")
        if wire == 0:
            value, at = read_varint(data, at, end)
            yield number, wire, value - (1 << 64) if value >> 63 else value
        elif wire == 2:
            size, at = read_varint(data, at, end)
            if size > end - at:
                raise Damaged("cut")
            yield number, wire, (at, at + size)
            at += size
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if size > end - at:
                raise Damaged("cut")
            yield number, wire, at
            at += size
        else:
            raise Damaged("wire type")


def read_varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """A number of 64 bits, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise Damaged("cut")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise Damaged("varint")


def packed(data: memoryview, start: int, end: int) -> list[int]:
    """Integers one after the other."""
    found = []
    while start < end:
        value, start = read_varint(data, start, end)
        found.append(value - (1 << 64) if value >> 63 else value)
    return found


def text(data: memoryview, place: tuple[int, int]) -> str:
    """What lies at a place, as text."""
    try:
        return bytes(data[slice(*place)]).decode()
    except UnicodeDecodeError:
        raise NoText("a text that is none") from None
