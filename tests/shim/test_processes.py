"""``run --nproc``, ``msrun`` and torchrun start the same program on several ranks."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from ms2torch.shim import processes

from .run import ROOT, launched

PROGRAM = """\
import json, os, sys
import mindspore as ms
from mindspore import Tensor, ops
from mindspore.communication import get_group_size, get_rank, init
init()
rank = get_rank()
if "fail" in sys.argv and rank == 1:
    raise KeyError("lost")
total = ops.AllReduce()(Tensor([float(rank + 1)], ms.float32))
names = ("RANK_ID", "RANK_SIZE", "DEVICE_ID")
with open(f"out_{rank}.json", "w") as file:
    json.dump([rank, get_group_size(), float(total), [os.environ[n] for n in names], sys.argv[1:]], file)
sys.stdout.write(f"rank {rank} is done\\n" * (3000 if "--epochs" in sys.argv else 1))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def _check(folder, arguments):
    for rank in range(2):
        found = json.loads((folder / f"out_{rank}.json").read_text())
        assert found == [rank, 2, 3.0, [str(rank), "2", str(rank)], arguments]


def test_run_nproc(folder):
    program = ("train.py", "--epochs", "3")
    code, out, err = launched("run", "--nproc", "2", "--device", "cpu", *program, cwd=folder)
    assert code == 0, err
    assert Counter(out.splitlines()) == {"rank 0 is done": 3000, "rank 1 is done": 3000}  # lines are whole
    _check(folder, ["--epochs", "3"])


def test_a_rank_that_fails_ends_the_others_and_is_named(folder):
    cpu = {"MS2TORCH_DEVICE": "cpu"}
    code, _, err = launched("run", "--nproc=2", "train.py", "fail", cwd=folder, env=cpu)
    assert code == 1
    assert "[ms2torch] rank 1 ended with exit code 1, the others are ended." in err
    assert ("[ms2torch] train.py:9: Rank 0 failed in AllReduce(sum) of float32 (1,), operation 1: rank 1 "
            "ended with KeyError: 'lost'.") in err
    assert err.count("Traceback (most recent call last)") == 1      # that of the rank whose fault it is


def test_an_interrupted_job_says_so_in_a_line(folder):
    (folder / "train.py").write_text(
        "import time\nfrom mindspore.communication import init\n"
        "init()\nopen('ready', 'w').close()\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "ms2torch", "run", "--nproc", "2", "--device", "cpu", "train.py"]
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
                          stderr=subprocess.PIPE, preexec_fn=_hears_interrupts) as job:
        until = time.monotonic() + 60
        while not (folder / "ready").exists() and time.monotonic() < until:
            time.sleep(0.1)
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=60)
    assert (job.returncode, err) == (130, "[ms2torch] interrupted: 2 processes are ended.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends them")
def test_the_ranks_of_a_job_that_is_killed_end(folder):
    (folder / "train.py").write_text(
        "import os, time\nfrom mindspore.communication import init\n"
        "init()\nopen('ready', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    ready = folder / "ready"
    command = [sys.executable, "-m", "ms2torch", "run", "--nproc", "2", "--device", "cpu", "train.py"]
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}) as job:
        until = time.monotonic() + 60
        while not (ready.exists() and ready.read_text()) and time.monotonic() < until:
            time.sleep(0.1)
        job.kill()
    rank = int(ready.read_text())
    while time.monotonic() < until and _runs(rank):
        time.sleep(0.1)
    assert not _runs(rank)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _hears_interrupts():
    """As a terminal's programs do: a shell's background jobs ignore them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_msrun(folder):
    port = str(processes.free_port())
    code, out, err = launched(
        "msrun", "--worker_num=2", "--local_worker_num=2", f"--master_port={port}", "--log_dir=logs",
        "--join=True", "--tail_worker_log=0", "--bind_core=True", "python", "train.py", "-x",
        cwd=folder, env={"MS2TORCH_DEVICE": "cpu"})
    assert (code, out) == (0, "rank 0 is done\n"), err
    _check(folder, ["-x"])
    for rank in range(2):
        assert (folder / "logs" / f"worker_{rank}.log").read_text() == f"rank {rank} is done\n"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("torchrun", path=os.path.dirname(sys.executable)), reason="no torchrun")
def test_torchrun(folder):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MS2TORCH_DEVICE": "cpu"}
    torchrun = os.path.join(os.path.dirname(sys.executable), "torchrun")
    subprocess.run([torchrun, "--nproc-per-node", "2", f"--master-port={processes.free_port()}", "-m",
                    "ms2torch", "train.py", "a"],
                   cwd=folder, env=env, check=True, capture_output=True, timeout=120)
    _check(folder, ["a"])


def test_several_machines_need_their_number():
    with pytest.raises(SystemExit, match="--node_rank says which machine this is"):
        processes.msrun(["--worker_num=4", "--local_worker_num=2", "train.py"])
