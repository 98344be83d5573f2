"""The seven-year-old program: a script of release 1.0 brought back, and what the API generations change.

    python -m ms2torch migration_guide/07_seven_years/lesson.py
"""

# %% run
import re
import subprocess
import sys

import numpy as np


def ms2torch(*arguments):
    """What the program prints, with everything on stderr in front."""
    command = [sys.executable, "-m", "ms2torch", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return (done.stderr + done.stdout).replace(np.__version__, "2.x")


PROGRAM = "migration_guide/07_seven_years/seven_years.py"

# %% scan
print(ms2torch("--api", "1.0", "--check", PROGRAM).replace(PROGRAM, "seven_years.py"))

# %% check scan
assert "0 would fail" in ms2torch("--check", PROGRAM)

# %% train
now, then = ms2torch(PROGRAM), ms2torch("--api", "1.0", PROGRAM)
print(now.partition("epoch")[0].strip())

# %% curves
from matplotlib.figure import Figure


def losses(text):
    return [float(loss) for loss in re.findall(r"loss is (\S+)", text)]


# MindSpore 2.10.0 on its CPU, with the imports and names changed that it no longer has; for release 1.0 with
# the initial weights of that release written out.
real_now = [1.08862507, 0.12907824, 0.00004599, 0.00057145, 0.00001144, 0.00001809, 0.00020744]
real_then = [1.14109504, 1.09179091, 1.08025372, 1.08112168, 1.12279367, 0.73027009, 0.07420589]


def shown(loss):
    return f"{loss:.4f}" if loss > 1 else "falling" if loss > 0.1 else "below 0.1"


print("| epoch | ms2torch | MindSpore 2.10 | ms2torch `--api 1.0` | MindSpore, 1.0's initial weights |")
print("|--:|--:|--:|--:|--:|")
for epoch, row in enumerate(zip(losses(now), real_now, losses(then), real_then), 1):
    print(f"| {epoch} |", " | ".join(map(shown, row)), "|")

figure = Figure((6, 2.8))
axes = figure.add_subplot()
axes.semilogy(range(1, 11), losses(now), "o-", label="no --api: initial weights of 2.10")
axes.semilogy(range(1, 11), losses(then), "s-", label="--api 1.0: initial weights of 1.0")
for real in (real_now, real_then):
    axes.semilogy(range(1, 8), real, "kx", markersize=4, label="MindSpore" if real is real_now else None)
axes.set(xlabel="epoch", ylabel="loss")
axes.legend(frameon=False)

# %% check curves
assert np.allclose(losses(now)[:2], real_now[:2], rtol=1e-3)
assert np.allclose(losses(then)[:5], real_then[:5], rtol=2e-3)
assert losses(now)[-1] < 0.01 and losses(then)[-1] < 0.1

# %% start
program = """
import mindspore as ms
from mindspore import nn
ms.set_seed(1)
print('spread of the initial weights: %.4f' % nn.Dense(288, 32).weight.asnumpy().std())
"""
for release in ("1.0", "2.10"):
    print(release, ms2torch("--api", release, "-c", program).strip())

# %% changes
from ms2torch._naming.generations import CHANGES

print("| name | since | before it | from it on |")
print("|---|---|---|---|")
for name, change in sorted(CHANGES.items()):
    print(f"| `{name}` | {change.release[0]}.{change.release[1]} | {change.before} | {change.since} |")

# %% left out
from ms2torch._naming.generations import LEFT_OUT

print("| name | until | it was | here |")
print("|---|---|---|---|")
for name, change in sorted(LEFT_OUT.items()):
    print(f"| `{name}` | {change.release[0]}.{change.release[1]} | {change.before} | {change.since} |")
