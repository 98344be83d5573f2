"""What ``ms2torch translate`` makes of the networks here and of a training step, against PyTorch by hand.

    python scripts/benchmarks/translated.py [--rounds 20] [--threads 1]

For each network: the processor time of a step of the translation over that of ``models_torch``, which starts
from the same weights and must end at the same loss. The steps take turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import models_torch
from measure import interleaved

from ms2torch.translate import translate_source

HERE = Path(__file__).parent
STEP = '''

def step_of(net, x, y):
    """A step of training as programs for MindSpore have it."""
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
    grad_fn = value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    net.set_train()

    def step():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        return loss

    return step
'''


def translated() -> dict:
    """The networks and the step as plain PyTorch."""
    text = (HERE / "models_ms.py").read_text(encoding="utf-8")
    text = text.replace("from ms2torch import nn, ops", "from mindspore import nn, ops, value_and_grad")
    made = translate_source(text + STEP)
    if kept := [site for site in made.sites if not site.settled]:
        raise SystemExit(f"not translated: {kept}")
    names: dict = {}
    exec(compile(made.text, "translated", "exec"), names)
    return names


def by_hand(net, x, y):
    """The same step as one writes it in PyTorch."""
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    net.train()

    def step():
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    names = translated()
    for name, x, inner in (
        ("MLP", torch.randn(32, 64), 20),
        ("LeNet", torch.randn(32, 1, 32, 32), 5),
        ("ResNet", torch.randn(8, 3, 32, 32), 1),
        ("Transformer", torch.randint(0, 1000, (8, 32)), 1),
    ):
        y = torch.randint(0, 10, (len(x),))
        ours, theirs = names[name](), getattr(models_torch, name)()
        theirs.load_state_dict(dict(zip(theirs.state_dict(), ours.state_dict().values(), strict=True)))
        steps = {"translated": names["step_of"](ours, x, y), "by hand": by_hand(theirs, x, y)}
        first = [step().item() for step in steps.values()]
        if abs(first[0] - first[1]) > 1e-4 * abs(first[1]):
            raise SystemExit(f"{name}: the two sides differ, {first}")
        found = interleaved(steps, rounds=asked.rounds, inner=inner, clock=time.process_time)
        ratio = found["translated"] / found["by hand"]
        ours_ms, theirs_ms = (1e3 * seconds for seconds in found.values())
        print(f"{name}: {ratio:.3f} ({ours_ms:.2f} ms against {theirs_ms:.2f} ms)")


if __name__ == "__main__":
    main()
