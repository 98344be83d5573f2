"""Differences that are known and meant: tests/fuzz_known_differences.txt.

A line is ``name<TAB>condition<TAB>reason``. Several names have ``|`` between them; the
condition is a Python expression over the facts of a case: ``kind`` (what differs), ``call``, ``text``
(operands, statements and call), ``dtypes``, ``shapes``, ``special`` (nan, inf, -0.0, 1e30 or -1e4 among the
inputs), ``zero`` (an element, or a number of the call, is 0), ``finite`` (numbers differ that are finite on
both sides), ``apart`` (how far they do, as a share of the largest number; infinite where others differ),
``empty``, ``scalar`` (a 0-d input), ``view``, ``theirs`` and ``ours`` (the outcomes as text).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "tests" / "fuzz_known_differences.txt"


@dataclass
class Known:
    """One entry, how often it was met in this run, and at which lines."""

    line: int
    name: str
    condition: str
    reason: str
    met: int = 0
    at: set[str] = field(default_factory=set)

    def names(self, name: str) -> bool:
        """Whether it is about the operator ``name``."""
        return name in self.name.split("|")

    def covers(self, name: str, facts: dict) -> bool:
        return self.names(name) and bool(eval(self.condition, dict(facts)))


def read(path: Path = FILE) -> list[Known]:
    """All entries; ValueError for a line without its three fields."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not all(f.strip() for f in fields):
            raise ValueError(f"{path.name}:{number}: name, condition and reason, with a tab between them")
        entries.append(Known(number, *fields))
    return entries
