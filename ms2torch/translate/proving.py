"""Every translated Cell against its original, and what is taken back where they differ.

`Prover` translates, makes twins of the Cells that a run made, and compares. Where a Cell differs, the sites
of its class are halved until the one is found without which it agrees: that one stays a call of ms2torch,
and the report has it with its numbers.
"""

from __future__ import annotations

import ast
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from ms2torch.nn.cell import Cell
from ms2torch.nn.optim import Optimizer
from ms2torch.train._mixed_precision import is_lowered

from . import comparing
from .comparing import Difference
from .facts import Facts
from .instances import Called, Instance
from .naming import Names
from .translation import Site, Translation, known_of, translate_source
from .twins import LOWERED, TRAINS, Twins, Unpaired

PROVED, UNPROVED, DIFFERS = "proved", "unproved", "differs"
_FAILS = "the translation fails"
NEVER_CALLED = "it has no construct: the whole program proves it"
# What torch says of a Module that differentiates in its own forward pass.
_DIFFERENTIATED = "backward through the graph a second time"
_MOST = 40  # translations that may be tried for one class


@dataclass
class Proof:
    """What is known of one class: its state, how many instances were compared, and how far the worst lay
    apart."""

    path: str
    name: str
    line: int
    state: str
    instances: int = 0
    reason: str = ""

    def as_json(self) -> dict:
        return self.__dict__.copy()


@dataclass
class TakenBack:
    """A site that stayed ms2torch because its translation computed something else."""

    path: str
    line: int
    column: int
    name: str
    rule: str
    where: str
    reason: str

    def as_json(self) -> dict:
        return self.__dict__.copy()


Key = tuple[int, int]


