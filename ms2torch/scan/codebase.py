"""A whole code base: every script and notebook of several folders, in parallel."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from . import judging, sources
from ._sharing import shared
from .answers import first_release
from .findings import Finding, Read

# Files that mention MindSpore, from which on processes pay for their start.
_MANY = 200


class Report(NamedTuple):
    """What a scan found: counts, findings in order, how many files use each name, and how often all do."""

    files: int
    lines: int
    using: int
    findings: list[Finding]
    names: Counter
    uses: Counter


def scan(paths: list[str], api: str | None = None, jobs: int | None = None) -> Report:
    """Read everything below the given files and folders."""
    return merge(read_all(paths, api, jobs))


def read_all(paths: list[str], api: str | None = None, jobs: int | None = None) -> list[Read]:
    """What each file below the given files and folders gives."""
    found = [
        file
        for path in paths
        for file in ([Path(path)] if os.path.isfile(path) else sources.files(Path(path)))
    ]
    found = list(dict.fromkeys(found))
    local = frozenset(name for file in found for name in (file.stem, *file.parent.parts))
    with _uncollected():
        return judging.without_written(_read_all(found, local, api, jobs))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without searches for circles among objects: each new tree sets one off, through all that torch has,
    which is a third of the time; trees have no circles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def merge(reads: list[Read]) -> Report:
    """The report on some files."""
    findings = sorted({f for read in reads for f in read.findings})
    names = Counter(name for read in reads for name in read.names)
    uses: Counter = Counter()
    for read in reads:
        uses.update(read.names)
    lines, using = sum(r.lines for r in reads), sum(r.mindspore for r in reads)
    return Report(len(reads), lines, using, findings, names, uses)


def _read_all(found: list[Path], local: frozenset[str], api: str | None, jobs: int | None) -> list[Read]:
    plain = partial(_plain, local=local, api=api)
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or len(found) < _MANY or not hasattr(os, "fork"):
        return [plain(file) for file in found]
    import ms2torch  # noqa: F401 - once, before the processes

    return shared(plain, found, jobs)


def _plain(file: Path, local: frozenset[str], api: str | None) -> Read:
    """One file; a file that does not mention MindSpore is only counted, unless it is no text."""
    shown = os.path.relpath(file)
    try:
        if file.suffix != ".ipynb":  # a script may have any name
            text: bytes | str = file.read_bytes()
            if b"mindspore" not in text and judging.is_text(text):
                return Read(shown, text.count(b"\n"), [], Counter(), False)
        else:
            text = sources.read(file, shown)[0].text
            if "mindspore" not in text:
                return Read(shown, text.count("\n"), [], Counter(), False)
    except (OSError, ValueError) as error:
        return Read(
            shown, 0, [Finding(shown, 1, "syntax", type(error).__name__, str(error))], Counter(), False
        )

    def installed(name: str) -> bool:
        return name.partition(".")[0] in local or sources.is_installed(name)

    read = judging.judge(shown, text, api=api, installed=installed)[1]
    return _in_cells(file, read) if file.suffix == ".ipynb" else read


def _in_cells(file: Path, read: Read) -> Read:
    """The same with places in a notebook's cells, which are counted as Jupyter runs them."""
    starts = sources.cell_starts(file)
    findings = []
    for f in read.findings:
        cell = max(i for i, start in enumerate(starts) if start <= f.line) if starts else 0
        text = f"{f.text} (line {f.line - starts[cell] + 1} of code cell {cell + 1})"
        findings.append(f._replace(text=text))
    return read._replace(findings=findings)


def releases(report: Report) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """The newest release that had a name first, and the oldest that had one last, of the names used."""
    from ms2torch._naming import surface

    used = report.names
    since = max((first_release()[n] for n in used if n in first_release()), default=(1, 0))
    rows = [surface._removed()[n] for n in used if n in surface._removed()]
    lasts = [
        tuple(int(p) for p in last.strip("vr").split(".")[:2]) for _, last, _ in rows if last[-1:].isdigit()
    ]
    return since, min(lasts, default=None)


def translated(report: Report) -> tuple[int, int] | None:
    """How many uses of MindSpore's names ``ms2torch translate`` has a rule for, and of how many; a call may
    still be kept for its arguments. None where libcst, which it needs, is not installed."""
    try:
        settled = sum(count for name, count in report.uses.items() if _has_rule(name))
    except ModuleNotFoundError:
        return None
    return settled, sum(report.uses.values())


@cache
def _has_rule(name: str) -> bool:
    from ms2torch.translate import rule_of

    return rule_of(name) is not None


class Obstacle(NamedTuple):
    """One thing to mend: its name and kind, how many lines and files it stands in, and how many files need
    nothing else."""

    name: str
    kind: str
    sites: int
    files: int
    alone: int
    text: str


def obstacles(findings: list[Finding]) -> list[Obstacle]:
    """What stands between the code and a first run, what mends most first."""
    failing = [f for f in findings if f.fails]
    by_file: dict[str, set[str]] = {}
    for f in failing:
        by_file.setdefault(f.path, set()).add(f.name)
    alone = Counter(next(iter(names)) for names in by_file.values() if len(names) == 1)
    groups: dict[str, list[Finding]] = {}
    for f in failing:
        groups.setdefault(f.name, []).append(f)
    found = [
        Obstacle(name, group[0].kind, len(group), len({f.path for f in group}), alone[name], group[0].text)
        for name, group in groups.items()
    ]
    return sorted(found, key=lambda o: (-o.alone, -o.files, -o.sites, o.name))
