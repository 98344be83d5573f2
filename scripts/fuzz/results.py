"""What a run over the operators found: saved after each part of it, written as a table at the end."""

from __future__ import annotations

import datetime
import json
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

from scripts.fuzz.known import FILE, Known
from scripts.fuzz.search import Report

TABLE = Path(__file__).with_name("RESULTS.md")
COUNTS = ("examples", "gradients", "raised", "listed")


@dataclass
class Results:
    """Counts by operator, differences as text, and how often each entry of the known ones was met."""

    mindspore: str
    seed: int
    operators: dict[str, dict[str, int]] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    met: dict[str, int] = field(default_factory=dict)

    def add(self, report: Report) -> None:
        """Take one operator's report in."""
        found = {count: getattr(report, count) for count in COUNTS}
        self.operators[report.name] = {**found, "differences": len(report.differences)}
        self.differences += map(str, report.differences.values())

    def count(self, entries: list[Known]) -> None:
        """Take in which entries were met."""
        for entry in entries:
            self.met[_key(entry)] = self.met.get(_key(entry), 0) + entry.met

    def stale(self, entries: list[Known]) -> list[str]:
        """A line for each entry that was never met."""
        return [f"{FILE.name}:{e.line}: {e.name} no longer differs where {e.condition}"
                for e in entries if not self.met.get(_key(e))]

    def total(self, count: str) -> int:
        return sum(counts[count] for counts in self.operators.values())

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def write(self, entries: list[Known], path: Path = TABLE) -> None:
        """The table for people."""
        import torch

        unmet = len(self.stale(entries))
        lines = [
            "# Operators fuzzed against MindSpore",
            "",
            "Written by `python scripts/fuzz_ops.py --table`. An example is a call with drawn operands, run on",
            "both sides: values, dtypes, shapes, error types, and gradients where the result has them.",
            "",
            f"{datetime.date.today()}, seed {self.seed}: MindSpore {self.mindspore} (CPU), torch "
            f"{torch.__version__}, Python {platform.python_version()}, {platform.machine()}.",
            "",
            f"**{len(self.operators)} operators and groups, {self.total('examples')} examples, "
            f"{self.total('gradients')} with gradients, {self.total('raised')} that raise on MindSpore:",
            f"{self.total('differences')} differences that are not listed.** {self.total('listed')} examples "
            f"are of the {len(entries)} entries in `tests/{FILE.name}`;",
            f"{unmet} of these entries were not met.",
            "",
            "| operator | examples | with gradients | raise | of listed differences | differences |",
            "|---|--:|--:|--:|--:|--:|",
            *(f"| {name} | {' | '.join(str(counts[k]) for k in (*COUNTS, 'differences'))} |"
              for name, counts in self.operators.items()),
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def merged(paths: list[Path]) -> Results:
    """The parts of one run as one."""
    whole = None
    for path in paths:
        part = Results(**json.loads(path.read_text(encoding="utf-8")))
        if whole is None:
            whole = part
            continue
        if (part.mindspore, part.seed) != (whole.mindspore, whole.seed):
            raise ValueError(f"{path} is of another run")
        whole.operators.update(part.operators)
        whole.differences += part.differences
        for key, count in part.met.items():
            whole.met[key] = whole.met.get(key, 0) + count
    return whole


def _key(entry: Known) -> str:
    return f"{entry.name}\t{entry.condition}"
