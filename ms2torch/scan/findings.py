"""What a scan finds: a line of a file, and what is to know about a name there."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

FAILS, API, DIFFERS, DEVICE = "fails", "api", "differs", "device"
# Kinds that a program does not fail by, and its author should know of.
NOTES = (API, DIFFERS, DEVICE)

# Every kind, and what it is. A kind that fails ends a program that gets there.
KINDS = {
    "internal": "an undocumented name inside MindSpore that is not in ms2torch",
    "refused": "a name or argument that ms2torch does not intend to have; the text says what to do instead",
    "removed": "a name of earlier releases that is not in ms2torch",
    "never": "a name that no release of MindSpore had",
    "argument": "a call that MindSpore refuses too: an argument too many, too few, or of another name",
    "name": "a name that is bound nowhere where it is used",
    "module": "a package that is not installed here",
    "syntax": "a file that is no Python 3",
    "api": "a name whose meaning depends on the release: --api settles it",
    "differs": "supported, with a difference",
    "device": "made for one kind of device; the text says what happens here",
    "guarded": "would fail, but stands where the program expects it to: try/except, a test of versions",
    "dead": "would fail, but is never reached",
}
FAILING = frozenset(("internal", "refused", "removed", "never", "argument", "name", "module", "syntax"))


class Finding(NamedTuple):
    """One thing to know: where, of which kind, about which name, and what."""

    path: str
    line: int
    kind: str
    name: str
    text: str

    @property
    def fails(self) -> bool:
        return self.kind in FAILING

    @property
    def shown(self) -> str:
        """The kind as ``--check`` shows it: fails, api, differs."""
        return FAILS if self.fails else self.kind


class Read(NamedTuple):
    """What one file gave: its path, lines, findings, and the MindSpore names that it uses, each how often."""

    path: str
    lines: int
    findings: list[Finding]
    names: Counter
    mindspore: bool
    written: frozenset[str] = frozenset()  # attributes that it gives to MindSpore's modules and objects
