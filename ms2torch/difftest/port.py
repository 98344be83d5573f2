"""A PyTorch port, written by hand, against MindSpore: the first number that differs, and where.

Both programs run and are recorded; their traces are walked (`walk`) in MindSpore's order of time, over what
`pairing` has paired.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from pathlib import Path

from . import accumulated, checks, ported, reruns, trace
from .finding import CannotCompare, Verdict
from .pairing import Pairs, counted, pairs
from .starts import note_of_starts
from .updates import FLOOR, GROWTH
from .walk import Walk

_STEPS = 3
PORT = "the port"
_SIDES = {"mindspore": "MindSpore", "torch": "the port on PyTorch"}
_SHOWN = 30


def compare_traces(reference, port, verdict: Verdict, steps: int | None = None, shaken=()) -> Verdict:
    """Compare two traces, the second a port's, and fill the verdict; ``shaken`` are the port's traces of
    `shaking.Shaking` and `shaking.Kernels`."""
    reference = accumulated.by_updates(reference)
    verdict.sides = tuple(f"{_SIDES.get(t.header['side'], t.header['side'])} {t.header['version']}"
                          for t in (reference, port))
    verdict.cells, verdict.losses, verdict.turns = list(reference.cells), ([], []), reference.turns()
    verdict.adaptations = list(reference.adaptations)
    for name, opened in (("the reference", reference), ("the port", port)):
        _has_trained(opened, name)
    found = pairs(reference, port)
    once = reruns.once(reference, port, found)
    if once[0] is not reference:
        reference, port = once
        found = pairs(reference, port)
        verdict.notes.append("the program differentiates what it differentiated: what layers make and the "
                             "gradients of weights are compared, no layer's backward pass")
    if not found.parameters:
        raise CannotCompare("no parameter of the port has the shape of one of MindSpore's: are these two "
                            "programs of one network?")
    verdict.pairs = found
    last = min(port.steps, _last(reference, steps))
    walk = Walk(reference, port, found, verdict, shaken)
    for step in range(1, last + 1):
        walk.step(step)
        if walk.stopped:
            break
        verdict.steps = step
    verdict.findings = walk.findings
    for side, calls in zip(("MindSpore calls", "the port calls"), walk.left_over, strict=True):
        if calls:
            verdict.notes.append(f"{side} layers more often than the other side does in a step; those calls "
                                 f"were compared with nothing: {', '.join(calls[:_SHOWN])}")
    if walk.placed:
        verdict.notes.append(f"updates are up to {walk.placed:.2g} of their norm apart by the place of "
                             "Adam's eps alone, added before the bias correction in MindSpore, after it in "
                             "PyTorch")
    if not walk.rates_tell:
        verdict.notes.append("the port's optimizer shows other learning rates, though its updates are "
                             "MindSpore's: rates are not compared")
    if walk.passed_over:
        verdict.notes.append("outputs that differ, although all that is made of them agrees (there an "
                             f"activation or a crop is the next layer's): {', '.join(walk.passed_over)}")
    if walk.unlike:
        shown = ", ".join(map(str, walk.unlike[:_SHOWN]))
        verdict.notes.append("the port's optimizers are not called as MindSpore's are (another order, or one "
                             "call more in a turn of its loop): updates of other parameters than MindSpore's "
                             f"were not compared: {shown}")
    if walk.untrained:
        verdict.notes.append("MindSpore's that no optimizer is given and the port does not have: "
                             f"{', '.join(walk.untrained[:_SHOWN])}")
    late = _come_later(reference, last)
    if late:
        verdict.notes.append("what MindSpore's program keeps beside the network that it trains (an average "
                             f"of its weights?) was not compared: {', '.join(late[:_SHOWN])}")
    verdict.notes += _notes(found, reference, port, last)
    for name, opened in (("the reference", reference), ("the port", port)):
        end = opened.end or {"status": "cut off"}
        if end["status"] == "error" and opened.steps == last:
            said = end.get("traceback") or end.get("message")
            raise CannotCompare(f"{name} failed after step {last}:\n{said}")
    return verdict


def _come_later(reference, last: int) -> list[str]:
    """Parameters of MindSpore's that come into sight after the steps by which names are paired: a Cell that
    averages weights is called, a Module that a port keeps averages in need not be."""
    known = {p["name"] for p in counted(reference)}
    shown = {r["where"]: None for step in range(2, min(last, _STEPS) + 1) for r in reference.step(step)
             if r["kind"] == "tensor" and r["stage"] == "parameter"}
    first = {r["where"] for r in reference.step(1) if r["kind"] == "tensor"}
    return [name for name in shown if name not in known | first]


def _has_trained(opened, name: str) -> None:
    """Failed where a trace has no step."""
    end = opened.end or {}
    if not opened.steps and end.get("status") == "error":
        raise checks.Failed("script", f"the script failed on {name}:\n"
                            f"{end.get('traceback') or end.get('message')}", name)
    if not opened.steps:
        raise checks.Failed("steps", f"{name} made no training step: no optimizer was called, "
                            "and no weight changed after a backward pass", name)


def run(twin) -> Verdict:
    """The twin run of ``--torch``: the script (or its trace) against the port.

    With ``--align`` the port runs twice: its first trace tells how its names are paired, and then it takes
    over what was asked for under these names.
    """
    options, given = twin.options, twin.options.trace
    if not given:
        given = str(twin.place.folder / "reference.trace")
        asked = options.refeed or tuple(range(1, _STEPS + 1))
        twin.finish((twin.start_reference(given, refeed=asked, turns=max(options.steps or 0, *asked)), given))
        updates = _updates(trace.open(given), asked)
        if not set(updates) <= set(asked):
            twin.finish((twin.start_reference(given, refeed=updates), given))
    reference = accumulated.by_updates(trace.open(given))
    _has_trained(reference, "the reference")
    spec = {"script": shlex.split(options.torch), "updates": _last(reference, options.steps),
            "refeed": _closely(reference), "seed": 1 if options.seed is None else options.seed}
    path = _ported(twin, "port", spec)
    if options.align:
        checks.can_align(reference, options.align)
        first = trace.open(path)
        names = ported.pairs_of(found := pairs(reference, first))
        spec |= {"reference": os.path.abspath(given), "pairs": names, "align": list(options.align)}
        path = _ported(twin, "aligned", spec)
        if "weights" in options.align:
            twin.verdict.notes += note_of_starts(reference, first, found.parameters)
    port, shaken = trace.open(path), []
    if _computes_otherwise(reference, port, options.steps):
        shaken = ported.shaken(spec, lambda name, spec: trace.open(_ported(twin, name, spec)))
    return compare_traces(reference, port, twin.verdict, options.steps, shaken)


def _updates(reference, asked: tuple[int, ...]) -> tuple[int, ...]:
    """The updates in these steps of the program's own loop, each of which has one of every optimizer that the
    first of them showed; of a train cell that adds gradients up, each call until an update."""
    calls = accumulated.calls_per_update(reference)
    if calls > 1:
        return tuple((step - 1) * calls + call for step in asked for call in range(1, calls + 1))
    parts = max((part for _, part in reference.turns().values()), default=1)
    return tuple((step - 1) * parts + part for step in asked for part in range(1, parts + 1))


def _computes_otherwise(reference, port, steps: int | None) -> bool:
    """Whether the two differ in something that a layer makes, or a gradient, which may be rounding."""
    verdict = Verdict()
    with contextlib.suppress(CannotCompare):  # it is said when the verdict is made
        compare_traces(reference, port, verdict, steps)
    return any(f.kind == "value" and f.stage in ("forward", "backward", "loss", "gradient")
               for f in verdict.findings)


def _last(reference, steps: int | None) -> int:
    """The last step, up to an update, that is compared."""
    return min(reference.steps, reference.last_in(steps) or reference.steps)


def _closely(reference) -> list[int]:
    """The steps in which the port is looked at as closely as the reference was."""
    if reference.header.get("level") != "step":
        return list(range(1, min(reference.steps, _STEPS) + 1))
    return list(reference.header["options"]["refeed"])


def _ported(twin, name: str, spec: dict) -> str:
    """Run the port in a process of its own; its trace."""
    out = str(twin.place.folder / f"{name}.trace")
    script = [os.path.abspath(spec["script"][0]), *spec["script"][1:]]
    file = twin.place.folder / f"{name}.json"
    spec = {**spec, "script": script, "out": out}
    file.write_text(json.dumps(spec))
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).parents[2]), *filter(None, [environment.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "ms2torch.difftest.ported", str(file)]
    twin.finish((twin.place.start(PORT, name, command, environment, lambda: ported.main(spec)), out))
    return out


def _notes(found: Pairs, reference, port, last: int) -> list[str]:
    notes = [f"compared by what goes in: a value differs that lies more than {GROWTH:g} times as far apart "
             f"as all before it, and {FLOOR:g} units in the last place"]
    names = [n for n in found.unpaired[0] if n], [n for n in found.unpaired[1] if n]
    for side, cells, classes in zip(("MindSpore's", "the port's"), names, found.classes, strict=True):
        if cells:
            shown = ", ".join(f"{n} ({classes.get(n, '')})" for n in cells[:_SHOWN])
            notes.append(f"{side} layers that nothing stands for on the other side, compared by what comes "
                         f"after them: {shown}{' ...' if len(cells) > _SHOWN else ''}")
    if reference.steps != port.steps:
        notes.append(f"MindSpore made {reference.steps} steps, the port {port.steps}; {last} were compared")
    elif checks.ended_at(reference) is None:
        notes.append(f"both programs were ended after step {last}; --steps N compares the data, learning "
                     "rates and losses of N steps")
    return notes


def reference_first(left, right):
    """(reference, port) of two traces, in whichever order they were given; None where neither is a port's."""
    ports = [t.header.get("side") == "torch" for t in (left, right)]
    return None if not any(ports) else (right, left) if ports == [True, False] else (left, right)
