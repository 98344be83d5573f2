"""Compiled train steps (``--graph compile``) against hand-written PyTorch: eager, and its own torch.compile.

    python scripts/benchmarks/compiled.py [--only MLP] [--threads 2] [--rounds 20] [--minutes 12]

``--minutes`` ends in that time: fewer rounds, models that no longer fit are named; ``--process-time`` leaves
out what other processes take, ``--json FILE`` keeps the figures. Adam on both sides (fused by hand). Ratios
of medians of interleaved steps in one process; below 1 ours is faster. ``train cell`` is
nn.TrainOneStepCell, ``own cell`` a train cell as programs write it, ``Model`` Model.train with LossMonitor
over data in memory, ``by hand`` a loop over the same data. At the end stands which goals were missed.
Compile times are of first starts (the cache in a fresh folder; two processes at once) and of a second one:
the process that measures, which finds torch's cache.
``memory``: the most that a step holds in tensors over what it starts from, against eager by hand.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import torch
from measure import interleaved
from models_small import pairs

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode

# Seconds of a turn at least: a training repeats its step; the first ones after other code find caches cold.
_TURN = 0.02


class OwnCell(nn.Cell):
    """A train cell as programs write it."""

    def __init__(self, network, optimizer) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.network.set_grad()
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        return ops.depend(loss, self.optimizer(self.grad(self.network, self.weights)(*inputs)))


def _timed(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _ours(kind, make, data):
    net = make()
    train = kind(net, nn.Adam(net.trainable_params(), 1e-3)).set_train()
    given = [Tensor(x) for x in data]

    def step():
        mode.graphs = "compile"
        return train(*given)

    return step, train


def _by_hand(make, data, compiled: bool):
    module = make()
    optimizer = torch.optim.Adam(module.parameters(), 1e-3, fused=True)
    given = [torch.from_numpy(x) for x in data]
    given = [x.long() if x.dtype is torch.int32 else x for x in given]

    def step():
        optimizer.zero_grad()
        loss = module(*given)
        loss.backward()
        optimizer.step()
        return loss

    if compiled:
        torch._dynamo.reset()  # it gives a function up, eager for good, that it compiled eight times
        return torch.compile(step)
    return step


def _peak(step) -> int:
    """The most bytes in tensors that a step holds over the least."""
    cpu = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=cpu, profile_memory=True) as seen:
        step()
    held = most = least = 0
    for event in seen.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            most, least = max(most, held), min(least, held)
    return most - least


def first_steps(name: str) -> None:
    """Print the seconds of the first steps of both train cells here, tracing and compiling included."""
    make, _, data = pairs()[name]
    for kind in (nn.TrainOneStepCell, OwnCell):
        cell, train = _ours(kind, make, data())
        took = _timed(cell)
        print(-1.0 if _state(train).off else took)


def _first_starts(names: list[str], threads: int) -> dict[str, list[float]]:
    """By name: the seconds of `first_steps`, each in a process of its own, two at a time."""
    def start(name: str) -> list[float]:
        done = subprocess.run([sys.executable, __file__, "--start", name, "--threads", str(threads)],
                              capture_output=True, text=True, check=True)
        return list(map(float, done.stdout.split()))

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(start, names), strict=True))


def _state(train):
    return train.__dict__["_compiled_step"]


def _by_model(train, data, steps: int) -> dict:
    """`Model.train` with LossMonitor, and the loop that it stands for, over the same batches; a step's."""
    names = [f"column_{i}" for i in range(len(data))]
    rows = ms.dataset.GeneratorDataset([data] * steps, names, shuffle=False)
    model = ms.Model(train)

    def quietly(run):
        def function():
            mode.graphs = "compile"
            with contextlib.redirect_stdout(io.StringIO()):
                run()
        return function

    def loop():
        for number, batch in enumerate(rows.create_tuple_iterator(num_epochs=1), 1):
            print(f"epoch: 1 step: {number}, loss is {float(train(*batch).asnumpy())}", flush=True)

    return {"loop of steps": quietly(loop),
            "Model.train": quietly(lambda: model.train(1, rows, callbacks=[ms.train.LossMonitor()],
                                                       dataset_sink_mode=False))}


