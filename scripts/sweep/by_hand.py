"""What stands otherwise in the engine's tables than the real one's answers to the sweep say: by_hand.tsv.

A line: the table (refused, guards, odd), "kept" before a line that is in it whatever was read off, in the
place of one about the same argument and kinds, or "gone" before the beginning of one that is left out: it
refused what MindSpore takes in other calls than the sweep's, or another module says it better.
"""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_suffix(".tsv")
# How many columns say what a line is about.
_KEY = {"refused": 3, "guards": 1, "odd": 2}


def applied(table: str, lines: list[str]) -> list[str]:
    """``lines`` of a table without those that are gone, with those that are kept."""
    width = _KEY[table]
    kept, gone = {}, set()
    for row in FILE.read_text(encoding="utf-8").splitlines()[1:]:
        of, how, line = row.split("\t", 2)
        if of == table:
            key = tuple(line.split("\t")[:width])
            gone.add(key)
            if how == "kept":
                kept[key] = line
    found = [line for line in lines if tuple(line.split("\t")[:width]) not in gone]
    return sorted([*found, *kept.values()], key=lambda line: line.partition("\t")[0])
