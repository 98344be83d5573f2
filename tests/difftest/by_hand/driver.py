"""Runs a port with each of some changes against a trace: ``driver.py PORT TRACE CHANGES.json FOLDER``.

Prints one JSON object: what `ms2torch diff --torch port.py --align weights,random TRACE` says of each. Every
run is a fork of this process, which has imported torch.
"""

import json
import os
import sys
from pathlib import Path

import torch
import torch._dynamo  # what every optimizer of torch imports: four fifths of a fork's seconds, if each did

from ms2torch.difftest import accumulated, pairing, port, ported, trace
from ms2torch.difftest.finding import Verdict

SPEC = {"updates": None, "seed": 1}


def recorded(spec):
    """The trace of one run in a fork."""
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(ported.main(spec))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return trace.open(spec["out"])


def judged(reference, names, script, folder, shake):
    """The verdict of one script; its names are those of port.py as it is."""
    spec = {**SPEC, "script": [str(script)], "out": f"{folder}/aligned.trace", "pairs": names,
            "reference": str(reference.path), "align": ["weights", "random"]}
    aligned, shaken = recorded(spec), []
    if shake and port._computes_otherwise(reference, aligned, None):
        shaken = ported.shaken(spec, lambda name, spec: recorded({**spec, "out": f"{folder}/{name}.trace"}))
    return port.compare_traces(reference, aligned, Verdict(), shaken=shaken).as_json()


if __name__ == "__main__":
    torch.set_num_threads(1)
    script, changes, folder = Path(sys.argv[1]), json.loads(sys.argv[3]), Path(sys.argv[4])
    reference = accumulated.by_updates(trace.open(sys.argv[2]))
    SPEC["refeed"] = port._closely(reference)
    first = recorded({**SPEC, "script": [str(script)], "out": f"{folder}/port.trace"})
    names, found = ported.pairs_of(pairing.pairs(reference, first)), []
    for old, new in changes:
        text = script.read_text(encoding="utf-8")
        assert old in text
        (folder / "port.py").write_text(text.replace(old, new), encoding="utf-8")
        # The first few as the tool does it, which costs one run more.
        found.append(judged(reference, names, folder / "port.py", folder, shake=len(found) < 4))
    print(json.dumps(found))
