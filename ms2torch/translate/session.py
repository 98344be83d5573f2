"""The process in which a program is run, translated and proved: ``python -m ms2torch.translate.session
SPEC``.

Everything is in this one process, for the proof needs the objects that the run made. The spec has
``sources`` by real path, ``script`` and its arguments (or none), the ``--api`` release, and ``out``, where
the result goes as JSON.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import traceback
from contextlib import contextmanager
from pathlib import Path


def main(spec: dict) -> None:
    """Carry out a spec; the result is in its file when this returns."""
    from ms2torch._core.devices import device
    from ms2torch.shim import alias

    device.select(None)
    alias.install(spec.get("api"), inherit=True)
    from . import draws, guessing, instances, proving, recording, whole

    sources = spec["sources"]
    process = os.getpid()
    seen = instances.Instances(set(sources))
    facts, ran = {}, None
    if spec.get("script"):
        seen.install()
        drawn = draws.Draws(sources)
        whole.describe_alike()
        with recording.Watch(list(sources)) as watch, whole.Training() as training, drawn:
            ran = _run(spec["script"], spec["arguments"], sources)
        if os.getpid() != process:
            os._exit(ran["code"])  # a process that the program forked
        _silence()
        seen.watching = False
        facts = watch.recorder.facts
        drawn.into(facts)
        training.save(spec["weights"])
        classes = seen.by_class()
        ran["calls"] = sum(fact.calls for found in facts.values() for fact in found.values())
    else:
        classes = guessing.instances(sources, seen)
    prover = proving.Prover(sources, facts, seen.made, bare=not spec.get("script"))
    prover.keep.update({p: frozenset(map(tuple, k)) for p, k in spec.get("keep", {}).items()})
    try:
        prover.prove(classes)
    except Exception:
        ran = {**(ran or {}), "unproved": traceback.format_exc()}
    result = {"run": ran, **result_of(prover)}
    Path(spec["out"]).write_text(json.dumps(result), encoding="utf-8")


def result_of(prover) -> dict:
    """What the parent gets."""
    files = {}
    for path in prover.sources:
        made = prover.translation(path)
        files[path] = {
            "text": made.text,
            "sites": [list(site) for site in made.sites],
            "helpers": list(made.helpers),
            "cells": [list(cell) for cell in made.cells],
            "keep": sorted(prover.keep.get(path, ())),
        }
    return {
        "files": files,
        "facts": {path: facts.as_json() for path, facts in prover.facts.items()},
        "proofs": [proof.as_json() for proof in prover.proofs],
        "taken": [back.as_json() for back in prover.taken],
    }


def _silence() -> None:
    """What Cells print while they are proved is not the program's output."""
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@contextmanager
def _without_compiled_files():
    """While the program runs, MINDIR and AIR files are left out: torch.export's take their place."""
    import ms2torch
    from ms2torch.train import serialization

    real = serialization.export

    @functools.wraps(real)
    def export(net, *inputs, file_name, file_format="AIR", **kwargs):
        if file_format == "ONNX":
            real(net, *inputs, file_name=file_name, file_format=file_format, **kwargs)

    homes = [ms2torch, ms2torch.train, serialization]
    for home in homes:
        home.export = export
    try:
        yield
    finally:
        for home in homes:
            home.export = real


def _run(script: str, arguments: list[str], sources: dict[str, str]) -> dict:
    """Run the program to its end; how it ended."""
    from ms2torch.shim import launcher

    code, error = 0, ""
    try:
        with _without_compiled_files():
            if script.endswith(".ipynb"):
                launcher.run_text(sources[os.path.realpath(script)], script, arguments)
            else:
                launcher.run_script(script, arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException as failure:
        code, error = 1, "".join(traceback.format_exception_only(type(failure), failure)).strip()
        traceback.print_exc()
    sys.stdout.flush()
    return {"code": code, "error": error}


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # Its stdout is the program's; what the proof says goes elsewhere.
    main(given)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # what the program left running keeps nobody waiting
