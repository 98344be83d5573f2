"""``--align``: initial weights, batches or dropout masks of the reference take the place of ours.

Each in the recorder's own places: what a step shows of itself on the reference's side is given back on ours.
"""

from __future__ import annotations

from collections import Counter

import torch

from ms2torch._core.tensor.tensor import wrap
from ms2torch.nn.layer.basic import Dropout

from . import trace
from .recorder import Recorder


class Aligned(Recorder):
    """Records our side while it takes over ``what`` ("weights", "data", "random") from the reference."""

    def __init__(self, writer, options, frame, reference: str, what: list[str]):
        super().__init__(writer, options, frame)
        self.reference, self.what = trace.open(reference), set(what)
        self.theirs: dict[tuple, dict] = {}
        self.draws: Counter = Counter()
        if "random" in self.what:
            self._replay_masks()

    def begin(self, step):
        """Look up the reference's step."""
        self.draws.clear()
        records = self.reference.step(step) if step <= self.reference.steps else []
        self.theirs = {(r["stage"], r["where"], r["role"], r["index"], r["call"]): r for r in records
                       if r["kind"] == "tensor" and r.get("array") is not None}

    def visit(self, stage, where, role, index, call, value, update=0):
        """Record what was ours, go on with what was theirs."""
        super().visit(stage, where, role, index, call, value, update)
        wanted = {"initial": "weights", "data": "data", "random": "random"}.get(stage)
        record = self.theirs.get((stage, where, role, index, call)) if wanted in self.what else None
        if record is None or role == "mask" or record["shape"] != list(value.shape):
            return None
        return record["array"]

    def _set(self, parameter, array):
        if array is not None:
            with torch.no_grad():
                parameter._rest.copy_(torch.from_numpy(array.copy()))

    def _replay_masks(self) -> None:
        """Dropout layers zero what they zeroed in the reference."""
        draw = Dropout.construct
        recorder = self

        def construct(cell, x):
            y = draw(cell, x)  # our stream of random numbers goes on as it would
            name = recorder.names.of(cell)
            call = recorder.draws[name]
            recorder.draws[name] += 1
            record = recorder.theirs.get(("random", name, "mask", 0, call))
            if y is x or record is None or record["shape"] != list(x.shape):
                return y
            kept = torch.from_numpy(record["array"].copy()).to(x._t.device)
            return wrap(x._t * (kept.to(x._t.dtype) / cell._keep))

        Dropout.construct = construct
