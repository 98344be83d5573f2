"""API generations: the MindSpore release whose meaning a name has where releases differ.

Unset, every spelling that can be told apart is accepted and the rest follows 2.10. ``--api 1.5``,
``ms2torch.install(api="1.5")`` or ``MS2TORCH_API=1.5`` settles what cannot be told apart.
"""

from __future__ import annotations

import contextlib
import os

LATEST = (2, 10)
_set: tuple[int, int] | None = None
_followers: list = []


def parse(text: str) -> tuple[int, int]:
    """``"1.5"``, ``"r1.5"`` or ``"1.5.2"`` as ``(1, 5)``; ValueError for anything else."""
    parts = text.strip().lower().removeprefix("r").split(".")
    if len(parts) < 2 or not all(p.isdigit() for p in parts):
        raise ValueError(f"An API generation looks like 1.5 or 2.10, but got {text!r}.")
    found = (int(parts[0]), int(parts[1]))
    if not (1, 0) <= found <= LATEST:
        raise ValueError(f"API generations run from 1.0 to 2.10, but got {text!r}.")
    return found


def set_api(text: str | None) -> None:
    """Choose the generation; None goes back to unset."""
    global _set
    _set = None if text is None else parse(text)
    for follow in _followers:
        follow()


@contextlib.contextmanager
def chosen(text: str | None):
    """In here the generation is ``text``; None changes nothing."""
    before = _set
    if text is not None:
        set_api(text)
    try:
        yield
    finally:
        set_api(None if before is None else ".".join(map(str, before)))


def follow(act) -> None:
    """Call ``act()`` whenever a generation is chosen, and now if one is."""
    _followers.append(act)
    if is_set():
        act()


def is_set() -> bool:
    return _set is not None


def api() -> tuple[int, int]:
    """The generation in force, the latest where none was chosen."""
    return _set or LATEST


def version() -> str:
    """The generation as ``mindspore.__version__`` shows it: ``2.10.0``."""
    return "{}.{}.0".format(*api())


def is_before(major: int, minor: int) -> bool:
    """True where the chosen generation is older than ``major.minor``; False where none was chosen."""
    return _set is not None and _set < (major, minor)


if os.environ.get("MS2TORCH_API"):
    try:
        set_api(os.environ["MS2TORCH_API"])
    except ValueError as err:
        raise ValueError(f"MS2TORCH_API: {err}") from None
