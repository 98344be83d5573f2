"""Runs MindSpore's own tests on ms2torch and holds the result against tests/upstream_known_failures.txt."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue

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


class Nursery:
    """The process that test processes are forked from, one for each of run.py's threads."""

    def __init__(self, tests: Path) -> None:
        self._tests = tests
        python_tests = tests / "tests/ut/python"
        environment = {
            **os.environ, "MPLBACKEND": "Agg", "DEVICE_TARGET": "CPU", "DEVICE_ID": "0", "GLOG_v": "4",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, (
                str(HERE), str(tests), str(python_tests), str(HOUSE), os.environ.get("PYTHONPATH")))),
        }
        self._process = subprocess.Popen([sys.executable, HERE / "nursery.py"], env=environment, cwd=tests,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def run_file(self, path: str, ids: list[str], limit: float, work: Path) -> dict[str, str]:
        """For each test of one file "" if it passed, else why not. A test that hangs or kills its process
        ends it; the rest goes on in a new one."""
        told: dict[str, str] = {}
        for attempt in range(len(ids)):
            left = [name for name in ids if name not in told]
            if not left:
                break
            before = len(told)
            told |= self._attempt(path, left, limit, work / f"{path.replace('/', '_')}.{attempt}")
            if len(told) == before:
                break
        return {name: told.get(name, "not collected") for name in ids}

    def _attempt(self, path, ids, limit, stem) -> dict[str, str]:
        wanted, report, log = (Path(f"{stem}.{kind}") for kind in ("wanted", "report", "log"))
        wanted.write_text(json.dumps(ids))
        report.touch()
        inside = path.startswith(("tests/ut/python/dataset", "tests/ut/python/mindrecord"))
        arguments = ["-q", "-p", "plugin", "-p", "no:cacheprovider", "-W", "ignore", "--assert=plain",
                     "--rootdir", self._tests, "-c", self._tests / "pytest.ini", self._tests / path]
        folder = self._tests / "tests/ut/python" if inside else self._tests
        order = [arguments, folder, {"UPSTREAM_WANTED": wanted, "UPSTREAM_REPORT": report}, log]
        self._process.stdin.write(json.dumps(order, default=str).encode() + b"\n")
        process = int(self._process.stdout.readline())
        size, since, hung = 0, time.monotonic(), False
        while not (select.select([self._process.stdout], [], [], 0.05)[0] or hung):
            if report.stat().st_size != size:
                size, since = report.stat().st_size, time.monotonic()
            hung = time.monotonic() - since > (limit if size else 2 * limit)
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)      # and whatever the tests left running
        code = int(self._process.stdout.readline())
        return _read(report, ids, f"no end after {limit:.0f} s" if hung else f"ended with code {code}")

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


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
        idle = SimpleQueue()
        nurseries = [Nursery(tests) for _ in range(min(options.jobs, len(files)))]
        for nursery in nurseries:
            idle.put(nursery)

        def run(path, names):
            nursery = idle.get()
            try:
                return nursery.run_file(path, names, options.timeout, work)
            finally:
                idle.put(nursery)

        runs = [pool.submit(run, path, names) for path, names in files.items()]
        told = {name: why for each in runs for name, why in each.result().items()}
        for nursery in nurseries:
            nursery.close()
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
