"""Records tests/mindir/: networks exported as MindIR by the real MindSpore, and what it computes.

    python scripts/record_mindir.py tests/mindir/recorded [NAME...]     # with the real MindSpore's Python

Each network of ``tests/mindir/networks.py`` is filled with seeded values, run, and exported: NAME.mindir is
the file, NAME.npz the inputs and outputs.
"""

import os
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore.train import serialization

ROOT = Path(__file__).resolve().parents[1]


def networks() -> dict:
    """The table of networks."""
    sys.path.insert(0, str(ROOT / "tests" / "mindir"))
    from networks import NETWORKS

    return NETWORKS


def fill(net) -> None:
    """Seeded values, small and positive where a variance is."""
    draw = np.random.default_rng(7)
    for p in net.get_parameters():
        if not p.name.endswith("fixed"):
            signs = 1 if "variance" in p.name else draw.choice([-1, 1], p.shape)
            values = draw.uniform(0.05, 0.5, p.shape) * signs
            p.set_data(ms.Tensor(values.astype(np.float32), p.dtype))


def flat(value) -> list:
    """All tensors of an output, in order."""
    if isinstance(value, (tuple, list)):
        return [t for one in value for t in flat(one)]
    return [value.asnumpy() if isinstance(value, ms.Tensor) else np.asarray(value)]


def main(folder: str, *wanted: str) -> None:
    os.makedirs(folder, exist_ok=True)
    ms.set_context(mode=ms.GRAPH_MODE)
    for name, one in networks().items():
        if wanted and name not in wanted:
            continue
        net = one.make()
        fill(net)
        net.set_train(False)
        inputs = [ms.Tensor(array) for array in one.inputs()]
        outputs = flat(net(*inputs))
        declared = inputs if one.declared is None else one.declared(ms)
        path = os.path.join(folder, f"{name}.mindir")
        if os.path.exists(path):
            os.remove(path)
        # The KiB from which weights go into a file beside it.
        serialization.TOTAL_SAVE = 0 if name == "outside" else 1 << 20
        ms.export(net, *declared, file_name=path, file_format="MINDIR")
        if name == "outside":
            path = path.replace(".mindir", "_graph.mindir")
        arrays = {f"in{i}": x.asnumpy() for i, x in enumerate(inputs)}
        np.savez_compressed(path[:-6] + "npz", **arrays, **{f"out{i}": x for i, x in enumerate(outputs)})
        print(name, [x.shape for x in outputs], flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
