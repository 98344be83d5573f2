"""Where a port's own initial weights are of another kind than MindSpore's: ``--align weights`` hides it."""

from __future__ import annotations

import math

# The spread of weights that were drawn is known so well: by so many standard deviations of its estimate.
_DEVIATIONS = 6.0
_ALIKE = 1e-5
_SHOWN = 4


def note_of_starts(reference, port, names: dict[str, str]) -> list[str]:
    """A note on the parameters, MindSpore's by the port's in ``names``, that the port starts otherwise: a
    constant of another value, a constant beside something drawn, or another spread."""
    mine, theirs = (_initial(side) for side in (reference, port))
    told = []
    for name, other in names.items():
        if name in mine and other in theirs and (far := _far(mine[name], theirs[other])):
            told.append((far, f"{name} ({_shown(mine[name])}) and {other} ({_shown(theirs[other])})"))
    if not told:
        return []
    told.sort(key=lambda t: -t[0])
    shown = ", ".join(text for _, text in told[:_SHOWN]) + (" ..." if len(told) > _SHOWN else "")
    return ["before it took over MindSpore's weights the port started from others, which matters where it "
            f"trains alone: {shown}"]


def _initial(side) -> dict[str, dict]:
    return {r["where"]: r["stats"] for r in side.step(1)
            if (r.get("stage"), r.get("role")) == ("initial", "value")}


def _spread(stats: dict) -> float:
    mean, size = stats["mean"] or 0.0, (stats["norm"] or 0.0) / math.sqrt(max(stats["n"], 1))
    squared = size * size - mean * mean
    return math.sqrt(squared) if squared > _ALIKE * size * size else 0.0


def _far(one: dict, two: dict) -> float:
    """How far apart two starts are; 0 where they may be two draws of one kind."""
    if one["n"] != two["n"] or not one["n"]:
        return 0.0
    if one["n"] == 1 and not all(map(_is_written, (one["mean"], two["mean"]))):
        return 0.0
    spreads = [_spread(stats) for stats in (one, two)]
    if not any(spreads):
        apart = abs(one["mean"] - two["mean"])
        return apart if apart > _ALIKE * max(abs(one["mean"]), abs(two["mean"])) else 0.0
    if not all(spreads):
        return math.inf
    far = abs(math.log(spreads[0] / spreads[1]))
    return far if far > _DEVIATIONS / math.sqrt(one["n"]) else 0.0


def _is_written(value: float | None) -> bool:
    """Whether one number is one that a program writes (0.25), not one that was drawn."""
    return value is not None and abs(value * 100 - round(value * 100)) < _ALIKE * max(1.0, abs(value * 100))


def _shown(stats: dict) -> str:
    spread = _spread(stats)
    return f"all {stats['mean']:.4g}" if not spread else f"spread {spread:.2g}"
