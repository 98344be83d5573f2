"""CRC-32C (Castagnoli), which TFRecord files carry after each length and each record.

Bytes go through a table one after the other. Long records are cut into equal lanes that go through it
together as numpy arrays; the lanes' checksums are then joined, because a CRC is linear: the checksum of
a + b is that of a, pushed on by the length of b, xor that of b.
"""

from __future__ import annotations

from functools import cache

import numpy as np

_POLYNOMIAL = 0x82F63B78
_LONG = 4096


@cache
def _table() -> np.ndarray:
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, values >> 1 ^ _POLYNOMIAL, values >> 1).astype(np.uint32)
    return values


@cache
def _list() -> list[int]:
    return _table().tolist()


def _push(state: int, data: bytes) -> int:
    table = _list()
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ state >> 8
    return state


def _push_zeros(bits: np.ndarray, count: int) -> np.ndarray:
    table = _table()
    for _ in range(count):
        bits = table[bits & 0xFF] ^ bits >> np.uint32(8)
    return bits


def crc32c(data: bytes) -> int:
    """The checksum of ``data``."""
    if len(data) < _LONG:
        return _push(0xFFFFFFFF, data) ^ 0xFFFFFFFF
    width = int(len(data) ** 0.5)
    lanes = np.frombuffer(data, np.uint8, width * (len(data) // width)).reshape(-1, width)
    table, states = _table(), np.zeros(len(lanes), np.uint32)
    for column in lanes.T:
        states = table[(states ^ column) & 0xFF] ^ states >> np.uint32(8)
    # What each of the 32 bits of a state becomes when a lane's worth of zeros follows.
    moved = _push_zeros(np.uint32(1) << np.arange(32, dtype=np.uint32), width).tolist()
    state = 0xFFFFFFFF
    for lane in states.tolist():
        pushed = lane
        for bit in range(32):
            if state >> bit & 1:
                pushed ^= moved[bit]
        state = pushed
    return _push(state, data[lanes.size :]) ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    """The checksum as TFRecord files store it: rotated by 15 bits, plus a constant."""
    crc = crc32c(data)
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF
