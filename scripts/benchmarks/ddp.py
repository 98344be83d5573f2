"""What communication costs a data-parallel step: overlap, explicit reduction, bucket sizes, bytes.

    python scripts/benchmarks/ddp.py [--nproc 2] [--width 1024] [--rounds 15] [--json FILE] [--tiny]

Starts N processes on this machine (NCCL on CUDA, Gloo on the CPU). What is compared takes turns; all
processes begin a turn together, and a turn has taken what its slowest process took; figures are medians over
the turns. "DDP's buckets alone" are all-reduced from memory in which they lie already, 1 MB first and then
25 MB each, as torch's DDP cuts them. For each bucket size there is a step (without the update) with the
reduction and one that leaves it out; their difference is what the backward pass does not hide. On the CPU the
processes share the cores, so overlap shows where there are cores to spare. Bytes are those of the loopback
device, of all processes together, next to the least that a sum over N processes can take: 2 (N-1)/N of the
parameters' bytes for each.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
import torch.distributed as dist

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core.processes import ddp, distributed, reducing
from ms2torch.communication import get_group_size, get_rank, init

BUCKETS_MB = (1, 5, 25, 100)
# What torch's DDP takes: a small first bucket, so that the wire is in use early.
DDP_FIRST, DDP_BUCKET = 2**20, 25 * 2**20


class Net(nn.Cell):
    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.CellList([nn.Dense(width, width) for _ in range(layers)])

    def construct(self, x):
        for layer in self.layers:
            x = ops.relu(layer(x))
        return x


class UserStep(nn.Cell):
    """A step as users write it: gradients, an explicit reducer, an update."""

    def __init__(self, network, optimizer, reducer) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)
        self.reducer = reducer

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs)
        self.optimizer(self.reducer(grads) if self.reducer else grads)
        return loss


def together(functions: dict, rounds: int, warm_up: int = 3) -> dict[str, float]:
    """Median seconds of each function's turns, each as long as in its slowest process."""
    for function in functions.values():
        for _ in range(warm_up):
            function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(rounds):
        for name in list(functions) if turn % 2 else reversed(functions):
            dist.barrier()
            start = time.perf_counter()
            functions[name]()
            times[name].append(time.perf_counter() - start)
    everywhere: list = [None] * get_group_size()
    dist.all_gather_object(everywhere, times)
    return {name: statistics.median(map(max, zip(*(one[name] for one in everywhere), strict=True)))
            for name in functions}


def _silent(group, bucket):
    """A hook for DDP that sends nothing."""
    done = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


def _overlap(weights, mb: float, hook):
    plain, ddp._sum = ddp._sum, hook
    try:
        return ddp.Overlap(weights, distributed.group(), bucket_mb=mb)
    finally:
        ddp._sum = plain


def _network(width: int, layers: int):
    ms.set_seed(1)
    return nn.WithLossCell(Net(width, layers), nn.MSELoss())


def _by_hand(width: int, layers: int, x, y):
    """The same with torch's DDP and SGD."""
    torch.manual_seed(1)
    parts = [part for _ in range(layers) for part in (torch.nn.Linear(width, width), torch.nn.ReLU())]
    module = torch.nn.Sequential(*parts).to(x.device)
    wrapped = torch.nn.parallel.DistributedDataParallel(module)
    optimizer = torch.optim.SGD(module.parameters(), 0.01)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(wrapped(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def _loopback() -> int:
    """Bytes that went over the loopback device so far."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == "lo":
            return int(counts.split()[8])
    return 0


def _wire_bytes(step, repeat: int = 5) -> int:
    """The least of several steps: other programs use the device too."""
    found = []
    for _ in range(repeat):
        dist.barrier()
        before = _loopback()
        step()
        dist.barrier()
        found.append(_loopback() - before)
    return min(found)


def worker(options) -> dict:
    init()
    width, layers, rounds = options.width, options.layers, options.rounds
    device = ms._core.devices.device.device()
    torch.manual_seed(get_rank())
    x, y = torch.randn(options.batch, width, device=device), torch.randn(options.batch, width, device=device)
    inputs = Tensor(x), Tensor(y)

    def synchronised(step):
        if device.type != "cuda":
            return step
        return lambda: (step(), torch.cuda.synchronize())

    def stepping(mode: str, explicit: bool):
        ms.set_auto_parallel_context(parallel_mode=mode, gradients_mean=True)
        network = _network(width, layers)
        optimizer = nn.SGD(network.trainable_params(), 0.01)
        if explicit:
            step = UserStep(network, optimizer, nn.DistributedGradReducer(optimizer.parameters)).set_train()
        else:
            step = nn.TrainOneStepCell(network, optimizer).set_train()
        return synchronised(lambda: step(*inputs)), network

    alone, network = stepping("stand_alone", False)
    overlapped, _ = stepping("data_parallel", False)
    explicit, _ = stepping("data_parallel", True)
    steps = {"without communication": alone, "overlapped": overlapped, "explicit": explicit,
             "torch DDP by hand": synchronised(_by_hand(width, layers, x, y))}
    times = together(steps, rounds)

    weights = network.trainable_params()
    grads = [torch.randn_like(w._rest) for w in weights]
    group = distributed.group()
    size = sum(g.numel() * g.element_size() for g in grads)
    whole = torch.cat([g.reshape(-1) for g in grads])
    first, each = (n // whole.element_size() for n in (DDP_FIRST, DDP_BUCKET))
    flats = [t.clone() for t in (whole[:first], *whole[first:].split(each)) if t.numel()]

    def wire():
        for work in [dist.all_reduce(flat, async_op=True) for flat in flats]:
            work.wait()

    wires = together({
        "DDP's buckets alone": synchronised(wire),
        "explicit reduction": synchronised(lambda: reducing.reduce(grads, group, 1 / group.size)),
    }, 2 * rounds)

    by_bucket = {}
    for mb in BUCKETS_MB:
        for what, hook in (("", ddp._sum), (", nothing sent", _silent)):
            overlap = _overlap(weights, mb, hook)
            by_bucket[f"{mb} MB{what}"] = synchronised(lambda o=overlap: o.step(network, inputs, None, 0.5))
    bucket_times = together(by_bucket, max(3, rounds // 2), warm_up=2)

    many = get_group_size()
    least = 2 * (many - 1) * size      # of all processes together
    on_wire = {name: _wire_bytes(step) for name, step in steps.items() if step is not alone}
    cost = {name: times[name] - times["without communication"] for name in ("overlapped", "explicit")}
    return {
        "processes": many, "device": str(device), "parameters": size // 4, "torch": torch.__version__,
        "cores": os.cpu_count(),
        "ms per step": {name: round(t * 1e3, 3) for name, t in times.items()},
        "ms by bucket size, without the update": {n: round(t * 1e3, 3) for n, t in bucket_times.items()},
        "ms on the wire": {name: round(t * 1e3, 3) for name, t in wires.items()},
        "overlapped / torch DDP by hand": round(times["overlapped"] / times["torch DDP by hand"], 3),
        "explicit reduction / DDP's buckets alone (goal 1.1)":
            round(wires["explicit reduction"] / wires["DDP's buckets alone"], 3),
        "communication hidden behind the backward pass":
            round(1 - cost["overlapped"] / wires["DDP's buckets alone"], 3),
        "bytes / least bytes": {name: round(b / least, 3) for name, b in on_wire.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nproc", type=int, default=2)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tiny", action="store_true", help="small enough to prove the script itself")
    options = parser.parse_args()
    if options.tiny:
        options.width, options.layers, options.batch, options.rounds = 32, 3, 4, 3
    if "RANK" not in os.environ:
        from ms2torch.shim import processes

        places = [sys.path[0], *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
        return processes.run(sys.argv, options.nproc)
    found = worker(options)
    if get_rank() == 0:
        print(json.dumps(found, indent=2))
        if options.json:
            options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
