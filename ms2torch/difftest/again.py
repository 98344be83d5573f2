"""A port that calls its optimizer twice after one backward pass, where MindSpore's program calls it once."""

from __future__ import annotations

NOTE = ("the port calls its optimizer again before its network is called, and weights change again; "
        "MindSpore's program calls its own once, and then the network. What comes after was not compared: "
        "these are other steps")
_CALLED = ("data", "forward", "loss")


def weight(before: list[dict], now: list[dict], port_before: list[dict], port_now: list[dict]) -> dict | None:
    """A gradient other than 0 that the port's optimizer gets in a step without a call of any layer, if it has
    had one for that weight in the step before, which had such calls; None where MindSpore's own step has no
    call either, or an optimizer that was called more often than once."""
    if not (_calls(before) and _calls(now) and _calls(port_before)) or _calls(port_now):
        return None
    updates = _of("gradient", before)
    if not updates or any(r["call"] for r in updates):  # within a graph no update is seen
        return None
    had = {(r.get("update", 0), r["where"]) for r in _of("gradient", port_before)}
    moving = {r.get("update", 0) for r in _of("learning_rate", port_now) if r["stats"]["norm"]}
    return next((r for r in _of("gradient", port_now) if (r.get("update", 0), r["where"]) in had
                 and r.get("update", 0) in moving and r["stats"]["norm"]), None)


def _calls(records: list[dict]) -> bool:
    return any(r["kind"] == "tensor" and r["stage"] in _CALLED for r in records)


def _of(stage: str, records: list[dict]) -> list[dict]:
    return [r for r in records if r["kind"] == "tensor" and r["stage"] == stage]
