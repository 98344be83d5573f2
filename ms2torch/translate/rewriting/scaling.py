"""``torch.amp.GradScaler`` where a program scales its loss, looks at gradients, steps, moves the scale."""

from __future__ import annotations

import ast
import re

# Where a scaler may be used: made, in scaling a loss, in the four lines of a step, or asked for its scale.
_MADE = re.compile(r"LossScaler\((.+), (.+), (.+)\)")

_FINITE = re.compile(r"(\w+) = torch\.stack\(\[x\.isfinite\(\)\.all\(\) for x in (\w+)\]\)\.all\(\)")


class Scalers:
    """The loss scalers of a module that can be GradScalers, by name; ``lines`` give a step's."""

    def __init__(self, tree: ast.Module) -> None:
        self.made: dict[str, str] = {}
        self.tree = tree
        device = '"cpu"'
        if "set_default_device" in ast.unparse(tree):
            device = "torch.get_default_device().type"
        for node in ast.walk(tree):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            found = _MADE.fullmatch(ast.unparse(node.value)) if isinstance(target, ast.Name) else None
            if found and self._is_plain(target.id):
                start, factor, window = found.groups()
                backoff = f"1 / {factor}" if re.fullmatch(r"[\w.]+", factor) else f"1 / ({factor})"
                self.made[target.id] = (
                    f"torch.amp.GradScaler({device}, init_scale={start}, "
                    f"growth_factor={factor}, backoff_factor={backoff}, growth_interval={window})"
                )

    def _is_plain(self, name: str) -> bool:
        """Whether nothing but its methods are used, each step's in the lines of a step."""
        parents = {id(c): p for p in ast.walk(self.tree) for c in ast.iter_child_nodes(p)}
        uses = [n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and n.id == name]
        loads = [parents[id(n)] for n in uses if isinstance(n.ctx, ast.Load)]
        parts = [getattr(p, "attr", "") if isinstance(p, ast.Attribute) else "" for p in loads]
        steps = sum(self._is_step(body, i, name) for body in _blocks(self.tree) for i in range(len(body)))
        told = [p for p in parts if p in ("unscale", "adjust")]
        plain = len(uses) - len(loads) == 1 and set(parts) <= {"scale", "unscale", "adjust", "scale_value"}
        return plain and steps > 0 and told.count("adjust") == steps and told.count("unscale") <= 2 * steps

    def _is_step(self, body: list[ast.stmt], i: int, name: str) -> bool:
        found = step(body, i)
        return found is not None and found["scaler"] == name

    def is_read(self, name: str) -> bool:
        """Whether anything but the step itself asks whether gradients were finite."""
        names = (n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        steps = (step(body, i) for body in _blocks(self.tree) for i in range(len(body)))
        writes = sum(found is not None and found["finite"] == name for found in steps)
        return sum(n.id == name for n in names) > 2 * writes


def _blocks(tree: ast.Module):
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            if isinstance(getattr(node, name, None), list):
                yield getattr(node, name)


def step(body: list[ast.stmt], i: int) -> dict | None:
    """The parts of a step that begins with a gradient call at ``i``; None where it is none.

    It has the loss unscaled or not, the look, the update under it, and the scale's move.
    """
    texts = [ast.unparse(s) for s in body[i : i + 5]]
    if not texts or "grad" not in texts[0]:
        return None
    at, found = 1, {"count": 4, "loss": ""}
    unscaled = re.fullmatch(r"(\w+) = (\w+)\.unscale\(\1\)", texts[1]) if len(texts) > 4 else None
    if unscaled:
        found.update(loss=unscaled[1], count=5)
        at = 2
    if len(texts) < found["count"]:
        return None
    look = _FINITE.fullmatch(texts[at])
    under = body[i + at + 1]
    if not look or not isinstance(under, ast.If) or under.orelse or ast.unparse(under.test) != look[1]:
        return None
    move = re.fullmatch(rf"(\w+)\.adjust\({look[1]}\)", texts[at + 2])
    inner = [ast.unparse(s) for s in under.body]
    if not move or inner[0] != f"{look[2]} = {move[1]}.unscale({look[2]})" or not 2 <= len(inner) <= 3:
        return None
    clip = re.fullmatch(rf"{look[2]} = clip_by_(?:global|total)_norm\({look[2]}, (.+)\)", inner[1])
    applied = re.fullmatch(rf"apply_gradients\((.+), {look[2]}\)", inner[-1])
    if not applied or (len(inner) == 3) != bool(clip) or (unscaled and unscaled[2] != move[1]):
        return None
    found.update(scaler=move[1], gradients=look[2], finite=look[1], optimizer=applied[1])
    return {**found, "norm": clip[1] if clip else ""}
