"""Run the programs on the real MindSpore and keep what they print: record.py PYTHON [NAMES].

PYTHON is an interpreter that has it. Its CPU refuses device_target="Ascend", hence the argument.
"""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
RECORDS = HERE / "records"
PROGRAMS = {
    "lenet": ["lenet.py"],
    "resnet": ["resnet/train.py"],
    "gan": ["gan.py"],
    "accumulation": ["accumulation.py"],
    "dqn": ["dqn.py"],
    "autoencoder": ["autoencoder.py"],
    "transformer": ["transformer.py"],
    "transformer_half": ["transformer.py", "--half"],
}


def command(name):
    """Path and arguments of a program."""
    path, *arguments = PROGRAMS[name]
    return [str(HERE / path), *arguments]


def printed(python, name, folder, *arguments, env=None):
    """A finished run in ``folder``: (exit code, lines of stdout less MindSpore's own log, stderr)."""
    whole = [*python, *command(name), *arguments]
    done = subprocess.run(whole, cwd=folder, env=env, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("[WARNING]")]
    return done.returncode, lines, done.stderr


if __name__ == "__main__":
    import tempfile

    RECORDS.mkdir(exist_ok=True)
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    version = subprocess.run([sys.argv[1], "-c", "import mindspore; print(mindspore.__version__)"], env=clean,
                             capture_output=True, text=True).stdout.split()[-1]
    for one in sys.argv[2:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as place:
            code, lines, err = printed([sys.argv[1]], one, place, "--device_target", "CPU", env=clean)
        if code:
            raise SystemExit(f"{one} fails on the real MindSpore:\n{err[-2000:]}")
        (RECORDS / f"{one}.txt").write_text("\n".join([f"MindSpore {version}", *lines, ""]))
        print(one, len(lines), "lines")
