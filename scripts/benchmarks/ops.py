"""Operators against the bare torch call that does the same, as ratios of medians in one run, on one thread.

    python scripts/benchmarks/ops.py [--only NAME] [--rounds N] [--json FILE]

Forward: the ``ops`` function, against torch's on the tensors inside. Backward: a forward pass and its
gradients by ``GradOperation(get_all=True, sens_param=True)``, made once, against ``torch.autograd.grad`` by
hand on fresh leaves. Each at about a million elements (ratio) and at 16 (microseconds over torch), in CPU
time, which other programs on the machine disturb least.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import torch
import torch.nn.functional as F
from measure import interleaved

import ms2torch as ms
from ms2torch import Tensor, ops

# name | operands | ms2torch | torch. An operand is a shape, in terms of n (1024 or 4), after a word of
# `WORDS`; those that carry no gradient come last.
LINES = """
add               | n,n; n,n          | ops.add(a, b)                     | torch.add(a, b)
sub               | n,n; n,n          | ops.sub(a, b)                     | torch.sub(a, b)
mul               | n,n; n,n          | ops.mul(a, b)                     | torch.mul(a, b)
div               | n,n; above n,n    | ops.div(a, b)                     | torch.div(a, b)
add of a number   | n,n               | a + 1.5                           | a + 1.5
maximum           | n,n; n,n          | ops.maximum(a, b)                 | torch.maximum(a, b)
pow               | above n,n         | ops.pow(a, 2.5)                   | torch.pow(a, 2.5)
neg               | n,n               | ops.neg(a)                        | torch.neg(a)
abs               | n,n               | ops.abs(a)                        | torch.abs(a)
exp               | n,n               | ops.exp(a)                        | torch.exp(a)
log               | above n,n         | ops.log(a)                        | torch.log(a)
sqrt              | above n,n         | ops.sqrt(a)                       | torch.sqrt(a)
rsqrt             | above n,n         | ops.rsqrt(a)                      | torch.rsqrt(a)
square            | n,n               | ops.square(a)                     | torch.square(a)
sin               | n,n               | ops.sin(a)                        | torch.sin(a)
tanh              | n,n               | ops.tanh(a)                       | torch.tanh(a)
sigmoid           | n,n               | ops.sigmoid(a)                    | torch.sigmoid(a)
relu              | n,n               | ops.relu(a)                       | torch.relu(a)
gelu              | n,n               | ops.gelu(a)                       | F.gelu(a)
silu              | n,n               | ops.silu(a)                       | F.silu(a)
erf               | n,n               | ops.erf(a)                        | torch.erf(a)
equal             | n,n; n,n          | ops.equal(a, b)                   | torch.eq(a, b)
greater           | n,n; n,n          | ops.greater(a, b)                 | torch.gt(a, b)
select            | n,n; n,n; mask n,n | ops.select(c, a, b)              | torch.where(c, a, b)
clip_by_value     | n,n               | ops.clip_by_value(a, -1.0, 1.0)   | torch.clamp(a, -1.0, 1.0)
cast              | n,n               | ops.cast(a, ms.float16)           | a.to(torch.float16)
sum               | n,n               | ops.sum(a, 1)                     | torch.sum(a, 1)
mean              | n,n               | ops.mean(a, 1)                    | torch.mean(a, 1)
amax              | n,n               | ops.amax(a, 1)                    | torch.amax(a, 1)
argmax            | n,n               | ops.argmax(a, 1)                  | torch.argmax(a, 1)
cumsum            | n,n               | ops.cumsum(a, 1)                  | torch.cumsum(a, 1)
softmax           | n,n               | ops.softmax(a, 1)                 | torch.softmax(a, 1)
log_softmax       | n,n               | ops.log_softmax(a, 1)             | torch.log_softmax(a, 1)
matmul            | n/4,n/4; n/4,n    | ops.matmul(a, b)                  | torch.matmul(a, b)
bmm               | 4,n/4,n/4; 4,n/4,n/4 | ops.bmm(a, b)                  | torch.bmm(a, b)
reshape           | n,n               | ops.reshape(a, (-1,))             | torch.reshape(a, (-1,))
transpose         | n,n               | ops.transpose(a, (1, 0))          | torch.permute(a, (1, 0))
expand_dims       | n,n               | ops.expand_dims(a, 1)             | torch.unsqueeze(a, 1)
concat            | n,n; n,n          | ops.concat((a, b), 1)             | torch.cat((a, b), 1)
stack             | n,n; n,n          | ops.stack((a, b), 0)              | torch.stack((a, b), 0)
tile              | n,n               | ops.tile(a, (2, 1))               | torch.tile(a, (2, 1))
index             | n,n               | a[1:]                             | a[1:]
gather            | n,n; rows n       | ops.gather(a, b, 0)               | torch.index_select(a, 0, b)
gather_elements   | n,n; cells n,n    | ops.gather_elements(a, 1, b)      | torch.gather(a, 1, b)
masked_fill       | n,n; mask n,n     | ops.masked_fill(a, b, 0.0)        | torch.masked_fill(a, b, 0.0)
layer_norm        | n,n; n; n         | ops.layer_norm(a, (n,), b, c)     | F.layer_norm(a, (n,), b, c)
conv2d            | 4,4,n/4,n/4; 4,4,1,1 | ops.conv2d(a, b)               | F.conv2d(a, b)
max_pool2d        | 4,4,n/4,n/4       | ops.max_pool2d(a, 1, 1)           | F.max_pool2d(a, 1, 1)
cross_entropy     | n,n; classes n    | ops.cross_entropy(a, b)           | F.cross_entropy(a, b.long())
mse_loss          | n,n; n,n          | ops.mse_loss(a, b)                | F.mse_loss(a, b)
"""


WORDS = {
    "": torch.randn,
    "above": lambda shape: torch.rand(shape) + 0.5,
    "mask": lambda shape: torch.rand(shape) < 0.5,
    "rows": lambda shape: torch.randint(0, shape[-1], shape),
    "cells": lambda shape: torch.randint(0, shape[-1], shape),
    "classes": lambda shape: torch.randint(0, shape[-1], shape, dtype=torch.int32),
}
GOAL_RATIO, GOAL_US = 1.05, 0.5
FIGURES = ("forward", "backward", "forward_us", "backward_us")


def table() -> dict[str, list[str]]:
    """The lines by name, in parts."""
    lines = [[part.strip() for part in line.split("|")] for line in LINES.strip().splitlines()]
    return {name: rest for name, *rest in lines}


def operands(spec: str, n: int) -> list[torch.Tensor]:
    """The tensors of a line."""
    made = []
    for word in spec.split(";"):
        kind, _, shape = word.strip().rpartition(" ")
        made.append(WORDS[kind](eval(f"({shape},)".replace("/", "//"), {"n": n})))
    return made


def compiled(text: str, count: int, **names):
    """``lambda a, b, c: text`` over ``count`` of them."""
    return eval(f"lambda {', '.join('abc'[:count])}: {text}", names)


def same(name: str, theirs, ours) -> None:
    """Both sides computed the same, or the comparison means nothing."""
    for x, y in zip(theirs, ours, strict=True):
        if x.shape != y.shape or not torch.allclose(x.double(), y.double(), rtol=1e-4, atol=1e-5):
            raise SystemExit(f"{name}: the two sides differ")


def measured(name: str, line: list[str], n: int, rounds: int) -> dict[str, float]:
    """Seconds of both sides, forward and, where the result is differentiable, with gradients."""
    spec, our_text, their_text = line
    raw = operands(spec, n)
    wrapped = [Tensor(t) for t in raw]
    ours = compiled(our_text, len(raw), ops=ops, ms=ms, n=n)
    theirs = compiled(their_text, len(raw), torch=torch, F=F, n=n)
    result = theirs(*raw)
    same(name, [result], [ours(*wrapped).torch()])
    inner = 1 if n > 4 else 200
    found = interleaved({"ours": lambda: ours(*wrapped), "torch": lambda: theirs(*raw)}, rounds, inner,
                        clock=time.process_time)
    if not result.is_floating_point():
        return found
    count = sum(t.is_floating_point() for t in raw)
    weight, rest, wrapped_rest = torch.ones_like(result), raw[count:], wrapped[count:]
    gradient = ops.GradOperation(get_all=True, sens_param=True)(lambda *x: ours(*x, *wrapped_rest))
    given, sens = wrapped[:count], Tensor(weight)

    def by_hand():
        leaves = [t.detach().requires_grad_() for t in raw[:count]]
        return torch.autograd.grad(theirs(*leaves, *rest), leaves, weight)

    same(f"{name}, gradients", by_hand(), [g.torch() for g in gradient(*given, sens)])
    back = interleaved({"ours backward": lambda: gradient(*given, sens), "torch backward": by_hand},
                       rounds, max(1, inner // 4), clock=time.process_time)
    return {**found, **back}


def figures(name: str, line: list[str], rounds: int) -> dict[str, float]:
    """One row: ratios at a million elements, microseconds over torch at 16."""
    large, small = measured(name, line, 1024, rounds), measured(name, line, 4, rounds)
    row = {"forward": large["ours"] / large["torch"], "forward_us": (small["ours"] - small["torch"]) * 1e6}
    if "ours backward" in large:
        row["backward"] = large["ours backward"] / large["torch backward"]
        row["backward_us"] = (small["ours backward"] - small["torch backward"]) * 1e6
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=list(table()), help="an operator of the table")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread\n\n"
          "| operator | 1 M, forward | 1 M, with gradients | 16, forward: us over torch | with gradients |\n"
          "|---|--:|--:|--:|--:|")
    results = {}
    for name in args.only or table():
        results[name] = row = figures(name, table()[name], args.rounds)
        print(_line(name, row), flush=True)
    middle = {k: statistics.median(r[k] for r in results.values() if k in r) for k in FIGURES}
    print(_line(f"**median of {len(results)}**", middle))
    above = [f"{n} {row['forward_us']:.2f}" for n, row in results.items() if row["forward_us"] > GOAL_US]
    print(f"\nGoals: a median ratio of at most {GOAL_RATIO} ({middle['forward']:.3f} forward, "
          f"{middle['backward']:.3f} with gradients); forward at 16 elements at most {GOAL_US} us: "
          f"{len(results) - len(above)} of {len(results)}.", f"Above: {', '.join(above)}." if above else "")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


def _line(name: str, row: dict[str, float]) -> str:
    return f"| {name} | " + " | ".join(f"{row[k]:.2f}" if k in row else "" for k in FIGURES) + " |"


if __name__ == "__main__":
    main()
