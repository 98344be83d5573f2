"""The pytest plugin inside a test process: puts ms2torch in MindSpore's place, runs the wanted tests, and
writes what happens to a file, a JSON list a line: ["start", id] and ["end", id, outcome, why]."""

from __future__ import annotations

import json
import os

import numpy as np

import ms2torch

ms2torch.install()

with open(os.environ["UPSTREAM_WANTED"]) as file:
    WANTED = set(json.load(file))
REPORT = open(os.environ["UPSTREAM_REPORT"], "a")  # noqa: SIM115 - open as long as the process lives


def tell(*row) -> None:
    REPORT.write(json.dumps(row) + "\n")
    REPORT.flush()


def on_record(nodeid: str) -> str:
    """The test's name with numpy 1, whose ``bool_`` numpy 2 calls ``bool``."""
    return _OLD_NAMES.get(nodeid, nodeid)


_OLD_NAMES = {name.replace("bool_", "bool"): name for name in WANTED} if np.bool_.__name__ == "bool" else {}


def pytest_collection_modifyitems(items) -> None:
    items[:] = [item for item in items if on_record(item.nodeid) in WANTED]


def pytest_runtest_logstart(nodeid) -> None:
    tell("start", on_record(nodeid))


def pytest_runtest_logreport(report) -> None:
    if report.when != "call" and report.passed:
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    why = " ".join(str(crash.message).split())[:300] if crash else ""
    tell("end", on_record(report.nodeid), report.outcome, why)


def pytest_collectreport(report) -> None:
    if report.failed:
        tell("broken", str(report.longrepr).strip().splitlines()[-1])
