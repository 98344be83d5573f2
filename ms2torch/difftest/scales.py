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


def of_losses(left: list[dict], right: list[dict], loss: dict | None, other: dict | None
              ) -> tuple[list[dict], dict | None]:
    """MindSpore's records, and its ``loss`` among them, by the scale of ``other``, the port's loss.

    A scale is a power of two that MindSpore's program alone multiplies its loss by, which shows in the
    backward passes and not in the gradients that the optimizers get; or that both do, MindSpore's after its
    loss was recorded (amp's loss scalers), which shows in the gradient that comes to it.
    """
    values = [r["stats"].get("mean") for r in (loss, other) if r is not None and r["stats"]["n"] == 1]
    if len(values) < 2 or not all(values) or values[0] / values[1] <= 0:
        return left, loss
    scale = 2.0 ** round(math.log2(values[0] / values[1]))
    if scale == 1 or abs(values[0] / values[1] / scale - 1) >= _ALIKE:
        return left, loss
    if scale < 1:
        scaled = (loss,) if _begun_with(left) * scale == 1 else ()
    else:
        backward, gradient = (_ratio(left, right, stage) for stage in ("backward", "gradient"))
        within = backward > math.sqrt(scale) and abs(gradient - 1) < _ALIKE
        scaled = (loss, *(r for r in left if r["stage"] == "backward")) if within else ()
    by_id = {id(r): _divided(r, scale) for r in scaled}
    return [by_id.get(id(r), r) for r in left], by_id.get(id(loss), loss)


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
