"""``ms2torch translate SRC -o OUT``: read, run, translate, prove, write, report."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ms2torch._core.errors import check_reports
from ms2torch._naming import generation
from ms2torch.cli import Parser

from . import places, report
from .outcome import File, Outcome
from .places import DRAFT, BadInput, Draft, Project
from .translation import NEEDS_LIBCST, Site

_EXIT = "exit code: 0 all translated and proved, 1 something kept or not proved, 2 bad input"


def parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch translate``."""
    from ms2torch.cli import release

    p = Parser(
        "ms2torch translate",
        usage='ms2torch translate SRC -o OUT [--run "train.py arguments"] [options]',
        description="MindSpore source as the PyTorch that a person would have written: a file, a package or "
        "a notebook. With --run the program runs once on ms2torch, which tells at every call what was "
        "called with what; every translated Cell and the whole program are then compared with the "
        "original.",
        epilog=_EXIT,
    )
    add = p.add_argument
    add("source", metavar="SRC", help="a .py file, a folder, or a notebook")
    add("-o", "--out", metavar="OUT", required=True, help="where the translation goes")
    add("--run", metavar="COMMAND", help="what to learn from and to prove with: a script and its arguments")
    add("--force", action="store_true", help="replace OUT")
    add("--api", metavar="RELEASE", type=release, help="the MindSpore release the program was written for")
    add("--json", metavar="FILE", help="write the report for machines; - is standard output")
    add("--html", metavar="FILE", help="write the report as a page, both texts side by side")
    return p


def main(argv: list[str]) -> int:
    """``ms2torch translate``; the exit code."""
    asked = parser().parse_args(argv)
    try:
        project = places.read(asked.source, asked.out, asked.force)
        script = _script(asked.run, project)
        check_reports(asked.json, asked.html)
        _has_libcst()
        with generation.chosen(asked.api), Draft(project) as draft:
            outcome = translate(project, draft, script, asked.api)
            # Before OUT: a report that cannot be written leaves nothing behind.
            if asked.html:
                report.write_html(outcome, asked.html)
            if asked.json:
                report.write_json(outcome, asked.json)
            draft.settle()
    except (BadInput, OSError) as error:
        said = error if isinstance(error, BadInput) else _unwritten(error, asked.out)
        if isinstance(error, FileNotFoundError) and not os.path.exists(asked.source):
            said = f"{asked.source!r} was deleted while it was translated"
        print(f"ms2torch: {said}", file=sys.stderr)
        return 2
    if asked.json != "-":
        report.show(outcome)
    return 0 if outcome.done else 1


def _unwritten(error: OSError, out: str) -> str:
    """What a failed write is told as; what lies in the draft is OUT to a reader."""
    why = error.strerror
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        why = str(error.args[0][0][-1]).partition("] ")[2].partition(":")[0]  # of a list of all files
    file = error.filename if error.filename and DRAFT not in str(error.filename) else out
    return f"can't write {str(file)!r}: {why or error}"


def _has_libcst() -> None:
    try:
        import libcst  # noqa: F401
    except ModuleNotFoundError:
        raise BadInput(NEEDS_LIBCST) from None


def _script(run: str | None, project: Project) -> list[str] | None:
    """The script that --run names, as it can be opened from here, and its arguments."""
    if run is None:
        return None
    try:
        words = shlex.split(run)
    except ValueError as error:
        raise BadInput(f"--run {run!r}: {error}") from None
    if words[:1] in (["python"], ["python3"]):
        words = words[1:]
    if not words:
        raise BadInput("--run names no script")
    beside = project.root if project.root.is_dir() else project.root.parent
    for place in (Path(words[0]), beside / words[0]):
        if place.is_file():
            return [str(place), *words[1:]]
    raise BadInput(f"--run: can't open {words[0]!r}: no such file")


# ---- the work ----------------------------------------------------------------------------------------------


