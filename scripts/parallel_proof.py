"""Networks under every layout of parallelism, held against one process: a table.

    python scripts/parallel_proof.py [--most 8] [--models mlp,llama] [--out FILE]

Starts 2, 4 and 8 processes on this machine (Gloo). For each network and layout: how far from one process's
the losses and parameters are after the last step (float64), which share of the weights and of what Adam keeps
of them a process holds, and the bytes that a process sends in a step over those of `formula`.
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

BATCH, WIDTH, HIDDEN, ITEM, MICRO = 16, cases.WIDTH, 16, 8, cases.MICRO
# Layout: (data, tensor, stages, level of optimizer parallelism).
LAYOUTS = {
    "dp2": (2, 1, 1, 0), "tp2": (1, 2, 1, 0), "pp2": (1, 1, 2, 0),
    "zero1": (2, 1, 1, 1), "zero2": (2, 1, 1, 2), "zero3": (2, 1, 1, 3),
    "dp4": (4, 1, 1, 0), "pp4": (1, 1, 4, 0), "dp2 tp2": (2, 2, 1, 0), "dp2 pp2": (2, 1, 2, 0),
    "tp2 pp2": (1, 2, 2, 0), "zero1 tp2": (2, 2, 1, 1), "zero3 tp2": (2, 2, 1, 3), "zero1 pp2": (2, 1, 2, 1),
    "zero3 pp2": (2, 1, 2, 3), "dp2 tp2 pp2": (2, 2, 2, 0), "zero1 tp2 pp2": (2, 2, 2, 1),
    "zero3 tp2 pp2": (2, 2, 2, 3), "dp2 pp4": (2, 1, 4, 0),
}
MODELS = {"mlp": 4, "transformer": 2, "llama": 2, "resnet": 1}       # and how many stages they can have


def formula(model: str, dp: int, tp: int, pp: int, level: int, stage: int) -> float:
    """Bytes that a process at ``stage`` sends in a step, at least.

    A sum over n processes takes 2 (n-1)/n of what is summed, each of its halves, scattering and gathering,
    one. Of a layer over tp, an activation is summed for each pair of matrices, and its gradient. Gradients
    of weights are summed over dp; with optimizer parallelism in stages each micro-batch's are scattered; at
    level 3 every micro-batch also gathers the weights twice. (Those whose rows tp splits are not split
    further.) What crosses a border of stages is sent on, and its gradient back; a table that the first and
    the last stage read is sent to the first, and back. Batch normalisation sums two numbers a channel, and
    their gradients.
    """
    def summed(size: float, n: int) -> float:
        return 2 * (n - 1) / n * size

    if model == "resnet":
        kernels, channels, head = 9 * (4 + 16 + 16), 4, 4 * WIDTH
        norms = 3 * 4 * channels * MICRO if dp > 1 else 0
        weights = kernels + 3 * 2 * channels + head / tp + WIDTH
        return ITEM * (summed(weights + norms, dp) + summed(BATCH // dp * channels, tp))
    attends = model != "mlp"
    layers, pairs, crossing = (2, 2, 1) if attends else (4, 1, 2)
    columns, rows = WIDTH * HIDDEN, WIDTH * HIDDEN
    if attends:
        columns, rows = 3 * WIDTH**2 + columns * (2 if model == "llama" else 1), WIDTH**2 + rows
    other = (layers // pp * WIDTH + (16 * WIDTH if stage in (0, pp - 1) else 0)) if attends else 0
    columns, rows = layers // pp * columns / tp, layers // pp * rows / tp
    activation = BATCH // dp * WIDTH * (WIDTH if attends else 1)
    found = summed(2 * pairs * layers // pp * activation, tp)
    found += crossing * ((stage < pp - 1) + (stage > 0)) * activation
    if attends and pp > 1 and stage in (0, pp - 1):
        found += 2 * 16 * WIDTH
    shared = columns + other + (rows if tp == 1 else 0)
    times = 3 * MICRO if level == 3 else 1 + MICRO if level and pp > 1 else 2
    return ITEM * (found + times * summed(shared, dp) / 2 + summed(rows if tp > 1 else 0, dp))


def row(together, model: str, layout: str) -> str:
    dp, tp, pp, level = LAYOUTS[layout]
    settings = {}
    if level:
        settings = {"enable_parallel_optimizer": True, "parallel_optimizer_config": {
            "parallel_optimizer_threshold": 0, "optimizer_level": f"level{level}"}}
    if tp > 1:
        settings["dataset_strategy"] = ((dp, 1), (dp, 1))
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
    over = [mine[3] / formula(model, dp, tp, pp, level, rank // block) for rank, mine in enumerate(ranks)]
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
