"""Calls with one argument wrong, on both sides: python scripts/sweep_errors.py [--names REGEX] [--show]

The valid calls are those of MindSpore's own documented examples (read from the installed MindSpore, never
stored). Each is made again with one argument of another kind, rank, shape, dtype or range, missing, extra or
unknown. What the real one refuses before it computes has to be refused here, by the same class of error and
the same words up to the first full stop. What it takes has to be taken here. 25 minutes on each side for all
names. With --varied the calls differ from the documented ones in dtype, shape, number or word: half of them
are right.

    python scripts/sweep_errors.py --save-reference real.jsonl    # keep MindSpore's answers
    python scripts/sweep_errors.py --reference real.jsonl --show  # ours against answers that were kept
    python scripts/sweep_errors.py --rules                        # read the engine's tables off them
    python scripts/sweep_errors.py --varied 2                     # other calls, chosen by the seed 2
    python scripts/sweep_errors.py --odd [--rules]                # Tensors, numpy's numbers, bytes, ...
    python scripts/sweep_errors.py --odd --varied 2 --lot 120     # classes, slices, ...; 120 names by lot
    python scripts/sweep_errors.py --alike --varied 2 --lot 120 --show   # valid ones, as programs write them
    python scripts/sweep_errors.py --odd --varied 2 --calls 300 --names '^mindspore.ops.Adam$' --rules
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
EXAMPLES = ROOT / "scripts" / "documented_examples"
# They ask about devices and processes, which are not the same here.
LEFT_OUT = ("mindspore.hal", "mindspore.communication", "mindspore.Profiler", "mindspore.profiler",
            "mindspore.device_context")
COUNT = "24"                            # varied calls of a documented one


def examples(python: str, pattern: str, lot: int | None = None, seed: int = 0) -> dict[str, list[dict]]:
    """The statements of the documented examples whose names are asked for, or of a ``lot`` of these."""
    rows = (EXAMPLES / "names.tsv").read_text().splitlines()[1:]
    names = [row.split("\t")[0] for row in rows]
    names = [n for n in names if re.search(pattern, n) and not n.startswith(LEFT_OUT)]
    if lot is not None:
        names = sorted(random.Random(seed).sample(names, min(lot, len(names))))
    done = subprocess.run([python, str(EXAMPLES / "extract.py")], input="\n".join(names), env=_clean(),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def side(python: str, given: dict, *options: str) -> dict[str, list]:
    """name -> [[key, outcome], ...] of one side."""
    command = [python, "-m", "scripts.sweep.side", *options]
    done = subprocess.run(command, input=json.dumps(given), cwd=ROOT, env=_clean(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True)
    return {name: found for name, found, _ in map(json.loads, done.stdout.splitlines())}


def kept(path: Path) -> dict[str, list]:
    """Answers that --save-reference kept."""
    return {name: found for name, found, *_ in map(json.loads, path.read_text().splitlines())}


def _clean() -> dict[str, str]:
    others = {k: v for k, v in os.environ.items() if not k.startswith(("MS2TORCH_", "PYTHONPATH"))}
    return {**others, "PYTHONHASHSEED": "0"}         # sets are printed in one order


def cause(text: str) -> str:
    """A message without its names and numbers."""
    from scripts.sweep.compare import sentence

    text = sentence(text)
    for pattern, word in ((r"'[^']*'", "'_'"), (r"\[[^\]]*\]", "[_]"), (r"\{[^}]*\}", "{_}"),
                          (r"<[^<>]*>", "<_>"), (r'"[^"]*"', '"_"'), (r"-?\d+(\.\d+)?", "N")):
        text = re.sub(pattern, word, text)
    return text[:100]


def show(found, count: int = 60) -> None:
    """The commonest causes of a difference, each with one call."""
    counts, first = Counter(), {}
    rows = [("taken", *row, ["value"]) for row in found.taken]
    rows += [("other words", *row) for row in found.words]
    for how, name, key, there, got in rows:
        told = (how, there[0], cause(there[1]))
        counts[told] += 1
        first.setdefault(told, (name, key, there[1].split("\n")[0][:160], " ".join(got)[:160]))
    for told, times in counts.most_common(count):
        print(times, *told, sep="  ")
        print("     ", *first[told], sep=" | ")


def main() -> int:
    """Run both sides and print the share that agrees; 1 where a refused call is taken or too few agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", default="", help="a regular expression of public names")
    parser.add_argument("--lot", type=int, metavar="COUNT", help="that many names, drawn by the seed")
    parser.add_argument("--reference", type=Path, help="MindSpore's answers, kept before")
    parser.add_argument("--save-reference", type=Path, help="keep MindSpore's answers there")
    parser.add_argument("--rules", action="store_true", help="write the tables from MindSpore's answers")
    parser.add_argument("--varied", type=int, metavar="SEED", help="calls that are varied, not wrong")
    parser.add_argument("--odd", action="store_true", help="plain arguments as Tensors, of numpy's, ...")
    parser.add_argument("--alike", action="store_true", help="with --varied: as programs write them too")
    parser.add_argument("--calls", metavar="COUNT", help="that many varied calls of a documented one")
    parser.add_argument("--show", action="store_true", help="print the commonest differences")
    asked = parser.parse_args()

    from scripts.sweep import certain, compare, learn, odd, rule_order, rules
    from tests.reference.real import interpreter

    python = interpreter()
    if python is None:
        raise SystemExit("no real MindSpore: run scripts/reference_env.sh, or set MS2TORCH_REFERENCE_PYTHON")
    given = examples(python, asked.names, asked.lot, asked.varied or 0)
    how = [f"--{kind}" for kind in ("odd", "alike") if getattr(asked, kind)]
    count = asked.calls or ("16" if asked.odd else COUNT)
    how += [] if asked.varied is None else ["--varied", str(asked.varied), count]
    there = kept(asked.reference) if asked.reference else side(python, given, "--real", *how)
    if asked.save_reference:
        asked.save_reference.write_text("".join(json.dumps(item) + "\n" for item in there.items()))
    if asked.rules and asked.odd and asked.varied is not None:
        told = side(sys.executable, given, "--describe", *how)
        print(odd.add_strange(there, told, side(sys.executable, given, *how)), "lines more")
        return 0
    if asked.rules and asked.odd:
        odd.clear()
        told = side(sys.executable, given, "--describe", *how)
        print(odd.write(there, told, side(sys.executable, given, *how)), "lines")
        return 0
    if asked.rules:
        learn.clear()                       # what ours says without the table
        told = side(sys.executable, given, "--describe")
        print(f"{rules.write(there)} rules, {learn.write(there, told, side(sys.executable, given))} refusals")
        more = ["--varied", "1", COUNT]
        others = side(python, given, "--real", *more)
        sources = [(answers, side(sys.executable, given, "--given", *options),
                    side(sys.executable, given, *options))
                   for answers, options in ((there, ()), (others, more))]
        print(*certain.write(sources), "mined, all lines")
        rule_order.write([source[:2] for source in sources])
        return 0
    there, ours = {n: a for n, a in there.items() if n in given}, side(sys.executable, given, *how)
    found = compare.compared(there, ours)
    print(found.summary())
    print(compare.of_valid_calls(there, ours))
    if asked.show:
        show(found)
        for row in compare.refused_valid_calls(there, ours):
            print("refused, though it is valid", *row, sep=" | ")
    return int(bool(found.taken) or found.share < 0.97)


if __name__ == "__main__":
    sys.exit(main())
