"""A loss scale that MindSpore's program has and a port need not have: gradients as they are without it."""

from __future__ import annotations

import math

# What is one number but for rounding, and for what it was made from.
_ALIKE = 1e-3


def unscaled(left: list[dict], right: list[dict]) -> list[dict]:
    """MindSpore's records of a step with its gradients divided by the loss scale that its train cell begins
    the backward pass with, as far as the port's have another one, or none. Scales are powers of two, so that
    nothing is rounded; another factor is a mistake, and stays."""
    scale = _begun_with(left)
    if scale == 1:
        return left
    # Within the backward pass a port may have any scale of its own; its optimizer gets none or MindSpore's.
    factors = {"backward": 2.0 ** round(math.log2(_ratio(left, right, "backward"))),
               "gradient": scale if _ratio(left, right, "gradient") > math.sqrt(scale) else 1.0}
    return [_divided(r, factors[r["stage"]]) if r["stage"] in factors else r for r in left]


def scale_within(left: list[dict], right: list[dict], loss: dict | None, other: dict | None) -> float:
    """The loss scale that MindSpore's program multiplies its ``loss`` by itself, where the port has none: a
    power of two between the two losses and between their backward passes, and none between the gradients
    that the optimizers get. 1 where there is none."""
    values = [r["stats"].get("mean") for r in (loss, other) if r is not None and r["stats"]["n"] == 1]
    if len(values) < 2 or not all(values) or values[0] / values[1] < 2:
        return 1.0
    scale = 2.0 ** round(math.log2(values[0] / values[1]))
    passed = [_ratio(left, right, stage) for stage in ("backward", "gradient")]
    alike = abs(values[0] / values[1] / scale - 1) < _ALIKE and abs(passed[1] - 1) < _ALIKE
    return scale if alike and passed[0] > math.sqrt(scale) else 1.0


def divided(left: list[dict], loss: dict, scale: float) -> list[dict]:
    """Records with what the backward pass brings, and the loss, divided."""
    return [_divided(r, scale) if r is loss or r["stage"] == "backward" else r for r in left]


def _begun_with(records: list[dict]) -> float:
    """What the backward pass of a step begins with: the gradient of the loss."""
    first = next((r for r in records if (r["stage"], r["role"]) == ("backward", "grad_output")), None)
    value = first["stats"].get("mean") if first and first["stats"]["n"] == 1 else None
    return value if value and value > 1 and math.log2(value).is_integer() else 1.0


def _ratio(left: list[dict], right: list[dict], stage: str) -> float:
    """How many times as long as the port's MindSpore's gradients are, all together."""
    one, two = (sum((r["stats"].get("norm") or 0.0) ** 2 for r in side
                    if r["stage"] == stage and r["role"] != "grad_input" and r["stats"]["n"] > 1)
                for side in (left, right))
    ratio = math.sqrt(one / two) if two else 1.0
    return ratio if 0 < ratio < math.inf else 1.0


def _divided(r: dict, factor: float) -> dict:
    if factor == 1:
        return r
    stats = {key: value if key in ("n", "hash", "nan", "posinf", "neginf") or value is None else
             [v / factor for v in value] if isinstance(value, list) else value / factor
             for key, value in r["stats"].items()}
    return {**r, "stats": stats, **({"array": r["array"] / factor} if "array" in r else {})}
