"""What ``ms2torch diff`` costs beside the two plain runs of the same program: a small CNN of N steps.

    python scripts/benchmarks/diff_cost.py [--steps N] [--reference PYTHON]

PYTHON is an interpreter with the real MindSpore, ``.reference/bin/python`` if none is named. Each line has
seconds by the clock, seconds of processor time, and the greatest memory of a process. By the clock the
figures want a machine with nothing else to do; of processor time they bear company.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = '''
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)
net = nn.SequentialCell(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 12, 5), nn.ReLU(),
                        nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(12 * 49, 10))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()),
                           nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
rng = np.random.RandomState(0)
for _ in range(int(sys.argv[1])):
    images, labels = rng.randn(16, 1, 28, 28).astype(np.float32), rng.randint(0, 10, 16).astype(np.int32)
    loss = step(Tensor(images), Tensor(labels))
print(loss)
'''


def cost(title: str, command: list[str], folder: str) -> tuple[float, float]:
    """(seconds by the clock, seconds of processor time) of a command and its children; prints them."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{title} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{title}: {wall:.0f} s by the clock, {work:.0f} s of processor time, processes of up to "
          f"{after.ru_maxrss / 1024:.0f} MB so far", flush=True)
    return wall, work


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--reference", default=os.environ.get("MS2TORCH_REFERENCE_PYTHON",
                                                              str(ROOT / ".reference" / "bin" / "python")))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "cnn.py"
        script.write_text(PROGRAM, encoding="utf-8")
        program = [str(script), str(options.steps)]
        plain = [cost("MindSpore alone", [options.reference, *program], folder),
                 cost("ms2torch alone", [sys.executable, "-m", "ms2torch", *program], folder)]
        twin = cost("diff", [sys.executable, "-m", "ms2torch", "diff", "--reference-python",
                             options.reference, *program], folder)
    both = [sum(side) for side in zip(*plain, strict=True)]
    print(f"{options.steps:,} steps: {twin[0] / both[0]:.2f} of both plain runs one after the other by the "
          f"clock, {twin[1] / both[1]:.2f} of their processor time")


if __name__ == "__main__":
    main()
