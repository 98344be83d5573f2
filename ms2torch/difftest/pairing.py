"""Which Module of a PyTorch port stands for which Cell, by structure, shape and order.

A trace of MindSpore and one of a port written by hand have no names in common. Parameters are paired first:
those of one layer belong together, and layers are paired in order, the more of their shapes and names agree
the rather. Layers without parameters then by class, between the paired ones that are called before and after.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

import torch

from ms2torch import nn

from .locate import Tree

# MindSpore's name of a parameter within its layer -> PyTorch's.
LEAVES = {"gamma": "weight", "beta": "bias", "embedding_table": "weight", "moving_mean": "running_mean",
          "mean": "running_mean", "moving_variance": "running_var", "variance": "running_var"}
# MindSpore's optimizer state -> PyTorch's, where both hold the same number. RMSProp's momentum does not: the
# learning rate is within MindSpore's.
STATES = {"moment1": ("exp_avg",), "moment2": ("exp_avg_sq",), "adam_m": ("exp_avg",),
          "adam_v": ("exp_avg_sq",), "moments": ("momentum_buffer", "exp_avg"), "exp_avg": ("exp_avg",),
          "exp_avg_sq": ("exp_avg_sq",), "accum": ("momentum_buffer", "sum"), "mean_square": ("square_avg",),
          "mean_grad": ("grad_avg",), "momentum_buffer": ("momentum_buffer",)}
# Classes that go by another name there.
CLASSES = {"softmaxcrossentropywithlogits": "crossentropyloss", "hswish": "hardswish",
           "hsigmoid": "hardsigmoid", "dense": "linear",
           "sequentialcell": "sequential", "conv2dtranspose": "convtranspose2d"}
_EXAMPLES = 3
# What two matrices count for that fit with their axes exchanged.
_TURNED = 0.25
# What two layers count for of which both are trained, or neither.
_TRAINED = 0.1
# What torch counts for itself.
UNCOUNTED = ("num_batches_tracked",)


@dataclass
class Pairs:
    """Names of the reference -> names of the port, how each was found, and what is left on both sides."""

    parameters: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    # Parameters and states of the reference that the port has with their axes exchanged.
    turned: set[str] = field(default_factory=set)
    cells: dict[str, str] = field(default_factory=dict)
    # Cells that hold others -> the Modules that hold the same parameters, the inmost first.
    around: dict[str, list[str]] = field(default_factory=dict)
    # (Cell, n-th call) -> (Module, n-th call), for layers without parameters.
    calls: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    how: dict[str, str] = field(default_factory=dict)
    # Parameters of both sides that nothing stands for.
    alone: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    # Leaf Cells that are called and that no Module stands for, and the other way round.
    unpaired: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    classes: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))

    def module(self, cell: str, call: int) -> tuple[str, int] | None:
        """The Module and its call that stand for a call of a Cell."""
        if cell in self.cells:
            return self.cells[cell], call
        return self.calls.get((cell, call))

    def summary(self) -> str:
        """How many were paired in which way, examples where the names differ, and what is alone."""
        ways: dict[str, list[str]] = {}
        for name in self.parameters:
            ways.setdefault(self.how[name], []).append(name)
        lines = [f"paired {len(self.parameters)} parameters and "
                 f"{len(self.cells) + len(self.calls)} layers or calls of layers:"]
        for way, names in ways.items():
            other = [f"{n} ~ {self.parameters[n]}" for n in names if n != self.parameters[n]][:_EXAMPLES]
            lines.append(f"  {len(names)} by {way}{': ' + ', '.join(other) if other else ''}"
                         f"{', ...' if len(names) > len(other) > 0 else ''}")
        for side, names in zip(("MindSpore", "the port"), self.alone, strict=True):
            if names:
                lines.append(f"  alone in {side}: {', '.join(names)}")
        return "\n".join(lines)

    def as_json(self) -> dict:
        """Everything, for ``--json``."""
        calls = {name: self.calls[name, call][0] for name, call in self.calls}
        return {"parameters": [{"reference": a, "port": b, "how": self.how[a]}
                               for a, b in self.parameters.items()],
                "states": self.states, "modules": {**self.cells, **calls},
                "unpaired": {side: {"parameters": self.alone[i], "modules": self.unpaired[i]}
                             for i, side in enumerate(("reference", "port"))}}


def pairs(reference, port) -> Pairs:
    """Pair two traces."""
    found = Pairs()
    groups = _groups(reference), _groups(port)
    called = tuple(_as_called(t, side) for t, side in zip((reference, port), groups, strict=True))
    _pair_parameters(*groups, found, called)
    # Where a layer's parameters are another layer's part there (a bias beside a Linear), each for itself.
    taken = set(found.parameters.values())
    _pair_parameters({p["name"]: [p] for p in counted(reference) if p["name"] not in found.parameters},
                     {p["name"]: [p] for p in counted(port) if p["name"] not in taken}, found)
    _same_names(reference, port, found)
    trees = tuple(Tree(t.cells, t.parameters) for t in (reference, port))
    _squares(reference, port, trees, found)
    taken = set(found.parameters.values())
    found.alone = ([p["name"] for p in counted(reference) if p["name"] not in found.parameters],
                   [p["name"] for p in counted(port) if p["name"] not in taken])
    found.classes = tuple({c["name"]: c["class"] for c in t.cells} for t in (reference, port))
    held = _held(found, trees)
    for cell, modules in _owners(found, trees).items():
        if trees[0].has_children(cell):  # what holds but a part of it computes something else
            modules = [m for m in modules if held[1][m] >= held[0][cell]]
        if modules:
            found.cells[cell] = _around(modules, trees[1])
    found.around = _alike_around(found, trees, *held)
    _calls(reference, port, trees, found)
    _states(reference, port, found)
    return found


def _pair_parameters(left: dict[str, list[dict]], right: dict[str, list[dict]], found: Pairs,
                     *called: tuple[list[str], list[str]]) -> None:
    for ours, theirs, how in _layers(left, right, *called):
        shapes = {p["name"]: _shape(p) for p in (*left[ours], *right[theirs])}
        for a, b in _leaves(left[ours], right[theirs]):
            found.parameters[a], found.how[a] = b, how
            if shapes[a] != shapes[b]:
                found.turned.add(a)
                found.how[a] += ", axes exchanged"


def _owners(found: Pairs, trees) -> dict[str, list[str]]:
    """The Modules that hold what each Cell holds. One that holds what several layers do (weights of a network
    without layers) stands for none of them."""
    held: dict[str, list[str]] = {}
    for a, b in found.parameters.items():
        cell, module = trees[0].owner(a), trees[1].owner(b)
        if cell and module and cell not in held.setdefault(module, []):
            held[module].append(cell)
    owners: dict[str, list[str]] = {}
    for module, cells in held.items():
        lines = {cell: {cell, *trees[0].above(cell)} for cell in cells}
        for cell, line in lines.items():
            if all(other in line or cell in lines[other] for other in cells):
                owners.setdefault(cell, []).append(module)
    return owners


def _around(modules: list[str], tree: Tree) -> str:
    """The first of these Modules that is, or holds, the others of them; else the first."""
    return next((m for m in modules if all(m in (o, *tree.above(o)) for o in modules)), modules[0])


def _held(found: Pairs, trees) -> tuple[dict[str, set], dict[str, set]]:
    """The pairs of parameters that each Cell, and each Module, holds, with all within it."""
    held: tuple[dict[str, set], dict[str, set]] = {}, {}
    for names in found.parameters.items():
        for side, tree, name in zip(held, trees, names, strict=True):
            owner = tree.owner(name)
            for cell in (owner, *tree.above(owner)) if owner else ():
                side.setdefault(cell, set()).add(names)
    return held


def _alike_around(found: Pairs, trees, left: dict[str, set], right: dict[str, set]) -> dict[str, list[str]]:
    """The Cells that hold other Cells, by what they hold."""
    deep = sorted(right, key=lambda module: -len(trees[1].above(module)))
    return {cell: [m for m in deep if right[m] == names] for cell, names in left.items()
            if cell not in found.cells}


ALONE = "shape"  # a layer whose shapes no other has


def by_shape(left: list[dict], right: list[dict], into=(0, 0)) -> list[tuple[str, str, str]]:
    """(name, name, how) of two lists of parameters alone, each with its ``name`` and ``shape``.

    A list of blocks is paired block by block with the only one of such blocks on the other side, in whatever
    order their parameters come. ``into``: how much of the names is known to belong together.
    """
    found = []
    lists = [_blocks(side, at) for side, at in zip((left, right), into, strict=True)]
    shapes = [{name: _shapes_of_blocks(blocks) for name, blocks in side.items()} for side in lists]
    for a, shape in shapes[0].items():
        mates = [b for b, other in shapes[1].items() if other == shape]
        if len(mates) == 1 and list(shapes[0].values()).count(shape) == 1:
            numbered = zip(sorted(lists[0][a].items()), sorted(lists[1][mates[0]].items()), strict=True)
            for (i, one), (j, two) in numbered:
                found += by_shape(one, two, (len(f"{a}{i}."), len(f"{mates[0]}{j}.")))
    paired = {name for pair in found for name in pair[:2]}
    groups = []
    for parameters in (left, right):
        groups.append({})
        for p in parameters:
            if p["name"] not in paired:
                groups[-1].setdefault(p["name"].rpartition(".")[0], []).append(p)
    one, two = groups
    for a, b in _alone(one, two):
        found += [(*names, ALONE) for names in _leaves(one.pop(a), two.pop(b))]
    found += [(*names, how) for a, b, how in _layers(one, two) for names in _leaves(one[a], two[b])]
    return found


def _alone(left: dict[str, list[dict]], right: dict[str, list[dict]]) -> list[tuple[str, str]]:
    """The layers that are the only ones of their shapes on either side."""
    kinds: list[dict[tuple, list[str]]] = [{}, {}]
    for side, layers in zip(kinds, (left, right), strict=True):
        for name, parameters in layers.items():
            side.setdefault(tuple(sorted(map(_shape, parameters))), []).append(name)
    both = (names + kinds[1].get(kind, []) for kind, names in kinds[0].items() if len(names) == 1)
    return [(pair[0], pair[1]) for pair in both if len(pair) == 2]


def _blocks(parameters: list[dict], at: int) -> dict[str, dict[int, list[dict]]]:
    """The parameters in the blocks of each list, by the list's name and the block's number, in names that
    begin at a place."""
    found: dict[str, dict[int, list[dict]]] = {}
    for p in parameters:
        parts = p["name"][at:].split(".")
        place = next((i for i, part in enumerate(parts[:-1]) if part.isdecimal()), None)
        if place is not None:
            name = p["name"][:at] + "".join(f"{part}." for part in parts[:place])
            found.setdefault(name, {}).setdefault(int(parts[place]), []).append(p)
    return found


def _shapes_of_blocks(blocks: dict[int, list[dict]]) -> list[list[tuple[int, ...]]]:
    return [sorted(map(_shape, block)) for _, block in sorted(blocks.items())]


# ---- parameters --------------------------------------------------------------------------------------------


def counted(trace) -> list[dict]:
    """The network's parameters, without those by which an optimizer keeps its state; whether an optimizer
    gets a gradient for each, and for any that came into sight with it."""
    first = _first(trace)
    network, trained = ({r["where"] for r in first if r["stage"] == s} for s in ("parameter", "gradient"))
    live = {name for names in trace.roots if trained & names for name in names}
    return [{**p, "trained": p["name"] in trained, "live": p["name"] in live} for p in trace.parameters
            if p["name"] in network and p["name"].rpartition(".")[2] not in UNCOUNTED]


def _groups(trace) -> dict[str, list[dict]]:
    """Parameters by the layer that holds them, in order."""
    groups: dict[str, list[dict]] = {}
    for p in counted(trace):
        groups.setdefault(p["name"].rpartition(".")[0], []).append(p)
    return groups


def _as_called(trace, groups: dict[str, list[dict]]) -> list[str]:
    """The layers in the order in which they, or what holds them, are called first: what one program defines
    layer by layer the other may define kind by kind."""
    first: dict[str, int] = {}
    for r in _first(trace):
        if (r["stage"], r["role"]) == ("forward", "input"):
            first.setdefault(r["where"], r["order"])

    def when(layer: str) -> int:
        while layer and layer not in first:
            layer = layer.rpartition(".")[0]
        return first.get(layer, -1)

    return sorted(groups, key=when)


def _shape(p: dict) -> tuple[int, ...]:
    """Without ones: MindSpore's Conv1d is a Conv2d of height 1."""
    return tuple(n for n in p["shape"] if n != 1)


