"""Where MindSpore's CPU kernels leave their own documentation, and ms2torch does not follow them there.

departures.tsv is the one list: names, the case, what either side gives, and why, in English and Chinese.
``ms2torch diff`` names the entry where a difference stands at one; migration_guide/departures.md shows all,
and the calls that one of the two refuses (departing_calls.tsv).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

_HEADS = {False: """# Where MindSpore's CPU kernels leave their own documentation

ms2torch computes what is documented, or what mathematics says, there. `ms2torch diff` names the entry where a
difference stands at one. It has MindSpore's Momentum, RMSProp, SeLU and Mish compute what they document, so
that what comes after them is compared too (`--no-adapter`: as they are).

| name | case | MindSpore on a CPU | ms2torch | reason |
|---|---|---|---|---|
""", True: """# MindSpore 的 CPU 核与自己的文档不一致的地方

这些地方 ms2torch 按文档（或数学定义）计算；`ms2torch diff` 遇到时会指出对应条目。
其中 Momentum、RMSProp、SeLU 与 Mish，它让 MindSpore 也按文档计算，其后的部分才能继续比较
（`--no-adapter` 则保持原样）。

| 名称 | 情形 | MindSpore（CPU） | ms2torch | 原因 |
|---|---|---|---|---|
"""}

_HEADS_OF_CALLS = {False: """
## Calls that one of the two refuses

| call | MindSpore on a CPU | ms2torch | reason |
|---|---|---|---|
""", True: """
## 两者之一会拒绝的调用

| 调用 | MindSpore（CPU） | ms2torch | 原因 |
|---|---|---|---|
"""}


class Departure(NamedTuple):
    """One entry; ``names`` are operators, layers and optimizers."""

    names: tuple[str, ...]
    where: str
    mindspore: str
    ms2torch: str
    reason: str
    reason_zh: str
    where_zh: str
    mindspore_zh: str
    ms2torch_zh: str


@cache
def departures() -> tuple[Departure, ...]:
    """All entries, in the order of the list."""
    lines = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return tuple(Departure(tuple(names.split("|")), *rest) for names, *rest in rows)


def notes(verdict) -> list[str]:
    """A line for each entry about the operator or the class of Cell at which the first difference stands.

    Only the names are compared: whether an entry's case is the program's own is for the reader to say.
    """
    first = verdict.first
    if first is None:
        return []
    classes = {cell["name"]: cell["class"] for cell in verdict.cells}
    at = {first.op.rpartition(".")[2], classes.get(first.cell, ""), classes.get(first.where, "")}
    if first.public_stage == "random":  # whatever drew, it is seen where its numbers end up
        at |= {name for name in classes.values() if name.startswith("Dropout")}
    return [f"known, if that is the case here: {'/'.join(d.names)}, {d.where}: MindSpore's CPU gives "
            f"{d.mindspore}; ms2torch {d.ms2torch}: {d.reason}" for d in departures() if at & set(d.names)]


def page(chinese: bool = False) -> str:
    """The list as a page for users."""
    head = _HEADS[chinese]
    shown = []
    for d in departures():
        told = (d.where_zh, d.mindspore_zh, d.ms2torch_zh, d.reason_zh) if chinese else (
            d.where, d.mindspore, d.ms2torch, d.reason)
        names = "`" + "`, `".join(d.names) + "`"
        shown.append(" | ".join(cell.replace("|", "\\|") for cell in (names, *told)))
    return head + "".join(f"| {row} |\n" for row in shown) + _calls(chinese)


def _calls(chinese: bool) -> str:
    lines = Path(__file__).with_name("departing_calls.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = (line.split("\t") for line in lines)
    rows = ([call, *(told[3:] if chinese else told[:3])] for call, *told in cells)
    return _HEADS_OF_CALLS[chinese] + "".join(f"| {' | '.join(row)} |\n" for row in rows)
