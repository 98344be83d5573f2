"""Write the support table: what ms2torch has of MindSpore's public names, and by what evidence.

    python scripts/support_table.py                 # SUPPORT.md, SUPPORT.zh-CN.md: a line per module, totals
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

PAGES = {"en": ROOT / "SUPPORT.md", "zh": ROOT / "SUPPORT.zh-CN.md"}
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
def _cases() -> str:
    """The text of all reference cases."""
    return "\n".join(p.read_text() for p in sorted((ROOT / "tests" / "reference").glob("test_*.py")))


@cache
def _spoken() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words of all reference cases, what they call with a dot before it, and the dotted names."""
    return tuple(frozenset(re.findall(pattern, _cases())) for pattern in (
        r"\b\w+\b", r"\.(\w+)\(", r"[A-Za-z_][\w.]*\.\w+"))


@cache
def _imported() -> frozenset[str]:
    """What reference cases import by name from MindSpore."""
    lists = re.findall(r"from mindspore[\w.]* import (\([^)]*\)|.*)", _cases())
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
    words, called, dotted = _spoken()
    if owner[:1].isupper():
        if owner in words and (leaf == "construct" or leaf in called):
            shown.append("case")
    else:
        spellings = {f"{short}.{leaf}" for short in (*SHORT.get(path, ()), owner, path)}
        named = leaf in _imported() and leaf[:1].isupper()
        if named or spellings & dotted:
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


WORDS = {
    "en": {
        "title": "What is supported",
        "totals": "Of {names:,} public functions, classes and methods of MindSpore 2.10, {here:,} are here "
        "({shown:,} with an example, a case or fuzzing that the real one judges), {refused:,} are refused "
        "with a way out, {planned:,} are planned, {unsupported:,} are not intended. "
        "Of {earlier:,} names of earlier releases, {earlier_here:,} are here.",
        "about": "Written by `scripts/support_table.py`, whose text says what the columns mean; with "
        "`--json FILE` it gives every name. [中文](SUPPORT.zh-CN.md)",
        "columns": ("module", "names", *STATUSES, *EVIDENCE),
        "libraries": "Libraries",
        "of libraries": "MindSpore's libraries, unmodified, and tiny models of theirs against Hugging "
        "Face's on PyTorch; [what the columns mean, and why the rest does not import]"
        "(scripts/third_party/RESULTS.md).",
        "of a library": {"ok": "import", "ours": "lacking here"},
    },
    "zh": {
        "title": "支持情况",
        "totals": "MindSpore 2.10 的 {names:,} 个公开函数、类和方法中，已有 {here:,} 个"
        "（其中 {shown:,} 个有真实的 MindSpore 评判过的示例、用例或随机调用），{refused:,} 个拒绝并指明出路，"
        "{planned:,} 个计划中，{unsupported:,} 个不打算做。"
        "旧版本的 {earlier:,} 个名字中，已有 {earlier_here:,} 个。",
        "about": "由 `scripts/support_table.py` 生成；加上 `--json FILE` 可得到每一个名字。"
        "[English](SUPPORT.md)\n\n"
        "“已有”：名字存在，接受 MindSpore 的参数，并且不是拒绝；“拒绝”：名字存在，"
        "使用时抛出 NotImplementedError，并说明可以改用什么；“计划中”：既没有，也没有带理由的拒绝；"
        "“不打算做”：报错会说明替代办法。后三列是“已有”的依据，可以不止一种：“示例”，"
        "MindSpore 自己文档里的示例在这里打印相同的结果；“用例”，有由真实的 MindSpore 评判的用例提到它；"
        "“随机”，随机生成的调用与真实的 MindSpore 比较过。",
        "columns": ("模块", "名字", "已有", "拒绝", "计划中", "不打算做", "示例", "用例", "随机"),
        "libraries": "各个库",
        "of libraries": "MindSpore 的各个库，均未修改；它们的微型模型"
        "与 Hugging Face 在 PyTorch 上的模型比较。"
        "[各列的含义，以及其余模块为何不能导入](scripts/third_party/RESULTS.zh-CN.md)。",
        "of a library": {
            "library": "库", "version": "版本", "date": "日期", "modules": "模块", "ok": "可导入",
            "ours": "待补", "models": "模型", "load": "读取", "forward": "前向", "gradient": "梯度",
            "step": "一步", "generate": "生成", "back": "读回",
        },
        EARLIER: "（旧版本）",
    },
}  # fmt: skip


def totals(rows: list[dict], language: str = "en") -> str:
    """The line that the README quotes."""
    now = [r for r in rows if r["module"] != EARLIER]
    old = [r for r in rows if r["module"] == EARLIER]
    count = Counter(r["status"] for r in now)
    return WORDS[language]["totals"].format(
        names=len(now), shown=sum(bool(r["evidence"]) for r in now), **{s: count[s] for s in STATUSES},
        earlier=len(old), earlier_here=sum(r["status"] == "here" for r in old),
    )  # fmt: skip


def markdown(rows: list[dict], language: str = "en") -> str:
    """A language's page: totals and a line per module."""
    words = WORDS[language]
    lines = [
        f"# {words['title']}", "", totals(rows, language), "", words["about"], "",
        f"| {' | '.join(words['columns'])} |",
        "|---|" + "--:|" * (len(words["columns"]) - 1),
    ]  # fmt: skip
    groups: dict[str, list[dict]] = {}
    for row in rows:
        groups.setdefault(row["module"], []).append(row)
    for module, group in sorted(groups.items(), key=lambda item: (item[0].startswith("("), item[0])):
        count = Counter(r["status"] for r in group)
        proof = Counter(e for r in group for e in r["evidence"])
        cells = [len(group), *(count[s] for s in STATUSES), *(proof[e] for e in EVIDENCE)]
        lines.append(f"| {words.get(module, module)} | " + " | ".join(str(c or "") for c in cells) + " |")
    return "\n".join([*lines, *libraries(words)]) + "\n"


def libraries(words: dict) -> list[str]:
    """A section on MindSpore's libraries, from what ``scripts/third_party`` found."""
    head, *rows = (line.split("\t") for line in LIBRARIES.read_text().splitlines())
    columns = ["library", "version", "date", "modules", "ok", "ours", "models", *head[head.index("load") :]]
    lines = [
        "", f"## {words['libraries']}", "", words["of libraries"], "",
        f"| {' | '.join(words['of a library'].get(c, c) for c in columns)} |",
        "|---|---|---|" + "--:|" * (len(columns) - 3),
    ]  # fmt: skip
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
        for language, page in PAGES.items():
            page.write_text(markdown(rows, language), encoding="utf-8")
    print(totals(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
