"""What recording costs: time per step with and without it, memory, and size of the trace.

    PYTHON scripts/benchmarks/trace_cost.py [lenet|resnet18] [--steps N] [--batch N] [--size N] [--recorded]

PYTHON is an interpreter with the real MindSpore, or one with ms2torch (then started as
``python -m ms2torch scripts/benchmarks/trace_cost.py``). Steps take turns, one recorded, one not, so that a
busy machine hits both alike; with --recorded, every step is (for the size of a trace of N steps, and memory).
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(ROOT / "ms2torch" / "difftest"))  # last: files there have names of the standard library

sys.modules.setdefault("ms2torch", ms)  # the models say ms2torch, and mean either
import models_ms  # noqa: E402
import recorder  # noqa: E402
from recorder.mindspore_frame import MindSpore  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", default="resnet18", choices=["lenet", "resnet18"])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--recorded", action="store_true", help="record every step; times nothing")
    options = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    path = os.path.join(tempfile.mkdtemp(), "cost.trace")
    settings = recorder.parse(["-o", path, __file__])
    settings.sha256, settings.pynative = "", False
    seen = recorder.Recorder(recorder.Writer(path), settings, MindSpore())
    seen.frame.install(seen)

    random = np.random.RandomState(0)
    if options.model == "lenet":
        net, shape = models_ms.LeNet(), (options.batch, 1, 32, 32)
    else:
        net, shape = models_ms.resnet18(), (options.batch, 3, options.size, options.size)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    step.set_train()
    images = ms.Tensor(random.rand(*shape).astype(np.float32))
    labels = ms.Tensor(random.randint(0, 10, options.batch).astype(np.int32))

    times: dict[bool, list[float]] = {False: [], True: []}
    worked: dict[bool, list[float]] = {False: [], True: []}
    memory = {}
    for turn in range(options.steps + 4):
        seen.quiet = turn % 2 == 0 and not options.recorded
        start, work = time.perf_counter(), time.process_time()
        step(images, labels).asnumpy()
        if turn >= 4:
            times[not seen.quiet].append(time.perf_counter() - start)
            worked[not seen.quiet].append(time.process_time() - work)
        memory[turn + 1] = resident()
    seen.quiet = False
    seen.finish("ok")
    size = os.path.getsize(path) / seen.step
    early = min(100, len(memory) // 2)
    said = [f"{seen.frame.side} {seen.frame.version}, {options.model}, batch {options.batch}, "
            f"{options.size} pixels: {seen.step} steps recorded",
            f"trace {size / 1e3:.1f} kB per step, {size / 1e3:.0f} MB for 1,000",
            f"memory {memory[early]:.0f} MB after step {early}, {memory[len(memory)]:.0f} MB after step "
            f"{len(memory)}"]
    if not options.recorded:
        plain, recorded = (statistics.median(times[which]) for which in (False, True))
        cpu = statistics.median(worked[True]) / statistics.median(worked[False])
        said.insert(1, f"plain {plain * 1e3:.1f} ms, recorded {recorded * 1e3:.1f} ms per step, ratio "
                       f"{recorded / plain:.2f} ({cpu:.2f} of processor time)")
    print("; ".join(said))


def resident() -> float:
    """Memory of this process now, in MB; its peak where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
