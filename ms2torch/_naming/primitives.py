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
    """The rows of every name; those of the generated modules, whose ``module`` is empty, come first."""
    found: dict[str, list[Row]] = {}
    for line in _FILE.read_text().splitlines():
        row = Row(*line.split("\t"))
        rows = found.setdefault(row.name, [])
        rows.append(row) if row.module else rows.insert(0, row)
    return found


@cache
def _classes() -> dict[str, str]:
    return {name.lower(): name for name, rows in table().items() if rows[0].kind == "class"}


def row(home: str, name: str) -> Row | None:
    """The row of ``name`` in the module ``home`` (``mindspore.ops...``), or else its first one.

    ``tanh_grad_op`` and ``pyboost_tanh_grad`` have one by the class that their name says.
    """
    rows = table().get(name, ())
    if not rows and (name.endswith(("_op", "_impl")) or name.startswith("pyboost_")):
        kind = "core" if name.startswith("pyboost_") else "instance"
        stem = name.removeprefix("pyboost_").removesuffix("_op").removesuffix("_impl")
        of = _classes().get(stem.replace("_", ""))
        return Row(kind, "", name, of, "") if of else None
    module = home.removeprefix("mindspore.ops.")
    own = [r for r in rows if r.module == module]
    own = own or [r for r in rows if r.module and not home.startswith("mindspore.ops.auto_generate") and home]
    found = next(iter([*own, *rows]), None)
    if found is not None and found.kind == "function" and found.takes == "=":
        return found._replace(takes=table()[found.of][0].takes)
    return found


def arguments(text: str) -> list[Argument]:
    """The arguments of a signature as the table writes it; ``*args`` keep their star."""
    given = ast.parse(f"lambda {text}: 0").body[0].value.args
    names = [a.arg for a in given.args]
    defaults = [None] * (len(names) - len(given.defaults)) + [ast.unparse(d) for d in given.defaults]
    found = [Argument(*pair) for pair in zip(names, defaults, strict=True)]
    return [*found, Argument("*" + given.vararg.arg, None)] if given.vararg else found
