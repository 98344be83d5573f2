"""Trust: the twin run on a program with a planted bug, from the first wrong number to its line.

    python -m ms2torch migration_guide/09_trust/lesson.py

reference.trace holds the first step of train.py on the real MindSpore 2.10.0, made there with

    python recorder -o reference.trace --steps 4 --refeed 1 train.py
"""

# %% twin
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def diff(*changes):
    """`ms2torch diff` of a copy of the program, with these changes in parts.py, against the recorded run."""
    text = (HERE / "parts.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE / "train.py", folder)
        Path(folder, "parts.py").write_text(text, encoding="utf-8")
        trace = str(HERE / "reference.trace")
        command = [sys.executable, "-m", "ms2torch", "diff", "--trace", trace, f"{folder}/train.py"]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env={**os.environ, "COLUMNS": "160"}
        )
    report = done.stdout.partition("what differs")[0].partition("loss over")[0]
    report = re.sub(r" \(tolerance \S+\)|\n.*rounding of ours.*", "", report)
    print(f"{report.rstrip()}\nexit code {done.returncode}")
    return " ".join((done.stdout + done.stderr).split())


# %% equal
said = diff()

# %% check equal
records = said.split(" records")[0].split()[-1]
assert "equal: MindSpore 2.10.0 and ms2torch agree" in said

# %% clip
said = diff(
    ("ops.clip_by_global_norm(gradients, 1.0)", "tuple(ops.clip_by_norm(g, 1.0) for g in gradients)")
)

# %% check clip
assert "step 1, backward" in said and "between the backward pass and the optimizer" in said, said

# %% momentum
said = diff(("nn.BatchNorm1d(width)", "nn.BatchNorm1d(width, momentum=0.1)"))

# %% check momentum
assert "block1.norm.moving_mean" in said.split("Step Step")[0], said

# %% order
said = diff(("x + self.act(self.norm(self.dense(x)))", "self.act(x + self.norm(self.dense(x)))"))

# %% check order
assert "step 1, forward" in said and "operators of its own" in said, said

# %% port
def port(*changes):
    """`ms2torch diff --torch` of port.py, with these changes, against the recorded run."""
    text = (HERE / "port.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "port.py").write_text(text, encoding="utf-8")
        options = ["--torch", "port.py", "--align", "weights", str(HERE / "reference.trace")]
        command = [sys.executable, "-m", "ms2torch", "diff", *options]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env={**os.environ, "COLUMNS": "160"}
        )
    verdict = done.stdout.partition("Step Step")[0].partition("loss over")[0]
    verdict = re.sub(r"PyTorch \S+?(:?) ", r"PyTorch\1 ", verdict)
    verdict = re.sub(r"largest tolerated .*\n", "", verdict)      # (another on another processor)
    pairs = done.stdout.partition("\npaired ")[2].partition("\nnote:")[0]
    print(f"{verdict.rstrip()}\npaired {pairs.rstrip()}\nexit code {done.returncode}")
    return " ".join((done.stdout + done.stderr).split())


# %% forgotten
said = port()

# %% check forgotten
assert "step 2, optimizer: learning_rate" in said, said

# %% remembered
made = "optimizer = torch.optim.Adam(net.parameters(), lr=0.02)\n"
schedule = "schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9 ** (1 / 5))\n"
step = "    optimizer.step()\n"
said = port((made, made + schedule), (step, step + "    schedule.step()\n"))

# %% check remembered
assert said.startswith("equal: MindSpore 2.10.0 and the port on PyTorch"), said