def _turned(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], *shape[:-3:-1])


def _leaf(p: dict) -> str:
    name = p["name"].rpartition(".")[2]
    return LEAVES.get(name, name)


def _leaves(left: list[dict], right: list[dict]) -> list[tuple[str, str]]:
    """The parameters of two layers that fit: by name and shape, the rest by shape and order; last those with
    two axes exchanged, as a product of one's own has them, or a convolution of texts as images."""
    found, open_left, open_right = [], list(left), list(right)
    for same in (lambda a, b: _leaf(a) == _leaf(b) and _shape(a) == _shape(b),
                 lambda a, b: _shape(a) == _shape(b) and not {_leaf(a), _leaf(b)} <= {"weight", "bias"},
                 lambda a, b: len(_shape(a)) in (2, 3) and _shape(a) == _turned(_shape(b))):
        for a in list(open_left):
            b = next((b for b in open_right if same(a, b)), None)
            if b is not None:
                open_left.remove(a)
                open_right.remove(b)
                found.append((a["name"], b["name"]))
    return found


def _likeness(a: str, b: str) -> float:
    """How alike two paths are: 0 to 1, and 2 more for one last name that is not a number."""
    one, two = ({path[i : i + 2] for i in range(len(path) - 1)} | {path[:1]} for path in (a, b))
    last = a.rpartition(".")[2]
    return 2 * len(one & two) / max(len(one) + len(two), 1) + (
        2 if last == b.rpartition(".")[2] and not last.isdigit() else 0)


