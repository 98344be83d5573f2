"""Training steps of ResNet-50 and BERT-base against hand-written PyTorch with torch.amp, as ratios.

    python scripts/benchmarks/amp_cuda.py [--model resnet bert] [--dtype float32 float16 bfloat16]
        [--level auto] [--batch N] [--rounds N] [--json FILE] [--tiny]

Eager on both sides, the same weights and batches, interleaved, each step synchronised at its end. float16
scales the loss dynamically on both sides (DynamicLossScaleUpdateCell, torch.amp.GradScaler); bfloat16 and
float32 do not. ``--level``: the amp level here; "auto" casts by operator as torch's autocast does, O2 all but
BatchNorm and LayerNorm. ``--tiny`` proves the script where there is no GPU. Goal: at most 1.02.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import models_large as models
import torch
import torch.nn.functional as F
from measure import interleaved

import ms2torch as ms
from ms2torch import Tensor, amp, nn
from ms2torch._core.devices.device import describe, device

RATE, MOMENTUM, EPSILON = 1e-3, 0.9, 1e-6


class BertLoss(nn.Cell):
    """The network with its loss: the mean over all places and the pair of sentences."""

    def __init__(self, network) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.loss = network, nn.CrossEntropyLoss()

    def construct(self, tokens, kinds, labels, pair):
        scores, pairs = self.network(tokens, kinds)
        flat = scores.astype(ms.float32).reshape(-1, scores.shape[-1])
        return self.loss(flat, labels.reshape(-1)) + self.loss(pairs.astype(ms.float32), pair)


class ImageLoss(nn.Cell):
    def __init__(self, network) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.loss = network, nn.CrossEntropyLoss()

    def construct(self, images, labels):
        return self.loss(self.network(images).astype(ms.float32), labels)


def _resnet(tiny: bool, batch: int | None):
    shape = {"depths": (1, 1), "width": 8, "classes": 10} if tiny else {}
    count, side = (2, 32) if tiny else (batch or 64, 224)
    inputs = torch.randn(count, 3, side, side), torch.randint(0, shape.get("classes", 1000), (count,))
    cell = models.ResNet(**shape)

    def loss(module, images, labels):
        return F.cross_entropy(module(images).float(), labels)

    return cell, models.TorchResNet(**shape), ImageLoss, loss, inputs


def _bert(tiny: bool, batch: int | None):
    shape = {"words": 50, "places": 16, "width": 16, "heads": 2, "layers": 2} if tiny else {}
    count, length, words = (2, 8, 50) if tiny else (batch or 16, 128, 30522)
    tokens, labels = torch.randint(0, words, (2, count, length))
    inputs = tokens, torch.randint(0, 2, (count, length)), labels, torch.randint(0, 2, (count,))
    cell = models.Bert(**shape)

    def loss(module, tokens, kinds, labels, pair):
        scores, pairs = module(tokens, kinds)
        return (F.cross_entropy(scores.float().flatten(0, 1), labels.flatten())
                + F.cross_entropy(pairs.float(), pair))

    return cell, models.TorchBert(**shape), BertLoss, loss, inputs


MODELS = {"resnet": _resnet, "bert": _bert}


def _ours(cell, with_loss, dtype: str, level: str, inputs, adam: bool):
    """(a step that gives the loss, the network)."""
    if dtype != "float32":
        cell = amp.auto_mixed_precision(cell, level, getattr(ms, dtype))
    network, weights = with_loss(cell), cell.trainable_params()
    optimizer = nn.Adam(weights, RATE, eps=EPSILON) if adam else nn.Momentum(weights, RATE, MOMENTUM)
    batch = tuple(Tensor(t.int() if not t.is_floating_point() else t) for t in inputs)
    if dtype == "float16":
        scale = nn.DynamicLossScaleUpdateCell(2.0**12, 2, 1000)
        step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale).set_train()
        return lambda: step(*batch)[0]
    step = nn.TrainOneStepCell(network, optimizer).set_train()
    return lambda: step(*batch)


def _by_hand(module, loss, dtype: str, inputs, adam: bool):
    kind = device().type
    module, inputs = module.to(device()).train(), [t.to(device()) for t in inputs]
    optimizer = (torch.optim.Adam(module.parameters(), RATE, eps=EPSILON, fused=True) if adam
                 else torch.optim.SGD(module.parameters(), RATE, MOMENTUM, fused=True))
    scaler = torch.amp.GradScaler(kind, init_scale=2.0**12, enabled=dtype == "float16")
    low = torch.autocast(kind, getattr(torch, dtype), enabled=dtype != "float32")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with low:
            value = loss(module, *inputs)
        scaler.scale(value).backward()
        scaler.step(optimizer)
        scaler.update()
        return value

    return step


def _synchronised(step):
    if device().type != "cuda":
        return step
    return lambda: (step(), torch.cuda.synchronize())


def measured(model: str, dtype: str, options) -> dict:
    torch.manual_seed(0)
    ms.set_seed(0)
    cell, module, with_loss, loss, inputs = MODELS[model](options.tiny, options.batch)
    models.same_weights(module, cell)
    adam = model == "bert"
    ours = _ours(cell, with_loss, dtype, options.level, inputs, adam)
    hand = _by_hand(module, loss, dtype, inputs, adam)
    first = float(ours()), float(hand().detach())
    times = interleaved({"ms2torch": _synchronised(ours), "torch": _synchronised(hand)}, options.rounds)
    return {
        "ratio": round(times["ms2torch"] / times["torch"], 4),
        "ms": {name: round(t * 1e3, 3) for name, t in times.items()},
        "first losses": [round(x, 5) for x in first],
        "memory MB": round(torch.cuda.max_memory_allocated() / 2**20) if device().type == "cuda" else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="+", choices=list(MODELS), default=list(MODELS))
    dtypes = ["float32", "float16", "bfloat16"]
    parser.add_argument("--dtype", nargs="+", choices=dtypes, default=dtypes)
    parser.add_argument("--level", choices=["O1", "O2", "O3", "auto"], default="auto")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tiny", action="store_true", help="small enough to prove the script itself")
    options = parser.parse_args()
    if options.tiny:
        options.rounds = 2
    found = {"device": describe(device()), "torch": torch.__version__, "python": platform.python_version(),
             "level": options.level, "goal": "at most 1.02"}
    for model in options.model:
        for dtype in options.dtype:
            found[f"{model} {dtype}"] = measured(model, dtype, options)
            print(f"{model} {dtype}", found[f"{model} {dtype}"], flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
