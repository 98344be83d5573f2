"""The whole way out on one program: scan, run, translate with proof, convert the checkpoint, deploy.

Each command runs here, in a folder of its own, and what it says is on the page.
"""

import contextlib
import importlib
import io
import json
import os
import runpy
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import mindspore as ms
import numpy as np
import torch

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


# %% scan
command("ms2torch scan train.py --json findings.json")

# %% run
runpy.run_path("train.py", run_name="__main__")

# %% translate
command('ms2torch translate train.py -o plain.py --run "train.py" --json report.json')

# %% check translate
report = json.loads(Path("report.json").read_text())
assert report["done"] and report["program"]["differs"] == "" and report["translated"] == report["sites"]
assert "mindspore" not in Path("plain.py").read_text() and "ms2torch" not in Path("plain.py").read_text()

# %% result
text = Path("plain.py").read_text()
print(text[text.index("class Net") : text.index("def rings")].rstrip())
print("...")
print(text[text.index("torch.manual_seed(1)") :])

# %% explain
command("ms2torch explain mindspore.nn.Adam")

# %% convert
command("ms2torch convert-checkpoint net.ckpt -o net.pt")

# %% deploy
sys.path.insert(0, "")
plain = importlib.import_module("plain")
plain.net.load_state_dict(torch.load("net.pt", weights_only=True))
plain.net.eval()
example = torch.tensor(plain.rings(4)[0])
program = torch.export.export(plain.net, (example,))
torch.export.save(program, "net.pt2")
print(torch.export.load("net.pt2").module()(example).argmax(1).tolist())

# %% check deploy
theirs = runpy.run_path("train.py")["net"]
ms.load_checkpoint("net.ckpt", theirs)
ours = plain.net(example).detach().numpy()
assert np.abs(theirs.set_train(False)(ms.Tensor(example.numpy())).asnumpy() - ours).max() < 1e-5

# %% baseline
command("ms2torch scan train.py --write-baseline known.json")

# %% kept
Path("kept.py").write_text("""\
import mindspore.dataset as ds
from mindspore import ops


def pipeline(rows):
    return ds.GeneratorDataset(rows, ["x"]).repeat(3).batch(4)


def product(x, ids):
    return ops.unsorted_segment_prod(x, ids, 2)
""")
command("ms2torch translate kept.py -o half.py")
print(Path("half.py").read_text())
