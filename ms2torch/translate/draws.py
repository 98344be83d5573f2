"""Initial weights draw from numpy's generator in MindSpore, and not in PyTorch.

Where a program draws from that generator afterwards, the translation draws as many after the same
statement, so that what follows is the same.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections import Counter
from functools import partial

import numpy as np

from ms2torch.nn.cell import Cell

from .facts import Fact, Facts

# The column at which a statement's draws stand among the facts of its first line, and their name.
COLUMN, NAME = -1, "numpy.random: initial weights"
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_DRAWS = re.compile(
    r"\b(?:np|numpy)\.random\.(?!seed|RandomState|default_rng|Generator|get_state|set_state)\w+\("
)
_SEEDS = re.compile(r"\b(?:np|numpy)\.random\.seed\(|\bset_seed\(")

# What draws for weights: how many of numpy's doubles a number costs; 0 where that is not told.
_WORDS = {"randint": 1, "uniform": 1, "randn": 0, "normal": 0, "permutation": 0}
_WEIGHTS = ("ms2torch._core.random.", "ms2torch.nn.", "ms2torch.common.")

Place = tuple[str, int]


def may_matter(texts: list[str]) -> bool:
    """Whether a program seeds numpy's generator and draws from it, so that who else draws can be told."""
    return any(map(_DRAWS.search, texts)) and any(map(_SEEDS.search, texts))


class Draws:
    """``with Draws(sources) as draws:`` what initial weights draw, by the statement that makes them."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.trees = {path: ast.parse(text) for path, text in sources.items() if path.endswith(".py")}
        self.counts: Counter[Place | None] = Counter()
        self.matter: set[Place | None] = set()
        self._waiting: set[Place | None] = set()
        self._after = None

    def __enter__(self) -> Draws:
        self._old = {name: getattr(np.random, name) for name in ("seed", *_WORDS)}
        np.random.seed = self._seeded
        for name, count in _WORDS.items():
            setattr(np.random, name, partial(self._drawn, self._old[name], count))
        return self

    def __exit__(self, *_) -> None:
        for name, function in self._old.items():
            setattr(np.random, name, function)
        self._look()

    def _seeded(self, *args, **kwargs) -> None:
        self._look()
        self._waiting.clear()
        self._old["seed"](*args, **kwargs)
        self._after = _state()

    def _drawn(self, draw, count, *args, **kwargs):
        if not sys._getframe(1).f_globals.get("__name__", "").startswith(_WEIGHTS):
            return draw(*args, **kwargs)
        self._look()
        found = draw(*args, **kwargs)
        place = self._place() if count else None
        self.counts[place] += count * np.size(found)
        self._waiting.add(place)
        self._after = _state()
        return found

    def _look(self) -> None:
        """Whether the program drew since initial weights last did: what they drew then matters."""
        if self._waiting and _state() != self._after:
            self.matter |= self._waiting
            self._waiting = set()

    def _place(self) -> Place | None:
        """The statement, outside of Cells, that makes what draws."""
        frame, outside = sys._getframe(2), []
        while frame is not None:
            path = os.path.realpath(frame.f_code.co_filename)
            if path in self.trees:
                if isinstance(frame.f_locals.get("self"), Cell):
                    outside = []
                else:
                    outside.append((path, frame.f_lineno))
            frame = frame.f_back
        for path, line in outside:
            statement = _statement(self.trees[path], line)
            if isinstance(statement, _SIMPLE):
                return path, statement.lineno
        return None

    def into(self, facts: dict[str, Facts]) -> None:
        """Put what matters among the facts; nothing where one statement cannot be told."""
        found = {}
        for place in self.matter:
            path, line = place or ("", 0)
            statement = _statement(self.trees[path], line) if place else None
            runs = _runs(statement, facts.get(path, {})) if place else 0
            if not runs or self.counts[place] % runs:
                facts.setdefault(next(iter(self.trees)), Facts()).add((0, COLUMN), Fact(NAME))
                return
            found[place] = self.counts[place] // runs
        for (path, line), count in found.items():
            facts.setdefault(path, Facts())[line, COLUMN] = Fact(NAME, calls=count)


def _state() -> tuple:
    kind, words, at, *_ = np.random.get_state()
    return kind, words.tobytes(), at


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """The innermost statement at a line."""
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            found = node
    return found


def _runs(statement: ast.stmt, facts) -> int:
    """How often a statement ran."""
    inside = range(statement.lineno, statement.end_lineno + 1)
    return min((fact.calls for (line, _), fact in facts.items() if line in inside), default=1)


def told(facts: list) -> bool | None:
    """Whether all that matters has its place among a file's facts, as JSON; None where nothing matters."""
    places = [row[0] for row in facts if row[1] == COLUMN]
    return all(places) if places else None
