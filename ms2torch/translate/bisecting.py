"""Which rule is to blame where the whole program differs although its Cells agree.

The rules at work outside of proved Cells are kept one after the other, first those of the line that an error
came through, then those that say themselves in what PyTorch differs; where the program then agrees, as few of
the rule's sites as possible are taken back.
"""

from __future__ import annotations

import ast
import difflib
import os
import re
import time
from collections.abc import Callable

from .facts import Facts
from .outcome import File, Outcome
from .places import Draft, Project
from .proving import PROVED, TakenBack, minimise
from .translation import Site, known_of, translate_source

# Runs of the program that may be spent, and seconds, whichever is over first.
_MOST, _SECONDS = 12, 300.0
_DATA = "mindspore.dataset."
_PLACE = re.compile(r"\((\S+):(\d+) of the translation\)")

Kept = dict[str, frozenset[tuple[int, int]]]


class Bisection:
    """``differs`` runs the translation that lies in the draft, and tells its first difference in words."""

    def __init__(
        self, outcome: Outcome, project: Project, draft: Draft, result: dict, differs: Callable[[], str]
    ) -> None:
        self.outcome, self.project, self.draft, self.differs = outcome, project, draft, differs
        found = result["files"]
        self.sources = {path: project.sources[path].text for path in found}
        self.facts = {path: Facts.from_json(result["facts"].get(path, [])) for path in found}
        self.kept: Kept = {path: frozenset(map(tuple, one["keep"])) for path, one in found.items()}
        self.runs, self.began = 0, time.perf_counter()

    def take_back(self) -> None:
        """Find the rule, take its sites back, and say so in the outcome; else leave all as it was."""
        first = self.outcome.whole
        for sites in self._by_rule():
            if not self._agrees(sites):
                if self._is_over():
                    break
                continue
            blamed = minimise(sites, self._agrees)
            self.outcome.whole = self._tried(blamed)
            for file, site in blamed:
                back = TakenBack(file.path, *site[:3], site.rule, "the whole program", first)
                self.outcome.taken.append(back.as_json())
            return
        self._write(self.kept)
        self.outcome.whole = first

    def _by_rule(self) -> list[list[tuple[File, Site]]]:
        """The sites outside of proved Cells, by rule; rules that differ by their own words first."""
        from .rules.table import CALLS, INSTANCES, VALUES

        groups: dict[str, list] = {}
        for file in self.outcome.files:
            proved = self._proved(file)
            for site in file.sites:
                if site.settled and not any(start <= site.line <= end for start, end in proved):
                    key = _DATA if site.name.startswith(_DATA) else site.rule
                    groups.setdefault(key, []).append((file, site))

        def says_little(key: str) -> bool:
            rules = (where.get(key) for where in (CALLS, INSTANCES, VALUES))
            return key != _DATA and not any(rule is not None and rule.en for rule in rules)

        near = self._near()

        def is_far(key: str) -> bool:
            return not any((file.path, site.line) in near for file, site in groups[key])

        return [groups[key] for key in sorted(groups, key=lambda key: (is_far(key), says_little(key)))]

    def _near(self) -> set[tuple[str, int]]:
        """The original's lines that have become those that an error of the translation came through."""
        found = set()
        for name, number in _PLACE.findall(self.outcome.whole or ""):
            for file in self.outcome.files:
                if os.path.basename(file.path) == os.path.basename(name):
                    before, after = file.source.splitlines(), file.text.splitlines()
                    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
                    for _, start, end, first, last in steps:
                        if first < int(number) <= last:
                            found |= {(file.path, line) for line in range(start + 1, end + 1)}
        return found

    def _proved(self, file: File) -> list[tuple[int, int]]:
        """The lines of a file's proved Cells."""
        lines = {p["line"] for p in self.outcome.proofs if p["path"] == file.path and p["state"] == PROVED}
        nodes = ast.walk(ast.parse(file.source))
        return [(n.lineno, n.end_lineno) for n in nodes if isinstance(n, ast.ClassDef) and n.lineno in lines]

    def _is_over(self) -> bool:
        return self.runs >= _MOST or time.perf_counter() - self.began > _SECONDS

    def _agrees(self, sites: list[tuple[File, Site]]) -> bool:
        return not self._is_over() and not self._tried(sites)

    def _tried(self, sites: list[tuple[File, Site]]) -> str:
        """How the program differs with these sites kept."""
        kept = dict(self.kept)
        for file, site in sites:
            kept[file.path] = kept[file.path] | {site[:2]}
        try:
            self._write(kept, any(site.name.startswith(_DATA) for _, site in sites))
        except SyntaxError as error:
            return str(error)
        self.runs += 1
        return self.differs()

    def _write(self, kept: Kept, keep_data: bool = False) -> None:
        """Put the translation with these sites kept into the draft and the outcome."""
        known = known_of(self.sources, self.facts)
        for one in known.values() if keep_data else ():
            if "data" in one:
                one["data"] = one["data"]._replace(reason="its batches differed from MindSpore's")
        for file in self.outcome.files:
            made = translate_source(
                self.sources[file.path],
                path=file.path,
                facts=self.facts[file.path],
                keep=kept[file.path],
                **known[file.path],
            )
            file.text, file.sites, file.helpers = made.text, made.sites, list(made.helpers)
            self.draft.write(file.path, made.text)
