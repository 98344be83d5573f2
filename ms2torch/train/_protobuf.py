"""Protobuf messages, written by hand: what checkpoints and event files are made of.

A message is its fields one after the other, each a number and a value. Fields are written in the order of
their numbers, as protobuf's own writers do.
"""

from __future__ import annotations

import struct

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
