"""Encryption of MindRecord files (``mindspore.mindrecord.config``), which is not supported: a key is refused.

The checks of the arguments are MindSpore's.
"""

from __future__ import annotations

from ms2torch._core.errors import unsupported

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]


def set_enc_key(enc_key: str | None) -> None:
    """The key of files that are written or read from now on; only None, no encryption, is supported."""
    if enc_key is None:
        return
    if not isinstance(enc_key, str):
        raise ValueError("The input enc_key is not str.")
    if len(enc_key) not in (16, 24, 32):
        raise ValueError("The length of input enc_key is not 16, 24, 32.")
    raise unsupported("mindspore.mindrecord.set_enc_key", "encrypted files are not supported.",
                      "write the files without a key, and encrypt the disk or the archive.")


def set_enc_mode(enc_mode="AES-GCM") -> None:
    """How a key encrypts; without one it has no effect."""
    _check(enc_mode, "enc_mode")


def set_dec_mode(dec_mode="AES-GCM") -> None:
    """How a key decrypts; without one it has no effect."""
    if dec_mode is not None:
        _check(dec_mode, "dec_mode")


def _check(mode, name: str) -> None:
    if callable(mode):
        return
    if not isinstance(mode, str):
        raise ValueError(f"The input {name} is not str.")
    if mode != "AES-GCM":
        raise ValueError(f"The input {name} is invalid.")
