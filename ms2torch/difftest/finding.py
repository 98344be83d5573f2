"""What the twin run says: stages of a training step in order of time, findings, and the verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

# The order of time within one step; a difference in an earlier stage explains those in later ones.
STAGES = ("initial", "between", "data", "random", "forward", "loss", "backward", "gradient", "loss_scale",
          "learning_rate", "optimizer", "parameter")

# What the machine-readable report calls them.
PUBLIC = {"initial": "random", "between": "program", "loss": "forward", "gradient": "backward",
          "learning_rate": "optimizer", "parameter": "optimizer"}

KINDS = ("missing", "extra", "dtype", "shape", "nan", "value", "error")


class CannotCompare(Exception):
    """The two runs cannot be compared; the message says why and what to do (exit code 2)."""


@dataclass(eq=False)  # one is itself alone, so that sets of thousands are quick
class Finding:
    """One number, dtype, shape or record that differs."""

    step: int
    stage: str
    where: str
    kind: str
    error: float = math.nan
    tolerance: float = math.nan
    reference: str = ""
    ours: str = ""
    role: str = ""
    index: int = 0
    call: int = 0
    update: int = 0
    note: str = ""
    cell: str = ""
    # The name under which the value was recorded, where the finding speaks of another Cell.
    original: str = ""
    # What rounding explains of ``error``, where float64 has told; ours as a multiple of the reference's.
    rounding: float = math.nan
    factor: float | None = None
    # Which side is wrong, where that can be told.
    judge: str = ""
    # Level op: the operator as the program calls it, and the line that does.
    op: str = ""
    line: str = ""
    # Of a program with several optimizers: the step of its own loop, and which of the step's updates.
    turn: tuple[int, int] | None = None

    @property
    def when(self) -> str:
        """The step in words."""
        if not self.turn:
            return f"step {self.step}"
        return f"step {self.turn[0]} (its update {self.turn[1]})"

    @property
    def public_stage(self) -> str:
        """The stage as ``--json`` and exit messages name it. Weights of other values are drawn otherwise; one
        that only one side has, or of another shape, is not."""
        drawn = self.stage != "initial" or self.kind in ("value", "nan")
        return PUBLIC.get(self.stage, self.stage) if drawn else self.stage

    def as_json(self) -> dict:
        """The finding for ``--json``; numbers that are not finite become None."""
        step, part = self.turn or (self.step, None)
        found = {"step": step, "part": part, "stage": self.public_stage, "detail": self.stage,
                 "where": self.where, "cell": self.cell, "kind": self.kind, "role": self.role,
                 "index": self.index, "call": self.call, "update": self.update, "error": _number(self.error),
                 "tolerance": _number(self.tolerance), "reference": self.reference, "ours": self.ours,
                 "rounding": _number(self.rounding), "judge": self.judge, "op": self.op,
                 "line": self.line, "note": self.note}
        return {key: value for key, value in found.items() if value not in ("", None) or key == "error"}

    def sentence(self) -> str:
        """One line: where and how much."""
        place = f"{self.when}, {self.public_stage}: {self.where}"
        if self.role:
            place += f" ({self.role} {self.index})" if self.role != "value" else ""
        if self.line:
            place += f", {self.line},"
        match self.kind:
            case "missing":
                return f"{place} is in the reference run only"
            case "extra":
                return f"{place} is not in the reference run"
            case "dtype" | "shape":
                return f"{place} has {self.kind} {self.ours}, the reference has {self.reference}"
            case "error":
                return f"{place} fails: {self.ours}"
            case "nan":
                return f"{place} has {self.ours}, the reference has {self.reference}"
        if not math.isfinite(self.error):
            return f"{place} differs: {self.ours or 'another value'}, the reference has {self.reference}"
        allowed = f" (tolerance {self.tolerance:.2g})" if math.isfinite(self.tolerance) else ""
        return f"{place} differs by {self.error:.3g} of its norm{allowed}"

    def nearness(self) -> str:
        """One line of a tolerated difference: how much, where, and how much of it rounding is."""
        place = f"{self.when}, {self.public_stage}: {self.where}"
        times = f", {self.error / self.rounding:.2g} times what rounding was measured to be there" \
            if self.rounding > 0 else ""
        return f"{self.error:.2g} of the norm at {place} ({self.role} {self.index}){times}; " \
               f"{self.tolerance:.2g} is tolerated"


def _number(value: float):
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


@dataclass
class Verdict:
    """The outcome of a twin run."""

    findings: list[Finding] = field(default_factory=list)
    steps: int = 0
    # Of a program with several optimizers: by step, the turn of its own loop, and which of its updates.
    turns: dict[int, tuple[int, int]] = field(default_factory=dict)
    compared: int = 0
    notes: list[str] = field(default_factory=list)
    losses: tuple[list, list] = ((), ())
    # Per step: the greatest relative difference of a parameter after it.
    drift: list = field(default_factory=list)
    refed: list[int] = field(default_factory=list)
    # The greatest differences that rounding explains, nearest to their tolerance first; and masks that were
    # drawn otherwise, which the real one does itself.
    tolerated: list[Finding] = field(default_factory=list)
    forgiven: list[Finding] = field(default_factory=list)
    # What differed in the first pass when something else ended the run.
    unjudged: list[Finding] = field(default_factory=list)
    cells: list[dict] = field(default_factory=list)
    sides: tuple[str, str] = ("MindSpore", "ms2torch")
    adaptations: list = field(default_factory=list)
    repro: str | None = None
    # pairing.Pairs, where the other side is a port by hand.
    pairs: object = None
    # Why there is no verdict: {"side", "type", "text"} (checks.py).
    failure: dict | None = None

    @property
    def length(self) -> str:
        """The steps in words."""
        count = self._loop_steps
        shown = "1 step" if count == 1 else f"{count:,} steps"
        return f"{shown} ({self.steps:,} updates)" if self.turns else shown

    @property
    def _loop_steps(self) -> int:
        """How many steps of the program's own loop, each of which has an update of every optimizer."""
        return self.turns.get(self.steps, (self.steps, 1))[0]

    def named(self, updates) -> str:
        """The steps of the program's own loop in which these updates were."""
        return ", ".join(map(str, sorted({self.turns.get(n, (n, 1))[0] for n in updates})))

    def number(self) -> None:
        """Tell each finding its turn of the loop."""
        for f in (*self.findings, *self.tolerated, *self.unjudged):
            f.turn = self.turns.get(f.step)

    @property
    def equal(self) -> bool:
        return not self.findings

    @property
    def first(self) -> Finding | None:
        return self.findings[0] if self.findings else None

    def as_json(self) -> dict:
        """What ``--json FILE`` holds."""
        return {
            "equal": None if self.failure else self.equal,
            "error": self.failure,
            "first": self.first.as_json() if self.first else None,
            "findings": [f.as_json() for f in self.findings[:100]],
            "steps": self._loop_steps,
            "updates": self.steps,
            "compared": self.compared,
            "refed": self.refed,
            "tolerated": [f.as_json() for f in self.tolerated[:20]],
            "unjudged": [f.as_json() for f in self.unjudged[:20]],
            "forgiven": [f.as_json() for f in self.forgiven[:100]],
            "losses": {side: [_number(x) for x in series]
                       for side, series in zip(("reference", "ours"), self.losses, strict=True)},
            "drift": [_number(x) for x in self.drift],
            "notes": self.notes,
            "sides": list(self.sides),
            "adaptations": self.adaptations,
            "repro": self.repro,
            **({"pairs": self.pairs.as_json()} if self.pairs else {}),
        }
