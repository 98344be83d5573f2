"""Fuzz operators against the real MindSpore: python scripts/fuzz_ops.py [--op NAME ...] [--examples N]

Draws operands (shapes, dtypes, broadcasting, axes, empty and 0-d tensors, nan and inf, views), runs forward
and gradient on both sides and prints each kind of difference as a program of a few lines. Exits with 1 when
one is not listed in tests/fuzz_known_differences.txt, or an entry there no longer differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Run the operators asked for; 1 on an unlisted difference or a listed one that was not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--op", action="append", help="an operator of the table; all of them by default")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-shrink", action="store_true", help="print the smallest example met, fast")
    parser.add_argument("--list", action="store_true", help="print the table's operators")
    asked = parser.parse_args()

    import ms2torch

    ms2torch.install()
    from scripts.fuzz import known, search
    from scripts.fuzz.reference import Reference
    from scripts.fuzz.table import table

    if asked.list:
        print(*table(), sep="\n")
        return 0
    if unknown := [name for name in asked.op or () if name not in table()]:
        parser.error(f"not in the table: {', '.join(unknown)} (--list prints it)")
    names, entries, reference = asked.op or list(table()), known.read(), Reference()
    began, reports = time.monotonic(), []
    for name in names:
        report = search.fuzz(name, reference, entries, asked.examples, asked.seed, not asked.no_shrink)
        reports.append(report)
        for difference in report.differences.values():
            print(difference, flush=True)
    reference.close()
    stale = [] if asked.op or asked.examples < 100 else [k for k in entries if not k.met]
    for entry in stale:
        print(f"{known.FILE.name}:{entry.line}: {entry.name} no longer differs where {entry.condition}")
    total = {f: sum(getattr(r, f) for r in reports) for f in ("examples", "gradients", "raised", "listed")}
    differences = sum(len(r.differences) for r in reports)
    print(f"{len(reports)} operators against MindSpore {reference.version}: {total['examples']} examples, "
          f"{total['gradients']} with gradients, {total['raised']} that raise; {differences} differences, "
          f"{total['listed']} examples of listed ones; {time.monotonic() - began:.0f} s")
    return 1 if differences or stale else 0


if __name__ == "__main__":
    sys.exit(main())
