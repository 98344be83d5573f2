"""The benchmark of data-parallel steps at its smallest."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "benchmarks"))


def measured():
    import ddp

    return ddp.worker(argparse.Namespace(width=16, layers=2, batch=2, rounds=1))
