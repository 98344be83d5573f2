"""Peak memory of a training step, ours over hand-written PyTorch's.

    python scripts/benchmarks/memory.py [--only ResNet-18] [--rounds 3]

Each side runs five steps with Adam in processes of its own. What counts is the most that the process held
(the system's figure for resident memory) over what it held before the first step, with everything imported
and the network built; medians of the rounds. Batches are several times those of `compiled.py`, so that
tensors count and not what libraries load with the first step.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

STEPS = 5
MODELS = {"LeNet": 8, "GPT": 8, "ResNet-18": 2}        # and how many batches as one


def _held() -> float:
    """Resident memory now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def side(model: str, which: str) -> float:
    """MB that a step needs at its peak; in a fresh process."""
    import numpy as np
    import torch
    from compiled import _by_hand
    from models_small import pairs

    from ms2torch import Tensor, nn
    from ms2torch._core import mode

    torch.set_num_threads(1)
    mode.graphs = "eager"
    ours, theirs, data = pairs()[model]
    given = [np.concatenate([x] * MODELS[model]) for x in data()]
    if which == "hand":
        step = _by_hand(theirs, given, False)
    else:
        net = ours()
        train = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-3)).set_train()
        tensors = [Tensor(x) for x in given]

        def step():
            return train(*tensors)

    before = _held()
    for _ in range(STEPS):
        step()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=MODELS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(side(*options.side))
        return
    for model in [options.only] if options.only else MODELS:
        found = {"ours": [], "hand": []}
        for _ in range(options.rounds):
            for which, values in found.items():
                done = subprocess.run([sys.executable, __file__, "--side", model, which],
                                      capture_output=True, text=True, check=True)
                values.append(float(done.stdout.split()[-1]))
        ours, hand = (statistics.median(found[w]) for w in ("ours", "hand"))
        print(f"{model}: {ours:.0f} MB, by hand {hand:.0f} MB: {ours / hand:.2f}")


if __name__ == "__main__":
    main()
