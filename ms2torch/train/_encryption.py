"""Encrypted blocks as MindSpore writes them, by the `cryptography` package.

A block: a magic number of the mode, for GCM a tag of 16 bytes, the length of the rest, the length of the
nonce and the nonce, the length of the cipher text and the cipher text; numbers are int32, the low byte first.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

from ms2torch._core.errors import unsupported

MODES = ("AES-GCM", "AES-CBC", "SM4-CBC")
_MAGIC = {mode: 0x7F3A5ED8 + number for number, mode in enumerate(MODES)}
_LONGEST = 64 << 20
_NONCE = 16


class Undecipherable(ValueError):
    """The key, the mode or the bytes are not those that were written."""


def _cipher(key: bytes, mode: str, nonce: bytes, tag: bytes | None = None):
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        raise unsupported(
            "Encrypted files", "they need the package cryptography.",
            "pip install cryptography (the extra ms2torch[encryption]).",
        ) from None
    if mode == "SM4-CBC":
        return Cipher(algorithms.SM4(key), modes.CBC(nonce))
    if mode == "AES-GCM":  # which uses the first 12 bytes of the nonce
        return Cipher(algorithms.AES(key), modes.GCM(nonce[:12], tag))
    return Cipher(algorithms.AES(key), modes.CBC(nonce))


def encrypted(data: bytes, key: bytes, mode: str) -> Iterator[bytes]:
    """``data`` as blocks of 64 MiB. ValueError for an unknown mode or a key of a length that it has not."""
    if mode not in _MAGIC or len(key) not in ((16,) if mode == "SM4-CBC" else (16, 24, 32)):
        raise ValueError("Encrypt failed")
    for start in range(0, len(data), _LONGEST):
        plain = bytes(data[start : start + _LONGEST])
        nonce = os.urandom(_NONCE)
        if mode != "AES-GCM":  # whole blocks: each added byte says how many there are
            plain += bytes([16 - len(plain) % 16]) * (16 - len(plain) % 16)
        cipher = _cipher(key, mode, nonce).encryptor()
        text = cipher.update(plain) + cipher.finalize()
        rest = struct.pack("<i", _NONCE) + nonce + struct.pack("<i", len(text)) + text
        tag = cipher.tag if mode == "AES-GCM" else b""
        yield struct.pack("<I", _MAGIC[mode]) + tag + struct.pack("<i", len(rest)) + rest


def decrypted(data, key: bytes, mode: str) -> bytes:
    """What `encrypted` was given; `Undecipherable` where it was something else."""
    found, at = [], 0
    try:
        while at < len(data):
            (magic,) = struct.unpack_from("<I", data, at)
            if magic != _MAGIC.get(mode):
                raise Undecipherable("another mode")
            at += 4
            tag = bytes(data[at : at + 16]) if mode == "AES-GCM" else None
            at += 16 if tag else 0
            length, nonce_length = struct.unpack_from("<ii", data, at)
            nonce = bytes(data[at + 8 : at + 8 + nonce_length])
            text = bytes(data[at + 12 + nonce_length : at + 4 + length])
            cipher = _cipher(key, mode, nonce, tag).decryptor()
            plain = cipher.update(text) + cipher.finalize()
            found.append(plain if tag else _unpadded(plain))
            at += 4 + length
    except NotImplementedError:
        raise
    except Exception as err:
        raise Undecipherable(str(err)) from err
    return b"".join(found)


def _unpadded(plain: bytes) -> bytes:
    count = plain[-1]
    if not 1 <= count <= 16 or plain[-count:] != bytes([count]) * count:
        raise Undecipherable("padding")
    return plain[:-count]


def is_encrypted(path: str) -> bool:
    """Whether a file begins as an encrypted one does."""
    with open(path, "rb") as file:
        return file.read(4) in {struct.pack("<I", magic) for magic in _MAGIC.values()}
