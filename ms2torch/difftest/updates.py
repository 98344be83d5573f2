"""What a port's optimizer makes of its gradients, beside MindSpore's; when two numbers of a port differ."""

from __future__ import annotations

import math

import numpy as np

from . import apart, compare
from .finding import Finding
from .trace import with_array
from .yardstick import epsilon

# How many times as far apart as what goes in an output may be, and by how many units in the last place.
GROWTH = 30.0
FLOOR = 32.0
# How many times as far apart as what other kernels make (`shaking.Kernels`) moves it.
KERNELS = 4.0
# Units in the last place by which updates differ without a reason: roots and quotients are less exact than
# sums. One minus a share near 1 (a moment's decay, a power of it) has lost more, the smaller it is.
FLOOR_OF_UPDATE = 128.0
# Of a rule that divides by each element's own size (Adam's), an element's update may be this many times as
# far apart as its gradient is, however small that is beside the others.
BY_ELEMENT = 2.0
# What a gradient says that has come through an activation unseen: 1 - y * y near y = 1 is worth few digits.
SLOPE = 1e-2
# So many of the differences that are tolerated are remembered.
_NEAREST = 20
# As near to what a correction of the moments' bias would make is an update that has it.
_CORRECTED = 0.1
_UPDATES = "the gradient agrees, what the optimizer makes of it does not"
_RULES = {"AdamWeightDecay": "does not correct the bias of its moments, as Adam and AdamW do"}


def _why_gradients_differ(shape: list[int], mine: np.ndarray, theirs: np.ndarray) -> str:
    """``padding_idx`` if one row of a table alone differs and the port's is zero; else what may be."""
    if len(shape) == 2 and mine.size == theirs.size == math.prod(shape):
        mine, theirs = mine.reshape(shape), theirs.reshape(shape)
        left_out = mine.any(1) & ~theirs.any(1)
        if left_out.sum() == 1 and apart.close(mine[~left_out], theirs[~left_out]).all():
            return (f"the port gives row {int(left_out.argmax())} nothing, as PyTorch does with padding_idx; "
                    "MindSpore's Embedding trains that row, too")
    return "clipping, scaling, accumulation, or a loss that is a sum and not a mean"


def place(r: dict) -> tuple:
    """What a record is of, within its step."""
    return r.get("update", 0), r["stage"], r["where"], r["role"], r["index"], r["call"]