def translate(project: Project, draft: Draft, script: list[str] | None, api: str | None) -> Outcome:
    """Run, translate, prove, and write into the draft."""
    began = time.perf_counter()
    outcome = Outcome(str(project.root), str(project.out), api=api or "")
    with tempfile.TemporaryDirectory(prefix="ms2torch-") as folder:
        if script:
            _copied(Path.cwd(), Path(folder) / "before")
        result = _session(project, script, api, Path(folder))
        _take(outcome, project, draft, result)
        from . import program

        program.note_draws(outcome, project, result)
        if script:
            program.prove(outcome, project, draft, script, api, Path(folder), result)
    outcome.seconds = time.perf_counter() - began
    return outcome


def _session(project: Project, script: list[str] | None, api: str | None, folder: Path) -> dict:
    """What the process says that ran, translated and proved; its prints are in files of ``folder``."""
    spec = {
        "sources": {p: s.text for p, s in project.sources.items() if _concerns(s)},
        "script": script and script[0],
        "arguments": script[1:] if script else [],
        "api": api,
        "out": str(folder / "result.json"),
        "weights": str(folder / "original.pt"),
    }
    code, tail = run_module("session", spec, folder, "original")
    try:
        return json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a full disk leaves a part of it
        raise BadInput(f"the run came to no end (exit code {code}): {tail}") from None


def _concerns(source) -> bool:
    """Whether a file can have anything to translate: it names MindSpore, or gets Tensors from who does."""
    return source.mindspore or source.notebook is None


# A folder that may be copied so that a program's second run finds what its first one found.
_FILES, _BYTES = 2000, 64 * 2**20


def _copied(place: Path, copy: Path) -> None:
    """Copy the folder that a program runs in, unless it is large or cannot be read."""
    count = size = 0
    for folder, inner, names in os.walk(place):
        inner[:] = [name for name in inner if name not in (".git", "__pycache__")]
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
        count += len(names)
        if count > _FILES or size > _BYTES:
            return
    ignored = shutil.ignore_patterns(".git", "__pycache__")
    try:
        shutil.copytree(place, copy, symlinks=True, ignore=ignored)
    except (OSError, shutil.Error):
        shutil.rmtree(copy, ignore_errors=True)


def run_again(name: str, spec: dict, folder: Path, side: str) -> tuple[int, str]:
    """`run_module` in the folder as it was before the program ran, where that could be copied.

    What the program wrote stays as it is: a translation's files are not the original's.
    """
    before, here = folder / "before", folder / "again"
    if not before.is_dir():
        return run_module(name, spec, folder, side)
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(before, here, symlinks=True)
    return run_module(name, spec, folder, side, str(here))


def run_module(name: str, spec: dict, folder: Path, side: str, cwd: str | None = None) -> tuple[int, str]:
    """Run ``ms2torch.translate.NAME`` on a spec; its exit code, and the line of its stderr that says why."""
    file = folder / f"{side}.json"
    file.write_text(json.dumps(spec), encoding="utf-8")
    environment = dict(os.environ)
    package = str(Path(__file__).parents[2])
    environment["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [environment.get("PYTHONPATH")])])
    with open(folder / f"{side}.out", "wb") as out, open(folder / f"{side}.err", "wb") as err:
        command = [sys.executable, "-m", f"ms2torch.translate.{name}", str(file)]
        done = subprocess.run(command, stdout=out, stderr=err, env=environment, cwd=cwd)
    said = (folder / f"{side}.err").read_text(errors="replace").strip()
    _, traceback, last = said.rpartition("Traceback (most recent call last):\n")
    lines = last.splitlines()
    errors = [line for line in lines if line[:1].strip()] if traceback else lines[-1:]
    return done.returncode, errors[0] if errors else ""


def _take(outcome: Outcome, project: Project, draft: Draft, result: dict) -> None:
    """Put the session's result into the outcome, and its texts into the draft."""
    outcome.ran = result["run"]
    outcome.proofs, outcome.taken = result["proofs"], result["taken"]
    outcome.files = []
    for path, found in result["files"].items():
        sites = [Site(*site) for site in found["sites"]]
        source = project.sources[path]
        if not sites and not source.mindspore:
            continue
        draft.write(path, found["text"])
        outcome.files.append(
            File(path, os.path.relpath(path), source.text, found["text"], sites, found["helpers"])
        )
