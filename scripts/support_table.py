"""Write the support table: what ms2torch has of MindSpore's public names, and by what evidence.

    python scripts/support_table.py                 # SUPPORT.md: a line per module, totals
    python scripts/support_table.py --json FILE     # a row per name
    python scripts/support_table.py --list planned  # the names of one status

Rows are the public functions, classes and methods of MindSpore 2.10 (``tests/signatures_2_10.tsv``) and the
names that earlier releases had (``ms2torch/_naming/data/removed.tsv``). A status is

    here         it resolves, takes MindSpore's arguments, and is no refusal
    refused      it resolves and raises NotImplementedError with the way out
    planned      neither there nor refused with a reason
    unsupported  not intended; the error says what to do instead

Evidence, of what is here: ``example``, MindSpore's own docstring example gives the documented output;
``case``, a case that the real MindSpore judges names it (a method: its class and the call);
``fuzz``, random calls are compared with the real one.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
import textwrap
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ms2torch._naming import surface  # noqa: E402
from tests.signatures import find, theirs  # noqa: E402

OUT = ROOT / "SUPPORT.md"
LIBRARIES = ROOT / "scripts" / "third_party" / "results.tsv"
STATUSES = ("here", "refused", "planned", "unsupported")
EVIDENCE = ("example", "case", "fuzz")
EARLIER = "(earlier releases)"
FUZZED = ("mindspore.ops", "mindspore.Tensor", "mindspore.mint", "mindspore.nn")
# How reference cases spell the modules: `from mindspore import nn, ops`, `import mindspore as ms`.
SHORT = {"mindspore": ("ms", "mindspore"), "mindspore.numpy": ("mnp", "np"), "mindspore.dataset": ("ds",)}


def _refuses(function) -> bool:
    """Whether the first thing that a function does is to raise ``unsupported``."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return False
    body = getattr(tree.body[0], "body", [])
    body = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    raised = body[0].exc if body and isinstance(body[0], ast.Raise) else None
    return isinstance(raised, ast.Call) and getattr(raised.func, "id", "") == "unsupported"


def status(full: str, found: object) -> str:
    """The status of a public name and of what ms2torch answers for it."""
    if found is None:
        kind = surface.status(full)[0]
        return kind if kind == "unsupported" else "planned"
    if hasattr(found, "__refused__"):
        return "refused"
    if isinstance(found, type):
        made = next((vars(c)["__init__"] for c in found.__mro__ if "__init__" in vars(c)), None)
        return "refused" if _refuses(made) else "here"
    found = getattr(found, "__func__", found)
    return "refused" if inspect.isfunction(found) and _refuses(found) else "here"


@cache
def _examples() -> set[int]:
    """The objects whose documented example passes."""
    failing = (ROOT / "tests" / "documented_examples_expected_failures.txt").read_text().splitlines()
    failed = {line.partition("\t")[0].partition("#")[0] for line in failing if not line.startswith("#")}
    listed = (ROOT / "scripts" / "documented_examples" / "names.tsv").read_text().splitlines()[1:]
    names = {line.partition("\t")[0].partition("#")[0] for line in listed} - failed
    return {_identity(found) for found in map(find, names) if found is not None}


def _identity(found) -> int:
    """Which definition an object is: forms of several names share their closure."""
    return id(getattr(found, "__closure__", None) or found)


@cache
def _spoken() -> tuple[str, frozenset[str]]:
    """The text of all reference cases, and the dotted names in it."""
    text = "\n".join(p.read_text() for p in sorted((ROOT / "tests" / "reference").glob("test_*.py")))
    return text, frozenset(re.findall(r"[A-Za-z_][\w.]*\.\w+", text))


@cache
def _imported() -> frozenset[str]:
    """What reference cases import by name from MindSpore."""
    lists = re.findall(r"from mindspore[\w.]* import (\([^)]*\)|.*)", _spoken()[0])
    return frozenset(re.findall(r"\w+", " ".join(lists)))


@cache
def _fuzzed() -> frozenset[str]:
    """The names in the calls that the fuzzer compares; none where hypothesis is missing."""
    try:
        from scripts.fuzz.table import table as fuzzed
    except ImportError:
        return frozenset()
    calls = " ".join(call for line in fuzzed().values() for call in line.spellings)
    return frozenset(re.findall(r"[A-Za-z_][\w.]*", calls))


