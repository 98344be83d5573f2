"""The suite under versions that setup.cfg promises (oldest, newest, one between); see scripts/versions.md.

    python scripts/versions.py [CORNER ...] [--share fast|numpy|whole] [--envs FOLDER] [--keep] [--no-record]

A corner is a Python, a torch and a numpy; each gets an environment of its own (5 to 6 GB, as PyPI's torch
brings CUDA with it, and two minutes), which is removed afterwards unless ``--keep``. Interpreters are looked
for on PATH, among pyenv's and uv's; with ``--any-python`` the one that runs this stands in for a missing one,
and the result says so. ``old-numpy`` is the environment that runs this with the oldest numpy laid over
it: seconds to make. ``--share fast`` and ``numpy`` (what numpy's versions touch) take a minute or two.

Exit code 1 where a test fails or a corner cannot be made. With ``--where-possible``, as CI runs it, a corner
that cannot be made (no such Python, no registry, too little disk) is said and is no failure, and neither is a
test that fails under releases of which versions.md has no row.
"""

from __future__ import annotations

import argparse
import configparser
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "scripts" / "versions.md"

# name -> Python, torch, numpy; no number is the newest that PyPI has for that Python.
CORNERS = {
    "oldest": ("3.10", "torch==2.4.*", "numpy==1.26.*"),
    "newest": ("3.13", "torch", "numpy"),
    "old-python": ("3.10", "torch", "numpy"),
    "old-torch": ("3.13", "torch==2.5.*", "numpy"),         # the oldest that there is for Python 3.13
    "middle": ("3.12", "torch==2.8.*", "numpy==2.2.*"),
    "between": ("3.11", "torch==2.12.*", "numpy==2.4.*"),
    "old-numpy": (None, None, "numpy==1.26.*"),             # over the Python and torch that run this
    **{f"torch-2.{minor}": ("3.12", f"torch==2.{minor}.*", "numpy") for minor in (6, 7, 9, 10, 11)},
}
# What a fast share needs; the whole suite needs all that setup.cfg has for tests.
TOOLS = ["pytest", "hypothesis", "rich", "pillow", "scipy", "setuptools>=68", "libcst"]
# What depends on versions most: autograd, numpy's text, Python's syntax trees, optimizers, checkpoints.
FAST = ["tests/_core", "tests/common", "tests/mint", "tests/nn", "tests/language",
        *(f"tests/reference/test_{name}.py"
          for name in ("optimizers", "callbacks", "cell_state", "tensor_methods", "checkpoint", "metrics"))]
# What numpy's version changes most: how values print and convert, its generators, arrays at the borders.
NUMPY = ["tests/_core", *(f"tests/reference/test_{name}.py"
           for name in ("tensor_base", "tensor_constructor", "tensor_methods", "element_writes", "numpy",
                        "ops_random", "dataset_pipeline", "dataset_pixels", "dataset_audio", "checkpoint",
                        "metrics"))]
SHARES = {"fast": FAST, "numpy": NUMPY, "whole": ["tests"]}

ROOM = 12e9             # bytes of disk that an environment wants while it is made, its wheels included
PATIENCE = 300          # seconds after which an installation is given up


def interpreter(version: str) -> str | None:
    """The path of a Python of ``version``, or None."""
    found = shutil.which(f"python{version}")
    if found and subprocess.run([found, "-c", ""], capture_output=True).returncode:
        found = None                         # (a shim of pyenv's for a version that is not chosen)
    for folder in (Path.home() / ".pyenv" / "versions", Path.home() / ".local" / "share" / "uv" / "python"):
        for path in sorted(folder.glob(f"*{version}.*/bin/python3")):
            found = found or str(path)
    return found


def made(name: str, folder: Path, share: str, any_python: bool) -> tuple[Path, dict] | str:
    """The interpreter of a corner and the variables it needs, or why there is none."""
    version, torch, numpy = CORNERS[name]
    if version is None:
        return laid_over(folder / name, numpy)
    python = interpreter(version) or (sys.executable if any_python else None)
    if python is None:
        return f"there is no Python {version} on this machine"
    inside = folder / name / "bin" / "python"
    if not inside.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(folder).free < ROOM:
            return f"it wants {ROOM / 1e9:.0f} GB of disk, which {folder} has not"
        subprocess.run([python, "-m", "venv", folder / name], check=True)
    tools = TOOLS
    if share == "whole":
        promised = configparser.ConfigParser()
        promised.read(ROOT / "setup.cfg")
        tools = ["rich", *promised["options.extras_require"]["test"].split()]
    failure = installed(inside, torch, numpy, *tools)
    return failure or (inside, {"PYTHONPATH": str(ROOT)})


