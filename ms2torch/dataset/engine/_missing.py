"""Folders that lack what a dataset has to have: MindSpore's words (``missing.tsv``, read off the real one).

A line of the table: the dataset, which ``usage`` it is about (``*``: all that no line before it is about),
what has to lie in its folder, and the text of the error where it does not.
"""

from __future__ import annotations

import csv
import glob
import os
from functools import wraps
from pathlib import Path

from ..core.errors import pipeline_error


def install(datasets: dict) -> None:
    """Have the classes of a module look for what they need before they are read."""
    rules: dict[str, list] = {}
    with open(Path(__file__).with_name("missing.tsv"), encoding="utf-8", newline="") as file:
        for name, usages, needed, text in list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
            rules.setdefault(name, []).append((usages.split("|"), needed, text))
    for name, lines in rules.items():
        one = datasets[name]
        for method in ("_open", "_columns"):
            setattr(one, method, _looking(getattr(one, method), name, lines))


def _looking(method, name: str, lines: list):
    @wraps(method)
    def looking(self, *args):
        if type(self).__name__ == name:
            _look(self, name, lines)
        return method(self, *args)

    return looking


def _look(dataset, name: str, lines: list) -> None:
    folder, usage = dataset.dataset_dir, getattr(dataset, "usage", None) or "all"
    for usages, needed, text in lines:
        if usage in usages or usages == ["*"]:
            if next(glob.iglob(os.path.join(glob.escape(folder), needed)), None) is None:
                raise pipeline_error(text.format(name=name, dir=folder, path=os.path.join(folder, needed)))
            return
