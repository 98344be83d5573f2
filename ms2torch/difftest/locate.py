"""From what re-feeding saw to the first guilty Cell, parameter or stage."""

from __future__ import annotations

import json
import linecache
import math
import os

import numpy as np

from .compare import is_float, norm_of
from .finding import Finding
from .recorder import PROGRAM
from .yardstick import UNTOLD, epsilon, tolerance

_FIRST = 400


class Events:
    """What a re-fed run of ours noted, in order of time."""

    def __init__(self, path: str) -> None:
        with open(path + ".events", encoding="utf-8") as file:
            found = json.load(file)
        self.items = [{**e, "key": tuple(e["key"])} for e in found["events"]]
        self.status, self.error = found["status"], found["error"]
        self.seen: int = found["seen"]
        self.steps: int = found["steps"]
        self.step: int = found["step"]
        self.failed: str | None = found["failed"]
        self.made: dict[str, dict] = found["made"]
        # Of a float64 pass: how far the reference's values lie from the truth.
        self.gaps: dict[str, float] = found["gaps"]
        self._arrays = np.load(path + ".npz", allow_pickle=False)
        self._names = set(self._arrays.files)

    def array(self, key: tuple):
        """Our value of a key, or None."""
        name = "|".join(map(str, key))
        return self._arrays[name] if name in self._names else None

    def gap(self, key: tuple) -> float | None:
        """The distance of the reference's value of a key from the truth, or None."""
        return self.gaps.get("|".join(map(str, key)))


def needing_float64(events: Events) -> list:
    """The keys whose float64 value is wanted."""
    keys = [e["key"] for e in events.items if e["kind"] == "value" and math.isfinite(e["error"])]
    return [list(key) for key in keys[:_FIRST]]


def needing_perturbation(events: Events, truth: Events) -> list:
    """The keys that differ by more than float64 alone explains: what they tremble by is wanted."""
    rounding = Rounding(events, truth)
    return [list(key) for key in map(tuple, needing_float64(events)) if rounding.exceeded(key)]


class Rounding:
    """What rounding explains of each value that differs: by float64, by float64 that trembles (None where not
    asked), and by the same place in the other steps."""

    def __init__(self, events: Events, truth: Events | None, shaken: Events | None = None) -> None:
        self.events, self.truth, self.shaken = events, truth, shaken
        self.items = {e["key"]: e for e in events.items if e["kind"] == "value" and math.isfinite(e["error"])}
        # A place of few elements may agree by luck: the step in which it does so least tells.
        self.near: dict[tuple, float] = {}
        self.trembles: dict[tuple, float] = {}
        for key in self.items:
            ours, theirs, trembling = self.of(key)
            if ours is not None:
                self.near[key[1:]] = max(self.near.get(key[1:], 0.0), min(ours, theirs))
            if trembling is not None:
                self.trembles[key[1:]] = max(self.trembles.get(key[1:], 0.0), trembling)

    def of(self, key: tuple) -> tuple[float | None, float | None, float | None]:
        """How far from float64 ours is, the reference's, and float64 that trembles; as parts of the norm."""
        size = self.items[key]["size"] or 1.0
        ours, true = (e.array(key) if e is not None else None for e in (self.events, self.truth))
        if ours is None or true is None or true.shape != ours.shape or not is_float(str(true.dtype)):
            return None, None, None
        mine = norm_of(ours.astype(np.float64) - true) / size
        gap = self.truth.gap(key)
        moved = self.shaken.array(key) if self.shaken is not None else None
        trembling = norm_of(moved - true) / size if moved is not None and moved.shape == true.shape else None
        return mine, mine if gap is None else gap / size, trembling

    def tolerance(self, key: tuple) -> float:
        """How much the two sides may differ."""
        event = self.items[key]
        if key[1:] not in self.near:
            return UNTOLD * epsilon(event["dtype"]) + event.get("floor", 0.0)
        near = max(self.near.get(key[1:], 0.0), self.trembles.get(key[1:], 0.0))
        return tolerance(near, epsilon(event["dtype"])) + event.get("floor", 0.0)

    def exceeded(self, key: tuple) -> bool:
        """Whether they differ by more."""
        return not self.items[key]["error"] <= self.tolerance(key)

    def judge(self, finding: Finding, key: tuple) -> None:
        """Set tolerance and rounding, and say which side is the nearer to float64 where one is by far."""
        finding.tolerance = self.tolerance(key)
        ours, theirs, _ = self.of(key)
        if ours is None:
            return
        explained = self.trembles.get(key[1:], 0.0)
        finding.rounding = max(min(ours, theirs), explained)
        allowed = tolerance(max(theirs, explained), epsilon(self.items[key]["dtype"]))
        if ours > allowed + self.items[key].get("floor", 0.0):
            finding.judge = (f"float64 agrees with the reference to {theirs:.2g}, with ours to {ours:.2g} "
                             "only: ours has lost digits, as by computing in half precision")


