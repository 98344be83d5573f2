"""What a run over the operators found: saved after each part of it, written as a table at the end."""

from __future__ import annotations

import datetime
import json
import platform
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from scripts.fuzz import chinese
from scripts.fuzz.known import FILE, Known
from scripts.fuzz.search import Report

TABLE = Path(__file__).with_name("RESULTS.md")
COUNTS = ("examples", "gradients", "raised", "listed", "differences")
ORIGIN = ("seed", "day")                   # of a line's latest run


@dataclass
class Results:
    """Counts by line with the seed and the day of its run, differences as text, and how often the entries
    of each reason were met, and where."""

    mindspore: str
    seed: int = 0
    operators: dict[str, dict] = field(default_factory=dict)
    differences: dict[str, list[str]] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    at: dict[str, list[str]] = field(default_factory=dict)

    def add(self, report: Report) -> None:
        """Take one line's report in."""
        found = {count: getattr(report, count) for count in COUNTS[:-1]}
        self.operators[report.name] = {**found, "differences": len(report.differences), "seed": self.seed,
                                       "day": str(datetime.date.today())}
        if report.differences:
            self.differences[report.name] = [str(d) for d in report.differences.values()]

    def count(self, entries: list[Known]) -> None:
        """Take in which entries were met."""
        for entry in entries:
            self.met[entry.reason] = self.met.get(entry.reason, 0) + entry.met
            self.at[entry.reason] = sorted({*self.at.get(entry.reason, []), *entry.at})

    def stale(self, entries: list[Known]) -> list[str]:
        """A line for each entry that was never met."""
        return [f"{FILE.name}:{e.line}: {e.name} no longer differs where {e.condition}"
                for e in entries if not self.met.get(e.reason)]

    def total(self, count: str) -> int:
        return sum(counts[count] for counts in self.operators.values())

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def write(self, entries: list[Known], names: list[str], path: Path = TABLE) -> None:
        """The table for people, in both languages; ``names`` are the lines that there are, in their order."""
        import torch

        self.operators = {name: self.operators[name] for name in names if name in self.operators}
        unmet, total = len(self.stale(entries)), {count: self.total(count) for count in COUNTS}
        lines = [
            "# Operators, layers, optimizers and transforms fuzzed against MindSpore",
            "",
            "[中文](RESULTS.zh-CN.md)",
            "",
            "Written by `python scripts/fuzz_ops.py --table`. An example is a call with drawn operands and",
            "arguments, on both sides: values, dtypes, shapes, error types, gradients by inputs and weights.",
            "",
            f"MindSpore {self.mindspore} (CPU), torch {torch.__version__}, Python "
            f"{platform.python_version()}, {platform.machine()}.",
            "",
            f"**{len(self.operators)} of {len(names)} lines,",
            f"{total['examples']} examples, {total['gradients']} with gradients,",
            f"{total['raised']} that raise on MindSpore:",
            f"{total['differences']} differences that are not listed.**",
            f"{total['listed']} examples are of the {len(entries)} entries in `tests/{FILE.name}`; "
            f"the reasons of {unmet} were not met.",
            "Examples of a seed are no two alike, but about one in seven of the seed 1212.",
            "How often a reason was met is counted over all runs of the lines; a line was judged by the list "
            "of its day, which may have been narrowed since.",
            "",
            "## What is listed, and where it was met",
            "",
            "| reason | examples | at |",
            "|---|--:|---|",
            *(f"| {reason} | {self.met.get(reason, 0)} | {', '.join(self.at.get(reason, ()))} |"
              for reason in dict.fromkeys(e.reason for e in entries)),
            "",
            HEADS,
            "",
            "| line | examples | with gradients | raise | of listed differences | differences | seed | day |",
            "|---|--:|--:|--:|--:|--:|--:|---|",
            *(f"| {name} | {' | '.join(str(counts[k]) for k in (*COUNTS, *ORIGIN))} |"
              for name, counts in self.operators.items()),
        ]
        text = "\n".join(lines) + "\n"
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".zh-CN.md").write_text(chinese.page(text), encoding="utf-8")


HEADS = "## Lines"


def read(path: Path) -> Results:
    """Saved results, or those of a page that `Results.write` wrote."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return Results(**json.loads(text))
    found = Results(re.search(r"MindSpore (\S+) \(CPU\)", text)[1])
    reasons, lines = (part.split("|--:", 1)[1].splitlines()[1:] for part in text.split(HEADS))
    for row in reasons:
        if row:
            reason, count, at = row.strip("| ").rsplit(" | ", 2) if not row.endswith("|  |") else (
                *row[2:-4].rsplit(" | ", 1), "")
            found.met[reason] = found.met.get(reason, 0) + int(count)
            found.at[reason] = sorted({*found.at.get(reason, []), *filter(None, at.split(", "))})
    for row in lines:
        name, *counts, seed, day = row.strip("| ").rsplit(" | ", len(COUNTS) + len(ORIGIN))
        found.operators[name] = {**dict(zip(COUNTS, map(int, counts), strict=True)),
                                 "seed": int(seed), "day": day}
    return found


def merged(paths: list[Path]) -> Results:
    """The parts of one or several runs as one: of a line the latest counts."""
    whole = None
    for part in map(read, paths):
        if whole is None:
            whole = part
            continue
        if part.mindspore != whole.mindspore:
            raise ValueError(f"runs against MindSpore {part.mindspore} and {whole.mindspore}")
        for name in part.operators:
            whole.differences.pop(name, None)
        whole.operators.update(part.operators)
        whole.differences.update(part.differences)
        for reason, count in part.met.items():
            whole.met[reason] = whole.met.get(reason, 0) + count
            whole.at[reason] = sorted({*whole.at.get(reason, []), *part.at[reason]})
    return whole
