"""What a translation came to: sites, proofs, the whole program, and what is left for a hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from ms2torch._naming import generations

from .proving import PROVED
from .translation import Site


@dataclass
class File:
    """One translated file: its place as shown, its text and sites, and the text that it had."""

    path: str
    shown: str
    source: str
    text: str
    sites: list[Site]
    helpers: list[str] = field(default_factory=list)

    @property
    def kept(self) -> list[Site]:
        return [site for site in self.sites if not site.settled]


@dataclass
class Outcome:
    """The whole; ``whole`` says how the program's own run compared: "" where it agrees, None where it was
    not run."""

    source: str
    out: str
    files: list[File] = field(default_factory=list)
    proofs: list[dict] = field(default_factory=list)
    taken: list[dict] = field(default_factory=list)
    ran: dict | None = None
    whole: str | None = None
    compared: str = ""
    numpy: str = ""
    seconds: float = 0.0
    api: str = ""

    @property
    def sites(self) -> int:
        return sum(len(f.sites) for f in self.files)

    @property
    def settled(self) -> int:
        return sum(site.settled for f in self.files for site in f.sites)

    @property
    def kept(self) -> list[tuple[File, Site]]:
        return [(f, site) for f in self.files for site in f.kept]

    @property
    def proved(self) -> int:
        return sum(p["state"] == PROVED for p in self.proofs)

    @property
    def free(self) -> list[File]:
        """The files that need neither MindSpore nor ms2torch any more."""
        return [f for f in self.files if not needs_ms2torch(f.text)]

    @property
    def done(self) -> bool:
        """Whether all was translated and proved."""
        left = self.kept or self.taken or self.whole or self.numpy or self.failure or self.unproved
        return not left and self.proved == len(self.proofs)

    @property
    def unproved(self) -> str:
        """Why nothing was compared at all, in words: no Cell, and no run of the program."""
        if self.whole is not None or self.proofs or not self.sites:
            return ""
        return 'nothing was compared, for there is no Cell: --run "script arguments" compares the program'

    @property
    def failure(self) -> str:
        """How the run of the original failed, in words."""
        if not self.ran:
            return ""
        if self.ran.get("error"):
            return self.ran["error"]
        return f"it ended with exit code {self.ran['code']}" if self.ran.get("code") else ""

    @property
    def first(self) -> str:
        """The first difference, in words."""
        for back in self.taken:
            return f"{back['where']}: {back['reason']}"
        for proof in self.proofs:
            if proof["state"] == "differs":
                return f"{proof['name']}: {proof['reason']}"
        return self.whole or ""

    def checklist(self) -> list[str]:
        """What is left for a hand, a line each."""
        shown = {f.path: f.shown for f in self.files}
        left = []
        for back in self.taken:
            place = f"{shown[back['path']]}:{back['line']}"
            left.append(f"{place}: {back['name']} was taken back in {back['where']}: {back['reason']}")
        taken = {(back["path"], back["line"], back["column"]) for back in self.taken}
        for f, site in self.kept:
            if (f.path, site.line, site.column) not in taken:
                left.append(f"{f.shown}:{site.line}: {site.name} is kept: {site.reason or 'no rule'}")
        for proof in self.proofs:
            if proof["state"] != PROVED:
                place = f"{shown[proof['path']]}:{proof['line']}"
                how = "differs" if proof["state"] == "differs" else "is not proved"
                left.append(f"{place}: {proof['name']} {how}: {proof['reason']}")
        if self.failure:
            left.append(f"the program did not run to its end: {self.failure}")
        if self.numpy:
            left.append(self.numpy)
        if self.whole:
            left.append(f"the whole program: {self.whole}")
        if self.unproved and not left:
            left.append(self.unproved)
        return left

    def sentences(self) -> list[str]:
        """The outcome in a few lines."""
        share = self.settled / self.sites if self.sites else 1.0
        lines = [
            f"{self.settled} of {self.sites} sites translated ({share:.1%}), {len(self.kept)} kept; "
            f"{len(self.free)} of {len(self.files)} files need neither mindspore nor ms2torch."
        ]
        if self.proofs:
            compared = sum(p["instances"] for p in self.proofs)
            lines.append(
                f"{self.proved} of {len(self.proofs)} Cells proved, forward and gradients, "
                f"by {compared} instances."
            )
        if self.whole is not None:
            lines.append("The whole program " + (f"differs: {self.whole}" if self.whole else self.compared))
        if self.api and self.kept:
            lines.append(f"What is kept needs MS2TORCH_API={self.api} in the environment when it runs.")
        if self.api and (otherwise := generations.untranslated(self.api)):
            lines.append(f"Operators are PyTorch's now; what they meant in {self.api} is not written out: "
                         f"{'; '.join(otherwise)}.")
        return lines

    def as_json(self) -> dict:
        """For ``--json``."""
        return {
            "source": self.source,
            "output": self.out,
            "sites": self.sites,
            "translated": self.settled,
            "kept": [{"path": f.shown, **site._asdict()} for f, site in self.kept],
            "files": [
                {
                    "path": f.shown,
                    "sites": [site._asdict() for site in f.sites],
                    "helpers": f.helpers,
                    "needs_ms2torch": needs_ms2torch(f.text),
                }
                for f in self.files
            ],
            "cells": self.proofs,
            "proved": self.proved,
            "taken_back": self.taken,
            "program": {"run": self.ran, "differs": self.whole, "compared": self.compared},
            "first_difference": self.first or None,
            "left": self.checklist(),
            "done": self.done,
            "seconds": round(self.seconds, 1),
        }


def needs_ms2torch(text: str) -> bool:
    """Whether a translated file imports MindSpore or ms2torch."""
    import ast

    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] in ("mindspore", "ms2torch") for name in names):
            return True
    return False
