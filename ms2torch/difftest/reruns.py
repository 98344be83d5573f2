"""Traces in which no call is seen twice: MindSpore's ``grad`` runs a function anew each time, PyTorch's
follows the pass that was. Where a program differentiates twice (a differential equation as a loss), one side
calls its network more often than the other.
"""

from __future__ import annotations


def once(reference, port, found) -> tuple:
    """Both traces as they are, or `Once` of each where a layer that ``found`` pairs is called more often on
    one side."""
    one, two = (_calls(t.step(1)) for t in (reference, port))
    if all(one.get(cell) == two.get(module) for cell, module in found.cells.items() if cell in one):
        return reference, port
    unlike = Once(reference), Once(port)
    one, two = (_calls(t.step(1)) for t in unlike)
    alike = all(one.get(cell) == two.get(module) for cell, module in found.cells.items() if cell in one)
    return unlike if alike else (reference, port)


def _calls(records) -> dict[str, int]:
    """How often each Cell is called in a step."""
    called: dict[str, set] = {}
    for r in records:
        if r["kind"] == "tensor" and r["stage"] == "forward":
            called.setdefault(r["where"], set()).add(r["call"])
    return {where: len(calls) for where, calls in called.items()}


class Once:
    """A trace with the first of a step's calls of a Cell on the same inputs. Of its backward passes what
    comes first is one side's gradient and the other's gradient of a gradient: they are not for comparing."""

    def __init__(self, trace) -> None:
        self._trace = trace

    def __getattr__(self, name: str):
        return getattr(self._trace, name)

    def __iter__(self):
        return iter(self._trace)

    def step(self, number: int) -> list[dict]:
        """The records of a step, calls numbered anew."""
        records = self._trace.step(number)
        given: dict[tuple, list] = {}
        for r in records:
            if (r.get("stage"), r.get("role")) == ("forward", "input") and "/" not in r["where"]:
                given.setdefault((r["where"], r["call"]), []).append((r["index"], r["stats"]["hash"]))
        known: dict[str, dict] = {}
        numbers = {}
        for (where, call), inputs in given.items():
            before = known.setdefault(where, {})
            if tuple(inputs) not in before:
                before[tuple(inputs)] = numbers[where, call] = len(before)
        return [{**r, "call": numbers[place]} if (place := _call(r)) in numbers else r
                for r in records if _call(r) in numbers or _call(r) not in given]


def _call(r: dict) -> tuple | None:
    return (r["where"], r["call"]) if r.get("stage") == "forward" else None
