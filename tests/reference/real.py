"""The real MindSpore as another process, and its recorded outcomes where it is not installed."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDS = Path(__file__).parent / "records"


def interpreter() -> str | None:
    """The Python that has the real MindSpore: $MS2TORCH_REFERENCE_PYTHON, .reference/bin/python, or None."""
    named = os.environ.get("MS2TORCH_REFERENCE_PYTHON")
    if named:
        return named
    made = ROOT / ".reference" / "bin" / "python"
    return str(made) if made.exists() else None


@cache
def run(module: str) -> dict:
    """All cases of a module on the real MindSpore: {"mindspore": version, "cases": {name: outcome}}."""
    python = interpreter()
    if python is None:
        raise SystemExit("no real MindSpore: run scripts/reference_env.sh, or set MS2TORCH_REFERENCE_PYTHON")
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("MS2TORCH_", "PYTHONPATH"))}
        command = [python, "-m", "tests.reference.worker", module, str(answer)]
        done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True)
        if not answer.exists():
            raise RuntimeError(f"{module} did not run on the real MindSpore:\n{done.stderr[-3000:]}")
        return json.loads(answer.read_text())


def record_of(module: str) -> Path:
    return RECORDS / f"{module.rpartition('.')[2]}.json"


@cache
def recorded(module: str) -> dict:
    """What `run` gave when it was recorded; empty when it never was."""
    path = record_of(module)
    return json.loads(path.read_text()) if path.exists() else {"mindspore": None, "cases": {}}


def save(module: str, outcomes: dict) -> None:
    """Write a record: a line per case, so that a change shows as one."""
    lines = [f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}"
             for name, value in outcomes["cases"].items()]
    text = f'{{"mindspore": {json.dumps(outcomes["mindspore"])}, "cases": {{\n' + ",\n".join(lines) + "\n}}\n"
    RECORDS.mkdir(exist_ok=True)
    record_of(module).write_text(text)