def find_culprits(events: Events, truth: Events | None, cells: list[dict], reference=None,
                  shaken: Events | None = None) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """(what is wrong in order of time, what is tolerated, the nearest to its tolerance first, the masks that
    were drawn otherwise).

    ``reference`` is the reference's trace. Such masks are no findings: the real MindSpore's PyNative mode, in
    which steps are re-fed, does not draw them reproducibly itself.
    """
    known = (reference.parameters, reference.optimizers) if reference is not None else ()
    tree = Tree(cells, *known)
    rounding = Rounding(events, truth, shaken)
    wrong, tolerated, masked = [], [], {}
    for event in events.items:
        finding = _finding(event)
        place = finding.step, finding.where, finding.call
        if event.get("mask") and (tree.draws(finding.where) or "/dropout" in finding.where):
            masked.setdefault(place, finding)
        if place in masked:
            continue
        if event["key"] in rounding.items and event["kind"] == "value":
            rounding.judge(finding, event["key"])
            if finding.error <= finding.tolerance:
                tolerated.append(finding)
                continue
        factor = event.get("factor")
        whole = finding.role == "grad_output" and finding.stage == "backward"
        if factor and whole and not tree.parent(finding.where) and scaled(reference, finding.step):
            finding.stage = "loss_scale"
            finding.note = f"the gradient of the whole network is {factor:g} times the reference's"
        finding.factor = factor
        if finding.stage == "parameter":
            finding.update = _updated_by(reference, finding)
        tree.place(finding)
        wrong.append(finding)
    _all_alike(wrong)
    tolerated.sort(key=lambda f: f.error / f.tolerance, reverse=True)
    return wrong, tolerated, list(masked.values())


def scaled(reference, step: int) -> bool:
    """Whether a loss scale is kept in a step of a trace."""
    records = reference.step(step) if reference is not None else ()
    return any(r.get("stage") == "loss_scale" for r in records)


def _updated_by(reference, finding: Finding) -> int:
    """The number of the optimizer that a parameter's gradient went to."""
    records = reference.step(finding.step) if reference is not None else ()
    return next((r.get("update", 0) for r in records
                 if (r.get("stage"), r.get("where")) == ("gradient", finding.where)), 0)


def _finding(event: dict) -> Finding:
    step, update, stage, where, role, index, call = event["key"]
    stage = "backward" if event.get("bprop") else stage  # an operator of a gradient that the program wrote
    return Finding(step, stage, where, event["kind"], error=event.get("error", math.nan), role=role,
                   index=index, call=call, update=update, reference=event.get("reference", ""),
                   ours=event.get("ours", ""), op=event.get("op", ""), line=event.get("line", ""))


def cell_to_expand(finding: Finding, events: Events) -> str:
    """The Cell whose own operators are to be compared: one of the program's own, where its children agree or
    it has none; "" where the finding is of another kind."""
    made = events.made.get(finding.cell, {})
    between = finding.stage in ("forward", "backward") and not finding.line
    return finding.cell if between and made.get("source") else ""


def name_operator(first: Finding, operator: Finding, script: str) -> None:
    """Say in ``operator`` what ``first``, its Cell's finding, said, and show its line of the program."""
    file, _, number = operator.line.rpartition(":")
    path = os.path.join(os.path.dirname(os.path.abspath(script)), file)
    text = linecache.getline(path, int(number)).strip()
    place = f"the first of them is {operator.op}"
    before = first.note if "construct" in first.note else "the operators of its construct differ"
    operator.note = f"{before}; {place}{': ' + text if text else ''}"