def laid_over(folder: Path, *packages: str) -> tuple[Path, dict] | str:
    """The interpreter that runs this, with ``packages`` in ``folder`` before its own."""
    failure = installed(Path(sys.executable), "--target", folder, "--no-deps", "--upgrade", *packages)
    return failure or (Path(sys.executable), {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])})


def installed(python: Path, *packages: str | Path) -> str | None:
    """Installs ``packages`` with ``python``'s pip; what pip says where it can't."""
    # A cap of the machine's on torch would hide the newest one.
    environment = {**os.environ, "PIP_CONSTRAINT": os.devnull}
    wheels = ["--only-binary", ":all:", "--no-binary", "jieba"]     # (jieba has no wheel)
    command = [python, "-m", "pip", "install", "-q", "--no-cache-dir", "--no-compile", *wheels, *packages]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"pip was not done after {PATIENCE} seconds"
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return (errors or ["pip failed"])[-1]


def tried(python: Path, variables: dict, share: str, log: Path) -> tuple[str, list[str], int]:
    """The counts of a run, the tests that failed, and pytest's exit code."""
    environment = {**os.environ, **variables, "OMP_NUM_THREADS": "1", "MS2TORCH_REFERENCE_PYTHON": ""}
    with log.open("w") as out:
        code = subprocess.run([python, "-m", "pytest", "-p", "no:cacheprovider",
                               "--continue-on-collection-errors", "-rfE", *SHARES[share]],
                              cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode
    text = log.read_text()
    failed = re.findall(r"^(?:FAILED|ERROR) (.+)", text, re.M)
    counts = re.findall(r"(\d+) (passed|failed|skipped|errors?)", text[-400:])
    return ", ".join(f"{n} {what}" for n, what in counts), failed, code


def versions(python: Path, variables: dict) -> list[str] | None:
    """Of Python, torch and numpy in a corner; None where torch cannot be imported."""
    code = """import platform, torch, numpy
print(platform.python_version(), torch.__version__, numpy.__version__)"""
    done = subprocess.run([python, "-c", code], env={**os.environ, **variables},
                          capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else None


def recorded(found: list[str]) -> bool:
    """Whether these versions of torch and numpy were tried before."""
    return " | ".join(found[1:]) in RESULTS.read_text(encoding="utf-8")


def record(row: list[str]) -> None:
    """Put a row below the others of the first table."""
    lines = RESULTS.read_text(encoding="utf-8").split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("|--"))
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    lines.insert(end, "| " + " | ".join(row) + " |")
    RESULTS.write_text("\n".join(lines), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corners", nargs="*", help=f"of {', '.join(CORNERS)}; all of them by default")
    parser.add_argument("--share", choices=list(SHARES), default="whole")
    parser.add_argument("--envs", type=Path, help="where environments go, or are already")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    parser.add_argument("--any-python", action="store_true", help="take this Python where one is not there")
    parser.add_argument("--no-record", action="store_true", help=f"leave {RESULTS.name} as it is")
    parser.add_argument("--where-possible", action="store_true",
                        help="a corner that cannot be made is no failure")
    given = parser.parse_args()
    folder = given.envs or Path(tempfile.mkdtemp(prefix="ms2torch-versions-"))
    wrong = 0
    for name in given.corners or CORNERS:
        begun = time.time()
        corner, ready = made(name, folder, given.share, given.any_python), time.time()
        found = None if isinstance(corner, str) else versions(*corner)
        if not (found or isinstance(corner, str)):
            corner = "its torch cannot be imported"
        if isinstance(corner, str):
            print(f"{name}: not tried, {corner}", flush=True)
            wrong += not given.where_possible
        else:
            counts, failed, code = tried(*corner, given.share, folder / f"{name}.log")
            row = [f"{datetime.date.today()}", name, *found, given.share, counts,
                   f"{(ready - begun) / 60:.0f} + {(time.time() - ready) / 60:.0f} min"]
            print("\n".join([" | ".join(row), *failed]), flush=True)
            if CORNERS[name][0] and not found[0].startswith(CORNERS[name][0] + "."):
                print(f"{name}: Python {CORNERS[name][0]} is not here; Python {found[0]} stood in for it",
                      flush=True)
            if code and given.where_possible and not recorded(found):
                print(f"{name}: a release without a record; its failures do not count", flush=True)
                code = 0
            wrong += bool(code)
            if not given.no_record:
                record(row)
        if not given.keep and not given.envs:
            shutil.rmtree(folder / name, ignore_errors=True)
    if not given.keep and not given.envs:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
