"""``moxing.file`` over the local file system: what model folders written for a cloud platform call.

Paths of an object store (``obs://bucket/...``, ``s3://bucket/...``) are not here: FileNotFoundError names
``--map-path``, which can give them a local folder.
"""

from __future__ import annotations

import builtins
import glob as _glob
import os
import shutil


def _local(path) -> str:
    text = os.fspath(path)
    if text.startswith(("obs://", "s3://")):
        from ms2torch.shim.paths import map_path

        found = map_path(text)
        if found == text:
            bucket = "/".join(text.split("/")[:3])
            raise FileNotFoundError(
                f"{text} lies in an object store; --map-path {bucket}=FOLDER puts "
                "a local folder in its place."
            )
        return found
    return text


def shift(old: str, new: str) -> None:
    """Accepted: it made ``os`` functions reach the object store, which local paths do not need."""


def set_auth(*args, **kwargs) -> None:
    """Accepted: local files need no access keys."""


def exists(url) -> bool:
    return os.path.exists(_local(url))


def is_directory(url) -> bool:
    return os.path.isdir(_local(url))


def list_directory(url, recursive: bool = False, skip_file_name: bool = False) -> list[str]:
    """Names in a folder; with ``recursive`` the relative paths of everything under it."""
    root = _local(url)
    if not recursive:
        return sorted(os.listdir(root))
    return sorted(
        os.path.relpath(os.path.join(folder, name), root)
        for folder, folders, files in os.walk(root)
        for name in (*folders, *files)
    )


def make_dirs(url) -> None:
    os.makedirs(_local(url), exist_ok=True)


def mk_dir(url) -> None:
    os.makedirs(_local(url), exist_ok=True)


def copy(src_url, dst_url) -> None:
    """Copy one file; folders on the way to the target are made. Copying a file onto itself does nothing."""
    source, target = _local(src_url), _local(dst_url)
    if os.path.realpath(source) == os.path.realpath(target):
        return
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    shutil.copyfile(source, target)


def copy_parallel(src_url, dst_url, *args, **kwargs) -> None:
    """Copy a folder with all that is in it, or one file; existing files are written over."""
    source, target = _local(src_url), _local(dst_url)
    if os.path.realpath(source) == os.path.realpath(target):
        return
    if os.path.isdir(source):
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif os.path.exists(source):
        copy(source, target)
    else:
        raise FileNotFoundError(f"moxing.file.copy_parallel: {source} does not exist.")


def rename(src_url, dst_url) -> None:
    os.replace(_local(src_url), _local(dst_url))


def remove(url, recursive: bool = False) -> None:
    path = _local(url)
    if os.path.isdir(path) and recursive:
        shutil.rmtree(path)
    else:
        os.remove(path)


def get_size(url, recursive: bool = False) -> int:
    """Bytes of a file, or with ``recursive`` of all files in a folder."""
    path = _local(url)
    if not recursive:
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, n)) for folder, _, files in os.walk(path) for n in files)


def glob(pattern) -> list[str]:
    return sorted(_glob.glob(_local(pattern)))


def walk(url):
    return os.walk(_local(url))


def read(url, binary: bool = False):
    with builtins.open(_local(url), "rb" if binary else "r") as file:
        return file.read()


def write(url, content) -> None:
    with builtins.open(_local(url), "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)


def append(url, content) -> None:
    with builtins.open(_local(url), "ab" if isinstance(content, bytes) else "a") as file:
        file.write(content)


class File:
    """A file object: ``File(url, mode)`` is ``open`` of the local path."""

    def __new__(cls, url, mode: str = "r", *args, **kwargs):
        return builtins.open(_local(url), mode, *args, **kwargs)
