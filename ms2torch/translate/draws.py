"""Initial weights draw from numpy's generator in MindSpore, and not in PyTorch.

Where a program draws from that generator afterwards, the translation draws as many after the same
statement, so that what follows is the same. That is the statement that makes the network; where the
program itself draws while a network is made, it is each one that makes a layer.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections import Counter, defaultdict
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
# What programs draw by besides.
_OTHERS = ("rand", "random", "random_sample", "standard_normal", "choice", "shuffle")
_WEIGHTS = ("ms2torch._core.random.", "ms2torch.nn.", "ms2torch.common.")

Place = tuple[str, int]


def may_matter(texts: list[str]) -> bool:
    """Whether a program seeds numpy's generator and draws from it, so that who else draws can be told."""
    return any(map(_DRAWS.search, texts)) and any(map(_SEEDS.search, texts))


class Draws:
    """``with Draws(sources) as draws:`` what initial weights draw, by the statement that makes them."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.trees = {path: ast.parse(text) for path, text in sources.items() if path.endswith(".py")}
        # What was drawn by a statement that makes a network, and by each that makes a layer of it.
        self.counts: defaultdict[Place | None, Counter[Place]] = defaultdict(Counter)
        self.matter: set[Place | None] = set()
        self._waiting: set[Place | None] = set()
        self._after = None
        # Frames, by id, that were making a network, and the networks while which the program drew.
        self._making: dict[int, Place] = {}
        self._between: set[Place] = set()

    def __enter__(self) -> Draws:
        self._old = {name: getattr(np.random, name) for name in ("seed", *_WORDS, *_OTHERS)}
        np.random.seed = self._seeded
        for name, draw in self._old.items():
            if name != "seed":
                setattr(np.random, name, partial(self._drawn, draw, _WORDS.get(name, 0)))
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
            self._note_between()
            return draw(*args, **kwargs)
        self._look()
        found = draw(*args, **kwargs)
        places = self._places() if count else []
        network = places[-1][1] if places else None
        if network is not None:
            frame, _ = places[-1]
            self._making[frame] = network
            self.counts[network][places[0][1]] += count * np.size(found)
        self._waiting.add(network)
        self._after = _state()
        return found

    def _note_between(self) -> None:
        """The program draws: which networks are being made at this moment."""
        for frame, place in self._places():
            if self._making.get(frame) == place:
                self._between.add(place)

    def _look(self) -> None:
        """Whether the program drew since initial weights last did: what they drew then matters."""
        if self._waiting and _state() != self._after:
            self.matter |= self._waiting
            self._waiting = set()

    def _places(self) -> list[tuple[int, Place]]:
        """The statements under way that can be followed by another, with their frames' ids.

        The first makes a layer; the last, the innermost one outside of Cells, makes the network.
        """
        frame, found, outside = sys._getframe(2), [], False
        while frame is not None and not outside:
            path = os.path.realpath(frame.f_code.co_filename)
            if path in self.trees:
                outside = not _in_cells(frame)
                statement = _statement(self.trees[path], frame.f_lineno)
                if isinstance(statement, _SIMPLE):
                    found.append((id(frame), (path, statement.lineno)))
                else:
                    outside = False
            frame = frame.f_back
        return found

    def into(self, facts: dict[str, Facts]) -> None:
        """Put what matters among the facts; nothing where one statement cannot be told."""
        found: Counter[Place] = Counter()
        for network in self.matter:
            drawn = self.counts[network]
            for place, count in drawn.items() if network in self._between else [(network, drawn.total())]:
                path, line = place or ("", 0)
                runs = _runs(_statement(self.trees[path], line), facts.get(path, {})) if place else 0
                if not runs or count % runs:
                    facts.setdefault(next(iter(self.trees)), Facts()).add((0, COLUMN), Fact(NAME))
                    return
                found[place] += count // runs
        for (path, line), count in found.items():
            facts.setdefault(path, Facts())[line, COLUMN] = Fact(NAME, calls=count)


def _in_cells(frame) -> bool:
    """Whether a Cell's own method is running, in this frame or in one around it."""
    while frame is not None:
        if isinstance(frame.f_locals.get("self"), Cell):
            return True
        frame = frame.f_back
    return False


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
