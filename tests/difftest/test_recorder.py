"""The recorder sees the same things on ms2torch as on the real MindSpore, under the same names, and what it
sees is what the program computes; and however a run ends, its trace is readable until then."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ms2torch.difftest import trace
from tests.reference import real

HERE = Path(__file__).parent
RECORDS = HERE / "records"
RECORDER = real.ROOT / "ms2torch" / "difftest" / "recorder"
RUNS = {"step": ["--level", "step"], "cell": ["--level", "cell", "--full", "*"], "op": ["--level", "op"]}
OURS = """
import sys, ms2torch
ms2torch.install()
from ms2torch.difftest import recorder
recorder.main(sys.argv[1:])
"""


def record(folder, script, *options, arguments=(), limit=None):
    """Run a script of ours under the recorder: (exit code, standard error, the trace's path)."""
    path = Path(folder) / "ours.trace"
    env = {k: v for k, v in os.environ.items() if not k.startswith("MS2TORCH_")}
    env |= {"PYTHONPATH": str(real.ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", OURS, "-o", str(path), *options, str(script), *arguments]
    if limit:
        command = ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "bash", *command]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stderr, path


def reference(name, how, options, live, folder):
    """The real MindSpore's trace of the small program."""
    path = RECORDS / f"{name}_{how or 'cell'}.trace"
    if live:
        path = Path(folder) / "reference.trace"
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MS2TORCH_", "PYTHONPATH"))}
        command = [real.interpreter(), str(RECORDER), "-o", str(path), *options, str(HERE / "recorded.py")]
        command += [how] if how else []
        subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
    return trace.open(path)


def keyed(read):
    names = ("step", "update", "stage", "where", "role", "index", "call", "training")
    return {tuple(r.get(n) for n in names): r for r in read if r["kind"] == "tensor"}


@pytest.mark.parametrize(("name", "how"), [
    *((name, how) for name in RUNS for how in ("", "function")),
    # In graph mode gradient functions are graphs, which call no Cell that could be seen.
    ("step", "graph_function")])
def test_records_have_the_names_dtypes_and_values_of_the_real_ones(name, how, tmp_path, request):
    code, err, path = record(tmp_path, HERE / "recorded.py", *RUNS[name], arguments=[how] if how else [])
    assert code == 0, err
    theirs = reference(name, how, RUNS[name], request.config.getoption("--live"), tmp_path)
    ours = trace.open(path)
    assert (ours.steps, ours.end["status"]) == (theirs.steps, "ok") == (3, "ok")
    assert ours.parameters == theirs.parameters
    assert ours.cells == theirs.cells
    mine, other = keyed(ours), keyed(theirs)
    assert mine.keys() == other.keys()
    for key, record_of_theirs in other.items():
        found = mine[key]
        assert (found["dtype"], found["shape"]) == (record_of_theirs["dtype"], record_of_theirs["shape"]), key
        a, b = found["stats"], record_of_theirs["stats"]
        scale = max(1.0, *(abs(x) for x in b["sample"]))
        np.testing.assert_allclose(a["sample"], b["sample"], rtol=2e-4, atol=2e-5 * scale, err_msg=str(key))
        if key[2] == "data" or (key[0], key[2]) == (1, "initial"):
            assert a["hash"] == b["hash"], key


SMALL = """
import mindspore as ms, numpy as np, sys, os, signal
from mindspore import nn
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0, 2.0], ms.float32), name="w")
    def construct(self, x):
        return (self.w * x * x).sum()
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.s = ms.Parameter(ms.Tensor([2.0, 2.0], ms.float32), name="s")
    def construct(self, x):
        return self.net(x * self.s) * 3
net = Outer()
step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5)).set_train()
for i in range(200):
    step(ms.Tensor([1.0, -1.0], ms.float32))
    if i == 1:
        ENDING
"""


@pytest.fixture
def script(tmp_path):
    def write(ending="sys.exit()"):
        path = tmp_path / "small.py"
        path.write_text(SMALL.replace("ENDING", ending))
        return path

    return write


def test_values_are_those_of_the_program(script, tmp_path):
    """loss = 3 sum(w (s x)^2) at w = (1, 2), s = 2, x = (1, -1): d/dw = 3 (s x)^2, d/d(s x) = 6 w s x."""
    code, err, path = record(tmp_path, script(), "--level", "cell", "--full", "*", "--steps", "1")
    assert code == 0, err
    found = {}
    for r in trace.open(path):
        if r["kind"] == "tensor":
            found[r["stage"], r["where"], r["role"]] = r["array"].tolist()
    assert found["initial", "net.w", "value"] == [1, 2]
    assert found["data", "TrainOneStepCell", "input"] == [1, -1]
    assert found["forward", "network.net", "input"] == [2, -2]
    assert found["forward", "network.net", "output"] == 12
    assert found["loss", "TrainOneStepCell", "output"] == 36
    assert found["backward", "network.net", "grad_output"] == 3
    assert found["backward", "network.net", "grad_input"] == [12, -24]
    assert found["gradient", "net.w", "value"] == [12, 12]
    assert found["gradient", "s", "value"] == [12, 24]
    assert found["learning_rate", "learning_rate", "value"] == 0.5
    assert found["parameter", "net.w", "value"] == [-5, -4]


@pytest.mark.parametrize(("ending", "code", "status", "error"), [
    ("raise ValueError('no more')", 1, "error", "ValueError"),
    # A shell starts what it puts in the background with SIGINT ignored, and Python keeps that.
    ("signal.signal(signal.SIGINT, signal.default_int_handler); os.kill(os.getpid(), signal.SIGINT)", 130,
     "interrupted", "KeyboardInterrupt"),
    ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, None, None),
])
def test_a_run_that_ends_early_leaves_what_it_recorded(script, tmp_path, ending, code, status, error):
    got, err, path = record(tmp_path, script(ending))
    assert got == code, err
    read = trace.open(path)
    assert read.steps == 2 and read.truncated is (status is None)
    if status:
        assert (read.end["status"], read.end["error"]) == (status, error)
        assert 'small.py", line' in read.end["traceback"] and "program.py" not in read.end["traceback"]
        assert ("no more" in err) is (error == "ValueError")


def test_a_full_disk_ends_the_run_with_a_readable_trace(script, tmp_path):
    code, err, path = record(tmp_path, script("pass"), limit=4)
    assert code == 74
    assert "could not be written" in err
    read = trace.open(path)
    assert read.truncated and read.steps > 1


def test_a_torch_program_is_recorded_under_its_modules_names(tmp_path):
    """loss = 3 relu(w x), once per step, with SGD: d/dw = 3 x; an in-place ReLU is in the way."""
    script = tmp_path / "ported.py"
    script.write_text("""
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False), torch.nn.ReLU(inplace=True))
with torch.no_grad():
    net[0].weight.copy_(torch.tensor([[1.0, 2.0]]))
optimizer = torch.optim.SGD(net.parameters(), 0.5)
(3 * net(torch.tensor([[1.0, 4.0]]))).sum().backward()
optimizer.step()
""")
    path = tmp_path / "torch.trace"
    command = [sys.executable, str(RECORDER), "-o", str(path), "--level", "cell", "--full", "*", "--torch"]
    done = subprocess.run([*command, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    read = trace.open(path)
    assert (read.header["side"], read.steps) == ("torch", 1)
    found = {(r["stage"], r["where"], r["role"]): r["array"].tolist() for r in read if r["kind"] == "tensor"}
    assert found["forward", "1", "output"] == [[9]]
    assert found["backward", "0", "grad_output"] == [[3]]
    assert found["gradient", "0.weight", "value"] == [[3, 12]]
    assert found["learning_rate", "learning_rate", "value"] == 0.5
    assert found["parameter", "0.weight", "value"] == [[-0.5, -4]]
