"""What a rank holds and sends in a step of `scripts/benchmarks/llama_7b.py`, small."""

import ms2torch
from ms2torch._core.processes.meter import Meter

SMALL = ["--width=64", "--hidden=96", "--layers=4", "--heads=4", "--words=64", "--length=16", "--batch=2"]


def measured(arguments):
    """Bytes: in weights and the optimizer's state, at the peak of a step, sent in it."""
    ms2torch.install()
    from scripts.benchmarks import llama_7b

    step, optimizer, words = llama_7b.step_of(llama_7b.options([*SMALL, *arguments]))
    with Meter() as meter:      # (of the first step too, which makes what later ones keep)
        step(words, words)
        held = {id(p): p for p in (*optimizer.parameters, *optimizer.get_parameters()) if not p._away}
        for p in held.values():
            meter.note(p._rest)
        meter.restart()
        step(words, words)
    return sum(map(bytes_of, held.values())), meter.peak, meter.sent


def bytes_of(p):
    return getattr(p._rest, "_local_tensor", p._rest).nbytes
