"""Forms by name."""

from __future__ import annotations

import inspect
from pathlib import Path


class Table(dict):
    """Forms by name; a name is given once."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __setitem__(self, name: str, form) -> None:
        if name in self:
            raise ValueError(f"The {self.kind} '{name}' is defined twice: "
                             f"{place_of(self[name])} and {place_of(form)}.")
        super().__setitem__(name, form)

    def update(self, *forms, **named) -> None:
        for name, made in dict(*forms, **named).items():
            self[name] = made


def place_of(form) -> str:
    """The file and the line of the definition behind a form."""
    code = getattr(inspect.unwrap(getattr(form, "kernel", None) or form), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(form)


PRIMITIVES: dict[str, type] = Table("Primitive")
# A form's own name (`__qualname__`, which Python's errors say), where it is not its definition's.
NAMES = dict(row.split("\t") for row in
             Path(__file__).with_name("names.tsv").read_text(encoding="utf-8").splitlines()[1:])
