"""Helpers of training that programs import (``mindspore.train._utils``)."""

from __future__ import annotations

import os


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder, with those above it; its real path. TypeError and ValueError for no path."""
    if not isinstance(path, str):
        raise TypeError(f"The {arg_name} is invalid, the type should be string.")
    if not path.strip():
        raise ValueError(f"The {arg_name} is invalid, it should be non-blank.")
    path = os.path.realpath(path)
    os.makedirs(path, exist_ok=True)
    return path
