"""The minimal repro: a script of a few lines and one data file that show the guilty Cell alone."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from .finding import Finding

_HEAD = '''"""{title}

Written by ms2torch diff. {does}
Take out the two lines with ms2torch to run it on the real MindSpore.
"""
from pathlib import Path

import numpy as np

import ms2torch

ms2torch.install()
import mindspore as ms
from mindspore import Tensor, mint, nn, ops
{imports}
data = np.load(Path(__file__).with_name("{data}"))
{source}
'''

_CELL = '''
cell = {code}
cell.set_train({training})
for i, parameter in enumerate(cell.get_parameters()):
    parameter.set_data(Tensor(data[f"parameter{{i}}"]))
inputs = [Tensor(data[f"input{{i}}"]) for i in range({inputs})]
'''

_OPERATOR = '''
def cell(*inputs):
    return {code}


inputs = [Tensor(data[f"input{{i}}"]) for i in range({inputs})]
'''

_OUTPUTS = '''

def outputs(*inputs):
    given = cell(*inputs)
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


'''

_FORWARD = '''here = outputs(*inputs)[{index}].asnumpy()
'''

# The sensitivity of an output that nothing was made of is 0.
_BACKWARD = '''sens = tuple(Tensor(data[f"sens{{i}}"]) if f"sens{{i}}" in data else ops.zeros_like(output)
             for i, output in enumerate(outputs(*inputs)))
gradients = ops.GradOperation(get_all=True, sens_param=True)(outputs)(*inputs, sens)
here = gradients[{index}].asnumpy()
'''

_NUMERIC = '''
# Which of the two is wrong? The forward pass is the same on both sides, and its numeric derivative along the
# difference of the two gradients can agree with one of them only.
away = here.astype(np.float64) - reference
away /= np.linalg.norm(away) or 1.0


def loss(step):
    moved = list(inputs)
    moved[{index}] = Tensor((data["input{index}"] + step * away).astype(data["input{index}"].dtype))
    given = outputs(*moved)
    return sum(float((o.asnumpy().astype(np.float64) * s.asnumpy()).sum()) for o, s in zip(given, sens))


def derivative(step):
    return (loss(step) - loss(-step)) / (2 * step)


step = 0.01 * (np.linalg.norm(data["input{index}"].astype(np.float64)) or 1.0)
coarse, numeric = derivative(step), derivative(step / 2)
theirs, ours = float((reference * away).sum()), float((here * away).sum())
far = abs(ours - theirs)
wrong = None
if abs(coarse - numeric) < far / 10:  # else curved, random, or lost in rounding: it tells nothing
    wrong = ("the reference" if abs(numeric - ours) < far / 4 else
             "ms2torch" if abs(numeric - theirs) < far / 4 else None)
if wrong:
    print(f"{says} {{numeric:.6g}}, the reference's {{theirs:.6g}}, ours {{ours:.6g}}: {{wrong}} is wrong")
'''
# How the line of the numeric derivative begins.
_SAYS = "the numeric derivative along the difference is"

_UPDATE = '''
weight = ms.Parameter(Tensor(data["before"]), name="{weight}")
optimizer = {code}
states = {states}
for parameter in optimizer.get_parameters():
    if parameter.name in states:
        parameter.set_data(Tensor(data[states[parameter.name]]))
optimizer((Tensor(data["gradient"]),))
here = next(p for p in [weight, *optimizer.get_parameters()] if p.name == "{where}").asnumpy()
'''

_COMPUTED = "Prints what the reference gave and what comes out here, from the same inputs."
_RECORDED = "Prints what the two runs recorded: nothing is computed, as that takes the whole program."

_SHOW = '''reference = data["reference"]
print("reference:", reference, sep="\\n")
print("here:", here, sep="\\n")
print("greatest difference:", np.abs(here.astype(np.float64) - reference).max())
'''

_ARRAYS = '''# {why}
before, gradient = data["before"], data["gradient"]
reference, here = data["reference"], data["here"]
print("before:", before, "gradient:", gradient, sep="\\n")
print("reference:", reference, sep="\\n")
print("here:", here, sep="\\n")
print("greatest difference:", np.abs(here.astype(np.float64) - reference).max())
'''


def write(folder: str | None, finding: Finding, records: list[dict], events, optimizers=None) -> str | None:
    """Write ``repro.py`` and ``repro.npz`` into ``folder``; the script's path, or None where there is nothing
    to show. ``records`` are those of the finding's step in the reference's trace, ``optimizers`` its
    records of them by number."""
    known = {(r["stage"], r["where"], r["role"], r["index"], r["call"]): r["array"] for r in records
             if r["kind"] == "tensor" and r.get("array") is not None}
    text, arrays = _updated(finding, known, optimizers or {}) or _of(finding, known, events)
    if text is None:
        return None
    place = Path(folder or "diff_repro")
    place.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(place / "repro.npz", **arrays)
    (place / "repro.py").write_text(text, encoding="utf-8")
    return str(place / "repro.py")


def _of(finding: Finding, known: dict, events) -> tuple[str | None, dict]:
    place = (finding.stage if finding.stage != "random" else "forward", finding.original or finding.where,
             finding.role, finding.index, finding.call)
    reference = known.get(place)
    if reference is None:
        return None, {}
    name = finding.cell if finding.stage in ("forward", "backward", "random") else ""
    made = events.made.get(name)
    if finding.op:
        name = finding.original
        made = events.made.get(f"{name}#{finding.call}")
    head = _head(finding)
    if made is None or made["code"] is None or finding.role in ("input", "grad_output"):
        return _plain(finding, known, events, reference, head)
    head["imports"], head["source"] = made.get("imports") or "", made.get("source") or ""
    arrays = {"reference": reference}
    inputs = _numbered(known, "forward", name, "input", finding.call)
    arrays.update({f"input{i}": a for i, a in enumerate(inputs)})
    for i, parameter in enumerate(made["parameters"]):
        value = known.get(("initial", parameter, "value", 0, 0))
        if value is None:
            return _plain(finding, known, events, reference, head)
        arrays[f"parameter{i}"] = value
    shape = _OPERATOR if finding.op else _CELL
    body = shape.format(code=made["code"], training=made["training"], inputs=len(inputs)) + _OUTPUTS
    if finding.stage != "backward":
        return _HEAD.format(**head) + body + _FORWARD.format(index=finding.index) + _SHOW, arrays
    sens = [(k[3], a) for k, a in known.items()
            if (k[0], k[1], k[2], k[4]) == ("backward", name, "grad_output", finding.call)]
    arrays.update({f"sens{i}": a for i, a in sens})
    body += _BACKWARD.format(index=finding.index)
    after = _NUMERIC.format(index=finding.index, says=_SAYS) if f"input{finding.index}" in arrays else ""
    return _HEAD.format(**head) + body + _SHOW + after, arrays


def which_is_wrong(script: str, seconds: float = 120.0) -> str:
    """What the repro of a gradient says about which side is wrong; "" where it cannot tell."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).parents[2]), *filter(None, [environment.get("PYTHONPATH")])])
    try:
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=seconds,
                              env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next((line for line in done.stdout.splitlines() if line.startswith(_SAYS)), "")