def _best(rows: list[str], columns: list[str], fit: dict) -> list[list[float]]:
    """How well what comes from each place of two orders on can be paired."""
    best = [[0.0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    for i in range(len(rows) - 1, -1, -1):
        for j in range(len(columns) - 1, -1, -1):
            both = fit.get((rows[i], columns[j]), -1.0)
            together = best[i + 1][j + 1] + both if both >= 0 else -1.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    return best


def _layers(left: dict[str, list[dict]], right: dict[str, list[dict]], *called):
    """(layer, layer, how): in order of definition, or in that of ``called`` if that fits better, such that
    most parameters and names agree, those of a network that is trained not with those of one that is not (its
    copy, say); then what is left. What holds layers, and parameters beside them, is paired with all of these
    or each for itself: a scale that it holds may be a layer there."""
    fit, unlike = {}, {}
    holding = [{g for g in side if any(o.startswith(g + ".") for o in side)} for side in (left, right)]
    for a, one in left.items():
        for b, two in right.items():
            both = _leaves(one, two)
            most = max(len(one), len(two))
            if 2 * len(both) >= most and not (len(both) < most and (a in holding[0] or b in holding[1])):
                shapes = {p["name"]: _shape(p) for p in (*one, *two)}
                trained, live = ([any(p.get(which) for p in side) for side in (one, two)]
                                 for which in ("trained", "live"))
                found = fit if live[0] == live[1] else unlike
                found[a, b] = (sum(1 if shapes[p] == shapes[q] else _TURNED for p, q in both)
                               + _likeness(a, b) + _TRAINED * (trained[0] == trained[1]))
    tables = [(rows, columns, _best(rows, columns, fit))
              for rows, columns in ((list(left), list(right)), *called)]
    rows, columns, best = max(tables, key=lambda table: round(table[2][0][0], 6))
    i = j = 0
    used = set()
    while i < len(rows) and j < len(columns):
        a, b = rows[i], columns[j]
        if (a, b) in fit and best[i][j] == best[i + 1][j + 1] + fit[a, b]:
            used |= {(0, a), (1, b)}
            yield a, b, "name, shape and order" if a == b else "shape and order"
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    for (a, b), _ in (pair for left in (fit, unlike) for pair in sorted(left.items(), key=lambda p: -p[1])):
        if (0, a) not in used and (1, b) not in used:
            used |= {(0, a), (1, b)}
            yield a, b, "shape; defined elsewhere in the order"


def _same_names(reference, port, found: Pairs) -> None:
    """What has one name on both sides and not one shape is paired, too: the shape is then what differs."""
    taken = set(found.parameters.values())
    free = {_translated(p): p["name"] for p in counted(port) if p["name"] not in taken}
    for p in counted(reference):
        other = free.get(_translated(p)) if p["name"] not in found.parameters else None
        if other is not None:
            found.parameters[p["name"]], found.how[p["name"]] = other, "name; the shapes differ"


def _squares(reference, port, trees, found: Pairs) -> None:
    """A square matrix does not show whether its axes are exchanged. That of a product of a program's own is,
    beside the other's Dense or Linear, unless such matrices of other shapes are not."""
    shapes = [{p["name"]: _shape(p) for p in t.parameters} for t in (reference, port)]
    libraries = (nn, "Dense"), (torch.nn, "Linear")
    own = []
    for names in found.parameters.items():
        classes = [tree.cells.get(tree.owner(n), {}).get("class", "")
                   for n, tree in zip(names, trees, strict=True)]
        layers = [c == layer for c, (_, layer) in zip(classes, libraries, strict=True)]
        made = [not hasattr(library, c) for c, (library, _) in zip(classes, libraries, strict=True)]
        if len(shapes[0][names[0]]) == 2 and (layers, made) in (([True, False], [False, True]),
                                                               ([False, True], [True, False])):
            own.append(names)
    if all(a in found.turned for a, _ in own if len(set(shapes[0][a])) == 2):
        for a, _ in own:
            if a not in found.turned:
                found.turned.add(a)
                found.how[a] += ", axes exchanged"


def _translated(p: dict) -> str:
    """A parameter's whole name as PyTorch has it."""
    return f"{p['name'].rpartition('.')[0]}.{_leaf(p)}"


def _states(reference, port, found: Pairs) -> None:
    """Optimizer state, by the parameter that it belongs to and what it holds."""
    there = {r["where"] for r in _first(port) if r["stage"] == "optimizer"}
    for r in _first(reference):
        kind, _, parameter = r["where"].partition(".")
        if r["stage"] != "optimizer" or parameter not in found.parameters:
            continue
        for other in STATES.get(kind, ()):
            name = f"{other}.{found.parameters[parameter]}"
            if name in there:
                found.states[r["where"]] = name
                found.turned |= {r["where"]} if parameter in found.turned else set()


# ---- layers without parameters -----------------------------------------------------------------------------


def _first(trace) -> list[dict]:
    """The records of the first step of the program's loop, and of the first update of each optimizer."""
    steps = trace.updates_in((1,))
    known = set().union(*(trace.updates.get(step, ()) for step in steps))
    for step, now in sorted(trace.updates.items()):
        if not now <= known:
            steps.append(step)
            known |= now
    return [r for step in steps for r in of_training(trace.step(step))]


def of_training(records: list[dict]) -> list[dict]:
    """The records of training. A Cell that is never called in training mode trains as it is (without
    ``set_train()``, say): gradients come to it."""
    tensors = [r for r in records if r["kind"] == "tensor"]
    trained = [r for r in tensors if r.get("training", True)]
    if not any(r["role"] == "output" and r["stage"] == "forward" for r in trained):
        return tensors
    reached = {r["where"] for r in tensors if r["stage"] == "backward"}
    reached -= {r["where"] for r in trained if r["stage"] == "forward"}
    return [r for r in tensors if r.get("training", True) or r["where"] in reached]


def leaves_called(trace, tree: Tree) -> list[dict]:
    """The calls of Cells that call no others, in the order in which they return: each's output 0."""
    records = [r for r in _first(trace) if (r["stage"], r["role"], r["index"]) == ("forward", "output", 0)
               and "/" not in r["where"] and r["where"] in tree.cells]
    above = {cell for r in records for cell in tree.above(r["where"])}
    return [r for r in records if r["where"] not in above]


def _calls(reference, port, trees, found: Pairs) -> None:
    """Pair calls by class and shape, between the calls of paired layers on both sides; what has parameters is
    paired by these or not at all."""
    left, right = (
        [r for r in leaves_called(t, tree)
         if r["where"] in paired or r["where"] not in map(tree.owner, names)]
        for t, tree, paired, names in (
            (reference, trees[0], found.cells, [*found.parameters]),
            (port, trees[1], found.cells.values(), [*found.parameters.values()])))
    spots = {(r["where"], r["call"]): i for i, r in enumerate(right)}
    begin, start = 0, 0
    for i, r in enumerate([*left, None]):
        end = len(right) if r is None else -1
        if r is not None and r["where"] in found.cells:
            end = spots.get((found.cells[r["where"]], r["call"]), -1)
        if end < begin:
            continue
        _between(left[start:i], right[begin:end], trees, found)
        begin, start = end + 1, i + 1
    paired = {module for module, _ in found.calls.values()} | set(found.cells.values())
    found.unpaired = (sorted({r["where"] for r in left if not found.module(r["where"], r["call"])}),
                      sorted({r["where"] for r in right if r["where"] not in paired}))


def _between(left: list[dict], right: list[dict], trees, found: Pairs) -> None:
    sides = []
    for records, tree in zip((left, right), trees, strict=True):
        kinds = [tree.cells[r["where"]]["class"].lower() for r in records]
        sides.append([(CLASSES.get(kind, kind), _shape(r)) for kind, r in zip(kinds, records, strict=True)])
    for block in difflib.SequenceMatcher(None, *sides, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            a, b = left[block.a + k], right[block.b + k]
            found.calls[a["where"], a["call"]] = b["where"], b["call"]
