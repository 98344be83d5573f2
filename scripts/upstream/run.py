"""Runs MindSpore's own tests on ms2torch and holds the result against tests/upstream_known_failures.txt."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from overlay import FILES

HERE = Path(__file__).resolve().parent
HOUSE = HERE.parents[1]


def unpack(folder: Path, into: Path) -> None:
    """The tests of a clone or git directory, without the blobs that a partial one lacks."""
    git = ["git", "--git-dir", str(folder / ".git" if (folder / ".git").exists() else folder)]
    listed = subprocess.run([*git, "ls-tree", "-rz", "HEAD", "tests"], check=True, capture_output=True).stdout
    blobs = {}
    for entry in filter(None, listed.split(b"\0")):
        about, name = entry.split(b"\t", 1)
        if about.startswith(b"100") and not name.startswith(b"tests/ut/cpp/"):
            blobs[os.fsdecode(name)] = about.split()[2]
    with subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as reader:
        for name, blob in blobs.items():
            reader.stdin.write(blob + b"\n")
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if len(head) == 3:
                target = into / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(reader.stdout.read(int(head[2]) + 1)[:-1])
        reader.stdin.close()
    for name, text in FILES.items():
        if (into / name).parent.is_dir():
            (into / name).write_text(text)


def run_file(tests: Path, path: str, ids: list[str], limit: float, work: Path) -> dict[str, str]:
    """For each test of one file "" if it passed, else why not. A test that hangs or kills its process ends
    it; the rest goes on in a new one."""
    told: dict[str, str] = {}
    for attempt in range(len(ids)):
        left = [name for name in ids if name not in told]
        if not left:
            break
        before = len(told)
        told |= _attempt(tests, path, left, limit, work / f"{path.replace('/', '_')}.{attempt}")
        if len(told) == before:
            break
    return {name: told.get(name, "not collected") for name in ids}


def _attempt(tests, path, ids, limit, stem) -> dict[str, str]:
    wanted, report, log = (Path(f"{stem}.{kind}") for kind in ("wanted", "report", "log"))
    wanted.write_text(json.dumps(ids))
    report.touch()
    python_tests = tests / "tests/ut/python"
    inside = path.startswith(("tests/ut/python/dataset", "tests/ut/python/mindrecord"))
    environment = {
        **os.environ, "UPSTREAM_WANTED": str(wanted), "UPSTREAM_REPORT": str(report), "MPLBACKEND": "Agg",
        "DEVICE_TARGET": "CPU", "DEVICE_ID": "0", "GLOG_v": "4", "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, (
            str(HERE), str(tests), str(python_tests), str(HOUSE), os.environ.get("PYTHONPATH")))),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider", "-W", "ignore",
               "--assert=plain", "--rootdir", tests, "-c", tests / "pytest.ini", tests / path]
    with open(log, "w") as output:
        process = subprocess.Popen(
            command, cwd=python_tests if inside else tests, env=environment, stdout=output,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
        size, since = 0, time.monotonic()
        while process.poll() is None:
            time.sleep(0.05)
            if report.stat().st_size != size:
                size, since = report.stat().st_size, time.monotonic()
            if time.monotonic() - since > (limit if size else 2 * limit):
                break
        hung = process.poll() is None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)      # and whatever the tests left running
        process.wait()
    ending = f"no end after {limit:.0f} s" if hung else f"ended with code {process.returncode}"
    return _read(report, ids, ending)


def _read(report, ids, ending) -> dict[str, str]:
    told, running = {}, None
    for kind, *rest in map(json.loads, report.read_text().splitlines()):
        if kind == "broken":
            return dict.fromkeys(ids, rest[0])
        running = rest[0] if kind == "start" else running
        if kind == "end":
            name, outcome, why = rest
            told[name] = "" if outcome == "passed" and not told.get(name) else why or outcome
    if running is not None and running not in told:
        told[running] = ending
    return told


def known_failures() -> dict[str, str]:
    """id -> reason; those that begin with "[numpy 2]" where that is what is installed."""
    import numpy

    lines = (HOUSE / "tests/upstream_known_failures.txt").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    new = numpy.__version__.startswith("2")
    return {name: why for name, why in rows if new or not why.startswith("[numpy 2]")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="clone or git directory of mindspore_test")
    parser.add_argument("--only", default="", help="tests whose id starts with this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one test")
    options = parser.parse_args()
    with gzip.open(HOUSE / "tests/upstream_ids.txt.gz", "rt") as file:
        ids = sorted(name for name in file.read().split("\n") if name and name.startswith(options.only))
    files = {path: list(names) for path, names in groupby(ids, lambda name: name.partition("::")[0])}
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(options.jobs) as pool:
        tests, work = Path(place) / "tests", Path(place) / "work"
        work.mkdir()
        unpack(options.folder.resolve(), tests)
        runs = [pool.submit(run_file, tests, path, names, options.timeout, work)
                for path, names in files.items()]
        told = {name: why for run in runs for name, why in run.result().items()}
    known = known_failures()
    failed = {name: why for name, why in told.items() if why}
    for name in sorted(failed.keys() - known.keys()):
        print(f"FAILED {name}\t{failed[name]}")
    for name in sorted(told.keys() & known.keys() - failed.keys()):
        print(f"PASSED, but listed as a known failure: {name}")
    passed = len(told) - len(failed)
    share = 100 * passed / max(len(told), 1)
    print(f"{passed} of {len(told)} of MindSpore's own tests pass ({share:.2f} %); "
          f"{len(failed.keys() & known.keys())} fail for a reason in tests/upstream_known_failures.txt")
    return int(failed.keys() != known.keys() & told.keys())


if __name__ == "__main__":
    sys.exit(main())
