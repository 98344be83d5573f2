"""Run the examples of MindSpore's own docstrings on ms2torch: python scripts/documented_examples

    python scripts/documented_examples [--names REGEX_OR_FILE] [--json FILE] [--show] [--jobs 2] [--limit 90]
                                       [--elsewhere] [--real] [--write-expected]

The texts are read from an installed MindSpore ($MS2TORCH_REFERENCE_PYTHON, or .reference/bin/python, made by
scripts/reference_env.sh); names.tsv lists the 1,889 whose documented output the real 2.10.0 prints on a CPU
whatever the seed, each with its area and whether it belongs to the APIs that make the first half of public
programs complete. PASS: nothing is raised and every documented output is printed. All else counts as not
passed; nothing leaves the denominator.

tests/documented_examples_expected_failures.txt names those that do not pass yet, with the reason (name, tab,
reason). The exit code is 1 when one of them passes, or when another one does not.

``--elsewhere`` runs the 357 that are documented for Ascend or GPUs alone (elsewhere.txt) and print something,
of which the documentation is the only judge; tests/documented_examples_elsewhere.txt says why the rest prints
something else. FORM: all that is documented is printed, in another form than MindSpore prints (commas,
brackets, 1 for 1.0); these are in the list too, with a reason that begins with "in another form". A number
behind a name there is that of the processes that the example is of: each has to
print its part. ``--real`` runs them on the MindSpore of this interpreter; ``--write-expected`` brings the
file of expected failures up to date and keeps the reasons in it.
"""
from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from compare import verdict
from isolated import run_all

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXPECTED = ROOT / "tests" / "documented_examples_expected_failures.txt"
ELSEWHERE = ROOT / "tests" / "documented_examples_elsewhere.txt"
OTHER_FORM = "in another form"
NOT_YET = re.compile(r"NotImplementedError: (\S+): internal to MindSpore, which does not document it")


def together() -> dict[str, int]:
    """name -> of how many processes it is, for the examples of several."""
    rows = (line.split("\t") for line in (HERE / "elsewhere.txt").read_text().splitlines())
    return {name: int(count[0]) for name, *count in rows if count}


def listed(elsewhere: bool) -> dict[str, tuple[str, bool]]:
    """name -> (area, whether it belongs to the first half)."""
    if elsewhere:
        lines = (HERE / "elsewhere.txt").read_text().splitlines()
        return {line.partition("\t")[0]: ("of other devices", False) for line in lines}
    rows = [line.split("\t") for line in (HERE / "names.tsv").read_text().splitlines()[1:]]
    return {name: (area, half == "first half") for name, area, half in rows}


def chosen(names: list[str], pattern: str | None) -> list[str]:
    """The names that a file lists, or that a regular expression finds."""
    if pattern is None:
        return names
    if os.path.exists(pattern):
        wanted = {line.split("\t")[0].strip() for line in Path(pattern).read_text().splitlines()}
        return [name for name in names if name in wanted]
    return [name for name in names if re.search(pattern, name)]


