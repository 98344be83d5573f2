"""Runs Python, plain or under the launcher, in a folder of the test."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python(*args, cwd, stdin=None, env=()):
    """A plain Python process: (exit code, stdout, stderr)."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MS2TORCH_")}
    clean |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **dict(env)}
    done = subprocess.run(
        [sys.executable, *args], cwd=cwd, env=clean, input=stdin, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def launched(*args, **kwargs):
    """The same under ``python -m ms2torch``."""
    return python("-m", "ms2torch", *args, **kwargs)
