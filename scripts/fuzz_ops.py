"""Fuzz against the real MindSpore: python scripts/fuzz_ops.py [--kind KIND] [--only REGEX] [--examples N]

Operators, layers, losses, optimizers and transforms of datasets, a line each in scripts/fuzz/tables. Draws
operands (shapes, dtypes, broadcasting, axes, empty and 0-d tensors, nan and inf, views) and arguments, runs
forward and gradient on both sides and prints each kind of difference as a program of a few lines. Exits with
1 when one is not listed in tests/fuzz_known_differences.txt, or an entry there no longer differs.

    python scripts/fuzz_ops.py --table                            # everything; into scripts/fuzz/RESULTS*.md
    python scripts/fuzz_ops.py --kind layers --seconds 600        # one kind, as far as ten minutes go
    python scripts/fuzz_ops.py --only "^conv" --examples 50       # lines by their names
    python scripts/fuzz_ops.py --part 2/4 --save part2.json       # a quarter of it
    python scripts/fuzz_ops.py --merge part*.json --table         # the quarters together
    python scripts/fuzz_ops.py --merge scripts/fuzz/RESULTS.md new.json --table    # some lines anew
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Run the lines asked for; 1 on an unlisted difference or a listed one that was not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--op", action="append", help="a line of the tables; all of them by default")
    parser.add_argument("--only", default="", help="a regular expression of lines")
    parser.add_argument("--kind", action="append", help="a file of scripts/fuzz/tables, or elementwise")
    parser.add_argument("--part", help="k/n: the k-th of n parts of the lines")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no line after that time")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-shrink", action="store_true", help="print the smallest example met, fast")
    parser.add_argument("--save", type=Path, help="a file for the results, to merge later")
    parser.add_argument("--merge", nargs="+", type=Path, help="saved results; nothing is run")
    parser.add_argument("--table", action="store_true", help="write scripts/fuzz/RESULTS.md")
    parser.add_argument("--list", action="store_true", help="print the lines' names")
    asked = parser.parse_args()

    import ms2torch

    ms2torch.install()
    from scripts.fuzz import known, results
    from scripts.fuzz.table import table

    lines, entries = table(), known.read()
    names = asked.op or [n for n, line in lines.items()
                         if re.search(asked.only, n) and (not asked.kind or line.kind in asked.kind)]
    if asked.list:
        print(*names, sep="\n")
        return 0
    if unknown := [name for name in names if name not in lines]:
        parser.error(f"not in the table: {', '.join(unknown)} (--list prints it)")
    if asked.part:
        part, parts = map(int, asked.part.split("/"))
        names = names[part - 1 :: parts]
    began = time.monotonic()
    found = results.merged(asked.merge) if asked.merge else run(names, entries, asked)
    if asked.save:
        found.save(asked.save)
    if asked.table:
        found.write(entries, list(lines))
    whole = set(found.operators) == set(lines) and found.total("examples") >= 100 * len(lines)
    stale = found.stale(entries) if whole else []
    print(*stale, sep="\n")
    print(f"{len(found.operators)} operators against MindSpore {found.mindspore}: "
          f"{found.total('examples')} examples, {found.total('gradients')} with gradients, "
          f"{found.total('raised')} that raise; {found.total('differences')} differences, "
          f"{found.total('listed')} examples of listed ones; {time.monotonic() - began:.0f} s")
    return 1 if found.differences or stale else 0


def run(names, entries, asked):
    """Fuzz the lines ``names``; their differences are printed as they are found."""
    from scripts.fuzz import results, search
    from scripts.fuzz.reference import Reference

    reference, until = Reference(), time.monotonic() + asked.seconds
    found = results.Results(reference.version, asked.seed)
    for name in names:
        if time.monotonic() > until:
            break
        report = search.fuzz(name, reference, entries, asked.examples, asked.seed, not asked.no_shrink)
        found.add(report)
        for difference in report.differences.values():
            print(difference, flush=True)
    reference.close()
    found.count(entries)
    return found


if __name__ == "__main__":
    sys.exit(main())
