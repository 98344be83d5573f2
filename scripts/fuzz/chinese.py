"""RESULTS.zh-CN.md: the English page of ``results.py`` line by line, its prose and heads in Chinese."""

from __future__ import annotations

import re

LINES = (
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
    (r"(MindSpore \S+) \(CPU\), (.+), (.+), (\S+)\.", r"\1（CPU），\2，\3，\4。"),
    (r"\*\*(\d+) of (\d+) lines,", r"**\2 行中的 \1 行，"),
    (r"(\d+) examples, (\d+) with gradients,", r"\1 个例子，其中 \2 个带梯度，"),
    (r"(\d+) that raise on MindSpore:", r"\1 个在 MindSpore 上报错："),
    (r"(\d+) differences that are not listed\.\*\*", r"没有列出的差别 \1 处**。"),
    (
        r"(\d+) examples are of the (\d+) entries in (`.+`); the reasons of (\d+) were not met\.",
        r"有 \1 个例子属于 \3 中的 \2 条；其中 \4 条的原因没有遇到。",
    ),
    (r"Examples of a seed are no two alike.*", "同一种子的例子互不相同，只有种子 1212 约七分之一是重复的。"),
    (
        r"How often a reason was met .*",
        "各原因的计数包括各行的所有运行；每行按当天的清单判断，清单此后可能已经收窄。",
    ),
    (r"## What is listed, and where it was met", "## 列出了什么，在哪里遇到"),
    (r"\| reason \| examples \| at \|", "| 原因 | 例子 | 位置 |"),
    (r"## Lines", "## 各行"),
    (
        r"\| line \| examples \| with gradients \| raise \| of listed differences \| differences \| seed "
        r"\| day \|",
        "| 行 | 例子 | 带梯度 | 报错 | 已列出的差别 | 差别 | 种子 | 日期 |",
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