@dataclass
class Prover:
    """``sources`` and ``facts`` by path, ``instances`` as the run made them by class, all of them
    ``made``."""

    sources: dict[str, str]
    facts: dict[str, Facts]
    made: dict[int, Instance]
    translate: Callable[..., Translation] = translate_source
    bare: bool = False
    keep: dict[str, frozenset[Key]] = field(default_factory=dict)
    proofs: list[Proof] = field(default_factory=list)
    taken: list[TakenBack] = field(default_factory=list)
    heirs: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = Names()
        self.known = known_of(self.sources, self.facts)
        self._cache: dict[tuple, Translation] = {}
        self._things: dict[str, object] = {}

    # ---- translating

    def translation(self, path: str, keep: frozenset[Key] | None = None) -> Translation:
        """A file's translation with what is kept by now, or with ``keep``."""
        keep = self.keep.get(path, frozenset()) if keep is None else keep
        if (path, keep) not in self._cache:
            self._cache[path, keep] = self.translate(
                self.sources[path], path=path, facts=self.facts.get(path), keep=keep, **self.known[path]
            )
        return self._cache[path, keep]

    def _twins(self, changed: dict[str, frozenset[Key]]) -> Twins:
        keep = {**self.keep, **changed}
        texts = {p: self.translation(p, keep.get(p, frozenset())).text for p in self.sources}
        return Twins(texts, self.made, self.names, self._thing, self.bare)

    def _thing(self, name: str):
        """What stands for a public MindSpore name in PyTorch; None where nothing does."""
        if name not in self._things:
            module, _, leaf = name.rpartition(".")
            made = self.translate(f"from {module} import {leaf}\n\nTHING = {leaf}\n", path="<name>")
            space: dict[str, object] = {}
            if all(site.settled for site in made.sites):
                try:
                    exec(made.text, space)
                except Exception:
                    space = {}
            self._things[name] = space.get("THING")
        return self._things[name]

    # ---- proving

    def prove(self, classes: dict[type, list[Instance]]) -> None:
        """All classes, parts before wholes."""
        paths = {cls: self._place(cls) for cls in classes}
        for cls, instances in classes.items():
            if paths[cls] is None:
                continue
            path, line = paths[cls]
            if (cls.__name__, line) not in self.translation(path).cells:
                continue
            self.proofs.append(self._proof(cls, path, line, instances))
            if self.proofs[-1].state == PROVED:
                self._with_heir(cls)
        self._uncalled({(p.path, p.line) for p in self.proofs})

    def _with_heir(self, cls: type) -> None:
        """Note the bases of a proved class whose ``construct`` is its own too: they are proved with it."""
        for base in cls.__mro__[1:]:
            place = self._place(base)
            if place is not None and vars(base).get("construct", cls.construct) is cls.construct:
                self.heirs.setdefault(place, cls.__name__)

    def _uncalled(self, done: set[tuple[str, int]]) -> None:
        classes = {type(instance.cell) for instance in self.made.values()}
        silent = {self._place(cls) for cls in classes if cls.construct is Cell.construct}
        for path in self.sources:
            for name, line in self.translation(path).cells:
                if (path, line) in self.heirs and (path, line) not in done:
                    reason = f"with {self.heirs[path, line]}, which descends from it"
                    self.proofs.append(Proof(path, name, line, PROVED, 0, reason))
                elif (path, line) not in done:
                    reason = "no input was found that it takes" if self.bare else "the run called none"
                    reason = NEVER_CALLED if (path, line) in silent else reason
                    self.proofs.append(Proof(path, name, line, UNPROVED, 0, reason))

    def _place(self, cls: type) -> tuple[str, int] | None:
        """The file and line of a class."""
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        path = os.path.realpath(file) if file else None
        if path not in self.sources:
            return None
        found = _class(ast.parse(self.sources[path]), cls.__qualname__.split("."))
        return (path, found.lineno) if found is not None else None

    def _proof(self, cls: type, path: str, line: int, instances: list[Instance]) -> Proof:
        proof = Proof(path, cls.__name__, line, PROVED)
        try:
            found = self._difference(instances, {}, proof)
        except Unpaired as error:
            proof.state, proof.reason = UNPROVED, str(error)
            return proof
        if found is None:
            return proof
        if found.text == comparing.RANDOM:
            proof.state, proof.reason = UNPROVED, f"its {found.what} differ from call to call: {found.text}"
            return proof
        sites = self._culprits(cls, path, instances)
        if not sites:
            proof.state, proof.reason = DIFFERS, found.sentence()
            return proof
        for site in sites:
            back = TakenBack(path, *site[:3], site.rule, cls.__name__, found.sentence())
            self.taken.append(back)
        self.keep[path] = self.keep.get(path, frozenset()) | {site[:2] for site in sites}
        return proof

    def _difference(
        self, instances: list[Instance], changed: dict, proof: Proof | None = None
    ) -> Difference | None:
        """The first difference of a class's instances; Unpaired where none of them could be compared."""
        twins, problem, compared = self._made(changed), None, 0
        if isinstance(twins, Difference):
            return twins
        for instance in instances:
            try:
                with twins.inside():
                    found = self._compared(twins, instance)
            except Unpaired as error:
                problem = error
                continue
            if found is not None:
                return found
            compared += 1
        if not compared:
            raise problem or Unpaired("no instance of it was called")
        if proof is not None:
            proof.instances = compared
        return None

    def _made(self, changed: dict) -> Twins | Difference:
        try:
            return self._twins(changed)
        except Unpaired:
            raise
        except Exception as error:
            return _failure(error)

    def _compared(self, twins: Twins, instance: Instance) -> Difference | None:
        if any(isinstance(part, Optimizer) for _, part in instance.cell.cells_and_names()):
            raise Unpaired(TRAINS)
        if is_lowered(instance.cell):
            raise Unpaired(LOWERED)
        try:
            twin = twins.of(instance.cell)
            for called in instance.calls.values():
                given = Called(called.training, twins.carry(called.arguments), twins.carry(called.keywords))
                found = comparing.compare(instance.cell, twin, called, given)
                if found is not None:
                    return found
        except Unpaired:
            raise
        except Exception as error:
            if _DIFFERENTIATED in str(error):
                raise Unpaired(TRAINS) from None
            return _failure(error)
        return None

    # ---- finding the site

    def _culprits(self, cls: type, path: str, instances: list[Instance]) -> list[Site]:
        """Few sites of a class that must stay ms2torch for it to agree; none where that does not help."""
        family = [one for one in cls.__mro__ if (self._place(one) or ("",))[0] == path]
        lines = [_lines(self.sources[path], one) for one in family]
        sites = [
            s
            for s in self.translation(path).sites
            if s.settled and any(first <= s.line <= last for first, last in lines)
        ]
        kept = self.keep.get(path, frozenset())
        tries = 0

        def agrees(some: list[Site]) -> bool:
            nonlocal tries
            tries += 1
            changed = {path: kept | {s[:2] for s in some}}
            try:
                return tries < _MOST and self._difference(instances, changed) is None
            except (Unpaired, SyntaxError):
                return False

        return minimise(sites, agrees) if agrees(sites) else []


def minimise(sites: list[Site], agrees: Callable[[list[Site]], bool]) -> list[Site]:
    """Of sites that help when all are kept, few that do: halves, quarters, ... go while it helps."""
    parts = 2
    while len(sites) > 1:
        size = max(1, len(sites) // parts)
        chunks = [sites[i : i + size] for i in range(0, len(sites), size)]
        smaller = next((c for c in chunks if agrees(c)), None)
        if smaller is None and len(chunks) > 2:
            rests = ([s for s in sites if s not in c] for c in chunks)
            smaller = next((r for r in rests if agrees(r)), None)
        if smaller is not None:
            sites, parts = smaller, 2
        elif size == 1:
            break
        else:
            parts *= 2
    return sites


def _class(tree: ast.AST, names: list[str]) -> ast.ClassDef | None:
    """The class of a qualified name, the last of that name in its file."""
    found = None
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == names[0]:
            found = node if len(names) == 1 else _class(node, names[1:])
        elif not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            for inner in ("body", "orelse", "handlers"):
                found = found or _class(ast.Module(getattr(node, inner, []), []), names)
    return found


def _lines(source: str, cls: type) -> tuple[int, int]:
    node = _class(ast.parse(source), cls.__qualname__.split("."))
    return (node.lineno, node.end_lineno) if node is not None else (1, source.count("\n") + 1)


def _failure(error: Exception) -> Difference:
    """An exception as a difference: its words, and the last line of the translation that it came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith("(translated)")]
    where = f", line {frames[-1].lineno} of the translation" if frames else ""
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return Difference(_FAILS, float("inf"), 0.0, f"{text}{where}")
