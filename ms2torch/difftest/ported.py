"""The process in which a PyTorch port is recorded: ``python -m ms2torch.difftest.ported SPEC.json``.

Whatever ``--align`` asks for is taken over from MindSpore's trace, under the names that pairing found: the
weights (and the optimizer's state, where a step is judged by itself), the batches, the dropout masks.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path

import numpy as np

from . import accumulated, apart, trace
from .recorder import Recorder, record
from .shaking import Kernels, Shaking

# The note in a shaken trace that a run of `Kernels` has something to move.
KERNELS = "kernels"


class Taking(Recorder):
    """Records a port while it takes over ``align`` ("weights", "data", "random") from the reference.

    ``pairs`` has the reference's name (and call) of each parameter, state and Dropout of the port's.
    """

    def __init__(self, writer, options, frame, reference: str, align: list[str], pairs: dict):
        super().__init__(writer, options, frame)
        self.reference = accumulated.by_updates(trace.open(reference))
        self.align, self.pairs = set(align), pairs
        self.theirs: dict[tuple, dict] = {}
        self.data: list[dict] = []
        if "random" in self.align:
            self._replay_masks()

    def begin(self, step):
        """Look up the reference's step."""
        records = self.reference.step(step) if step <= self.reference.steps else []
        whole = [r for r in records if r["kind"] == "tensor" and r.get("array") is not None
                 and r.get("training", True)]
        self.theirs = {(r["stage"], r["where"], r["role"], r["index"], r["call"]): r for r in whole}
        self.data = [r for r in whole if r["stage"] == "data"]

    def visit(self, stage, where, role, index, call, value, update=0):
        """Record and go on with the reference's; what the port has itself at a later step's start is
        recorded beside it, as "own"."""
        record = None
        if stage == "initial" and "weights" in self.align:
            record = self.theirs.get((stage, self.pairs["names"].get(where), role, 0, 0))
        elif stage == "data" and "data" in self.align:
            fitting = [r for r in self.data if r["shape"] == list(value.shape)]
            same = (r for r in fitting if np.array_equal(r["array"], self.frame.array(value)[0]))
            record = next(same, fitting[0] if fitting else None)
            if record is not None:
                self.data.remove(record)
        array = None if record is None else record["array"]
        if array is not None and where in self.pairs["turned"]:
            array = apart.turned(array)
        if array is None or _size(array.shape) != _size(value.shape):
            super().visit(stage, where, role, index, call, value, update)
            return None
        if stage == "initial" and role == "value" and self.step > 1:
            super().visit(stage, where, "own", index, call, value, update)
        array = array.reshape(tuple(value.shape))
        taken = self.frame.tensor_of(array, value)
        super().visit(stage, where, role, index, call, taken, update)
        return array

    def _replay_masks(self) -> None:
        """Dropout zeroes what it zeroed in the reference, and scales as the port's own does."""
        import torch

        draw, recorder, counts = torch.nn.Dropout.forward, self, {}

        def forward(module, x):
            y = draw(module, x)
            name = recorder.names.of(module)
            call = counts.get(name, (recorder.step, -1))
            call = counts[name] = (recorder.step, call[1] + 1 if call[0] == recorder.step else 0)
            if not module.training or module.p in (0, 1):
                return y
            other, turn = recorder.paired(name, call[1])
            record = recorder.theirs.get(("random", other, "mask", 0, turn))
            if record is None or record["array"].shape != tuple(x.shape):
                return y
            kept = recorder.kept_by(record)
            return x * (torch.from_numpy(kept).to(x.device, x.dtype) / (1 - module.p))

        torch.nn.Dropout.forward = forward

    def paired(self, name: str, call: int) -> tuple[str | None, int]:
        """The reference's name and number of a Dropout's call; one that was not there when pairs were made (a
        later step evaluates first, say) is the same call of the same layer."""
        calls = self.pairs["calls"]
        layer = next((other for place, (other, _) in calls.items() if place.rpartition("|")[0] == name), None)
        return calls.get(f"{name}|{call}", (layer, call))

    def kept_by(self, record) -> np.ndarray:
        """The elements that the reference's Dropout kept. The mask is read off its output, which does not
        tell where the input was 0 (after a ReLU); the gradient that it handed on does."""
        kept = record["array"].copy()
        place = ("backward", record["where"], "grad_input", 0, record["call"])
        gradient = self.theirs.get(place, {}).get("array")
        if gradient is not None and gradient.shape == kept.shape:
            kept |= gradient != 0
        return kept


class ShakenRecorder(Shaking, Recorder):
    """`Recorder`, shaken."""


class ShakenTaking(Shaking, Taking):
    """`Taking`, shaken."""


def _size(shape) -> list[int]:
    return [n for n in shape if n != 1]


def pairs_of(found) -> dict:
    """What `Taking` needs of `pairing.Pairs`, the other way round and fit for JSON."""
    names = {b: a for a, b in (*found.parameters.items(), *found.states.items())}
    turned = [b for b, a in names.items() if a in found.turned]
    calls = {f"{b}|{j}": (a, i) for (a, i), (b, j) in found.calls.items()}
    return {"names": names, "calls": calls, "turned": turned}


def shaken(spec: dict, recorded) -> list:
    """The shaken traces of a port: with its layers' results moved, and where that run called kernels that
    MindSpore has others for one with what these make moved. ``recorded`` runs a spec and opens its trace."""
    found = [recorded("shaken", {**spec, "shaken": "layers"})]
    if any(a["name"] == KERNELS for a in found[0].adaptations):
        found.append(recorded("kernels", {**spec, "shaken": "kernels"}))
    return found


def _halves(spec: dict) -> tuple:
    """The half-precision dtypes that the reference shows; both where it shows none. (What a port computes in
    the other one is no rounding.)"""
    import torch

    reference = trace.open(spec["reference"]) if spec.get("reference") else None
    seen = {r["dtype"] for step in range(1, reference.steps + 1) for r in reference.step(step)
            if r["kind"] == "tensor"} if reference else set()
    return tuple(getattr(torch, n) for n in ("float16", "bfloat16") if n in seen) or (
        torch.float16, torch.bfloat16)


def main(spec: dict) -> int:
    """Run as the spec says (port.py writes it), shaken by "layers" or "kernels"; the script's exit code."""
    kind = spec.get("shaken")
    kernels = Kernels(moves=kind == "kernels", dtypes=_halves(spec)) if kind else None

    def make(writer, options, frame):
        moved = kind == "layers"
        if spec.get("align"):
            taking = (Taking, ShakenTaking)[moved]
            recorder = taking(writer, options, frame, spec["reference"], spec["align"], spec["pairs"])
        else:
            recorder = (Recorder, ShakenRecorder)[moved](writer, options, frame)
        if kernels is not None:
            said = "the port calls kernels that MindSpore has others for"
            kernels.met = lambda: recorder.adapted(KERNELS, said)
        return recorder

    script, *arguments = spec["script"]
    with kernels or contextlib.nullcontext():
        return record(script, arguments, make, out=spec["out"], torch=True, updates=spec["updates"],
                      refeed=frozenset(spec["refeed"]), seed=spec["seed"])


if __name__ == "__main__":
    code = main(json.loads(Path(sys.argv[1]).read_text()))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