def texts(names: list[str]) -> dict[str, list[dict]]:
    """The examples, from the interpreter that has the real MindSpore. SystemExit where there is none."""
    python = os.environ.get("MS2TORCH_REFERENCE_PYTHON") or str(ROOT / ".reference" / "bin" / "python")
    if not os.path.exists(python):
        raise SystemExit("no real MindSpore: run scripts/reference_env.sh, or set MS2TORCH_REFERENCE_PYTHON")
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([python, str(HERE / "extract.py")], input="\n".join(names), env=clean,
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the examples could not be read:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def expected_failures(path: Path) -> dict[str, str]:
    """name -> reason."""
    if not path.exists():
        return {}
    return dict(line.split("\t", 1) for line in path.read_text().splitlines() if line and line[0] != "#")


def surprising(kind: str, expected: str | None) -> bool:
    """Whether a result is another than the list has."""
    if kind == "PASS" or expected is None:
        return kind != "PASS" or expected is not None
    return (kind == "FORM") != expected.startswith(OTHER_FORM)


def reason(kind: str, detail: str) -> str:
    """A failure in one line, for the file of expected failures."""
    if kind == "FORM":
        return f"{OTHER_FORM}: commas and decimals"
    if missing := NOT_YET.match(detail):
        return f"{missing[1]} is not there yet"
    return " ".join(f"{kind.lower()}: {detail}".split())[:160]


def write_expected(results: dict[str, tuple[str, str]], before: dict[str, str], path: Path) -> None:
    """Bring the file up to date for the examples that ran."""
    for name, (kind, detail) in results.items():
        if kind == "PASS":
            before.pop(name, None)
        elif (name not in before or before[name].endswith("is not there yet")
              or surprising(kind, before[name])):
            before[name] = reason(kind, detail)
    lines = [f"{name}\t{why}\n" for name, why in sorted(before.items())]
    heading = path.read_text().partition("\n")[0] if path.exists() else "# name, tab, reason"
    path.write_text(f"{heading}\n" + "".join(lines))


def figures(results: dict[str, tuple[str, str]], names: dict[str, tuple[str, bool]]) -> None:
    """Print a line per area, the first half, and all."""
    areas = sorted({area for area, _ in names.values()})
    groups = [(area, [n for n in results if names[n][0] == area]) for area in areas]
    groups += [("first half", [n for n in results if names[n][1]]), ("all", list(results))]
    kinds = ("PASS", "FORM", "DIFFERS", "SILENT", "RAISES")
    print(f"{'area':<20}" + "".join(f"{kind:>9}" for kind in (*kinds, "of")))
    for title, members in groups:
        if members:
            counts = Counter(results[n][0] for n in members)
            row = [*(counts[kind] for kind in kinds), len(members)]
            print(f"{title:<20}" + "".join(f"{n:9}" for n in row) + f"{100 * row[0] / row[-1]:8.1f} %")


def main(arguments=None) -> int:
    """Run, print, compare with the expected failures; the exit code."""
    parser = argparse.ArgumentParser(prog="documented_examples", description=__doc__.splitlines()[0])
    parser.add_argument("--names", help="a regular expression, or a file with a name per line")
    parser.add_argument("--json", type=Path, help="write name -> [result, detail] there")
    parser.add_argument("--show", action="store_true", help="print every example that does not pass")
    parser.add_argument("--jobs", type=int, default=2, help="examples at a time")
    parser.add_argument("--limit", type=float, default=90, help="seconds for an example")
    parser.add_argument("--elsewhere", action="store_true", help="those documented for other devices")
    parser.add_argument("--real", action="store_true", help="on the real MindSpore of this interpreter")
    parser.add_argument("--write-expected", action="store_true", help="update the file of expected failures")
    options = parser.parse_args(arguments)
    names, expected = listed(options.elsewhere), ELSEWHERE if options.elsewhere else EXPECTED
    wanted = chosen(list(names), options.names)
    examples = texts(wanted)
    warm_up(options.real)
    results: dict[str, tuple[str, str]] = dict.fromkeys(wanted, ("RAISES", "its text was not found"))
    start = time.monotonic()

    def done(name: str, answer: dict) -> None:
        results[name] = verdict(examples[name], answer)

    run_all(examples, together(), options.jobs, options.limit, done)
    if options.show:
        for name, (kind, detail) in results.items():
            if kind != "PASS":
                print(f"{kind:<8} {name}: {' '.join(detail.split())[:400]}")
    figures(results, names)
    print(f"{len(wanted)} examples in {time.monotonic() - start:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    if options.real:
        return 0
    known = expected_failures(expected)
    if options.write_expected:
        write_expected(results, known, expected)
        return 0
    surprises = [n for n, (kind, _) in results.items() if surprising(kind, known.get(n))]
    for name in surprises:
        print(f"passes, but is expected to fail: {name}" if results[name][0] == "PASS" else
              f"fails unexpectedly: {name}: {reason(*results[name])}")
    return 1 if surprises else 0


def warm_up(real: bool) -> None:
    """Import once what every example uses; each runs in a fork of this process."""
    warnings.filterwarnings("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    if not real:
        sys.path.insert(0, str(ROOT))
        import torch

        import ms2torch

        torch.set_num_threads(1)
        ms2torch.install()
    for name in ("dataset.vision", "mint", "numpy", "scipy", "train"):
        importlib.import_module(f"mindspore.{name}")


if __name__ == "__main__":
    sys.path.remove(str(HERE))
    sys.exit(main())
