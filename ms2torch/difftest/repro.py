"""The minimal repro: a script of a few lines and one data file that show the guilty Cell alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .finding import Finding

_HEAD = '''"""{title}

Written by ms2torch diff. Prints what the reference gave and what comes out here, from the same inputs.
Take out the two lines with ms2torch to run it on the real MindSpore.
"""
from pathlib import Path

import numpy as np

import ms2torch

ms2torch.install()
import mindspore as ms
from mindspore import Tensor, nn, ops
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

_FORWARD = '''outputs = cell(*inputs)
outputs = outputs if isinstance(outputs, tuple) else (outputs,)
here = outputs[{index}].asnumpy()
'''

_BACKWARD = '''sens = tuple(Tensor(data[f"sens{{i}}"]) for i in range({sens}))
gradient = ops.GradOperation(get_all=True, sens_param=True)
gradients = gradient(cell)(*inputs, sens if len(sens) > 1 else sens[0])
here = gradients[{index}].asnumpy()
'''

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


def write(folder: str | None, finding: Finding, records: list[dict], events) -> str | None:
    """Write ``repro.py`` and ``repro.npz`` into ``folder``; the script's path, or None where there is nothing
    to show. ``records`` are those of the finding's step in the reference's trace."""
    known = {(r["stage"], r["where"], r["role"], r["index"], r["call"]): r["array"] for r in records
             if r["kind"] == "tensor" and r.get("array") is not None}
    text, arrays = _of(finding, known, events)
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
    head = {"title": finding.sentence().replace('"', "'"), "data": "repro.npz", "imports": "", "source": ""}
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
    body = shape.format(code=made["code"], training=made["training"], inputs=len(inputs))
    if finding.stage == "backward":
        sens = _numbered(known, "backward", name, "grad_output", finding.call)
        arrays.update({f"sens{i}": a for i, a in enumerate(sens)})
        body += _BACKWARD.format(sens=len(sens), index=finding.index)
    else:
        body += _FORWARD.format(index=finding.index)
    return _HEAD.format(**head) + body + _SHOW, arrays


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
    return _HEAD.format(**head) + _ARRAYS.format(why=why), arrays
