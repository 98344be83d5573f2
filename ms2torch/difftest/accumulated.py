"""A trace in which each step ends with an update, as it does of a PyTorch program.

A train cell that adds gradients up holds its optimizer in each call, so each call is a step of MindSpore's
trace, whether the optimizer is called or not; a port makes one step of all up to ``optimizer.step()``.
"""

from __future__ import annotations

# What a step leaves, of which the last counts, and what is the same wherever it is called.
_LEFT = ("parameter", "optimizer", "loss_scale", "learning_rate")


def by_updates(trace):
    """The trace itself, or `Accumulated` where calls of its train cell were seen to end without an update."""
    looked = sorted(trace.header.get("options", {}).get("refeed") or ())
    if trace.header.get("level") != "step":
        looked = range(1, trace.steps + 1)
    looked = [step for step in looked if step <= trace.steps]
    updated = [step for step in looked if step not in trace.idle]
    return Accumulated(trace, looked, updated) if updated and len(updated) < len(looked) else trace


def calls_per_update(trace) -> int:
    """In how many calls the first update comes; 1 where the first does or none was seen to."""
    return next((n for n in range(1, trace.steps + 1) if n not in trace.idle), 1)


class Accumulated:
    """A trace whose step is what was called up to an update."""

    def __init__(self, trace, looked: list[int], updated: list[int]) -> None:
        self._trace, self.steps, self.idle = trace, len(updated), frozenset()
        self._parts = [[n for n in looked if before < n <= last]
                       for before, last in zip([0, *updated], updated, strict=False)]
        options = {**trace.header["options"], "refeed": list(range(1, self.steps + 1))}
        self.header = {**trace.header, "options": options}

    def __getattr__(self, name: str):
        return getattr(self._trace, name)

    def __iter__(self):
        return iter(self._trace)

    def turns(self) -> dict:
        """A step is one of the program's updates."""
        return {}

    def updates_in(self, loop_steps) -> list[int]:
        """The steps of these steps of the program's loop."""
        return sorted(loop_steps)

    def last_in(self, loop_steps: int | None) -> int | None:
        """The step with which so many end."""
        return loop_steps

    def step(self, number: int) -> list[dict]:
        """The records of the calls, numbered on, with what was there before the first and after the last."""
        found: list[dict] = []
        made: dict[str, int] = {}
        starts: dict[tuple, dict] = {}
        left: dict[tuple, dict] = {}
        for part, raw in enumerate(self._parts[number - 1]):
            records = [r for r in self._trace.step(raw) if r["kind"] == "tensor"]
            calls = dict(made)
            for r in records:
                r = {**r, "step": number, "order": r["order"] + (part << 32)}
                key = r.get("update", 0), r["stage"], r["where"], r["role"], r["index"]
                if r["stage"] == "initial":
                    starts.setdefault(key, r)
                elif r["stage"] in _LEFT:
                    left[key] = r
                else:
                    r["call"] += calls.get(r["where"], 0)
                    made[r["where"]] = max(made.get(r["where"], 0), r["call"] + 1)
                    found.append(r)
        return [*starts.values(), *found, *left.values()]