class Updates:
    """The half of `walk.Walk` that judges: two records, gradients, an optimizer's state, parameters."""

    def _parameter_of(self, r: dict, stage: str) -> dict | None:
        return self._held_there(r, stage, self.pairs.parameters.get(r["where"]), r["call"])

    def _held_there(self, r: dict, stage: str, name: str | None, call: int = 0, role="value") -> dict | None:
        """The port's parameter or state of that name, laid out as MindSpore's."""
        other = self.theirs.get((r.get("update", 0), stage, name, role, 0, call)) if name else None
        if other is None or r["where"] not in self.pairs.turned:
            return other
        # Samples of two orders cannot be compared.
        return with_array(other, apart.turned(other["array"])) if other.get("array") is not None else None

    def _judge(self, r: dict, other: dict, gone_in: float, note: str, floor: float = 0.0,
               spread: bool = True) -> float | None:
        """Compare two records; how far apart they are, None where a dtype or shape already differs."""
        self.verdict.compared += 1
        for kind in ("dtype", "shape"):
            one, two = apart.comparable(kind, r), apart.comparable(kind, other)
            if one != two and not (kind == "dtype" and apart.merely_cast(r, other)):
                self._note(r, kind, note, reference=str(r[kind]), ours=str(other[kind]))
                return None
        special = [[rec["stats"].get(k, 0) for k in ("nan", "posinf", "neginf")] for rec in (r, other)]
        if special[0] != special[1]:
            self._note(r, "nan", note, reference=compare._specials(r["stats"]),
                       ours=compare._specials(other["stats"]))
            return None
        error = apart.gap(r, other)
        growth = self._growth(other)
        floor += KERNELS * self._gap_to(self.otherwise, other)
        digit = max(epsilon(each["dtype"]) for each in (r, other))
        tolerance = growth * max(GROWTH * gone_in, FLOOR * digit) + floor
        if apart.kind(r) != "f":
            tolerance = 0.0
        if error > tolerance:
            self._found(r, other, error, tolerance, note)
        elif 0 < error < math.inf:
            self._tolerated(r, error, tolerance)
        if spread:
            self.worst = max(self.worst, error / growth)
        return error

    def _tolerated(self, r: dict, error: float, tolerance: float) -> None:
        """Remember how near to a difference this is; the nearest come first."""
        near = self.verdict.tolerated
        near.append(Finding(self.number, r["stage"], self.tree.named(r["where"]), "value", error, tolerance,
                            role=r["role"], index=r["index"], call=r["call"]))
        near.sort(key=lambda f: f.error / f.tolerance, reverse=True)
        del near[_NEAREST:]

    def _growth(self, other: dict) -> float:
        """How many times as far as all before it this value of the port's moves when what its layers make is
        moved by a last digit; 1 where that is not known, or less."""
        gap = self._gap_to(self.moved, other)
        growth = max(1.0, gap / self.worst_moved)
        self.worst_moved = max(self.worst_moved, gap / growth)
        return growth

    def _gap_to(self, shaken: dict, other: dict, apart_by=apart.gap) -> float:
        """How far a value of the port's is from what it is in a shaken run; 0 where that is not known."""
        moved = shaken.get(place(other))
        if moved is None or apart.kind(other) != "f" or moved["shape"] != other["shape"]:
            return 0.0
        gap = apart_by(other, moved)
        return gap if math.isfinite(gap) else 0.0

    def _found(self, r: dict, other: dict, error: float, tolerance: float, note: str) -> None:
        shown = [f"norm {x['stats']['norm']:.6g}, mean {x['stats']['mean']:.6g}" for x in (r, other)]
        self._note(r, "value", note, error=error, tolerance=tolerance, reference=shown[0], ours=shown[1])

    def _note(self, r: dict, kind: str, note: str, **more) -> None:
        where = self.tree.named(r["where"])
        cell = where if r["stage"] in ("forward", "backward", "loss") else self.tree.owner(r["where"])
        if r["stage"] in ("optimizer", "learning_rate"):
            cell = self.tree.cell_of_optimizer(r.get("update", 0))
        self.findings.append(Finding(self.number, r["stage"], where, kind, role=r["role"], index=r["index"],
                                     call=r["call"], update=r.get("update", 0), cell=cell, note=note, **more))

    # ---- the update

    def _settings(self, weight: str) -> list[dict[str, float]]:
        """The settings of the optimizer that updates a parameter, on both sides."""
        number = self.update_of.get(weight, 0)
        return [side.get(number, {}).get("settings", {}) for side in self.optimizers]

    def _kinds(self, weight: str) -> list[str]:
        number = self.update_of.get(weight, 0)
        return [side.get(number, {}).get("class", "") for side in self.optimizers]

    def _gradient(self, r: dict) -> None:
        other = self._parameter_of(r, "gradient")
        if other is None:
            if r["stats"]["norm"] and self.pairs.parameters.get(r["where"]) in self.never_trained:
                self._note(r, "missing", "the port's optimizer never gets a gradient for it: is it detached, "
                           "frozen or not given to the optimizer?")
            return
        self.gradients[r["where"]] = apart.values(r, other)
        self.update_of[r["where"]] = r.get("update", 0)
        owner, count = self.tree.owner(r["where"]), len(self.findings)
        agrees = "backward pass of the layers agrees: " if self.came else "loss agrees: something detached, "
        self._judge(r, other, self.worst, f"the gradient differs, although the {agrees}"
                    + _why_gradients_differ(r["shape"], *self.gradients[r["where"]]),
                    floor=self._sum(r) + SLOPE * any(owner == w for w, _ in self.elsewhere), spread=False)
        if self.lost and len(self.findings) > count:  # else it is a gradient that does not matter
            later, self.findings[count:] = self.findings[count:], []
            for lost, note in self.lost:
                self._note(lost, "missing", note)
            self.findings += later
            self.lost = []

    def _sum(self, r: dict) -> float:
        finding = Finding(self.number, r["stage"], r["where"], "value")
        return self.sums.floor(finding, self.tree, r["dtype"]) / (r["stats"]["norm"] or 1.0)

    def _state(self, r: dict) -> None:
        if r["where"].endswith("_power"):
            self.states[r["where"]] = apart.values(r, r)
        if r["where"].endswith("beta2_power"):
            self.powers[r.get("update", 0)] = float(self.states[r["where"]][0].flat[0])
        other = self._held_there(r, "optimizer", self.pairs.states.get(r["where"]))
        weight = r["where"].partition(".")[2]
        if other is None or weight not in self.gradients:
            return
        gone_in = max(apart.error(*self.gradients[weight]), self.worst)
        before = self.before.get(weight)
        gone_in = max(gone_in, apart.error(*before) if before else 0.0)
        start = self.states.get(r["where"])
        note = "the gradient agrees, what the optimizer keeps of it does not"
        if r["where"] not in self.kept and start and start[0].any():
            note += f"; MindSpore's starts at {start[0].flat[0]:g}, PyTorch's mostly at 0"
        count = len(self.findings)
        self._judge(r, other, gone_in, note, floor=self._floor_of_update(weight, r["dtype"]), spread=False)
        self.unexplained += [(f, weight) for f in self.findings[count:]]
        self.kept.add(r["where"])
        self.states[r["where"]] = apart.values(r, other)

    def _floor_of_update(self, weight: str, dtype: str) -> float:
        """How far apart an optimizer's own rounding may bring what it makes of one gradient."""
        shares = [v for side in self._settings(weight) for v in side.values()]
        shares += [float(v[0].flat[0]) for name, v in self.states.items() if name.endswith("_power")]
        lost = sum(1 / (1 - share) for share in set(shares) if 0.5 < share < 1)
        return (FLOOR_OF_UPDATE + lost) * epsilon(dtype)

    def _explain(self) -> None:
        """Say at a step's end why updates differ: a rule holds for all parameters, a group for some."""
        differ = {weight for _, weight in self.unexplained}
        agree = len(self.updated - differ)
        for finding, weight in self.unexplained:
            finding.note += self._why(weight, agree)

    def _why(self, weight: str, agree: int) -> str:
        """The settings in which the two optimizers differ; the updates of ``agree`` parameters do not."""
        one, two = self._settings(weight)
        shown = [f"{name} is {one[name]:g} in MindSpore and {two[name]:g} in the port"
                 for name in one if name in two and not math.isclose(one[name], two[name], rel_tol=1e-6)]
        if not agree and self._corrected(weight):
            shown += [f"{kind} {rule}" for kind, rule in _RULES.items() if kind in self._kinds(weight)]
        if weight.endswith((".gamma", ".beta", ".bias")) and one.get("weight_decay"):
            shown.append("MindSpore's optimizers decay no gamma and no beta (but biases) unless groups say "
                         "so")
        if agree and not shown:
            shown.append(f"those of {agree} other parameters agree, so look at this one's group: its rate, "
                         "its weight decay")
        return ": " + "; ".join(shown or ["its rule differs"])

    def _corrected(self, weight: str) -> bool:
        """Whether the port's update is MindSpore's with the bias of Adam's moments, or of one, corrected."""
        settings, after, before = self._settings(weight)[0], self.after.get(weight), self.before.get(weight)
        if after is None or before is None or after[0].shape != before[0].shape:
            return True                             # not known
        mine, theirs = (apart.norm(a - b) for a, b in zip(after, before, strict=True))
        first, second = (1 - settings.get(name, usual) ** self.number
                         for name, usual in (("beta1", 0.9), ("beta2", 0.999)))
        return bool(mine) and any(abs(theirs / mine / factor - 1) < _CORRECTED for factor in (
            second ** 0.5 / first, second ** 0.5, 1 / first))

    def _parameter(self, r: dict) -> None:
        other = self._parameter_of(r, "parameter")
        if other is None or r["where"] not in self.before:
            return
        after, before = apart.values(r, other), self.before[r["where"]]
        if after[0].shape != before[0].shape or after[0].shape != after[1].shape:
            return
        self.after[r["where"]] = after
        gradient = self.gradients.get(r["where"])
        floor, gone_in = self._floor_of_update(r["where"], r["dtype"]), self.worst
        if gradient is not None:
            agreed = apart.close(*gradient) & apart.close(*before)
            if agreed.mean() < 0.1:
                return
            gone_in = apart.error(gradient[0][agreed], gradient[1][agreed])
            gradient = [g[agreed] for g in gradient]
            after, before = ([a[agreed] for a in pair] for pair in (after, before))
        else:
            if self.sums.trained and r["where"] in self.sums.trained:
                return
            written = apart.norm(after[0] - before[0]) or math.inf
            floor += self._sum(r) * (r["stats"]["norm"] or 1.0) / written
        mine, theirs = after[0] - before[0], after[1] - before[1]
        size = apart.norm(mine)
        if gradient is not None:
            self.updated.add(r["where"])
        # What is written is rounded at the size of the weight, not of its change.
        floor += 4 * epsilon(r["dtype"]) * apart.norm(after[0]) / (size or math.inf)
        error = apart.norm(mine - theirs) / (size or math.inf) if size else float(apart.norm(theirs) > 0)
        tolerance = max(GROWTH * gone_in, floor)
        if gradient is not None and size:
            tolerance = max(tolerance, BY_ELEMENT * apart.norm(mine * apart.parts(*gradient)) / size)
        self.verdict.compared += 1
        if gradient is not None:
            self.off = max(self.off, error)
        if error > tolerance and gradient is not None:
            placed = self._with_eps_moved(r["where"], theirs, agreed)
            if placed is not None and apart.norm(mine - placed) <= tolerance * size:
                self.placed = max(self.placed, error)
                return
        if error > tolerance:
            note = (_UPDATES if gradient is not None else
                    "moving statistics: MindSpore's momentum is the share that stays, PyTorch's the share "
                    "that is new")
            self._found(r, other, error, tolerance, note)
            if gradient is not None:
                self.unexplained.append((self.findings[-1], r["where"]))
        elif 0 < error < math.inf:
            self._tolerated(r, error, tolerance)

    def _with_eps_moved(self, where: str, update: np.ndarray, agreed: np.ndarray) -> np.ndarray | None:
        """The port's Adam update with eps added where MindSpore adds it: to the root of the second moment as
        it is kept, not as it is corrected. None where this is not Adam with one eps on both sides."""
        one, two = self._settings(where)
        second, power = self.states.get("moment2." + where), self.powers.get(self.update_of.get(where, 0))
        eps = two.get("eps", 0.0)
        if second is None or power is None or not math.isclose(one.get("eps", eps), eps, rel_tol=1e-6):
            return None
        root, corrected = np.sqrt(second[0][agreed]), math.sqrt(max(1 - power, 0.0))
        return update * (root + eps * corrected) / (root + eps)
