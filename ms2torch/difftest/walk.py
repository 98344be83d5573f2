"""The walk over a MindSpore trace and a port's: each pair of records against what has gone in.

There is no float64 re-run of a program in another framework, so the yardstick is what has gone in: two
implementations of one layer make of inputs that lie e apart outputs that lie little more than e apart. What
comes out more than ``GROWTH`` times as far apart as anything before it, and more than ``FLOOR`` units in the
last place, differs of itself, unless a last digit's change does the same there: where something is found the
port runs once more with what its layers make moved by a last digit (sums whose terms cancel), and once more
with what kernels make that are others in MindSpore (products in float16, exponentials and logarithms).
Updates of parameters are compared where both sides agree on the gradient.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from . import again, apart, compare, reruns, trace
from .calls import Call, Calls
from .finding import Finding, Verdict
from .flows import Flow
from .locate import Tree
from .pairing import Pairs, of_training
from .recorder import DIFFERENTIATED, PROGRAM
from .scales import of_losses, unscaled
from .sums import Sums
from .updates import FLOOR, GROWTH, KERNELS, SLOPE, Updates, place
from .yardstick import epsilon

# What is copied, not computed, agrees but for a conversion.
_COPIED = 1e-6
_WHOLE_NETWORK = 1e-4
# What is made of an output, by how much nearer it lies where only the line between layers is elsewhere.
_NEARER, _CLEARLY = 0.01, 0.1
# The factor between what two normalisations make: of what they are given it was at most a fiftieth where that
# is more than a digit apart, and below one digit else.
_GIVEN, _DIGITS = 1 / 16, 4.0
# Of what a program changes between two steps, the share that it may be apart.
_BETWEEN = 0.05
# What a step makes of its data, up to what its optimizers get.
_MADE = ("data", "forward", "loss", "backward", "gradient")
_STATISTICS = ("moving_mean", "moving_variance")
# Modules that compute something else in training mode.
_MODES = ("Dropout", "BatchNorm", "InstanceNorm")
# Steps in which an optimizer of several is looked for.
_LOOKED = 8


class Walk(Updates):
    """Through the steps of both traces at once."""

    def __init__(self, reference, port, found: Pairs, verdict: Verdict, shaken=()) -> None:
        self.reference, self.port, self.pairs, self.verdict = reference, port, found, verdict
        self.shaken = shaken
        self.tree = Tree(reference.cells, reference.parameters, reference.optimizers)
        self.sums = Sums(reference)
        self.findings: list[Finding] = []
        self.weights = {b: a for a, b in found.parameters.items()}
        # Every leaf of MindSpore's that was called, in order, for what stands between two paired ones.
        self.called: list[tuple[str, int]] = []
        self.optimizers = tuple(t.optimizers for t in (reference, port))
        self.never_trained = {p["name"] for p in port.parameters} - _with_gradients(port)
        self.passed_over: dict[str, None] = {}
        self.ended: dict[str, tuple] = {}
        self.kept: set[str] = set()  # an optimizer's states that an update was judged by
        self.unlike: list[int] = []  # updates that train other parameters than the other side's
        self.after: dict[str, tuple] = {}  # what the step left of each parameter, on both sides
        self.left_over: tuple[list[str], list[str]] = [], []  # calls that were compared with nothing
        self.rates_tell = True  # whether the port's optimizer updates by the rates that it shows
        self.placed = 0.0  # the greatest difference that the place of Adam's eps alone explains
        self.stopped = False  # whether a port that updates twice was found: its steps are others from there
        self.earlier: list[list[dict]] = []  # both sides' records of the step before, without their values
        self._alone()

    def _alone(self) -> None:
        # A buffer that only the port has may be a constant of MindSpore's program; what is made of it tells.
        constants = {p["name"] for p in self.port.parameters if not p["requires_grad"]}
        self.untrained = self._untrained() if self.pairs.alone[0] else []
        for names, kind in zip(self.pairs.alone, ("missing", "extra"), strict=True):
            for name in names:
                if name in (constants if kind == "extra" else self.untrained):
                    continue
                other = "the port has nothing of its shape at its place" if kind == "missing" else (
                    "MindSpore's network has nothing of its shape at its place")
                owner = self.tree.owner(name) if kind == "missing" else ""
                self.findings.append(Finding(1, "initial", name, kind, cell=owner, role="value", note=other))

    def _untrained(self) -> list[str]:
        """Parameters of MindSpore's alone that no optimizer is given, though they ask for gradients: what a
        train cell keeps for itself (sums of gradients)."""
        trained = _with_gradients(self.reference)
        asking = {p["name"] for p in self.reference.parameters if p["requires_grad"]}
        return [n for n in self.pairs.alone[0] if n in asking and n not in trained] if trained else []

    def step(self, number: int) -> None:
        """Compare one step."""
        both = [t.step(number) for t in (self.reference, self.port)]
        if self._called_again(number, both):
            return
        left, right = map(of_training, both)
        left, begun = unscaled(left, right), len(self.findings)
        theirs = _by_place(right)
        if _trained(right) and not {self.pairs.parameters.get(n) for n in _trained(left)} & _trained(right):
            self.unlike += [number] * bool(_trained(left))
        # What a step leaves of the parameters comes after all its gradients, whichever optimizer's they are.
        left.sort(key=lambda r: (r["stage"] == "parameter", r.get("update", 0), compare.order(r["stage"])))
        self.number, self.theirs = number, theirs
        self.deep = all(_deep(t.header, number) for t in (self.reference, self.port))
        # Without Cells, all rounding of a network has gone into the loss and the gradients.
        self.worst = 0.0 if self.deep else _WHOLE_NETWORK / GROWTH
        self.worst_moved = epsilon("float32")
        shaken = [t.step(number) if number <= t.steps else [] for t in self.shaken]
        self.moved, self.otherwise = (_by_place(of_training(step)) for step in (*shaken, [], [])[:2])
        # What is known of each parameter of MindSpore's: its error before the step, and both sides' values.
        self.before: dict[str, tuple] = {}
        self.gradients: dict[str, tuple] = {}
        self.update_of: dict[str, int] = {}  # which optimizer a parameter's gradient went to
        self.states: dict[str, tuple] = {}
        self.powers: dict[int, float] = {}  # of each optimizer: what its second moment's share has become
        # Parameters whose updates were compared, and findings whose reason is said when all of them are.
        self.updated: set[str] = set()
        self.off = 0.0  # the greatest difference of two updates
        self.unexplained: list[tuple[Finding, str]] = []
        self.inputs: dict[tuple, tuple] = {}
        twice = isinstance(self.reference, reruns.Once)
        loss = _last_scalar(left) if twice else _differentiated(left)
        left, loss = of_losses(left, right, loss, self._loss_there(loss) if loss else None)
        self.calls = Calls(left, right, self.tree.named)
        self.lost: list[tuple[dict, str]] = []  # gradients that come in MindSpore alone, and what to say
        self.own: dict[str, float] = {}
        self.agreed = -1  # where in the step's order the last layer's output agreed
        self.called, self.last, self.came = [], "", False  # came: whether a gradient has, of this step
        if twice:
            left = [r for r in left if r["stage"] != "backward"]
        self.flow, self.elsewhere, self.fed_otherwise = Flow(left), set(), set()
        self.padded, self.loss_agrees = set(), False
        self.given: dict[tuple, float] = {}  # how far apart what each call is given is
        # Moving statistics of what a port does not call in a step stay as they were.
        kept = {where: both for where, both in self.ended.items() if where.endswith(_STATISTICS)}
        self.ended, self.after = {**kept, **self.after}, {}
        self._between_steps([r for r in left if (r["stage"], r["role"]) == ("initial", "value")])
        self._data([r for r in left if r["stage"] == "data"], right)
        self._rates(left, right)
        for r in left:
            if r is loss:
                self._loss(r)
            if not self.deep and number > 1:
                continue  # rounding may have grown since the first step
            match r["stage"]:
                case "initial" if r["role"] == "value":
                    self._initial(r)
                case "initial":
                    self.states[r["where"]] = apart.values(r, r)
                case "forward" | "backward":
                    self._cell(r)
                case "gradient":
                    self._gradient(r)
                case "optimizer":
                    self._state(r)
                case "parameter":
                    self._parameter(r)
        self._of_other_shapes(begun)
        self._explain()
        self._rates_of_their_own()
        if self.deep and not any(self.left_over):
            self.left_over = self.calls.left_over(self.pairs.cells)

    def _called_again(self, number: int, both: list[list[dict]]) -> bool:
        """Whether the port's step is its optimizer's second call after one backward pass, where MindSpore's
        has a pass of its own; what comes after such a call is of other steps, and not compared."""
        if self.earlier and not self.stopped:
            other = again.weight(self.earlier[0], both[0], self.earlier[1], both[1])
            if other is not None:
                update = other.get("update", 0)
                called = self.port.optimizers.get(update, {}).get("class", "the optimizer")
                self.findings.append(Finding(number - 1, "optimizer", f"a second call of {called}", "extra",
                                             update=update, cell=self.tree.cell_of_optimizer(update),
                                             note=again.NOTE))
                self.stopped = True
        self.earlier = [[{**r, "array": None} for r in side] for side in both]
        return self.stopped

    # ---- what a step starts from

    def _between_steps(self, left: list[dict]) -> None:
        """What the program itself does to parameters between two steps (an average of weights, a bound):
        the changes, beside how far apart the step left all of them."""
        apart_by = math.sqrt(sum(apart.norm(a - b) ** 2 for a, b in self.ended.values()))
        for r in left:
            other, ended = self._parameter_of(r, "initial"), self.ended.get(r["where"])
            if other is None or ended is None:
                continue
            other = self._held_there(r, "initial", other["where"], role="own") or other
            one, two = (now - then for now, then in zip(apart.values(r, other), ended, strict=True))
            size, off = apart.norm(one), apart.norm(one - two)
            if size or apart.norm(two):
                self.verdict.compared += 1
            allowed = _BETWEEN * size + 3 * apart_by + FLOOR * epsilon(r["dtype"]) * r["stats"]["norm"]
            if off > allowed:
                scale = size or apart.norm(two)
                changed = ("what moves these statistics (another number of calls, a bound)"
                           if r["where"].endswith(_STATISTICS) else
                           "what the program itself changes (an average of weights, a bound)")
                self._found({**r, "stage": "parameter"}, other, off / scale, allowed / scale,
                            f"{changed} between the steps is not the same")

    def _data(self, left: list[dict], right: list[dict]) -> None:
        """Batches, each with what agrees of all that the port's Modules are given, else with the port's next
        batch of its shape and kind."""
        rest = [r for r in right if r["stage"] == "data"]
        given = [*rest, *(r for r in right if (r["stage"], r["role"]) == ("forward", "input"))]
        for r in left:
            kind = apart.kind(r)
            alike = [o for o in given if o["shape"] == r["shape"] and apart.kind(o) == kind]
            next_one = next((o for o in alike if any(o is other for other in rest)), None)
            if next_one is None:
                continue
            allowed = _COPIED * (kind == "f")
            other = next((o for o in alike if apart.error(*apart.values(r, o)) <= allowed), next_one)
            given, rest = ([o for o in side if o is not other] for side in (given, rest))
            self.verdict.compared += 1
            error = apart.error(*apart.values(r, other))
            if error > allowed:
                self._found(r, other, error, _COPIED,
                            "the port trains on another batch; --align data takes MindSpore's")
            self.worst = max(self.worst, error)

    def _rates(self, left: list[dict], right: list[dict]) -> None:
        rates = [[r for r in side if r["stage"] == "learning_rate"] for side in (left, right)]
        if not all(rates) or not self.rates_tell:
            return
        one, two = ({float(r["stats"]["mean"]) for r in side} for side in rates)
        self.verdict.compared += 1
        # Groups are not paired: each rate of a side has to be one of the other's.
        for a, rest in [(a, two) for a in one] + [(b, one) for b in two]:
            error = min(abs(a - b) for b in rest) / (abs(a) or 1.0)
            if error > 1e-5:
                note = "schedules: which step does each side count as the first?" if self.number > 1 else ""
                self._found(rates[0][0], rates[1][0], error, 1e-5, note)
                return

    def _rates_of_their_own(self) -> None:
        """Say last that rates differ, and nothing where all updates agree: an optimizer may have more to its
        rate than it shows (a warm-up within its step, a bias correction), or less."""
        rates = [f for f in self.findings if (f.step, f.stage) == (self.number, "learning_rate")]
        if not rates:
            return
        of_torch = all(hasattr(torch.optim, o["class"]) for o in self.optimizers[1].values())
        compared = self.updated and (not of_torch or self.updated >= self.gradients.keys())
        self.rates_tell = not (compared and not self.unexplained
                               and self.off < _BETWEEN * rates[0].error)
        if not (self.rates_tell and of_torch):
            self.findings = [f for f in self.findings if f not in rates] + rates * self.rates_tell

    def _initial(self, r: dict) -> None:
        other = self._parameter_of(r, "initial")
        if other is None:
            return
        mine, theirs = apart.values(r, other)
        self.before[r["where"]] = mine, theirs
        error = apart.error(mine, theirs)
        self.own.setdefault(self.tree.owner(r["where"]), 0.0)
        self.own[self.tree.owner(r["where"])] = max(self.own[self.tree.owner(r["where"])], error)
        if self.number == 1 and error > _COPIED:
            self._found(r, other, error, _COPIED,
                        "training starts from other weights; --align weights takes MindSpore's")

    # ---- forward and backward

    def _cell(self, r: dict) -> None:
        where, call = self.tree.named(r["where"]), r["call"]
        if r["stage"] == "forward" and (r["role"], r["index"]) == ("input", 0):
            self.called.append((where, call))
        there, r, other = self._standing(r)
        if there and not other and (r["stage"], r["role"]) == ("backward", "grad_output"):
            made = self.theirs.get((0, "forward", there.module, "output", r["index"], there.number))
            if made and r["stats"]["norm"]:
                self.lost.append((r, f"no gradient comes back to the port's {there.module} from call "
                                     f"{there.number + 1}: is what it made detached?"))
        if not other or (r["stage"] == "backward" and r["shape"] != other["shape"]):
            return
        if r["stage"] == "forward" and r["role"] == "input":
            self.inputs.setdefault((where, call), (self.worst, len(self.findings)))
        if self._laid_out_otherwise(r, other) or self._framed(r, other) or self._drawn_elsewhere(r, other):
            return
        if r["role"] == "grad_input" and (r["where"], call) in self.fed_otherwise:
            return  # what the Module is given is something else: it holds more than the Cell
        # Weights that differ already (a bias before BatchNorm is noise) excuse what they are used in.
        own = self.own.get(where, 0.0) if r["role"] in ("output", "grad_input") else 0.0
        if r["role"] == "grad_input" and (r["where"], call) in self.elsewhere:
            own = max(own, SLOPE / GROWTH)
        count, worst = len(self.findings), self.worst
        error = self._judge(r, other, max(self.worst, own), self._gap(where, there, r, other))
        if (r["stage"], r["role"]) == ("forward", "input"):
            self.given[where, call] = error or 0.0
        if r["stage"] == "forward" and r["role"] == "input" and len(self.findings) > count:
            self._name_around(r, worst)
        if r["role"] == "grad_input" and len(self.findings) == count:  # it does without what is lost
            self.lost = [(lost, note) for lost, note in self.lost
                         if (lost["where"], lost["call"]) != (r["where"], call)]
        self.came |= r["stage"] == "backward"
        if r["role"] == "output" and r["stage"] == "forward" and error is not None:
            agrees = len(self.findings) == count
            self._harmless(where, call, error, r)
            if agrees:
                self._scaled(r, other, own, self._gap(where, there, r, other))
            self.last, self.called, self.agreed = where, [], r["order"]

    def _standing(self, r: dict) -> tuple[Call | None, dict, dict | None]:
        """The port's call that stands for the call of a record, the record, and the port's."""
        where, call = self.tree.named(r["where"]), r["call"]
        module = self.pairs.module(where, call)
        if module is None:
            return None, r, None
        there = self.calls.of(where, call, module, max(GROWTH * self.worst, FLOOR * epsilon("float32")))
        others = [self.theirs.get((0, r["stage"], there.module, r["role"], there.index(r), number))
                  for number in (there.number, *(there.same if r["stage"] == "backward" else ()))]
        other = next((o for o in others[1:] and others if o and self._agrees(r, o)), others[0])
        return there, *(there.both(r, other) if other else (r, None))

    def _laid_out_otherwise(self, r: dict, other: dict) -> bool:
        """Whether two values of different shapes are the same numbers: (batch * time, channels) here and
        (batch, channels, time) there. If their order is wrong, what is made of them shows it."""
        shapes = [apart.comparable("shape", each) for each in (r, other)]
        if shapes[0] == shapes[1] or apart.kind(r) != "f" or apart.kind(other) != "f":
            return False
        error = apart.reordered(r, other)
        if error > max(GROWTH * self.worst, FLOOR * epsilon(r["dtype"])):
            return False
        self.verdict.compared += 1
        self.worst = max(self.worst, error)
        return True

    def _framed(self, r: dict, other: dict) -> bool:
        """Whether an input is the other side's with zeros around it, as one program pads what the other's
        layer pads; or, after such an input, an output the other's with more around it, which is cropped then.
        A crop at the wrong end shows in what is made of it."""
        place = r["where"], r["call"]
        output = r["role"] == "output"
        if r["stage"] != "forward" or r["shape"] == other["shape"] or (output and place not in self.padded):
            return False
        error = apart.within(r, other, zeros=not output)
        if error > max(GROWTH * self.worst, FLOOR * epsilon(r["dtype"])):
            return False
        self.padded.add(place)
        self.verdict.compared += 1
        self.worst = max(self.worst, error)
        if output:
            self.last, self.called, self.agreed = self.tree.named(r["where"]), [], r["order"]
            self.passed_over[self.last] = None
        return True

    def _of_other_shapes(self, begun: int) -> None:
        """Pass over values of another shape in a step whose loss and gradients agree: a port may crop at the
        end what MindSpore's program crops after each layer."""
        new = self.findings[begun:]
        shapes = [f for f in new if f.kind == "shape" and f.stage == "forward"]
        rest = [f for f in new if f not in shapes]
        if shapes and self.gradients and self.loss_agrees and not any(f.stage in _MADE for f in rest):
            self.findings[begun:] = rest
            self.passed_over.update(dict.fromkeys(f.where for f in shapes))

    def _drawn_elsewhere(self, r: dict, other: dict) -> bool:
        """Whether an output differs and all that is made of it agrees: the port draws the line between this
        layer and the next elsewhere. The gradient that comes to that place says nothing either."""
        place = r["where"], r["call"]
        if (r["stage"], r["role"]) != ("forward", "output"):
            return r["role"] == "grad_output" and place in self.elsewhere
        if self._agrees(r, other):
            return False

        def paired(cell, call):
            return self.pairs.module(self.tree.named(cell), call)

        made = self.flow.goes_to(r, paired)
        if not made and self.tree.has_children(self.tree.named(r["where"])):  # an activation of its own
            made = self.flow.next_made(r, paired)
        others = [self._both(m) for m in made or self.flow.after(r)]
        both = [(m, o) for m, o in others if o]
        if not both:
            return False
        # What stands between may be an approximation (MindSpore's tanh): a run of `Kernels` tells how far.
        gap = apart.gap(r, other) if apart.alike(r, other) else math.inf
        gaps = [apart.gap(m, o) if apart.alike(m, o) else math.inf for m, o in both]
        agrees = all(gap <= max(GROWTH * self.worst, FLOOR * epsilon(m["dtype"]),
                                KERNELS * self._gap_to(self.otherwise, o))
                     for gap, (m, o) in zip(gaps, both, strict=True))
        if agrees and "Norm" in self.pairs.classes[0].get(self.tree.named(r["where"]), ""):
            agrees = max(gaps) < _CLEARLY * gap  # else all after it is a little apart (an epsilon)
        if not agrees and (place in self.padded or not max(gaps) < _NEARER * gap):
            return False  # else the line is elsewhere, too, and what differs is named where it is taken in
        self.elsewhere.add(place)
        if agrees:
            self.passed_over[self.tree.named(r["where"])] = None
            self.worst = max(self.worst, max(gaps) / GROWTH)
        return True

    def _scaled(self, r: dict, other: dict, own: float, note: str) -> None:
        """Find what a normalisation makes larger or smaller throughout than what went in explains: an epsilon
        is far below what single elements are apart by rounding, and all of one sign."""
        where = self.tree.named(r["where"])
        if "Norm" not in self.pairs.classes[0].get(where, "") or not apart.alike(r, other):
            return
        digit = max(epsilon(each["dtype"]) for each in (r, other))
        given = self.given.get((where, r["call"]), self.worst)
        moved, otherwise = (self._gap_to(run, other, apart.common_factor)
                            for run in (self.moved, self.otherwise))
        tolerance = max(_GIVEN * given, _DIGITS * digit, own) + GROWTH * moved + KERNELS * otherwise
        factor = apart.common_factor(r, other)
        if factor > tolerance:
            self._found(r, other, factor, tolerance, note + ": one factor throughout, as an epsilon is")

    def _both(self, r: dict) -> tuple[dict, dict | None]:
        """A forward record or a loss, and what stands for it on the port's side."""
        if r["stage"] == "loss":
            return r, self._loss_there(r)
        return self._standing(r)[1:]

    def _agrees(self, r: dict, other: dict, worst: float | None = None) -> bool:
        """Whether two records lie no further apart than what went in explains."""
        worst = self.worst if worst is None else worst
        tolerance = max(GROWTH * worst, FLOOR * epsilon(r["dtype"]))
        return apart.alike(r, other) and apart.gap(r, other) <= tolerance

    def _harmless(self, where: str, call: int, error: float, r: dict) -> None:
        """An input that differs and does not change the output (padding that the pooling does itself) is no
        difference."""
        worst, count = self.inputs.get((where, call), (0.0, len(self.findings)))
        if self.findings[count:] and error <= max(GROWTH * worst, FLOOR * epsilon(r["dtype"])):
            self.findings[count:] = [f for f in self.findings[count:] if f.where != where]
            self.fed_otherwise.add((r["where"], call))
            self.worst = max(worst, error)

    def _gap(self, where: str, there: Call, r: dict, other: dict) -> str:
        """What to say of a finding: the Module, and what stands between it and the one before."""
        kind = self.pairs.classes[1].get(there.module, "")
        said = f"the port's {there.module} ({kind})"
        if other.get("training", True) != r.get("training", True) and any(w in kind for w in _MODES):
            return f"{said} is in {'training' if other.get('training', True) else 'evaluation'} mode"
        drew = r["role"] == "output" and r["stage"] == "forward" and "Dropout" in kind
        if drew and compare.other_mask(r.get("array"), other.get("array")):
            return f"{said} drew another mask of the same rate; --align random takes MindSpore's"
        if r["role"] not in ("input", "grad_output"):
            return f"{said} makes something else of what went in"
        if r["stage"] == "backward" and not self.came:
            return f"{said} gets another gradient, the first of the backward pass: look at the loss"
        if r["stage"] == "backward":
            return f"{said} gets another gradient, although those of the layers after it agree"
        before = f"what {self.last} gives agrees" if self.last else "what the network is given agrees"
        return f"{said} gets something else, although {before}: {self._between(where)}"

    def _between(self, where: str) -> str:
        called = [(n, self.pairs.module(n, call)) for n, call in self.called if n != where]
        left_out = [n for n, module in called if module and not self._makes(*module)]
        if left_out:
            module = self.pairs.module(left_out[0], 0)
            return f"MindSpore calls {self._shown(left_out)} between them, the port never calls {module[0]}"
        names = [n for n, _ in called if n in self.pairs.unpaired[0]]
        if not names:
            return "look at what stands between them"
        return f"MindSpore calls {self._shown(names)} between them, for which the port has no Module"

    def _makes(self, module: str, call: int) -> bool:
        return (0, "forward", module, "output", 0, call) in self.theirs

    def _shown(self, cells: list[str]) -> str:
        return ", ".join(f"{n} ({self.pairs.classes[0].get(n, '')})" for n in dict.fromkeys(cells))

    def _loss(self, r: dict) -> None:
        other = self._loss_there(r)
        if other is None:
            return
        series = self.verdict.losses
        series[0].append(r["stats"]["mean"])
        series[1].append(other["stats"]["mean"])
        note = "the loss itself differs"
        if self.last:
            cells = [n for n, _ in self.called if n in self.pairs.unpaired[0]]
            shown = ", ".join(dict.fromkeys(f"{n} ({self.pairs.classes[0].get(n, '')})" for n in cells))
            note = (f"the loss differs, although what {self.last} gives agrees: look at what comes after it"
                    + (f", in MindSpore {shown}" if shown else ""))
        count, worst = len(self.findings), self.worst
        if self.deep or self.number == 1:
            self._judge(r, other, worst, note)
        self.loss_agrees = len(self.findings) == count
        if len(self.findings) > count:
            self._name_around(r, worst)

    def _name_around(self, r: dict, worst: float) -> None:
        """Let the last finding name the first Cell since the last layer that agrees of which the layers agree
        and the output does not. Where the loss differs, the first whose number does: the rest of a loss may
        be made within a network here and after it there."""
        loss = r["role"] == "output"
        for made in self.flow.made(-1 if loss else self.agreed, r["order"]):
            where = self.tree.named(made["where"])
            if where not in self.pairs.around or (loss and made["stats"]["n"] > 1):
                continue
            others = [o for o in self._around(where, made) if o and apart.alike(made, o)]
            if others and not any(self._agrees(made, o, worst) for o in others):
                self.findings[-1].cell = where
                self.findings[-1].note = f"{where} makes something else of what went in; its layers agree"
                return

    def _around(self, where: str, r: dict) -> list[dict | None]:
        """What the Modules make that hold what a Cell does."""
        return [self.theirs.get((0, "forward", module, "output", r["index"], r["call"]))
                for module in self.pairs.around[where]]

    def _loss_there(self, r: dict) -> dict | None:
        """The port's loss: a scalar of the step that agrees, be it the sum of all that it differentiates, one
        after the other; else what it differentiates, or the first that a Module gives."""
        made = [o for o in self.theirs.values() if o["stage"] == "loss"]
        losses = [o for o in made if o["where"] == DIFFERENTIATED] or made[:1]
        if not losses:
            return None
        shown = [o for o in (*losses, _sum(losses), *made) if apart.alike(r, o)]
        found = next((o for o in shown if self._agrees(r, o)), None)
        # Each call until an update has a loss of its own.
        return found or next((o for o in losses if o["call"] == r["call"]), losses[-1])