def _head(finding: Finding) -> dict:
    return {"title": finding.sentence().replace('"', "'"), "data": "repro.npz", "imports": "", "source": "",
            "does": _COMPUTED}


def _updated(finding: Finding, known: dict, optimizers: dict) -> tuple[str, dict] | None:
    """A script that makes the optimizer's step of one parameter, or None where numbers do not make it."""
    if finding.stage not in ("parameter", "optimizer"):
        return None
    where, place = finding.original or finding.where, (finding.stage, "value", finding.index, finding.call)
    reference = known.get((place[0], where, *place[1:]))
    found = optimizers.get(finding.update) or {}
    code = _optimizer(found.get("class", ""), found.get("settings") or {}, known)
    gradients = [k[1] for k in known if k[0] == "gradient"]
    weight = next((g for g in gradients if where == g or where.endswith("." + g)), None)
    before = known.get(("initial", weight, "value", 0, 0))
    if reference is None or code is None or before is None:
        return None
    states = {k[1]: f"state{i}" for i, k in enumerate(known) if k[0] == "initial" and k[2] == "state"
              and (k[1].endswith("." + weight) or "." not in k[1])}
    arrays = {"reference": reference, "before": before, "gradient": known["gradient", weight, "value", 0, 0]}
    arrays.update({key: known["initial", name, "state", 0, 0] for name, key in states.items()})
    body = _UPDATE.format(weight=weight, code=code, states=states, where=where)
    return _HEAD.format(**_head(finding)) + body + _SHOW, arrays


def _optimizer(kind: str, settings: dict, known: dict) -> str | None:
    """An expression for an optimizer of `mindspore.nn` from its recorded numbers and this step's rate."""
    from ms2torch import nn

    from .recorder.mindspore_frame import SETTINGS

    made, rate = getattr(nn, kind, None), known.get(("learning_rate", "learning_rate", "value", 0, 0))
    if made is None or rate is None:
        return None
    given = [("learning_rate", float(np.ravel(rate)[0]))]
    for name in inspect.signature(made).parameters:
        value = settings.get(SETTINGS.get(name))
        if value is not None:
            given.append((name, bool(value) if name.startswith("use_") else value))
    return f"nn.{kind}([weight], {', '.join(f'{name}={value!r}' for name, value in given)})"


def _numbered(known: dict, stage: str, where: str, role: str, call: int) -> list:
    found = []
    while (array := known.get((stage, where, role, len(found), call))) is not None:
        found.append(array)
    return found


def _plain(finding: Finding, known: dict, events, reference, head: dict) -> tuple[str | None, dict]:
    """A script that shows the arrays, where the Cell cannot be made from its arguments alone."""
    here = events.array((finding.step, finding.update, finding.stage, finding.original or finding.where,
                         finding.role, finding.index, finding.call))
    if here is None:
        return None, {}
    empty = np.zeros(0, np.float32)
    weight = finding.where.partition(".")[2] if finding.stage == "optimizer" else finding.where
    arrays = {"reference": reference, "here": here,
              "before": known.get(("initial", finding.where, "value", 0, 0),
                                  known.get(("initial", finding.where, "state", 0, 0), empty)),
              "gradient": known.get(("gradient", weight, "value", 0, 0), empty)}
    why = "what the step started from, the gradient, and what the two sides made of it"
    head["does"] = _RECORDED
    return _HEAD.format(**head) + _ARRAYS.format(why=why), arrays
