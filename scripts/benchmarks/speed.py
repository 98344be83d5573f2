"""Speed of ms2torch against hand-written PyTorch that does the same arithmetic, as ratios of medians in one
run.

    python scripts/benchmarks/speed.py [--only NAME] [--rounds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import models_ms
import models_torch
import torch
from measure import interleaved

import ms2torch as ms
from ms2torch import Tensor, nn


def add_of_four(rounds: int) -> dict:
    """``a + b`` of four elements: microseconds over torch."""
    a, b = Tensor([1.0, 2.0, 3.0, 4.0]), Tensor([1.0, 2.0, 3.0, 4.0])
    x, y = a.torch(), b.torch()
    found = interleaved({"ms2torch": lambda: a + b, "torch": lambda: x + y}, rounds=rounds * 5, inner=2000)
    return {
        "over_us": (found["ms2torch"] - found["torch"]) * 1e6,
        "goal": "<= 0.4 us over torch",
        **_us(found),
    }


def value_and_grad_of_an_mlp(rounds: int) -> dict:
    """``value_and_grad`` of a 4-layer MLP for its weights, against autograd by hand and torch.func."""
    cell = models_ms.MLP()
    module = models_torch.same_weights(models_torch.MLP(), cell)
    inputs, labels = torch.randn(32, 64), torch.randint(0, 10, (32,))
    loss_cell = nn.CrossEntropyLoss()
    x, y = Tensor(inputs), Tensor(labels.int())

    def forward(x, y):
        return loss_cell(cell(x), y)

    weights = cell.trainable_params()
    ours = ms.value_and_grad(forward, None, weights)
    parameters = list(module.parameters())

    def by_hand():
        loss = torch.nn.functional.cross_entropy(module(inputs), labels)
        return loss, torch.autograd.grad(loss, parameters)

    named = dict(module.named_parameters())

    def functional(values):
        return torch.nn.functional.cross_entropy(
            torch.func.functional_call(module, values, (inputs,)), labels
        )

    by_func = torch.func.grad_and_value(functional)
    found = interleaved(
        {"ms2torch": lambda: ours(x, y), "autograd": by_hand, "torch.func": lambda: by_func(named)},
        rounds=rounds * 5,
        inner=10,
    )
    return {
        "ratio": found["ms2torch"] / found["autograd"],
        "goal": "<= 1.15 of autograd.grad, <= 0.5 of torch.func",
        "ratio_to_torch_func": found["ms2torch"] / found["torch.func"],
        **_us(found),
    }


def _step(name: str, cell, module, inputs, labels, rounds: int, goal: str, inner: int = 1) -> dict:
    """A training step: loss, gradients, Momentum; TrainOneStepCell against a loop over torch.optim.SGD."""
    models_torch.same_weights(module, cell)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    train = nn.TrainOneStepCell(nn.WithLossCell(cell, loss), nn.Momentum(cell.trainable_params(), 0.001, 0.9))
    train.set_train()
    module.train()
    optimizer = torch.optim.SGD(module.parameters(), 0.001, 0.9, fused=True)
    x, y = Tensor(inputs), Tensor(labels.int())

    def ours():
        return train(x, y)

    def by_hand():
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(module(inputs), labels)
        value.backward()
        optimizer.step()
        return value

    first = float(ours().asnumpy()), float(by_hand().detach())
    if abs(first[0] - first[1]) > 1e-3 * abs(first[1]):
        raise SystemExit(f"{name}: the two sides differ, {first}")
    found = interleaved({"ms2torch": ours, "torch": by_hand}, rounds=rounds, inner=inner)
    return {"ratio": found["ms2torch"] / found["torch"], "goal": goal, **_us(found)}


def lenet_step(rounds: int) -> dict:
    """LeNet, batch 32 of 1x32x32."""
    return _step(
        "lenet",
        models_ms.LeNet(),
        models_torch.LeNet(),
        torch.randn(32, 1, 32, 32),
        torch.randint(0, 10, (32,)),
        rounds * 4,
        "<= 1.10",
        inner=5,
    )


def resnet18_step(rounds: int) -> dict:
    """ResNet-18, batch 32 of 3x32x32."""
    return _step(
        "resnet18",
        models_ms.resnet18(),
        models_torch.resnet18(),
        torch.randn(32, 3, 32, 32),
        torch.randint(0, 10, (32,)),
        rounds,
        "<= 1.03",
    )


def transformer_step(rounds: int) -> dict:
    """Transformer encoder: 4 layers, width 256, 8 heads; batch 32 of 32 tokens."""
    return _step(
        "transformer",
        models_ms.Transformer(),
        models_torch.Transformer(),
        torch.randint(0, 1000, (32, 32), dtype=torch.int32),
        torch.randint(0, 10, (32,)),
        rounds,
        "<= 1.03",
    )


def import_time(rounds: int) -> dict:
    """``import ms2torch`` over ``import torch``, in fresh processes, with bytecode as after pip."""
    times: dict[str, list[float]] = {"torch": [], "ms2torch": []}
    code = "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as cache:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        for turn in range(rounds // 2 + 1):
            for name, values in times.items():
                command = [sys.executable, "-c", code.format(name)]
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, cwd=root, env=environment
                )
                if turn:
                    values.append(float(done.stdout))
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {"over_s": medians["ms2torch"] - medians["torch"], "goal": "<= 0.3 s over torch", **medians}


def _us(found: dict[str, float]) -> dict:
    return {f"{name}_us": seconds * 1e6 for name, seconds in found.items()}


ALL = {
    f.__name__: f
    for f in (add_of_four, value_and_grad_of_an_mlp, lenet_step, resnet18_step, transformer_step, import_time)
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=sorted(ALL), action="append")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, {args.threads} threads")
    results = {}
    for name in args.only or ALL:
        results[name] = found = ALL[name](args.rounds)
        print(
            f"{name}: "
            + ", ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items()),
            flush=True,
        )
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
