"""`together(function, size)` runs a function of this folder's modules in `size` processes."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Together:
    """Runs functions in several processes at once and gives what each returned."""

    def __init__(self) -> None:
        self._process = None

    def _started(self):
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.distributed.nursery"], cwd=ROOT, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1", "MS2TORCH_DEVICE": "cpu"},
            )
        return self._process

    def outcomes(self, function, size: int, *args, timeout: float = 60, env=None) -> list[dict]:
        """What became of each rank: exit code, result or error, and what it printed."""
        process = self._started()
        pickle.dump({"module": function.__module__, "function": function.__name__, "size": size, "args": args,
                     "timeout": timeout, "env": env or {}}, process.stdin)
        process.stdin.flush()
        return pickle.load(process.stdout)

    def __call__(self, function, size: int, *args, timeout: float = 60, env=None) -> list:
        """The results of all ranks; the test fails with the error of the first rank that failed."""
        found = self.outcomes(function, size, *args, timeout=timeout, env=env)
        for rank, one in enumerate(found):
            if one["result"][0] != "value":
                pytest.fail(f"rank {rank} ({one['code']}): {one['result'][-1]}\n{one['log']}", pytrace=False)
        return [one["result"][1] for one in found]

    def end(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait(10)


@pytest.fixture(scope="session")
def together():
    """Runs ``function(*args)`` in ``size`` processes."""
    one = Together()
    yield one
    one.end()
