"""What to do where no rule is exact: leave the line, write it by hand and prove it, or give exactness up.

Each command runs here, in a folder of its own, and what it says is on the page.
"""

import contextlib
import io
import json
import os
import re
import runpy
import shlex
import shutil
import tempfile
from pathlib import Path

import torch

import ms2torch
from ms2torch import cli

HERE = Path(__file__).resolve().parent
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
shutil.copy(HERE / "train.py", "train.py")


def command(line):
    """One of ms2torch's commands; its exit code."""
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            cli.main(shlex.split(line)[1:])
        except SystemExit as end:
            code = end.code
    print(f"$ {line}\n{said.getvalue()}exit code {code}")


def run(name):
    """What a program prints, and prints it."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(name, run_name="__main__")
    print(said.getvalue(), end="")
    return said.getvalue()


# %% translate
command('ms2torch translate train.py -o plain.py --run "train.py" --json report.json')

# %% result
text = Path("plain.py").read_text()
print(text[text.index("class Groups") :])

# %% checklist
for line in json.loads(Path("report.json").read_text())["left"]:
    print("[ ]", line)


# %% by_hand
def segment_prod(x, ids, count):
    """The product of the rows of each segment; ones where it has none."""
    out = torch.ones(count, *x.shape[1:], dtype=x.dtype)
    index = ids.long().reshape(-1, *[1] * (x.ndim - 1)).expand_as(x)
    return out.scatter_reduce(0, index, x, "prod")


# %% prove
kept = ms2torch.to_torch(ms2torch.ops.unsorted_segment_prod)
random = torch.Generator().manual_seed(0)
for shape, count in [((12, 1), 3), ((7, 2, 3), 4), ((5,), 2)]:
    ids = torch.randint(0, count, shape[:1], generator=random, dtype=torch.int32)
    both = []
    for function in (kept, segment_prod):
        x = torch.randn(shape, generator=random.manual_seed(1), requires_grad=True)
        out = function(x, ids, count)
        (gradient,) = torch.autograd.grad(out.square().sum(), x)
        both.append((out.detach(), gradient))
    (ours, ours_back), (theirs, theirs_back) = both
    forward, backward = torch.allclose(ours, theirs), torch.allclose(ours_back, theirs_back)
    print(f"{shape}: forward {forward}, backward {backward}")

# %% mend
start = text.index("class Groups")
lesson = (HERE / "lesson.py").read_text(encoding="utf-8")
helper = lesson[lesson.index("def segment_prod") : lesson.index("# %% prove")]
mended = text[:start] + helper.rstrip() + "\n\n\n" + text[start:]
mended = mended.replace("ms2torch.to_torch(ms2torch.ops.unsorted_segment_prod)", "segment_prod")
Path("mended.py").write_text(mended)
same = run("mended.py")

# %% check mend
assert same == run("train.py")

# %% inexact
near = "torch.optim.Adagrad(net.parameters(), lr=0.5, initial_accumulator_value=0.1)"
other = re.sub(r"ms2torch\.to_torch\(ms2torch\.nn\.ProximalAdagrad\)\(.*\)", near, mended)
other = re.sub(r".*# ms2torch: .*\n|^import ms2torch\n", "", other, flags=re.M)
Path("other.py").write_text(other)
inexact = run("other.py")

# %% check inexact
assert "ms2torch" not in Path("other.py").read_text()
losses = [[float(line.split()[-1]) for line in said.splitlines()] for said in (same, inexact)]
gap = max(abs(a - b) for a, b in zip(*losses, strict=True))
assert 0 < gap < 0.01
