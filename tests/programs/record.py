"""Run the programs and keep what they print: record.py PYTHON [NAMES].

PYTHON is an interpreter with the real MindSpore.

records/NAME.txt has what the real MindSpore printed, adapted where a program asks for devices and names
that 2.10's CPU build lacks (the second line says what was adapted); records/NAME.float64.txt what the
program gives in double precision, the middle from which both float32 runs are measured (float64.py).
"""

import ast
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORDS = HERE / "records"
ADAPTER = str(ROOT / "ms2torch" / "difftest" / "recorder" / "adapter")
ONE_FILE = """
lenet lstm mobilenet wide_deep bert unet deepfm ncf ssd gcn transformer gan accumulation word2vec autoencoder
vae seq2seq mixed dqn gat vit flow ppo
"""
PROGRAMS = {
    **{name: [f"{name}.py"] for name in ONE_FILE.split()},
    "resnet": ["resnet/train.py"],
    "transformer_half": ["transformer.py", "--half"],
}


def digest(name):
    """Of the program, so that a changed one is recorded again; its line breaks and comments do not count."""
    path = HERE / PROGRAMS[name][0]
    files = sorted(path.parent.rglob("*.py")) if path.parent != HERE else [path]
    # Python 3.12 adds a field to functions, 3.13 leaves out empty ones unless it is asked.
    whole = {"show_empty": True} if sys.version_info >= (3, 13) else {}
    trees = "".join(ast.dump(ast.parse(f.read_text()), **whole) for f in files)
    return hashlib.sha256(trees.replace(", type_params=[]", "").encode()).hexdigest()[:16]


def printed(python, name, folder, env):
    """A finished run in ``folder``: (exit code, lines of stdout less MindSpore's own log, stderr)."""
    path, *arguments = PROGRAMS[name]
    whole = [*python, str(HERE / path), *arguments]
    done = subprocess.run(whole, cwd=folder, env=env, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("[WARNING]")]
    return done.returncode, lines, done.stderr


def record(name, python, version):
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"OMP_NUM_THREADS": "1"}
    runs = {
        "": ([python, ADAPTER], clean),
        ".float64": ([sys.executable, str(HERE / "float64.py")], clean | {"PYTHONPATH": str(ROOT)}),
    }
    for kind, (command, env) in runs.items():
        with tempfile.TemporaryDirectory() as place:
            code, lines, err = printed(command, name, place, env)
        if code:
            raise SystemExit(f"{name}{kind} fails:\n{err[-2000:]}")
        adapted = [
            line.strip() for line in err.partition("\nadapted:")[2].splitlines() if line.startswith("  ")
        ]
        head = (
            [f"program {digest(name)}"]
            if kind
            else [
                f"MindSpore {version}, program {digest(name)}",
                "adapted: " + ("; ".join(adapted) or "nothing"),
            ]
        )
        (RECORDS / f"{name}{kind}.txt").write_text("\n".join([*head, *lines, ""]))
        print(name + kind, len(lines), "lines")


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    ask = [sys.argv[1], "-c", "import mindspore; print(mindspore.__version__)"]
    version = subprocess.run(ask, capture_output=True, text=True).stdout.split()[-1]
    for one in sys.argv[2:] or PROGRAMS:
        record(one, sys.argv[1], version)