def measure(name: str, rounds: int, inner: int, compiling: list[float], clock, checked: int) -> dict:
    """The ratios of one network; ``compiling``: seconds of its first starts. ``checked``: steps before."""
    make, make_torch, data = pairs()[name]
    data = data()
    cell, train = _ours(nn.TrainOneStepCell, make, data)
    own, own_train = _ours(OwnCell, make, data)
    eager_net = make()
    eager_cell = nn.TrainOneStepCell(eager_net, nn.Adam(eager_net.trainable_params(), 1e-3)).set_train()
    given = [Tensor(x) for x in data]

    def eager():
        mode.graphs = "eager"
        return eager_cell(*given)

    functions = {"hand": _by_hand(make_torch, data, False), "eager": eager, "cell": cell, "own": own}
    # Before anything compiles: an eager program's process has not.
    inner = max(inner, round(_TURN / min(_timed(functions["hand"]) for _ in range(5))))
    plain = interleaved({"hand": functions["hand"], "eager": eager}, rounds=rounds, inner=inner, clock=clock)
    found = {"compile_s": compiling[0], "own_compile_s": compiling[1], "second_start_s": _timed(cell)}
    own()
    hand_compiled = _by_hand(make_torch, data, True)
    try:
        found["torch_compile_s"] = _timed(hand_compiled) + _timed(hand_compiled)
        functions["hand compiled"] = hand_compiled
    except Exception as error:      # second derivatives
        found["torch_compile"] = f"fails: {type(error).__name__}"
    for _ in range(checked):        # (steps 1, 2, 10 and 100 are compared with eager ones)
        cell(), own()
    if _state(train).off or _state(own_train).off:
        found["note"] = "runs eagerly"
    _peak(functions["hand"])        # (the first one of a process counts more)
    peaks = {key: _peak(function) for key, function in functions.items()}
    found |= {f"memory: {key} / hand": peaks[key] / peaks["hand"] for key in peaks if key != "hand"}
    times = interleaved(functions, rounds=rounds, inner=inner, clock=clock)
    steps = min(200, max(10, round(0.3 / times["cell"])))
    through = interleaved(_by_model(train, data, steps), rounds=max(9, rounds), warm_up=1, clock=clock)
    found["Model.train / loop"] = through["Model.train"] / through["loop of steps"]
    found |= {f"{key}_us": value * 1e6 for key, value in times.items()}
    for which in ("cell", "own"):
        found[f"{which} / eager hand"] = times[which] / times["hand"]
        if "hand compiled" in times:
            found[f"{which} / torch.compile"] = times[which] / times["hand compiled"]
    found["eager / eager hand"] = plain["eager"] / plain["hand"]
    saved = times["hand"] - times["cell"]
    found["paid back after"] = round(found["compile_s"] / saved) if saved > 0 else "never"
    return found


def model_train(clock, steps: int = 400) -> dict:
    """``Model.train`` with LossMonitor over the bare loop: an MLP, data in memory, eager and compiled."""
    make, _, data = pairs()["MLP"]
    x, y = data()
    net, train = make(), {}
    found = {}
    for graphs in ("eager", "compile"):
        mode.graphs = graphs
        rows = ms.dataset.NumpySlicesDataset((x.repeat(10, 0), y.repeat(10, 0)), shuffle=False)
        rows = rows.batch(32).repeat(steps // 10)
        net = make()
        train = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-3))
        model = ms.Model(train)
        batches = list(rows.create_tuple_iterator(num_epochs=1))

        def loop(train=train, batches=batches):
            for batch in batches:
                train(*batch)

        def by_model(model=model, rows=rows):
            with contextlib.redirect_stdout(io.StringIO()):
                model.train(1, rows, callbacks=[ms.train.LossMonitor()])

        def iterated(train=train, rows=rows):
            with contextlib.redirect_stdout(io.StringIO()):
                for number, batch in enumerate(rows.create_tuple_iterator(num_epochs=1), 1):
                    print(f"epoch: 1 step: {number}, loss is {float(train(*batch).asnumpy())}", flush=True)

        loop()
        times = interleaved({"loop": iterated, "Model": by_model}, rounds=9, warm_up=1, clock=clock)
        found[f"{graphs}: Model.train / loop"] = times["Model"] / times["loop"]
        found[f"{graphs}: step_us"] = times["loop"] / len(batches) * 1e6
    return found


# What is promised: a ratio by its name, of any model or of this one, and the most that it may be.
_GOALS = {"cell / eager hand": 1.0, "own / eager hand": 1.0, "cell / torch.compile": 1.03,
          "own / torch.compile": 1.03, "Model.train / loop": 1.02, "eager: Model.train / loop": 1.02,
          "compile: Model.train / loop": 1.02, "memory: eager / hand": 1.05, "memory: cell / hand": 1.05,
          "memory: own / hand": 1.05}
_SMALL = ("MLP", "LSTM", "PINN", "GCN")


def missed(results: dict) -> list[str]:
    """The goals that were not reached."""
    goals = {name: dict(_GOALS) for name in results}
    for name in goals.keys() & set(_SMALL):
        goals[name] |= {"cell / eager hand": 0.7, "own / eager hand": 0.7}
    goals.get("MLP", {})["eager / eager hand"] = 1.10
    return [f"{name}: {what} {found[what]:.3f}, goal {goal}" for name, found in results.items()
            for what, goal in goals[name].items() if found.get(what, 0.0) > goal]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--inner", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--start", help=argparse.SUPPRESS)
    parser.add_argument("--process-time", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    if args.start:
        first_steps(args.start)
        return
    print(f"torch {torch.__version__}, {args.threads} threads")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", folder)
        start, clock = time.monotonic(), time.process_time if args.process_time else time.perf_counter
        quick, longest = args.minutes is not None, 0.0
        names = args.only or ["Model.train", *pairs()]
        compiling = _first_starts([name for name in names if name != "Model.train"], args.threads)
        for name in names:
            begun = time.monotonic()
            if quick and begun - start + longest > args.minutes * 60:
                print(f"{name}: no time left", flush=True)
                continue
            rounds, inner, checked = (min(args.rounds, 8), 2, 12) if quick else (args.rounds, args.inner, 110)
            done = model_train(clock) if name == "Model.train" else measure(
                name, rounds, inner, compiling[name], clock, checked)
            longest = max(longest, time.monotonic() - begun)
            results[name] = done
            shown = (f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in done.items())
            print(f"{name}: " + ", ".join(shown), flush=True)
    print("missed: " + ("; ".join(missed(results)) or "nothing"))
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
