"""What every operator class of MindSpore 2.10 takes, and the functions and instances generated around them.

The table is packaged data (``scripts/make_primitives.py``), read when first asked.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).parent / "data" / "primitives_2_10.tsv"


class Row(NamedTuple):
    """One name: a class with what it takes when made and when called, or what stands for a class (``of``)."""

    kind: str
    module: str
    name: str
    of: str
    takes: str

    @property
    def init(self) -> str:
        """What a class takes when it is made; of other kinds, nothing."""
        return self.of if self.kind == "class" else ""


class Argument(NamedTuple):
    """An argument's name and its default as it is written, None without one."""

    name: str
    default: str | None


@cache
def table() -> dict[str, list[Row]]:
    """The rows of every name; those of the generated modules come first."""
    found: dict[str, list[Row]] = {}
    for line in _FILE.read_text().splitlines():
        row = Row(*line.split("\t"))
        rows = found.setdefault(row.name, [])
        rows.insert(0, row) if row.module.startswith("auto_generate") else rows.append(row)
    return found


def row(home: str, name: str) -> Row | None:
    """The row of ``name`` in the module ``home`` (``mindspore.ops...``), or else its first one."""
    rows = table().get(name, ())
    module = home.removeprefix("mindspore.ops.")
    return next((r for r in rows if r.module == module), rows[0] if rows else None)


def arguments(text: str) -> list[Argument]:
    """The arguments of a signature as the table writes it; ``*args`` keep their star."""
    given = ast.parse(f"lambda {text}: 0").body[0].value.args
    names = [a.arg for a in given.args]
    defaults = [None] * (len(names) - len(given.defaults)) + [ast.unparse(d) for d in given.defaults]
    found = [Argument(*pair) for pair in zip(names, defaults, strict=True)]
    return [*found, Argument("*" + given.vararg.arg, None)] if given.vararg else found