def evidence(full: str, found: object) -> list[str]:
    """What shows that a name which is here does what MindSpore does."""
    path, _, leaf = full.rpartition(".")
    owner = path.rpartition(".")[2]
    shown = []
    if _identity(found) in _examples():
        shown.append("example")
    if owner[:1].isupper():
        text = _spoken()[0]
        called = leaf == "construct" or f".{leaf}(" in text
        if called and re.search(rf"\b{owner}\b", text):
            shown.append("case")
    else:
        spellings = {f"{short}.{leaf}" for short in (*SHORT.get(path, ()), owner, path)}
        named = leaf in _imported() and leaf[:1].isupper()
        if named or any(name in spellings for name in _spoken()[1]):
            shown.append("case")
    spellings = {f"{owner}.{leaf}", f"x.{leaf}"} if owner == "Tensor" else {f"{owner}.{leaf}"}
    if path in FUZZED and spellings & _fuzzed():
        shown.append("fuzz")
    return shown


def module_of(full: str) -> str:
    """The module of a public name: what is before the class, or before the name."""
    parts = full.split(".")
    depth = next((i for i, p in enumerate(parts) if i and p[:1].isupper()), len(parts) - 1)
    path = ".".join(parts[:depth])
    return "mindspore.Tensor" if full.startswith("mindspore.Tensor.") else path


def removed() -> list[str]:
    """The names of earlier releases, one spelling of each; no module paths, nothing that 2.10 has."""
    rows = surface._removed()
    return [n for n, (_, _, namesake) in rows.items() if namesake != "(module)" and n not in theirs()]


def table() -> list[dict]:
    """A row for every name: name, module, status, evidence."""
    rows = []
    for full in theirs():
        found = find(full)
        kind = status(full, found)
        rows.append({"name": full, "module": module_of(full), "status": kind,
                     "evidence": evidence(full, found) if kind == "here" else []})
    for full in removed():
        found = find(full)
        kind = status(full, found)
        rows.append({"name": full, "module": EARLIER, "status": kind, "evidence": []})
    return rows


def totals(rows: list[dict]) -> str:
    """The line that the README quotes."""
    now = [r for r in rows if r["module"] != EARLIER]
    old = [r for r in rows if r["module"] == EARLIER]
    count = Counter(r["status"] for r in now)
    shown = sum(bool(r["evidence"]) for r in now)
    return (
        f"Of {len(now):,} public functions, classes and methods of MindSpore 2.10, {count['here']:,} are "
        f"here ({shown:,} with an example, a case or fuzzing that the real one judges), "
        f"{count['refused']:,} are refused with a way out, {count['planned']:,} are planned, "
        f"{count['unsupported']:,} are not intended. "
        f"Of {len(old):,} names of earlier releases, {sum(r['status'] == 'here' for r in old):,} are here."
    )


def markdown(rows: list[dict]) -> str:
    """SUPPORT.md: totals and a line per module."""
    lines = [
        "# What is supported", "", totals(rows), "",
        "Written by `scripts/support_table.py`, whose text says what the columns mean; with `--json FILE` it "
        "gives every name.",
        "", "| module | names | here | refused | planned | unsupported | example | case | fuzz |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    groups: dict[str, list[dict]] = {}
    for row in rows:
        groups.setdefault(row["module"], []).append(row)
    for module, group in sorted(groups.items(), key=lambda item: (item[0].startswith("("), item[0])):
        count = Counter(r["status"] for r in group)
        proof = Counter(e for r in group for e in r["evidence"])
        cells = [len(group), *(count[s] for s in STATUSES), *(proof[e] for e in EVIDENCE)]
        lines.append(f"| {module} | " + " | ".join(str(c or "") for c in cells) + " |")
    return "\n".join([*lines, *libraries()]) + "\n"


def libraries() -> list[str]:
    """A section on MindSpore's libraries, from what ``scripts/third_party`` found."""
    head, *rows = (line.split("\t") for line in LIBRARIES.read_text().splitlines())
    columns = ["library", "version", "date", "modules", "ok", "ours", "models", *head[head.index("load") :]]
    lines = [
        "", "## Libraries", "",
        "MindSpore's libraries, unmodified, and tiny models of theirs against Hugging Face's on PyTorch; "
        "[what the columns mean, and why the rest does not import](scripts/third_party/RESULTS.md).",
        "", f"| {' | '.join({'ok': 'import', 'ours': 'lacking here'}.get(c, c) for c in columns)} |",
        "|---|---|---|" + "--:|" * (len(columns) - 3),
    ]
    return lines + [f"| {' | '.join(row[head.index(column)] for column in columns)} |" for row in rows]


def main() -> None:
    arguments = argparse.ArgumentParser(description="Write the support table.")
    arguments.add_argument("--json", metavar="FILE", help="write a row per name there instead")
    arguments.add_argument("--list", choices=STATUSES, help="print the names of one status instead")
    given = arguments.parse_args()
    rows = table()
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=0) + "\n")
    elif given.list:
        print("\n".join(r["name"] for r in rows if r["status"] == given.list))
    else:
        OUT.write_text(markdown(rows))
    print(totals(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
