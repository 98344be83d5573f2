"""``install(scope=...)``: who finds mindspore. Libraries that merely look whether it is there do not.

With a scope, ``import mindspore``, ``importlib.util.find_spec("mindspore")`` and
``importlib.metadata.version("mindspore")`` answer the program's own files, and of the installed packages
those in the scope and those whose name starts with "mind" (mindcv, mindyolo, ...). All others hear what they
would hear where MindSpore is not installed.
"""

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
import sysconfig

_LIBRARIES = tuple({sysconfig.get_path(k) for k in ("stdlib", "platstdlib", "purelib", "platlib")})
_OWN = ("importlib", "ms2torch", "_frozen_importlib", "_frozen_importlib_external")
_scope: frozenset[str] | None = None
_originals: dict[str, object] = {}


def is_in_scope(depth: int = 1) -> bool:
    """Whether the code that asks, ``depth`` frames out, finds mindspore."""
    if _scope is None:
        return True
    frame = sys._getframe(depth)
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in _OWN:
            return (not _is_installed(frame.f_code.co_filename) or package in _scope
                    or package.startswith("mind"))
        frame = frame.f_back
    return True


def _is_installed(file: str) -> bool:
    """Whether a file is a library's: of this environment, of the user's own folder, or of another environment
    on the path."""
    return file.startswith((*_LIBRARIES, "<frozen")) or any(
        f"{os.sep}{folder}{os.sep}" in file for folder in ("site-packages", "dist-packages"))


def _ours(name: str) -> bool:
    return name == "mindspore" or name.startswith("mindspore.")


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    if level == 0 and _ours(name) and not is_in_scope(2):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _originals["import"](name, globals, locals, fromlist, level)


def _find_spec(name, package=None):
    if _ours(name) and not is_in_scope(2):
        return None
    return _originals["find_spec"](name, package)


def set_scope(names) -> None:
    """Only the program and these packages find mindspore from now on; None: everyone does."""
    global _scope
    if names is None:
        _scope = None
        if _originals:
            builtins.__import__ = _originals.pop("import")
            importlib.util.find_spec = _originals.pop("find_spec")
        return
    _scope = frozenset((names,) if isinstance(names, str) else names)
    if not _originals:
        _originals.update({"import": builtins.__import__, "find_spec": importlib.util.find_spec})
        builtins.__import__, importlib.util.find_spec = _import, _find_spec
