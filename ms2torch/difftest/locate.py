"""From what re-feeding saw to the first guilty Cell, parameter or stage."""

from __future__ import annotations

import json
import linecache
import math
import os

import numpy as np

from .compare import is_float, norm_of
from .finding import Finding
from .yardstick import FLOOR, FLOOR_OF_UPDATE, K, epsilon

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
        self._arrays = np.load(path + ".npz", allow_pickle=False)
        self._names = set(self._arrays.files)

    def array(self, key: tuple):
        """Our value of a key, or None."""
        name = "|".join(map(str, key))
        return self._arrays[name] if name in self._names else None


def doubtful(events: Events) -> list:
    """The keys whose float64 value is wanted."""
    keys = [e["key"] for e in events.items if e["kind"] == "value" and math.isfinite(e["error"])]
    return [list(key) for key in keys[:_FIRST]]


def guilty(events: Events, truth: Events | None, cells: list[dict],
           reference=None) -> tuple[list[Finding], list[Finding]]:
    """(what is wrong in order of time, the values nearest to their tolerance).

    ``reference`` is the reference's trace. Masks drawn otherwise are no findings: the real MindSpore's
    PyNative mode, in which steps are re-fed, does not draw them reproducibly itself.
    """
    tree, sums = Tree(cells), Sums(reference)
    wrong, worst, masked = [], [], set()
    for event in events.items:
        finding = _finding(event)
        if event.get("mask") and (tree.draws(finding.where) or "/dropout" in finding.where):
            masked.add((finding.step, finding.where, finding.call))
        if (finding.step, finding.where, finding.call) in masked:
            continue
        if event["kind"] == "value" and math.isfinite(event["error"]):
            if finding.stage in ("gradient", "parameter"):
                least = sums.floor(finding, tree, event["dtype"]) / (event["size"] or 1.0)
                event = {**event, "floor": event.get("floor", 0.0) + least}
            _measure(finding, event, events, truth)
            worst.append(finding)
            if finding.error <= finding.tolerance:
                continue
        factor = event.get("factor")
        if factor and not tree.parent(finding.where) and sums.scaled(finding.step):
            finding.stage = "loss_scale"
            finding.note = f"the gradient of the whole network is {factor:g} times the reference's"
        tree.place(finding)
        wrong.append(finding)
    _all_gradients(wrong, tree)
    worst.sort(key=lambda f: f.error / f.tolerance, reverse=True)
    return wrong, worst[:20]


def _finding(event: dict) -> Finding:
    step, update, stage, where, role, index, call = event["key"]
    return Finding(step, stage, where, event["kind"], error=event.get("error", math.nan), role=role,
                   index=index, call=call, update=update, reference=event.get("reference", ""),
                   ours=event.get("ours", ""), op=event.get("op", ""), line=event.get("line", ""))


def to_look_into(finding: Finding, events: Events) -> str:
    """The Cell whose own operators are to be compared: one of the program's own, where its children agree or
    it has none; "" where the finding is of another kind."""
    made = events.made.get(finding.cell, {})
    between = finding.stage in ("forward", "backward") and not finding.line
    return finding.cell if between and made.get("source") else ""


def operator_found(first: Finding, operator: Finding, script: str) -> None:
    """Say in ``operator`` what ``first``, its Cell's finding, said, and show its line of the program."""
    file, _, number = operator.line.rpartition(":")
    path = os.path.join(os.path.dirname(os.path.abspath(script)), file)
    text = linecache.getline(path, int(number)).strip()
    place = f"the first of them is {operator.op}"
    before = first.note if "construct" in first.note else "the operators of its construct differ"
    operator.note = f"{before}; {place}{': ' + text if text else ''}"


def _measure(finding: Finding, event: dict, events: Events, truth: Events | None) -> None:
    """Set error and tolerance from our rounding, where float64 has told it."""
    unit = epsilon(event["dtype"])
    updated = finding.stage in ("optimizer", "parameter", "loss_scale")
    floor = (FLOOR_OF_UPDATE if updated else FLOOR) * unit + event.get("floor", 0.0)
    ours = events.array(event["key"])
    true = truth.array(event["key"]) if truth is not None else None
    if ours is None or true is None or true.shape != ours.shape or not is_float(str(true.dtype)):
        finding.tolerance = 100 * unit + event.get("floor", 0.0)
        return
    size = event["size"] or 1.0
    mine = norm_of(ours.astype(np.float64) - true) / size
    # The reference lies |error| from ours and mine from the truth: its own distance is at least the rest.
    finding.tolerance = (K + 1) * mine + floor
    finding.note = f"rounding of ours is {mine:.2g}"


