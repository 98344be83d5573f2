"""What a file is read as: MindSpore's names, where they are used, and the modules beside it."""

from __future__ import annotations

import ast
from typing import NamedTuple

LIVE, GUARDED, DEAD = "", "guarded", "dead"


class Ref(str):
    """A dotted MindSpore name."""


class Of(str):
    """An instance of the MindSpore class of that name."""


class Lent(Of):
    """An instance that an attribute of ``self`` holds too: what changes it changes both."""


class Presumed(NamedTuple):
    """What is an instance of that class as a rule: an argument of ``construct`` is a Tensor."""

    cls: str


class Const(NamedTuple):
    """A value that is told."""

    value: object


class Use(NamedTuple):
    """A MindSpore name in the file: an import of it, or a use; its line, and whether it is reached."""

    name: str
    line: int
    state: str
    imported: bool = False


class Call(NamedTuple):
    """A call of a MindSpore name: ``method`` where it goes by an instance; ``given``, the values of its
    arguments by place and by name, as far as they are told."""

    name: str
    node: ast.Call
    state: str
    method: bool = False
    given: tuple[list, dict] | None = None


class Member(NamedTuple):
    """An attribute of an instance of a MindSpore class."""

    cls: str
    name: str
    line: int
    state: str


class Module(NamedTuple):
    """A module that is not MindSpore's: its dotted name, the dots before it, and what is imported of it."""

    name: str
    level: int
    line: int
    state: str
    parts: tuple[str, ...] = ()
