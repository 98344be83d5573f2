"""``ms2torch check`` and ``ms2torch scan``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path

from ms2torch._core.errors import BadInput, check_reports
from ms2torch.cli import Parser, release, whole_number, write_whole

from . import codebase, program, report, sources
from .findings import NOTES, Finding

_EXIT = "exit code: 0 nothing would fail, 1 something would, 2 bad input"


def _parser(name: str, usage: str, text: str) -> argparse.ArgumentParser:
    p = Parser(f"ms2torch {name}", usage=usage, description=text, epilog=_EXIT)
    p.add_argument(
        "--api",
        metavar="RELEASE",
        type=release,
        help="the MindSpore release the program was written for (1.0 to 2.10)",
    )
    p.add_argument("--json", metavar="FILE", help="write the findings for machines; - is standard output")
    return p


def check_parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch check``; -m and -c take what follows, as Python's do."""
    p = _parser(
        "check",
        "ms2torch check [options] (PATH... | -m module | -c code)",
        "What of a program will not work, before anything runs. A script is read with the modules that "
        "it imports from its own folder, a folder with all that is in it.",
    )
    p.add_argument("-m", metavar="module", dest="module", help="the file that python -m would run")
    p.add_argument("-c", metavar="code", dest="code", help="a program on the command line")
    p.add_argument("paths", nargs="*", metavar="PATH", help="scripts, notebooks, folders")
    return p


def scan_parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch scan``."""
    p = _parser(
        "scan",
        "ms2torch scan [options] PATH...",
        "A whole code base, without running it: every MindSpore name and argument that is not here, "
        "differs, or depends on the release, and what mends most.",
    )
    p.add_argument("--html", metavar="FILE", help="write the report as a page")
    p.add_argument("--baseline", metavar="FILE", help="leave out the findings that this file has")
    p.add_argument("--write-baseline", metavar="FILE", help="write the findings of now into that file")
    p.add_argument("--jobs", type=whole_number(1), metavar="N", help="processes; default: the cores here")
    p.add_argument("paths", nargs="+", metavar="PATH", help="folders, scripts, notebooks")
    return p


def _wrong(text: str) -> int:
    print(f"ms2torch: {text}", file=sys.stderr)
    return 2


def _of_file(error: OSError) -> str:
    """What the system says of a file, in words, without its error number."""
    return f"{error.filename!r}: {error.strerror}" if error.filename and error.strerror else str(error)


def _missing(paths: list[str]) -> str | None:
    """What is wrong with a list of paths, in words."""
    for path in paths:
        if not os.path.exists(path):
            return f"can't open file {os.path.abspath(path)!r}: no such file or folder"
        if not os.access(path, os.R_OK):
            return f"can't open {path!r}: permission denied"
    return None


def _generation(api: str | None) -> None:
    if api:
        from ms2torch._naming import generation

        generation.set_api(api)


# ---- check ---------------------------------------------------------------------------------------------


def check(argv: list[str]) -> int:
    """``ms2torch check``."""
    parser = check_parser()
    asked = parser.parse_args(argv)
    ways = bool(asked.paths) + (asked.module is not None) + (asked.code is not None)
    if ways != 1:
        return _wrong("check takes paths, or -m module, or -c code\nusage: " + parser.usage)
    return _check(asked.paths, asked.module, asked.code, asked.api, asked.json)


def check_program(rest: list[str], api: str | None) -> int:
    """``ms2torch --check`` with a program as it would be run; what follows it is its own, but for scripts."""
    match rest:
        case ["-m", name, *_]:
            return _check([], name, None, api)
        case ["-c", code, *_]:
            return _check([], None, code, api)
        case []:
            return _wrong("--check needs a script, a folder, -m module or -c code")
    more = [word for word in rest[1:] if word.endswith(sources.SUFFIXES) and os.path.isfile(word)]
    return _check([rest[0], *more], None, None, api)


def _check(
    paths: list[str], module: str | None, code: str | None, api: str | None, file: str | None = None
) -> int:
    if problem := _missing(paths):
        return _wrong(problem)
    try:
        check_reports(file)
        _generation(api)
    except (ValueError, BadInput) as error:
        return _wrong(str(error))
    if module is not None:
        place = sources.module_file(module)
        if place is None:
            return _wrong(f"No module named {module}")
        paths = [os.path.relpath(place)]
    if code is not None:
        groups = [("-c", program.command(code, api))]
    else:
        try:
            groups = [(path, _reads(path, api)) for path in paths]
        except (OSError, ValueError) as error:
            return _wrong(str(error))
    failed = False
    everything: dict[str, object] = {}
    for name, reads in groups:
        findings = sorted({f for read in reads for f in read.findings})
        everything.update((read.path, read) for read in reads)
        fails = sum(f.fails for f in findings)
        failed |= fails > 0
        if file == "-":
            continue
        report.show(findings)
        notes = sum(f.kind in NOTES for f in findings)
        names = len({used for read in reads for used in read.names})
        print(
            f"{name}: {_counted(names, 'MindSpore name')} in {_counted(len(reads), 'file')}; "
            f"{fails} would fail, {notes} to know about."
        )
    if file:
        try:
            report.write_json(codebase.merge(list(everything.values())), file)
        except OSError as error:
            return _wrong(_of_file(error))
    return int(failed)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _reads(path: str, api: str | None) -> list:
    if os.path.isdir(path):
        return codebase.read_all([path], api, 1)
    return program.read_program(Path(path).resolve(), api)


# ---- scan ----------------------------------------------------------------------------------------------


def scan(argv: list[str]) -> int:
    """``ms2torch scan``."""
    asked = scan_parser().parse_args(argv)
    if problem := _missing(asked.paths):
        return _wrong(problem)
    _generation(asked.api)
    try:
        check_reports(asked.write_baseline, asked.html, asked.json)
        known = _baseline(asked.baseline)
        found = codebase.scan(asked.paths, asked.api, asked.jobs)
        if asked.write_baseline:
            _write_baseline(found.findings, asked.write_baseline)
        found = found._replace(findings=_new(found.findings, known))
        if asked.html:
            report.write_html(found, asked.html)
        if asked.json:
            report.write_json(found, asked.json)
    except OSError as error:
        return _wrong(_of_file(error))
    except (ValueError, BadInput) as error:
        return _wrong(str(error))
    if asked.json != "-":
        report.show_report(found)
        if asked.baseline:
            print(f"{sum(known.values())} findings of {asked.baseline} are left out.")
    return int(any(f.fails for f in found.findings))


def _key(finding: Finding) -> tuple[str, str, str, str]:
    """What makes two findings the same although lines have moved."""
    return finding.path, finding.kind, finding.name, finding.text


def _baseline(file: str | None) -> Counter:
    if file is None:
        return Counter()
    try:
        rows = json.loads(Path(file).read_text(encoding="utf-8"))["findings"]
        return Counter(_key(Finding(**row)) for row in rows)
    except OSError as error:
        raise BadInput(f"can't read {file!r}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} is no baseline: {error}") from None


def _write_baseline(findings: list[Finding], file: str) -> None:
    rows = [f._asdict() for f in findings]
    write_whole(file, json.dumps({"findings": rows}, indent=1, ensure_ascii=False) + "\n")


def _new(findings: list[Finding], known: Counter) -> list[Finding]:
    """The findings that a baseline does not have, as often as it has them."""
    left, fresh = Counter(known), []
    for finding in findings:
        if left[_key(finding)] > 0:
            left[_key(finding)] -= 1
        else:
            fresh.append(finding)
    return fresh
