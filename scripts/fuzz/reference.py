"""The client of the worker: asks the real MindSpore what a case gives, and remembers the answers."""

from __future__ import annotations

import json
import os
import subprocess

from scripts.fuzz.case import Case
from tests.reference.real import ROOT, interpreter


class Reference:
    """A running real MindSpore: ``ask`` sends a case, ``answer`` waits for it; ours computes meanwhile."""

    def __init__(self) -> None:
        python = interpreter()
        if python is None:
            raise SystemExit("no real MindSpore: run scripts/reference_env.sh, "
                             "or set MS2TORCH_REFERENCE_PYTHON")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("MS2TORCH_", "PYTHONPATH"))}
        self._process = subprocess.Popen(
            [python, "-m", "scripts.fuzz.worker"], cwd=ROOT, env=clean, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.version = self._read()
        self._known: dict[Case, dict] = {}
        self._fresh: set[Case] = set()

    def ask(self, case: Case) -> None:
        if case not in self._known:
            self._process.stdin.write(json.dumps(case.asked()) + "\n")
            self._process.stdin.flush()

    def answer(self, case: Case) -> dict:
        if case not in self._known:
            self._known[case] = self._read()
        return self._known[case]

    def afresh(self, case: Case) -> dict:
        """The answer of a process that has run nothing else: some kernels keep the sizes of earlier calls."""
        if case not in self._fresh:
            self._restart()
            self._known.pop(case)
            self.ask(case)
            self._fresh.add(case)
        return self.answer(case)

    def knows(self, case: Case) -> bool:
        return case in self._known

    def forget(self) -> None:
        """Begin anew, in a fresh process."""
        self._restart()
        self._known.clear()
        self._fresh.clear()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()

    def _restart(self) -> None:
        self._process.stdin.write("null\n")
        self._process.stdin.flush()
        self._read()

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the real MindSpore ended without an answer")
        return json.loads(line)
