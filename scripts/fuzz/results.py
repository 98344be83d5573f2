"""What a run over the operators found: saved after each part of it, written as a table at the end."""

from __future__ import annotations

import datetime
import json
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

from scripts.fuzz import chinese
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
    differences: dict[str, list[str]] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    at: dict[str, list[str]] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)         # lines that were run anew, after a mend

    def add(self, report: Report) -> None:
        """Take one operator's report in."""
        found = {count: getattr(report, count) for count in COUNTS}
        self.operators[report.name] = {**found, "differences": len(report.differences)}
        if report.differences:
            self.differences[report.name] = [str(d) for d in report.differences.values()]

    def count(self, entries: list[Known]) -> None:
        """Take in which entries were met."""
        for entry in entries:
            self.met[_key(entry)] = self.met.get(_key(entry), 0) + entry.met
            self.at[_key(entry)] = sorted({*self.at.get(_key(entry), []), *entry.at})

    def stale(self, entries: list[Known]) -> list[str]:
        """A line for each entry that was never met."""
        return [f"{FILE.name}:{e.line}: {e.name} no longer differs where {e.condition}"
                for e in entries if not self.met.get(_key(e))]

    def total(self, count: str) -> int:
        return sum(counts[count] for counts in self.operators.values())

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def write(self, entries: list[Known], known_operators: int, path: Path = TABLE) -> None:
        """The table for people, in both languages; a full run would have ``known_operators``."""
        import torch

        unmet, total = len(self.stale(entries)), {c: self.total(c) for c in (*COUNTS, "differences")}
        lines = [
            "# Operators, layers, optimizers and transforms fuzzed against MindSpore",
            "",
            "[中文](RESULTS.zh-CN.md)",
            "",
            "Written by `python scripts/fuzz_ops.py --table`. An example is a call with drawn operands and",
            "arguments, on both sides: values, dtypes, shapes, error types, gradients by inputs and weights.",
            "",
            f"{datetime.date.today()}, seed {self.seed}: MindSpore {self.mindspore} (CPU), torch "
            f"{torch.__version__}, Python {platform.python_version()}, {platform.machine()}.",
            "",
            f"**{len(self.operators)} of {known_operators} lines,",
            f"{total['examples']} examples, {total['gradients']} with gradients,",
            f"{total['raised']} that raise on MindSpore:",
            f"{total['differences']} differences that are not listed.**",
            f"{total['listed']} examples are of the {len(entries)} entries in `tests/{FILE.name}`; "
            f"{unmet} of these were not met.",
            *([f"{len(self.again)} lines were run again with the same seed after what differed there was "
               "mended."] if self.again else []),
            "",
            "## What is listed, and where it was met",
            "",
            "| reason | examples | at |",
            "|---|--:|---|",
            *(f"| {e.reason} | {self.met.get(_key(e), 0)} | {_among(self.at.get(_key(e), ()))} |"
              for e in entries),
            "",
            "## Lines",
            "",
            "| operator | examples | with gradients | raise | of listed differences | differences |",
            "|---|--:|--:|--:|--:|--:|",
            *(f"| {name} | {' | '.join(str(counts[k]) for k in (*COUNTS, 'differences'))} |"
              for name, counts in self.operators.items()),
        ]
        text = "\n".join(lines) + "\n"
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".zh-CN.md").write_text(chinese.page(text), encoding="utf-8")


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
        for name in part.operators:          # run again, after a mend
            whole.differences.pop(name, None)
        whole.again = sorted({*whole.again, *part.again, *(whole.operators.keys() & part.operators.keys())})
        whole.operators.update(part.operators)
        whole.differences.update(part.differences)
        for key, count in part.met.items():
            whole.met[key] = whole.met.get(key, 0) + count
        for key, names in part.at.items():
            whole.at[key] = sorted({*whole.at.get(key, []), *names})
    return whole


def _key(entry: Known) -> str:
    return f"{entry.name}\t{entry.condition}"


def _among(names) -> str:
    return ", ".join(names)
