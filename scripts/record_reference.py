"""Run cases on the real MindSpore and write their records: python scripts/record_reference.py [FILES]

FILES are case files of tests/reference, by default all of them. Its README.md says where the real MindSpore
is looked for.
"""
from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.reference import judge, real  # noqa: E402


def stale(files: list[Path]) -> int:
    """Name the files whose records are not of the cases as they stand, as after an edit of a helper that
    they mention; 1 when there is one. Takes seconds and no real MindSpore.
    """
    import ms2torch

    ms2torch.install()
    found = 0
    for file in files:
        module = f"tests.reference.{file.stem}"
        importlib.import_module(module)
        recorded = {name: one["source"] for name, one in real.recorded(module)["cases"].items()}
        wrong = recorded.items() ^ {case.name: case.digest for case in judge.CASES.get(module, ())}.items()
        if wrong:
            found = 1
            print(f"{file}: {len({name for name, _ in wrong})} cases are to be recorded again")
    return found


def main() -> int:
    """Record each file; 1 when a case could not be recorded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="case files; all of tests/reference by default")
    parser.add_argument("--stale", action="store_true",
                        help="only name the files that are to be recorded again")
    given = parser.parse_args()
    files = given.files or sorted((ROOT / "tests" / "reference").glob("test_*.py"))
    if given.stale:
        return stale(files)
    refused = 0
    for file in files:
        module = f"tests.reference.{file.stem}"
        outcomes = real.run(module)
        problems = {name: o.pop("problem") for name, o in outcomes["cases"].items() if o.get("problem")}
        for name, problem in problems.items():
            del outcomes["cases"][name]
            print(f"{file.name}: {name} is not recorded, it {problem}")
        real.save(module, outcomes)
        refused += len(problems)
        print(f"{file.name}: {len(outcomes['cases'])} cases recorded with MindSpore {outcomes['mindspore']}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
