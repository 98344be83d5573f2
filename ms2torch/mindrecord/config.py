"""Encryption of MindRecord files (``mindspore.mindrecord.config``): the key, and how it is used."""

from __future__ import annotations

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]

_chosen: dict = {"key": None, "enc_mode": "AES-GCM", "dec_mode": None}


def set_enc_key(enc_key: str | None) -> None:
    """The key of files that are committed or opened from now on: a str of 16, 24 or 32; None for plain files.

    ``"AES-GCM"`` needs the package ``cryptography`` (the extra ``ms2torch[encryption]``).
    """
    if enc_key is not None:
        if not isinstance(enc_key, str):
            raise ValueError("The input enc_key is not str.")
        if len(enc_key) not in (16, 24, 32):
            raise ValueError("The length of input enc_key is not 16, 24, 32.")
    _chosen["key"] = enc_key


def set_enc_mode(enc_mode="AES-GCM") -> None:
    """How a key encrypts: ``"AES-GCM"``, or a function of the open plain file, its size, the file to be
    written and the key.
    """
    _check(enc_mode, "enc_mode")
    _chosen["enc_mode"] = enc_mode


def set_dec_mode(dec_mode="AES-GCM") -> None:
    """How a key decrypts: ``"AES-GCM"``, a function as that of `set_enc_mode`, or None for the built-in
    ``enc_mode``.
    """
    if dec_mode is not None:
        _check(dec_mode, "dec_mode")
    _chosen["dec_mode"] = dec_mode


def _get_enc_key() -> str | None:
    return _chosen["key"]


def _get_enc_mode():
    return _chosen["enc_mode"]


def _get_dec_mode():
    """The mode that decrypts; RuntimeError where only a function that encrypts is set."""
    if _chosen["dec_mode"] is None and callable(_chosen["enc_mode"]):
        raise RuntimeError("You use custom encryption, so you must also define custom decryption.")
    return _chosen["dec_mode"] or _chosen["enc_mode"]


def _check(mode, name: str) -> None:
    if callable(mode):
        return
    if not isinstance(mode, str):
        raise ValueError(f"The input {name} is not str.")
    if mode != "AES-GCM":
        raise ValueError(f"The input {name} is invalid.")
