"""``--map-path OLD=NEW``: hard-coded folders of a program, read and written somewhere else.

The functions that open, list and change files (``open``, ``os``, and through them ``pathlib``, ``shutil``,
``glob``, numpy and torch) are wrapped in this process; a path that is OLD or lies under it becomes the same
path under NEW. Compiled libraries that open files by themselves are out of reach. Stands alone: it is also
loaded in subprocesses before anything else.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import pathlib

# Name of the function, and how many leading arguments are paths.
_OS = dict.fromkeys(
    (
        "open",
        "stat",
        "lstat",
        "listdir",
        "scandir",
        "walk",
        "mkdir",
        "makedirs",
        "access",
        "unlink",
        "remove",
        "rmdir",
        "removedirs",
        "chmod",
        "chdir",
        "utime",
        "readlink",
        "truncate",
    ),
    1,
)
_OS |= dict.fromkeys(("rename", "replace", "renames", "link", "symlink"), 2)
_KEYWORDS = {"file", "path", "src", "dst", "name", "top", "old", "new"}
_pairs: list[tuple[str, str]] = []


def parse(text: str) -> tuple[str, str]:
    """``OLD=NEW`` as a pair; ValueError for anything else, and where NEW is not there."""
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise ValueError(f"--map-path takes OLD=NEW, but got {text!r}.")
    place = os.path.abspath(os.path.expanduser(new))
    if not os.path.exists(place):
        raise ValueError(f"--map-path {text}: there is no {place}.")
    return old.rstrip("/\\") or old, place


def map_path(path):
    """Where ``path`` lies now: str, bytes or PathLike in, str or bytes out; anything else unchanged."""
    if isinstance(path, str):
        text = path
    elif isinstance(path, (bytes, os.PathLike)):
        text = os.fsdecode(path)
    else:
        return path
    for old, new in _pairs:
        rest = text[len(old) :]
        if text.startswith(old) and (not rest or rest[0] in "/\\" or old.endswith(("/", "\\"))):
            found = new + rest
            return os.fsencode(found) if isinstance(path, bytes) else found
    return path


def _wrapped(function, paths: int):
    @functools.wraps(function)
    def call(*args, **kwargs):
        for key in _KEYWORDS & kwargs.keys():
            kwargs[key] = map_path(kwargs[key])
        return function(*map(map_path, args[:paths]), *args[paths:], **kwargs)

    return call


def install(pairs: list[str]) -> None:
    """Map each ``OLD=NEW`` from now on, in the order given; the first that fits counts."""
    wrap = not _pairs
    _pairs.extend(parse(p) for p in pairs)
    if not wrap or not _pairs:
        return
    builtins.open = io.open = _wrapped(io.open, 1)
    accessor = getattr(pathlib, "_NormalAccessor", None)        # Python 3.10 keeps its own references
    if accessor is not None:
        accessor.open = staticmethod(io.open)
    for name, paths in _OS.items():
        if hasattr(os, name):
            function = _wrapped(getattr(os, name), paths)
            setattr(os, name, function)
            if accessor is not None and name in vars(accessor) and name != "open":
                setattr(accessor, name, staticmethod(function))
