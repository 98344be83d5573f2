"""Networks under every layout of parallelism, held against one process: a table.

    python scripts/parallel_proof.py [--most 8] [--models mlp,llama] [--out FILE]

Starts 2, 4 and 8 processes on this machine (Gloo). For each network and layout: how far from one process's
the losses and parameters are after the last step (float64), which share of the weights and of what Adam keeps
of them a process holds, and, for the MLP, the bytes that a process sends in a step over those of `formula`.
The networks are those of tests/distributed/pipeline_cases.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from tests.distributed import pipeline_cases as cases
from tests.distributed.conftest import Together

BATCH, WIDTH, HIDDEN, LAYERS, ITEM = 16, cases.WIDTH, 16, 4, 8
# Layout: (data, tensor, stages, level of optimizer parallelism).
LAYOUTS = {
    "dp2": (2, 1, 1, 0), "tp2": (1, 2, 1, 0), "pp2": (1, 1, 2, 0),
    "zero1": (2, 1, 1, 1), "zero2": (2, 1, 1, 2), "zero3": (2, 1, 1, 3),
    "dp4": (4, 1, 1, 0), "pp4": (1, 1, 4, 0), "dp2 tp2": (2, 2, 1, 0), "dp2 pp2": (2, 1, 2, 0),
    "tp2 pp2": (1, 2, 2, 0), "tp2 zero3": (2, 2, 1, 3), "dp2 tp2 pp2": (2, 2, 2, 0), "dp2 pp4": (2, 1, 4, 0),
}
MODELS = {"mlp": 4, "transformer": 2, "llama": 2, "resnet": 1}       # and how many stages they can have


def formula(dp: int, tp: int, pp: int, stage: int) -> float:
    """Bytes that a process at ``stage`` sends in a step of the MLP.

    Gradients of its weights over dp processes; for each layer an activation and its gradient over tp; the two
    values that cross each border of stages, and their gradients. A sum over n takes 2 (n-1)/n.
    """
    activation = BATCH // dp * WIDTH * ITEM
    weights = LAYERS // pp * 2 * WIDTH * HIDDEN // tp * ITEM
    sums = 2 * (tp - 1) / tp * 2 * (LAYERS // pp) * activation
    crossing = 2 * ((stage < pp - 1) + (stage > 0)) * activation
    return 2 * (dp - 1) / dp * weights + sums + crossing


def row(together, model: str, layout: str) -> str:
    dp, tp, pp, level = LAYOUTS[layout]
    settings = {}
    if level:
        settings = {"enable_parallel_optimizer": True, "parallel_optimizer_config": {
            "parallel_optimizer_threshold": 0, "optimizer_level": f"level{level}"}}
    if tp > 1:
        settings["full_batch"] = True
    spread = tp > 1 or model in ("transformer", "llama", "resnet")
    args = (model, "cell", pp, dp if spread else 1, tp)
    (alone,), = together(cases.several, 1, [((model, "cell", pp), {})], timeout=200)
    ranks = [one for one, in together(cases.several, dp * tp * pp, [(args, settings)], timeout=400)]
    losses, values, whole, _ = alone
    worst = max(float(np.abs(mine[1][name] - values[name]).max() / max(1.0, np.abs(values[name]).max()))
                for mine in ranks for name in mine[1])
    block = dp * tp
    means = [np.mean([one[0] for one in ranks[s * block:(s + 1) * block]], axis=0) for s in range(pp)]
    worst = max(worst, *(float(np.abs(mean / losses - 1).max()) for mean in means))
    assert {name for mine in ranks for name in mine[1]} == set(values)
    held = max(sum(mine[2].values()) for mine in ranks) / sum(whole.values())
    wire = ""
    if model == "mlp" and not level:
        over = [mine[3] / formula(dp, tp, pp, rank // block) for rank, mine in enumerate(ranks)]
        wire = f"{min(over):.2f} to {max(over):.2f}"
    return (f"| {model} | {layout} | {dp * tp * pp} | {worst:.1e} | {held:.3f} | "
            f"{max(mine[3] for mine in ranks)} | {wire} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=8, help="processes")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = ["| network | layout | processes | difference | held by one | bytes sent by one | of the formula "
             "|", "|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    together = Together()
    for model in options.models.split(","):
        for layout, (dp, tp, pp, level) in LAYOUTS.items():
            if dp * tp * pp > options.most or pp > MODELS[model] or (model == "resnet" and level):
                continue
            lines.append(row(together, model, layout))
            print(lines[-1], flush=True)
    together.end()
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