class Sums:
    """What a parameter's gradient is summed from: terms that may cancel to nothing, with rounding left."""

    def __init__(self, reference) -> None:
        self.reference, self.step, self.known = reference, None, {}
        self.trained: set[str] = set()

    def scaled(self, step: int) -> bool:
        """Whether a loss scale is kept in a step."""
        records = self.reference.step(step) if self.reference is not None else ()
        return any(r.get("stage") == "loss_scale" for r in records)

    def floor(self, finding: Finding, tree: Tree, dtype: str) -> float:
        """Two units in the last place of |output gradient| |input|, over the calls of the owning Cell; for
        moving statistics, four of the mean over |input|."""
        if self.reference is None:
            return 0.0
        if finding.step != self.step:
            self.step, self.known = finding.step, {}
            for r in self.reference.step(finding.step):
                if r["kind"] == "tensor" and r["stage"] == "gradient":
                    self.trained.add(r["where"])
                elif r["kind"] == "tensor" and r["stage"] in ("forward", "backward", "parameter"):
                    self.known.setdefault((r["where"], r["role"]), {})[r["call"], r["index"]] = r
        owner = tree.owner(finding.where)
        inputs = self.known.get((owner, "input"), {})
        total = 0.0
        if finding.stage == "parameter":
            written = self.known.get((finding.where, "value"), {}).values()
            size = max((math.prod(r["shape"]) for r in written), default=1)
            if finding.where in self.trained:
                return 0.0
            for record in inputs.values():
                total += _norm(record) * math.sqrt(size / max(math.prod(record["shape"]), 1))
            return 4 * epsilon(dtype) * total
        for (call, _), record in self.known.get((owner, "grad_output"), {}).items():
            came = inputs.get((call, 0))
            ones = math.sqrt(math.prod(record["shape"]))
            total += _norm(record) * max(ones, _norm(came) if came else 0.0)
        return 2 * epsilon(dtype) * total


def _norm(record: dict) -> float:
    norm = record["stats"]["norm"]
    return norm if math.isfinite(norm) else 0.0


class Tree:
    """The Cells by name: who owns a parameter, who called a Cell."""

    def __init__(self, cells: list[dict]) -> None:
        self.cells = {cell["name"]: cell for cell in cells}
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

    def has_children(self, name: str) -> bool:
        return any(cell.get("parent") == name for cell in self.cells.values())

    def owner(self, parameter: str) -> str:
        """The Cell that holds a parameter: the shortest path that ends in the parameter's prefix."""
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
                finding.cell = parent or where
                if parent:
                    finding.where = parent
                    side = "before it calls" if finding.role == "input" else "after"
                    finding.note = (f"the Cells within {parent} agree; the operators of its own construct "
                                    f"{side} {where} differ")
            case ("forward", "output") | ("backward", "grad_input"):
                finding.cell = where
                if self.has_children(where):
                    finding.note = "the Cells within it agree; the operators of its own construct differ"
            case ("initial", "state"):
                finding.stage = "optimizer"
                finding.cell = next((n for n in self.cells if n.rpartition(".")[2] == "optimizer"), "")
            case ("gradient" | "initial", _):
                finding.cell = self.owner(where)
            case ("optimizer" | "learning_rate", _):
                finding.cell = next((n for n in self.cells if n.rpartition(".")[2] == "optimizer"), "")
            case ("parameter", _):
                finding.cell = self.owner(where)


def _all_gradients(wrong: list[Finding], tree: Tree) -> None:
    """Where every gradient differs although no Cell's backward does, say that no Cell is to blame."""
    first = wrong[0] if wrong else None
    if first is None or first.stage != "gradient":
        return
    same = [f for f in wrong if f.stage == "gradient" and f.step == first.step]
    if len(same) > 2:
        first.note = ("so do the gradients of the other parameters, and no Cell's backward does: look "
                      "between the backward pass and the optimizer (clipping, scaling, reduction)")
