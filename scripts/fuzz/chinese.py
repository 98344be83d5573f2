"""RESULTS.zh-CN.md: the English page of ``results.py`` line by line, its prose and heads in Chinese."""

from __future__ import annotations

import re

LINES = (
    (r"# Operators fuzzed against MindSpore", "# 以随机调用对照 MindSpore 的算子"),
    (r"# Operators, layers, .*", "# 以随机调用对照 MindSpore 的算子、层、优化器和变换"),
    (r"\[中文\]\(RESULTS\.zh-CN\.md\)", "[English](RESULTS.md)"),
    (
        r"Written by (`.+`)\. An example is .*",
        r"由 \1 写出。一个例子是操作数（以及参数）由随机抽取得到的一次调用，在两边各执行一次，",
    ),
    (
        r"on both sides: values, .*",
        "比较数值、dtype、形状、错误的类型，以及结果有梯度时的梯度。“报错”是在 MindSpore 上报错的例子；"
        "“已列出的差别”是原因已知、列在 `tests/fuzz_known_differences.txt` 中的差别；"
        "最后一列是没有列出的差别。",
    ),
    (
        r"arguments, on both sides: values, .*",
        "比较数值、dtype、形状、错误的类型，以及对输入和权重的梯度。“报错”是在 MindSpore 上报错的例子；"
        "“已列出的差别”是原因已知、列在 `tests/fuzz_known_differences.txt` 中的差别；"
        "最后一列是没有列出的差别。",
    ),
    (
        r"(\d{4}-\d\d-\d\d), seed (\d+): (MindSpore \S+) \(CPU\), (.+), (.+), (\S+)\.",
        r"\1，种子 \2：\3（CPU），\4，\5，\6。",
    ),
    (r"\*\*(\d+) of (\d+) operators and groups,", r"**\2 个算子和算子组中的 \1 个，"),
    (r"\*\*(\d+) of (\d+) lines,", r"**\2 行中的 \1 行，"),
    (r"(\d+) examples, (\d+) with gradients,", r"\1 个例子，其中 \2 个带梯度，"),
    (r"(\d+) that raise on MindSpore:", r"\1 个在 MindSpore 上报错："),
    (r"(\d+) differences that are not listed\.\*\*", r"没有列出的差别 \1 处**。"),
    (
        r"(\d+) examples are of the (\d+) entries in (`.+`); (\d+) of these were not met\.",
        r"有 \1 个例子属于 \3 中的 \2 条；其中 \4 条没有遇到。",
    ),
    (r"(\d+) lines were run again .*", r"有 \1 行在修正了其中的差别之后以同一种子重新运行。"),
    (r"## What is listed, and where it was met", "## 列出了什么，在哪里遇到"),
    (r"\| reason \| examples \| at \|", "| 原因 | 例子 | 位置 |"),
    (r"## Lines", "## 各行"),
    (
        r"\| operator \| examples \| with gradients \| raise \| of listed differences \| differences \|",
        "| 算子 | 例子 | 带梯度 | 报错 | 已列出的差别 | 差别 |",
    ),
)


def page(english: str) -> str:
    """The page in Chinese; names and reasons in the tables stay as they are."""
    return "".join(_line(line) + "\n" for line in english.splitlines())


def _line(line: str) -> str:
    for pattern, chinese in LINES:
        if found := re.fullmatch(pattern, line):
            return found.expand(chinese)
    return line
