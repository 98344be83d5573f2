"""RESULTS.zh-CN.md: the English page of ``mutate_shim.py`` line by line, its prose and heads in Chinese."""

from __future__ import annotations

import re
from pathlib import Path

NAMES = Path(__file__).with_name("names.zh-CN.tsv")
LINES = (
    (r"# What `ms2torch diff` finds", "# `ms2torch diff` 能发现什么"),
    (r"\[中文\]\(RESULTS\.zh-CN\.md\)", "[English](RESULTS.md)"),
    (
        r"One defect at a time planted .* beside (.+)\.",
        r"每次在 ms2torch 的一份副本中埋入一处缺陷（`scripts/mutants/table.py`），"
        r"以真实的 MindSpore 的轨迹为准；然后是没有缺陷的程序："
        r"`scripts/mutants/programs` 中的小程序和 `tests/programs` 中的完整程序。"
        r"全部来自 `python scripts/mutate_shim.py` 的一次运行，旁边是 \1。"
        "\n\n“找到”指工具判定两次运行不同；"
        "“定位”指它最先指出的阶段和 Cell、算子、优化器或参数就是表中预期的那个。"
        "由种子生成的程序与缺陷见 [TRIALS](TRIALS.zh-CN.md)。",
    ),
    (r"- planted: (\d+)", r"- 埋入：\1"),
    (r"- found: (\d+) \((.+)\)", r"- 找到：\1（\2）"),
    (r"- of the found, located: (\d+) \((.+)\)", r"- 找到的之中定位：\1（\2）"),
    (
        r"- false alarms on the programs without a defect: (\d+) of (\d+)",
        r"- 没有缺陷的程序中的误报：\1 / \2",
    ),
    (
        r"- false alarms on whole programs that the reference runs as they are: (\d+) of (\d+)",
        r"- 参照能原样运行的完整程序中的误报：\1 / \2",
    ),
    (
        r"- false alarms on whole programs that it runs adapted: (\d+) of (\d+)",
        r"- 参照经过适配才能运行的完整程序中的误报：\1 / \2",
    ),
    (
        r"\| defect \| difference no\. \| program \| found \| named first \| error \|",
        "| 缺陷 | 差异编号 | 程序 | 找到 | 最先指出 | 误差 |",
    ),
    (r"## Without a defect", "## 没有缺陷"),
    (r"\| program \| says \|", "| 程序 | 结论 |"),
    (r"## Whole programs", "## 完整程序"),
    (
        r"(`ms2torch diff --steps \d+ --level LEVEL`) of the programs .*",
        r"对 `tests/programs` 中的程序运行 \1。"
        r"“适配”：为了让真实的 MindSpore 能够运行该程序，有几处需要改动（设备、已删除的名字）。",
    ),
    (r"\| program \| adapted \| (.+) \| records \|", r"| 程序 | 适配 | \1 | 记录 |"),
)
WORDS = {"| yes |": "| 是 |", "| no |": "| 否 |", "| elsewhere |": "| 在别处 |", "| equal |": "| 相等 |"}


def page(english: str) -> str:
    """The page in Chinese; programs stay as they are, and a defect that has no name in Chinese yet."""
    names = dict(line.split("\t") for line in NAMES.read_text(encoding="utf-8").splitlines())
    return "".join(_line(line, names) + "\n" for line in english.splitlines())


def _line(line: str, names: dict[str, str]) -> str:
    for pattern, chinese in LINES:
        if found := re.fullmatch(pattern, line):
            return found.expand(chinese)
    first, bar, rest = line.removeprefix("| ").partition(" | ")
    if first in names:
        line = f"| {names[first]}{bar}{rest}"
    for word, chinese in WORDS.items():
        while word in line:  # neighbours share a bar
            line = line.replace(word, chinese)
    return line
