"""Compiled train steps (``--graph compile``) against hand-written PyTorch: eager, and its own torch.compile.

    python scripts/benchmarks/compiled.py [--only MLP] [--threads 2] [--rounds 20] [--json FILE]

Adam on both sides (fused by hand). Ratios of medians of interleaved steps in one process; below 1 ours is
faster. ``train cell`` is nn.TrainOneStepCell, ``own cell`` a train cell as programs write it, ``Model``
Model.train with LossMonitor over data in memory, ``by hand`` a loop over the same data. Compile times are of
a first start (the cache in a fresh folder) and of a second one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import torch
from measure import interleaved
from models_small import pairs

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode


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

    return torch.compile(step) if compiled else step


def _state(train):
    return train.__dict__["_steps"]


def measure(name: str, rounds: int, inner: int) -> dict:
    """The ratios of one network, and what compiling took."""
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
    found = {"compile_s": _timed(cell), "compile_again_s": _timed(own)}
    hand_compiled = _by_hand(make_torch, data, True)
    try:
        found["torch_compile_s"] = _timed(hand_compiled) + _timed(hand_compiled)
        functions["hand compiled"] = hand_compiled
    except Exception as error:      # second derivatives
        found["torch_compile"] = f"fails: {type(error).__name__}"
    for _ in range(110):
        cell(), own()
    for which in (train, own_train):
        if _state(which).off:
            found["note"] = "runs eagerly"
    times = interleaved(functions, rounds=rounds, inner=inner)
    found |= {f"{key}_us": value * 1e6 for key, value in times.items()}
    found["cell / eager hand"] = times["cell"] / times["hand"]
    found["own / eager hand"] = times["own"] / times["hand"]
    if "hand compiled" in times:
        found["cell / torch.compile"] = times["cell"] / times["hand compiled"]
    found["eager / eager hand"] = times["eager"] / times["hand"]
    saved = times["hand"] - times["cell"]
    found["paid back after"] = round(found["compile_s"] / saved) if saved > 0 else "never"
    return found


def model_train(steps: int = 400) -> dict:
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
            for batch in rows.create_tuple_iterator(num_epochs=1):
                float(train(*batch).asnumpy())

        loop()
        times = interleaved({"loop": iterated, "Model": by_model}, rounds=5, warm_up=1)
        found[f"{graphs}: Model.train / loop"] = times["Model"] / times["loop"]
        found[f"{graphs}: step_us"] = times["loop"] / len(batches) * 1e6
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--inner", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {args.threads} threads")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", folder)
        for name in args.only or [*pairs(), "Model.train"]:
            done = model_train() if name == "Model.train" else measure(name, args.rounds, args.inner)
            results[name] = done
            shown = (f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in done.items())
            print(f"{name}: " + ", ".join(shown), flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
