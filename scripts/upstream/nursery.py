"""Forks test processes from one that has imported everything, which saves each file the seconds that takes.

An order comes on each line of the standard input, JSON: the arguments for pytest, the folder to run in, the
environment's additions and the log. Two lines answer: the process, a group of its own, and how it ended."""

from __future__ import annotations

import importlib
import json
import os
import sys

import pytest

import ms2torch

IMPORTED = ("nn", "ops", "mint", "numpy", "scipy", "train", "dataset.vision", "dataset.transforms",
            "nn.probability")


def child(arguments, folder, environment, log) -> None:
    os.setsid()
    output = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for old, new in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (output, 2)):
        os.dup2(old, new)
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["pytest"]
    code = 1
    try:
        code = int(pytest.main(arguments))
    finally:
        sys.stdout.flush()
        os._exit(code)


def main() -> None:
    ms2torch.install()
    for name in IMPORTED:
        importlib.import_module(f"mindspore.{name}")
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            child(*order)
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
