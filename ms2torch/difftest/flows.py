"""Where a layer's output goes in MindSpore's trace: what a port by hand has to agree in, though it draw the
line between two layers elsewhere (Dense with an activation, Linear and then ``torch.tanh``)."""

from __future__ import annotations


class Flow:
    """The forward records of one step. A value that is handed on has the same bytes, so its hash is its way,
    through reshapes, too."""

    def __init__(self, records: list[dict]) -> None:
        self.inputs: dict[str, list[dict]] = {}
        self.outputs: dict[tuple[str, int], list[dict]] = {}
        self.later: list[dict] = []
        self.first: dict[str, int] = {}  # hash -> where in the step's order it is seen first
        for r in records:
            self.first.setdefault(r["stats"]["hash"], r["order"])
            if r["stage"] == "loss" or (r["stage"], r["role"]) == ("forward", "input"):
                self.later.append(r)
            if r["stage"] == "forward" and r["role"] == "input":
                self.inputs.setdefault(r["stats"]["hash"], []).append(r)
            elif r["stage"] == "forward":
                self.outputs.setdefault((r["where"], r["call"]), []).append(r)

    def goes_to(self, output: dict, paired) -> list[dict]:
        """The inputs of paired calls that an output ends in, itself or through calls that are not paired."""
        found, waiting, seen = [], [output], set()
        while waiting:
            value = waiting.pop()
            for r in self.inputs.get(value["stats"]["hash"], ()):
                place = r["where"], r["call"]
                if r["order"] < value["order"] or (*place, r["index"]) in seen:
                    continue
                seen.add((*place, r["index"]))
                if paired(*place):
                    found.append(r)
                else:
                    waiting += [o for o in self.outputs.get(place, ()) if o["order"] > r["order"]]
        return found

    def made(self, begin: int, end: int) -> list[dict]:
        """The outputs between two places of the step's order."""
        found = (r for outputs in self.outputs.values() for r in outputs if begin < r["order"] < end)
        return sorted(found, key=lambda r: r["order"])

    def after(self, output: dict) -> list[dict]:
        """All that is taken in after an output, the loss included. Other outputs may be drawn elsewhere, too:
        those of the same layer's later calls are."""
        return [r for r in self.later if r["order"] > output["order"]]

    def next_made(self, output: dict, paired) -> list[dict]:
        """The first input of a paired call after an output that was not there before it: most likely what the
        program's own operators make of it."""
        new = (r for r in self.after(output) if self.first[r["stats"]["hash"]] > output["order"])
        found = next((r for r in new if r["stage"] != "loss" and paired(r["where"], r["call"])), None)
        return [found] if found else []
