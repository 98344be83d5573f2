"""What a parameter's gradient is summed from, where no float64 tells its rounding (a port by hand)."""

from __future__ import annotations

import math

from .finding import Finding
from .locate import Tree
from .yardstick import epsilon


class Sums:
    """What a parameter's gradient is summed from: terms that may cancel to nothing, with rounding left."""

    def __init__(self, reference) -> None:
        self.reference, self.step, self.known = reference, None, {}
        self.trained: set[str] = set()

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