def _by_place(records: list[dict]) -> dict[tuple, dict]:
    """The records of a step; of what several backward passes bring to one place the sum."""
    found: dict[tuple, dict] = {}
    for r in records:
        again = found.get(place(r)) if r["stage"] == "backward" else None
        found[place(r)] = apart.added(again, r) if again else r
    return found


def _sum(losses: list[dict]) -> dict:
    """The loss of a port that differentiates several, one after the other."""
    return trace.with_array(losses[0], np.asarray(sum(o["stats"]["mean"] or 0.0 for o in losses)))


def _trained(records: list[dict]) -> set[str]:
    """The parameters whose gradients are among the records."""
    return {r["where"] for r in records if r["stage"] == "gradient"}


def _with_gradients(opened) -> set[str]:
    """The parameters for which an optimizer gets a gradient in one of a trace's first steps."""
    return {r["where"] for step in range(1, min(opened.steps, _LOOKED) + 1)
            for r in opened.step(step) if r["kind"] == "tensor" and r["stage"] == "gradient"}


def _differentiated(records: list[dict]) -> dict | None:
    """The record of what a step differentiates, which is what a port calls ``backward()`` on: what a Cell or
    a function gives that gives a scalar; what the program's own operators make of such (a sum of several, a
    multiple), where the first gradient is seen to come to them: of a backward pass within a loss, a penalty
    of slopes, not that one's, but the last pass's. None where several give one and no gradient was seen.
    """
    records = sorted(records, key=lambda r: r["order"])
    begun = [r for before, r in zip([None, *records], records, strict=False)
             if r["stage"] == "backward" and (before is None or before["stage"] != "backward")]
    made = {(r["where"], r["index"], r["call"]): r for r in records
            if (r["stage"], r["role"]) == ("forward", "output")}
    for first in reversed(begun):
        found = made.get((first["where"], first["index"], first["call"]))
        if found is not None and first["where"].startswith(f"{PROGRAM}/") and math.prod(first["shape"]) == 1:
            return found
    losses = [r for r in records if r["stage"] == "loss"]
    return losses[0] if len({(r["where"], r["call"]) for r in losses}) == 1 else None


def _last_scalar(records: list[dict]) -> dict | None:
    """What a step that differentiates within its loss differentiates at last."""
    made = [r for r in records if r["stage"] == "loss" or (r["stage"], r["role"]) == ("forward", "output")]
    return next((r for r in reversed(made) if math.prod(r["shape"]) == 1), None)


def _given(records: list[dict], named=str) -> dict[str, dict[int, dict]]:
    """What is given first to each call of each Cell."""
    found: dict[str, dict[int, dict]] = {}
    for r in records:
        if (r["stage"], r["role"], r["index"]) == ("forward", "input", 0):
            found.setdefault(named(r["where"]), {})[r["call"]] = r
    return found


def _deep(header: dict, step: int) -> bool:
    """Whether a trace holds what Cells make in a step."""
    return header.get("level") != "step" or step in header["options"]["refeed"]