class Tree:
    """The Cells by name: who owns a parameter, who called a Cell."""

    def __init__(self, cells: list[dict], parameters=(), optimizers=None) -> None:
        self.cells = {cell["name"]: cell for cell in cells}
        self.trained = {p["name"] for p in parameters if p.get("requires_grad")}
        self.holders = {p["name"]: p["cell"] for p in parameters if p.get("cell")}
        self.optimizers: dict[int, dict] = optimizers or {}  # their records, by the number of their updates
        # Names of Cells that were called alone before their network was.
        self.later = {cell["was"]: cell["name"] for cell in cells if cell.get("was")}

    def named(self, name: str) -> str:
        """The name in the tree: a Cell that was called alone went by its class's."""
        if name in self.cells:
            return self.later.get(name, name)
        alike = [n for n, c in self.cells.items() if c["class"] == name]
        return self.later.get(name, alike[0] if len(alike) == 1 else name)

    def parent(self, name: str) -> str:
        """The Cell in whose ``construct`` the Cell was called, by the tree."""
        return (self.cells.get(name) or {}).get("parent") or ""

    def above(self, name: str) -> list[str]:
        """The Cells that hold it, the nearest first."""
        found = []
        while name := self.parent(name):
            found.append(name)
        return found

    def has_children(self, name: str) -> bool:
        return any(cell.get("parent") == name for cell in self.cells.values())

    def owner(self, parameter: str) -> str:
        """The Cell that holds a parameter: the one it is said to be of, else the shortest path that ends in
        the parameter's prefix."""
        if parameter in self.holders:
            return self.holders[parameter]
        prefix = parameter.rpartition(".")[0]
        while prefix:
            fitting = [n for n, c in self.cells.items()
                       if n == prefix or n.endswith("." + prefix) or c.get("path") == prefix]
            if fitting:
                return min(fitting, key=len)
            prefix = prefix.rpartition(".")[0]
        return ""

    def draws(self, name: str) -> bool:
        """Whether a Cell draws a mask."""
        return "Dropout" in (self.cells.get(self.named(name)) or {}).get("class", "")

    def optimizer(self, update: int) -> str:
        """The name of the Cell that is an optimizer, else the optimizer's class."""
        return self.cell_of_optimizer(update) or self.optimizers.get(update, {}).get("class", "")

    def cell_of_optimizer(self, update: int) -> str:
        """The name of the Cell that is an optimizer; traces of before had none, and one was looked for."""
        named = self.optimizers.get(update, {}).get("cell")
        likely = (n for n in self.cells if n.rpartition(".")[2] == "optimizer")
        return named if named in self.cells else next(likely, "")

    def place(self, finding: Finding) -> None:
        """Say which Cell a finding speaks of, and what that means."""
        finding.original = finding.where
        cell, _, operator = finding.where.partition("/")
        where = finding.where = self.named(cell)
        if operator:
            finding.where, finding.cell = f"{where}/{operator}", where
            if finding.role in ("input", "grad_output"):
                finding.note = (f"what the operators {'before' if finding.role == 'input' else 'after'} it "
                                "give agrees: Python between them makes the difference")
            return
        match finding.stage, finding.role:
            case ("forward", "input") | ("backward", "grad_output"):
                parent = self.parent(where)
                finding.cell = parent or PROGRAM
                if not parent:
                    finding.where = PROGRAM
                    finding.note = (f"what the program itself gives to {where} differs"
                                    if finding.role == "input" else
                                    f"{where} agrees; what the program makes of its output differs: a loss, "
                                    "or what its gradient is multiplied by")
                else:
                    finding.where = parent
                    side = "before it calls" if finding.role == "input" else "after"
                    finding.note = (f"the Cells within {parent} agree; the operators of its own construct "
                                    f"{side} {where} differ")
            case ("forward", "output") | ("backward", "grad_input"):
                finding.cell = where
                if self.has_children(where):
                    finding.note = "the Cells within it agree; the operators of its own construct differ"
            case ("initial", _) if finding.step > 1:
                finding.stage, finding.cell = "between", PROGRAM
                finding.note = (f"step {finding.step - 1} leaves it as it should be; what the program itself "
                                f"writes to it before step {finding.step} differs")
            case ("initial", "state"):
                finding.stage, finding.cell = "optimizer", self.optimizer(finding.update)
            case ("gradient" | "initial", _):
                finding.cell = self.owner(where)
            case ("optimizer" | "learning_rate", _):
                finding.cell = self.optimizer(finding.update)
            case ("parameter", _) if where in self.trained:
                finding.cell = self.optimizer(finding.update)
                finding.note = "the gradient agrees, what the optimizer makes of it does not"
            case ("parameter", _):
                finding.cell = self.owner(where)


def _all_alike(wrong: list[Finding]) -> None:
    """Where every gradient differs although no Cell's backward does, say that no Cell is to blame; where all
    differ by one factor, say that."""
    first = wrong[0] if wrong else None
    if first is None or first.stage not in ("gradient", "parameter"):
        return
    same = [f for f in wrong if f.stage == first.stage and f.step == first.step]
    if len(same) < 3:
        return
    if first.stage == "gradient":
        first.note = ("so do the gradients of the other parameters, and no Cell's backward does: look "
                      "between the backward pass and the optimizer (clipping, scaling, reduction)")
    factors = [f.factor for f in same]
    if None not in factors and max(factors) - min(factors) < 0.01 * abs(factors[0]):
        what = "gradients" if first.stage == "gradient" else "changes of parameters"
        first.note += (f"; all {len(same)} {what} that differ are {factors[0]:.4g} times the reference's: "
                       "one factor (a learning rate, a loss scale, a mean over another count)")
